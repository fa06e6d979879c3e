/** So many questions a minute for each person, by the monotonic clock: a corrected system clock neither frees nor blocks. */

import type { Clock } from '../agent/ports/clock.ts';

export interface RateLimit {
  /** Counts a question. 0 when it may be asked; otherwise how long to wait, and it is not counted. */
  take(userId: string): number;
  /** The question was a repeat: takes the newest count back. */
  giveBack(userId: string): void;
}

const WINDOW_MS = 60_000;

export const createRateLimit = ({ perMinute, clock }: { perMinute: number; clock: Clock }): RateLimit => {
  const askedAt = new Map<string, number[]>();
  let sweptAt = clock.monotonic();

  const recent = (userId: string, now: number) => (askedAt.get(userId) ?? []).filter((at) => at > now - WINDOW_MS);

  const sweep = (now: number): void => {
    if (now - sweptAt < WINDOW_MS) return;
    sweptAt = now;
    for (const userId of askedAt.keys()) if (recent(userId, now).length === 0) askedAt.delete(userId);
  };

  return {
    take: (userId) => {
      const now = clock.monotonic();
      sweep(now);
      const times = recent(userId, now);
      const oldest = times[times.length - perMinute];
      if (oldest !== undefined) return oldest + WINDOW_MS - now;
      askedAt.set(userId, [...times, now]);
      return 0;
    },
    giveBack: (userId) => {
      askedAt.get(userId)?.pop();
    },
  };
};
