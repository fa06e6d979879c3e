/** Errors that pass when tried again: 40 % to 100 % (write-up 004); those that do not pass are never tried again. */
import type { BenchRow } from '../row.ts';
import { playNaive, playOurs, type Setting, type Tally } from './arena.ts';
import { mean, rowOf, SEEDS } from './gate.ts';
import { createTask, type FaultPlan, isPermanent } from './plan.ts';

/** A tool that fails in 60 % of its tries, as its account had it; one entry in ten does not exist. */
const PLAN: FaultPlan = { malformed: 0, transient: 0.6, permanent: 0.1, sticky: 0 };
/** The person asks up to four times. */
const ASKS_AGAIN = 3;

/** Each with 2,000 calls and more a seed: with one call a session, and with several. */
const ONE_CALL = 2_100;
const FEW_CALLS = 1_500;
const MANY_CALLS = 700;

const settingOf = (seed: number, sessions: number, asksAgain: number): Setting => ({
  seed,
  plan: PLAN,
  sessions: Array.from({ length: sessions }, (_value, n) => ({
    tasks: [createTask(seed, `r${seed}-${n}`, PLAN, { needs: 1 })],
    asksAgain,
  })),
});

const callsOf = (tallies: readonly Tally[]): number => tallies.reduce((sum, { calls }) => sum + calls, 0);

/** Of the tasks that can be solved at all. */
const recovered = (tally: Tally, at: number): number => {
  const seed = SEEDS[at] as number;
  const solvable = settingOf(seed, tally.solved.length, 0).sessions.map(
    ({ tasks }) => !isPermanent(seed, PLAN, tasks[0]?.needs[0]?.x ?? ''),
  );
  return mean(tally.solved.flatMap((solved, n) => (solvable[n] === true ? [solved ? 1 : 0] : [])));
};

export async function* recoveryCases(): AsyncGenerator<BenchRow> {
  const naive: Tally[] = [];
  const once: Tally[] = [];
  const ours: Tally[] = [];
  const withoutRetry: Tally[] = [];
  for (const seed of SEEDS) {
    naive.push(await playNaive(settingOf(seed, ONE_CALL, 0), { crashes: true }));
    once.push(await playOurs(settingOf(seed, ONE_CALL, 0), 0));
    ours.push(await playOurs(settingOf(seed, FEW_CALLS, ASKS_AGAIN), 0));
    withoutRetry.push(await playOurs(settingOf(seed, MANY_CALLS, ASKS_AGAIN), 0, { layers: { retry: false } }));
  }
  const common = { case: 'recoverable errors recovered', unit: 'share' };
  yield rowOf({ ...common, metric: 'naive', values: naive.map(recovered), n: callsOf(naive), published: '0.40' });
  yield rowOf({ ...common, metric: 'ours_in_one_turn', values: once.map(recovered), n: callsOf(once) });
  yield rowOf({
    ...common,
    metric: 'ours_in_up_to_four_turns',
    values: ours.map(recovered),
    n: callsOf(ours),
    published: '1.00',
    within: [0.99, 1],
  });
  yield rowOf({ ...common, metric: 'ours_without_retry', values: withoutRetry.map(recovered), n: callsOf(withoutRetry) });
  yield rowOf({
    case: 'permanent errors tried again',
    metric: 'ours',
    unit: 'tries',
    values: ours.map(({ permanentRetries }) => permanentRetries),
    n: callsOf(ours),
    within: [0, 0],
  });
}
