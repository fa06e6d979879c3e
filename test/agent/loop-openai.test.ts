import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { DEFAULT_LIMITS } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { createTokenCounter } from '../../memory/tokens.ts';
import { fitWindow } from '../../memory/window.ts';
import { createOpenAIProvider, DEFAULT_OPENAI_LIMITS } from '../../models/openai.ts';
import { systemClock } from '../../ops/clock.ts';
import { createModelSimulator, type ModelSimulator } from '../../simulator/model.ts';
import type { ScriptedReply } from '../../simulator/model-script.ts';
import { createSearchKnowledge } from '../../tools/search-knowledge.ts';
import { passageOf, runInput, silentLogger } from './fakes.ts';

let simulator: ModelSimulator;
before(async () => {
  simulator = await createModelSimulator({ clock: systemClock });
});
after(() => simulator.close());

const RAN: string[] = [];
const note: Tool<{ x: string }> = {
  name: 'note',
  description: 'Notes.',
  parameters: z.object({ x: z.string() }),
  effect: 'read',
  timeoutMs: 1_000,
  run: async ({ x }) => {
    RAN.push(x);
    return `noted ${x}`;
  },
};

const runWith = async (...replies: ScriptedReply[]) => {
  RAN.length = 0;
  simulator.push(...replies);
  const violationsBefore = simulator.violations.length;
  const knowledge = {
    search: async () => ({
      passages: [passageOf('w', 'Devices are sturdy. The warranty is two years.')],
      mode: 'words' as const,
      documents: 1,
    }),
  };
  const agent = createAgent({
    model: createOpenAIProvider({
      baseUrl: simulator.url,
      apiKey: '',
      model: 'm',
      limits: { ...DEFAULT_OPENAI_LIMITS, idleMs: 1_000 },
      clock: systemClock,
      logger: silentLogger,
    }),
    tools: [createSearchKnowledge({ knowledge }) as Tool, note as Tool],
    clock: systemClock,
    logger: silentLogger,
    limits: { ...DEFAULT_LIMITS, retryBaseMs: 1 },
    windowTokens: 16_000,
    fitWindow,
    countTokens: createTokenCounter().count,
  });
  const result = await agent.run(runInput());
  assert.deepEqual(simulator.violations.slice(violationsBefore), []);
  return result;
};

const call = (args: string): ScriptedReply => ({ calls: [{ name: 'note', arguments: args }] });
const DONE: ScriptedReply = { text: 'Done.' };

test('a question goes over the wire and comes back answered and cited', async () => {
  const { answer, tools, usage } = await runWith();
  assert.equal(answer.text, 'The warranty is two years. [1]');
  assert.equal(answer.citations[0]?.quote, 'The warranty is two years.');
  assert.deepEqual([tools, usage], [['search_knowledge'], { inputTokens: 200, outputTokens: 40 }]);
});

/** What is on the wire, what runs, and what the person reads in the end. */
const FAULTS: readonly (readonly [string, readonly ScriptedReply[], readonly string[], string])[] = [
  ['cut arguments', [call('{"x": "hi'), DONE], [], 'Done.'],
  ['arguments cut by the length limit that still parse', [{ ...call('{"x":"par"}'), finishReason: 'length' }, DONE], [], 'Done.'],
  ['a router that calls a cut turn complete', [{ ...call('{"x":"par'), finishReason: 'tool_calls' }, DONE], [], 'Done.'],
  [
    'a stream cut inside the arguments',
    [{ ...call('{"x":"a long value"}'), fault: { kind: 'cut', afterChunks: 3 } }, DONE],
    [],
    'Done.',
  ],
  [
    'a stream that ends inside the arguments',
    [{ ...call('{"x":"a long value"}'), fault: { kind: 'end_early', afterChunks: 3 } }, DONE],
    [],
    'Done.',
  ],
  [
    'two calls with one id',
    [
      {
        calls: [
          { id: 'a', name: 'note', arguments: '{"x":"1"}' },
          { id: 'a', name: 'note', arguments: '{"x":"2"}' },
        ],
      },
      DONE,
    ],
    ['1', '2'],
    'Done.',
  ],
  [
    'an id used again in a later turn',
    [
      { calls: [{ id: 'a', name: 'note', arguments: '{"x":"1"}' }] },
      { calls: [{ id: 'a', name: 'note', arguments: '{"x":"2"}' }] },
      DONE,
    ],
    ['1', '2'],
    'Done.',
  ],
  [
    'two calls under one index',
    [
      {
        calls: [
          { name: 'note', arguments: '{"x":"1"}' },
          { name: 'note', arguments: '{"x":"2"}' },
        ],
        fault: { kind: 'same_index' },
      },
      DONE,
    ],
    ['1', '2'],
    'Done.',
  ],
  [
    'calls without an index',
    [
      {
        calls: [
          { name: 'note', arguments: '{"x":"1"}' },
          { name: 'note', arguments: '{"x":"2"}' },
        ],
        fault: { kind: 'no_index' },
      },
      DONE,
    ],
    ['1', '2'],
    'Done.',
  ],
  ['a call that ends with stop', [{ ...call('{"x":"1"}'), finishReason: 'stop' }, DONE], ['1'], 'Done.'],
  ['text beside a call', [{ ...call('{"x":"1"}'), text: 'Let me check.' }, DONE], ['1'], 'Done.'],
  [
    'the same response id each time',
    [
      { ...call('{"x":"1"}'), responseId: 'r' },
      { ...DONE, responseId: 'r' },
    ],
    ['1'],
    'Done.',
  ],
  ['an empty turn', [{ text: '' }, DONE], [], 'Done.'],
  ['a bare end mark', [{ fault: { kind: 'done_only' } }, DONE], [], 'Done.'],
  ['a stall', [{ text: 'Half an answer', fault: { kind: 'stall', afterChunks: 2 } }, DONE], [], 'Done.'],
  ['a server error', [{ fault: { kind: 'status', status: 500, error: { message: 'secret host db1.corp' } } }, DONE], [], 'Done.'],
  ['a rate limit', [{ fault: { kind: 'status', status: 429, headers: { 'retry-after': '0' } } }, DONE], [], 'Done.'],
  ['a refusal', [{ refusal: 'No.' }], [], 'The language model declined to answer: No.'],
];

for (const [what, replies, ran, text] of FAULTS) {
  test(`with ${what} ${ran.length === 0 ? 'no tool runs' : 'each call runs once'}, and the answer is whole`, async () => {
    const { answer } = await runWith(...replies);
    assert.deepEqual(RAN, ran);
    assert.equal(answer.text, text);
  });
}
