import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../agent/errors.ts';
import { createOpenAIEmbedder } from '../../models/openai-embedder.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';

interface Received {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly input: readonly string[];
    readonly dimensions?: number;
    readonly encoding_format?: string;
  };
}

const unavailable = (part: string) => (error: unknown) => hasCode(error, 'embedder_unavailable') && error.message.includes(part);

describe('the OpenAI-compatible embedder', () => {
  let clock: FakeClock;
  let received: Received[];
  let respond: (request: Received, response: ServerResponse) => void;
  let baseUrl: string;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const one = { path: request.url ?? '', authorization: request.headers.authorization, body: JSON.parse(text) };
      received.push(one);
      respond(one, response);
    });
  });

  const json = (response: ServerResponse, value: unknown, status = 200, headers = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
  /** Vectors of length 5 whose direction tells the text's number. */
  const vectors = ({ body }: Received, response: ServerResponse): void =>
    json(response, {
      object: 'list',
      model: body.model,
      data: body.input.map((text, index) => {
        const angle = Number(text.replace(/\D/g, '') || '0') / 1_000;
        return { object: 'embedding', index, embedding: [5 * Math.cos(angle), 5 * Math.sin(angle)] };
      }),
      usage: { prompt_tokens: 1, total_tokens: 1 },
    });

  beforeEach(async () => {
    clock = createFakeClock();
    received = [];
    respond = vectors;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const create = (over: { model?: string; dimensions?: number; apiKey?: string } = {}) =>
    createOpenAIEmbedder({ baseUrl, apiKey: 'key-123', model: 'some-embedder', dimensions: 2, clock, ...over });
  const until = async (condition: () => boolean): Promise<void> => {
    for (let tries = 0; tries < 300 && !condition(); tries++) await sleep(10);
    assert.ok(condition(), 'it did not happen within 3 s');
  };

  it('asks the endpoint for floats with its key, and gives unit vectors', async () => {
    const [vector] = await create().embed(['line one\nline two']);
    assert.deepEqual(vector, Float32Array.of(1, 0));
    assert.deepEqual(received, [
      {
        path: '/v1/embeddings',
        authorization: 'Bearer key-123',
        body: { model: 'some-embedder', input: ['line one\nline two'], encoding_format: 'float' },
      },
    ]);
    assert.equal(create().id, 'openai:some-embedder:2');
  });

  it('names the dimensions only to models that know them', async () => {
    await create({ model: 'text-embedding-3-small' }).embed(['a']);
    assert.equal(received[0]?.body.dimensions, 2);
  });

  it('splits long lists into requests of at most 96 and keeps the order', async () => {
    const result = await create().embed(Array.from({ length: 200 }, (_, n) => `text ${n}`));
    assert.deepEqual(
      received.map(({ body }) => body.input.length),
      [96, 96, 8],
    );
    for (const [n, vector] of result.entries()) assert.ok(Math.abs((vector[1] ?? 9) - Math.sin(n / 1_000)) < 1e-6);
    assert.deepEqual(await create().embed([]), []);
  });

  it('cuts what the model could not take, and sends well-formed text', async () => {
    await create().embed(['x'.repeat(50_000), '', 'a\ud800']);
    assert.deepEqual(
      received[0]?.body.input.map((text) => text.length),
      [6_000, 1, 2],
    );
    assert.equal(received[0]?.body.input[2], 'a\ufffd');
  });

  it('refuses vectors of other dimensions than configured and says what to set', async () => {
    await assert.rejects(
      create({ dimensions: 3 }).embed(['a']),
      (error) => hasCode(error, 'config_invalid') && error.message.includes('Set embeddings.dimensions to 2'),
    );
  });

  it('refuses vectors that are none', async () => {
    respond = (_, response) => json(response, { data: [{ index: 0, embedding: [0, 0] }] });
    await assert.rejects(create().embed(['a']), unavailable('without a direction'));
    respond = (_, response) => json(response, { data: [] });
    await assert.rejects(create().embed(['a']), unavailable('no vectors'));
    respond = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
    await assert.rejects(create().embed(['a']), unavailable('no vectors'));
  });

  it('asks once and tells what the endpoint answered', async () => {
    respond = (_, response) => json(response, { error: { message: 'slow down' } }, 429, { 'retry-after': '7' });
    await assert.rejects(
      create().embed(['a']),
      (error) => unavailable('429')(error) && hasCode(error, 'embedder_unavailable') && error.retryAfterMs === 7_000,
    );
    respond = (_, response) => json(response, { error: { message: 'Incorrect key key-123' } }, 401);
    await assert.rejects(create().embed(['a']), (error) => unavailable('401')(error) && !String(error).includes('key-123'));
    respond = (_, response) => json(response, {}, 500);
    await assert.rejects(create().embed(['a']), unavailable('500'));
    respond = (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    await assert.rejects(create().embed(['a']), unavailable('redirects'));
    assert.equal(received.length, 4);
  });

  it('tells an endpoint that is not there', async () => {
    const embedder = createOpenAIEmbedder({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: '', model: 'm', dimensions: 2, clock });
    await assert.rejects(embedder.embed(['a']), unavailable('could not be reached'));
  });

  it('gives up after its time and leaves no timer', async () => {
    respond = () => {};
    const asked = create().embed(['a']);
    const refused = assert.rejects(asked, unavailable('within 30000 ms'));
    await until(() => received.length === 1);
    await clock.advance(30_000);
    await refused;
    respond = vectors;
    await create().embed(['a']);
    assert.equal(clock.pending(), 0);
  });

  it("stops with the signal's reason, and with its end", async () => {
    respond = () => {};
    const controller = new AbortController();
    const reason = new Error('stopped');
    const stopped = assert.rejects(create().embed(['a'], controller.signal), reason);
    await until(() => received.length === 1);
    controller.abort(reason);
    await stopped;

    const embedder = create();
    const ended = assert.rejects(embedder.embed(['a']), unavailable('closed'));
    await until(() => received.length === 2);
    await embedder.close();
    await ended;
    await assert.rejects(embedder.embed(['a']), unavailable('closed'));
  });

  it('reads every script, and leaves text without letters or digits to the words', () => {
    const embedder = create();
    assert.deepEqual(['warranty', '保修', '42', '', ' 🙂!'].map(embedder.canRead), [true, true, true, false, false]);
  });
});
