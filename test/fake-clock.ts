import type { Clock } from '../agent/ports/clock.ts';

interface Timer {
  readonly dueAt: number;
  readonly order: number;
  readonly run: () => void;
}

export interface FakeClock extends Clock {
  /** Moves time forward; runs what falls due in order, each at its own time, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Moves to the next timer and runs it. False when none waits. */
  advanceToNext(): Promise<boolean>;
  /** Timers and sleeps that wait. */
  pending(): number;
  /** Moves `now` alone, as a corrected system clock does. */
  jump(ms: number): void;
}

/** A macrotask, so that whole chains of promises settle, those behind real input and output excepted. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock that stands still until it is told to move. Starts at 2026-01-05T09:00:00Z. */
export const createFakeClock = (startAt: number = Date.UTC(2026, 0, 5, 9)): FakeClock => {
  const timers = new Set<Timer>();
  let elapsedMs = 0;
  let jumpedMs = 0;
  let order = 0;

  const schedule = (ms: number, run: () => void): (() => void) => {
    const timer: Timer = { dueAt: elapsedMs + Math.max(ms, 0), order: order++, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };

  const next = (): Timer | undefined => [...timers].sort((a, b) => a.dueAt - b.dueAt || a.order - b.order)[0];

  const fire = async (timer: Timer): Promise<void> => {
    elapsedMs = Math.max(elapsedMs, timer.dueAt);
    timers.delete(timer);
    timer.run();
    await settle();
  };

  return {
    now: () => startAt + elapsedMs + jumpedMs,
    monotonic: () => elapsedMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason as Error);
          return;
        }
        const onAbort = (): void => {
          stop();
          reject(signal?.reason as Error);
        };
        const stop = schedule(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    after: schedule,
    advance: async (ms) => {
      const targetMs = elapsedMs + ms;
      await settle();
      for (let timer = next(); timer !== undefined && timer.dueAt <= targetMs; timer = next()) await fire(timer);
      elapsedMs = targetMs;
      await settle();
    },
    advanceToNext: async () => {
      await settle();
      const timer = next();
      if (timer === undefined) return false;
      await fire(timer);
      return true;
    },
    pending: () => timers.size,
    jump: (ms) => {
      jumpedMs += ms;
    },
  };
};
