/**
 * Whole conversations under random faults, aborts and crashes: whatever happens, each request is one that a strict provider takes,
 * each run that is not broken off ends in an answer, and no write happens twice.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Turn } from '../../agent/conversation.ts';
import { AppError, type ErrorCode } from '../../agent/errors.ts';
import type { JsonValue } from '../../agent/json.ts';
import { DEFAULT_LIMITS } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { ModelProvider, ModelTurn, RawToolCall } from '../../agent/ports/model-provider.ts';
import type { JournalEntry } from '../../agent/ports/store.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { CANCELLED, type RunInput, type RunResult } from '../../agent/run.ts';
import { arrivedIn } from '../../agent/steering.ts';
import { fitWindow } from '../../memory/window.ts';
import { toApiMessages, toApiTools } from '../../models/openai-messages.ts';
import { lintRequest } from '../../simulator/model-linter.ts';
import { createFakeClock } from '../fake-clock.ts';
import { scaled, seed } from '../scale.ts';
import { runInput, silentLogger, turnOf } from './fakes.ts';
import { search, settle, toolOf } from './harness.ts';

const SESSIONS = scaled(10_000);
const TURNS_A_SESSION = 3;
const MAX_LIVES = 40;

/** mulberry32: small, seeded, good enough to choose faults. */
const createRandom = (from: number) => {
  let state = from >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (share: number): boolean => next() < share,
    pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item,
  };
};
type Random = ReturnType<typeof createRandom>;

const NAMES = ['search_knowledge', 'count', 'flaky', 'odd', 'mail', 'ghost', 'bad name!', ''];
const ARGUMENTS = [
  '{}',
  '',
  'null',
  '{"query":"returns"}',
  '{"query":"warranty"}',
  '{"query": "wa',
  '[1]',
  '{"x":"\\ud83d"}',
  '{"x":1}',
];
const TEXTS = ['Fine.', 'Half \ud83d', '', '  ', 'Two years [1].', '[unknown] Nothing.', 'Let me look.'];
const FINISH = ['stop', 'tool_calls', 'length', 'content_filter', 'refusal', 'interrupted'] as const;
const MODEL_CODES: readonly ErrorCode[] = [
  'model_timeout',
  'model_unavailable',
  'model_rate_limited',
  'model_rejected',
  'model_too_large',
];
const VALUES: readonly unknown[] = [
  undefined,
  1n,
  '\ud83d',
  'x'.repeat(60_000),
  { a: [1] },
  new Uint8Array(9),
  null,
  '👩‍👩‍👧'.repeat(9_000),
];

const randomTurn = (random: Random): ModelTurn => {
  const toolCalls: RawToolCall[] = random.chance(0.6)
    ? Array.from({ length: 1 + Math.floor(random.next() * 4) }, () => ({
        name: random.pick(NAMES),
        arguments: random.pick(ARGUMENTS),
      }))
    : [];
  const finishReason = random.chance(0.8) ? (toolCalls.length > 0 ? 'tool_calls' : 'stop') : random.pick(FINISH);
  return turnOf({ text: random.pick(TEXTS), toolCalls, finishReason });
};

const DEAD = new Error('the process died');

