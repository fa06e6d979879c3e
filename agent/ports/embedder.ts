/**
 * Text to vectors. `id` and `dimensions` are stored with the index; vectors of different ids never meet. `embed` keeps the
 * order, returns unit vectors, throws `AppError('embedder_unavailable')`; it may be called concurrently. `close` ends what
 * the embedder runs; after it `embed` throws.
 */
export interface Embedder {
  readonly id: string;
  readonly dimensions: number;
  /** False for text that the model cannot read (another script): search such text by words alone. */
  canRead(text: string): boolean;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}
