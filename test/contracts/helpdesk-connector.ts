/** What every `Connector` does, shown against its double: reads, lists, changes once, and says what became of a change. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ErrorCode } from '../../agent/errors.ts';
import { TICKET_STATUSES } from '../../agent/ticket.ts';
import type { Double, HelpdeskPeople } from '../../simulator/helpdesk/double.ts';
import { type Connector, SYNC_STATUSES } from '../../triage/connectors/connector.ts';
import type { FakeClock } from '../fake-clock.ts';

export interface OpenedHelpdesk {
  readonly connector: Connector;
  /** The same with credentials that are not taken. */
  readonly stranger: Connector;
  /** Its lists have pages of `PAGE` rows. */
  readonly double: Pick<Double<object>, 'violations' | 'fail' | 'close'>;
  readonly people: HelpdeskPeople;
}

export const PAGE = 3;
const MINUTE = 60_000;
/** What an answer takes at most, before it is given up. */
const PATIENCE_MS = 60_000;
const asker = { id: 'mail:ada@example.org', displayName: 'Ada' };
const never = (): AbortSignal => new AbortController().signal;

export const testConnectorContract = (
  name: string,
  newClock: () => FakeClock,
  open: (clock: FakeClock) => Promise<OpenedHelpdesk>,
): void => {
  describe(`${name} keeps the connector's contract`, () => {
    let clock: FakeClock;
    let opened: OpenedHelpdesk;
    let connector: Connector;
    beforeEach(async () => {
      clock = newClock();
      opened = await open(clock);
      connector = opened.connector;
    });
    afterEach(async () => {
      await opened.double.close();
      assert.deepEqual(opened.double.violations, []);
    });

    const read = async (id: string) => {
      const ticket = await connector.read(id, never());
      assert.ok(ticket !== undefined);
      return ticket;
    };
    /** Each change in a time of its own. */
    const later = () => clock.advance(2_000);
    const openOne = async (subject = 'Help', text = 'It broke') => {
      const id = opened.people.open(subject, text);
      await later();
      return id;
    };
    const comment = (text: string, isPublic = true) => ({ text, isPublic, marker: `marker-of-${text.length}` });
    const fails = (work: () => Promise<unknown>, code: ErrorCode, more: object = {}) =>
      assert.rejects(work, { name: 'AppError', code, ...more });

    it('reads a ticket whole, with who said what', async () => {
      const openedAt = clock.now();
      const id = await openOne('Help', 'It broke\n\nin *two* places & <more>');
      const ids = [opened.people.say(id, 'which ones?')];
      await later();
      ids.push(opened.people.say(id, 'these', { by: 'requester' }));
      await later();
      if (connector.hasNotes) ids.push(opened.people.say(id, 'hm', { isSeen: false }));
      const { comments, version, requester, url, ...ticket } = await read(id);
      assert.deepEqual(ticket, {
        id,
        status: 'open',
        assignee: null,
        subject: 'Help',
        text: 'It broke\n\nin *two* places & <more>',
        createdAt: openedAt,
        isPrivate: false,
        marker: null,
      });
      assert.ok(version >= openedAt + 2_000 && version <= clock.now());
      assert.ok(requester.id.startsWith(`${connector.system}:user:`));
      assert.match(url ?? '', /^http/);
      assert.deepEqual(
        comments.map(({ author, ...others }) => ({ ...others, isRequester: author.id === requester.id })),
        [
          { by: 'agent', text: 'which ones?', isPublic: true, at: openedAt + 2_000, isRequester: false },
          { by: 'requester', text: 'these', isPublic: true, at: openedAt + 4_000, isRequester: true },
          { by: 'agent', text: 'hm', isPublic: false, at: openedAt + 6_000, isRequester: false },
        ]
          .slice(0, ids.length)
          .map((one, n) => ({ ...one, id: ids[n], marker: null })),
      );
    });

    it('reads comments from every page, oldest first', async () => {
      const id = await openOne();
      const said = Array.from({ length: 2 * PAGE + 1 }, (_, n) => `comment ${n}`);
      for (const text of said) {
        opened.people.say(id, text);
        await later();
      }
      assert.deepEqual(
        (await read(id)).comments.map(({ text }) => text),
        said,
      );
    });

    it('does not know what is not there any more', async () => {
      const id = await openOne();
      opened.people.remove(id);
      assert.equal(await connector.read(id, never()), undefined);
      assert.equal(await connector.read('987654', never()), undefined);
      await fails(() => connector.addComment(id, comment('too late'), never()), 'helpdesk_rejected');
    });

    it('knows one status for each of ours, and reads no other', async () => {
      const known = new Set(
        TICKET_STATUSES.filter((status) => status !== 'merged').map((status) => connector.projectStatus(status)),
      );
      for (const status of SYNC_STATUSES) {
        const id = await openOne();
        opened.people.set(id, { status });
        assert.ok(known.has((await read(id)).status), `${status} is read as ${(await read(id)).status}`);
      }
      for (const status of known) {
        const id = await openOne();
        await connector.setStatus(id, status, (await read(id)).version, never());
        assert.equal((await read(id)).status, status);
        await later();
        await connector.setStatus(id, 'open', (await read(id)).version, never());
        assert.equal((await read(id)).status, 'open');
      }
    });

    it('sets a status once, and not over what somebody changed since', async () => {
      const id = await openOne();
      const { version } = await read(id);
      await later();
      const solved = connector.projectStatus('solved');
      const made = await connector.setStatus(id, solved, version, never());
      assert.equal(made, (await read(id)).version);
      assert.ok(made > version);
      await later();
      assert.equal(await connector.setStatus(id, solved, made, never()), made);
      opened.people.set(id, { status: 'open' });
      await fails(() => connector.setStatus(id, solved, made, never()), 'helpdesk_moved');
      assert.equal((await read(id)).status, 'open');
    });

    it('sets an assignee, takes it away, and does not take a stranger', async () => {
      const id = await openOne();
      const [first, second] = opened.people.agents;
      let { version } = await read(id);
      for (const assignee of [first, second, null, first]) {
        await later();
        version = await connector.setAssignee(id, assignee, version, never());
        const ticket = await read(id);
        assert.deepEqual([ticket.assignee, ticket.version], [assignee, version]);
        await later();
        assert.equal(await connector.setAssignee(id, assignee, version, never()), version);
      }
      await fails(() => connector.setAssignee(id, '424242', version, never()), 'helpdesk_rejected');
      opened.people.set(id, { assignee: second });
      await fails(() => connector.setAssignee(id, null, version, never()), 'helpdesk_moved');
      assert.equal((await read(id)).assignee, second);
    });

    it('adds a comment with its marker, in the words it was given', async () => {
      const id = await openOne();
      const text = 'First line\n\n- a list\n- of "two" & <b>more</b> 😀\n\n    code {x}\n\nhttps://example.org/a?b=c#d';
      const added = await connector.addComment(id, { text, isPublic: true, marker: 'marker-1' }, never());
      const ticket = await read(id);
      assert.ok(ticket.version >= added.version);
      assert.deepEqual(
        ticket.comments.map((one) => [one.id, one.text, one.isPublic, one.marker]),
        [[added.id, text, true, 'marker-1']],
      );
      await later();
      // What it returned is no older than its own change: the next one is not held up.
      await connector.setStatus(id, connector.projectStatus('solved'), ticket.version, never());
    });

    it('adds a note that only agents read, or has none', async () => {
      if (!connector.hasNotes) return;
      const id = await openOne();
      await connector.addComment(id, comment('between us', false), never());
      const [note] = (await read(id)).comments;
      assert.deepEqual([note?.isPublic, note?.text], [false, 'between us']);
    });

    it('finds a comment by its marker when nobody was told that it was added', async () => {
      for (const fault of [{ kind: 'failed_after' }, { kind: 'cut', when: 'after' }] as const) {
        const id = await openOne();
        opened.double.fail({ only: 'writes', fault });
        await fails(() => connector.addComment(id, comment('once'), never()), 'helpdesk_unavailable');
        assert.deepEqual(
          (await read(id)).comments.map(({ marker }) => marker),
          ['marker-of-4'],
        );
      }
    });

    it('makes a ticket and finds it by its marker, told of it or not', async () => {
      await openOne('Another', 'This is of somebody else');
      const made = await connector.create({ subject: 'Help', text: 'It *broke*', requester: asker, marker: 'marker-a' }, never());
      await later();
      opened.double.fail({ only: 'writes', fault: { kind: 'failed_after' } });
      const create = () => connector.create({ subject: '', text: 'No subject', requester: asker, marker: 'marker-b' }, never());
      await fails(create, 'helpdesk_unavailable');
      for (let n = 0; n < PAGE; n += 1) await openOne(`More ${n}`);
      assert.deepEqual(await connector.find('marker-a', never()), made);
      const other = await connector.find('marker-b', never());
      assert.ok(other !== undefined && other.id !== made.id);
      assert.equal(await connector.find('marker-c', never()), undefined);
      const [first, second] = [await read(made.id), await read(other.id)];
      assert.deepEqual([made.system, made.url], [connector.system, first.url]);
      assert.deepEqual(
        [first.subject, first.marker, first.status, first.comments, second.marker],
        ['Help', 'marker-a', 'open', [], 'marker-b'],
      );
      assert.ok(first.text.includes('It *broke*') && second.text.includes('No subject') && second.subject !== '');
    });

    it('lists what changed since a time, the longest unchanged first', async () => {
      const old = await openOne('Old');
      await clock.advance(MINUTE);
      const since = clock.now();
      const ids: string[] = [];
      for (let n = 0; n < PAGE + 2; n += 1) ids.push(await openOne(`New ${n}`));
      opened.people.set(ids[0] ?? '', { status: 'solved' });
      await later();
      opened.people.say(ids[1] ?? '', 'any news?', { by: 'requester' });
      const [first = '', second = '', ...others] = ids;
      await clock.advance(5 * MINUTE);
      const listed: { readonly id: string; readonly changedAt: number }[] = [];
      for (let page = 1, isLast = false; !isLast && page < 10; page += 1) {
        const answer = await connector.listChanged(since, page, never());
        listed.push(...answer.changed);
        isLast = answer.isLast;
      }
      assert.deepEqual(
        listed.map(({ id }) => id),
        [...others, first, second],
      );
      const times = listed.map(({ changedAt }) => changedAt);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
      const last = times.at(-1) ?? 0;
      const { changed, isLast } = await connector.listChanged(last, 1, never());
      assert.deepEqual([changed.map(({ id }) => id), isLast], [[second], true]);
      assert.deepEqual(await connector.listChanged(last + MINUTE, 1, never()), { changed: [], isLast: true });
      assert.ok(!ids.includes(old));
    });

    it('gives what is on a page that came in disorder and with repetitions', async () => {
      const since = clock.now();
      const ids = [await openOne('a'), await openOne('b')];
      await clock.advance(5 * MINUTE);
      opened.double.fail({ only: 'reads', fault: { kind: 'disorder' } });
      const { changed } = await connector.listChanged(since, 1, never());
      assert.deepEqual(new Set(changed.map(({ id }) => id)), new Set(ids));
    });

    it('lets a read from before a change be told by its version', async () => {
      const id = await openOne();
      const made = await connector.setStatus(id, connector.projectStatus('solved'), (await read(id)).version, never());
      opened.double.fail({ only: 'reads', fault: { kind: 'stale' }, times: 10 });
      const { status, version } = await read(id);
      assert.equal(status, 'open');
      assert.ok(version < made);
    });

    it('says when it is to come later, and has changed nothing', async () => {
      const id = await openOne();
      opened.double.fail({ only: 'writes', fault: { kind: 'status', status: 429, headers: { 'retry-after': '7' } } });
      await fails(() => connector.addComment(id, comment('x'), never()), 'helpdesk_rate_limited', { retryAfterMs: 7_000 });
      opened.double.fail({ fault: { kind: 'status', status: 429, headers: { 'retry-after': '9' } } });
      await fails(() => connector.listChanged(0, 1, never()), 'helpdesk_rate_limited', { retryAfterMs: 9_000 });
      assert.deepEqual((await read(id)).comments, []);
    });

    it('says that it does not know what became of a call without an answer that it can read', async () => {
      const id = await openOne();
      const { version } = await read(id);
      const calls = [
        () => connector.read(id, never()),
        () => connector.listChanged(0, 1, never()),
        () => connector.setStatus(id, connector.projectStatus('solved'), version, never()),
        () => connector.addComment(id, comment('x'), never()),
        () => connector.create({ subject: 'a', text: 'b', requester: asker, marker: 'c' }, never()),
        () => connector.find('nothing', never()),
      ];
      const faults = [
        { kind: 'status', status: 500 },
        { kind: 'status', status: 503 },
        { kind: 'cut', when: 'before' },
        { kind: 'html' },
      ] as const;
      for (const fault of faults)
        for (const call of calls) {
          opened.double.fail({ fault });
          await fails(call, 'helpdesk_unavailable');
        }
      const { status, comments } = await read(id);
      assert.deepEqual([status, comments], ['open', []]);
    });

    it('does not wait for ever, and no longer than it is asked to', async () => {
      const id = await openOne();
      opened.double.fail({ fault: { kind: 'silent' }, times: 2 });
      const waits = fails(() => connector.read(id, never()), 'helpdesk_unavailable');
      await clock.advance(PATIENCE_MS);
      await waits;
      const stop = new AbortController();
      const stopped = assert.rejects(connector.read(id, stop.signal), { message: 'enough' });
      stop.abort(new Error('enough'));
      await stopped;
    });

    it('knows to whom a ticket can be assigned', async () => {
      const [agent] = opened.people.agents;
      assert.equal(await connector.isAgent(agent, never()), true);
      assert.equal(await connector.isAgent('999999', never()), false);
      assert.equal(await connector.isAgent('no/body', never()), false);
      await fails(() => opened.stranger.isAgent(agent, never()), 'helpdesk_auth');
    });

    it('says that an account may not, and what is refused for good', async () => {
      const id = await openOne();
      const { stranger } = opened;
      await fails(() => stranger.read(id, never()), 'helpdesk_auth');
      await fails(() => stranger.listChanged(0, 1, never()), 'helpdesk_auth');
      await fails(() => stranger.addComment(id, comment('x'), never()), 'helpdesk_auth');
      opened.double.fail({ only: 'writes', fault: { kind: 'status', status: 422 } });
      await fails(() => connector.addComment(id, comment('x'), never()), 'helpdesk_rejected');
      // What leads elsewhere is not followed: the credentials would go along.
      opened.double.fail({ fault: { kind: 'status', status: 302, headers: { location: 'http://elsewhere.invalid/' } } });
      await fails(() => connector.listChanged(0, 1, never()), 'helpdesk_auth');
    });
  });
};
