/** What every engine's `TicketStore` does: one ticket for a thread, events added in order, times, and posts on their way. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import type { PlannedPost, TicketStore } from '../../agent/ports/ticket-store.ts';
import { deliveryKey, type Ticket, type TicketArrival, type TicketChange } from '../../agent/ticket.ts';
import { replayEvents } from '../../agent/ticket-events.ts';
import { arrival, BEN, event } from '../fakes/tickets.ts';

export interface OpenedTickets {
  readonly tickets: TicketStore;
  close(): Promise<void>;
}

const MINUTE = 60_000;
const CARD: PlannedPost = {
  slot: 'thread',
  target: { channel: 'slack', isPrivate: false, kind: 'thread', address: { channel: 'C1', thread: '1' } },
  body: { kind: 'card' },
};
const NOTE: PlannedPost = { ...CARD, slot: 'note:2', body: { kind: 'note', text: 'A person takes over.' } };

export const testTicketContract = (engine: string, open: () => Promise<OpenedTickets>): void => {
  describe(`${engine} keeps the ticket store's contract`, () => {
    let opened: OpenedTickets;
    let tickets: TicketStore;
    beforeEach(async () => {
      opened = await open();
      tickets = opened.tickets;
    });
    afterEach(() => opened.close());

    const openOne = async (n: number, over: Partial<TicketArrival> = {}, burstMs = 0) =>
      tickets.openTicket(arrival(n, over), { burstMs, source: 'slack' });
    const add = ({ id, version }: Ticket, change: TicketChange, key?: string) =>
      tickets.append([{ ticketId: id, expectedVersion: version, events: [event(change, { at: 50_000 })] }], key);
    const idsOf = (list: readonly Ticket[]) => list.map(({ id }) => id);

    it('numbers tickets from 1 and opens one for a thread', async () => {
      const first = await openOne(1);
      const second = await openOne(2);
      const sameThread = await openOne(3, { threadId: arrival(1).threadId });
      const again = await openOne(1);
      assert.deepEqual(
        [first, second, sameThread, again].map(({ outcome, ticket }) => [outcome, ticket.id, ticket.version]),
        [
          ['opened', 'T1', 1],
          ['opened', 'T2', 1],
          ['exists', 'T1', 1],
          ['duplicate', 'T1', 1],
        ],
      );
    });

    it('opens one ticket for a thread also when many come at once', async () => {
      const all = await Promise.all(Array.from({ length: 20 }, (_, n) => openOne(n + 1, { threadId: 'mail:root' })));
      assert.deepEqual(all.map(({ outcome }) => outcome).sort(), [...Array(19).fill('exists'), 'opened']);
      assert.equal((await tickets.listTickets({})).length, 1);
    });

    it('takes a burst for one ticket: by one author, in one place, of one privacy, within the time, whichever comes first', async () => {
      const late = 100_000;
      await openOne(1, { receivedAt: late });
      const outcomes = [
        await openOne(2, { receivedAt: late + MINUTE }, MINUTE),
        await openOne(3, { receivedAt: late - MINUTE }, MINUTE),
        await openOne(4, { receivedAt: late + MINUTE + 1 }, MINUTE),
        await openOne(5, { receivedAt: late, author: BEN }, MINUTE),
        await openOne(6, { receivedAt: late, place: { kind: 'channel', id: 'slack:C2' } }, MINUTE),
        await openOne(7, { receivedAt: late, isPrivate: true }, MINUTE),
        await openOne(8, { receivedAt: late, place: null }, MINUTE),
      ];
      assert.deepEqual(
        outcomes.map(({ outcome, ticket }) => `${outcome} ${ticket.id}`),
        ['exists T1', 'exists T1', 'opened T2', 'opened T3', 'opened T4', 'opened T5', 'opened T6'],
      );
      assert.equal((await tickets.readByThread(arrival(2).threadId))?.id, 'T1');
    });

    it('leaves a burst out of a ticket that is over', async () => {
      const { ticket } = await openOne(1);
      await add(ticket, { kind: 'solved', resolution: '' });
      assert.equal((await openOne(2, {}, MINUTE)).outcome, 'opened');
    });

    it('adds events, whose snapshot is what the events make', async () => {
      const { ticket } = await openOne(1);
      const { tickets: changed } = await tickets.append([
        {
          ticketId: 'T1',
          expectedVersion: 1,
          events: [event({ kind: 'team_set', team: 'billing' }), event({ kind: 'assigned', assignee: BEN.id })],
        },
      ]);
      const events = await tickets.readEvents('T1');
      assert.deepEqual(
        events.map(({ seq, change }) => [seq, change.kind]),
        [
          [1, 'opened'],
          [2, 'team_set'],
          [3, 'assigned'],
        ],
      );
      assert.deepEqual(replayEvents('T1', events), changed[0]);
      assert.deepEqual(await tickets.readTicket('T1'), changed[0]);
      assert.equal(ticket.version, 1);
    });

    it('tells who was slower that the ticket has moved, and changes nothing', async () => {
      const { ticket } = await openOne(1);
      await add(ticket, { kind: 'waiting' });
      await assert.rejects(add(ticket, { kind: 'escalated', reason: '' }), (error) => hasCode(error, 'ticket_moved'));
      assert.equal((await tickets.readEvents('T1')).length, 2);
    });

    it('changes several tickets together or not at all', async () => {
      const [{ ticket: one }, { ticket: two }] = [await openOne(1), await openOne(2)];
      const both = (second: TicketChange) =>
        tickets.append([
          { ticketId: one.id, expectedVersion: 1, events: [event({ kind: 'merged_into', ticketId: two.id })] },
          { ticketId: two.id, expectedVersion: 1, events: [event(second)] },
        ]);
      await assert.rejects(both({ kind: 'woken' }), (error) => hasCode(error, 'ticket_refused'));
      assert.equal((await tickets.readTicket('T1'))?.status, 'open');
      await both({ kind: 'merge_taken', ticketId: one.id });
      assert.deepEqual((await tickets.readTicket('T2'))?.mergedFrom, ['T1']);
      assert.equal((await tickets.readByThread(one.threadId))?.mergedInto, 'T2');
    });

    it('does once what comes twice under a key, a delivery included', async () => {
      const { ticket } = await openOne(1);
      const first = await add(ticket, { kind: 'waiting' }, 'click:1');
      const again = await add(ticket, { kind: 'waiting' }, 'click:1');
      assert.deepEqual([first.outcome, again.outcome, again.tickets[0]?.version], ['appended', 'repeated', 2]);
      assert.equal((await add(ticket, { kind: 'resumed' }, deliveryKey(arrival(1).deliveryId))).outcome, 'repeated');
      await assert.rejects(add(ticket, { kind: 'resumed' }, 'click:2'));
      const [now] = again.tickets;
      assert.ok(now);
      assert.equal((await add(now, { kind: 'resumed' }, 'click:2')).outcome, 'appended', 'what failed did not use its key up');
    });

    it('finds a ticket by the thread of its double in a helpdesk, wherever it was opened', async () => {
      const external = { system: 'zendesk:acme', id: '42', url: null };
      const { ticket } = await openOne(1);
      await add(ticket, { kind: 'external_linked', external });
      await openOne(2, { external: { ...external, id: '43' } });
      assert.equal((await tickets.readByThread('zendesk:acme:42'))?.id, 'T1');
      assert.equal((await tickets.readByThread('zendesk:acme:43'))?.id, 'T2');
    });

    it('says which id it does not know', async () => {
      for (const id of ['T1', 'T0', '1', "T1' OR 1", 'T99999999999999999999']) {
        assert.equal(await tickets.readTicket(id), undefined);
        assert.deepEqual(await tickets.readEvents(id), []);
        await assert.rejects(
          tickets.append([{ ticketId: id, expectedVersion: 1, events: [] }]),
          (error) => hasCode(error, 'ticket_missing') && error.message.includes('such as T17'),
        );
      }
    });

    it('lists by what is asked for, newest first', async () => {
      for (const n of [1, 2, 3]) await openOne(n, n === 3 ? { author: BEN } : {});
      await tickets.append([
        {
          ticketId: 'T1',
          expectedVersion: 1,
          events: [event({ kind: 'team_set', team: 'a' }), event({ kind: 'assigned', assignee: BEN.id })],
        },
        { ticketId: 'T2', expectedVersion: 1, events: [event({ kind: 'solved', resolution: '' }, { at: 9_000 })] },
      ]);
      const listed = async (filter: Parameters<TicketStore['listTickets']>[0]) => idsOf(await tickets.listTickets(filter));
      assert.deepEqual(await listed({}), ['T3', 'T2', 'T1']);
      assert.deepEqual(await listed({ statuses: ['open', 'waiting'] }), ['T3', 'T1']);
      assert.deepEqual(await listed({ statuses: [] }), []);
      assert.deepEqual(await listed({ team: 'a' }), ['T1']);
      assert.deepEqual(await listed({ team: null }), ['T3', 'T2']);
      assert.deepEqual(await listed({ assignee: BEN.id }), ['T1']);
      assert.deepEqual(await listed({ authorId: BEN.id }), ['T3']);
      assert.deepEqual(await listed({ updatedSince: 9_000 }), ['T2']);
      assert.deepEqual(await listed({ below: 3, limit: 1 }), ['T2']);
      assert.deepEqual([...(await tickets.countAssigned())], [[BEN.id, 1]]);
    });

    it('tells events in the order of all tickets, each once, to whoever follows', async () => {
      const [{ ticket: one }] = [await openOne(1), await openOne(2)];
      await add(one, { kind: 'waiting' });
      const first = await tickets.eventsAfter(0, 2);
      const rest = await tickets.eventsAfter(first[1]?.position ?? 0, 10);
      assert.deepEqual(
        [...first, ...rest].map(({ ticketId, event: { seq, change } }) => `${ticketId} ${seq} ${change.kind}`),
        ['T1 1 opened', 'T2 1 opened', 'T1 2 waiting'],
      );
      assert.deepEqual(
        (await tickets.eventsAfter(0, 10, ['waiting'])).map(({ ticketId }) => ticketId),
        ['T1'],
      );
    });

    it('has a ticket due at once when it changes, and later when that was said of the version that stands', async () => {
      const { ticket } = await openOne(1);
      assert.deepEqual(idsOf(await tickets.listDue(0, 10)), ['T1']);
      await tickets.setDue('T1', 1, 5_000);
      assert.deepEqual(await tickets.listDue(4_999, 10), []);
      assert.equal(await tickets.nextDueAt(), 5_000);
      await add(ticket, { kind: 'waiting' });
      await tickets.setDue('T1', 1, null);
      assert.deepEqual(idsOf(await tickets.listDue(0, 10)), ['T1']);
      await tickets.setDue('T1', 2, null);
      assert.equal(await tickets.nextDueAt(), undefined);
    });

    it('knows what is to be posted: what never stood, and cards of an earlier version', async () => {
      const { ticket } = await openOne(1);
      await tickets.planPosts('T1', [CARD]);
      await tickets.planPosts('T1', [CARD]);
      const slots = async (now = 0) => (await tickets.listStalePosts(now, 10)).map(({ slot }) => slot);
      assert.deepEqual(await slots(), ['thread']);
      await tickets.markPostSending('T1', 'thread', 7);
      await tickets.markPosted('T1', 'thread', { ts: '1' }, 1);
      assert.deepEqual(await slots(), []);
      await tickets.append([
        { ticketId: 'T1', expectedVersion: ticket.version, events: [event({ kind: 'waiting' })], posts: [NOTE] },
      ]);
      assert.deepEqual(await slots(), ['thread', 'note:2']);
      await tickets.markPosted('T1', 'note:2', { ts: '2' }, 2);
      await tickets.markPosted('T1', 'thread', { ts: '1' }, 1);
      assert.deepEqual(await slots(), ['thread'], 'shown is still the first version');
      assert.deepEqual(await tickets.readPosts('T1'), [
        { ...CARD, ticketId: 'T1', state: 'posted', ref: { ts: '1' }, shownVersion: 1, sentAt: 7, failures: 0 },
        { ...NOTE, ticketId: 'T1', state: 'posted', ref: { ts: '2' }, shownVersion: 2, sentAt: 0, failures: 0 },
      ]);
    });

    it('waits with a post that failed, and leaves one alone that was dropped', async () => {
      const { ticket } = await openOne(1);
      await tickets.planPosts('T1', [CARD]);
      await tickets.markPostSending('T1', 'thread', 7);
      await tickets.markPostUnsent('T1', 'thread');
      await tickets.postponePost('T1', 'thread', 500);
      assert.deepEqual(await tickets.listStalePosts(499, 10), []);
      assert.equal(await tickets.nextPostAt(), 500);
      const [post] = await tickets.listStalePosts(500, 10);
      assert.deepEqual([post?.state, post?.sentAt, post?.failures], ['planned', 0, 1]);
      await tickets.dropPost('T1', 'thread');
      await add(ticket, { kind: 'waiting' });
      assert.equal(await tickets.nextPostAt(), undefined);
    });
  });
};
