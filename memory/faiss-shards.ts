/**
 * What the FAISS process holds: for each label flat indexes of bounded size, so that no request works on all of them at once,
 * and a graph in place of most of them where the label is large and the graph good enough.
 */
import type { VectorHit } from '../agent/ports/vector-index.ts';
import { buildGraph, type Graph, searchGraph } from './faiss-graph.ts';
import type { FaissState, HeldRows } from './faiss-messages.ts';
import { createFlat, type Faiss, liveCount, type Place, type Rows, searchRows } from './faiss-rows.ts';
import { checkLimit, checkVector, compareHits } from './vector-check.ts';
import { sumVector } from './vector-sum.ts';

/** A flat scan of so many takes some 5 ms at 512 dimensions, a graph's search less than 1. */
export const GRAPH_ROWS = 10_000;
const FLAT_ROWS = 16_384;
const PAGE_ROWS = 2_048;

export interface Shard {
  flats: Rows[];
  graph?: Graph;
  /** How many rows there were when a graph was not good enough: tried again at twice as many. */
  refusedRows: number;
  isBuilding: boolean;
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
  build(): Promise<void>;
  state(): FaissState;
}

const hasTooManyDead = ({ ids, dead }: Rows): boolean => dead > 64 + ids.length / 20;

const isWorn = ({ graph, flats }: Shard): boolean => {
  if (graph === undefined) return false;
  const beside = flats.reduce((sum, flat) => sum + liveCount(flat), 0);
  return graph.dead > graph.ids.length / 10 || beside > Math.max(GRAPH_ROWS, graph.ids.length / 2);
};

export const createFaissShards = (options: {
  readonly faiss: Faiss;
  readonly dimensions: number;
  readonly graphRows: number;
}): FaissShards => {
  const { faiss, dimensions, graphRows } = options;
  const shards = new Map<string, Shard>();
  const places = new Map<string, Place>();
  let searches = 0;
  const onSearch = (): void => {
    searches++;
  };

  const shardOf = (label: string): Shard => {
    let shard = shards.get(label);
    if (shard === undefined) {
      shard = { flats: [], refusedRows: 0, isBuilding: false };
      shards.set(label, shard);
    }
    return shard;
  };

  const bury = (id: string): void => {
    const place = places.get(id);
    if (place === undefined) return;
    places.delete(id);
    place.rows.ids[place.row] = null;
    place.rows.dead++;
  };

  const settle = (rows: Rows, from = 0): void => {
    for (let row = from; row < rows.ids.length; row++) {
      const id = rows.ids[row];
      if (id !== null && id !== undefined) places.set(id, { rows, row });
    }
  };

  /** Takes the dead rows out of flat indexes that have many. */
  const compact = (shard: Shard): void => {
    if (shard.isBuilding) return;
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
      flat.index.mergeFrom(createFlat(faiss, dimensions, vectors.subarray(from * dimensions, to * dimensions)));
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

  const buildOne = async (shard: Shard): Promise<void> => {
    const sealed = shard.flats;
    const total = sealed.reduce((sum, flat) => sum + liveCount(flat), 0);
    if (shard.isBuilding || shard.graph !== undefined || total < Math.max(graphRows, 2 * shard.refusedRows)) return;
    shard.isBuilding = true;
    // Rows that come meanwhile stand beside the graph.
    shard.flats = [...sealed, { index: new faiss.IndexFlatIP(dimensions), ids: [], sums: [], dead: 0 }];
    const isWanted = (): boolean => sealed.some((flat) => liveCount(flat) > 0);
    const graph = await buildGraph({ faiss, dimensions, flats: sealed, isWanted, onSearch });
    shard.isBuilding = false;
    if (graph === undefined) shard.refusedRows = total;
    else {
      const isSealed = new Set(sealed);
      for (const [row, id] of graph.ids.entries()) {
        const place = id === null ? undefined : places.get(id);
        if (id !== null && place !== undefined && isSealed.has(place.rows)) places.set(id, { rows: graph, row });
        else {
          graph.ids[row] = null;
          graph.dead++;
        }
      }
      shard.graph = graph;
      shard.flats = shard.flats.filter((flat) => !isSealed.has(flat));
    }
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
    build: async () => {
      for (const shard of shards.values()) await buildOne(shard);
    },
    state: () => {
      const graphs = [...shards.values()].flatMap(({ graph }) => (graph === undefined ? [] : [graph]));
      return {
        searches,
        rows: places.size,
        graphRows: graphs.reduce((sum, graph) => sum + liveCount(graph), 0),
        recall: graphs.length === 0 ? null : Math.min(...graphs.map(({ recall }) => recall)),
        isWorn: [...shards.values()].some(isWorn),
      };
    },
  };
};
