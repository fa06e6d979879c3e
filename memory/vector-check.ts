/** What every vector index refuses before it searches or stores, and the order of its hits. */
import { AppError } from '../agent/errors.ts';
import type { VectorHit } from '../agent/ports/vector-index.ts';

/** Throws `AppError('vector_invalid')` for a wrong dimension or a value that is not finite. */
export const checkVector = (vector: Float32Array, dimensions: number): void => {
  if (vector.length !== dimensions) {
    throw new AppError('vector_invalid', `The index takes vectors of ${dimensions} dimensions; one of ${vector.length} came.`);
  }
  for (let i = 0; i < dimensions; i++) {
    if (!Number.isFinite(vector[i])) {
      throw new AppError('vector_invalid', `A vector holds a value that is no finite number (at position ${i}).`);
    }
  }
};

export const checkLimit = (limit: number): void => {
  if (!Number.isInteger(limit) || limit < 0) {
    throw new AppError('vector_invalid', `The limit of a search is a whole number from 0; ${limit} came.`);
  }
};

/** Best first, ties by id. */
export const compareHits = (a: VectorHit, b: VectorHit): number => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** A cosine is not above 1, though the sum of rounded products may be. */
export const asCosine = (sum: number): number => Math.min(1, Math.max(-1, sum));

/** Of two searches; what both found counts once. */
export const mergeHits = (a: readonly VectorHit[], b: readonly VectorHit[], limit: number): readonly VectorHit[] => {
  if (a.length === 0) return b;
  const found = new Set(a.map(({ id }) => id));
  return [...a, ...b.filter(({ id }) => !found.has(id))].sort(compareHits).slice(0, limit);
};
