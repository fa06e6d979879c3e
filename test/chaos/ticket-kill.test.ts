/**
 * Tickets in a process that dies at any write and at any call to a platform, and is followed by another one to which everything is
 * delivered again: what is left is what a process leaves that lived. The platforms themselves are in ticket-kill-slack.test.ts and
 * ticket-kill-discord.test.ts.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import type { TicketStore } from '../../agent/ports/ticket-store.ts';
import { ARRIVAL_WAYS, type TicketActor, type TicketArrival } from '../../agent/ticket.ts';
import { arrivalOf } from '../../bots/ticket-webhook.ts';
import type { WebhookSourceName } from '../../bots/ticket-webhook-sources.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { SENDERS, webhookSettings } from '../bots/webhook-senders.ts';
import { createFakeClock } from '../fake-clock.ts';
import { arrival, BEN } from '../fakes/tickets.ts';
import {
  createFakeBoard,
  createFakeReader,
  linesOf,
  openTriageBench,
  readingOf,
  type TriageBench,
} from '../fakes/triage-bench.ts';
import { scaled, seed } from '../scale.ts';
import { createMortality, mortalBoard, mortalStore } from './mortal-triage.ts';

/** Longer than any send may be under way. */
const RESTART_MS = 60_000;
const MIN_BOUNDARIES = 10;
/** The number of the boundary. */
const AFTER_OPENING = 2;

interface Scenario {
  /** Stands before anything dies. */
  readonly before?: (bench: TriageBench) => Promise<void>;
  /** What is delivered; all of it again after a death. */
  readonly deliver: (bench: TriageBench) => Promise<void>;
  readonly sendsAlone?: true;
}

const helper: TicketActor = { kind: 'person', id: BEN.id };

const act =
  (ticketId: string, action: TicketAction, actor = helper) =>
  async ({ triage }: TriageBench): Promise<void> => {
    await triage.desk.act({ ticketId, action, actor, source: 'slack', key: `click:${ticketId}:${action.kind}` });
  };

const take =
  (...arrivals: readonly TicketArrival[]) =>
  async ({ triage }: TriageBench): Promise<void> => {
    for (const one of arrivals) await triage.desk.arrive(one);
  };

const opened =
  (...arrivals: readonly TicketArrival[]) =>
  async (bench: TriageBench): Promise<void> => {
    await take(...arrivals)(bench);
    await bench.pass(0);
  };

const refund = (n: number, text = `refund of order ${n}`): TicketArrival =>
  arrival(n, { text, author: { id: `slack:UA${n}`, displayName: `Asker ${n}` }, receivedAt: Date.UTC(2026, 0, 5, 9) });
const alike = [1, 2, 3, 4].map((n) => refund(n, `refund fails with E-100 for ${n}`));
const inOrder = async (bench: TriageBench): Promise<void> => {
  for (const one of alike) {
    await bench.triage.desk.arrive(one);
    await bench.pass(0);
  }
};

/** The ticket and its comment; of those that name no comments, the ticket twice. */
const sent = (from: WebhookSourceName): readonly TicketArrival[] =>
  [SENDERS[from].ticket, SENDERS[from].comment].map(
    (payload) => arrivalOf(payload, webhookSettings(from), Date.UTC(2026, 0, 5, 9)) as TicketArrival,
  );

const ARRIVALS: Readonly<Record<string, Scenario>> = {
  ...Object.fromEntries(
    ARRIVAL_WAYS.filter((how) => how !== 'incident').map((how) => [`by ${how}`, { deliver: take({ ...refund(1), how }) }]),
  ),
  'by the wish for a person': {
    deliver: async (bench) => {
      await take({ ...refund(1), how: 'escalation' })(bench);
      const { author } = refund(1);
      await act('T1', { kind: 'hand_off', to: null, reason: 'a person' }, { kind: 'person', id: author.id })(bench);
    },
  },
  'a burst of one author': {
    deliver: take(refund(1), { ...refund(2), author: refund(1).author }, { ...refund(3), author: refund(1).author }),
  },
  ...Object.fromEntries(
    Object.keys(SENDERS).flatMap((from): [string, Scenario][] => {
      const both = sent(from as WebhookSourceName);
      return [
        [`by the webhook of ${from}`, { deliver: take(...both) }],
        [`by the webhook of ${from}, the comment first`, { deliver: take(...both.toReversed()) }],
      ];
    }),
  ),
};

