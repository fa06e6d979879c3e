/** Rows of one FAISS index and where each id stands. A removed row stays in FAISS as a dead one until its index is made again. */
import type { Index, IndexFlatIP } from 'faiss-node';
import type { VectorHit } from '../agent/ports/vector-index.ts';
import { asCosine } from './vector-check.ts';

/** What of the package is used; the module is loaded once, by the process's main file. */
export interface Faiss {
  readonly Index: typeof Index;
  readonly IndexFlatIP: typeof IndexFlatIP;
}

export interface Rows {
  readonly index: Index;
  /** Null where the row is dead. */
  ids: (string | null)[];
  sums: number[];
  dead: number;
}

export interface Place {
  readonly rows: Rows;
  readonly row: number;
}

export const liveCount = ({ ids, dead }: Rows): number => ids.length - dead;

export const buryRow = (rows: Rows, row: number): void => {
  rows.ids[row] = null;
  rows.dead++;
};

/** The live ones of the nearest `count` rows. */
export const searchRows = ({ index, ids }: Rows, query: number[], count: number): VectorHit[] => {
  const { distances, labels } = index.search(query, count);
  const hits: VectorHit[] = [];
  for (const [at, row] of labels.entries()) {
    const id = ids[row];
    if (id !== null && id !== undefined) hits.push({ id, score: asCosine(distances[at] ?? Number.NaN) });
  }
  return hits;
};
