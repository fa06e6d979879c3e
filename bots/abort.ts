/** Waiting with a signal: for whoever must go on when it aborts, whatever the other side does. */

import type { Clock } from '../agent/ports/clock.ts';

/** Settles as the promise does, or rejects with the signal's reason when that aborts first; the promise's late end is of no account. */
export const raceAbort = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });

/** A signal that aborts so long after another: for what should end by itself when that one aborts. Call `end` when it did. */
export const abortLater = (
  signal: AbortSignal,
  { graceMs, clock }: { readonly graceMs: number; readonly clock: Clock },
): { readonly signal: AbortSignal; end(): void } => {
  const controller = new AbortController();
  let cancelTimer: (() => void) | undefined;
  const onAbort = (): void => {
    cancelTimer = clock.after(graceMs, () => controller.abort(signal.reason));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    end: () => {
      signal.removeEventListener('abort', onAbort);
      cancelTimer?.();
    },
  };
};
