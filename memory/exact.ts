/** The vector index in plain TypeScript: scans every vector of the labels asked for. Needs nothing installed. */
import { AppError } from '../agent/errors.ts';
import type { VectorEntry, VectorIndex } from '../agent/ports/vector-index.ts';
import { createTopHits } from './top-hits.ts';
import { createTurns } from './turns.ts';
import { checkLimit, checkVector } from './vector-check.ts';
import { createVectorRows, type VectorRows } from './vector-rows.ts';

/** Rows scanned between two looks at how long the event loop has waited. */
const SLICE_ROWS = 4_096;

/** An exact index whose rows another engine is filled from; they change only inside its `add` and `remove`. */
export interface ExactIndex extends VectorIndex {
  readonly rows: Omit<VectorRows, 'put' | 'delete'>;
}

export const createExactIndex = ({ dimensions }: { readonly dimensions: number }): ExactIndex => {
  const rows = createVectorRows(dimensions);
  // One after the other: rows do not move under a scan, and many scans at once do not hold the event loop together.
  const turns = createTurns();
  let isClosed = false;
  const checkOpen = (): void => {
    if (isClosed) throw new AppError('vector_unavailable', 'The vector index is closed.');
  };

  const addAll = async (entries: readonly VectorEntry[]): Promise<void> => {
    checkOpen();
    for (const { vector } of entries) {
      checkVector(vector, dimensions);
      await turns.spend(dimensions);
    }
    for (const entry of entries) {
      rows.put(entry);
      await turns.spend(dimensions);
    }
  };

  return {
    engine: 'exact',
    dimensions,
    rows,
    size: () => rows.size(),
    add: (entries) => turns.inOrder(() => addAll(entries)),
    remove: (ids) =>
      turns.inOrder(async () => {
        checkOpen();
        for (const id of ids) {
          rows.delete(id);
          await turns.spend(dimensions);
        }
      }),
    search: async (vector, labels, limit) => {
      checkOpen();
      checkVector(vector, dimensions);
      checkLimit(limit);
      // A copy: the caller may reuse its own while this waits.
      const query = vector.slice();
      return turns.inOrder(async () => {
        const hits = createTopHits(limit);
        for (const label of new Set(labels)) {
          for (let from = 0; from < rows.count(label); from += SLICE_ROWS) {
            rows.scan(label, from, SLICE_ROWS, query, hits);
            await turns.spend(Math.min(SLICE_ROWS, rows.count(label) - from) * dimensions);
          }
        }
        return hits.list();
      });
    },
    close: async () => {
      isClosed = true;
    },
  };
};
