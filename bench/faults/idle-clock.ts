/**
 * A clock that moves on by itself, to its next timer, whenever the process waits for nothing but time: over real connections on
 * loopback, waits of seconds cost nothing, and a busy machine makes none of them too short.
 */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../agent/ports/clock.ts';
import { systemClock } from '../../ops/clock.ts';

/** Looks in a row at which nothing happened. What is sent on loopback has arrived by the next one. */
const QUIET_LOOKS = 3;
const LOOK_EVERY_MS = 1;
/** What is under way outside the event loop: work on files, connections and writes that are not through. */
const UNDER_WAY = /Req|Connect|Write|Shutdown/;

const eventsSoFar = (): number => performance.nodeTiming.uvMetricsInfo.events;
const isUnderWay = (): boolean => process.getActiveResourcesInfo().some((name) => UNDER_WAY.test(name));

const untilQuiet = async (): Promise<void> => {
  let events = eventsSoFar();
  for (let looks = 0; looks < QUIET_LOOKS; looks += 1) {
    await systemClock.sleep(LOOK_EVERY_MS);
    const now = eventsSoFar();
    if (now !== events || isUnderWay()) looks = -1;
    events = now;
  }
};

interface Timer {
  readonly dueAt: number;
  readonly run: () => void;
}

export const createIdleClock = (): Clock => {
  const startAt = systemClock.now();
  const timers = new Set<Timer>();
  let elapsedMs = 0;
  let isMoving = false;

  const move = async (): Promise<void> => {
    while (timers.size > 0) {
      await untilQuiet();
      // Of timers that are due at the same time, the one that was set first.
      const next = [...timers].reduce<Timer | undefined>(
        (first, timer) => (first && first.dueAt <= timer.dueAt ? first : timer),
        undefined,
      );
      if (next === undefined) break;
      timers.delete(next);
      elapsedMs = next.dueAt;
      next.run();
    }
    isMoving = false;
  };

  const after: Clock['after'] = (ms, run) => {
    const timer = { dueAt: elapsedMs + Math.max(0, ms), run };
    timers.add(timer);
    if (!isMoving) {
      isMoving = true;
      void move();
    }
    return () => void timers.delete(timer);
  };

  return {
    now: () => startAt + elapsedMs,
    monotonic: () => elapsedMs,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = (): void => {
          stop();
          reject(signal?.reason);
        };
        const stop = after(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
  };
};
