/** Tasks completed with nothing, with retries, and with everything: 76, 88, 94 % (write-up 002); and what the layers for it add. */
import type { BenchRow } from '../row.ts';
import { playNaive, playOurs, type Setting, type Tally } from './arena.ts';
import { mean, rowOf, SEEDS } from './gate.ts';
import { createTask, type FaultPlan } from './plan.ts';

/**
 * Solved from the published rows, with three calls a task, an exception ending the run (its account says so), and
 * s, t, q for sticky, transient and permanent: (1-s)((1-t)(1-q))^3 = 0.76, (1-s)(1-q)^3 = 0.88, (1-q)^3 = 0.94.
 */
const PLAN: FaultPlan = { malformed: 0, transient: 0.048, permanent: 0.0204, sticky: 0.064 };
const TASKS = 700;
const TOLERANCE = 0.03;

const settingOf = (seed: number): Setting => ({
  seed,
  plan: PLAN,
  sessions: Array.from({ length: TASKS }, (_value, n) => ({ tasks: [createTask(seed, `c${seed}-${n}`, PLAN, { needs: 3 })] })),
});

const completed = ({ runs }: Tally): number => mean(runs.map((run) => (run.isComplete ? 1 : 0)));
const stepsOf = ({ runs }: Tally): number => mean(runs.map(({ steps }) => steps));
const callsOf = (tallies: readonly Tally[]): number => tallies.reduce((sum, { calls }) => sum + calls, 0);

const overSeeds = async (playOne: (setting: Setting) => Promise<Tally>): Promise<readonly Tally[]> => {
  const tallies: Tally[] = [];
  for (const seed of SEEDS) tallies.push(await playOne(settingOf(seed)));
  return tallies;
};

export async function* completionCases(): AsyncGenerator<BenchRow> {
  const nothing = await overSeeds((setting) => playNaive(setting, { crashes: true }));
  const retry = await overSeeds((setting) => playNaive(setting, { crashes: true, tries: 3 }));
  const all = await overSeeds((setting) => playOurs(setting, PLAN.malformed));
  const rows = [
    { metric: 'nothing', tallies: nothing, published: 0.76, steps: '4.1' },
    { metric: 'retry', tallies: retry, published: 0.88, steps: '4.3' },
    { metric: 'all', tallies: all, published: 0.94, steps: '3.8' },
  ];
  for (const { metric, tallies, published } of rows) {
    yield rowOf({
      case: 'tasks completed',
      metric,
      unit: 'share',
      values: tallies.map(completed),
      n: callsOf(tallies),
      published: String(published),
      within: [published - TOLERANCE, published + TOLERANCE],
    });
  }
  for (const { metric, tallies, steps } of rows) {
    yield rowOf({
      case: 'model calls a task',
      metric,
      unit: 'calls',
      values: tallies.map(stepsOf),
      n: callsOf(tallies),
      published: steps,
    });
  }
  const whole = all.map(completed);
  for (const [layer, name] of [
    ['retry', 'share_of_retry'],
    ['repeatGuard', 'share_of_repeat_guard'],
    ['degradation', 'share_of_degradation'],
  ] as const) {
    const without = (await overSeeds((setting) => playOurs(setting, PLAN.malformed, { layers: { [layer]: false } }))).map(
      completed,
    );
    yield rowOf({
      case: 'tasks completed',
      metric: name,
      unit: 'points',
      values: without.map((value, n) => ((whole[n] as number) - value) * 100),
      n: callsOf(all),
    });
  }
}
