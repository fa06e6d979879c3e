/** From the command line to the answer over the sample knowledge base, on a set-up with nothing left to do, in parts. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { systemClock } from '../ops/clock.ts';
import type { BenchRow } from './row.ts';

const LAUNCHER = fileURLToPath(new URL('../threadwise', import.meta.url));
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const QUESTION = 'How long is the warranty?';
const TIMEOUT_MS = 60_000;

const output = z.object({ ms: z.number(), answered: z.literal(true) });
const runFile = promisify(execFile);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export async function* run({ full }: { readonly full: boolean }): AsyncGenerator<BenchRow> {
  const rounds = full ? 25 : 7;
  const folder = await mkdtemp(join(tmpdir(), 'threadwise-start-'));
  const timed = async (file: string, args: readonly string[]): Promise<{ readonly ms: number; readonly stdout: string }> => {
    const startedAt = systemClock.monotonic();
    const { stdout } = await runFile(file, [...args], { timeout: TIMEOUT_MS });
    return { ms: systemClock.monotonic() - startedAt, stdout };
  };
  const times = { total: [] as number[], without_launcher: [] as number[], run: [] as number[], node: [] as number[] };
  try {
    const ask = ['ask', '--json', '--data', folder, QUESTION];
    await timed(LAUNCHER, ask);
    for (let round = 0; round < rounds; round++) {
      const total = await timed(LAUNCHER, ask);
      times.total.push(total.ms);
      times.run.push(output.parse(JSON.parse(total.stdout)).ms);
      times.without_launcher.push((await timed(process.execPath, [MAIN, ...ask])).ms);
      times.node.push((await timed(process.execPath, ['--eval', '0'])).ms);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const row = (part: string, value: number): BenchRow => ({
    bench: 'start',
    case: part,
    metric: 'median_ms',
    value: Math.round(value),
    unit: 'ms',
    n: rounds,
  });
  const [total, direct] = [median(times.total), median(times.without_launcher)];
  yield row('question to answer', total);
  yield row('of it the launcher', Math.max(0, total - direct));
  yield row('of it the run', median(times.run));
  yield row('of it an empty Node process', median(times.node));
}
