/** What the index and its FAISS process say to each other. Vectors of several entries stand one after the other. */
import type { VectorHit } from '../agent/ports/vector-index.ts';

/** Rows that the process holds, a page of them. */
export interface HeldRows {
  readonly label: string;
  readonly ids: readonly string[];
  /** `sumVector` of each. */
  readonly sums: readonly number[];
}

export type FaissRequest =
  | { readonly type: 'add'; readonly label: string; readonly ids: readonly string[]; readonly vectors: Float32Array }
  | { readonly type: 'remove'; readonly ids: readonly string[] }
  /** Answered without `hits` when the graphs cannot find so many. */
  | { readonly type: 'search'; readonly labels: readonly string[]; readonly vector: Float32Array; readonly limit: number }
  /** Into an empty process; answered with `refusal` when the file cannot be used. */
  | { readonly type: 'load'; readonly path: string; readonly embedderId: string }
  /** Answered without `held` behind the last page. */
  | { readonly type: 'list'; readonly page: number }
  /** Adds rows to a graph that is not searched yet, between other requests. */
  | {
      readonly type: 'grow';
      readonly label: string;
      readonly ids: readonly string[];
      readonly vectors: Float32Array;
      readonly total: number;
      readonly isFirst: boolean;
    }
  /** Takes that graph if it is good enough. */
  | { readonly type: 'finish'; readonly label: string }
  /** Answered with `refusal` when it could not be written. */
  | { readonly type: 'save'; readonly path: string; readonly embedderId: string };

export interface FaissState {
  /** Searches of FAISS itself so far, each of which leaked a query buffer. */
  readonly searches: number;
  readonly rows: number;
  /** Of the rows, those in a graph. */
  readonly graphRows: number;
  /** The labels that have one. */
  readonly graphs: readonly string[];
  /** The share of a graph's true neighbours that it finds, as measured before it was taken: the worst of all. */
  readonly recall: number | null;
  /** A graph has so many dead rows, or so many rows beside it, that filling a new process is better. */
  readonly isWorn: boolean;
}

export interface FaissReply {
  readonly state: FaissState;
  readonly hits?: readonly VectorHit[];
  readonly held?: HeldRows;
  readonly refusal?: string;
}

export type ToChild = { readonly number: number } & FaissRequest;
export type FromChild =
  | { readonly type: 'ready' }
  | { readonly type: 'missing'; readonly reason: string }
  | { readonly type: 'reply'; readonly number: number; readonly reply: FaissReply };
