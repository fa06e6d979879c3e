/** Vectors for what has none yet, made in the background while answers come from words. */

import { AppError } from './errors.ts';
import type { Clock } from './ports/clock.ts';
import type { Embedder } from './ports/embedder.ts';
import type { Logger } from './ports/logger.ts';
import type { Unembedded, VectorStore } from './ports/vector-store.ts';

export interface FillOptions {
  readonly signal?: AbortSignal;
  /** After each batch; `total` grows when more comes in meanwhile. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface Embedding {
  /**
   * Makes the missing vectors, oldest row first, and keeps each batch when it is done: a stopped fill goes on where it was.
   * Resolves with how many rows it handled. Throws `AppError('index_mismatch')` when the stored vectors are another
   * embedder's, `AppError('embedder_unavailable')`, `AppError('store_*')`, or the signal's reason.
   */
  fill(options?: FillOptions): Promise<{ readonly embedded: number; readonly unreadable: number }>;
  /** Drops vectors of another embedder, so that the next fill makes them all anew. */
  rebuild(): Promise<void>;
}

const BATCH_ROWS = 16;

/** Throws `AppError('index_mismatch')` with the command that mends it. */
export const checkIdentity = async (store: VectorStore, embedder: Embedder): Promise<'same' | 'none'> => {
  const identity = await store.readIdentity();
  if (identity === undefined) return 'none';
  if (identity.embedderId === embedder.id && identity.dimensions === embedder.dimensions) return 'same';
  throw new AppError(
    'index_mismatch',
    `The index holds vectors of ${identity.embedderId} (${identity.dimensions} dimensions); the configured embedder is ${embedder.id} ` +
      `(${embedder.dimensions} dimensions). Run \`threadwise ingest --rebuild\`, or configure the embedder that made the index.`,
  );
};

export const createEmbedding = (dependencies: {
  readonly store: VectorStore;
  readonly embedder: Embedder;
  /** What is embedded of each row, by its id. Default its text. */
  readonly textsOf?: (rows: readonly Unembedded[]) => Promise<ReadonlyMap<string, string>>;
  readonly clock: Clock;
  readonly logger: Logger;
}): Embedding => {
  const { store, embedder, textsOf = async () => new Map<string, string>(), clock, logger } = dependencies;
  const identity = { embedderId: embedder.id, dimensions: embedder.dimensions };

  const fillBatch = async (signal: AbortSignal | undefined): Promise<{ embedded: number; unreadable: number }> => {
    const batch = await store.listUnembedded(BATCH_ROWS);
    const readable = batch.filter((row) => embedder.canRead(row.text));
    const texts = await textsOf(readable);
    const vectors =
      readable.length === 0
        ? []
        : await embedder.embed(
            readable.map((row) => texts.get(row.id) ?? row.text),
            signal,
          );
    const byId = new Map(readable.map((row, index) => [row.id, vectors[index] ?? null]));
    await store.putVectors(batch.map((row) => ({ id: row.id, text: row.text, vector: byId.get(row.id) ?? null })));
    return { embedded: readable.length, unreadable: batch.length - readable.length };
  };

  return {
    fill: async ({ signal, onProgress } = {}) => {
      if ((await checkIdentity(store, embedder)) === 'none') await store.resetVectors(identity);
      const startedAt = clock.monotonic();
      const total = [...(await store.countUnembedded()).values()].reduce((sum, count) => sum + count, 0);
      let embedded = 0;
      let unreadable = 0;
      for (;;) {
        signal?.throwIfAborted();
        const batch = await fillBatch(signal);
        if (batch.embedded + batch.unreadable === 0) break;
        embedded += batch.embedded;
        unreadable += batch.unreadable;
        onProgress?.({ done: embedded + unreadable, total: Math.max(total, embedded + unreadable) });
      }
      if (embedded + unreadable > 0) {
        logger.info('vectors_filled', { embedded, unreadable, durationMs: Math.round(clock.monotonic() - startedAt) });
      }
      return { embedded, unreadable };
    },
    rebuild: () => store.resetVectors(identity),
  };
};
