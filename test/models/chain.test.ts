import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { AppError, type ErrorCode } from '../../agent/errors.ts';
import type { ModelRequest } from '../../agent/ports/model-provider.ts';
import { createProviderChain, SWITCH_ON } from '../../models/chain.ts';
import { createScriptedModel, type ScriptedTurn, silentLogger, turnOf } from '../agent/fakes.ts';
import { createFakeClock } from '../fake-clock.ts';

const failing = (code: ErrorCode): AppError => new AppError(code, code);
const FINE = turnOf({ text: 'From the model.' });

const setUp = (...script: ScriptedTurn[]) => {
  const clock = createFakeClock();
  const primary = createScriptedModel(...script);
  const fallback = createScriptedModel(turnOf({ text: 'From the documents.' }));
  const provider = createProviderChain({ models: [primary], lastResort: fallback, clock, logger: silentLogger });
  const request = (): ModelRequest => ({ messages: [{ role: 'user', content: 'x' }], tools: [] });
  /** Like the loop: the same request object up to three times. */
  const ask = async (tries = 3, asked = request()): Promise<string> => {
    try {
      const turn = await provider.ask(asked, { signal: new AbortController().signal });
      return `${turn.fallback === true ? 'fallback' : 'primary'}: ${turn.text}`;
    } catch (error) {
      if (!(error instanceof AppError) || tries <= 1) throw error;
      return ask(tries - 1, asked);
    }
  };
  return { clock, primary, fallback, provider, ask };
};

