/** Leaves alone what keeps failing. Closed: calls pass. Open: none does. After a while one call passes, and its outcome decides. */
import type { Clock } from '../agent/ports/clock.ts';

const PROBE_AFTER_MS = 30_000;

export interface CircuitBreaker {
  /** True lets the caller call, once; it must then report how that went. */
  admits(): boolean;
  succeeded(): void;
  /** Tells whether the breaker is open now: after so many failures in a row, or after a failed probe. */
  failed(opensAfter: number): boolean;
  /** The call ended without telling anything about the other side. */
  undecided(): void;
}

export const createCircuitBreaker = (clock: Clock): CircuitBreaker => {
  let failuresInARow = 0;
  let openedAt: number | undefined;
  let probing = false;
  return {
    admits: () => {
      if (openedAt === undefined) return true;
      if (probing || clock.monotonic() - openedAt < PROBE_AFTER_MS) return false;
      probing = true;
      return true;
    },
    succeeded: () => {
      failuresInARow = 0;
      openedAt = undefined;
      probing = false;
    },
    failed: (opensAfter) => {
      failuresInARow += 1;
      if (probing || failuresInARow >= opensAfter) openedAt = clock.monotonic();
      probing = false;
      return openedAt !== undefined;
    },
    undecided: () => {
      probing = false;
    },
  };
};
