import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import type { Ticket } from '../../agent/ticket.ts';
import { createRandom } from '../contracts/vector-index.ts';
import type { HelpdeskFault } from '../fakes/memory-helpdesk.ts';
import { BEN_THERE, openSyncBench } from '../fakes/sync-bench.ts';
import { ANNA, BEN } from '../fakes/tickets.ts';
import { scaled, seed } from '../scale.ts';

const MINUTE = 60_000;
const ACTIONS = 40;
const FAULTS: readonly HelpdeskFault[] = ['rate_limited', 'not_reached', 'answer_lost', 'late', 'stale'];

interface Said {
  readonly token: string;
  readonly side: 'here' | 'there';
  /** For agents alone. */
  readonly isNote: boolean;
  /** Said of a ticket that was private then. */
  readonly isHidden: boolean;
}

/** One life of two sides that both work on the same tickets while calls fail and processes die. */
const live = async (lifeSeed: number) => {
  const random = createRandom(lifeSeed);
  const pick = <T>(all: readonly T[]): T => {
    const one = all[Math.floor(random() * all.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  };
  const isPublic = random() < 0.4;
  const hasNotes = random() < 0.7;
  const wins = pick(['person', 'ours', 'theirs'] as const);
  const statuses = pick([
    ['open', 'waiting', 'solved', 'closed'],
    ['open', 'closed'],
    ['open', 'waiting', 'solved'],
  ] as const);
  const faultRate = pick([0, 0.1, 0.3]);
  let isCalm = false;
  let faults = 0;
  const bench = openSyncBench({
    wins,
    helpdesk: {
      isPublic,
      hasNotes,
      statuses,
      faultOf: () => {
        if (isCalm || random() >= faultRate) return 'none';
        faults += 1;
        return pick(FAULTS);
      },
      disturb: (page) => (random() < 0.5 ? page : [...page, ...page].sort(() => random() - 0.5)),
    },
  });
  const { outside, run, act } = bench;

  const said: Said[] = [];
  let arrivals = 0;
  let tokens = 0;
  let kills = 0;
  const isPrivateNow = async (id: string): Promise<boolean> => (await bench.read(id)).isPrivate;
  const ours = (): Promise<readonly Ticket[]> => bench.store.listTickets({ limit: 1_000 });
  const newToken = (): string => `word${(tokens += 1)}.`;

  const ourActions = (): readonly TicketAction[] => [
    { kind: 'assign', to: pick([BEN.id, null]) },
    { kind: 'wait' },
    { kind: 'resume' },
    { kind: 'solve', resolution: 'done' },
    { kind: 'close' },
    { kind: 'reopen', reason: 'again' },
    { kind: 'snooze', until: bench.clock.now() + MINUTE },
  ];

  const step = async (): Promise<void> => {
    const dice = random();
    const [mine, theirs] = [(await ours()).map(({ id }) => id), outside.ids()];
    if (dice < 0.06 || mine.length === 0) {
      const token = newToken();
      const isPrivate = random() < 0.4;
      arrivals += 1;
      said.push({ token, side: 'here', isNote: false, isHidden: isPrivate });
      await bench.arrive(arrivals, { text: `My refund: ${token}`, isPrivate });
    } else if (dice < 0.11) {
      const token = newToken();
      said.push({ token, side: 'there', isNote: false, isHidden: false });
      outside.people.open('Help', `It broke there: ${token}`);
    } else if (dice < 0.3) {
      await act(pick(ourActions()), pick(mine));
    } else if (dice < 0.42) {
      const [token, id, isNote] = [newToken(), pick(mine), random() < 0.5];
      const isHidden = await isPrivateNow(id);
      const outcome = await act({ kind: 'comment', commentId: token, text: `note ${token}`, isPublic: !isNote }, id);
      if (outcome.kind === 'done') said.push({ token, side: 'here', isNote, isHidden });
    } else if (dice < 0.52 && arrivals > 0) {
      const [token, n] = [newToken(), 1 + Math.floor(random() * arrivals)];
      const ticket = (await ours()).find(({ threadId }) => threadId === `slack:T1:C1:${n}`);
      if (ticket === undefined) return;
      said.push({ token, side: 'here', isNote: false, isHidden: ticket.isPrivate });
      await bench.say(n, pick([ANNA.id, BEN.id]), `it says ${token}`);
    } else if (dice < 0.57) {
      const action: TicketAction = pick([
        { kind: 'set_privacy', isPrivate: random() < 0.5 },
        { kind: 'merge', into: pick(mine) },
        { kind: 'unmerge' },
      ]);
      await act(action, pick(mine));
    } else if (dice < 0.7 && theirs.length > 0) {
      outside.people.set(pick(theirs), { status: pick(statuses) });
    } else if (dice < 0.76 && theirs.length > 0) {
      outside.people.set(pick(theirs), { assignee: pick([BEN_THERE, '9', null]) });
    } else if (dice < 0.86 && theirs.length > 0) {
      const [token, isNote] = [newToken(), hasNotes && random() < 0.3];
      said.push({ token, side: 'there', isNote, isHidden: false });
      outside.people.say(pick(theirs), `from there ${token}`, { by: pick(['requester', 'agent', 'other']), isSeen: !isNote });
    } else if (dice < 0.93) {
      if (await bench.runMortal(1 + Math.floor(random() * 25))) kills += 1;
    } else {
      const noticed = theirs.length > 0 && random() < 0.5 ? pick(theirs) : undefined;
      if (noticed !== undefined) await bench.sync().notice(noticed);
      await run(Math.floor(random() * 50_000));
    }
  };

  const count = (texts: readonly string[], token: string): number => texts.filter((text) => text.includes(token)).length;

  const check = async (): Promise<void> => {
    const tickets = await ours();
    const events = (await Promise.all(tickets.map(({ id }) => bench.events(id)))).flat();
    // A public comment is two events: the note of it, and the message that it is in the thread.
    const textsHere = events.flatMap(({ change }) =>
      change.kind === 'opened'
        ? [change.arrival.text]
        : change.kind === 'commented'
          ? [change.text]
          : change.kind === 'message_added' && !change.message.deliveryId.startsWith('comment:')
            ? [change.message.text]
            : [],
    );
    const there = outside.ids().map((id) => outside.ticket(id));
    const [publicThere, notesThere] = [true, false].map((isSeen) =>
      there.flatMap(({ comments }) => comments.filter((one) => one.isPublic === isSeen).map(({ text }) => text)),
    ) as [string[], string[]];
    const openingsThere = there.map(({ text }) => text);
    const own = there.flatMap(({ comments }) => comments.filter(({ marker }) => marker === null).map(({ text }) => text));
    const saidThere = [...own, ...openingsThere];
    const textsOfEach = there.map(({ text, comments }) => [text, ...comments.map((one) => one.text)]);
    const linked = new Set(tickets.flatMap(({ external }) => external?.id ?? []));
    const isOverThere = (id: string): boolean => ['solved', 'closed'].includes(outside.ticket(id).status);
    for (const id of outside.ids()) assert.ok(linked.has(id) || isOverThere(id), `${id} has its ticket here`);
    assert.equal(linked.size, tickets.filter(({ external }) => external !== null).length, 'one double each');

    for (const { token, side, isNote, isHidden } of said) {
      assert.equal(count(side === 'here' ? textsHere : saidThere, token), 1, `${token} is once where it was said`);
      const seen = { publicly: count([...publicThere, ...openingsThere], token), asNote: count(notesThere, token) };
      if (side === 'here' && isNote) assert.equal(seen.publicly, 0, `${token} is a note and stays one`);
      if (side === 'here' && isHidden && isPublic) assert.deepEqual(seen, { publicly: 0, asNote: 0 }, `${token} stays private`);
      for (const texts of textsOfEach) assert.ok(count(texts, token) <= 1, `${token} is there once at most`);
      assert.ok(count(textsHere, token) <= 1, `${token} is here once at most`);
    }

    for (const ticket of tickets) {
      if (ticket.external === null) continue;
      const double = outside.ticket(ticket.external.id);
      const own = await bench.events(ticket.id);
      const name = `${ticket.id} ${ticket.status} ${ticket.assignee} ~ ${double.id} ${double.status} ${double.assignee}`;
      for (const comment of double.comments) {
        const token = /word\d+\./u.exec(comment.text)?.[0];
        if (token === undefined) continue;
        assert.equal(count(textsHere, token), 1, `${token} came here: ${name}`);
      }
      if (ticket.status === 'merged') continue;
      if (isPublic && ticket.isPrivate) continue;
      const isConflict = (field: string): boolean => ticket.conflicts.some((one) => one.field === field);
      const isOver = ticket.status === 'solved' || ticket.status === 'closed';
      if (wins !== 'person' && !isOver) assert.deepEqual(ticket.conflicts, [], name);
      const status = outside.connector.projectStatus(ticket.status);
      const isOnlySolvedThere = status === 'closed' && double.status === 'solved';
      assert.ok(status === double.status || isConflict('status') || isOnlySolvedThere, name);
      const assignee =
        double.assignee === null ? null : double.assignee === BEN_THERE ? BEN.id : `memory:acme:user:${double.assignee}`;
      // What is over takes no assignee.
      assert.ok(assignee === ticket.assignee || isConflict('assignee') || isOver, name);
      for (const { token, isNote, side, isHidden } of said) {
        if (isHidden && isPublic) continue;
        const saidAs = own.find(({ change }) => JSON.stringify(change).includes(token));
        // What had not gone before the ticket became private does not go after it.
        const wasHiddenLater = own.some(
          ({ seq, change }) => seq > (saidAs?.seq ?? 0) && change.kind === 'privacy_set' && change.isPrivate,
        );
        if (isPublic && wasHiddenLater) continue;
        const isOfIt = side === 'here' && saidAs !== undefined;
        if (!isOfIt || (isNote && !hasNotes)) continue;
        const texts = [double.text, ...double.comments.map(({ text }) => text)];
        assert.equal(count(texts, token), 1, `${token} went there: ${name}`);
      }
    }
  };

  for (let n = 0; n < ACTIONS; n += 1) await step();
  isCalm = true;
  await run(25 * MINUTE);
  await check();
  const own = (await Promise.all((await ours()).map(({ id }) => bench.events(id))))
    .flat()
    .filter(({ source }) => source !== outside.connector.system).length;
  // An answer goes to each who asked.
  const comments = [...new Set(outside.pushes.filter((push) => push.startsWith('addComment')))];
  const copies = comments.length - new Set(comments.map((push) => push.replace(/^addComment \d+ /u, ''))).size;
  assert.ok(
    outside.pushes.length <= own + faults + kills + copies,
    `${outside.pushes.length} changes there for ${own} events here`,
  );

  const versions = async () => (await ours()).map(({ id, version }) => `${id} ${version}`);
  const [pushes, before] = [outside.pushes.length, await versions()];
  await run(60 * MINUTE);
  assert.equal(outside.pushes.length, pushes, 'nothing goes there any more');
  assert.deepEqual(await versions(), before, 'nothing comes from there any more');
  const hadConflict = (await Promise.all((await ours()).map(({ id }) => bench.events(id))))
    .flat()
    .some(({ change }) => change.kind === 'conflict_shown');
  await bench.close();
  return { faults, kills, pushes, hadConflict };
};

describe('two sides that change the same tickets while calls fail and processes die', () => {
  it(`come to agree, without a comment lost, doubled or shown to the wrong people (seed ${seed})`, async () => {
    const lives = { faults: 0, kills: 0, pushes: 0, conflicts: 0 };
    for (let n = 0; n < scaled(300); n += 1) {
      const lifeSeed = seed * 100_000 + n;
      try {
        const { faults, kills, pushes, hadConflict } = await live(lifeSeed);
        lives.faults += faults;
        lives.kills += kills;
        lives.pushes += pushes;
        lives.conflicts += hadConflict ? 1 : 0;
      } catch (error) {
        throw new Error(`life ${lifeSeed}`, { cause: error });
      }
    }
    // They lived through something.
    assert.ok(lives.faults > 0 && lives.kills > 0 && lives.pushes > 0 && lives.conflicts > 0, JSON.stringify(lives));
  });
});
