/**
 * The tasks of five published accounts of hand-written agents, played through our loop: a scripted model that decides by what it
 * reads, the product's own provider over the wire, and small real tools with real services behind them.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Tool } from '../../agent/ports/tool.ts';
import { call, calls, createRig, type Rig } from '../../bench/faults/rig.ts';
import { createDatabaseTool, createSampleDatabase } from '../../examples/tools/database.ts';
import { createFolderTransport, createMailTool } from '../../examples/tools/mail.ts';
import { createLogsTool, createMetricsTool, createRestartTool } from '../../examples/tools/operations.ts';
import { createOrderTool } from '../../examples/tools/order.ts';
import { createExampleServer, type ExampleServer } from '../../examples/tools/server.ts';
import { createWeatherTool } from '../../examples/tools/weather.ts';
import type { ScriptedReply } from '../../simulator/model-script.ts';
import { createCalculator } from '../../tools/calculator.ts';
import { createSearchKnowledge } from '../../tools/search-knowledge.ts';
import { passageOf } from '../agent/fakes.ts';

interface Scene {
  readonly rig: Rig;
  readonly services: ExampleServer;
  readonly folder: string;
  readonly outbox: string;
}

const setUp = async (t: TestContext): Promise<Scene> => {
  const rig = await createRig();
  const services = await createExampleServer({ clock: rig.clock });
  const folder = await mkdtemp(join(tmpdir(), 'threadwise-write-ups-'));
  t.after(async () => {
    await rig.close();
    await services.close();
    await rm(folder, { recursive: true, force: true });
    assert.deepEqual(rig.simulator.violations, []);
  });
  return { rig, services, folder, outbox: join(folder, 'outbox') };
};

/** The results of this question so far, in the order asked. */
type Decide = (results: readonly string[]) => ScriptedReply;

const decideBy = ({ simulator }: Rig, decide: Decide): void =>
  simulator.setPolicy(({ messages }) => {
    const asked = messages.findLastIndex(({ role }) => role === 'user');
    return decide(messages.slice(asked).flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : [])));
  });

const mailsIn = async (outbox: string): Promise<readonly Record<string, string>[]> => {
  const files = await readdir(outbox).catch(() => []);
  const texts = await Promise.all(files.map((file) => readFile(join(outbox, file), 'utf8')));
  return texts.map((text) => JSON.parse(text) as Record<string, string>);
};

const fieldOf = (result: string | undefined, name: string): unknown =>
  (JSON.parse(result ?? '{}') as Readonly<Record<string, unknown>>)[name];

test('two cities are looked up at once, their difference calculated, and one mail sent', async (t) => {
  const { rig, services, outbox } = await setUp(t);
  const tools = [
    createWeatherTool({ baseUrl: services.url }),
    createCalculator(),
    createMailTool({ transport: createFolderTransport({ folder: outbox }) }),
  ] as Tool[];
  services.fail('/weather', { kind: 'slow', ms: 1_000 });
  decideBy(rig, (results) => {
    const [beijing, shanghai, difference, mail] = results;
    if (beijing === undefined) return calls(call('get_weather', { city: 'Beijing' }), call('get_weather', { city: 'Shanghai' }));
    if (difference === undefined) {
      const expression = `${String(fieldOf(beijing, 'celsius'))} - ${String(fieldOf(shanghai, 'celsius'))}`;
      return calls(call('calculator', { expression }));
    }
    const text = `Beijing is ${String(fieldOf(difference, 'value'))} degrees warmer than Shanghai.`;
    if (mail === undefined) return calls(call('send_email', { to: 'ops@example.com', subject: 'Weather', text }));
    return { text: `${text} I have sent the mail.` };
  });
  const { answer, result } = await rig.ask([], {
    tools,
    input: { question: 'Compare the temperature of Beijing and Shanghai and mail the difference to ops@example.com.' },
  });
  assert.equal(answer.text, 'Beijing is 4 degrees warmer than Shanghai. I have sent the mail.');
  assert.deepEqual(await mailsIn(outbox), [
    { to: 'ops@example.com', subject: 'Weather', text: 'Beijing is 4 degrees warmer than Shanghai.' },
  ]);
  assert.deepEqual(result.tools, ['get_weather', 'get_weather', 'calculator', 'send_email']);
  assert.equal(services.mostAtOnce(), 2);
});

