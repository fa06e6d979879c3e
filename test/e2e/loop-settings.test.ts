import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { RunResult } from '../../agent/run.ts';
import { openCore } from '../../main.ts';
import { systemClock } from '../../ops/clock.ts';
import { loadConfig } from '../../ops/config.ts';
import { createModelSimulator, type ModelSimulator } from '../../simulator/model.ts';
import { runInput, silentLogger } from '../agent/fakes.ts';

const PLUGIN = join(import.meta.dirname, '..', 'fixtures', 'plugin.ts');
const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples', 'tools', 'plugin.ts');

let simulator: ModelSimulator;
before(async () => {
  simulator = await createModelSimulator({ clock: systemClock });
});
after(() => simulator.close());

const open = (env: Readonly<Record<string, string>>) =>
  openCore({
    config: loadConfig({
      env: { OPENAI_BASE_URL: simulator.url, THREADWISE_MODEL: 'm', THREADWISE_EMBEDDER: 'none', ...env },
      readFile: () => undefined,
    }),
    folder: ':memory:',
    vectorEngine: 'exact',
    clock: systemClock,
    logger: silentLogger,
  });

const ask = async (env: Readonly<Record<string, string>>, parts: Parameters<typeof runInput>[0] = {}): Promise<RunResult> => {
  const core = await open(env);
  try {
    return await core.agent.run(runInput({ question: 'Where is order A-1?', ...parts }));
  } finally {
    await core.close();
  }
};

test('a tool that a plug-in registers is offered, called and answered from', async () => {
  simulator.push({ calls: [{ name: 'order_status', arguments: '{"number":"A-1"}' }] }, { text: 'It is shipped.' });
  const { answer, tools } = await ask({ THREADWISE_TOOL_PLUGINS: PLUGIN });
  assert.deepEqual([answer.text, tools], ['It is shipped.', ['order_status']]);
});

test('the example plug-in brings its tools beside those of every installation', async () => {
  const asked = simulator.requests.length;
  simulator.push({ calls: [{ name: 'get_weather', arguments: '{"city":"Lisbon"}' }] }, { text: '22 degrees.' });
  const { answer, tools } = await ask({ THREADWISE_TOOL_PLUGINS: EXAMPLES });
  assert.deepEqual([answer.text, tools], ['22 degrees.', ['get_weather']]);
  const { tools: offered, messages } = simulator.requests.at(-1)?.body as {
    tools: readonly { function: { name: string } }[];
    messages: readonly { content: unknown }[];
  };
  assert.equal(simulator.requests.length - asked, 2);
  assert.deepEqual(offered.map(({ function: { name } }) => name).sort(), [
    'calculator',
    'chart',
    'fetch_logs',
    'get_weather',
    'query_database',
    'query_metrics',
    'query_order',
    'read_more',
    'restart_service',
    'search_knowledge',
    'send_email',
  ]);
  assert.match(String(messages.at(-1)?.content), /"celsius":22/);
});

test('a plug-in that cannot be loaded, or registers nothing, stops the start by its name', async () => {
  await assert.rejects(open({ THREADWISE_TOOL_PLUGINS: '/none.ts' }), { code: 'config_invalid', message: /\/none\.ts/ });
  await assert.rejects(open({ THREADWISE_TOOL_PLUGINS: import.meta.filename }), {
    code: 'config_invalid',
    message: /registerTools/,
  });
});

test('a tool that changes something is refused where nobody can be asked, unless the configuration names it as free', async () => {
  const asks = (n: number) => ({
    calls: [{ name: 'restart_service', arguments: `{"service":"checkout","reason":"asked for, ${n} times"}` }],
  });
  for (const [env, expected] of [
    [{}, /"kind":"denied"/],
    [{ THREADWISE_FREE_TOOLS: 'restart_service' }, /"restarted":true/],
  ] as const) {
    simulator.push(asks(1), { text: 'Done.' });
    await ask({ THREADWISE_TOOL_PLUGINS: EXAMPLES, ...env });
    const { messages } = simulator.requests.at(-1)?.body as { messages: readonly { content: unknown }[] };
    assert.match(String(messages.at(-1)?.content), expected);
  }
  const unknown = { THREADWISE_TOOL_PLUGINS: EXAMPLES, THREADWISE_FREE_TOOLS: 'no_such_tool' };
  await assert.rejects(open(unknown), { code: 'config_invalid', message: /approvals\.free.*restart_service.*"no_such_tool"/ });
});

test('the text protocol is a setting', async () => {
  simulator.push({ text: 'Action: order_status with input {"number":"A-1"}' }, { text: 'It is shipped.' });
  const { answer, tools } = await ask({ THREADWISE_TOOL_PLUGINS: PLUGIN, THREADWISE_MODEL_PROTOCOL: 'text' });
  assert.deepEqual([answer.text, tools], ['It is shipped.', ['order_status']]);
});

test('a second model answers where the first has no quota', async () => {
  simulator.push(
    { fault: { kind: 'status', status: 429, error: { code: 'insufficient_quota', message: 'quota' } } },
    { text: 'From the second.' },
  );
  const { answer, model } = await ask({ THREADWISE_SECOND_MODEL: 'second' });
  assert.deepEqual([answer.text, answer.fallback, model], ['From the second.', false, 'second']);
});

test('the budget of an answer is a setting, and the answer names it', async () => {
  const usage = { prompt_tokens: 2_000, completion_tokens: 20 };
  simulator.push({ calls: [{ name: 'calculator', arguments: '{"expression":"1+1"}' }], usage });
  const { answer } = await ask({ THREADWISE_RUN_TOKENS: '2500' });
  assert.equal(answer.stopReason, 'budget_limit');
  assert.match(answer.text, /the budget of one answer is used up: 2500 tokens/);
});

test('a budget of money without prices stops the start', () => {
  assert.throws(
    () => loadConfig({ env: { OPENAI_API_KEY: 'sk-made-up-key', THREADWISE_DAY_USD: '2.5' }, readFile: () => undefined }),
    { code: 'config_invalid', message: /model\.inputUsdPerMillion.*budgets\.day\.usd/ },
  );
});
