/**
 * The vector indexes side by side with LangChain's FaissStore, on embeddings of real texts and variants of them: what it takes to
 * build, to change and to search, with filters that keep a hundredth, a tenth and all of the rows, and what is found.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLocalEmbedder } from '../models/local-embedder.ts';
import { systemClock } from '../ops/clock.ts';
import { silentLogger } from '../ops/silent-log.ts';
import type { BenchRow } from './row.ts';
import { ENGINES, type EngineName } from './vectors/engines.ts';
import type { Measured, Task } from './vectors/measure.ts';

/** 10,003 questions to a bank, a public set, used where it lies beside the checkout. */
const BANKING = fileURLToPath(new URL('../../shared/data/banking77/train.csv', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../examples/knowledge', import.meta.url));
const TEXTS = 1_200;
const QUERIES = 100;
const PEER = 'FaissStore';
const HNSW_FROM = 20_000;

/** Every seventh question, so that all 77 intents occur; one sentence a text where the set is not there. */
const readTexts = async (): Promise<readonly string[]> => {
  const lines = await readFile(BANKING, 'utf8').catch(() => undefined);
  if (lines !== undefined) {
    const questions = lines.trim().split('\n').slice(1);
    return questions.filter((_, at) => at % 7 === 0).map((line) => line.slice(0, line.lastIndexOf(',')).replace(/^"|"$/g, ''));
  }
  const files = globSync('**/*.md', { cwd: EXAMPLES });
  const documents = await Promise.all(files.map((file) => readFile(join(EXAMPLES, file), 'utf8')));
  return documents.flatMap((text) => text.split(/(?<=[.!?])\s+/u));
};

const embed = async () => {
  const embedder = createLocalEmbedder({ clock: systemClock, logger: silentLogger });
  try {
    const texts = await readTexts();
    const queryCount = Math.min(QUERIES, Math.floor(texts.length / 4));
    const chosen = texts.slice(0, TEXTS + queryCount);
    const vectors = await embedder.embed(chosen);
    const concat = (some: readonly Float32Array[]): Float32Array => {
      const joined = new Float32Array(some.length * embedder.dimensions);
      for (const [at, vector] of some.entries()) joined.set(vector, at * embedder.dimensions);
      return joined;
    };
    // What is asked occurs in no row.
    const isQuery = (at: number): boolean => at % Math.floor(vectors.length / queryCount) === 0;
    return {
      dimensions: embedder.dimensions,
      texts: concat(vectors.filter((_, at) => !isQuery(at))),
      queries: concat(vectors.filter((_, at) => isQuery(at))),
    };
  } finally {
    await embedder.close();
  }
};

const runTask = async (task: Task): Promise<Measured> => {
  const child = fork(new URL('./vectors/measure.ts', import.meta.url), [], {
    serialization: 'advanced',
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The measuring of ${task.engine} with ${task.size} rows ended by ${signal ?? `status ${code}`}.`);
  });
  ended.catch(() => undefined);
  child.send(task);
  const [measured] = await Promise.race([once(child, 'message'), ended]);
  return measured as Measured;
};

const asSize = (size: number): string => (size >= 1_000_000 ? `${size / 1_000_000}M` : `${size / 1_000}k`);

export async function* run({ full }: { readonly full: boolean }): AsyncGenerator<BenchRow> {
  const data = await embed();
  const cases: { readonly size: number; readonly engines: readonly EngineName[] }[] = [
    ...[1_000, 20_000, 100_000].map((size) => ({
      size,
      engines: ENGINES.filter((engine) => engine !== 'faiss hnsw' || size >= HNSW_FROM),
    })),
    ...(full ? [{ size: 1_000_000, engines: ['exact', 'faiss flat'] as const }] : []),
  ];
  for (const { size, engines } of cases) {
    const peer = new Map<string, number>();
    for (const engine of engines) {
      const { measures, note } = await runTask({ ...data, engine, size, searches: size > 50_000 ? 100 : 200, changes: 50 });
      for (const { metric, value, unit, n } of measures) {
        if (engine === PEER) peer.set(metric, value);
        const theirs = engine === PEER ? undefined : peer.get(metric);
        yield {
          bench: 'vectors',
          case: `${asSize(size)} ${engine}`,
          metric,
          value,
          unit,
          n,
          ...(theirs === undefined || theirs === 0 ? {} : { against: PEER, ratio: value / theirs }),
          ...(note === null ? {} : { note }),
        };
      }
    }
  }
}