test('an unknown city and a bad address come back to the model, and neither is tried again by the loop', async (t) => {
  const { rig, services, outbox } = await setUp(t);
  const tools = [
    createWeatherTool({ baseUrl: services.url }),
    createMailTool({ transport: createFolderTransport({ folder: outbox }) }),
  ] as Tool[];
  decideBy(rig, ([weather, mail]) => {
    if (weather === undefined) return calls(call('get_weather', { city: 'Atlantis' }));
    if (mail === undefined) return calls(call('send_email', { to: 'ops', subject: 's', text: 't' }));
    return { text: `I know no city Atlantis, and "ops" is no address (${String(fieldOf(mail, 'kind'))}).` };
  });
  const { answer, requests } = await rig.ask([], { tools });
  assert.equal(answer.text, 'I know no city Atlantis, and "ops" is no address (invalid_args).');
  assert.deepEqual(services.requests, ['GET /weather']);
  assert.match(JSON.stringify(requests.at(-1)), /does not know the city.*Atlantis/u);
  assert.deepEqual(await mailsIn(outbox), []);
});

const orderPolicy: Decide = ([order]) => {
  if (order === undefined) return calls(call('query_order', { number: 'A-1001', withItems: true }));
  if (fieldOf(order, 'ok') === false) return { text: `I could not read the order: ${String(fieldOf(order, 'advice'))}` };
  return { text: `Order A-1001 is ${String(fieldOf(order, 'status'))}: ${String(fieldOf(order, 'itemCount'))} items, 208 EUR.` };
};

test('an order is read with its items, though the first request hung', async (t) => {
  const { rig, services } = await setUp(t);
  services.fail('/orders', { kind: 'hang' }, 1);
  decideBy(rig, orderPolicy);
  const { answer } = await rig.ask([], { tools: [createOrderTool({ baseUrl: services.url }) as Tool] });
  assert.equal(answer.text, 'Order A-1001 is shipped: 2 items, 208 EUR.');
  assert.equal(services.requests.length, 2);
});

test('an order that does not exist is asked for once, and said not to exist', async (t) => {
  const { rig, services } = await setUp(t);
  decideBy(rig, ([order]) =>
    order === undefined ? calls(call('query_order', { number: 'B-2002' })) : { text: String(fieldOf(order, 'advice')) },
  );
  const { answer } = await rig.ask([], { tools: [createOrderTool({ baseUrl: services.url }) as Tool] });
  assert.equal(answer.text, 'There is no order B-2002.');
  assert.deepEqual(services.requests, ['GET /orders/B-2002']);
});

/** Restarts on any word of an outage; reads logs otherwise. */
const isOutage = (text: string): boolean =>
  /unavailable|unreachable|refused|ECONN|ETIMEDOUT|\bdown\b/iu.test(text.replace(/no evidence that the service is down/giu, ''));

test('an alert whose metrics time out leads to the logs, and to no restart', async (t) => {
  const { rig, services } = await setUp(t);
  services.fail('/metrics', { kind: 'hang' });
  const deps = { baseUrl: services.url };
  const tools = [createMetricsTool(deps), createLogsTool(deps), createRestartTool(deps)] as Tool[];
  decideBy(rig, (results) => {
    const last = results.at(-1);
    if (last === undefined) return calls(call('query_metrics', { service: 'checkout', minutes: 10 }));
    if (isOutage(last)) return calls(call('restart_service', { service: 'checkout', reason: 'it seems to be down' }));
    if (results.length === 1) return calls(call('fetch_logs', { service: 'checkout', lines: 20 }));
    return { text: 'The payment provider is slow; the metrics gave no answer in time, which says nothing about the service.' };
  });
  const { answer, requests, result } = await rig.ask([], { tools, input: { question: 'ALERT checkout: p95 above 2 s' } });
  assert.match(answer.text, /payment provider is slow/u);
  assert.deepEqual(result.tools, ['query_metrics', 'fetch_logs']);
  assert.deepEqual(
    services.requests.filter((line) => line.startsWith('POST')),
    [],
  );
  assert.match(JSON.stringify(requests[1]?.messages), /no evidence that the service is down/u);
});

