/** Leaves alone what keeps failing. Closed: calls pass. Open: none does. After a while one call passes, and its outcome decides. */
import type { Clock } from '../agent/ports/clock.ts';

const PROBE_AFTER_MS = 30_000;
/** Nobody is left alone for longer than this, whatever pause was asked for. */
const MAX_PAUSE_MS = 3_600_000;

export interface CircuitBreaker {
  /** True lets the caller call, once; it must then report how that went. */
  admits(): boolean;
  succeeded(): void;
  /**
   * Tells whether the breaker is open now: after so many failures in a row, after a failed probe, or at once where the other side
   * asked for a pause.
   */
  failed(opensAfter: number, pauseMs?: number): boolean;
  /** How long calls are not admitted from now on. */
  waitMs(): number;
  /** The call ended without telling anything about the other side. */
  undecided(): void;
}

export const createCircuitBreaker = (clock: Clock): CircuitBreaker => {
  let failuresInARow = 0;
  let openUntil: number | undefined;
  let probing = false;
  return {
    admits: () => {
      if (openUntil === undefined) return true;
      if (probing || clock.monotonic() < openUntil) return false;
      probing = true;
      return true;
    },
    succeeded: () => {
      failuresInARow = 0;
      openUntil = undefined;
      probing = false;
    },
    failed: (opensAfter, pauseMs = 0) => {
      failuresInARow += 1;
      if (probing || failuresInARow >= opensAfter || pauseMs > 0) {
        openUntil = clock.monotonic() + Math.min(Math.max(pauseMs, PROBE_AFTER_MS), MAX_PAUSE_MS);
      }
      probing = false;
      return openUntil !== undefined;
    },
    waitMs: () => Math.max(0, (openUntil ?? 0) - clock.monotonic()),
    undecided: () => {
      probing = false;
    },
  };
};
