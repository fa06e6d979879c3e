import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BUDGETS } from '../../agent/budget.ts';
import { hasCode } from '../../agent/errors.ts';
import type { Account, Spend } from '../../agent/ports/ledger.ts';
import type { ModelProvider, ModelRequest, ModelTurn } from '../../agent/ports/model-provider.ts';
import { createSideModel } from '../../agent/side-model.ts';
import { createFakeClock } from '../fake-clock.ts';

const TURN: ModelTurn = {
  text: 'Said.',
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 30, outputTokens: 5 },
  model: 'm',
};
const signal = new AbortController().signal;

const setUp = (answer: () => Promise<ModelTurn>, tokens = 100_000) => {
  const clock = createFakeClock();
  const requests: ModelRequest[] = [];
  const charged: { accounts: readonly string[]; settled: number; reserved: number }[] = [];
  const model: ModelProvider = {
    id: 'm',
    ask: async (request, { signal: stop }) => {
      requests.push(request);
      return Promise.race([
        answer(),
        new Promise<never>((_, reject) => stop.addEventListener('abort', () => reject(stop.reason), { once: true })),
      ]);
    },
  };
  const ask = createSideModel({
    model,
    account: 'memory',
    countTokens: (text) => text.length,
    timeoutMs: 1_000,
    clock,
    budgets: {
      ...NO_BUDGETS,
      day: { tokens },
      ledger: {
        charge: async (_day: string, accounts: readonly Account[], settled: Spend, reserved: Spend) => {
          charged.push({ accounts: accounts.map(({ id }) => id), settled: settled.tokens, reserved: reserved.tokens });
          return reserved.tokens > tokens ? { accountId: 'all', unit: 'tokens' as const, limit: tokens } : undefined;
        },
      },
    },
  });
  return { ask, clock, requests, charged };
};
const isUnavailable = (error: unknown): boolean => hasCode(error, 'model_unavailable');

test('it asks without tools and is charged what it used', async () => {
  const { ask, requests, charged } = setUp(async () => TURN);
  assert.equal(await ask({ system: 'Rules', user: 'Text' }, signal), 'Said.');
  assert.deepEqual(requests, [
    {
      messages: [
        { role: 'system', content: 'Rules' },
        { role: 'user', content: 'Text' },
      ],
      tools: [],
    },
  ]);
  assert.deepEqual(charged, [
    { accounts: ['all'], settled: 0, reserved: 1_009 },
    { accounts: ['all'], settled: 35 - 1_009, reserved: 0 },
  ]);
});

test('a used-up budget asks nothing', async () => {
  const { ask, requests } = setUp(async () => TURN, 10);
  await assert.rejects(ask({ system: 'Rules', user: 'Text' }, signal), isUnavailable);
  assert.equal(requests.length, 0);
});

test('a fallback, a cut answer and silence are no answers', async () => {
  for (const turn of [
    { ...TURN, fallback: true },
    { ...TURN, finishReason: 'length' as const },
  ]) {
    await assert.rejects(setUp(async () => turn).ask({ system: '', user: '' }, signal), isUnavailable);
  }
  const { ask, clock } = setUp(() => new Promise(() => {}));
  const asked = ask({ system: '', user: '' }, signal);
  asked.catch(() => undefined);
  await clock.advance(1_001);
  await assert.rejects(asked, isUnavailable);
});
