/** Runs that turn in circles: 11.5 % to none (write-up 003), and a failing database called 14 times (write-up 004). */
import type { BenchRow } from '../row.ts';
import { playNaive, playOurs, type Setting, type Tally } from './arena.ts';
import { mean, rowOf, SEEDS } from './gate.ts';
import { createTask, type FaultPlan } from './plan.ts';

const PLAN: FaultPlan = { malformed: 0, transient: 0, permanent: 0, sticky: 0.115 };
const TASKS = 700;
const MOST_REPEATS = 3;

const settingOf = (seed: number): Setting => ({
  seed,
  plan: PLAN,
  sessions: Array.from({ length: TASKS }, (_value, n) => ({ tasks: [createTask(seed, `l${seed}-${n}`, PLAN, { needs: 3 })] })),
});

/** Each connection to the database breaks, and the model keeps to it. */
const FAILING: FaultPlan = { malformed: 0, transient: 1, permanent: 0, sticky: 1 };
/** Each with 2,000 calls and more a seed. */
const NAIVE_FAILING_TASKS = 150;
const OUR_FAILING_TASKS = 700;
const NAIVE_STEPS = 15;

const failingOf = (seed: number, tasks: number): Setting => ({
  seed,
  plan: FAILING,
  keepsToFailures: true,
  sessions: Array.from({ length: tasks }, (_value, n) => ({
    tasks: [createTask(seed, `d${seed}-${n}`, FAILING, { needs: 1 })],
  })),
});

const looping = ({ runs }: Tally): number => mean(runs.map(({ mostRepeats }) => (mostRepeats > MOST_REPEATS ? 1 : 0)));
const unanswered = ({ runs }: Tally): number => mean(runs.map(({ hasAnswer }) => (hasAnswer ? 0 : 1)));
const runsOf = (tallies: readonly Tally[]): number => tallies.reduce((sum, { runs }) => sum + runs.length, 0);

export async function* loopCases(): AsyncGenerator<BenchRow> {
  const naive: Tally[] = [];
  const ours: Tally[] = [];
  const unguarded: Tally[] = [];
  const naiveFailing: Tally[] = [];
  const oursFailing: Tally[] = [];
  for (const seed of SEEDS) {
    naive.push(await playNaive(settingOf(seed)));
    ours.push(await playOurs(settingOf(seed), 0));
    unguarded.push(await playOurs(settingOf(seed), 0, { layers: { repeatGuard: false } }));
    naiveFailing.push(await playNaive(failingOf(seed, NAIVE_FAILING_TASKS), { maxSteps: NAIVE_STEPS }));
    oursFailing.push(await playOurs(failingOf(seed, OUR_FAILING_TASKS), 0));
  }
  const repeated = { case: 'runs with one call and result more than 3 times', unit: 'share' };
  yield rowOf({
    ...repeated,
    metric: 'naive',
    values: naive.map(looping),
    n: runsOf(naive),
    published: '0.115',
    within: [0.09, 0.14],
  });
  yield rowOf({ ...repeated, metric: 'ours', values: ours.map(looping), n: runsOf(ours), published: '0', within: [0, 0] });
  yield rowOf({ ...repeated, metric: 'ours_without_repeat_guard', values: unguarded.map(looping), n: runsOf(unguarded) });
  const silentRuns = { case: 'runs without an answer', unit: 'share' };
  yield rowOf({ ...silentRuns, metric: 'naive', values: naive.map(unanswered), n: runsOf(naive) });
  yield rowOf({
    ...silentRuns,
    metric: 'ours',
    values: [...ours, ...oursFailing].map(unanswered),
    n: runsOf([...ours, ...oursFailing]),
    within: [0, 0],
  });
  const failing = { case: 'calls of a failing database', unit: 'calls' };
  const callsPerRun = ({ calls, runs }: Tally): number => calls / runs.length;
  yield rowOf({ ...failing, metric: 'naive', values: naiveFailing.map(callsPerRun), n: runsOf(naiveFailing), published: '14' });
  yield rowOf({ ...failing, metric: 'ours', values: oursFailing.map(callsPerRun), n: runsOf(oursFailing), within: [1, 3] });
}
