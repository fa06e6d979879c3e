/** Vectors for what has none yet, made in the background while answers come from words. */

import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { KnowledgeStore } from '../agent/ports/knowledge.ts';
import type { Logger } from '../agent/ports/logger.ts';

export interface FillOptions {
  readonly signal?: AbortSignal;
  /** After each batch; `total` grows when more comes in meanwhile. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface Embedding {
  /**
   * Makes the missing vectors, oldest chunk first, and keeps each batch when it is done: a stopped fill goes on where it was.
   * Resolves with how many chunks it handled. Throws `AppError('index_mismatch')` when the stored vectors are another
   * embedder's, `AppError('embedder_unavailable')`, `AppError('store_*')`, or the signal's reason.
   */
  fill(options?: FillOptions): Promise<{ readonly embedded: number; readonly unreadable: number }>;
  /** Drops vectors of another embedder, so that the next fill makes them all anew. */
  rebuild(): Promise<void>;
}

const BATCH_CHUNKS = 16;
const COUNTED_CHUNKS = 2000;

/** What is embedded: the passage with its title and headings, which say what its own words often do not. */
export const embeddingText = (passage: { title: string; headingPath: readonly string[]; text: string }): string =>
  [[passage.title, ...passage.headingPath].join(' > '), passage.text].join('\n');

/** Throws `AppError('index_mismatch')` with the command that mends it. */
export const checkIdentity = async (store: KnowledgeStore, embedder: Embedder): Promise<'same' | 'none'> => {
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
  readonly store: KnowledgeStore;
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly logger: Logger;
}): Embedding => {
  const { store, embedder, clock, logger } = dependencies;
  const identity = { embedderId: embedder.id, dimensions: embedder.dimensions };

  const textsOf = async (batch: readonly { id: string; text: string; label: string }[]): Promise<ReadonlyMap<string, string>> => {
    const passages = await store.readPassages(
      batch.map((chunk) => chunk.id),
      [...new Set(batch.map((chunk) => chunk.label))],
    );
    return new Map(passages.map((passage) => [passage.chunkId, embeddingText(passage)]));
  };

  const fillBatch = async (signal: AbortSignal | undefined): Promise<{ embedded: number; unreadable: number }> => {
    const batch = await store.listUnembedded(BATCH_CHUNKS);
    const readable = batch.filter((chunk) => embedder.canRead(chunk.text));
    const texts = await textsOf(readable);
    const vectors =
      readable.length === 0
        ? []
        : await embedder.embed(
            readable.map((chunk) => texts.get(chunk.id) ?? chunk.text),
            signal,
          );
    const byId = new Map(readable.map((chunk, index) => [chunk.id, vectors[index] ?? null]));
    await store.putVectors(batch.map((chunk) => ({ chunkId: chunk.id, vector: byId.get(chunk.id) ?? null })));
    return { embedded: readable.length, unreadable: batch.length - readable.length };
  };

  /** Exact for the counts that a person waits through; an upper bound beyond. */
  const countWaiting = async (): Promise<number> => {
    const waiting = (await store.listUnembedded(COUNTED_CHUNKS)).length;
    if (waiting < COUNTED_CHUNKS) return waiting;
    const { chunks, vectors } = await store.countDocuments();
    return chunks - vectors;
  };

  return {
    fill: async ({ signal, onProgress } = {}) => {
      if ((await checkIdentity(store, embedder)) === 'none') await store.resetVectors(identity);
      const startedAt = clock.monotonic();
      const total = await countWaiting();
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
