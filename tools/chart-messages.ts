/** What goes to the process that draws, and what comes back. */
import type { ChartData } from './chart-data.ts';
import type { ChartWords } from './chart-spec.ts';

export interface ChartRequest {
  readonly data: ChartData;
  readonly words: ChartWords;
}

export type ChartReply =
  | { readonly type: 'drawn'; readonly png: Uint8Array }
  | { readonly type: 'failed'; readonly reason: string };
