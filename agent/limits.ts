/** The bounds of a run. Every one has a reason to exist: what it stops has been seen to happen. */
export interface RunLimits {
  /** Model calls with tools in one run; one more without tools follows. */
  readonly steps: number;
  readonly runTimeoutMs: number;
  /** Tries of one model call in all. */
  readonly modelTries: number;
  /** The first wait between tries is drawn from 0 to this, the next from 0 to twice this. */
  readonly retryBaseMs: number;
  /** A longer `Retry-After` is not waited for. */
  readonly retryAfterCapMs: number;
  readonly questionChars: number;
  readonly toolCallsPerStep: number;
  /** A longer result is cut in the middle before the model sees it. */
  readonly toolResultChars: number;
  /** The same call with the same arguments runs fewer times than this. */
  readonly repeatedCalls: number;
}

export const DEFAULT_LIMITS: RunLimits = {
  steps: 8,
  runTimeoutMs: 120_000,
  modelTries: 3,
  retryBaseMs: 500,
  retryAfterCapMs: 60_000,
  questionChars: 20_000,
  toolCallsPerStep: 16,
  toolResultChars: 24_000,
  repeatedCalls: 3,
};
