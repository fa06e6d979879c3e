/** Tool calls that give the model its result: 72.3 % to 96.4 % (write-up 003). */

import { createOpenAIProvider, DEFAULT_OPENAI_LIMITS } from '../../models/openai.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { createModelSimulator } from '../../simulator/model.ts';
import { createIdleClock } from '../faults/idle-clock.ts';
import type { BenchRow } from '../row.ts';
import { playNaive, playOurs, type Setting, type Tally } from './arena.ts';
import { rowOf, SEEDS } from './gate.ts';
import { createTask, type FaultPlan } from './plan.ts';
import { createTaskPolicy } from './policy.ts';

/** Calls written as text are malformed in 8 %, in the provider's own form in 0.5 %: both published. */
const PLAN: FaultPlan = { malformed: 0.08, transient: 0.17, permanent: 0.0265, sticky: 0 };
const NATIVE_MALFORMED = 0.005;
const TASKS = 700;
const WIRE_TASKS = 100;

const settingOf = (seed: number, tasks = TASKS): Setting => ({
  seed,
  plan: PLAN,
  sessions: Array.from({ length: tasks }, (_value, n) => ({ tasks: [createTask(seed, `s${seed}-${n}`, PLAN, { needs: 3 })] })),
});

const share = ({ succeeded, calls }: Tally): number => succeeded / calls;

/** The same tasks over loopback, through the product's own provider and the scripted server. */
const overTheWire = async (setting: Setting): Promise<Tally> => {
  const clock = createIdleClock();
  const tasks = new Map(setting.sessions.flatMap((session) => session.tasks).map((task) => [task.id, task]));
  const policy = createTaskPolicy({ seed: setting.seed, tasks, malformed: NATIVE_MALFORMED });
  const simulator = await createModelSimulator({ clock, policy });
  try {
    const model = createOpenAIProvider({
      baseUrl: simulator.url,
      apiKey: '',
      model: 'policy',
      limits: DEFAULT_OPENAI_LIMITS,
      clock,
      logger: silentLogger,
    });
    return await playOurs(setting, NATIVE_MALFORMED, { over: { model, clock } });
  } finally {
    await simulator.close();
  }
};

export async function* successCases(): AsyncGenerator<BenchRow> {
  const naive: Tally[] = [];
  const ours: Tally[] = [];
  const withoutRetry: Tally[] = [];
  const asText: Tally[] = [];
  for (const seed of SEEDS) {
    const setting = settingOf(seed);
    naive.push(await playNaive(setting));
    ours.push(await playOurs(setting, NATIVE_MALFORMED));
    withoutRetry.push(await playOurs(setting, NATIVE_MALFORMED, { layers: { retry: false } }));
    asText.push(await playOurs(setting, PLAN.malformed));
  }
  const calls = (tallies: readonly Tally[]): number => tallies.reduce((sum, tally) => sum + tally.calls, 0);
  const common = { case: 'tool calls that succeed', unit: 'share' };
  const before = naive.map(share);
  yield rowOf({ ...common, metric: 'naive', values: before, n: calls(naive), published: '0.723', within: [0.7, 0.78] });
  yield rowOf({
    ...common,
    metric: 'ours',
    values: ours.map(share),
    n: calls(ours),
    published: '0.964',
    within: [0.956, 0.972],
    against: { name: 'naive', values: before },
  });
  yield rowOf({ ...common, metric: 'ours_without_retry', values: withoutRetry.map(share), n: calls(withoutRetry) });
  yield rowOf({ ...common, metric: 'ours_with_calls_as_text', values: asText.map(share), n: calls(asText) });
  const refused = (tally: Tally): number =>
    tally.requests.filter(({ violations }) => violations > 0).length / tally.requests.length;
  const linted = { case: 'requests that a strict endpoint refuses', unit: 'share' };
  yield rowOf({
    ...linted,
    metric: 'naive',
    values: naive.map(refused),
    n: naive.reduce((sum, { requests }) => sum + requests.length, 0),
  });
  yield rowOf({
    ...linted,
    metric: 'ours',
    values: ours.map(refused),
    n: ours.reduce((sum, { requests }) => sum + requests.length, 0),
    within: [0, 0],
  });

  const [first = 1] = SEEDS;
  const few = settingOf(first, WIRE_TASKS);
  const wire = await overTheWire(few);
  const inProcess = await playOurs(few, NATIVE_MALFORMED);
  yield rowOf({
    ...common,
    metric: 'ours_over_the_wire',
    values: [share(wire)],
    n: wire.calls,
    published: 'not; the same tasks in this process give the same',
    within: [share(inProcess), share(inProcess)],
  });
}
