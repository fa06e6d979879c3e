export interface VectorEntry {
  readonly id: string;
  /** The audience label; searches see only the labels they name. */
  readonly label: string;
  /** A unit vector of the index's dimensions. */
  readonly vector: Float32Array;
}

export interface VectorHit {
  readonly id: string;
  /** Cosine similarity, -1 to 1. */
  readonly score: number;
}

/**
 * Nearest neighbours within labels, derived from the store and rebuilt from it at any time. Label filtering happens inside
 * the search: what a label hides neither appears nor takes a place among the `limit`. Throws `AppError('vector_invalid')`
 * for a wrong dimension or a non-finite value, `AppError('vector_unavailable')` when it is closed or its engine is down and
 * nothing else can answer. Hits come best first, ties by id.
 */
export interface VectorIndex {
  /** What would answer a search now: an index falls back to `exact` while its engine is down. */
  readonly engine: 'faiss' | 'exact' | 'pgvector';
  readonly dimensions: number;
  /** Where several processes write to one index: as this one knows it. */
  size(): number;
  /** Replaces entries of the same id. */
  add(entries: readonly VectorEntry[]): Promise<void>;
  /** Unknown ids are ignored. */
  remove(ids: readonly string[]): Promise<void>;
  search(vector: Float32Array, labels: readonly string[], limit: number): Promise<readonly VectorHit[]>;
  /** What is called afterwards throws `AppError('vector_unavailable')`. Callable twice. */
  close(): Promise<void>;
}
