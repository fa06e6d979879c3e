/**
 * HNSW over the rows of a label: built beside the flat indexes between other requests, and taken only when it finds the
 * neighbours that they find. faiss-node has no way to widen its search, so what it finds is measured on the vectors themselves.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { VectorHit } from '../agent/ports/vector-index.ts';
import { type Faiss, liveCount, METRIC_INNER_PRODUCT, type Rows, readFlat, searchRows } from './faiss-rows.ts';

const DESCRIPTOR = 'HNSW32';
/** Rows added between two looks at the requests that wait: some 5 ms. */
const SLICE_ROWS = 8;
const MIN_RECALL = 0.95;
const SAMPLES = 64;
/** A graph has to find the first 10; it answers searches for more when it finds the first 50 as well. */
const REACH = 10;
const FAR_REACH = 50;
/** More than is asked for: what the graph's search meets on its way costs nothing more, and the dead are taken out of it. */
const SPARE_HITS = 64;

export interface Graph extends Rows {
  /** The share of the true first `REACH` that it found when it was built. */
  readonly recall: number;
  /** The largest limit that it answers. */
  readonly reach: number;
}

/** The live ones among the nearest rows; fewer than `limit` where the search ended before it met so many. */
export const searchGraph = (graph: Rows, query: number[], limit: number, onSearch: () => void): readonly VectorHit[] => {
  const total = graph.ids.length;
  for (let count = Math.min(total, limit + SPARE_HITS); ; count = Math.min(total, count * 2)) {
    onSearch();
    const hits = searchRows(graph, query, count);
    if (hits.length >= limit || count === total) return hits;
  }
};

interface Sample {
  readonly id: string;
  readonly query: number[];
}

/** The share of each sample's true first `reach` neighbours that the graph finds, itself not counted. */
const measureRecall = async (
  graph: Rows,
  flats: readonly Rows[],
  samples: readonly Sample[],
  reach: number,
  onSearch: () => void,
): Promise<number> => {
  let found = 0;
  let expected = 0;
  for (const { id, query } of samples) {
    const exact = flats
      .flatMap((flat) => searchRows(flat, query, Math.min(flat.ids.length, reach + SPARE_HITS)))
      .filter((hit) => hit.id !== id)
      .sort((a, b) => b.score - a.score)
      .slice(0, reach);
    const near = searchGraph(graph, query, reach + 1, onSearch)
      .filter((hit) => hit.id !== id)
      .slice(0, reach);
    // Whichever of equally near ones was found is right.
    const floor = (exact.at(-1)?.score ?? 1) - 1e-6;
    found += near.filter((hit) => hit.score >= floor).length;
    expected += exact.length;
    await nextTurn();
  }
  return expected === 0 ? 0 : found / expected;
};

/** Undefined when its recall@10 is too low, or `isWanted` says no meanwhile. The flat rows must not be compacted meanwhile. */
export const buildGraph = async (options: {
  readonly faiss: Faiss;
  readonly dimensions: number;
  readonly flats: readonly Rows[];
  readonly isWanted: () => boolean;
  readonly onSearch: () => void;
}): Promise<Graph | undefined> => {
  const { faiss, dimensions, flats, isWanted, onSearch } = options;
  const index = faiss.Index.fromFactory(dimensions, DESCRIPTOR, METRIC_INNER_PRODUCT);
  const graph: Rows = { index, ids: [], sums: [], dead: 0 };
  const total = flats.reduce((sum, flat) => sum + liveCount(flat), 0);
  const sampleEvery = Math.max(1, Math.floor(total / SAMPLES));
  const samples: Sample[] = [];
  for (const flat of flats) {
    const floats = readFlat(flat.index);
    for (let row = 0; row < flat.ids.length; ) {
      const slice: number[] = [];
      for (; slice.length < SLICE_ROWS * dimensions && row < flat.ids.length; row++) {
        const id = flat.ids[row];
        if (id === null || id === undefined) continue;
        const vector = Array.from(floats.subarray(row * dimensions, (row + 1) * dimensions));
        if (graph.ids.length % sampleEvery === 0) samples.push({ id, query: vector });
        graph.ids.push(id);
        graph.sums.push(flat.sums[row] ?? 0);
        slice.push(...vector);
      }
      if (slice.length > 0) index.add(slice);
      await nextTurn();
      if (!isWanted()) return undefined;
    }
  }

  const recall = await measureRecall(graph, flats, samples, REACH, onSearch);
  if (recall < MIN_RECALL) return undefined;
  const farRecall = await measureRecall(graph, flats, samples, FAR_REACH, onSearch);
  return { ...graph, recall, reach: farRecall < MIN_RECALL ? REACH : FAR_REACH };
};
