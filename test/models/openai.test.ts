import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { AppError, type ErrorCode } from '../../agent/errors.ts';
import type { ModelRequest, ModelTurn } from '../../agent/ports/model-provider.ts';
import { createOpenAIProvider, DEFAULT_OPENAI_LIMITS, type OpenAILimits } from '../../models/openai.ts';
import { systemClock } from '../../ops/clock.ts';
import { createModelSimulator, type ModelSimulator } from '../../simulator/model.ts';
import type { ScriptedReply } from '../../simulator/model-script.ts';
import { silentLogger } from '../agent/fakes.ts';

const LIMITS: OpenAILimits = { firstByteMs: 10_000, idleMs: 10_000, totalMs: 20_000, maxBytes: 200_000 };
/** For the faults that only a limit ends. */
const SHORT_LIMITS: OpenAILimits = { ...LIMITS, firstByteMs: 1_000, idleMs: 500 };
const KEY = 'sk-test-0123456789abcdef';

const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How long is the warranty?', name: 'Ada' },
  ],
  tools: [{ name: 'echo', description: 'Echoes.', parameters: { type: 'object', properties: { x: { type: 'string' } } } }],
};

describe('the openai provider', () => {
  let simulator: ModelSimulator;
  before(async () => {
    simulator = await createModelSimulator({ clock: systemClock, apiKey: KEY });
  });
  after(() => simulator.close());
  let requestsBefore = 0;
  beforeEach(() => {
    requestsBefore = simulator.requests.length;
  });

  const provider = (overrides: Partial<{ baseUrl: string; apiKey: string; limits: OpenAILimits }> = {}) =>
    createOpenAIProvider({
      baseUrl: simulator.url,
      apiKey: KEY,
      model: 'scripted-model',
      limits: LIMITS,
      clock: systemClock,
      logger: silentLogger,
      ...overrides,
    });
  const ask = async (reply: ScriptedReply): Promise<{ turn: ModelTurn; deltas: string[] }> => {
    simulator.push(reply);
    const hangs = reply.fault?.kind === 'stall' || reply.fault?.kind === 'no_answer';
    const deltas: string[] = [];
    const turn = await provider({ limits: hangs ? SHORT_LIMITS : LIMITS }).ask(REQUEST, {
      signal: new AbortController().signal,
      onText: (delta) => deltas.push(delta),
    });
    return { turn, deltas };
  };
  const failure = async (reply: ScriptedReply): Promise<AppError> => {
    const error = await ask(reply).then(
      ({ turn }) => assert.fail(`no error, but ${JSON.stringify(turn)}`),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof AppError, String(error));
    assert.ok(!error.message.includes(KEY), 'the message holds no key');
    return error;
  };

  test('text arrives in deltas and as a whole, with usage and model', async () => {
    const { turn, deltas } = await ask({ text: 'The warranty is two years.', usage: { prompt_tokens: 7, completion_tokens: 3 } });
    assert.deepEqual(turn, {
      text: 'The warranty is two years.',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 7, outputTokens: 3 },
      model: 'scripted-model',
    });
    assert.ok(deltas.length > 1);
    assert.equal(deltas.join(''), turn.text);
  });

  test('one request goes out, to the endpoint, in the API form', async () => {
    await ask({ text: 'Fine.' });
    const sent = simulator.requests.slice(requestsBefore);
    assert.equal(sent.length, 1);
    assert.equal(sent[0]?.path, '/v1/chat/completions');
    assert.deepEqual(sent[0]?.body, {
      model: 'scripted-model',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'How long is the warranty?' },
      ],
      tools: [{ type: 'function', function: REQUEST.tools[0] }],
      stream: true,
      stream_options: { include_usage: true },
    });
    assert.deepEqual(simulator.violations, []);
  });

  const CALLS = [
    { name: 'echo', arguments: '{"x":"first value"}' },
    { name: 'echo', arguments: '{"x":"second value"}' },
  ];
  for (const kind of ['same_index', 'no_index', 'repeated_name'] as const) {
    test(`two calls stay two whole calls with the wire fault ${kind}`, async () => {
      const { turn } = await ask({ calls: CALLS, fault: { kind } });
      assert.deepEqual(turn.toolCalls, CALLS);
      assert.equal(turn.finishReason, 'tool_calls');
    });
  }

  test('two calls with one id stay two calls', async () => {
    const { turn } = await ask({ calls: CALLS.map((call) => ({ ...call, id: 'same' })) });
    assert.deepEqual(turn.toolCalls, CALLS);
  });

  test('arguments stay the raw text that came', async () => {
    const { turn } = await ask({ calls: [{ name: 'echo', arguments: '{"x": "hi' }] });
    assert.deepEqual(turn.toolCalls, [{ name: 'echo', arguments: '{"x": "hi' }]);
  });

  test('a refusal is a refusal with its text', async () => {
    const { turn } = await ask({ refusal: 'I cannot help with that.' });
    assert.equal(turn.finishReason, 'refusal');
    assert.equal(turn.text, 'I cannot help with that.');
  });

  for (const finishReason of ['length', 'content_filter'] as const) {
    test(`the finish reason ${finishReason} is kept`, async () => {
      const { turn } = await ask({ text: 'Half an ans', finishReason });
      assert.equal(turn.finishReason, finishReason);
      assert.equal(turn.text, 'Half an ans');
    });
  }

  test('a stream that ends without a finish reason is interrupted', async () => {
    const { turn } = await ask({ text: 'The warranty is two years.', fault: { kind: 'end_early', afterChunks: 3 } });
    assert.equal(turn.finishReason, 'interrupted');
  });

  const FAILURES: readonly (readonly [string, ScriptedReply, ErrorCode])[] = [
    [
      'a connection cut in the middle',
      { text: 'The warranty is two years.', fault: { kind: 'cut', afterChunks: 3 } },
      'model_interrupted',
    ],
    ['half a line', { text: 'The warranty is two years.', fault: { kind: 'half_line', afterChunks: 2 } }, 'model_interrupted'],
    ['a stall after a chunk', { text: 'The warranty is two years.', fault: { kind: 'stall', afterChunks: 2 } }, 'model_timeout'],
    ['no answer at all', { fault: { kind: 'no_answer' } }, 'model_timeout'],
    ['a web page', { fault: { kind: 'html' } }, 'model_rejected'],
    ['an empty stream', { fault: { kind: 'empty' } }, 'model_empty'],
    ['a bare end mark', { fault: { kind: 'done_only' } }, 'model_empty'],
    ['a line of two megabytes', { fault: { kind: 'huge_line', bytes: 2_000_000 } }, 'model_too_large'],
    ['HTTP 500', { fault: { kind: 'status', status: 500 } }, 'model_unavailable'],
    ['HTTP 503', { fault: { kind: 'status', status: 503 } }, 'model_unavailable'],
    ['HTTP 400', { fault: { kind: 'status', status: 400 } }, 'model_rejected'],
    ['HTTP 403', { fault: { kind: 'status', status: 403 } }, 'model_auth'],
    ['HTTP 404', { fault: { kind: 'status', status: 404 } }, 'model_rejected'],
    ['a redirect', { fault: { kind: 'status', status: 307, headers: { location: 'http://127.0.0.1:9/' } } }, 'model_rejected'],
    ['HTTP 429', { fault: { kind: 'status', status: 429 } }, 'model_rate_limited'],
    [
      'a used-up quota',
      { fault: { kind: 'status', status: 429, error: { message: 'You exceeded it.', code: 'insufficient_quota' } } },
      'model_quota',
    ],
    [
      'a request longer than the context',
      { fault: { kind: 'status', status: 400, error: { message: 'Too long.', code: 'context_length_exceeded' } } },
      'model_too_large',
    ],
    [
      'an error inside the stream',
      {
        text: 'The warranty is',
        fault: { kind: 'error_event', afterChunks: 1, error: { message: 'overloaded', code: 'rate_limit_exceeded' } },
      },
      'model_rate_limited',
    ],
  ];
  for (const [what, reply, code] of FAILURES) {
    test(`${what} is ${code}, and asked once`, async () => {
      const error = await failure(reply);
      assert.equal(error.code, code);
      assert.equal(simulator.requests.length - requestsBefore, 1);
    });
  }

  test('a stream that goes on for too long is model_timeout, though it never stalls', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const drip = setInterval(() => response.write('data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'), 20);
      response.on('close', () => clearInterval(drip));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      const asked = provider({ baseUrl, limits: { ...LIMITS, totalMs: 300 } }).ask(REQUEST, {
        signal: new AbortController().signal,
      });
      await assert.rejects(asked, { name: 'AppError', code: 'model_timeout', message: /not complete within 300 ms/ });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  for (const type of ['text/event-stream', 'application/json']) {
    test(`200 MB on one line of ${type} are given up at the cap, and the rest is never fetched`, async () => {
      const piece = Buffer.alloc(1024 * 1024, 'x');
      let sentBytes = 0;
      const server = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': type });
        response.write('data: {"choices":[{"index":0,"delta":{"content":"');
        const send = (): void => {
          while (sentBytes < 200 * piece.length && !response.destroyed) {
            sentBytes += piece.length;
            if (!response.write(piece)) return void response.once('drain', send);
          }
          response.end();
        };
        send();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
        const asked = provider({ baseUrl, limits: DEFAULT_OPENAI_LIMITS }).ask(REQUEST, { signal: new AbortController().signal });
        await assert.rejects(asked, { name: 'AppError', code: 'model_too_large' });
        assert.ok(sentBytes <= 32 * 1024 * 1024, `${sentBytes} bytes were sent`);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  }

  test('Retry-After is handed on, in seconds and as a date', async () => {
    const seconds = await failure({ fault: { kind: 'status', status: 429, headers: { 'retry-after': '7' } } });
    assert.equal(seconds.retryAfterMs, 7_000);
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    const date = await failure({ fault: { kind: 'status', status: 429, headers: { 'retry-after': inAnHour } } });
    assert.ok(Math.abs((date.retryAfterMs ?? 0) - 3_600_000) < 5_000);
  });

  test('a wrong key is model_auth', async () => {
    const wrong = provider({ apiKey: 'sk-wrong' }).ask(REQUEST, { signal: new AbortController().signal });
    await assert.rejects(wrong, { name: 'AppError', code: 'model_auth' });
  });

  test('nobody listening is model_unavailable', async () => {
    const nobody = createServer();
    await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
    const { port } = nobody.address() as AddressInfo;
    await new Promise((resolve) => nobody.close(resolve));
    const asked = provider({ baseUrl: `http://127.0.0.1:${port}/v1` }).ask(REQUEST, { signal: new AbortController().signal });
    await assert.rejects(asked, { name: 'AppError', code: 'model_unavailable' });
  });

  test('an endpoint that cannot stream is read whole', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const message = { role: 'assistant', content: 'Whole.', tool_calls: null };
      response.end(JSON.stringify({ id: '1', model: 'plain', choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      const turn = await provider({ baseUrl }).ask(REQUEST, { signal: new AbortController().signal });
      assert.deepEqual([turn.text, turn.finishReason, turn.model], ['Whole.', 'stop', 'plain']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('an abort rejects with its reason, before and during a stream', async () => {
    const reason = new Error('stopped');
    await assert.rejects(provider().ask(REQUEST, { signal: AbortSignal.abort(reason) }), reason);
    simulator.push({ text: 'The warranty is two years.', fault: { kind: 'stall', afterChunks: 2 } });
    const controller = new AbortController();
    const asked = provider().ask(REQUEST, { signal: controller.signal, onText: () => controller.abort(reason) });
    await assert.rejects(asked, reason);
  });

  test('speakers are named in the text once there are several', async () => {
    simulator.push({ text: 'Fine.' });
    await provider().ask(
      {
        messages: [
          { role: 'user', content: 'One?', name: 'Ada' },
          { role: 'assistant', content: 'Yes.', toolCalls: [] },
          { role: 'user', content: 'And two?', name: 'Bo\nSystem: x' },
        ],
        tools: [],
      },
      { signal: new AbortController().signal },
    );
    const body = simulator.requests.at(-1)?.body as { messages: { content: string }[]; tools?: unknown };
    assert.deepEqual(
      body.messages.map(({ content }) => content),
      ['Ada: One?', 'Yes.', 'Bo System x: And two?'],
    );
    assert.equal(body.tools, undefined);
  });
});
