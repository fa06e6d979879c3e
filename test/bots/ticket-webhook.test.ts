import assert from 'node:assert/strict';
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
import { SECRET, SENDERS, SIGNED_AT_S, webhookSettings } from './webhook-senders.ts';

const clock = createFakeClock(SIGNED_AT_S * 1_000);
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
  current = createTicketWebhook({ settings: webhookSettings(from, over), desk, clock, logger: silentLogger });
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

test('what agents wrote for themselves is passed over', async () => {
  const notes = {
    zendesk: { event: { comment: { id: '3', body: 'Do not tell.', is_public: false } } },
    zammad: { article: { id: 3, body: 'Do not tell.', internal: true } },
    jira: { comment: { id: '3', body: 'Do not tell.', visibility: { type: 'role', value: 'Agents' } } },
    chatwoot: { id: 3, content: 'Do not tell.', private: true },
  } as const;
  for (const [name, note] of Object.entries(notes)) {
    const from = name as keyof typeof notes;
    open(from);
    const body = JSON.stringify({ ...(SENDERS[from].comment as object), ...note });
    assert.deepEqual(await send(body, SENDERS[from].headers(body)), [200, 'passed over'], name);
  }
  open('jira');
  const body = JSON.stringify({ ...(SENDERS.jira.comment as object), comment: { id: '3', body: 'Seen.', jsdPublic: false } });
  assert.deepEqual(await send(body, SENDERS.jira.headers(body)), [200, 'passed over']);
});

test('a mapping of one’s own reads another payload, and nothing of a prototype', () => {
  const mapping = { ticket: ['/a~1b/0'], text: ['/deep/er'], fields: { plan: '/plan' }, only: {} };
  const payload = { 'a/b': [5], deep: { er: 'help' }, plan: 'pro' };
  const arrival = arrivalOf(payload, webhookSettings('github', { mapping }), 1);
  assert.ok(typeof arrival === 'object');
  assert.deepEqual([arrival.text, arrival.fields], ['help', { plan: 'pro' }]);
  assert.equal(valueAt({}, '/constructor/name'), undefined);
});

test('repeated, and the comment before the ticket: one ticket', async () => {
  const bench = openTriageBench();
  const arrival = (payload: JsonValue): TicketArrival => arrivalOf(payload, webhookSettings('github'), 1) as TicketArrival;
  const { ticket, comment } = SENDERS.github;
  for (const payload of [comment, ticket, ticket, comment]) await bench.triage.desk.arrive(arrival(payload));
  const tickets = await bench.store.listTickets({});
  assert.deepEqual(
    tickets.map(({ threadId, messageCount }) => [threadId, messageCount]),
    [['github:acme:acme/shop#12', 2]],
  );
  await bench.close();
});
