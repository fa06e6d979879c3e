/** Sweeps now, when woken, and when the sweep said that there will be more to do. */
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';

export interface LoopOptions {
  readonly name: string;
  /** Resolves with the epoch milliseconds of the next sweep that is known of. */
  readonly sweep: (signal: AbortSignal) => Promise<number | undefined>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Loop {
  start(): void;
  /** Nothing before the start and after the stop. */
  wake(): void;
  stop(): Promise<void>;
}

const RETRY_MS = 5_000;
/** The system clock may be set meanwhile, and another process may have changed something. */
const MAX_SLEEP_MS = 30_000;

export const createLoop = ({ name, sweep, clock, logger }: LoopOptions): Loop => {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let isWoken = false;
  let rouse: () => void = () => {};

  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const stopTimer = clock.after(ms, () => rouse());
      rouse = () => {
        stopTimer();
        rouse = () => {};
        resolve();
      };
      if (isWoken || stopping.signal.aborted) rouse();
    });

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      isWoken = false;
      let waitMs = RETRY_MS;
      try {
        const nextAt = await sweep(stopping.signal);
        waitMs = nextAt === undefined ? MAX_SLEEP_MS : Math.min(MAX_SLEEP_MS, Math.max(0, nextAt - clock.now()));
      } catch (error) {
        if (!stopping.signal.aborted) logger.warn('loop_failed', { loop: name, error: error as Error });
      }
      if (!isWoken) await rest(waitMs);
    }
  };

  return {
    start: () => {
      running ??= run();
    },
    wake: () => {
      isWoken = true;
      rouse();
    },
    stop: async () => {
      stopping.abort(new AppError('internal', 'the process is stopping'));
      rouse();
      await running;
    },
  };
};
