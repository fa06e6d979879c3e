/** One line of a benchmark. Shares are 0 to 1 with the unit `share`. */
export interface BenchRow {
  readonly bench: string;
  readonly case: string;
  readonly metric: string;
  /** A word where nothing is measured: `right` or `wrong` of an outcome. */
  readonly value: number | string;
  readonly unit: string;
  /** How many things the value was measured over. */
  readonly n: number;
  /** What it was compared with in the same run, and ours divided by theirs. */
  readonly against?: string;
  readonly ratio?: number;
  /** What a reader has to know beside the figure. */
  readonly note?: string;
}
