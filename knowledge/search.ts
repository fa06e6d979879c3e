/**
 * Search by words and by meaning, one ranking. Labels filter inside both; what is shown is always read from the store under the
 * same labels, so an index that lags behind can cost a place but never show a passage that is gone or hidden.
 */

import { fuseHits, type RankedHit } from '../agent/fuse.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { KnowledgeSearch, KnowledgeStore, SearchRequest } from '../agent/ports/knowledge.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { VectorIndex } from '../agent/ports/vector-index.ts';
import { createVectorView, type VectorView } from '../agent/vector-view.ts';
import { wordQuery } from '../agent/words.ts';
import { wholeIdOf } from './parts.ts';
import { selectPassages, titleMatch } from './select.ts';

/** How many hits each side hands over. */
const ARM_HITS = 40;
/** The vectors' share of the fused score. */
const VECTOR_WEIGHT = 0.3;
/** What a title or heading made of all the query's words adds to the score. */
const TITLE_WEIGHT = 0.15;
const QUERY_EMBED_TIMEOUT_MS = 1500;
const MAX_QUERY_CHARACTERS = 2000;

export interface KnowledgeSearchOptions {
  readonly store: KnowledgeStore;
  /** Without one, search is by words alone. */
  readonly embedder: Embedder | undefined;
  readonly createIndex: (dimensions: number) => Promise<VectorIndex>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An embedder that takes longer leaves this query to words alone. Default 1500. */
  readonly queryEmbedTimeoutMs?: number;
}

/** Throws `AppError('store_*')` or the signal's reason; a failing embedder or index leaves a search by words. */
export const createKnowledgeSearch = (options: KnowledgeSearchOptions): KnowledgeSearch & { close(): Promise<void> } => {
  const { store, embedder, createIndex, clock, logger, queryEmbedTimeoutMs = QUERY_EMBED_TIMEOUT_MS } = options;
  const view =
    embedder === undefined
      ? undefined
      : createVectorView({ store, embedder, createIndex, mend: 'threadwise ingest --rebuild', clock, logger });
  let counted: { readonly revision: number; readonly labels: ReadonlyMap<string, string> } | undefined;

  const countDocuments = async (revision: number, labels: readonly string[]): Promise<number> => {
    if (counted?.revision !== revision) {
      const documents = await store.listDocuments();
      counted = { revision, labels: new Map(documents.map((document) => [wholeIdOf(document.id), document.label])) };
    }
    return [...counted.labels.values()].filter((label) => labels.includes(label)).length;
  };

  /** The query's vector and an index in step, or undefined when either is not there in time. */
  const prepareVector = async (
    reader: Embedder,
    vectors: VectorView,
    query: string,
    revision: number,
    labels: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array | undefined> => {
    const limit = new AbortController();
    const stopTimer = clock.after(queryEmbedTimeoutMs, () => limit.abort());
    const expired = new Promise<undefined>((resolve) => limit.signal.addEventListener('abort', () => resolve(undefined)));
    try {
      const refreshed = vectors.refresh(revision, labels).then(() => true as const);
      refreshed.catch(() => undefined);
      if (!vectors.isReady(labels) && (await Promise.race([refreshed, expired])) === undefined) return undefined;
      if (!vectors.isReady(labels)) return undefined;
      const embedded = reader.embed([query], AbortSignal.any([signal, limit.signal]));
      embedded.catch(() => undefined);
      const vector = (await Promise.race([embedded, expired]))?.[0];
      await Promise.race([refreshed, expired]);
      if (vector === undefined) logger.warn('query_embedding_late', { timeoutMs: queryEmbedTimeoutMs });
      return vector;
    } finally {
      stopTimer();
    }
  };

  const searchVectors = async (
    query: string,
    revision: number,
    labels: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly RankedHit[] | undefined> => {
    if (embedder === undefined || view === undefined || !embedder.canRead(query)) return undefined;
    try {
      const vector = await prepareVector(embedder, view, query, revision, labels, signal);
      return vector === undefined ? undefined : await view.search(vector, labels, ARM_HITS);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn('vector_search_failed', { error: error instanceof Error ? error : new Error(String(error)) });
      return undefined;
    }
  };

  const searchWords = async (query: string, labels: readonly string[]): Promise<readonly RankedHit[]> => {
    const hits = await store.searchWords(wordQuery(query), labels, ARM_HITS);
    return hits.map((hit) => ({ id: hit.chunkId, score: hit.score }));
  };

  const rank = async (
    query: string,
    labels: readonly string[],
    words: readonly RankedHit[],
    vectors: readonly RankedHit[] | undefined,
  ) => {
    const scores = fuseHits(words, vectors, VECTOR_WEIGHT);
    const passages = await store.readPassages([...scores.keys()], labels);
    return passages
      .map((passage) => ({
        ...passage,
        score: ((scores.get(passage.chunkId) ?? 0) + TITLE_WEIGHT * titleMatch(query, passage)) / (1 + TITLE_WEIGHT),
      }))
      .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
  };

  return {
    search: async ({ query: asked, labels, limit, signal = new AbortController().signal }: SearchRequest) => {
      signal.throwIfAborted();
      const query = asked.slice(0, MAX_QUERY_CHARACTERS).toWellFormed();
      const revision = await store.readRevision();
      const documents = await countDocuments(revision, labels);
      if (documents === 0) return { passages: [], mode: 'words', documents };
      const [words, vectors] = await Promise.all([searchWords(query, labels), searchVectors(query, revision, labels, signal)]);
      signal.throwIfAborted();
      const ranked = await rank(query, labels, words, vectors);
      return { passages: selectPassages(ranked, limit), mode: vectors === undefined ? 'words' : 'hybrid', documents };
    },
    close: async () => view?.close(),
  };
};
