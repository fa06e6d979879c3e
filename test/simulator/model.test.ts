import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../ops/clock.ts';
import { createModelSimulator, type ModelSimulator } from '../../simulator/model.ts';
import { lintRequest } from '../../simulator/model-linter.ts';

const assistant = (...calls: { id: string; arguments: string }[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map((call) => ({ id: call.id, type: 'function', function: { name: 'echo', arguments: call.arguments } })),
});
const user = { role: 'user', content: 'Hello?' };
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' });

describe('the request linter', () => {
  const CASES: readonly (readonly [string, readonly unknown[], readonly string[]])[] = [
    ['a valid history', [user, assistant({ id: 'a', arguments: '{}' }), result('a'), user], []],
    ['a result without a call', [user, result('a')], ['messages[1]: result without a call: a']],
    [
      'a call without a result',
      [user, assistant({ id: 'a', arguments: '{}' }), user],
      ['messages[2]: calls without a result: a'],
    ],
    [
      'an open call at the end',
      [user, assistant({ id: 'a', arguments: '{}' })],
      ['messages: calls without a result at the end: a'],
    ],
    [
      'an id used twice',
      [user, assistant({ id: 'a', arguments: '{}' }), result('a'), assistant({ id: 'a', arguments: '{}' }), result('a')],
      ['messages[3]: call id used twice: a'],
    ],
    [
      'broken arguments',
      [user, assistant({ id: 'a', arguments: '{"x": "hi' }), result('a')],
      ['messages[1]: arguments are not a JSON object'],
    ],
    [
      'null arguments',
      [user, assistant({ id: 'a', arguments: 'null' }), result('a')],
      ['messages[1]: arguments are not a JSON object'],
    ],
    ['a lone surrogate', [{ role: 'user', content: 'a\ud83d' }], ['messages[0]: lone surrogate']],
    ['an empty assistant message', [user, { role: 'assistant', content: '' }], ['messages[1]: empty assistant message']],
    ['an unknown role', [{ role: 'bot', content: 'x' }], ['messages[0]: unknown role']],
    ['no messages', [], ['messages: empty']],
  ];
  for (const [what, messages, violations] of CASES) {
    test(`says of ${what}: ${violations.join('; ') || 'nothing'}`, () => assert.deepEqual(lintRequest({ messages }), violations));
  }
});

describe('the model simulator', () => {
  let simulator: ModelSimulator;
  before(async () => {
    simulator = await createModelSimulator({ clock: systemClock, apiKey: 'key', embeddingDimensions: 32 });
  });
  after(() => simulator.close());

  const post = async (path: string, body: unknown, key = 'key'): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${simulator.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };

  test('answers whole, with usage', async () => {
    simulator.push({ text: 'Hi.', usage: { prompt_tokens: 3, completion_tokens: 1 } });
    const { text } = await post('/chat/completions', { model: 'm', messages: [user] });
    const reply = JSON.parse(text) as { choices: unknown[]; usage: unknown; model: string };
    assert.equal(reply.model, 'm');
    assert.deepEqual(reply.usage, { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 });
    assert.deepEqual(reply.choices, [
      { index: 0, message: { role: 'assistant', content: 'Hi.', refusal: null }, finish_reason: 'stop', logprobs: null },
    ]);
  });

  test('streams in pieces, ended by a finish reason, usage when asked, and the end mark', async () => {
    simulator.push({ text: 'Hello there, friend.' });
    const { text } = await post('/chat/completions', { messages: [user], stream: true, stream_options: { include_usage: true } });
    const events = text.trim().split('\n\n');
    assert.equal(events.at(-1), 'data: [DONE]');
    const chunks = events.slice(0, -1).map(
      (event) =>
        JSON.parse(event.slice('data: '.length)) as {
          choices: { delta: { content?: string }; finish_reason: string | null }[];
          usage?: unknown;
        },
    );
    assert.equal(
      chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join(''),
      'Hello there, friend.',
    );
    assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop');
    assert.ok(chunks.at(-1)?.usage);
  });

  test('by itself searches with the question, then answers from the passages with their numbers', async () => {
    const tools = [{ type: 'function', function: { name: 'search_knowledge', parameters: {} } }];
    const question = { role: 'user', content: 'How long is the warranty?' };
    const first = JSON.parse((await post('/chat/completions', { messages: [question], tools })).text) as {
      choices: { message: { tool_calls: { id: string; function: { arguments: string } }[] } }[];
    };
    const asked = first.choices[0]?.message;
    const call = asked?.tool_calls[0];
    assert.equal(call?.function.arguments, '{"query":"How long is the warranty?"}');
    const content = JSON.stringify({ documents: 1, passages: [{ n: 4, text: 'Sturdy devices. The warranty is two years.' }] });
    const messages = [question, asked, { role: 'tool', tool_call_id: call.id, content }];
    const second = JSON.parse((await post('/chat/completions', { messages, tools })).text) as typeof first;
    assert.equal((second.choices[0]?.message as { content?: string } | undefined)?.content, 'The warranty is two years. [4]');
  });

  test('without a passage that helps it says that it does not know', async () => {
    const { text } = await post('/chat/completions', { messages: [user] });
    assert.match(text, /\[unknown\]/);
  });

  test('refuses what a strict endpoint refuses, and keeps it in mind', async () => {
    const { status } = await post('/chat/completions', { messages: [user, result('a')] });
    assert.equal(status, 400);
    assert.deepEqual(simulator.violations, ['messages[1]: result without a call: a']);
  });

  test('refuses a wrong key, a broken body and an unknown path', async () => {
    assert.equal((await post('/chat/completions', { messages: [user] }, 'other')).status, 401);
    assert.equal((await post('/chat/completions', '{"messages": ')).status, 400);
    assert.equal((await post('/nothing', {})).status, 404);
  });

  test('embeds equal texts equally, to unit length', async () => {
    const { text } = await post('/embeddings', { input: ['a cat', 'a dog', 'a cat'], model: 'e' });
    const { data } = JSON.parse(text) as { data: { embedding: number[] }[] };
    assert.deepEqual(data[0]?.embedding, data[2]?.embedding);
    assert.notDeepEqual(data[0]?.embedding, data[1]?.embedding);
    for (const { embedding } of data) assert.ok(Math.abs(Math.hypot(...embedding) - 1) < 1e-9 && embedding.length === 32);
  });

  test('remembers every request with its path and body', () => {
    assert.ok(simulator.requests.length > 5);
    assert.equal(simulator.requests[0]?.path, '/v1/chat/completions');
    assert.deepEqual(simulator.requests[0]?.body, { model: 'm', messages: [user] });
  });
});
