/**
 * The figures of five published accounts of hand-written agent loops, measured on the loop they began with and on ours under the
 * same seeded faults. The rates of faults are solved from the published "before"; so what is shown is that the mechanisms make
 * the published "after" of it, not that a real model would behave so.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { BenchRow } from './row.ts';

const GROUPS = ['success', 'completion', 'loops', 'recovery', 'tokens', 'latency', 'layers', 'model'] as const;
const LONGEST_FIRST = ['tokens', 'recovery', 'completion', 'success', 'loops', 'latency', 'layers', 'model'] as const;
const AT_ONCE = 2;

const runGroup = async (name: string): Promise<readonly BenchRow[]> => {
  const worker = new Worker(new URL('published/worker.ts', import.meta.url), { workerData: name });
  // Rejects with what the thread threw.
  const [rows] = (await once(worker, 'message')) as [readonly BenchRow[]];
  return rows;
};

export async function* run(): AsyncGenerator<BenchRow> {
  const waiting = [...LONGEST_FIRST];
  const done = new Map(GROUPS.map((name) => [name, Promise.withResolvers<readonly BenchRow[]>()]));
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) done.get(name)?.resolve(await runGroup(name));
  };
  const threads = Promise.all(Array.from({ length: AT_ONCE }, work));
  // A group that fails ends the benchmark, whichever is waited for.
  const failure = threads.then(() => new Promise<never>(() => undefined));
  failure.catch(() => undefined);
  for (const name of GROUPS) {
    const rows = await Promise.race([failure, done.get(name)?.promise ?? []]);
    yield* rows;
  }
  await threads;
}
