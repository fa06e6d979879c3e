/**
 * What the FAISS process holds: for each label flat indexes of bounded size, so that no request works on all of them at once,
 * and a graph in place of most of them where the label is large and the graph good enough.
 */
import type { VectorHit } from '../agent/ports/vector-index.ts';
import { createPendingGraph, finishGraph, type Graph, growGraph, type PendingGraph, searchGraph } from './faiss-graph.ts';
import type { FaissState, HeldRows } from './faiss-messages.ts';
import { buryRow, type Faiss, liveCount, type Place, type Rows, searchRows } from './faiss-rows.ts';
import { checkLimit, checkVector, compareHits } from './vector-check.ts';
import { sumVector } from './vector-sum.ts';

const FLAT_ROWS = 16_384;
const PAGE_ROWS = 2_048;
const ADD_ROWS = 16;

export interface Shard {
  flats: Rows[];
  graph?: Graph;
  pending?: PendingGraph;
}

export interface FaissShards {
  readonly shards: ReadonlyMap<string, Shard>;
  add(label: string, ids: readonly string[], vectors: Float32Array): void;
  remove(ids: readonly string[]): void;
  /** Undefined where a graph cannot answer for so many. */
  search(labels: readonly string[], vector: Float32Array, limit: number): readonly VectorHit[] | undefined;
  /** What was read from a file. */
  adopt(label: string, rows: Rows | Graph): void;
  list(page: number): HeldRows | undefined;
  /** Rows for a graph to come, of `total` in all; `isFirst` begins another. */
  grow(label: string, ids: readonly string[], vectors: Float32Array, total: number, isFirst: boolean): Promise<void>;
  /** Takes the graph in the flat indexes' place, or refuses it. */
  finish(label: string): Promise<void>;
  state(): FaissState;
}

const hasTooManyDead = ({ ids, dead }: Rows): boolean => dead > 64 + ids.length / 20;

const flatCount = ({ flats }: Shard): number => flats.reduce((sum, flat) => sum + liveCount(flat), 0);