const ACTIONS: Readonly<Record<string, Scenario>> = {
  'a claim': { before: opened(refund(1)), deliver: act('T1', { kind: 'assign', to: BEN.id }) },
  'a solution': { before: opened(refund(1)), deliver: act('T1', { kind: 'solve', resolution: 'paid' }) },
  'a close': { before: opened(refund(1)), deliver: act('T1', { kind: 'close' }) },
  'a reopening': {
    before: async (bench) => {
      await opened(refund(1))(bench);
      await act('T1', { kind: 'solve', resolution: '' })(bench);
      await bench.pass(0);
    },
    deliver: act('T1', { kind: 'reopen', reason: '' }),
  },
  'an escalation': { before: opened(refund(1)), deliver: act('T1', { kind: 'escalate', reason: '' }) },
  'a snooze': { before: opened(refund(1)), deliver: act('T1', { kind: 'snooze', until: Date.UTC(2027, 0, 1) }) },
  'a correction': { before: opened(refund(1)), deliver: act('T1', { kind: 'set_category', category: 'login' }) },
  'a draft that a person sends': {
    before: opened(refund(1)),
    deliver: act('T1', { kind: 'draft_send', draftId: 'd1' }),
  },
  'a draft that goes out alone': { deliver: take(refund(1)), sendsAlone: true },
  'a merge': { before: opened(refund(1), refund(2)), deliver: act('T2', { kind: 'merge', into: 'T1' }) },
  'an un-merge': {
    before: async (bench) => {
      await opened(refund(1), refund(2))(bench);
      await act('T2', { kind: 'merge', into: 'T1' })(bench);
      await bench.pass(0);
    },
    deliver: act('T2', { kind: 'unmerge' }),
  },
  'the opening of an incident': { before: opened(...alike.slice(0, 3)), deliver: take(...alike.slice(3)) },
  'a word to all of an incident': { before: inOrder, deliver: act('T5', { kind: 'tell_members', text: 'Fixed by eleven.' }) },
  'the end of an incident': { before: inOrder, deliver: act('T5', { kind: 'solve', resolution: 'a new cable' }) },
  'the way out of an incident': { before: inOrder, deliver: act('T2', { kind: 'leave_incident' }) },
};

interface Left {
  readonly posts: readonly string[];
  readonly tickets: readonly unknown[];
}

/** What stands on the platform, and what happened to each ticket. */
const leftBy = async (board: ReturnType<typeof createFakeBoard>, store: TicketStore): Promise<Left> => ({
  posts: linesOf(board).toSorted(),
  tickets: await Promise.all(
    (await store.listTickets({})).map(
      async ({ id, status, team, assignee, category, draft, handOff, messageCount, ...rest }) => ({
        id,
        status,
        team,
        assignee,
        category,
        messageCount,
        draft: draft?.state,
        isConfirmed: handOff?.isConfirmed,
        mergedFrom: rest.mergedFrom,
        mergedInto: rest.mergedInto,
        incidentId: rest.incidentId,
        members: rest.incident?.members,
        // Two of one batch may change places, no more.
        events: (await store.readEvents(id)).map(({ change }) => change.kind).toSorted(),
      }),
    ),
  ),
});

interface Trial {
  readonly left: Left;
  readonly boundaries: readonly string[];
  readonly killedAt: string | undefined;
}

interface Defect {
  readonly store?: (store: TicketStore) => TicketStore;
  readonly isBlind?: true;
}

