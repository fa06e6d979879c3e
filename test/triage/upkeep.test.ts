import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TicketStore } from '../../agent/ports/ticket-store.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createCalendar } from '../../triage/calendar.ts';
import { createFakeClock } from '../fake-clock.ts';
import { ANNA, arrival, BEN, event } from '../fakes/tickets.ts';
import { ALWAYS, CARLA, linesOf, openTriageBench, type TriageBench, team } from '../fakes/triage-bench.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const withBench = async (
  over: Parameters<typeof openTriageBench>[0],
  run: (bench: TriageBench) => Promise<void>,
): Promise<void> => {
  const bench = openTriageBench(over);
  try {
    await run(bench);
  } finally {
    await bench.close();
  }
};
const open = (bench: TriageBench, text = 'refund please', n = 1) =>
  bench.triage.desk.arrive(arrival(n, { receivedAt: bench.clock.now(), text }));
const kinds = async ({ store }: TriageBench) => (await store.readEvents('T1')).map(({ change }) => change.kind);
const change = async ({ store, clock }: TriageBench, what: Parameters<typeof event>[0]) => {
  const ticket = await store.readTicket('T1');
  await store.append([{ ticketId: 'T1', expectedVersion: ticket?.version ?? 0, events: [event(what, { at: clock.now() })] }]);
};
const answer = { kind: 'message_added', message: { deliveryId: 'a', from: 'team', author: BEN, text: 'try this' } } as const;

