/** One engine with one number of rows, in a process of its own: what it holds and how it holds the process up is its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../ops/clock.ts';
import { createBatches, createRow, FILTERS, findFloors, type Row } from './corpus.ts';
import { createEngine, type EngineName } from './engines.ts';

export interface Task {
  readonly engine: EngineName;
  readonly size: number;
  readonly dimensions: number;
  /** One after the other. */
  readonly texts: Float32Array;
  readonly queries: Float32Array;
  /** At least so many searches for each filter, and so many additions and removals. */
  readonly searches: number;
  readonly changes: number;
}

export interface Measure {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  readonly n: number;
}

export interface Measured {
  readonly measures: readonly Measure[];
  readonly note: string | null;
}

/** Searches whose hits are compared with a plain scan. */
const CHECKED = 40;
/** Searches go on so long, so that the delay of the loop is sampled often enough for a quantile. */
const MIN_SEARCHING_MS = 400;
/** Longer than this no one else in the process may wait for its loop. */
const MAX_HOLD_MS = 50;
const MEBIBYTE = 1024 * 1024;

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

/** Of this process and those that it started, where the system tells. */
const residentBytes = (): number => {
  globalThis.gc?.();
  const residentOf = (pid: string): number =>
    1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  try {
    const children = readdirSync('/proc/self/task').flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    );
    return [...children, 'self'].reduce((sum, pid) => sum + residentOf(pid), 0);
  } catch {
    return process.memoryUsage.rss();
  }
};

/**
 * The processor time of this thread between two turns of the loop: on a busy machine others take the rest. Many systems count it in
 * ticks of 4 ms.
 */
const createHoldWatch = () => {
  let longestMs = 0;
  let tooLong = 0;
  let samples = 0;
  let isOn = false;
  let last = process.threadCpuUsage();
  const sample = (): void => {
    const used = process.threadCpuUsage(last);
    const heldMs = (used.user + used.system) / 1000;
    if (isOn) {
      longestMs = Math.max(longestMs, heldMs);
      tooLong += heldMs > MAX_HOLD_MS ? 1 : 0;
      samples++;
    }
    last = process.threadCpuUsage();
    systemClock.after(1, sample);
  };
  sample();
  return {
    /** Only what happens inside counts. */
    watch: async <T>(work: () => Promise<T>): Promise<T> => {
      await systemClock.sleep(2);
      isOn = true;
      try {
        return await work();
      } finally {
        // A hold is counted when the loop turns again.
        await systemClock.sleep(2);
        isOn = false;
      }
    },
    outcome: () => ({ longestMs, tooLong, samples }),
  };
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = systemClock.monotonic();
  await work();
  return systemClock.monotonic() - startedAt;
};

const measure = async (task: Task): Promise<Measured> => {
  const { size, dimensions, texts, searches, changes } = task;
  const queries = Array.from({ length: task.queries.length / dimensions }, (_, n) =>
    task.queries.slice(n * dimensions, (n + 1) * dimensions),
  );
  const checked = queries.slice(0, CHECKED);
  const floors = findFloors(texts, dimensions, size, checked);
  const measures: Measure[] = [];
  const note = (metric: string, value: number, unit: string, n: number): void => void measures.push({ metric, value, unit, n });

  const before = residentBytes();
  const engine = createEngine(task.engine, dimensions, size);
  const holds = createHoldWatch();
  let buildMs = 0;
  for (const batch of createBatches(texts, dimensions, size)) {
    await nextTurn();
    buildMs += await holds.watch(() => timed(() => engine.add(batch)));
  }
  buildMs += await holds.watch(() => timed(() => engine.settle()));
  note('build_ms', buildMs, 'ms', size);
  note('memory_mib', (residentBytes() - before) / MEBIBYTE, 'MiB', size);
  const state = engine.note();

  let delayMs = 0;
  let searched = 0;
  for (const [at, { percent, labels }] of FILTERS.entries()) {
    let found = 0;
    for (const [number, query] of checked.entries()) {
      const floor = floors[at]?.[number] ?? 1;
      for (const id of await engine.search(query, labels, percent / 100)) {
        const { vector } = createRow(texts, dimensions, Number(id.slice('row-'.length)));
        const score = vector.reduce((sum, value, i) => sum + value * (query[i] ?? 0), 0);
        if (score >= floor - 1e-6) found++;
      }
    }
    const times: number[] = [];
    // A new one: one that is switched on again counts the time it was off as a delay.
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await holds.watch(async () => {
      const startedAt = systemClock.monotonic();
      for (let n = 0; n < searches || systemClock.monotonic() - startedAt < MIN_SEARCHING_MS; n++) {
        const query = queries[n % queries.length] as Float32Array;
        times.push(await timed(() => engine.search(query, labels, percent / 100)));
        await nextTurn();
      }
    });
    delay.disable();
    delayMs = Math.max(delayMs, delay.percentile(99) / 1e6 - 1);
    searched += times.length;
    // What a busy machine takes the least from.
    note(`search_${percent}_min_ms`, Math.min(...times), 'ms', times.length);
    note(`search_${percent}_p50_ms`, quantile(times, 0.5), 'ms', times.length);
    note(`search_${percent}_p99_ms`, quantile(times, 0.99), 'ms', times.length);
    note(`recall@10_${percent}`, found / (checked.length * 10), 'share', checked.length);
  }
  // The worst of the filters.
  note('loop_delay_p99_ms', delayMs, 'ms', searched);

  const fresh = Array.from({ length: changes }, (_, n): Row => createRow(texts, dimensions, size + n));
  const additions: number[] = [];
  const removals: number[] = [];
  await holds.watch(async () => {
    for (const row of fresh) {
      additions.push(await timed(() => engine.add([row])));
      await nextTurn();
    }
    for (const { id } of fresh) {
      removals.push(await timed(() => engine.remove(id)));
      await nextTurn();
    }
  });
  note('add_one_p50_ms', quantile(additions, 0.5), 'ms', changes);
  note('delete_one_p50_ms', quantile(removals, 0.5), 'ms', changes);
  const { longestMs, tooLong, samples } = holds.outcome();
  note('max_hold_ms', longestMs, 'ms', samples);
  note(`holds_over_${MAX_HOLD_MS}_ms`, tooLong, 'turns', samples);
  await engine.close();
  return { measures, note: state ?? null };
};

// A listener that stays keeps the process while it waits for another.
process.on('message', (message) => {
  void measure(message as Task).then((measured) => process.send?.(measured, () => process.exit()));
});