test(`${SESSIONS} sessions under random faults send no invalid request and lose no answer`, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const violations: string[] = [];
  for (let session = 0; session < SESSIONS; session += 1) {
    const random = createRandom(seed * 1_000_003 + session);
    const clock = createFakeClock();
    /** By call: how often each write of the session really happened. */
    const writes = new Map<string, number>();
    let turnId = '';
    let journaled: JournalEntry[] = [];

    const model: ModelProvider = {
      id: 'fuzz',
      ask: async ({ messages, tools }) => {
        const found = lintRequest({ messages: toApiMessages(messages), tools: toApiTools(tools) });
        violations.push(...found.map((what) => `session ${session}: ${what}`));
        const users = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join('\n');
        for (const { text } of arrivedIn(journaled)) {
          if (users.split(text).length !== 2) violations.push(`session ${session}: ${text} is not in the request once`);
        }
        if (random.chance(0.12)) throw new AppError(random.pick(MODEL_CODES), 'fuzz');
        if (random.chance(0.02)) throw new TypeError('fuzz');
        if (random.chance(0.3)) await clock.sleep(random.next() * 2_000);
        return randomTurn(random);
      },
    };
    const tools: Tool[] = [
      search as Tool,
      toolOf('count', async () => Math.floor(random.next() * 3)),
      toolOf('flaky', async () => {
        if (random.chance(0.5)) throw Object.assign(new Error('secret'), { code: 'ECONNRESET' });
        return random.chance(0.1) ? new Promise(() => undefined) : 'worked';
      }),
      toolOf('odd', async () => random.pick(VALUES) as JsonValue),
      toolOf(
        'mail',
        async () => {
          writes.set(turnId, (writes.get(turnId) ?? 0) + 1);
          if (random.chance(0.3)) throw 'text';
          return 'sent';
        },
        { effect: 'write' },
      ),
    ];
    const agent = createAgent({
      model,
      tools,
      freeTools: ['mail'],
      clock,
      logger: silentLogger,
      limits: { ...DEFAULT_LIMITS, toolResultChars: 2_000, stepResultChars: 3_000 },
      windowTokens: 2_000,
      fitWindow,
      countTokens: (text) => Math.ceil(text.length / 3),
      random: random.next,
    });
    const history: Turn[] = [];

    /** One life of a process: it may die at any write, or be stopped at any time. */
    const live = async (kept: JournalEntry[]): Promise<RunResult | undefined> => {
      const controller = new AbortController();
      const dies = random.chance(0.5);
      const input: RunInput = {
        ...runInput(),
        turnId,
        question: random.pick(['How long is the warranty?', 'And returns? \ud83d', 'x'.repeat(9_000)]),
        history,
        signal: controller.signal,
        journal: {
          read: async () => kept.map((entry) => structuredClone(entry)),
          write: async ({ key, value }) => {
            if (dies && random.chance(0.15)) controller.abort(DEAD);
            controller.signal.throwIfAborted();
            // Collected and not thrown: the loop would answer what is thrown here.
            if (kept.some((entry) => entry.key === key)) violations.push(`session ${session}: ${key} is written twice`);
            kept.push({ key, value: JSON.parse(JSON.stringify(value)) as JsonValue });
          },
        },
        takeArrived: async (key) => {
          if (!random.chance(0.15)) return [];
          const arrived = [{ speaker: random.pick(['Ada', 'Bo', '']), text: `arrived at ${key}.` }];
          await input.journal.write({ key, value: arrived });
          return arrived;
        },
      };
      if (random.chance(0.1)) clock.after(random.next() * 3_000, () => controller.abort(random.chance(0.5) ? CANCELLED : DEAD));
      try {
        return await settle(clock, agent.run(input));
      } catch (error) {
        if (error !== DEAD) throw error;
        return undefined;
      }
    };

    for (let n = 0; n < TURNS_A_SESSION; n += 1) {
      turnId = `turn-${session}-${n}`;
      const kept: JournalEntry[] = [];
      journaled = kept;
      let result: RunResult | undefined;
      for (let lives = 0; result === undefined; lives += 1) {
        assert.ok(lives < MAX_LIVES, `session ${session} never ends`);
        result = await live(kept);
      }
      assert.notEqual(result.answer.text.trim(), '', `session ${session}: an empty answer`);
      const announced = kept.filter(({ key }) => key.startsWith('begun:')).length;
      assert.ok((writes.get(turnId) ?? 0) <= announced, `session ${session}: a write happened more often than announced`);
      history.push({
        turnId,
        conversationId: 'c',
        userId: 'u',
        speaker: random.pick(['Ada', 'Bo', '']),
        question: random.pick(['x', 'half \ud83d', '']),
        answer: { ...result.answer, text: random.pick([result.answer.text, 'half \udc00', '']) },
        steps: 1,
        tools: [],
        usage: result.usage,
        model: 'm',
        askedAt: 0,
        answeredAt: 0,
      });
    }
  }
  assert.deepEqual(violations.slice(0, 5), []);
});
