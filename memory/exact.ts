/** The vector index in plain TypeScript: scans every vector of the labels asked for. Needs nothing installed. */
import { AppError } from '../agent/errors.ts';
import type { VectorIndex } from '../agent/ports/vector-index.ts';
import { createTopHits, type TopHits } from './top-hits.ts';
import { asCosine, checkLimit, checkVector } from './vector-check.ts';
import { type Block, createVectorRows } from './vector-rows.ts';

/** Four sums at once: the additions of one need not wait for each other. */
const scan = ({ data, ids }: Block, query: Float32Array, hits: TopHits): void => {
  const dimensions = query.length;
  const whole = dimensions - (dimensions % 4);
  let floor = hits.floor();
  for (let row = 0, at = 0; row < ids.length; row++, at += dimensions) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 0; i < whole; i += 4) {
      a += (query[i] as number) * (data[at + i] as number);
      b += (query[i + 1] as number) * (data[at + i + 1] as number);
      c += (query[i + 2] as number) * (data[at + i + 2] as number);
      d += (query[i + 3] as number) * (data[at + i + 3] as number);
    }
    for (let i = whole; i < dimensions; i++) a += (query[i] as number) * (data[at + i] as number);
    const score = asCosine(a + b + c + d);
    if (score < floor) continue;
    hits.offer(ids[row] as string, score);
    floor = hits.floor();
  }
};

export const createExactIndex = ({ dimensions }: { readonly dimensions: number }): VectorIndex => {
  const rows = createVectorRows(dimensions);
  let isClosed = false;
  const checkOpen = (): void => {
    if (isClosed) throw new AppError('vector_unavailable', 'The vector index is closed.');
  };
  return {
    engine: 'exact',
    dimensions,
    size: () => rows.size(),
    async add(entries) {
      checkOpen();
      for (const { vector } of entries) checkVector(vector, dimensions);
      for (const entry of entries) rows.put(entry);
    },
    async remove(ids) {
      checkOpen();
      for (const id of ids) rows.delete(id);
    },
    async search(vector, labels, limit) {
      checkOpen();
      checkVector(vector, dimensions);
      checkLimit(limit);
      const hits = createTopHits(limit);
      for (const label of new Set(labels)) {
        const block = rows.block(label);
        if (block !== undefined) scan(block, vector, hits);
      }
      return hits.list();
    },
    async close() {
      isClosed = true;
    },
  };
};
