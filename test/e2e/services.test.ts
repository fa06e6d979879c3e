import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { RunInput } from '../../agent/run.ts';
import { createExampleServer, type ExampleServer } from '../../examples/tools/server.ts';
import { openCore } from '../../main.ts';
import { systemClock } from '../../ops/clock.ts';
import { loadConfig } from '../../ops/config.ts';
import { createModelSimulator, type ModelSimulator } from '../../simulator/model.ts';
import { createMemoryJournal, runInput, silentLogger } from '../agent/fakes.ts';

const FILE = join(import.meta.dirname, '..', '..', 'examples', 'service', 'service.yaml');
const RESTART = { service: 'checkout', body: { reason: 'it answers nothing any more' } };

let simulator: ModelSimulator;
let services: ExampleServer;
before(async () => {
  simulator = await createModelSimulator({ clock: systemClock });
});
after(() => simulator.close());
beforeEach(async () => {
  services = await createExampleServer({ clock: systemClock });
});
afterEach(() => services.close());

/** The example as it is, but for its port and the time that a restart may take. */
const readExample = (path: string): string | undefined =>
  path.includes('examples')
    ? readFileSync(path, 'utf8')
        .replace('http://127.0.0.1:8970', services.url)
        .replace('name: restart_service', 'name: restart_service\n    timeoutMs: 300')
    : undefined;

const ask = async (parts: Partial<RunInput>, env: Readonly<Record<string, string>> = {}) => {
  const core = await openCore({
    config: loadConfig({ env: { THREADWISE_HTTP_TOOLS: FILE, THREADWISE_EMBEDDER: 'none', ...env }, readFile: readExample }),
    folder: ':memory:',
    vectorEngine: 'exact',
    clock: systemClock,
    logger: silentLogger,
  });
  try {
    return await core.agent.run(runInput(parts));
  } finally {
    await core.close();
  }
};
const withModel = () => ({ OPENAI_BASE_URL: simulator.url, THREADWISE_MODEL: 'm' });
const lastResult = (): Readonly<Record<string, unknown>> => {
  const { messages } = simulator.requests.at(-1)?.body as { messages: readonly { role: string; content: string }[] };
  return JSON.parse(messages.findLast(({ role }) => role === 'tool')?.content.match(/\{.*\}/s)?.[0] ?? '{}') as never;
};

const questions: readonly (readonly [string, string, RegExp, string])[] = [
  ['where is order a-1001?', 'query_order', /status: shipped/, 'GET /orders/A-1001'],
  ['What is the weather in Lisbon?', 'get_weather', /celsius: 22/, 'GET /weather'],
  ['Show the logs of checkout', 'fetch_logs', /payment provider answered slowly/, 'GET /logs/checkout'],
  ['Metrics of checkout', 'query_metrics', /errorRate: 0\.002/, 'GET /metrics/checkout'],
];
for (const [question, tool, told, request] of questions) {
  test(`without a model, “${question}” is answered by ${tool}`, async () => {
    const { answer, tools } = await ask({ question });
    assert.deepEqual(tools, [tool]);
    assert.equal(answer.answered, true);
    assert.match(answer.text, told);
    assert.match(answer.text, /From the service “desk”, asked at /);
    assert.deepEqual(services.requests, [request]);
  });
}

test('without a model, what the service does not have, and a service that is down, are told apart', async () => {
  const missing = await ask({ question: 'Where is order A-7777?' });
  assert.deepEqual(
    [missing.answer.text, missing.answer.answered],
    ['The service that would hold this has no such record.', false],
  );
  services.fail('/orders', { kind: 'status', status: 500 });
  const down = await ask({ question: 'Where is order A-1001?' });
  assert.match(down.answer.text, /cannot be asked right now/);
  assert.equal(down.answer.answered, false);
});

