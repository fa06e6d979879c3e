/** Tickets here and in a helpdesk, kept in step whatever either side, the network and the process do. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import type { Ticket, TicketEvent } from '../../agent/ticket.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Connector, SyncStatus } from '../../triage/connectors/connector.ts';
import { createHelpdeskSync, type HelpdeskSync } from '../../triage/sync.ts';
import { createFakeClock } from '../fake-clock.ts';
import {
  createMemoryHelpdesk,
  type HelpdeskCall,
  type HelpdeskFault,
  type MemoryHelpdeskOptions,
} from '../fakes/memory-helpdesk.ts';
import { ANNA, arrival, BEN } from '../fakes/tickets.ts';
import { ADMIN, openTriageBench } from '../fakes/triage-bench.ts';
import { scaled, seed } from '../scale.ts';

const { signal } = new AbortController();
class Killed extends Error {}

interface SyncBenchOptions extends Omit<MemoryHelpdeskOptions, 'clock' | 'faultOf'> {
  readonly wins?: 'ours' | 'theirs' | 'person';
  readonly imports?: boolean;
  readonly creates?: boolean;
}

const openSyncBench = ({ wins = 'person', imports = false, creates = true, ...over }: SyncBenchOptions = {}) => {
  const clock = createFakeClock();
  const opened = openSqliteStore({ folder: ':memory:', clock });
  const triage = openTriageBench({ clock, store: opened.tickets, burstMs: 0 });
  const network = {
    /** What goes wrong with a call. */
    fault: (_call: HelpdeskCall): HelpdeskFault => 'none',
    /** Called around each call and each write; what it throws is the death of the process. */
    boundary: (): void => {},
  };
  const memory = createMemoryHelpdesk({ clock, faultOf: (call) => network.fault(call), ...over });
  const around =
    <A extends unknown[], T>(work: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      network.boundary();
      const result = await work(...args);
      network.boundary();
      return result;
    };
  const { read, listChanged, setStatus, setAssignee, addComment, create, find, ...rest } = memory.connector;
  const connector: Connector = {
    ...rest,
    read: around(read),
    listChanged: around(listChanged),
    setStatus: around(setStatus),
    setAssignee: around(setAssignee),
    addComment: around(addComment),
    create: around(create),
    find: around(find),
  };
  const helpdesk = { ...memory, connector };
  const { system } = connector;
  let markers = 0;
  const start = (): HelpdeskSync =>
    createHelpdeskSync({
      connector,
      rules: { people: new Map([[BEN.id, 'a1']]), wins, creates: () => creates },
      imports,
      pollMs: 60_000,
      desk: triage.triage.desk,
      store: opened.tickets,
      settings: {
        readSetting: (owner, name) => opened.store.readSetting(owner, name),
        writeSetting: around((owner, name, value) => opened.store.writeSetting(owner, name, value)),
      },
      newMarker: () => `m${++markers}`,
      clock,
      logger: silentLogger,
    });
  let sync = start();
  let actions = 0;
  return {
    clock,
    triage,
    network,
    helpdesk,
    system,
    store: opened.tickets,
    /** A death of the process is a new one. */
    sweep: async (): Promise<void> => {
      try {
        await sync.sweep(signal);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        sync = start();
      }
    },
    notice: (id: string) => sync.notice(id),
    act: (ticketId: string, action: TicketAction, userId = BEN.id) =>
      triage.triage.desk.act({ ticketId, action, actor: { kind: 'person', id: userId }, source: 'slack', key: `a${++actions}` }),
    hear: (ticket: Ticket, author: typeof ANNA, text: string) =>
      triage.triage.desk.hear({
        deliveryId: `slack:m${++actions}`,
        threadId: ticket.threadId,
        author,
        text,
        at: clock.now(),
        source: 'slack',
      }),
    /** Until nothing is due any more. */
    rest: async function rest(): Promise<void> {
      for (let n = 0; n < 12; n += 1) {
        await clock.advance(61_000);
        await this.sweep();
      }
    },
    close: () => opened.close(),
  };
};

type SyncBench = ReturnType<typeof openSyncBench>;

const open = async (bench: SyncBench, n = 1, over = {}): Promise<Ticket> => {
  const arrived = await bench.triage.triage.desk.arrive(
    arrival(n, { text: `first ${n}`, receivedAt: bench.clock.now(), ...over }),
  );
  assert.ok(arrived.kind !== 'not_a_ticket');
  return arrived.ticket;
};
const read = async (bench: SyncBench, id: string): Promise<Ticket> => (await bench.store.readTicket(id)) ?? assert.fail();
const heldOf = (bench: SyncBench, ticket: Ticket) => bench.helpdesk.ticket(ticket.external?.id ?? '');
const textsIn = (events: readonly TicketEvent[]): readonly string[] =>
  events.flatMap(({ change }) =>
    change.kind === 'message_added'
      ? [change.message.text]
      : change.kind === 'commented' && !change.isPublic
        ? [change.text]
        : [],
  );
