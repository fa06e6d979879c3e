import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type Core, openCore } from '../../main.ts';
import { systemClock } from '../../ops/clock.ts';
import { loadConfig } from '../../ops/config.ts';
import { createMemoryLogger } from '../fakes/gateway-bench.ts';

describe('the sample database, without a model', () => {
  let core: Core;
  before(async () => {
    const readFile = (path: string) => (path.includes('/examples/') ? readFileSync(path, 'utf8') : undefined);
    const config = loadConfig({ env: { THREADWISE_EMBEDDER: 'none' }, readFile });
    core = await openCore({
      config,
      folder: ':memory:',
      vectorEngine: 'exact',
      clock: systemClock,
      logger: createMemoryLogger(),
    });
    await core.syncConfigured(config.knowledge.folders, { label: config.knowledge.label });
  });
  after(() => core.close());

  const ask = async (question: string) =>
    await core.agent.run({
      turnId: question,
      scope: { tenantId: 'local', channel: 'terminal', conversationId: 'c', userId: 'terminal:local' },
      labels: ['everyone'],
      question,
      speaker: 'you',
      history: [],
      language: 'en',
      journal: { read: async () => [], write: async () => {} },
      signal: new AbortController().signal,
    });

  it('a question in plain words is answered with the value, its SQL and its age', async () => {
    const { answer, tools } = await ask('how many orders were open in March?');
    assert.deepEqual(tools, ['query_database']);
    assert.equal(answer.answered, true);
    const text = JSON.stringify(answer);
    assert.match(text, /Number of orders with a status in a month of 2026/);
    assert.match(text, /\*\*12\*\*/);
    assert.match(text, /SELECT count\(\*\) AS orders/);
    assert.match(text, /data as of 2026-06-30/);
  });

  it('what the documents answer is still looked for there, and what nobody knows is not made up', async () => {
    const warranty = await ask('How long is the warranty?');
    assert.ok(!warranty.tools.includes('query_database'));
    assert.equal(warranty.answer.answered, true);
    const unknown = await ask('How many cancelled orders from France in March?');
    assert.ok(!unknown.tools.includes('query_database'));
    assert.equal(unknown.answer.answered, false);
  });
});
