/** Time: two tools at once, a conversation that does not slow down, and timeouts that are not taken for outages. */
import { systemClock } from '../../ops/clock.ts';
import type { ModelPolicy } from '../../simulator/model-policy.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import type { BenchRow } from '../row.ts';
import { drive, playNaive, playOurs, type Setting, type Tally } from './arena.ts';
import { askOnce, toolOf } from './ask-once.ts';
import { mean, percentile, rowOf, SEEDS } from './gate.ts';
import { createPolicyModel } from './model.ts';
import { runNaive } from './naive-loop.ts';
import { createTask, type FaultPlan } from './plan.ts';
import { createExactCounter } from './tokens.ts';

const specOf = (name: string) => ({
  name,
  description: `Use ${name} for what it is named after.`,
  parameters: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
});

const TOOL_MS = 1_250;
const PARALLEL_RUNS = 20;

const bothAtOnce: ModelPolicy = ({ messages }) => {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  const made = ['database', 'search'].map((name) => ({ name, arguments: '{"x":"a"}' }));
  return results.length === 0 ? { calls: made } : { text: results.join(' then ') };
};

/** On the machine's own clock. */
async function* parallelCases(): AsyncGenerator<BenchRow> {
  const sleepy = (name: string) => async (): Promise<string> => {
    await systemClock.sleep(TOOL_MS);
    return name;
  };
  const timed = async (work: () => Promise<void>): Promise<number> => {
    const startedAt = systemClock.monotonic();
    await work();
    return systemClock.monotonic() - startedAt;
  };
  const naive = await Promise.all(
    Array.from({ length: PARALLEL_RUNS }, () =>
      timed(async () => {
        const model = createPolicyModel({ policy: bothAtOnce, clock: systemClock });
        const tools = ['database', 'search'].map((name) => ({ spec: specOf(name), run: sleepy(name) }));
        await runNaive([], 'Both?', { model, tools, maxSteps: 8, crashes: false, tries: 1, onCall: () => undefined });
      }),
    ),
  );
  let inOrder = 0;
  const ours = await Promise.all(
    Array.from({ length: PARALLEL_RUNS }, () =>
      timed(async () => {
        const tools = [toolOf('database', sleepy('database')), toolOf('search', sleepy('search'))];
        const { answer } = await askOnce({ clock: systemClock, policy: bothAtOnce, tools });
        if (answer.text === '"database" then "search"') inOrder += 1;
      }),
    ),
  );
  const common = { case: 'two tools of 1.25 s', unit: 'ms' };
  yield rowOf({ ...common, metric: 'naive', values: [mean(naive)], n: naive.length, published: '2,500' });
  yield rowOf({
    ...common,
    metric: 'ours_slowest',
    values: [Math.max(...ours)],
    n: ours.length,
    published: '1,200',
    within: [TOOL_MS - 5, 1_350],
  });
  yield rowOf({
    case: common.case,
    metric: 'results_in_order',
    unit: 'share',
    values: [inOrder / ours.length],
    n: ours.length,
    within: [1, 1],
  });
}

const TIMEOUTS = 100;

/** Restarts on any word of an outage, as the model of write-up 002 did; looks at the logs otherwise. */
const operator: ModelPolicy = ({ messages }) => {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  const last = results.at(-1);
  if (last === undefined) return { calls: [{ name: 'query_metrics', arguments: '{"x":"checkout"}' }] };
  const says = last.replace(/no evidence that the service is down/giu, '');
  if (/unavailable|unreachable|refused|ETIMEDOUT|\bdown\b/iu.test(says) && results.length === 1)
    return { calls: [{ name: 'restart_service', arguments: '{"x":"checkout"}' }] };
  if (results.length === 1) return { calls: [{ name: 'fetch_logs', arguments: '{"x":"checkout"}' }] };
  return { text: 'The payment provider is slow.' };
};