const times = (texts: readonly string[], wanted: string): number => texts.filter((text) => text.includes(wanted)).length;

describe('a ticket and its double', () => {
  it('what is written and set on either side stands on the other, once', async () => {
    const bench = openSyncBench();
    const { id } = await open(bench);
    await bench.sweep();
    const ticket = await read(bench, id);
    const outsideId = ticket.external?.id ?? '';
    assert.deepEqual([heldOf(bench, ticket).text, heldOf(bench, ticket).status], ['first 1', 'open']);
    await bench.hear(ticket, BEN, 'from the team');
    await bench.act(id, { kind: 'comment', commentId: 'c1', text: 'a note', isPublic: false });
    await bench.act(id, { kind: 'assign', to: BEN.id });
    bench.helpdesk.people.say(outsideId, 'from over there');
    bench.helpdesk.people.say(outsideId, 'a note over there', { isSeen: false });
    await bench.rest();
    const held = heldOf(bench, ticket);
    assert.deepEqual(
      held.comments.map(({ text, isPublic }) => [text, isPublic]),
      [
        ['from over there', true],
        ['a note over there', false],
        ['Ben:\n\nfrom the team', true],
        ['a note', false],
      ],
    );
    assert.deepEqual([held.assignee, held.status], ['a1', 'waiting']);
    const texts = textsIn(await bench.store.readEvents(id));
    assert.deepEqual([times(texts, 'from over there'), times(texts, 'a note over there')], [1, 1]);
    bench.helpdesk.people.set(outsideId, { status: 'solved' });
    await bench.rest();
    assert.equal((await read(bench, id)).status, 'solved');
    const before = bench.helpdesk.pushes.length;
    await bench.rest();
    assert.equal(bench.helpdesk.pushes.length, before, 'nothing goes round');
    await bench.close();
  });

  it('a notice brings it in step at once', async () => {
    const bench = openSyncBench();
    const { id } = await open(bench);
    await bench.sweep();
    const { external } = await read(bench, id);
    bench.helpdesk.people.set(external?.id ?? '', { status: 'waiting' });
    await bench.notice(external?.id ?? '');
    await bench.sweep();
    assert.equal((await read(bench, id)).status, 'waiting');
    await bench.close();
  });

  it('a status that both sides changed is shown, and left to a person', async () => {
    const bench = openSyncBench();
    const { id } = await open(bench);
    await bench.sweep();
    const { external } = await read(bench, id);
    await bench.act(id, { kind: 'solve', resolution: 'done' });
    bench.helpdesk.people.set(external?.id ?? '', { status: 'waiting' });
    await bench.rest();
    const ticket = await read(bench, id);
    assert.deepEqual(ticket.conflicts, [{ field: 'status', ours: 'solved', theirs: 'waiting' }]);
    assert.deepEqual([ticket.status, heldOf(bench, ticket).status], ['solved', 'waiting']);
    const view = await bench.triage.triage.desk.view(id, { userId: ADMIN, place: null });
    assert.match(JSON.stringify(view?.card), /status is solved here and waiting in memory:acme/u);
    bench.helpdesk.people.set(external?.id ?? '', { status: 'open' });
    await bench.rest();
    const decided = await read(bench, id);
    assert.deepEqual([decided.status, decided.conflicts], ['open', []]);
    await bench.close();
  });

  for (const [wins, status] of [
    ['ours', 'solved'],
    ['theirs', 'waiting'],
  ] as const) {
    it(`a status that both sides changed is ${wins === 'ours' ? 'ours' : 'theirs'} where the configuration says so`, async () => {
      const bench = openSyncBench({ wins });
      const { id } = await open(bench);
      await bench.sweep();
      const { external } = await read(bench, id);
      await bench.act(id, { kind: 'solve', resolution: 'done' });
      bench.helpdesk.people.set(external?.id ?? '', { status: 'waiting' });
      await bench.rest();
      const ticket = await read(bench, id);
      assert.deepEqual([ticket.status, heldOf(bench, ticket).status], [status, status]);
      assert.ok((await bench.store.readEvents(id)).some(({ change }) => change.kind === 'conflict_shown'));
      await bench.close();
    });
  }

  it('of a private ticket nothing stands in a helpdesk that everyone reads', async () => {
    const bench = openSyncBench({ isPublic: true });
    const secret = await open(bench, 1, { isPrivate: true });
    const shown = await open(bench, 2);
    await bench.sweep();
    await bench.act(shown.id, { kind: 'set_privacy', isPrivate: true }, ADMIN);
    await bench.hear(await read(bench, shown.id), ANNA, 'my number is 7');
    await bench.rest();
    assert.equal((await read(bench, secret.id)).external, null);
    assert.deepEqual(
      bench.helpdesk
        .ids()
        .map((id) => bench.helpdesk.ticket(id))
        .map(({ text, comments }) => [text, comments.length]),
      [['first 2', 0]],
    );
    await bench.close();
  });

  it('a ticket of the helpdesk becomes one here, once', async () => {
    const bench = openSyncBench({ imports: true, creates: false });
    await bench.sweep();
    const outsideId = bench.helpdesk.people.open('', 'a problem over there');
    await bench.notice(outsideId);
    await bench.rest();
    const all = await bench.store.listTickets({});
    assert.deepEqual(
      all.map(({ text, external }) => [text, external?.id]),
      [['a problem over there', outsideId]],
    );
    bench.helpdesk.people.say(outsideId, 'it got worse', { by: 'requester' });
    await bench.rest();
    assert.equal(times(textsIn(await bench.store.readEvents(all[0]?.id ?? '')), 'it got worse'), 1);
    assert.deepEqual(bench.helpdesk.pushes, []);
    await bench.close();
  });

  it('what the helpdesk refuses is told on the ticket, once, and not tried for ever', async () => {
    let tries = 0;
    const bench = openSyncBench({
      rejects: (call) => {
        if (call !== 'addComment') return false;
        tries += 1;
        return true;
      },
    });
    const { id } = await open(bench);
    await bench.sweep();
    await bench.hear(await read(bench, id), BEN, 'too long');
    await bench.rest();
    assert.equal(tries, 1);
    assert.equal(times(textsIn(await bench.store.readEvents(id)), 'did not take a comment'), 1);
    await bench.close();
  });

  it('an outage delays everything and loses nothing', async () => {
    const bench = openSyncBench();
    const { id } = await open(bench);
    await bench.sweep();
    bench.network.fault = () => 'not_reached';
    await bench.hear(await read(bench, id), BEN, 'meanwhile');
    bench.helpdesk.people.say((await read(bench, id)).external?.id ?? '', 'also meanwhile');
    await bench.rest();
    bench.network.fault = () => 'none';
    await bench.rest();
    assert.equal(
      times(
        heldOf(bench, await read(bench, id)).comments.map(({ text }) => text),
        'meanwhile',
      ),
      2,
    );
    assert.equal(times(textsIn(await bench.store.readEvents(id)), 'also meanwhile'), 1);
    await bench.close();
  });
});

