/** How fast documents become searchable by words and by vectors, what a run without changes costs, and how long it holds the process. */

import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { createEmbedding } from '../agent/embedding.ts';
import { embeddingTexts } from '../knowledge/embedding-text.ts';
import { createParser } from '../knowledge/parser.ts';
import { createSync } from '../knowledge/sync.ts';
import { createLocalEmbedder } from '../models/local-embedder.ts';
import { systemClock } from '../ops/clock.ts';
import { silentLogger } from '../ops/silent-log.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import type { BenchRow } from './row.ts';

/** A public set of 698 short documents, used where it lies beside the checkout. */
const BANKING = fileURLToPath(new URL('../../shared/data/tau2-banking/documents.jsonl', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../examples/knowledge', import.meta.url));
const EXAMPLE_COPIES = 20;
/** The embedder makes some 10 to 20 vectors a second, so that all documents take minutes. */
const VECTOR_DOCUMENTS = 80;
const LARGE_FILE_CHARACTERS = 4_000_000;
const RESOLUTION_MS = 1;

const documentSchema = z.object({ id: z.string(), title: z.string(), content: z.string() });

/** Folders of files: `all`, and `some` for the slower part. */
const writeCorpus = async (folder: string): Promise<{ readonly name: string; readonly all: string; readonly some: string }> => {
  const all = join(folder, 'all');
  const lines = await readFile(BANKING, 'utf8').catch(() => undefined);
  if (lines === undefined) {
    for (let copy = 0; copy < EXAMPLE_COPIES; copy++) await cp(EXAMPLES, join(all, String(copy)), { recursive: true });
    return { name: 'examples', all, some: join(all, '0') };
  }
  const some = join(folder, 'some');
  await mkdir(all);
  await mkdir(some);
  for (const [index, line] of lines.trim().split('\n').entries()) {
    const document = documentSchema.parse(JSON.parse(line));
    const text = `# ${document.title}\n\n${document.content}\n`;
    await writeFile(join(all, `${index}.md`), text);
    if (index < VECTOR_DOCUMENTS) await writeFile(join(some, `${index}.md`), text);
  }
  return { name: 'tau2-banking', all, some };
};

interface Timed<T> {
  readonly result: T;
  readonly ms: number;
  /** The longest that the event loop did not turn, whoever kept the processor. */
  readonly delayMs: number;
  /** The longest that this process's own work kept it from turning. */
  readonly holdMs: number;
}

/** Samples the loop's turns against the processor time of this thread: on a busy machine others take the rest. */
const watchHolds = (): (() => number) => {
  let longestMs = 0;
  let cpu = process.threadCpuUsage();
  let stop = (): void => undefined;
  const sample = (): void => {
    const used = process.threadCpuUsage(cpu);
    longestMs = Math.max(longestMs, (used.user + used.system) / 1000);
    cpu = process.threadCpuUsage();
    stop = systemClock.after(RESOLUTION_MS, sample);
  };
  sample();
  return () => {
    stop();
    return longestMs;
  };
};

const measure = async <T>(work: () => Promise<T>): Promise<Timed<T>> => {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const stopHolds = watchHolds();
  const startedAt = systemClock.monotonic();
  const result = await work();
  const ms = systemClock.monotonic() - startedAt;
  // A hold is counted when the loop turns again.
  await systemClock.sleep(10 * RESOLUTION_MS);
  delay.disable();
  return { result, ms, delayMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS), holdMs: stopHolds() };
};

function* holdRows(row: Pick<BenchRow, 'bench' | 'case' | 'n'>, { delayMs, holdMs }: Timed<unknown>): Generator<BenchRow> {
  yield { ...row, metric: 'max_hold_ms', value: holdMs, unit: 'ms' };
  yield { ...row, metric: 'max_loop_delay_ms', value: delayMs, unit: 'ms' };
}

/** A store of its own with everything that ingests into it. */
const openBase = (folder: string) => {
  const opened = openSqliteStore({ folder, clock: systemClock });
  const parser = createParser({ clock: systemClock, logger: silentLogger });
  const sync = createSync({ store: opened.knowledge, clock: systemClock, logger: silentLogger, parse: parser.parse });
  const close = async (): Promise<void> => {
    await parser.close();
    await opened.close();
  };
  return { store: opened.knowledge, sync, close };
};

const LABEL = { label: 'everyone' };

async function* measureWords(folder: string, corpus: string, path: string): AsyncGenerator<BenchRow> {
  const base = openBase(join(folder, 'words'));
  try {
    const first = await measure(() => base.sync.syncPaths([path], LABEL));
    const { documents, chunks } = await base.store.countDocuments();
    const row = { bench: 'ingest', case: `${corpus}: word-ready` };
    yield { ...row, metric: 'documents_per_second', value: documents / (first.ms / 1000), unit: '1/s', n: documents };
    yield { ...row, metric: 'chunks_per_second', value: chunks / (first.ms / 1000), unit: '1/s', n: chunks };
    yield* holdRows({ ...row, n: documents }, first);
    const again = await measure(() => base.sync.syncPaths([path], LABEL));
    const same = { bench: 'ingest', case: `${corpus}: unchanged`, n: again.result.unchanged };
    yield { ...same, metric: 'rerun_ms', value: again.ms, unit: 'ms', against: 'first run', ratio: again.ms / first.ms };
    yield* holdRows(same, again);
  } finally {
    await base.close();
  }
}

async function* measureVectors(folder: string, corpus: string, path: string): AsyncGenerator<BenchRow> {
  const base = openBase(join(folder, 'vectors'));
  const embedder = createLocalEmbedder({ clock: systemClock, logger: silentLogger });
  try {
    const filled = await measure(async () => {
      await base.sync.syncPaths([path], LABEL);
      return createEmbedding({
        store: base.store,
        embedder,
        textsOf: embeddingTexts(base.store),
        clock: systemClock,
        logger: silentLogger,
      }).fill();
    });
    const { documents } = await base.store.countDocuments();
    const row = { bench: 'ingest', case: `${corpus}: vector-ready` };
    const chunks = filled.result.embedded;
    yield { ...row, metric: 'documents_per_second', value: documents / (filled.ms / 1000), unit: '1/s', n: documents };
    yield { ...row, metric: 'chunks_per_second', value: chunks / (filled.ms / 1000), unit: '1/s', n: chunks };
    yield* holdRows({ ...row, n: chunks }, filled);
  } finally {
    await embedder.close();
    await base.close();
  }
}

/** One file near the limits. */
async function* measureLargeFile(folder: string): AsyncGenerator<BenchRow> {
  const path = join(folder, 'large.txt');
  const paragraph = (at: number): string => `Paragraph ${at} of a long file says what paragraph ${at} says. `.repeat(12).trim();
  const count = Math.floor(LARGE_FILE_CHARACTERS / paragraph(10_000).length);
  await writeFile(path, Array.from({ length: count }, (_, at) => paragraph(at)).join('\n\n'));
  const base = openBase(join(folder, 'large'));
  try {
    const large = await measure(() => base.sync.syncPaths([path], LABEL));
    const { chunks } = await base.store.countDocuments();
    const row = { bench: 'ingest', case: 'one file of 4 MB', n: chunks };
    yield { ...row, metric: 'chunks_per_second', value: chunks / (large.ms / 1000), unit: '1/s' };
    yield* holdRows(row, large);
  } finally {
    await base.close();
  }
}

/** With `full`, vectors are made for every document instead of the first ones. */
export async function* run(options: { readonly full: boolean }): AsyncGenerator<BenchRow> {
  const folder = await mkdtemp(join(tmpdir(), 'threadwise-bench-'));
  try {
    const corpus = await writeCorpus(folder);
    yield* measureWords(folder, corpus.name, corpus.all);
    yield* measureLargeFile(folder);
    yield* measureVectors(folder, corpus.name, options.full ? corpus.all : corpus.some);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