async function* restartCases(): AsyncGenerator<BenchRow> {
  const naive: number[] = [];
  const ours: number[] = [];
  for (const _seed of SEEDS) {
    let naiveRestarts = 0;
    let ourRestarts = 0;
    for (let n = 0; n < TIMEOUTS; n += 1) {
      const clock = createFakeClock();
      const timesOut = async (): Promise<never> => {
        await clock.sleep(5_000);
        throw new Error('connect ETIMEDOUT 10.0.3.7:443: checkout unavailable');
      };
      const tools = [
        { spec: specOf('query_metrics'), run: timesOut },
        { spec: specOf('fetch_logs'), run: async () => 'slow payment provider' },
        { spec: specOf('restart_service'), run: async () => (naiveRestarts += 1) },
      ];
      const model = createPolicyModel({ policy: operator, clock });
      await drive(clock, runNaive([], 'ALERT', { model, tools, maxSteps: 8, crashes: false, tries: 1, onCall: () => undefined }));
      const hangs = toolOf('query_metrics', () => new Promise(() => undefined));
      const logs = toolOf('fetch_logs', async () => 'slow payment provider');
      const restart = toolOf('restart_service', async () => String((ourRestarts += 1)), 'write');
      await drive(clock, askOnce({ clock, policy: operator, tools: [hangs, logs, restart] }));
    }
    naive.push(naiveRestarts);
    ours.push(ourRestarts);
  }
  const common = { case: 'restarts after 100 timeouts', unit: 'restarts', n: TIMEOUTS * SEEDS.length };
  yield rowOf({ ...common, metric: 'naive', values: naive });
  yield rowOf({ ...common, metric: 'ours', values: ours, within: [0, 0] });
}

/** Solved from write-up 004: 1.2 s in the first turn, 3.5 s in the fifth. */
const LATENCY = { baseMs: 700, tokenMs: 0.5 };
const PLAN: FaultPlan = { malformed: 0, transient: 0, permanent: 0, sticky: 0 };
const TURNS = 20;
const TALKS = 20;

async function* growthCases(): AsyncGenerator<BenchRow> {
  const countTokens = await createExactCounter();
  const settingOf = (seed: number): Setting => ({
    seed,
    plan: PLAN,
    latency: LATENCY,
    documentChars: 2_400,
    countTokens,
    sessions: Array.from({ length: TALKS }, (_value, talk) => ({
      tasks: Array.from({ length: TURNS }, (_turn, turn) => createTask(seed, `g${seed}-${talk}-${turn}`, PLAN, { needs: 2 })),
    })),
  });
  const naive: Tally[] = [];
  const ours: Tally[] = [];
  for (const seed of SEEDS) {
    naive.push(await playNaive(settingOf(seed)));
    ours.push(await playOurs(settingOf(seed), 0, { limits: { windowTurns: 6 } }));
  }
  const turnOf = (tally: Tally, turn: number): number =>
    mean(tally.runs.filter((_run, n) => n % TURNS === turn - 1).map(({ tookMs, steps }) => tookMs / steps));
  const n = SEEDS.length * TALKS;
  const common = { case: 'seconds a model call, by a cost for each token', unit: 's' };
  for (const [metric, tallies] of [
    ['naive', naive],
    ['ours', ours],
  ] as const) {
    for (const turn of [1, 5, 20]) {
      yield rowOf({
        ...common,
        metric: `${metric}_turn_${turn}`,
        values: tallies.map((tally) => turnOf(tally, turn) / 1_000),
        n,
      });
    }
    for (const share of [0.5, 0.95]) {
      const values = tallies.map(
        (tally) =>
          percentile(
            tally.runs.filter((_run, at) => at % TURNS < 5).map(({ tookMs }) => tookMs),
            share,
          ) / 1_000,
      );
      const published = share === 0.5 ? '3.2 to 2.4 s' : '9.1 to 6.7 s';
      yield rowOf({
        case: 'seconds a turn, turns 1 to 5',
        metric: `${metric}_p${share * 100}`,
        unit: 's',
        values,
        n: n * 5,
        published,
      });
    }
  }
  yield rowOf({
    case: 'latency of turn 20 by that of turn 3',
    metric: 'ours',
    unit: 'ratio',
    values: ours.map((tally) => turnOf(tally, 20) / turnOf(tally, 3)),
    n,
    within: [0, 1.2],
    against: { name: 'naive', values: naive.map((tally) => turnOf(tally, 20) / turnOf(tally, 3)) },
  });
}

export async function* latencyCases(): AsyncGenerator<BenchRow> {
  yield* parallelCases();
  yield* restartCases();
  yield* growthCases();
}