export const createFaissShards = (options: {
  readonly faiss: Faiss;
  readonly dimensions: number;
  readonly graphRows: number;
}): FaissShards => {
  const { faiss, dimensions, graphRows } = options;
  const isWorn = (shard: Shard): boolean => {
    const { graph } = shard;
    if (graph === undefined) return false;
    return graph.dead > graph.ids.length / 10 || flatCount(shard) > Math.max(graphRows, graph.ids.length / 2);
  };

  const shards = new Map<string, Shard>();
  const places = new Map<string, Place>();
  let searches = 0;
  const onSearch = (): void => {
    searches++;
  };

  const shardOf = (label: string): Shard => {
    let shard = shards.get(label);
    if (shard === undefined) {
      shard = { flats: [] };
      shards.set(label, shard);
    }
    return shard;
  };

  const bury = (id: string): void => {
    const place = places.get(id);
    if (place === undefined) return;
    places.delete(id);
    buryRow(place.rows, place.row);
  };

  const settle = (rows: Rows, from = 0): void => {
    for (let row = from; row < rows.ids.length; row++) {
      const id = rows.ids[row];
      if (id !== null && id !== undefined) places.set(id, { rows, row });
    }
  };

  /** Takes the dead rows out of flat indexes that have many. */
  const compact = (shard: Shard): void => {
    shard.flats = shard.flats.filter((flat) => liveCount(flat) > 0);
    for (const flat of shard.flats.filter(hasTooManyDead)) {
      const dead = [...flat.ids.keys()].filter((row) => flat.ids[row] === null);
      flat.index.removeIds(dead);
      flat.sums = flat.sums.filter((_, row) => flat.ids[row] !== null);
      flat.ids = flat.ids.filter((id) => id !== null);
      flat.dead = 0;
      settle(flat);
    }
  };

  /** The flat index that the next rows go to. */
  const openFlat = (shard: Shard): Rows => {
    const last = shard.flats.at(-1);
    if (last !== undefined && last.ids.length < FLAT_ROWS) return last;
    const flat = { index: new faiss.IndexFlatIP(dimensions), ids: [], sums: [], dead: 0 };
    shard.flats.push(flat);
    return flat;
  };

  const add = (label: string, ids: readonly string[], vectors: Float32Array): void => {
    checkVector(vectors, ids.length * dimensions);
    const shard = shardOf(label);
    for (const id of ids) bury(id);
    for (let from = 0; from < ids.length; ) {
      const flat = openFlat(shard);
      const to = Math.min(ids.length, from + FLAT_ROWS - flat.ids.length);
      const first = flat.ids.length;
      // Not `mergeFrom` of a deserialized index, which is faster: faiss-node never frees what it read that from. By few rows at
      // a time, because lists of numbers are large.
      for (let row = from; row < to; row += ADD_ROWS) {
        flat.index.add(Array.from(vectors.subarray(row * dimensions, Math.min(to, row + ADD_ROWS) * dimensions)));
      }
      for (let row = from; row < to; row++) {
        flat.ids.push(ids[row] ?? null);
        flat.sums.push(sumVector(vectors.subarray(row * dimensions, (row + 1) * dimensions)));
      }
      settle(flat, first);
      from = to;
    }
    compact(shard);
  };

  /** Asks for more than the limit until what is cut off can be neither alive and better nor tied with what stays. */
  const searchFlat = (flat: Rows, query: number[], limit: number): readonly VectorHit[] => {
    const total = flat.ids.length;
    if (liveCount(flat) === 0) return [];
    for (let count = Math.min(total, limit + flat.dead + 1); ; count = Math.min(total, count * 2)) {
      onSearch();
      const hits = searchRows(flat, query, count);
      const isDecided = (hits[limit - 1]?.score ?? Number.NaN) > (hits.at(-1)?.score ?? Number.NaN);
      if (count === total || isDecided) return hits;
    }
  };

  const rowsOf = ({ graph, flats }: Shard): readonly Rows[] => (graph === undefined ? flats : [graph, ...flats]);

  /** Where the row that a graph was built from still stands as it was. */
  const placeOf = ({ ids, sums }: Rows, row: number): Place | undefined => {
    const id = ids[row];
    const place = id === null || id === undefined ? undefined : places.get(id);
    return place?.rows.sums[place.row] === sums[row] ? place : undefined;
  };

  const finish = async (label: string): Promise<void> => {
    const shard = shards.get(label);
    const pending = shard?.pending;
    if (shard === undefined || pending === undefined) return;
    delete shard.pending;
    const graph = await finishGraph(pending, shard.flats, onSearch);
    if (graph === undefined) return;
    const flats = new Set(shard.flats);
    for (const [row, id] of graph.ids.entries()) {
      const place = placeOf(graph, row);
      if (id === null || place === undefined || !flats.has(place.rows)) buryRow(graph, row);
      else {
        buryRow(place.rows, place.row);
        places.set(id, { rows: graph, row });
      }
    }
    shard.graph = graph;
    compact(shard);
  };

  return {
    shards,
    add,
    remove: (ids) => {
      for (const id of ids) bury(id);
      for (const shard of shards.values()) compact(shard);
    },
    search: (labels, vector, limit) => {
      checkVector(vector, dimensions);
      checkLimit(limit);
      if (limit === 0) return [];
      const query = Array.from(vector);
      const hits: VectorHit[] = [];
      for (const label of new Set(labels)) {
        const shard = shards.get(label);
        const graph = shard?.graph;
        if (graph !== undefined && liveCount(graph) > 0) {
          if (limit > graph.reach) return undefined;
          const near = searchGraph(graph, query, limit, onSearch);
          if (near.length < Math.min(limit, liveCount(graph))) return undefined;
          hits.push(...near);
        }
        for (const flat of shard?.flats ?? []) hits.push(...searchFlat(flat, query, limit));
      }
      return hits.sort(compareHits).slice(0, limit);
    },
    adopt: (label, rows) => {
      const shard = shardOf(label);
      if ('recall' in rows) shard.graph = rows;
      else shard.flats.push(rows);
      // A row that changed while the file was written may stand in it twice.
      for (const id of rows.ids) if (id !== null) bury(id);
      settle(rows);
    },
    list: (page) => {
      let left = page;
      for (const [label, shard] of shards) {
        for (const rows of rowsOf(shard)) {
          const pages = Math.ceil(rows.ids.length / PAGE_ROWS);
          if (left >= pages) {
            left -= pages;
            continue;
          }
          const from = left * PAGE_ROWS;
          const live = [...rows.ids.slice(from, from + PAGE_ROWS).entries()].filter(
            (entry): entry is [number, string] => entry[1] !== null,
          );
          return { label, ids: live.map(([, id]) => id), sums: live.map(([at]) => rows.sums[from + at] ?? 0) };
        }
      }
      return undefined;
    },
    grow: async (label, ids, vectors, total, isFirst) => {
      checkVector(vectors, ids.length * dimensions);
      const shard = shardOf(label);
      if (isFirst) shard.pending = createPendingGraph(faiss, dimensions);
      if (shard.pending !== undefined) await growGraph(shard.pending, ids, vectors, total);
    },
    finish,
    state: () => {
      const withGraph = [...shards].flatMap(([label, { graph }]) => (graph === undefined ? [] : [{ label, graph }]));
      const graphs = withGraph.map(({ graph }) => graph);
      return {
        searches,
        rows: places.size,
        graphRows: graphs.reduce((sum, graph) => sum + liveCount(graph), 0),
        graphs: withGraph.map(({ label }) => label),
        recall: graphs.length === 0 ? null : Math.min(...graphs.map(({ recall }) => recall)),
        isWorn: [...shards.values()].some(isWorn),
      };
    },
  };
};
