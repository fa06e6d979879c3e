import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import type { JsonValue } from '../../agent/json.ts';
import type { TicketDesk } from '../../agent/ports/ticket-desk.ts';
import type { TicketArrival } from '../../agent/ticket.ts';
import { arrivalOf, createTicketWebhook, type WebhookSettings } from '../../bots/ticket-webhook.ts';
import { valueAt, type WebhookSourceName } from '../../bots/ticket-webhook-sources.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { createFakeClock } from '../fake-clock.ts';
import { openTriageBench } from '../fakes/triage-bench.ts';

const SECRET = 'a secret of sixteen and more';
const settings = (from: WebhookSourceName, over: Partial<WebhookSettings> = {}): WebhookSettings => ({
  name: 'acme',
  from,
  secret: { reveal: () => SECRET },
  mapping: {},
  ...over,
});
const sign = (algorithm: 'sha256' | 'sha1', encoding: 'hex' | 'base64', ...parts: readonly string[]): string => {
  const made = createHmac(algorithm, SECRET);
  for (const part of parts) made.update(part);
  return made.digest(encoding);
};
const NOW_S = 1_700_000_000;

/** What each sender sends of one ticket and of a comment on it, and the headers that sign a body. */
const SENDERS: Readonly<
  Record<
    WebhookSourceName,
    {
      readonly ticket: JsonValue;
      readonly comment: JsonValue;
      readonly other: JsonValue | undefined;
      readonly id: string;
      readonly headers: (body: string) => Readonly<Record<string, string>>;
    }
  >
> = {
  generic: {
    ticket: { id: 7, subject: 'Kettle', text: 'It leaks.', author: 'u1', author_name: 'Ada', url: 'https://a.example/7' },
    comment: { id: 7, message_id: 2, text: 'Still.', author: 'u1' },
    other: undefined,
    id: '7',
    headers: (body) => ({ 'x-timestamp': `${NOW_S}`, 'x-signature': `sha256=${sign('sha256', 'hex', `${NOW_S}.`, body)}` }),
  },
  github: {
    ticket: {
      action: 'opened',
      repository: { full_name: 'acme/shop' },
      issue: { number: 12, title: 'Kettle', body: 'It leaks.', user: { login: 'u1' }, html_url: 'https://a.example/12' },
    },
    comment: {
      action: 'created',
      repository: { full_name: 'acme/shop' },
      issue: { number: 12, title: 'Kettle', body: 'It leaks.', user: { login: 'u1' } },
      comment: { id: 99, body: 'Still.', user: { login: 'u1' } },
    },
    other: { action: 'labeled', repository: { full_name: 'acme/shop' }, issue: { number: 12 } },
    id: 'acme/shop#12',
    headers: (body) => ({ 'x-hub-signature-256': `sha256=${sign('sha256', 'hex', body)}` }),
  },
  zendesk: {
    ticket: {
      type: 'zen:event-type:ticket.created',
      detail: { id: '7', subject: 'Kettle', description: 'It leaks.', requester_id: '1' },
    },
    comment: {
      type: 'zen:event-type:ticket.comment_added',
      detail: { id: '7', requester_id: '1' },
      event: { comment: { id: '2', body: 'Still.', author: { id: '1', name: 'Ada' } } },
    },
    other: { type: 'zen:event-type:ticket.tags_changed', detail: { id: '7' } },
    id: '7',
    headers: (body) => {
      const at = new Date(NOW_S * 1_000).toISOString();
      return {
        'x-zendesk-webhook-signature-timestamp': at,
        'x-zendesk-webhook-signature': sign('sha256', 'base64', at, body),
      };
    },
  },
  freshdesk: {
    ticket: { freshdesk_webhook: { ticket_id: 7, ticket_subject: 'Kettle', ticket_description: 'It leaks.' } },
    comment: { freshdesk_webhook: { ticket_id: 7, ticket_subject: 'Kettle', ticket_description: 'It leaks.' } },
    other: undefined,
    id: '7',
    headers: () => ({ 'x-threadwise-token': SECRET }),
  },
  zammad: {
    ticket: { ticket: { id: 7, title: 'Kettle' }, article: { id: 1, body: 'It leaks.', from: 'Ada' } },
    comment: { ticket: { id: 7, title: 'Kettle' }, article: { id: 2, body: 'Still.', from: 'Ada' } },
    other: undefined,
    id: '7',
    headers: (body) => ({ 'x-hub-signature': `sha1=${sign('sha1', 'hex', body)}` }),
  },
  chatwoot: {
    ticket: {
      event: 'message_created',
      message_type: 'incoming',
      id: 1,
      content: 'It leaks.',
      sender: { id: 1, name: 'Ada' },
      conversation: { id: 7 },
    },
    comment: {
      event: 'message_created',
      message_type: 'incoming',
      id: 2,
      content: 'Still.',
      sender: { id: 1, name: 'Ada' },
      conversation: { id: 7 },
    },
    other: { event: 'message_created', message_type: 'outgoing', id: 3, content: 'We look.', conversation: { id: 7 } },
    id: '7',
    headers: () => ({ 'x-threadwise-token': SECRET }),
  },
  jira: {
    ticket: {
      webhookEvent: 'jira:issue_created',
      issue: {
        key: 'SUP-7',
        fields: { summary: 'Kettle', description: 'It leaks.', reporter: { accountId: '1', displayName: 'Ada' } },
      },
    },
    comment: {
      webhookEvent: 'comment_created',
      issue: { key: 'SUP-7', fields: { summary: 'Kettle' } },
      comment: { id: '2', body: 'Still.', author: { accountId: '1', displayName: 'Ada' } },
    },
    other: { webhookEvent: 'jira:issue_deleted', issue: { key: 'SUP-7' } },
    id: 'SUP-7',
    headers: (body) => ({ 'x-hub-signature': `sha256=${sign('sha256', 'hex', body)}` }),
  },
  linear: {
    ticket: {
      action: 'create',
      type: 'Issue',
      data: { id: 'i7', title: 'Kettle', description: 'It leaks.' },
      actor: { id: '1', name: 'Ada' },
      webhookTimestamp: NOW_S * 1_000,
    },
    comment: {
      action: 'create',
      type: 'Comment',
      data: { id: 'c2', issueId: 'i7', body: 'Still.' },
      actor: { id: '1', name: 'Ada' },
      webhookTimestamp: NOW_S * 1_000,
    },
    other: { action: 'update', type: 'Issue', data: { id: 'i7' }, webhookTimestamp: NOW_S * 1_000 },
    id: 'i7',
    headers: (body) => ({ 'linear-signature': sign('sha256', 'hex', body) }),
  },
};

