import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../agent/ports/clock.ts';

/** Node turns a longer timer into one of 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
  signal?.throwIfAborted();
  try {
    for (let leftMs = ms; leftMs > 0; leftMs -= MAX_TIMER_MS) {
      await delay(Math.min(leftMs, MAX_TIMER_MS), undefined, signal === undefined ? {} : { signal });
    }
  } catch (error) {
    // The timer rejects with its own AbortError; the port promises the signal's reason.
    if (signal?.aborted) throw signal.reason;
    throw error;
  }
};

const after = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
  timer.unref();
  return () => clearTimeout(timer);
};

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
  after,
};