/** A life that ends at the boundary of this number, and the life after it. `defect`: a guard that is taken away on purpose. */
const tryOnce = async ({ before, deliver, sendsAlone }: Scenario, killAt: number, defect: Defect = {}): Promise<Trial> => {
  const clock = createFakeClock();
  const { tickets, close } = openSqliteStore({ folder: ':memory:', clock });
  const store = defect.store?.(tickets) ?? tickets;
  const board = createFakeBoard();
  const platform = defect.isBlind === true ? { ...board, find: () => Promise.resolve(undefined) } : board;
  const reader = createFakeReader();
  const read: typeof reader.read = async ({ text }) =>
    readingOf('refund', {
      entities: [...text.matchAll(/\bE-\d+/g)].map(([code]) => ({ kind: 'error_code' as const, text: code })),
    });
  const openLife = (mortality: ReturnType<typeof createMortality> | undefined): TriageBench =>
    openTriageBench({
      clock,
      store: mortality === undefined ? store : mortalStore(store, mortality.at),
      boards: [mortality === undefined ? platform : mortalBoard(platform, mortality.at)],
      reader: { ...reader, read },
      maySendAlone: () => sendsAlone === true,
      writeDraft: async () => ({ id: 'd1', text: 'In five days.', citations: [], confidence: 0.5, language: 'en' }),
    });
  const live = async (bench: TriageBench): Promise<void> => {
    await deliver(bench);
    await bench.pass(0);
  };
  try {
    if (before !== undefined) await before(openLife(undefined));
    const mortality = createMortality(killAt);
    const killedAt = await Promise.race([mortality.death, live(openLife(mortality)).then(() => undefined)]);
    await clock.advance(RESTART_MS);
    await live(openLife(undefined));
    return { left: await leftBy(board, store), boundaries: mortality.boundaries, killedAt };
  } finally {
    await close();
  }
};

/** All numbers from 1 to `count`, or a tenth of them. */
const someOf = (count: number, salt: string): readonly number[] =>
  Array.from({ length: count }, (_, n) => n + 1)
    .map((number) => ({ number, rank: createHash('sha256').update(`${seed} ${salt} ${number}`).digest('hex') }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, scaled(count))
    .map(({ number }) => number);

const killAtEach = async (scenario: Scenario, salt: string, defect?: Defect) => {
  const whole = await tryOnce(scenario, 0, defect);
  const trials: Trial[] = [];
  for (const killAt of someOf(whole.boundaries.length, salt)) trials.push(await tryOnce(scenario, killAt, defect));
  return { whole, trials };
};

describe('tickets in a process that dies at any boundary', () => {
  for (const [name, scenario] of Object.entries({ ...ARRIVALS, ...ACTIONS })) {
    it(`${name}: what is left is what a process leaves that lived`, async (t) => {
      const { whole, trials } = await killAtEach(scenario, name);
      assert.ok(whole.boundaries.length >= MIN_BOUNDARIES, `only ${whole.boundaries.join(', ')}`);
      t.diagnostic(
        `seed ${seed}: ${whole.boundaries.length} boundaries, killed at ${trials.map(({ killedAt }) => killedAt).join(', ')}`,
      );
      for (const { left, killedAt } of trials) {
        assert.notEqual(killedAt, undefined);
        assert.deepEqual(left, whole.left, `killed ${killedAt}`);
      }
      if (Object.hasOwn(ARRIVALS, name)) assert.equal(whole.left.tickets.length, 1);
    });
  }

  it('every way to a ticket leads to the same one, in whatever order they are taken', async () => {
    const ways = ARRIVAL_WAYS.filter((how) => how !== 'incident').map((how) => ({ ...refund(1), how }));
    for (let turn = 0; turn < ways.length; turn += 1) {
      const { left } = await tryOnce({ deliver: take(...ways.slice(turn), ...ways.slice(0, turn)) }, 0);
      assert.equal(left.tickets.length, 1);
      assert.equal(left.posts.length, 2);
    }
  });

  it('would show a doubled ticket if a delivery were not known again', async () => {
    let nth = 0;
    const forgetful = (store: TicketStore): TicketStore => ({
      ...store,
      readByThread: () => Promise.resolve(undefined),
      openTicket: (one, options) =>
        store.openTicket({ ...one, deliveryId: `${one.deliveryId}#${(nth += 1)}`, threadId: `${one.threadId}#${nth}` }, options),
    });
    const { left } = await tryOnce({ deliver: take({ ...refund(1), how: 'forum' }) }, AFTER_OPENING, { store: forgetful });
    assert.equal(left.tickets.length, 2);
  });

  it('would show a doubled card if nothing were looked up before a send is repeated', async () => {
    const scenario = { deliver: take(refund(1)) };
    const { boundaries, left: whole } = await tryOnce(scenario, 0);
    const { left } = await tryOnce(scenario, boundaries.indexOf('during post card') + 1, { isBlind: true });
    assert.ok(left.posts.length > whole.posts.length);
  });
});
