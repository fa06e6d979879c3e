import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Budgets, createMeter, NO_BUDGETS } from '../../agent/budget.ts';
import { AppError } from '../../agent/errors.ts';
import type { Ledger } from '../../agent/ports/ledger.ts';
import type { RunInput } from '../../agent/run.ts';
import { textsFor } from '../../agent/texts.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createFakeClock } from '../fake-clock.ts';
import { callTurn, createMemoryJournal, createScriptedModel, runInput, turnOf } from './fakes.ts';
import { setUp, toolOf } from './harness.ts';

const texts = textsFor('en');
const PRICES = { inputUsd: 1, outputUsd: 2 };
const USED = { inputTokens: 100, outputTokens: 50 };

const meterOf = (budgets: Partial<Budgets>) => {
  const clock = createFakeClock();
  return { clock, meter: createMeter({ ...NO_BUDGETS, ...budgets }, { scope: runInput().scope, placeId: 'slack:C1', clock }) };
};

describe('the meter', () => {
  test('reserves before a call and settles what it really took', async () => {
    const { meter } = meterOf({ run: { tokens: 2_000 } });
    assert.equal(await meter.reserveModel(900), undefined);
    meter.settleModel(USED, false);
    assert.equal(await meter.reserveModel(850), undefined);
    meter.settleModel(USED, false);
    assert.deepEqual(await meter.reserveModel(701), { owner: 'run', unit: 'tokens', limit: 2_000 });
  });

  test('charges the reservation where a provider tells no usage, and nothing where the answer was free', async () => {
    const { meter } = meterOf({ run: { tokens: 2_000 } });
    const nothing = { inputTokens: 0, outputTokens: 0 };
    await meter.reserveModel(500);
    meter.settleModel(nothing, true);
    assert.equal(await meter.reserveModel(900), undefined);
    meter.settleModel(nothing, false);
    assert.equal((await meter.reserveModel(100))?.unit, 'tokens');
  });

  test('counts money in millionths of a dollar by the prices', async () => {
    const { meter } = meterOf({ run: { microUsd: 2_500 }, prices: PRICES });
    assert.equal(await meter.reserveModel(500), undefined);
    meter.settleModel(USED, false);
    assert.equal(await meter.reserveModel(300), undefined);
    assert.deepEqual(await meter.reserveModel(100), { owner: 'run', unit: 'microUsd', limit: 2_500 });
  });

  test('counts steps that the journal replays', async () => {
    const { meter } = meterOf({ run: { tokens: 1_200 } });
    meter.replay({ inputTokens: 150, outputTokens: 50 });
    assert.equal((await meter.reserveModel(1))?.unit, 'tokens');
  });
});

