/**
 * One budget for all message edits of a workspace. Status edits share what is left over evenly and only the newest text of
 * a message counts; final texts go first, and no status of a message is sent after its final text.
 */

import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';

export interface EditBudgetOptions {
  /** One edit per this time for the whole workspace; 0 switches pacing off. Slack's Tier 3 (50 a minute) is 1,200. */
  readonly intervalMs: number;
  /** How many final texts may go ahead of the pace when several answers are ready at once. Default 10. */
  readonly finalBurst?: number;
  /** A status that could not be sent for this long is out of date and is dropped. Default 10,000. */
  readonly maxStatusAgeMs?: number;
  readonly clock: Clock;
}

export interface EditBudget {
  /** A run's message begins to take status edits. With N open, each of them edits at most every N × `intervalMs`. */
  open(key: string): void;
  /** Shows a status when the budget allows; a later offer of the key replaces one that still waits. Ignored unless open. */
  offer(key: string, send: () => Promise<void>): void;
  /**
   * Sends the final text: before any status, after an edit of the same key that is under way. Settles as `send` does, so a
   * failed one may be given again. From the call on, no status of the key is sent.
   */
  final(key: string, send: () => Promise<void>): Promise<void>;
  /** Forgets the key. A final text that waits is still sent. */
  close(key: string): void;
  /** Sends nothing for this long (a platform's `Retry-After`), at most a minute. */
  pause(ms: number): void;
  /** How long until the next edit could be sent: a pause or the pace that must be kept although nothing waits. */
  restMs(): number;
  /** Drops what waits: statuses in silence, final texts with `AppError('channel_unavailable')`. Nothing is sent afterwards. */
  stop(): void;
}

interface Status {
  readonly send: () => Promise<void>;
  readonly offeredAt: number;
}

interface Entry {
  status: Status | undefined;
  lastEditAt: number;
}

interface Final {
  readonly key: string;
  readonly send: () => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const MAX_PAUSE_MS = 60_000;

export const createEditBudget = ({
  intervalMs,
  finalBurst = 10,
  maxStatusAgeMs = 10_000,
  clock,
}: EditBudgetOptions): EditBudget => {
  const entries = new Map<string, Entry>();
  const finals: Final[] = [];
  const inFlight = new Set<string>();
  /** When the pace allows the next edit; each edit moves it on by `intervalMs` (the generic cell rate algorithm). */
  let nextAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let cancelTimer: (() => void) | undefined;
  let stopped = false;

  const finalAllowedAt = () => Math.max(pausedUntil, nextAt - (Math.max(1, finalBurst) - 1) * intervalMs);

  /** The waiting status whose message has not been edited for the longest time. */
  const nextStatus = (): { key: string; entry: Entry; dueAt: number } | undefined => {
    const share = entries.size * intervalMs;
    let best: { key: string; entry: Entry; dueAt: number } | undefined;
    for (const [key, entry] of entries) {
      if (entry.status === undefined || inFlight.has(key)) continue;
      const dueAt = Math.max(pausedUntil, nextAt, entry.lastEditAt + share);
      if (best === undefined || dueAt < best.dueAt || (dueAt === best.dueAt && entry.lastEditAt < best.entry.lastEditAt)) {
        best = { key, entry, dueAt };
      }
    }
    return best;
  };

  const send = (key: string, run: () => Promise<void>): Promise<void> => {
    const now = clock.monotonic();
    nextAt = Math.max(nextAt, now) + intervalMs;
    inFlight.add(key);
    // Called at once: a status that passed its age check must not wait for another turn of the event loop.
    let sent: Promise<void>;
    try {
      sent = run();
    } catch (error) {
      sent = Promise.reject(error);
    }
    return sent.finally(() => {
      inFlight.delete(key);
      pump();
    });
  };

  const dropOldStatuses = (now: number): void => {
    for (const entry of entries.values()) {
      if (entry.status !== undefined && now - entry.status.offeredAt > maxStatusAgeMs) entry.status = undefined;
    }
  };

  const pump = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    if (stopped) return;
    for (;;) {
      const now = clock.monotonic();
      dropOldStatuses(now);
      const index = finals.findIndex((final) => !inFlight.has(final.key));
      const final = finals[index];
      if (final !== undefined) {
        if (finalAllowedAt() > now) return wakeAt(finalAllowedAt(), now);
        finals.splice(index, 1);
        send(final.key, final.send).then(final.resolve, final.reject);
        continue;
      }
      const status = nextStatus();
      if (status === undefined) return;
      if (status.dueAt > now) return wakeAt(status.dueAt, now);
      const run = status.entry.status?.send;
      status.entry.status = undefined;
      status.entry.lastEditAt = now;
      // A status that fails is of no consequence: the next one, or the final text, takes its place.
      if (run !== undefined) send(status.key, run).catch(() => undefined);
    }
  };

  const wakeAt = (at: number, now: number): void => {
    cancelTimer = clock.after(at - now, pump);
  };

  return {
    open: (key) => {
      if (!entries.has(key)) entries.set(key, { status: undefined, lastEditAt: Number.NEGATIVE_INFINITY });
    },
    offer: (key, run) => {
      const entry = entries.get(key);
      if (entry === undefined || stopped) return;
      entry.status = { send: run, offeredAt: clock.monotonic() };
      pump();
    },
    final: (key, run) => {
      entries.delete(key);
      if (stopped) return Promise.reject(stoppedError());
      return new Promise<void>((resolve, reject) => {
        finals.push({ key, send: run, resolve, reject });
        pump();
      });
    },
    close: (key) => {
      entries.delete(key);
      pump();
    },
    pause: (ms) => {
      if (!(ms > 0)) return;
      pausedUntil = Math.max(pausedUntil, clock.monotonic() + Math.min(ms, MAX_PAUSE_MS));
      pump();
    },
    restMs: () => Math.max(pausedUntil, nextAt, clock.monotonic()) - clock.monotonic(),
    stop: () => {
      stopped = true;
      cancelTimer?.();
      entries.clear();
      for (const final of finals.splice(0)) final.reject(stoppedError());
    },
  };
};

const stoppedError = () => new AppError('channel_unavailable', 'the channel is closed; the text is sent after the restart');