const WARRANTY = passageOf('w', 'Devices are sturdy. The warranty of the Aster kettle is two years.');
const knowledge = { search: async () => ({ passages: [WARRANTY], mode: 'words' as const, documents: 1 }) };

test('a ticket whose first source answers 500 is answered from another, and says what is missing', async (t) => {
  const { rig, services } = await setUp(t);
  services.fail('/orders', { kind: 'status', status: 500 });
  const tools = [createOrderTool({ baseUrl: services.url }), createSearchKnowledge({ knowledge })] as Tool[];
  decideBy(rig, ([order, found]) => {
    if (order === undefined) return calls(call('query_order', { number: 'A-1001' }));
    if (found === undefined) return calls(call('search_knowledge', { query: 'warranty of the Aster kettle' }));
    return { text: 'The warranty of the Aster kettle is two years [1]. I could not read order A-1001.' };
  });
  const { answer, requests } = await rig.ask([], {
    tools,
    input: { question: 'Ticket 7: order A-1001, is it still in warranty?' },
  });
  assert.match(answer.text, /two years \[1\].*could not read order A-1001/u);
  assert.equal(answer.citations[0]?.chunkId, 'w');
  assert.doesNotMatch(JSON.stringify(requests[1]?.messages), /HTTP 500|127\.0\.0\.1/u);
});

test('a source that drops its connections is tried three times, and then another one answers', async (t) => {
  const { rig, services } = await setUp(t);
  services.fail('/orders', { kind: 'reset' });
  const tools = [createOrderTool({ baseUrl: services.url }), createSearchKnowledge({ knowledge })] as Tool[];
  decideBy(rig, ([order, found]) => {
    if (order === undefined) return calls(call('query_order', { number: 'A-1001' }));
    if (found === undefined) return calls(call('search_knowledge', { query: 'warranty' }));
    return { text: `The warranty is two years [1]; the order service: ${String(fieldOf(order, 'kind'))}.` };
  });
  const { answer } = await rig.ask([], { tools });
  assert.equal(answer.text, 'The warranty is two years [1]; the order service: network.');
  assert.equal(services.requests.length, 3);
});

test('a mixed question asks the database and the documents at the same time, and then calculates', async (t) => {
  const { rig, folder } = await setUp(t);
  const file = join(folder, 'sales.db');
  createSampleDatabase(file);
  const order: string[] = [];
  const slowly = (tool: Tool): Tool => ({
    ...tool,
    run: async (args, context) => {
      order.push(`${tool.name} begins`);
      await rig.clock.sleep(1_000, context.signal);
      const value = await tool.run(args, context);
      order.push(`${tool.name} ends`);
      return value;
    },
  });
  const tools = [
    slowly(createDatabaseTool({ file }) as Tool),
    slowly(createSearchKnowledge({ knowledge }) as Tool),
    createCalculator() as Tool,
  ];
  decideBy(rig, ([sales, found, sum]) => {
    if (sales === undefined || found === undefined) {
      return calls(
        call('query_database', { query: 'revenue_by_month', product: 'Aster kettle' }),
        call('search_knowledge', { query: 'warranty of the Aster kettle' }),
      );
    }
    const months = fieldOf(sales, 'rows') as readonly { readonly revenue: number }[];
    if (sum === undefined) return calls(call('calculator', { expression: months.map(({ revenue }) => revenue).join(' + ') }));
    return { text: `Revenue was ${String(fieldOf(sum, 'value'))}; the warranty of the Aster kettle is two years [1].` };
  });
  const { answer, result } = await rig.ask([], { tools, input: { question: 'Revenue of the Aster kettle, and its warranty?' } });
  assert.equal(answer.text, `Revenue was ${(40 + 35 + 50) * 79}; the warranty of the Aster kettle is two years [1].`);
  assert.deepEqual(order.slice(0, 2), ['query_database begins', 'search_knowledge begins']);
  assert.deepEqual(result.tools, ['query_database', 'search_knowledge', 'calculator']);
  assert.equal(answer.citations.length, 1);
});
