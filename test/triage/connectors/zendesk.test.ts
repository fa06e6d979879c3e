import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ErrorCode } from '../../../agent/errors.ts';
import { createZendeskDouble, type ZendeskDouble } from '../../../simulator/helpdesk/zendesk.ts';
import type { Connector } from '../../../triage/connectors/connector.ts';
import { createZendeskConnector } from '../../../triage/connectors/zendesk.ts';
import { PAGE, testConnectorContract } from '../../contracts/helpdesk-connector.ts';
import { createFakeClock, type FakeClock } from '../../fake-clock.ts';
import { never } from '../fixtures.ts';

const connectTo = (
  { url: baseUrl, email: address, token: right }: ZendeskDouble,
  clock: FakeClock,
  { token = right, email = address }: { readonly token?: string; readonly email?: string | undefined } = {},
): Connector => createZendeskConnector({ system: 'zendesk:acme', baseUrl, email, token: { reveal: () => token }, clock });

testConnectorContract('Zendesk', createFakeClock, async (clock) => {
  const double = await createZendeskDouble({ clock, pageSize: PAGE });
  return {
    connector: connectTo(double, clock),
    stranger: connectTo(double, clock, { token: 'wrong' }),
    double,
    people: double.people,
  };
});

describe('the tickets of a Zendesk', () => {
  let clock: FakeClock;
  let double: ZendeskDouble;
  let connector: Connector;
  beforeEach(async () => {
    clock = createFakeClock();
    double = await createZendeskDouble({ clock });
    connector = connectTo(double, clock);
  });
  afterEach(async () => {
    await double.close();
    assert.deepEqual(double.violations, []);
  });

  const read = async (id: string) => {
    const ticket = await connector.read(id, never());
    assert.ok(ticket !== undefined);
    return ticket;
  };
  const fails = (work: () => Promise<unknown>, code: ErrorCode, more: object = {}) => assert.rejects(work, { code, ...more });
  const ticket = (id: string) => double.world.tickets.find((one) => String(one.id) === id);

  it('are not changed over what somebody changed between the read and the change', async () => {
    const id = double.people.open('Help', 'It broke');
    const { version } = await read(id);
    await clock.advance(2_000);
    double.people.set(id, { status: 'waiting' });
    double.fail({ only: 'reads', fault: { kind: 'stale' } });
    await fails(() => connector.setStatus(id, 'solved', version, never()), 'helpdesk_moved', {
      message:
        'zendesk:acme answered HTTP 409 to PUT /api/v2/tickets/1: Safe Update prevented the update due to outdated ticket data.',
    });
    assert.equal((await read(id)).status, 'waiting');
  });

  it('are made once for a marker, for the mail address that asks or in its name', async () => {
    const create = (id: string, marker: string, text = 'It broke') =>
      connector.create({ subject: 'Help', text, requester: { id, displayName: 'Bob' }, marker }, never());
    const first = await create('mail:bob@example.org', 'm1');
    assert.deepEqual(await create('mail:bob@example.org', 'm1'), first);
    await fails(() => create('mail:bob@example.org', 'm1', 'something else'), 'helpdesk_rejected');
    const second = await create('slack:U1', 'm2');
    assert.equal(double.world.tickets.length, 2);
    const [byMail, byChat] = [await read(first.id), await read(second.id)];
    assert.deepEqual([byMail.requester.displayName, byMail.text], ['Bob', 'It broke']);
    assert.deepEqual([byChat.requester.displayName, byChat.text], ['Threadwise', 'Bob:\n\nIt broke']);
  });

  it('may be hidden from an agent, each for itself; who is no agent sees none', async () => {
    const id = double.people.open('Help', 'It broke');
    double.world.hidden.push(Number(id));
    assert.equal(await connector.read(id, never()), undefined);
    double.world.role = 'end-user';
    await fails(() => connector.read(id, never()), 'helpdesk_auth');
  });

  it('may have comments that were made private later', async () => {
    const id = double.people.open('Help', 'It broke');
    const [seen, hidden] = [double.people.say(id, 'for all'), double.people.say(id, 'with a password')];
    const event = { id: 1, type: 'CommentPrivacyChange', comment_id: Number(hidden), public: false };
    double.change(() => ticket(id)?.audits.push({ id: 2, authorId: 101, at: clock.now(), custom: {}, events: [event] }));
    assert.deepEqual(
      (await read(id)).comments.map((comment) => [comment.id, comment.isPublic]),
      [
        [seen, true],
        [hidden, false],
      ],
    );
  });

  it('are private where the customer reads nothing of them', async () => {
    assert.equal((await read(double.people.open('Help', 'It broke', { isPrivate: true }))).isPrivate, true);
  });

  it('say who else wrote', async () => {
    const id = double.people.open('Help', 'It broke');
    double.people.say(id, 'here too', { by: 'other' });
    const [comment] = (await read(id)).comments;
    assert.deepEqual([comment?.by, comment?.author], ['other', { id: 'zendesk:acme:user:201', displayName: 'Eve' }]);
  });

  it('take no change any more when they are closed, which nothing here does to them', async () => {
    const id = double.people.open('Help', 'It broke');
    const closed = await connector.setStatus(id, 'closed', (await read(id)).version, never());
    assert.equal(ticket(id)?.status, 'solved');
    double.people.set(id, { status: 'closed' });
    await fails(() => connector.setStatus(id, 'open', closed, never()), 'helpdesk_rejected', {
      message: 'zendesk:acme answered HTTP 422 to PUT /api/v2/tickets/1: Status: closed prevents ticket update',
    });
  });

  it('keep the finer status that means the same here', async () => {
    const id = double.people.open('Help', 'It broke');
    const { version } = await read(id);
    await clock.advance(2_000);
    assert.equal(await connector.setStatus(id, 'open', version, never()), version);
    assert.equal(ticket(id)?.status, 'new');
  });

  it('are read with a token of OAuth too', async () => {
    const id = double.people.open('Help', 'It broke');
    const { url: baseUrl, token } = double;
    const other = createZendeskConnector({
      system: 'zendesk:acme',
      baseUrl,
      email: undefined,
      token: { reveal: () => token },
      clock,
    });
    assert.equal((await other.read(id, never()))?.subject, 'Help');
  });

  it('are listed from before the last minute, of which the export knows nothing', async () => {
    const since = clock.now();
    const id = double.people.open('Help', 'It broke');
    assert.deepEqual(await connector.listChanged(since, 1, never()), { changed: [], isLast: true });
    await clock.advance(61_000);
    assert.deepEqual((await connector.listChanged(since, 1, never())).changed, [{ id, changedAt: since }]);
  });
});
