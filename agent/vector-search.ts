/** Search by meaning beside a search by words: what is not there in time is left out, and the answer comes from words alone. */
import type { RankedHit } from './fuse.ts';
import type { Clock } from './ports/clock.ts';
import type { Embedder } from './ports/embedder.ts';
import type { Logger } from './ports/logger.ts';
import type { VectorIndex } from './ports/vector-index.ts';
import type { VectorStore } from './ports/vector-store.ts';
import { createVectorView } from './vector-view.ts';

const QUERY_EMBED_TIMEOUT_MS = 1500;

export interface VectorSearchOptions {
  readonly store: VectorStore;
  readonly embedder: Embedder;
  readonly createIndex: (dimensions: number) => Promise<VectorIndex>;
  /** The command that makes vectors of the configured embedder, for the log. */
  readonly mend: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An embedder that takes longer leaves this query to words alone. Default 1500. */
  readonly queryEmbedTimeoutMs?: number | undefined;
}

export interface VectorSearchRequest {
  readonly query: string;
  /** Of the store, as it is now: the index is brought up to it. */
  readonly revision: number;
  readonly labels: readonly string[];
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface VectorSearch {
  /** Best first; undefined when vectors are not ready, not in time, or fail, which is logged. Throws the signal's reason alone. */
  search(request: VectorSearchRequest): Promise<readonly RankedHit[] | undefined>;
  close(): Promise<void>;
}

export const createVectorSearch = (options: VectorSearchOptions): VectorSearch => {
  const { embedder, clock, logger, queryEmbedTimeoutMs = QUERY_EMBED_TIMEOUT_MS } = options;
  const view = createVectorView(options);

  /** The query's vector and an index in step, or undefined when either is not there in time. */
  const prepare = async ({ query, revision, labels, signal }: VectorSearchRequest): Promise<Float32Array | undefined> => {
    const limit = new AbortController();
    const stopTimer = clock.after(queryEmbedTimeoutMs, () => limit.abort());
    const expired = new Promise<undefined>((resolve) => limit.signal.addEventListener('abort', () => resolve(undefined)));
    try {
      const refreshed = view.refresh(revision, labels).then(() => true as const);
      refreshed.catch(() => undefined);
      if (!view.isReady(labels) && (await Promise.race([refreshed, expired])) === undefined) return undefined;
      if (!view.isReady(labels)) return undefined;
      const embedded = embedder.embed([query], AbortSignal.any([signal, limit.signal]));
      embedded.catch(() => undefined);
      const vector = (await Promise.race([embedded, expired]))?.[0];
      await Promise.race([refreshed, expired]);
      if (vector === undefined) logger.warn('query_embedding_late', { timeoutMs: queryEmbedTimeoutMs });
      return vector;
    } finally {
      stopTimer();
    }
  };

  return {
    search: async (request) => {
      if (!embedder.canRead(request.query)) return undefined;
      try {
        const vector = await prepare(request);
        return vector === undefined ? undefined : await view.search(vector, request.labels, request.limit);
      } catch (error) {
        request.signal.throwIfAborted();
        logger.warn('vector_search_failed', { error: error instanceof Error ? error : new Error(String(error)) });
        return undefined;
      }
    },
    close: () => view.close(),
  };
};
