/** So many questions a minute for each person, by the monotonic clock: a corrected system clock neither frees nor blocks. */

import type { Clock } from '../agent/ports/clock.ts';

export interface RateLimit {
  /** Counts a question. 0 when it may be asked; otherwise how long to wait, and it is not counted. */
  take(userId: string): number;
  /** False when nothing is known of the person's last minute: what was counted before a restart can be restored then. */
  knows(userId: string): boolean;
  /** Counts questions that were asked so many milliseconds ago, oldest first; nothing when the person is known by now. */
  restore(userId: string, agesMs: readonly number[]): void;
  /** What `take` would say, without counting. */
  peek(userId: string): number;
  /** The question was a repeat: takes the newest count back. */
  giveBack(userId: string): void;
}

export const WINDOW_MS = 60_000;

export const createRateLimit = ({ perMinute, clock }: { perMinute: number; clock: Clock }): RateLimit => {
  const askedAt = new Map<string, number[]>();
  let sweptAt = clock.monotonic();

  const recent = (userId: string, now: number) => (askedAt.get(userId) ?? []).filter((at) => at > now - WINDOW_MS);

  const waitOf = (userId: string, now: number): number => {
    const times = recent(userId, now);
    const oldest = times[times.length - perMinute];
    return oldest === undefined ? 0 : oldest + WINDOW_MS - now;
  };

  const sweep = (now: number): void => {
    if (now - sweptAt < WINDOW_MS) return;
    sweptAt = now;
    for (const userId of askedAt.keys()) if (recent(userId, now).length === 0) askedAt.delete(userId);
  };

  return {
    take: (userId) => {
      const now = clock.monotonic();
      sweep(now);
      const waitMs = waitOf(userId, now);
      if (waitMs === 0) askedAt.set(userId, [...recent(userId, now), now]);
      return waitMs;
    },
    knows: (userId) => askedAt.has(userId),
    restore: (userId, agesMs) => {
      const now = clock.monotonic();
      // A system clock that was set back would make them come.
      if (!askedAt.has(userId))
        askedAt.set(
          userId,
          agesMs.map((ageMs) => now - Math.max(ageMs, 0)),
        );
    },
    peek: (userId) => waitOf(userId, clock.monotonic()),
    giveBack: (userId) => {
      askedAt.get(userId)?.pop();
    },
  };
};