describe('the provider chain', () => {
  const request = (): ModelRequest => ({ messages: [{ role: 'user', content: 'x' }], tools: [] });
  const signal = new AbortController().signal;

  test('hands the primary through while it works', async () => {
    const { ask, fallback, provider } = setUp(FINE);
    assert.equal(await ask(), 'primary: From the model.');
    assert.equal(fallback.requests.length, 0);
    assert.equal(provider.id, 'fake:model');
  });

  const TRIES: readonly (readonly [ErrorCode, number])[] = [
    ['model_auth', 1],
    ['model_quota', 1],
    ['model_timeout', 1],
    ['model_unavailable', 3],
    ['model_interrupted', 3],
    ['model_empty', 3],
    ['model_rate_limited', 3],
  ];
  for (const [code, tries] of TRIES) {
    test(`answers after ${tries} of ${code}, marked`, async () => {
      const { ask, primary } = setUp(failing(code));
      assert.equal(await ask(), 'fallback: From the documents.');
      assert.equal(primary.requests.length, tries);
    });
  }

  test('the table of docs/operations.md is the one that switches', async () => {
    const text = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| `(model_\w+)`.*\| (\d+)[^|]*\| (\d+) \|$/gmu)].map(
      ([, code, switchAfter, opensAfter]) => [code, { switchAfter: Number(switchAfter), opensAfter: Number(opensAfter) }],
    );
    assert.deepEqual(Object.fromEntries(rows), SWITCH_ON);
  });

  for (const code of ['model_rejected', 'model_too_large'] as const) {
    test(`does not mend ${code}`, async () => {
      const { ask, fallback } = setUp(failing(code));
      await assert.rejects(ask(1), { code });
      assert.equal(fallback.requests.length, 0);
    });
  }

  test('does not wait for an hour', async () => {
    const { ask, primary, clock } = setUp(new AppError('model_rate_limited', 'wait', { retryAfterMs: 3_600_000 }));
    assert.equal(await ask(), 'fallback: From the documents.');
    assert.equal(primary.requests.length, 1);
    await clock.advance(3_599_999);
    await ask();
    assert.equal(primary.requests.length, 1, 'asked before the time that it named');
    await clock.advance(1);
    await ask();
    assert.equal(primary.requests.length, 2);
  });

  test('without another model tells how long the pause still is, so that the run can be taken up after it', async () => {
    const clock = createFakeClock();
    const busy = createScriptedModel(new AppError('model_rate_limited', 'wait', { retryAfterMs: 86_400_000 }));
    const chain = createProviderChain({ models: [busy], clock, logger: silentLogger });
    await assert.rejects(chain.ask(request(), { signal }), { code: 'model_rate_limited', retryAfterMs: 86_400_000 });
    await clock.advance(600_000);
    await assert.rejects(chain.ask(request(), { signal }), { code: 'model_rate_limited', retryAfterMs: 3_000_000 });
    assert.equal(busy.requests.length, 1);
  });

  test('lets a transient failure be tried again by the loop', async () => {
    const { ask } = setUp(failing('model_unavailable'), FINE);
    assert.equal(await ask(), 'primary: From the model.');
  });

  test('leaves a failing primary alone, probes it with one call after 30 s, and returns when that passes', async () => {
    let works = false;
    const { ask, primary, clock } = setUp(async () => {
      if (!works) throw failing('model_unavailable');
      return FINE;
    });
    await ask();
    assert.equal(primary.requests.length, 3);
    assert.equal(await ask(), 'fallback: From the documents.');
    assert.equal(primary.requests.length, 3);
    await clock.advance(30_000);
    assert.equal(await ask(), 'fallback: From the documents.');
    assert.equal(primary.requests.length, 4);
    assert.equal(await ask(), 'fallback: From the documents.');
    assert.equal(primary.requests.length, 4);
    await clock.advance(30_000);
    works = true;
    assert.deepEqual(await Promise.all([ask(), ask()]), ['primary: From the model.', 'fallback: From the documents.']);
    assert.equal(primary.requests.length, 5);
    assert.equal(await ask(), 'primary: From the model.');
  });

  test('hands an abort on and counts it for nothing', async () => {
    const reason = new Error('stopped');
    const { provider, fallback } = setUp(async (_request, { signal }) => {
      signal.throwIfAborted();
      return FINE;
    });
    const request = { messages: [], tools: [] };
    for (let i = 0; i < 4; i += 1) await assert.rejects(provider.ask(request, { signal: AbortSignal.abort(reason) }), reason);
    const turn = await provider.ask(request, { signal: new AbortController().signal });
    assert.equal(turn.text, 'From the model.');
    assert.equal(fallback.requests.length, 0);
  });

  test('takes back what the primary has shown before the next model speaks', async () => {
    const { provider } = setUp(async (_request, options) => {
      options.onText?.('Half an ');
      throw failing('model_timeout');
    });
    const shown: string[] = [];
    const turn = await provider.ask(
      { messages: [], tools: [] },
      {
        signal: new AbortController().signal,
        onText: (delta) => void shown.push(delta),
        onReset: () => void shown.push('|'),
      },
    );
    assert.deepEqual(shown, ['Half an ', '|', 'From ', 'the ', 'documents.']);
    assert.equal(turn.text, 'From the documents.');
  });

  for (const [what, broken, code] of [
    ['a stream without a finish reason', turnOf({ text: 'Half an', finishReason: 'interrupted' }), 'model_interrupted'],
    ['an empty turn', turnOf({ text: ' ' }), 'model_empty'],
  ] as const) {
    test(`takes ${what} for a failure: the loop asks again, then the next model answers, and the breaker counts it`, async () => {
      const { ask, primary, provider } = setUp(broken);
      await assert.rejects(provider.ask(request(), { signal }), { code });
      assert.equal(await ask(), 'fallback: From the documents.');
      assert.equal(primary.requests.length, 3, 'open after three in a row');
      assert.equal(await ask(), 'fallback: From the documents.');
      assert.equal(primary.requests.length, 3);
    });
  }

  const NOT_COUNTED = { clock: createFakeClock(), logger: silentLogger };

  test('asks the second model before the documents, and an answer of it is no fallback', async () => {
    const second = createScriptedModel(turnOf({ text: 'From the second.' }));
    const lastResort = createScriptedModel(turnOf({ text: 'From the documents.' }));
    const chain = createProviderChain({
      models: [createScriptedModel(failing('model_quota')), second],
      lastResort,
      ...NOT_COUNTED,
    });
    const turn = await chain.ask(request(), { signal });
    assert.deepEqual([turn.text, turn.fallback], ['From the second.', undefined]);
    assert.equal(lastResort.requests.length, 0);
  });

  test('goes on to the documents in the same try when the second model fails too', async () => {
    const lastResort = createScriptedModel(turnOf({ text: 'From the documents.' }));
    const second = createScriptedModel(failing('model_unavailable'));
    const chain = createProviderChain({
      models: [createScriptedModel(failing('model_auth')), second],
      lastResort,
      ...NOT_COUNTED,
    });
    const turn = await chain.ask(request(), { signal });
    assert.deepEqual([turn.text, turn.fallback, second.requests.length], ['From the documents.', true, 1]);
  });

  test('without a last resort throws what the last model said', async () => {
    const chain = createProviderChain({
      models: [createScriptedModel(failing('model_auth')), createScriptedModel(failing('model_quota'))],
      ...NOT_COUNTED,
    });
    await assert.rejects(chain.ask(request(), { signal }), { code: 'model_quota' });
    await assert.rejects(chain.ask(request(), { signal }), { code: 'model_unavailable' });
  });
});