describe('a run', () => {
  const down: Ledger = { charge: () => Promise.reject(new AppError('store_unavailable', 'down')) };

  for (const [owner, budgets] of [
    ['run', { run: { toolCalls: 1 } }],
    ['person', { person: { toolCalls: 1 } }],
    ['channel', { channel: { toolCalls: 1 } }],
    ['day', { day: { toolCalls: 1 } }],
  ] as const) {
    test(`that used up the ${owner}'s budget says which one, with what it found`, async () => {
      const { ledger, close } = openSqliteStore({ folder: ':memory:', clock: createFakeClock() });
      const model = createScriptedModel(
        callTurn('search_knowledge', { query: 'warranty' }),
        callTurn('search_knowledge', { query: 'returns' }),
      );
      const { answer } = await setUp(model, { deps: { budgets: { ...NO_BUDGETS, ...budgets, ledger } } }).run();
      assert.equal(answer.stopReason, 'budget_limit');
      assert.equal(answer.text.split('\n')[0], texts.budgetReached(texts.budgetOwners[owner], texts.budgetUnits.toolCalls(1)));
      assert.equal(answer.citations[0]?.chunkId, 'warranty');
      await close();
    });
  }

  for (const owner of ['person', 'channel', 'day'] as const) {
    test(`that used up the model calls or the time of the ${owner} says which`, async () => {
      for (const [unit, limit] of [
        ['modelCalls', 1],
        ['runMs', 1_000],
      ] as const) {
        const clock = createFakeClock();
        const { ledger, close } = openSqliteStore({ folder: ':memory:', clock });
        const slow = toolOf('slow', async () => {
          await clock.advance(2_000);
          return 'seen';
        });
        const model = createScriptedModel(callTurn('slow', {}), turnOf({ text: 'Seen.' }));
        const budgets = { ...NO_BUDGETS, [owner]: { [unit]: limit }, ledger };
        const { answer } = await setUp(model, { clock, tools: [slow], deps: { budgets } }).run();
        assert.equal(answer.stopReason, 'budget_limit');
        assert.equal(answer.text.split('\n')[0], texts.budgetReached(texts.budgetOwners[owner], texts.budgetUnits[unit](limit)));
        assert.equal(model.requests.length, 1);
        await close();
      }
    });
  }

  test('that waits for a person is charged once for its calls, however often it is taken up', async () => {
    const { ledger, close } = openSqliteStore({ folder: ':memory:', clock: createFakeClock() });
    const budgets = { ...NO_BUDGETS, day: { toolCalls: 3 }, ledger };
    const journal = createMemoryJournal();
    const tool = toolOf('file', async () => 'filed', { effect: 'write', needsApproval: true });
    const read = toolOf('look', async () => 'seen');
    const both = turnOf({
      toolCalls: [
        { name: 'look', arguments: '{}' },
        { name: 'file', arguments: '{}' },
      ],
    });
    const lives = [callTurn('file', {}), both, turnOf({ text: 'Filed.' })];
    const live = (approve: RunInput['approve'] & {}) => {
      const asked = journal.entries.filter(({ key }) => key.startsWith('model:')).length;
      return setUp(createScriptedModel(...lives.slice(asked)), {
        tools: [tool, read],
        deps: { budgets },
        input: { journal, approve },
      }).run();
    };
    const waits = () => Promise.reject(new AppError('approval_pending', 'asked', { retryAfterMs: 1 }));
    for (let taken = 0; taken < 5; taken += 1) await assert.rejects(live(waits), { code: 'approval_pending' });
    let given = 0;
    const first = () => ((given += 1) === 1 ? Promise.resolve('approved' as const) : waits());
    await assert.rejects(live(first), { code: 'approval_pending' });
    await assert.rejects(live(waits), { code: 'approval_pending' });
    const { answer } = await live(() => Promise.resolve('approved'));
    assert.equal(answer.text, 'Filed.');
    const nothing = { modelCalls: 0, toolCalls: 0, tokens: 0, microUsd: 0, runMs: 0 };
    const day = new Date(createFakeClock().now()).toISOString().slice(0, 10);
    const fourth = await ledger.charge(day, [{ id: 'all', limits: { toolCalls: 3 } }], nothing, { ...nothing, toolCalls: 1 });
    assert.equal(fourth?.unit, 'toolCalls', 'the three are charged');
    await close();
  });

  test('asks no model when its budget cannot be checked', async () => {
    const model = createScriptedModel(turnOf({ text: 'x' }));
    const { run } = setUp(model, { deps: { budgets: { ...NO_BUDGETS, person: { tokens: 1_000_000 }, ledger: down } } });
    await assert.rejects(run(), { code: 'store_unavailable' });
    assert.equal(model.requests.length, 0);
  });

  test('spends at most one call beyond a day’s tokens, over any number of runs at once', async () => {
    const { ledger, close } = openSqliteStore({ folder: ':memory:', clock: createFakeClock() });
    const budgets = { ...NO_BUDGETS, day: { tokens: 10_000 }, ledger };
    const turn = turnOf({ text: 'Fine.', usage: { inputTokens: 1_500, outputTokens: 500 } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => setUp(createScriptedModel(turn), { deps: { budgets } }).run()),
    );
    const answered = answers.filter(({ answer }) => answer.stopReason === 'answered').length;
    assert.ok(answered >= 4 && answered <= 6, `${answered} answered`);
    assert.ok(answers.every(({ answer }) => answer.text !== ''));
    await close();
  });
});