test('with a model, an operation is offered with its schema, called and answered from', async () => {
  simulator.push({ calls: [{ name: 'query_order', arguments: '{"number":"A-1001"}' }] }, { text: 'It is shipped.' });
  const { answer } = await ask({ question: 'Where is order A-1001?' }, withModel());
  assert.equal(answer.text, 'It is shipped.');
  const { tools } = simulator.requests.at(-1)?.body as { tools: readonly { function: { name: string; parameters: unknown } }[] };
  assert.deepEqual(tools.find(({ function: { name } }) => name === 'query_order')?.function.parameters, {
    type: 'object',
    properties: { number: { type: 'string', description: 'number of the order, such as A-1001', pattern: '^[A-Z]-\\d{4}$' } },
    required: ['number'],
    additionalProperties: false,
  });
  const { data } = lastResult() as { data: unknown };
  assert.deepEqual(data, {
    number: 'A-1001',
    status: 'shipped',
    amount: 208,
    currency: 'EUR',
    items: [
      { name: 'Aster kettle', count: 1 },
      { name: 'Wren grinder', count: 1 },
    ],
  });
});

test('arguments that do not fit are refused by the name of the field, and nothing is asked', async () => {
  simulator.push({ calls: [{ name: 'query_order', arguments: '{"number":"../metrics"}' }] }, { text: 'No such order.' });
  await ask({ question: 'Where is it?' }, withModel());
  assert.match(String(lastResult()['advice']), /number: expected a text that matches/);
  assert.deepEqual(services.requests, []);
});

const restart = async (approve: RunInput['approve'] | undefined) => {
  simulator.push({ calls: [{ name: 'restart_service', arguments: JSON.stringify(RESTART) }] }, { text: 'Done or not.' });
  await ask({ question: 'Restart checkout', ...(approve === undefined ? {} : { approve }) }, withModel());
  return lastResult();
};

test('a restart shows a person what will happen, and is made once they agree', async () => {
  const shown: string[] = [];
  const result = await restart(async ({ words }) => {
    shown.push(words);
    return 'approved';
  });
  const { host } = new URL(services.url);
  assert.deepEqual(shown, [
    `Restarts a service; people notice (POST /restart/checkout at ${host} with {"reason":"it answers nothing any more"})`,
  ]);
  assert.deepEqual(result['data'], { service: 'checkout', restarted: true });
  assert.deepEqual(services.requests, ['POST /restart/checkout']);
});

test('a restart that is denied, or that nobody can agree to, reaches no service', async () => {
  assert.equal((await restart(async () => 'denied'))['kind'], 'denied');
  assert.equal((await restart(undefined))['kind'], 'denied');
  assert.deepEqual(services.requests, []);
});

const faults = [
  ['never answers', { kind: 'hang' }, 'timeout'],
  ['breaks off', { kind: 'reset' }, 'network'],
  ['answers 503', { kind: 'status', status: 503 }, 'network'],
  ['answers 500', { kind: 'status', status: 500 }, 'internal'],
] as const;
for (const [what, fault, kind] of faults) {
  test(`a restart whose service ${what} is sent once and told as unknown`, async () => {
    services.fail('/restart', fault);
    const { kind: told, did_it_happen: happened, retryable } = await restart(async () => 'approved');
    assert.deepEqual([told, happened, retryable], [kind, 'unknown', false]);
    assert.deepEqual(services.requests, ['POST /restart/checkout']);
  });
}

test('a restart that a dead process had begun is not sent again, and told as unknown', async () => {
  services.fail('/restart', { kind: 'hang' });
  const journal = createMemoryJournal();
  const dying = new AbortController();
  simulator.push({ calls: [{ name: 'restart_service', arguments: JSON.stringify(RESTART) }] });
  const approve = async () => {
    setTimeout(() => dying.abort(new Error('killed')), 100);
    return 'approved' as const;
  };
  const question = 'Restart checkout';
  await ask({ question, approve, journal, signal: dying.signal }, withModel()).catch(() => undefined);
  assert.equal(services.requests.length, 1);
  simulator.push({ text: 'I cannot tell.' });
  const entries = journal.entries.filter(({ key }) => !key.startsWith('tool:') && !key.startsWith('end'));
  await ask({ question, approve, journal: createMemoryJournal(entries) }, withModel());
  assert.deepEqual([lastResult()['kind'], lastResult()['did_it_happen']], ['internal', 'unknown']);
  assert.deepEqual(services.requests, ['POST /restart/checkout']);
});