describe('a ticket by itself', () => {
  it('is read, routed and shown in its thread and its team’s channel', () =>
    withBench({}, async (bench) => {
      await open(bench);
      await bench.pass(0);
      assert.deepEqual(await kinds(bench), ['opened', 'read', 'routed', 'similar_found']);
      assert.deepEqual(linesOf(bench.board), ['thread 1: [T1 · refund please]', 'slack:CBILLING: [T1 · refund please]']);
      const card = bench.board.posts[1]?.message;
      assert.deepEqual(card?.kind === 'card' && [card.card.fields, card.card.lines], [
        [
          { name: 'Status', value: 'open' },
          { name: 'Category', value: 'Refund (90 % sure)' },
          { name: 'Priority', value: 'normal (90 % sure)' },
          { name: 'Team', value: 'billing' },
          { name: 'Assignee', value: 'nobody' },
          { name: 'Asker', value: 'Anna' },
        ],
        ['“Refund” belongs to billing.'],
      ]);
      await bench.pass(HOUR);
      assert.equal(
        bench.board.posts.reduce((sum, { edits }) => sum + edits, 0),
        0,
        'nothing changed, nothing is edited',
      );
    }));

  it('goes to another team when a person sets its category right, and not when a person chose the team', () =>
    withBench({}, async (bench) => {
      await open(bench);
      await bench.pass(0);
      await change(bench, { kind: 'category_set', category: 'login' });
      await bench.pass(0);
      assert.equal((await bench.store.readTicket('T1'))?.team, 'support');
      await change(bench, { kind: 'team_set', team: 'billing' });
      await change(bench, { kind: 'category_set', category: 'other' });
      await bench.pass(0);
      assert.equal((await bench.store.readTicket('T1'))?.team, 'billing');
    }));

  it('is routed by rules alone where nobody reads it', () =>
    withBench({ reader: undefined }, async (bench) => {
      await open(bench);
      await bench.pass(0);
      assert.deepEqual(await kinds(bench), ['opened', 'routed', 'similar_found']);
      assert.equal((await bench.store.readTicket('T1'))?.team, 'support');
    }));

  it('is looked at again later when something fails, and holds no other up', () => {
    let broken = true;
    return withBench({}, async (bench) => {
      const read = bench.reader.read;
      bench.reader.read = async (text, signal) => {
        if (broken && text.text.includes('first')) throw new Error('no reader');
        return read(text, signal);
      };
      await open(bench, 'first refund');
      await bench.triage.desk.arrive(arrival(2, { author: BEN, text: 'login', receivedAt: NOW }));
      await bench.pass(0);
      assert.equal((await bench.store.readTicket('T1'))?.route, null);
      assert.equal((await bench.store.readTicket('T2'))?.team, 'support');
      broken = false;
      await bench.pass(MINUTE);
      assert.equal((await bench.store.readTicket('T1'))?.team, 'billing');
    });
  });

  it('goes to the member with the least to do, one after the other, in working hours', () => {
    const teams = new Map([['support', team('support', { members: [BEN.id, CARLA], autoAssign: true })]]);
    return withBench({ teams, reader: undefined, burstMs: 0 }, async (bench) => {
      for (const n of [1, 2, 3, 4]) await open(bench, 'x', n);
      await bench.pass(0);
      const assigned = await Promise.all([1, 2, 3, 4].map(async (n) => (await bench.store.readTicket(`T${n}`))?.assignee));
      assert.deepEqual(assigned, [BEN.id, CARLA, BEN.id, CARLA]);
    });
  });

  it('is assigned to nobody out of hours', () => {
    const calendar = createCalendar({ ...ALWAYS, hours: { monday: ['10:00-11:00'] } });
    const teams = new Map([['support', team('support', { autoAssign: true, calendar })]]);
    return withBench({ teams, reader: undefined }, async (bench) => {
      await open(bench);
      await bench.pass(0);
      const { route } = (await bench.store.readTicket('T1')) ?? {};
      assert.deepEqual([route?.assignee, route?.why.at(-1)], [null, 'support is not at work now, so nobody is assigned.']);
    });
  });

  it('wakes at the end of its snooze', () =>
    withBench({}, async (bench) => {
      await open(bench);
      await bench.pass(0);
      await change(bench, { kind: 'snoozed', until: NOW + HOUR });
      await bench.pass(0);
      assert.equal(await bench.store.nextDueAt(), NOW + HOUR);
      await bench.pass(59 * MINUTE);
      assert.equal((await bench.store.readTicket('T1'))?.status, 'snoozed');
      await bench.pass(MINUTE);
      assert.equal((await bench.store.readTicket('T1'))?.status, 'open');
    }));

  it('warns its team at three quarters of its time and at the end of it, once each', () =>
    withBench({ levels: { normal: { first_answer: 60 } } }, async (bench) => {
      await open(bench);
      for (let n = 0; n < 14; n += 1) await bench.pass(5 * MINUTE);
      assert.deepEqual(linesOf(bench.board).slice(2), [
        'slack:CBILLING: T1: the first answer is soon due; nobody has taken it.',
        'slack:CBILLING: T1: the first answer is overdue; nobody has taken it.',
      ]);
      const card = bench.board.posts[1]?.message;
      assert.equal(card?.kind === 'card' && card.card.mood, 'late');
    }));

  it('is asked after when its asker is silent, and closed when that lasts', () =>
    withBench({ followUpMs: 24 * HOUR, closeMs: 48 * HOUR }, async (bench) => {
      await open(bench);
      await bench.pass(0);
      await change(bench, answer);
      await bench.pass(23 * HOUR);
      assert.equal((await kinds(bench)).at(-1), 'message_added');
      await bench.pass(HOUR);
      const asked = bench.board.posts.at(-1)?.message;
      assert.ok(asked?.kind === 'note' && asked.asksSolved);
      assert.equal(asked.episode, 1);
      await bench.pass(48 * HOUR);
      assert.deepEqual((await kinds(bench)).slice(-2), ['follow_up_asked', 'closed']);
    }));

  it('is left alone when its asker answers', () =>
    withBench({ followUpMs: 24 * HOUR, closeMs: 48 * HOUR }, async (bench) => {
      await open(bench);
      await bench.pass(0);
      await change(bench, answer);
      await bench.pass(24 * HOUR);
      await change(bench, { kind: 'message_added', message: { deliveryId: 'b', from: 'asker', author: ANNA, text: 'no' } });
      await bench.pass(200 * HOUR);
      assert.equal((await bench.store.readTicket('T1'))?.status, 'open');
    }));

  it('goes on, and is not closed for silence, when its asker clicks that it is not solved', () =>
    withBench({ followUpMs: 24 * HOUR, closeMs: 48 * HOUR }, async (bench) => {
      await open(bench);
      await bench.pass(0);
      await change(bench, answer);
      await bench.pass(24 * HOUR);
      const actor = { kind: 'person', id: ANNA.id } as const;
      const click = { ticketId: 'T1', action: { kind: 'reopen', reason: '' }, actor, source: 'slack', key: 'c' } as const;
      assert.equal((await bench.triage.desk.act(click)).kind, 'done');
      assert.equal((await bench.triage.desk.act(click)).kind, 'repeated');
      await bench.pass(200 * HOUR);
      assert.equal((await bench.store.readTicket('T1'))?.status, 'open');
      const said = (await bench.store.readEvents('T1')).flatMap(({ change: one }) =>
        one.kind === 'message_added' && one.message.from === 'asker' ? [one.message.text] : [],
      );
      assert.deepEqual(said, ['It is not solved.']);
    }));

  it('waits before a step that changed nothing is done again', async () => {
    const LOST = ['read', 'routed', 'similar_found', 'draft_not_found', 'follow_up_asked'] as const;
    for (const lost of LOST) {
      const clock = createFakeClock();
      const opened = openSqliteStore({ folder: ':memory:', clock });
      let tries = 0;
      const store: TicketStore = {
        ...opened.tickets,
        append: async (appends, key) => {
          if (!appends.some(({ events }) => events.some((one) => one.change.kind === lost)))
            return opened.tickets.append(appends, key);
          tries += 1;
          if (tries > 30) throw new Error('it is done again and again');
          const ticket = await opened.tickets.readTicket('T1');
          return { outcome: 'repeated', tickets: ticket === undefined ? [] : [ticket] };
        },
      };
      const settings = { followUpMs: MINUTE, closeMs: null, writeDraft: async () => undefined };
      await withBench({ store, clock, ...settings }, async (bench) => {
        await open(bench);
        if (lost === 'follow_up_asked') await change(bench, answer);
        await bench.triage.settle(new AbortController().signal);
        await clock.advance(2 * MINUTE);
        tries = 0;
        await bench.triage.settle(new AbortController().signal);
      });
      assert.ok(tries <= 2, `${lost}: ${tries} times`);
      await opened.close();
    }
  });

  it('is brought on in the background, and no more after the stop', () =>
    withBench({}, async (bench) => {
      bench.triage.start();
      await open(bench);
      for (let n = 0; n < 50 && bench.board.posts.length < 2; n += 1) await bench.clock.advance(100);
      assert.equal(bench.board.posts.length, 2);
      await bench.triage.stop();
      await open(bench, 'login', 2);
      await bench.clock.advance(HOUR);
      assert.deepEqual([bench.board.posts.length, bench.clock.pending()], [2, 0]);
    }));
});
