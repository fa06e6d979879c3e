import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { systemClock } from '../../ops/clock.ts';
import { fixtureSettings, openServers, READ, until } from './mcp-kit.ts';

interface Asked {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly message: { readonly id?: number; readonly method?: string };
}

type Answer = (asked: Asked, response: ServerResponse) => boolean | undefined;

const json = (
  response: ServerResponse,
  id: number | undefined,
  result: object,
  headers: Readonly<Record<string, string>> = {},
): true => {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  return true;
};

/** A server with one tool, which answers as `own` does not. Its session is the n-th. */
const listen = async (t: TestContext, own: Answer = () => false) => {
  const asked: Asked[] = [];
  let sessions = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      const entry: Asked = {
        method: request.method ?? '',
        headers: request.headers,
        message: body === '' ? {} : JSON.parse(body),
      };
      asked.push(entry);
      if (own(entry, response)) return;
      const { id, method } = entry.message;
      if (entry.method === 'GET') response.writeHead(405).end();
      else if (id === undefined) response.writeHead(202).end();
      else if (method === 'initialize')
        json(
          response,
          id,
          { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'fixture', version: '1' } },
          { 'mcp-session-id': `s${++sessions}` },
        );
      else if (method === 'tools/list')
        json(response, id, { tools: [{ name: 'find', description: 'Finds.', inputSchema: { type: 'object' } }] });
      else json(response, id, { content: [{ type: 'text', text: `session ${String(request.headers['mcp-session-id'])}` }] });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { url, asked };
};

const open = (t: TestContext, url: string) =>
  openServers(t, [
    fixtureSettings({ find: READ }, { name: 'crm', place: { url, headers: { 'X-Key': { reveal: () => 's3cret-key' } } } }),
  ]);

/** Answers each call in its own way, and everything else as usual. */
const onCall =
  (answer: (response: ServerResponse, id: number | undefined) => unknown): Answer =>
  ({ message }, response) => {
    if (message.method !== 'tools/call') return false;
    answer(response, message.id);
    return true;
  };

test('a service is asked with the headers of the configuration, and answers as JSON or as a stream', async (t) => {
  let asStream = false;
  const { url, asked } = await listen(
    t,
    onCall((response, id) => {
      const result = { content: [{ type: 'text', text: asStream ? 'streamed' : 'plain' }] };
      if (!asStream) return json(response, id, result);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.end(`: hello\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    }),
  );
  const { call } = await open(t, url);
  assert.deepEqual(await call('crm_find'), { from: 'the MCP server crm', text: 'plain' });
  asStream = true;
  assert.deepEqual(await call('crm_find'), { from: 'the MCP server crm', text: 'streamed' });
  assert.ok(asked.every(({ headers }) => headers['x-key'] === 's3cret-key'));
});

test('a session that the service has forgotten is opened anew', async (t) => {
  let isForgotten = true;
  const { url } = await listen(t, ({ message }, response) => {
    if (message.method !== 'tools/call' || !isForgotten) return false;
    isForgotten = false;
    response.writeHead(404).end();
    return true;
  });
  const { call, lines } = await open(t, url);
  await assert.rejects(call('crm_find'), (error) => hasCode(error, 'tool_unavailable'));
  await until(() => lines.some(({ event }) => event === 'mcp_server_ended'), 'the end is logged');
  await systemClock.sleep(1_200);
  assert.deepEqual(await call('crm_find'), { from: 'the MCP server crm', text: 'session s2' });
});

test('keys do not follow a redirect to another host', async (t) => {
  const other = await listen(t);
  const { url } = await listen(
    t,
    onCall((response) => response.writeHead(307, { location: other.url.replace('127.0.0.1', 'localhost') }).end()),
  );
  const { call } = await open(t, url);
  await assert.rejects(call('crm_find'));
  assert.deepEqual(other.asked, []);
});

for (const [name, answer, expected] of [
  ['503', (response: ServerResponse) => response.writeHead(503).end(), { status: 503 }],
  ['429', (response: ServerResponse) => response.writeHead(429).end(), { status: 429 }],
  ['401', (response: ServerResponse) => response.writeHead(401).end(), { status: 401 }],
  ['HTML', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), {}],
  [
    'broken JSON',
    (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc'),
    {},
  ],
  [
    '5 MB',
    (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(5_000_000)),
    { code: 'tool_too_large' },
  ],
] as const) {
  test(`an answer of ${name} fails the call alone`, async (t) => {
    let isBroken = true;
    const { url } = await listen(t, (asked, response) => {
      if (asked.message.method !== 'tools/call' || !isBroken) return false;
      isBroken = false;
      answer(response);
      return true;
    });
    const { call } = await open(t, url);
    await assert.rejects(call('crm_find'), (error) => {
      for (const [key, value] of Object.entries(expected)) assert.equal(Reflect.get(error as object, key), value);
      assert.doesNotMatch(String(error), /s3cret/);
      return true;
    });
    assert.deepEqual(await call('crm_find'), { from: 'the MCP server crm', text: 'session s1' });
  });
}

test('an endless line of a stream is given up', async (t) => {
  let sentBytes = 0;
  let isCut = false;
  const { url } = await listen(
    t,
    onCall((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.on('close', () => (isCut = true));
      const write = (): void => {
        do sentBytes += 65_536;
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    }),
  );
  const { call } = await open(t, url);
  const stop = new AbortController();
  const calling = call('crm_find', {}, stop.signal);
  await until(() => isCut, 'the stream is cut');
  assert.ok(sentBytes < 20_000_000);
  stop.abort(new Error('given up'));
  await assert.rejects(calling, /given up/);
});

test('a stream that is closed again and again is opened so often and no more', async (t) => {
  const { url, asked } = await listen(t, ({ method }, response) => {
    if (method !== 'GET') return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\n\n');
    return true;
  });
  const { call } = await open(t, url);
  const streams = (): number => asked.filter(({ method }) => method === 'GET').length;
  await until(() => streams() === 20, 'it was opened 20 times');
  await systemClock.sleep(200);
  assert.equal(streams(), 20);
  assert.deepEqual(await call('crm_find'), { from: 'the MCP server crm', text: 'session s1' });
});