/** Mulberry32. */
const randomOf = (from: number) => {
  let state = from >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const STATUSES: readonly SyncStatus[] = ['open', 'waiting', 'solved', 'closed'];

/** Both sides at work, a network that fails, a process that dies; then rest, and the two are compared. */
const runHistory = async (n: number): Promise<string[]> => {
  const random = randomOf(n);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const wins = pick(['ours', 'theirs', 'person'] as const);
  const bench = openSyncBench({
    wins,
    disturb: (page) => (random() < 0.3 ? [...page, ...page.slice(0, 1)].toReversed() : page),
  });
  const { helpdesk, network } = bench;
  const log: string[] = [`wins ${wins}`];
  const ids = [(await open(bench, 1)).id, (await open(bench, 2)).id];
  const said: { readonly ticketId: string; readonly text: string; readonly by: 'us' | 'them'; readonly isPublic: boolean }[] = [];
  let edits = 0;
  let isQuiet = false;
  network.fault = (call) => {
    if (isQuiet || random() > 0.25) return 'none';
    if (call === 'read') return pick(['not_reached', 'rate_limited', 'stale', 'answer_lost'] as const);
    return pick(['not_reached', 'answer_lost', 'late', 'rate_limited'] as const);
  };
  network.boundary = () => {
    if (!isQuiet && random() < 0.02) throw new Killed();
  };
  for (let step = 0; step < 40; step += 1) {
    const ticketId = pick(ids);
    const ticket = await read(bench, ticketId);
    const outsideId = ticket.external?.id;
    const text = `words-${step}`;
    const isPublic = random() < 0.7;
    const what = pick(['hear', 'note', 'act', 'act', 'comment', 'set', 'set', 'sweep', 'sweep', 'wait', 'notice']);
    log.push(`${step} ${ticketId} ${what}`);
    if (what === 'hear') {
      await bench.hear(ticket, pick([ANNA, BEN]), text);
      said.push({ ticketId, text, by: 'us', isPublic: true });
      edits += 2;
    } else if (what === 'note') {
      await bench.act(ticketId, { kind: 'comment', commentId: text, text, isPublic: false });
      said.push({ ticketId, text, by: 'us', isPublic: false });
      edits += 1;
    } else if (what === 'act') {
      const action = pick<TicketAction>([
        { kind: 'assign', to: pick([BEN.id, null]) },
        { kind: 'wait' },
        { kind: 'resume' },
        { kind: 'solve', resolution: 'x' },
        { kind: 'close' },
        { kind: 'reopen', reason: 'x' },
        { kind: 'snooze', until: bench.clock.now() + 10 ** 9 },
      ]);
      log.push(`   ${action.kind} ${(await bench.act(ticketId, action)).kind}`);
      edits += 1;
    } else if (what === 'comment' && outsideId !== undefined) {
      helpdesk.people.say(outsideId, text, { by: pick(['agent', 'requester'] as const), isSeen: isPublic });
      said.push({ ticketId, text, by: 'them', isPublic });
      edits += 1;
    } else if (what === 'set' && outsideId !== undefined) {
      const over = random() < 0.6 ? { status: pick(STATUSES) } : { assignee: pick(['a1', 'a2', null]) };
      log.push(`   ${JSON.stringify(over)}`);
      helpdesk.people.set(outsideId, over);
      edits += 1;
    } else if (what === 'wait') await bench.clock.advance(pick([10, 3_000, 40_000, 90_000]));
    else if (what === 'notice' && outsideId !== undefined)
      await bench.notice(outsideId).catch((error: unknown) => assert.ok(error instanceof Killed));
    else await bench.sweep();
  }
  isQuiet = true;
  await bench.rest();
  const writesBefore = helpdesk.pushes.length;
  const versionsBefore = await Promise.all(ids.map(async (id) => (await read(bench, id)).version));
  await bench.rest();

  const problems: string[] = [];
  let linked = 0;
  if (helpdesk.pushes.length !== writesBefore) problems.push(`it goes on: ${helpdesk.pushes.slice(writesBefore).join(', ')}`);
  // Each edit goes over once, and once more where the outcome was unknown.
  if (helpdesk.pushes.length > 2 * edits + ids.length + 20) problems.push(`${helpdesk.pushes.length} writes for ${edits} edits`);
  for (const [i, id] of ids.entries()) {
    const ticket = await read(bench, id);
    if (ticket.version !== versionsBefore[i]) problems.push(`${id} goes on changing`);
    if (ticket.external === null) {
      // What is over before it came to be over there is not made there.
      if (ticket.status !== 'solved' && ticket.status !== 'closed') problems.push(`${id} is not over there`);
      continue;
    }
    linked += 1;
    const held = helpdesk.ticket(ticket.external.id);
    const conflicts = new Set(ticket.conflicts.map(({ field }) => field));
    const projected = helpdesk.connector.projectStatus(ticket.status === 'merged' ? 'open' : ticket.status);
    if (projected !== held.status && !(projected === 'closed' && held.status === 'solved') && !conflicts.has('status'))
      problems.push(`${id} is ${projected} here and ${held.status} there`);
    const assignee = ticket.assignee === BEN.id ? 'a1' : (ticket.assignee?.replace(`${bench.system}:user:`, '') ?? null);
    // A ticket that is over takes no assignee.
    const isOver = ticket.status === 'solved' || ticket.status === 'closed';
    if (!isOver && assignee !== held.assignee && !conflicts.has('assignee'))
      problems.push(`${id} is ${assignee}'s here and ${held.assignee}'s there`);
    const here = textsIn(await bench.store.readEvents(id));
    for (const { text, by, isPublic } of said.filter(({ ticketId }) => ticketId === id)) {
      const there = held.comments.filter((comment) => comment.text.split('\n').includes(text));
      const heard = here.filter((line) => line === text).length;
      if (there.length !== 1 || heard !== 1) problems.push(`${id} ${text} of ${by}: ${heard} times here, ${there.length} there`);
      if (there.some((comment) => comment.isPublic !== isPublic))
        problems.push(`${id} ${text} is ${isPublic ? 'no longer' : 'now'} public`);
    }
  }
  if (helpdesk.ids().length !== linked) problems.push(`${helpdesk.ids().length} tickets over there, ${linked} of them known`);
  await bench.close();
  return problems.length === 0 ? [] : [`history ${n}`, ...problems, ...log];
};

describe('random histories of both sides, with faults and deaths', () => {
  it(`converge, with every comment once and every conflict shown (seed ${seed})`, async () => {
    for (let n = 0; n < scaled(1_000); n += 1) assert.deepEqual(await runHistory(seed * 100_000 + n), []);
  });
});