const clock = createFakeClock(NOW_S * 1_000);
const arrived: TicketArrival[] = [];
let fault: Error | undefined;
let current: ReturnType<typeof createTicketWebhook> = () => {};
const server = createServer((request, response) => current(request, response));
before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
after(() => new Promise<void>((resolve) => void server.close(() => resolve())));

const desk = {
  arrive: async (arrival: TicketArrival) => {
    if (fault !== undefined) throw fault;
    arrived.push(arrival);
    return { kind: 'not_a_ticket' };
  },
} as unknown as TicketDesk;

const send = async (
  body: string,
  headers: Readonly<Record<string, string>>,
  method = 'POST',
): Promise<readonly [number, string]> => {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`, { method, headers, ...(method === 'GET' ? {} : { body }) });
  return [response.status, ((await response.json()) as { message: string }).message];
};
const open = (from: WebhookSourceName, over: Partial<WebhookSettings> = {}): void => {
  current = createTicketWebhook({ settings: settings(from, over), desk, clock, logger: silentLogger });
  arrived.length = 0;
};

for (const [name, { ticket, comment, other, id, headers }] of Object.entries(SENDERS)) {
  const from = name as WebhookSourceName;
  test(`${name}: a ticket and a comment of it are one thread, whatever else is passed over`, async () => {
    open(from);
    for (const payload of [ticket, comment]) {
      const body = JSON.stringify(payload);
      assert.deepEqual(await send(body, headers(body)), [200, 'not_a_ticket']);
    }
    assert.deepEqual(
      arrived.map(({ threadId, external }) => [threadId, external?.system, external?.id]),
      Array.from({ length: 2 }, () => [`${name}:acme:${id}`, `${name}:acme`, id]),
    );
    const [first, second] = arrived;
    assert.deepEqual([first?.text, from === 'chatwoot' ? 'Kettle' : first?.subject], ['It leaks.', 'Kettle']);
    assert.equal(second?.deliveryId === first?.deliveryId, from === 'freshdesk', 'a comment is a delivery of its own');
    if (other !== undefined) {
      const body = JSON.stringify(other);
      assert.deepEqual(await send(body, headers(body)), [200, 'passed over']);
      assert.equal(arrived.length, 2);
    }
  });

  test(`${name}: a body that was changed or signed with another secret is refused`, async () => {
    open(from);
    const body = JSON.stringify(ticket);
    const good = headers(body);
    assert.equal((await send(body, {}))[0], 401);
    const [key = ''] = Object.keys(good).slice(-1);
    assert.equal((await send(body, { ...good, [key]: `${good[key]?.slice(0, -2)}00` }))[0], 401);
    if (from !== 'freshdesk' && from !== 'chatwoot') assert.equal((await send(`${body} `, good))[0], 401);
    assert.deepEqual(arrived, []);
  });
}

test('a request that was signed long ago, or is to come, is refused where its sender signs the time', async () => {
  for (const from of ['generic', 'zendesk', 'linear'] as const) {
    open(from);
    const body = JSON.stringify(SENDERS[from].ticket);
    const signed = SENDERS[from].headers(body);
    for (const ms of [301_000, -602_000]) {
      await clock.advance(ms);
      assert.equal((await send(body, signed))[0], 401, from);
    }
    await clock.advance(301_000);
    assert.equal((await send(body, signed))[0], 200, from);
  }
});

test('what is no JSON, has no text or no id, is too large or no POST is refused with what was expected', async () => {
  open('chatwoot');
  const token = { 'x-threadwise-token': SECRET };
  assert.deepEqual(await send('{', token), [400, 'expected JSON in UTF-8']);
  const wanted = { event: 'message_created', message_type: 'incoming' };
  assert.deepEqual(await send(JSON.stringify({ ...wanted, conversation: { id: 1 } }), token), [
    422,
    'expected a text under /content, got none',
  ]);
  assert.deepEqual(await send(JSON.stringify({ ...wanted, content: 'x' }), token), [
    422,
    "expected the ticket's id under /conversation/id, got none",
  ]);
  assert.deepEqual(await send('x'.repeat(1024 * 1024 + 1), token).catch(() => [413]), [413, 'expected at most 1048576 bytes']);
  assert.deepEqual(await send('', token, 'GET'), [405, 'expected POST']);
  for (const payload of ['null', '[]', '"x"', '{"__proto__":{"event":"message_created"}}'])
    assert.equal((await send(payload, token))[0], 200);
  assert.deepEqual(arrived, []);
});

test('what the store cannot take is sent again by its sender', async () => {
  open('chatwoot');
  fault = new AppError('store_full', 'full');
  assert.deepEqual(await send(JSON.stringify(SENDERS.chatwoot.ticket), { 'x-threadwise-token': SECRET }), [
    503,
    'try again later',
  ]);
  fault = undefined;
});

test('a mapping of one’s own reads another payload, and nothing of a prototype', () => {
  const mapping = { ticket: ['/a~1b/0'], text: ['/deep/er'], fields: { plan: '/plan' }, only: {} };
  const payload = { 'a/b': [5], deep: { er: 'help' }, plan: 'pro' };
  const arrival = arrivalOf(payload, settings('github', { mapping }), 1);
  assert.ok(typeof arrival === 'object');
  assert.deepEqual([arrival.text, arrival.fields], ['help', { plan: 'pro' }]);
  assert.equal(valueAt({}, '/constructor/name'), undefined);
});

test('repeated, and the comment before the ticket: one ticket', async () => {
  const bench = openTriageBench();
  const arrival = (payload: JsonValue): TicketArrival => arrivalOf(payload, settings('github'), 1) as TicketArrival;
  const { ticket, comment } = SENDERS.github;
  for (const payload of [comment, ticket, ticket, comment]) await bench.triage.desk.arrive(arrival(payload));
  const tickets = await bench.store.listTickets({});
  assert.deepEqual(
    tickets.map(({ threadId, messageCount }) => [threadId, messageCount]),
    [['github:acme:acme/shop#12', 2]],
  );
  await bench.close();
});
