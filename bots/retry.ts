/** Trying again what a platform could not take, with exponential backoff and full jitter; its own `Retry-After` is a floor. */

import { AppError, hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly random: () => number;
}

const TRIES_IN_PLACE = 4;
const BASE_MS = 500;
/** A longer wait is better spent without holding a place among the runs. */
const MAX_WAIT_IN_PLACE_MS = 20_000;
const MAX_POSTPONE_MS = 300_000;
const RECONNECT_BASE_MS = 1_000;
const RECONNECT_MAX_MS = 60_000;

/** The wait that the platform named; an absurd one counts as five minutes, or as none. */
const floorMsOf = (error: unknown): number => {
  const floorMs = error instanceof AppError ? (error.retryAfterMs ?? 0) : 0;
  return floorMs > 0 ? Math.min(floorMs, MAX_POSTPONE_MS) : 0;
};

/** Runs until it passes; rethrows what is not `channel_unavailable`, and that too when its tries are used up. */
export const retryInPlace = async <T>(run: () => Promise<T>, { clock, signal, random }: RetryOptions): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!hasCode(error, 'channel_unavailable') || attempt >= TRIES_IN_PLACE) throw error;
      const waitMs = Math.max(random() * BASE_MS * 2 ** (attempt - 1), floorMsOf(error));
      if (waitMs > MAX_WAIT_IN_PLACE_MS) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
};

/** How long to leave a turn alone that ended with this error: grows with every attempt, to five minutes. */
export const postponeMs = (error: unknown, attempts: number, random: () => number): number => {
  const ceiling = Math.min(MAX_POSTPONE_MS, 2 * BASE_MS * 2 ** Math.min(attempts, 20));
  return Math.max(floorMsOf(error), ceiling / 2 + (random() * ceiling) / 2);
};

/** How long to wait before connecting again. Jitter over the upper half, so that many processes do not come back as one. */
export const reconnectDelayMs = (failures: number, random: () => number): number => {
  const ceiling =
    failures === 0 ? RECONNECT_BASE_MS / 2 : Math.min(RECONNECT_MAX_MS, RECONNECT_BASE_MS * 2 ** Math.min(failures - 1, 10));
  return ceiling / 2 + (random() * ceiling) / 2;
};
