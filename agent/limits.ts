/** The bounds of a run. Every one has a reason to exist: what it stops has been seen to happen. */
export interface RunLimits {
  /** Model calls with tools in one run; one more without tools follows. */
  readonly steps: number;
  readonly runTimeoutMs: number;
  /** Tries of one model call in all. */
  readonly modelTries: number;
  /** Tries of one call of a repeatable tool in all, where the network failed. */
  readonly toolTries: number;
  /** The first wait between tries is drawn from 0 to this, the next from 0 to twice this. */
  readonly retryBaseMs: number;
  /** A longer `Retry-After` is not waited for. */
  readonly retryAfterCapMs: number;
  readonly questionChars: number;
  /** Earlier turns that the model sees at most. */
  readonly windowTurns: number;
  readonly toolCallsPerStep: number;
  /** Reads that run at the same time. */
  readonly parallelReads: number;
  /** A longer result is cut in the middle before the model sees it. */
  readonly toolResultChars: number;
  /** The same for all results of one step together. */
  readonly stepResultChars: number;
  /** The same call with the same result runs fewer times than this. */
  readonly repeatedCalls: number;
  /** So many results in a row that bring nothing new count as turning in circles. */
  readonly staleResults: number;
  /** After so many counted failures in a row a tool is set aside; one more ends the run. */
  readonly failuresToSetAside: number;
  /** When a tool that was set aside is tried again. */
  readonly probeAfterMs: number;
  /** With more tools than this, only those that fit the question are offered. */
  readonly routeAbove: number;
  /** How many are offered then, beside those that always are. */
  readonly toolsOffered: number;
}

export const DEFAULT_LIMITS: RunLimits = {
  steps: 8,
  runTimeoutMs: 120_000,
  modelTries: 3,
  toolTries: 3,
  retryBaseMs: 500,
  retryAfterCapMs: 60_000,
  questionChars: 20_000,
  windowTurns: 50,
  toolCallsPerStep: 16,
  parallelReads: 8,
  toolResultChars: 24_000,
  stepResultChars: 48_000,
  repeatedCalls: 3,
  staleResults: 4,
  failuresToSetAside: 2,
  probeAfterMs: 30_000,
  routeAbove: 12,
  toolsOffered: 8,
};
