/**
 * HNSW over the rows of a label: built beside the flat indexes between other requests, and taken only when it finds what they
 * find. What it finds is measured on the vectors themselves, between two of them: a question is like no row, and a graph that finds
 * the neighbours of every row may miss a quarter of those of a question.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { VectorHit } from '../agent/ports/vector-index.ts';
import { type Faiss, liveCount, type Rows, searchRows } from './faiss-rows.ts';
import { sumVector } from './vector-sum.ts';

const DESCRIPTOR = 'HNSW32';
const METRIC_INNER_PRODUCT = 0;
/**
 * How many candidates are kept while a row finds its place, and while a search finds its way; FAISS has 40 and 16. Of 90,000 texts
 * and questions that they did not hold, 640 found 0.998 of the first ten in 2.7 ms, 400 as much in 1.5, 200 found 0.965 in 0.8.
 */
const BUILD_WIDTH = 80;
const SEARCH_WIDTH = 400;
/** Rows added between two looks at the requests that wait: some 5 ms. */
const SLICE_ROWS = 8;
const MIN_RECALL = 0.95;
const SAMPLES = 48;
/** A graph has to find the first 10; it answers searches for more when it finds the first 50 as well. */
const REACH = 10;
const FAR_REACH = 50;
/** More than is asked for, so that the dead can be taken out. */
const SPARE_HITS = 64;

export interface Graph extends Rows {
  /** The share of the true first `REACH` that it found when it was built. */
  readonly recall: number;
  /** The largest limit that it answers. */
  readonly reach: number;
}

export interface PendingGraph {
  readonly rows: Rows;
  /** Vectors of rows spread over all. */
  readonly samples: Float32Array[];
}

/**
 * faiss-node cannot set the widths, but a serialized index holds them: the third and fourth of five integers before the vectors,
 * of which an empty one has only the head of 45 bytes. Where they do not stand there, the graph keeps FAISS's own.
 */
const createIndex = (faiss: Faiss, dimensions: number) => {
  const index = faiss.Index.fromFactory(dimensions, DESCRIPTOR, METRIC_INNER_PRODUCT);
  const bytes = index.toBuffer();
  const widths = bytes.length - 45 - 20 + 8;
  if (bytes.readInt32LE(widths) !== 40 || bytes.readInt32LE(widths + 4) !== 16) return index;
  bytes.writeInt32LE(BUILD_WIDTH, widths);
  bytes.writeInt32LE(SEARCH_WIDTH, widths + 4);
  return faiss.Index.fromBuffer(bytes);
};

export const createPendingGraph = (faiss: Faiss, dimensions: number): PendingGraph => ({
  rows: { index: createIndex(faiss, dimensions), ids: [], sums: [], dead: 0 },
  samples: [],
});

/** Of `total` rows that are to come in all, the next. */
export const growGraph = async (
  { rows, samples }: PendingGraph,
  ids: readonly string[],
  vectors: Float32Array,
  total: number,
): Promise<void> => {
  const dimensions = rows.index.getDimension();
  const sampleEvery = Math.max(1, Math.floor(total / (2 * SAMPLES)));
  for (let from = 0; from < ids.length; from += SLICE_ROWS) {
    const slice = vectors.subarray(from * dimensions, (from + SLICE_ROWS) * dimensions);
    rows.index.add(Array.from(slice));
    for (const [at, id] of ids.slice(from, from + SLICE_ROWS).entries()) {
      const vector = slice.slice(at * dimensions, (at + 1) * dimensions);
      if (rows.ids.length % sampleEvery === 0) samples.push(vector);
      rows.ids.push(id);
      rows.sums.push(sumVector(vector));
    }
    await nextTurn();
  }
};

/** The live ones among the nearest rows; fewer than `limit` where the search ended before it met so many. */
export const searchGraph = (graph: Rows, query: number[], limit: number, onSearch: () => void): readonly VectorHit[] => {
  const total = graph.ids.length;
  for (let count = Math.min(total, limit + SPARE_HITS); ; count = Math.min(total, count * 2)) {
    onSearch();
    const hits = searchRows(graph, query, count);
    if (hits.length >= limit || count === total) return hits;
  }
};

/**
 * How near a question is to a row, the rest of the way leading to another. At 0.65 a graph of 100,000 rows found 0.925 of the first
 * ten, of texts that it did not hold 0.918, half-way 0.738.
 */
const NEARNESS = 0.6;

/** Each sample of the first half with one of the second. */
const questionsOf = (samples: readonly Float32Array[]): readonly number[][] => {
  const half = Math.min(SAMPLES, Math.floor(samples.length / 2));
  return samples.slice(0, half).map((sample, at) => {
    const other = samples[half + at];
    const between = Array.from(sample, (value, i) => value * NEARNESS + (other?.[i] ?? 0) * (1 - NEARNESS));
    const norm = Math.hypot(...between) || 1;
    return between.map((value) => value / norm);
  });
};

/** The share of each question's first `reach` rows of the flat indexes that the graph finds as well. */
const measureRecall = async (
  graph: Rows,
  flats: readonly Rows[],
  questions: readonly number[][],
  reach: number,
  onSearch: () => void,
): Promise<number> => {
  let found = 0;
  let expected = 0;
  for (const question of questions) {
    const exact: VectorHit[] = [];
    for (const flat of flats) {
      onSearch();
      exact.push(...searchRows(flat, question, Math.min(flat.ids.length, reach + flat.dead)));
      await nextTurn();
    }
    const wanted = exact.sort((a, b) => b.score - a.score).slice(0, reach);
    // Whichever of equally near ones was found is right.
    const floor = (wanted.at(-1)?.score ?? 1) - 1e-6;
    found += searchGraph(graph, question, reach, onSearch)
      .slice(0, reach)
      .filter((hit) => hit.score >= floor).length;
    expected += wanted.length;
    await nextTurn();
  }
  return expected === 0 ? 0 : found / expected;
};

/** Undefined when its recall@10 is too low. The flat indexes hold the same rows; a few that came meanwhile count against it. */
export const finishGraph = async (
  { rows, samples }: PendingGraph,
  flats: readonly Rows[],
  onSearch: () => void,
): Promise<Graph | undefined> => {
  if (liveCount(rows) === 0) return undefined;
  const questions = questionsOf(samples);
  const recall = await measureRecall(rows, flats, questions, REACH, onSearch);
  if (recall < MIN_RECALL) return undefined;
  const farRecall = await measureRecall(rows, flats, questions, FAR_REACH, onSearch);
  return { ...rows, recall, reach: farRecall < MIN_RECALL ? REACH : FAR_REACH };
};
