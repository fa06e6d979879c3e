import { watch } from 'node:fs';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';

/** An editor saves in several steps; a sync waits until nothing happened for this long. */
const QUIET_MS = 300;
/** Network drives tell nothing, and a system's watches can run out: look again this often whatever is told. */
const RECHECK_MS = 60_000;
/** Looking again reads every file; it may take this share of the time and no more. */
const RECHECK_SHARE = 0.05;

interface WatchContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Calls `sync` after changes under the roots, never twice at once; its faults are logged. Resolves when the signal aborts. */
export const watchRoots = async (roots: readonly string[], context: WatchContext, sync: () => Promise<void>): Promise<void> => {
  const { clock, logger, signal } = context;
  let stopTimer = (): void => undefined;
  let running: Promise<void> | undefined;
  let isDirty = false;

  const start = (): void => {
    if (running !== undefined) {
      isDirty = true;
      return;
    }
    isDirty = false;
    const startedAt = clock.monotonic();
    running = sync()
      .catch((error: unknown) => {
        if (!signal.aborted)
          logger.warn('knowledge_sync_failed', { error: error instanceof Error ? error : new Error(String(error)) });
      })
      .finally(() => {
        running = undefined;
        const recheckMs = Math.max(RECHECK_MS, (clock.monotonic() - startedAt) / RECHECK_SHARE);
        if (!signal.aborted) schedule(isDirty ? QUIET_MS : recheckMs);
      });
  };
  const schedule = (ms: number): void => {
    stopTimer();
    stopTimer = clock.after(ms, start);
  };
  const warn = (error: Error): void => logger.warn('knowledge_watch_failed', { error, recheckMs: RECHECK_MS });
  const watchers = roots.flatMap((root) => {
    try {
      const watcher = watch(root, { recursive: true, persistent: false });
      watcher.on('change', () => schedule(QUIET_MS));
      watcher.on('error', warn);
      return [watcher];
    } catch (error) {
      warn(error instanceof Error ? error : new Error(String(error)));
      return [];
    }
  });

  schedule(RECHECK_MS);
  if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  stopTimer();
  for (const watcher of watchers) watcher.close();
  await running;
};
