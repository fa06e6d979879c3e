/** What each layer is worth in the measure that it is there for: the same with it and without it. */
import type { LoopLayers } from '../../agent/layers.ts';
import type { ModelPolicy } from '../../simulator/model-policy.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { pastTurn } from '../faults/rig.ts';
import type { BenchRow } from '../row.ts';
import { drive } from './arena.ts';
import { askOnce, type OnceOptions, toolOf } from './ask-once.ts';
import { rowOf } from './gate.ts';
import { documentOf } from './plan.ts';
import { createExactCounter } from './tokens.ts';

interface LayerCase {
  readonly layer: keyof LoopLayers;
  readonly case: string;
  readonly unit: string;
  /** The share of the figure without the layer that may be left with it. */
  readonly atMost: number;
  measure(
    ask: (options: Omit<OnceOptions, 'clock' | 'layers'>) => ReturnType<typeof askOnce>,
    sleep: (ms: number) => Promise<void>,
  ): Promise<number>;
}

const stepOf: (messages: Parameters<ModelPolicy>[0]['messages']) => number = (messages) =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user')).filter(({ role }) => role === 'assistant').length;

/** Calls `name` for something else in each step, up to so many. */
const eachStep =
  (name: string, steps: number): ModelPolicy =>
  ({ messages, tools = [] }) => {
    const step = stepOf(messages);
    const isOver =
      tools.length === 0 || step >= steps || messages.some(({ content }) => String(content).includes('"kind":"set_aside"'));
    return isOver ? { text: 'This is what I have.' } : { calls: [{ name, arguments: JSON.stringify({ x: `part ${step}` }) }] };
  };

const SUBJECTS =
  'weather orders invoices stock holidays deliveries refunds repairs dealers prices offers contracts payroll travel rooms parking badges laptops printers visitors'.split(
    ' ',
  );

const LAYER_CASES: readonly LayerCase[] = [
  {
    layer: 'degradation',
    case: 'tries of a tool that is down, five things asked of it',
    unit: 'tries',
    atMost: 0.5,
    measure: async (ask) => {
      let tries = 0;
      const down = toolOf('lookup', async () => {
        tries += 1;
        throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      });
      await ask({ policy: eachStep('lookup', 5), tools: [down] });
      return tries;
    },
  },
  {
    layer: 'window',
    case: 'input tokens of a question after 60 turns',
    unit: 'tokens',
    atMost: 0.5,
    measure: async (ask) => {
      const history = Array.from({ length: 60 }, (_value, n) => pastTurn(n, `What about part ${n}?`, documentOf(`p${n}`, 600)));
      const { requests } = await ask({ policy: eachStep('lookup', 0), tools: [], history, limits: { windowTurns: 6 } });
      return requests[0]?.inputTokens ?? 0;
    },
  },
  {
    layer: 'parallel',
    case: 'two tools of 1.25 s on a clock of its own',
    unit: 'ms',
    atMost: 0.51,
    measure: async (ask, sleep) => {
      const slow = toolOf('lookup', async (x) => {
        await sleep(1_250);
        return x;
      });
      const policy: ModelPolicy = ({ messages }) =>
        stepOf(messages) > 0
          ? { text: 'Both.' }
          : { calls: ['a', 'b'].map((x) => ({ name: 'lookup', arguments: JSON.stringify({ x }) })) };
      return (await ask({ policy, tools: [slow] })).durationMs;
    },
  },
  {
    layer: 'resultCap',
    case: 'input tokens after a result of 300,000 characters',
    unit: 'tokens',
    atMost: 0.2,
    measure: async (ask) => {
      const big = toolOf('lookup', async (x) => documentOf(x, 300_000));
      const { requests } = await ask({ policy: eachStep('lookup', 1), tools: [big] });
      return requests[1]?.inputTokens ?? 0;
    },
  },
  {
    layer: 'router',
    case: 'input tokens of a question with 20 tools',
    unit: 'tokens',
    atMost: 0.9,
    measure: async (ask) => {
      const tools = SUBJECTS.map((subject) => ({
        ...toolOf(`query_${subject}`, async (x) => x),
        description: `Looks ${subject} up by name or number, with their state and their history. Use it for questions about ${subject}.`,
      }));
      const { requests } = await ask({
        policy: eachStep('query_orders', 0),
        tools,
        question: 'Where are the orders of last week?',
      });
      return requests[0]?.inputTokens ?? 0;
    },
  },
  {
    layer: 'budgets',
    case: 'tokens of a run without an end, with 20,000 allowed',
    unit: 'tokens',
    atMost: 0.8,
    measure: async (ask) => {
      const { requests } = await ask({
        policy: eachStep('lookup', 40),
        tools: [toolOf('lookup', async (x) => documentOf(x, 2_000))],
        limits: { steps: 40 },
        budgets: { run: { tokens: 20_000 }, person: {}, channel: {}, day: {}, prices: { inputUsd: 0, outputUsd: 0 } },
      });
      return requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    },
  },
];

export async function* layerCases(): AsyncGenerator<BenchRow> {
  const countTokens = await createExactCounter();
  for (const { layer, case: name, unit, atMost, measure } of LAYER_CASES) {
    const measureWith = (isOn: boolean): Promise<number> => {
      const clock = createFakeClock();
      const ask = (options: Omit<OnceOptions, 'clock' | 'layers'>): ReturnType<typeof askOnce> =>
        askOnce({ countTokens, ...options, clock, layers: { [layer]: isOn } });
      return drive(clock, measure(ask, clock.sleep));
    };
    const without = await measureWith(false);
    const against = { name: `without ${layer}`, values: [without] };
    const common = { case: name, unit, n: 1 };
    yield rowOf({ ...common, metric: 'without_the_layer', values: [without] });
    yield rowOf({
      ...common,
      metric: 'with_the_layer',
      values: [await measureWith(true)],
      within: [0, without * atMost],
      against,
    });
  }
}
