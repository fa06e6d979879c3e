import type { Passage } from '../conversation.ts';
import type { WordQuery } from '../words.ts';
import type { VectorStore } from './vector-store.ts';

/** A document as the store keeps it. `id` is stable over re-ingests of the same source. */
export interface DocumentRecord {
  readonly id: string;
  /** The root it was ingested from (an absolute folder or file), so that what vanished there can be removed. */
  readonly root: string;
  /** Relative to the root; what citations show. */
  readonly source: string;
  readonly title: string;
  readonly label: string;
  /** ISO date of last change, or null. */
  readonly date: string | null;
  /** SHA-256 (hex) of the file's bytes and of what else decides its chunks. */
  readonly contentHash: string;
}

export interface ChunkRecord {
  readonly id: string;
  readonly documentId: string;
  readonly position: number;
  readonly headingPath: readonly string[];
  readonly location: string;
  readonly text: string;
  /** The words index's two columns, made by the same function as its queries. */
  readonly words: string;
  readonly bigrams: string;
}

export interface WordHit {
  readonly chunkId: string;
  /** Higher is better; comparable within one query. */
  readonly score: number;
}

/**
 * Documents, chunks and their words, with the vectors of the chunks. All methods throw `AppError('store_*')` on failure. Label
 * filters apply inside the queries. Writes of one call are one transaction.
 */
export interface KnowledgeStore extends VectorStore {
  listDocuments(root?: string): Promise<readonly DocumentRecord[]>;
  /** Replaces the document and all its chunks; their old words and vectors are gone when it resolves. */
  putDocument(document: DocumentRecord, chunks: readonly ChunkRecord[]): Promise<void>;
  removeDocuments(ids: readonly string[]): Promise<void>;
  countDocuments(): Promise<{ documents: number; chunks: number; vectors: number }>;
  /**
   * Chunks under one of the labels with at least one of the words, best first. How much a word counts is measured over the chunks
   * under these labels alone: no other changes which are found, their order or their scores.
   */
  searchWords(query: WordQuery, labels: readonly string[], limit: number): Promise<readonly WordHit[]>;
  /** Passages of the chunks that carry one of the labels, in the order of the ids; others are left out. Score 0. */
  readPassages(chunkIds: readonly string[], labels: readonly string[]): Promise<readonly Passage[]>;
  /** The chunks before and after, of the same document and label, nearest first. */
  readNeighbours(chunkId: string, labels: readonly string[], span: number): Promise<readonly Passage[]>;
}

export interface SearchRequest {
  readonly query: string;
  readonly labels: readonly string[];
  readonly limit: number;
  readonly signal?: AbortSignal;
}

export interface SearchOutcome {
  /** Best first; every one carries one of the labels. */
  readonly passages: readonly Passage[];
  /** `words` when vectors were not ready or the query is not readable by the embedder. */
  readonly mode: 'hybrid' | 'words';
  /** How many documents the knowledge base holds under these labels; 0 tells an empty one. */
  readonly documents: number;
}

export interface KnowledgeSearch {
  search(request: SearchRequest): Promise<SearchOutcome>;
}
