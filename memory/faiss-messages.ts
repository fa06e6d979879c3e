/** What the index and its FAISS process say to each other. Vectors of several entries stand one after the other. */
import type { VectorHit } from '../agent/ports/vector-index.ts';

export type FaissRequest =
  | { readonly type: 'add'; readonly label: string; readonly ids: readonly string[]; readonly vectors: Float32Array }
  | { readonly type: 'remove'; readonly ids: readonly string[] }
  | { readonly type: 'search'; readonly labels: readonly string[]; readonly vector: Float32Array; readonly limit: number };

export interface FaissReply {
  readonly hits: readonly VectorHit[];
  /** Searches of FAISS itself so far, each of which leaked a query buffer. */
  readonly searches: number;
  /** Rows that stand in FAISS but were removed or replaced. */
  readonly deadRows: number;
}

export type ToChild = { readonly number: number } & FaissRequest;
export type FromChild =
  | { readonly type: 'ready' }
  | { readonly type: 'missing'; readonly reason: string }
  | { readonly type: 'reply'; readonly number: number; readonly reply: FaissReply };
