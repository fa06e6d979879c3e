/** Brings a FAISS process to hold exactly the rows that it is to hold, whatever it read from its file. */
import type { FaissState } from './faiss-messages.ts';
import type { FaissParts } from './faiss-parts.ts';
import type { FaissProcess } from './faiss-process.ts';
import { createTurns } from './turns.ts';
import { sumVector } from './vector-sum.ts';

/** Small enough that neither process is held for long by one message. */
const BATCH_ROWS = 256;

export interface Filled {
  readonly state: FaissState;
  /** How many rows the process had too many, and too few. */
  readonly removed: number;
  readonly added: number;
}

/** The rows must not change meanwhile. Throws `ProcessDied`. */
export const fillProcess = async (child: FaissProcess, rows: FaissParts['there'], dimensions: number): Promise<Filled> => {
  const turns = createTurns();
  const kept = new Set<string>();
  const stale: string[] = [];
  for (let page = 0; ; page++) {
    const { held } = await child.request({ type: 'list', page });
    if (held === undefined) break;
    for (const [at, id] of held.ids.entries()) {
      const vector = rows.labelOf(id) === held.label ? rows.vectorOf(id) : undefined;
      if (vector !== undefined && sumVector(vector) === held.sums[at]) kept.add(id);
      else stale.push(id);
      await turns.spend(dimensions);
    }
  }
  // Behind the last page, because a removal may move rows.
  let { state } = await child.request({ type: 'remove', ids: stale });
  let added = 0;
  for (const label of rows.labels()) {
    for (let from = 0; from < rows.count(label); from += BATCH_ROWS) {
      const { ids, vectors } = rows.page(label, from, BATCH_ROWS);
      const missing = [...ids.keys()].filter((row) => !kept.has(ids[row] as string));
      if (missing.length === 0) continue;
      const fresh = new Float32Array(missing.length * dimensions);
      for (const [at, row] of missing.entries())
        fresh.set(vectors.subarray(row * dimensions, (row + 1) * dimensions), at * dimensions);
      const addedIds = missing.map((row) => ids[row] as string);
      ({ state } = await child.request({ type: 'add', label, ids: addedIds, vectors: fresh }));
      added += addedIds.length;
    }
  }
  return { state, removed: stale.length, added };
};
