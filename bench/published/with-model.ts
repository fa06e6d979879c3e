/**
 * What only a real model can show. Each figure is listed; the choice of tools is measured where a model is configured, with the
 * examples' tools and questions that have one right tool.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { JsonObject } from '../../agent/json.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { SYSTEM_PROMPT } from '../../agent/system-prompt.ts';
import { createDatabaseTool } from '../../examples/tools/database.ts';
import { createFolderTransport, createMailTool } from '../../examples/tools/mail.ts';
import { createLogsTool, createMetricsTool, createRestartTool } from '../../examples/tools/operations.ts';
import { createOrderTool } from '../../examples/tools/order.ts';
import { createWeatherTool } from '../../examples/tools/weather.ts';
import { createOpenAIProvider, DEFAULT_OPENAI_LIMITS } from '../../models/openai.ts';
import { systemClock } from '../../ops/clock.ts';
import { loadConfig } from '../../ops/config.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { createCalculator } from '../../tools/calculator.ts';
import type { BenchRow } from '../row.ts';

const NOT_REPRODUCIBLE: readonly (readonly [string, string])[] = [
  ['the right tool chosen', '0.88, 0.91, 0.95'],
  ['trigger phrases in descriptions', '0.85 to 0.95 of 20 samples: no evidence (Fisher p = 0.61)'],
  ['after an error: repairs, switches, gives up', '0.73, 0.18, 0.09: given to the scripted model, not measured'],
  ['seconds a decision', '4.2 to 1.8'],
  ['a small model beside a large one', '3 points'],
];

const QUESTIONS: readonly (readonly [string, string])[] = [
  ['How warm is it in Lisbon right now?', 'get_weather'],
  ['Do I need an umbrella in Shanghai today?', 'get_weather'],
  ['北京现在多少度？', 'get_weather'],
  ['Where is my order A-1001?', 'query_order'],
  ['What did order A-1001 cost in the end?', 'query_order'],
  ['订单 A-1001 发货了吗？', 'query_order'],
  ['ALERT payments: error rate above 5 % for 10 minutes', 'query_metrics'],
  ['Is the latency of search back to normal?', 'query_metrics'],
  ['Show me what checkout has been logging.', 'fetch_logs'],
  ['The metrics of checkout say nothing. What do its log lines say?', 'fetch_logs'],
  ['Checkout logs show it ran out of memory and hangs. Restart it.', 'restart_service'],
  ['How many Aster kettles did we sell?', 'query_database'],
  ['Revenue of the Wren grinder month by month, please.', 'query_database'],
  ['Wren 磨豆机卖了多少台？', 'query_database'],
  ['Mail ops@example.com that the maintenance is over.', 'send_email'],
  ['Tell finance@example.com by mail that the invoice was wrong.', 'send_email'],
  ['What is 17.5 % of 2,480?', 'calculator'],
  ['(1299 - 15%) * 3', 'calculator'],
  ['一共 48 箱，每箱 36 瓶，总共多少瓶？', 'calculator'],
  ['Split 940 euros over 7 people.', 'calculator'],
];

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

export async function* modelCases(): AsyncGenerator<BenchRow> {
  const { model } = loadConfig({ env: process.env, readFile: readText });
  for (const [name, published] of NOT_REPRODUCIBLE) {
    if (model.provider !== 'extractive' && name === 'the right tool chosen') continue;
    const note = `published: ${published}; needs a real model`;
    yield { bench: 'published', case: name, metric: 'needs_a_model', value: 'not measured', unit: 'outcome', n: 0, note };
  }
  if (model.provider === 'extractive') return;

  const provider = createOpenAIProvider({
    baseUrl: model.baseUrl,
    apiKey: model.apiKey?.reveal() ?? '',
    model: model.name,
    limits: DEFAULT_OPENAI_LIMITS,
    clock: systemClock,
    logger: silentLogger,
  });
  // Nothing is run: the choice alone is looked at.
  const deps = { baseUrl: 'http://127.0.0.1' };
  const tools = [
    createWeatherTool(deps),
    createOrderTool(deps),
    createMetricsTool(deps),
    createLogsTool(deps),
    createRestartTool(deps),
    createDatabaseTool({ file: '' }),
    createMailTool({ transport: createFolderTransport({ folder: '' }) }),
    createCalculator(),
  ] as readonly Tool[];
  const specs = tools.map(({ name, description, parameters }) => {
    const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: 'input' });
    return { name, description, parameters: schema as JsonObject };
  });
  let right = 0;
  for (const [question, expected] of QUESTIONS) {
    const messages = [
      { role: 'system' as const, content: SYSTEM_PROMPT },
      { role: 'user' as const, content: question },
    ];
    const turn = await provider.ask({ messages, tools: specs }, { signal: new AbortController().signal });
    if (turn.toolCalls[0]?.name === expected) right += 1;
  }
  yield {
    bench: 'published',
    case: 'the right tool chosen',
    metric: provider.id,
    value: right / QUESTIONS.length,
    unit: 'share',
    n: QUESTIONS.length,
    note: 'published: 0.88, 0.91, 0.95',
  };
}
