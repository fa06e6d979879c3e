import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import type { TicketActor } from '../../agent/ticket.ts';
import { ANNA, arrival, BEN, draft, event } from '../fakes/tickets.ts';
import { linesOf, openTriageBench, type TriageBench } from '../fakes/triage-bench.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const SECOND = 1_000;

describe('what is posted about tickets', () => {
  let bench: TriageBench;
  beforeEach(() => {
    bench = openTriageBench();
  });
  afterEach(() => bench.close());

  const open = (over: Parameters<typeof arrival>[1] = {}) =>
    bench.triage.desk.arrive(arrival(1, { receivedAt: NOW, text: 'refund', ...over }));
  const change = async (...changes: readonly Parameters<typeof event>[0][]) => {
    const ticket = await bench.store.readTicket('T1');
    const events = changes.map((one) => event(one, { at: bench.clock.now() }));
    await bench.store.append([{ ticketId: 'T1', expectedVersion: ticket?.version ?? 0, events }]);
  };
  const failing = (error: AppError, at: 'post' | 'update' | 'find', when: 'before' | 'after', times = 1) => {
    let left = times;
    bench.board.fault = (call, moment) => {
      if (call !== at || moment !== when || left === 0) return;
      left -= 1;
      throw error;
    };
  };
  const cards = () => bench.board.posts.filter(({ message }) => message.kind === 'card');
  const versions = () => cards().map(({ message }) => message.kind === 'card' && message.card.version);

  it('is edited where it stands, once for all that came meanwhile, with a second between two edits', async () => {
    await open();
    await bench.pass(0);
    await change({ kind: 'assigned', assignee: BEN.id }, { kind: 'escalated', reason: '' });
    await change({ kind: 'priority_set', priority: 'urgent' });
    const before = bench.clock.monotonic();
    await bench.pass(0);
    assert.ok(bench.clock.monotonic() - before >= SECOND);
    assert.deepEqual(versions(), [7, 7]);
    assert.deepEqual(
      bench.board.posts.map(({ edits }) => edits),
      [1, 1],
    );
  });

  it('is looked up before it is sent again, when nobody knows whether it was taken', async () => {
    failing(new AppError('channel_unavailable', 'no answer'), 'post', 'after', 2);
    await open();
    for (let n = 0; n < 5; n += 1) await bench.pass(10 * SECOND);
    assert.equal(new Set(bench.board.posts.map(({ key }) => key)).size, bench.board.posts.length);
    assert.deepEqual(versions(), [4, 4]);
  });

  it('is sent again after a while when the platform did not take it, not before the time that it named', async () => {
    failing(new AppError('channel_unavailable', 'slow down', { retryAfterMs: 30_000 }), 'post', 'before', 2);
    await open();
    await bench.pass(0);
    await bench.pass(28 * SECOND);
    assert.equal(bench.board.posts.length, 0);
    await bench.pass(5 * SECOND);
    assert.equal(bench.board.posts.length, 2);
  });

  it('is given up when the platform says no for good', async () => {
    failing(new AppError('channel_rejected', 'gone'), 'post', 'before', 1);
    await open();
    await bench.pass(0);
    await change({ kind: 'assigned', assignee: BEN.id });
    await bench.pass(10 * SECOND);
    assert.equal(bench.board.posts.length, 1);
    assert.deepEqual((await bench.store.readPosts('T1')).map(({ state }) => state).sort(), ['dropped', 'posted']);
  });

  it('is said on the ticket where the asker will not read it, or nobody can tell whether they did, and not sent again', async () => {
    await open();
    await bench.pass(0);
    const solve = () =>
      bench.triage.desk.act({
        ticketId: 'T1',
        action: { kind: 'solve', resolution: '' },
        actor: { kind: 'person', id: BEN.id },
        source: 'slack',
        key: `solve:${bench.clock.now()}`,
      });
    failing(new AppError('channel_rejected', 'no such person'), 'post', 'before');
    await solve();
    await bench.pass(10 * SECOND);
    await change({ kind: 'reopened', reason: '' });
    const unknown = new AppError('channel_unknown', 'nobody kept a copy');
    bench.board.fault = (call, when) => {
      if (call === 'post' && when === 'after') throw new AppError('channel_unavailable', 'no answer');
      if (call === 'find') throw unknown;
    };
    await solve();
    for (let n = 0; n < 3; n += 1) await bench.pass(20 * SECOND);
    const said = (await bench.store.readEvents('T1')).flatMap(({ change: { kind }, change: one }) =>
      kind === 'undelivered' && 'why' in one ? [one.why] : [],
    );
    assert.deepEqual(said, [
      'Not delivered to the asker: no such person',
      'It is not known whether this reached the asker, and it is not sent again: nobody kept a copy',
    ]);
    const [card] = cards().filter(({ target }) => target.kind === 'channel');
    assert.ok(card?.message.kind === 'card' && card.message.card.lines.includes(said[1] ?? ''));
    const notes = bench.board.posts.filter(({ message }) => message.kind === 'note');
    assert.equal(notes.length, 1, 'the second was taken, and was sent once');
  });

  it('stays in step after edits that failed', async () => {
    await open();
    await bench.pass(0);
    failing(new AppError('channel_unavailable', 'no answer'), 'update', 'before', 3);
    await change({ kind: 'assigned', assignee: BEN.id });
    for (let n = 0; n < 6; n += 1) await bench.pass(10 * SECOND);
    assert.deepEqual(versions(), [5, 5]);
  });

  it('says nothing of a ticket any more that became private, where everyone reads', async () => {
    await open();
    await bench.pass(0);
    await change({ kind: 'privacy_set', isPrivate: true });
    await bench.pass(2 * SECOND);
    assert.deepEqual(linesOf(bench.board), ['thread 1: [T1 · private]', 'slack:CBILLING: [T1 · private]']);
    await change({ kind: 'solved', resolution: '' });
    await bench.triage.desk.act({
      ticketId: 'T1',
      action: { kind: 'reopen', reason: '' },
      actor: { kind: 'person', id: BEN.id },
      source: 'slack',
      key: 'k',
    });
    await bench.pass(5 * SECOND);
    assert.equal(bench.board.posts.length, 2, 'no note in the public thread');
  });

  it('is not sent as an answer where others read along, and what a helpdesk answered there is said not to have come', async () => {
    await open();
    await bench.pass(0);
    await change({ kind: 'privacy_set', isPrivate: true }, { kind: 'draft_proposed', draft: draft('d1') });
    const act = (action: TicketAction, actor: TicketActor, source: string) =>
      bench.triage.desk.act({ ticketId: 'T1', action, actor, source, key: `${source}:${action.kind}` });
    const reply = { kind: 'comment', commentId: 'c1', text: 'Your salary is wrong', isPublic: true } as const;
    const why = 'the ticket is private, and others read its thread as well: turn to the asker directly, or make it public again.';
    for (const action of [{ kind: 'draft_send', draftId: 'd1' }, reply] as const)
      assert.deepEqual(await act(action, { kind: 'person', id: BEN.id }, 'desk'), { kind: 'not_possible', why });
    const there = { kind: 'outside', id: 'zendesk:acme' } as const;
    assert.equal((await act(reply, there, 'zendesk:acme')).kind, 'done');
    await bench.pass(5 * SECOND);
    assert.equal(bench.board.posts.length, 2, 'no note in the public thread');
    assert.deepEqual((await bench.store.readTicket('T1'))?.undelivered, [
      'Not said to the asker: the ticket is private, and others read its thread as well.',
    ]);
  });

  it('is shown to its asker as in the thread, draft and all, wherever they ask for it', async () => {
    await open();
    await bench.pass(0);
    await change({ kind: 'draft_proposed', draft: draft('d1') });
    const linesFor = async (userId: string) =>
      (await bench.triage.desk.view('T1', { userId, place: null }))?.card.lines.filter((line) => /draft/iu.test(line));
    assert.deepEqual(await linesFor(BEN.id), ['Draft proposed: Answer [1].']);
    assert.deepEqual(await linesFor(ANNA.id), ['A drafted answer waits for the team; “Edit draft …” shows it to them.']);
  });

  it('names its asker, and nobody whose id somebody took for a name', async () => {
    const author = { id: 'mail:eve@evil.example', displayName: 'slack:U2' };
    await open({ author, how: 'mail', threadId: 'mail:<1@evil.example>' });
    await bench.pass(0);
    const asker = cards().flatMap(({ message }) =>
      message.kind === 'card' ? message.card.fields.filter(({ name }) => name === 'Asker') : [],
    );
    assert.deepEqual(asker, [{ name: 'Asker', value: 'mail:eve@evil.example' }]);
  });

  it('waits where its platform is not connected', async () => {
    const alone = openTriageBench({ boards: [] });
    try {
      await alone.triage.desk.arrive(arrival(1, { receivedAt: NOW, text: 'refund' }));
      await alone.triage.desk.act({
        ticketId: 'T1',
        action: { kind: 'solve', resolution: '' },
        actor: { kind: 'person', id: BEN.id },
        source: 'slack',
        key: 'k',
      });
      await alone.pass(0);
      assert.deepEqual(
        (await alone.store.readPosts('T1')).map(({ state }) => state),
        ['planned'],
      );
    } finally {
      await alone.close();
    }
  });
});
