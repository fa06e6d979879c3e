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
import { createVectorSearch } from '../agent/vector-search.ts';
import { wordQuery } from '../agent/words.ts';
import { wholeIdOf } from './parts.ts';
import { selectPassages, titleMatch } from './select.ts';

/** How many hits each side hands over. */
const ARM_HITS = 40;
/** The vectors' share of the fused score. */
const VECTOR_WEIGHT = 0.3;
/** What a title or heading made of all the query's words adds to the score. */
const TITLE_WEIGHT = 0.15;
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
  const { store, embedder, createIndex, clock, logger, queryEmbedTimeoutMs } = options;
  const vectors =
    embedder === undefined
      ? undefined
      : createVectorSearch({
          store,
          embedder,
          createIndex,
          mend: 'threadwise ingest --rebuild',
          clock,
          logger,
          queryEmbedTimeoutMs,
        });
  let counted: { readonly revision: number; readonly labels: ReadonlyMap<string, string> } | undefined;

  const countDocuments = async (revision: number, labels: readonly string[]): Promise<number> => {
    if (counted?.revision !== revision) {
      const documents = await store.listDocuments();
      counted = { revision, labels: new Map(documents.map((document) => [wholeIdOf(document.id), document.label])) };
    }
    return [...counted.labels.values()].filter((label) => labels.includes(label)).length;
  };

  const searchWords = async (query: string, labels: readonly string[]): Promise<readonly RankedHit[]> => {
    const hits = await store.searchWords(wordQuery(query), labels, ARM_HITS);
    return hits.map((hit) => ({ id: hit.chunkId, score: hit.score }));
  };

  const rank = async (
    query: string,
    labels: readonly string[],
    words: readonly RankedHit[],
    nearest: readonly RankedHit[] | undefined,
  ) => {
    const scores = fuseHits(words, nearest, VECTOR_WEIGHT);
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
      const [words, nearest] = await Promise.all([
        searchWords(query, labels),
        vectors?.search({ query, revision, labels, limit: ARM_HITS, signal }),
      ]);
      signal.throwIfAborted();
      const ranked = await rank(query, labels, words, nearest);
      return { passages: selectPassages(ranked, limit), mode: nearest === undefined ? 'words' : 'hybrid', documents };
    },
    close: async () => vectors?.close(),
  };
};
