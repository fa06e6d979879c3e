import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCore } from '../../main.ts';
import { systemClock } from '../../ops/clock.ts';
import { loadConfig } from '../../ops/config.ts';
import { createModelSimulator } from '../../simulator/model.ts';
import { createMemoryLogger } from '../fakes/gateway-bench.ts';

const open = async (env: Record<string, string>) => {
  const logger = createMemoryLogger();
  const config = loadConfig({ env: { THREADWISE_EMBEDDER: 'none', ...env }, readFile: () => undefined });
  const core = await openCore({ config, folder: ':memory:', vectorEngine: 'exact', clock: systemClock, logger });
  return { core, logger };
};

test('a warm-up is logged nowhere and leaves nothing in the store', async () => {
  const { core, logger } = await open({});
  try {
    const before = logger.lines.length;
    await core.warmUp(new AbortController().signal);
    assert.deepEqual(logger.lines.slice(before), []);
    assert.deepEqual(await core.store.countStates(), { waiting: 0, running: 0, answered: 0, done: 0 });
  } finally {
    await core.close();
  }
});

test('a language model is not asked by it', async () => {
  const model = await createModelSimulator({ clock: systemClock });
  const { core } = await open({ OPENAI_BASE_URL: model.url, THREADWISE_MODEL: 'scripted-model' });
  try {
    await core.warmUp(new AbortController().signal);
    assert.equal(model.requests.length, 0);
  } finally {
    await core.close();
    await model.close();
  }
});
