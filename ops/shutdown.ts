/**
 * How the process ends. The first SIGTERM or SIGINT drains; a second one ends at once; an uncaught exception ends without
 * draining, for nothing is known of the state any more and the store survives a kill. A rejection that nobody handled is a
 * fault to mend, not a reason to drop every running answer: it is logged, counted and shown by the readiness.
 */

import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';

/** The part of `process` that is used. */
export interface ProcessEvents {
  on(event: string, listener: (value: unknown) => void): unknown;
  off(event: string, listener: (value: unknown) => void): unknown;
}

export interface ShutdownOptions {
  readonly events: ProcessEvents;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Stops intake, finishes or parks what runs, closes everything. Called once. */
  readonly drain: () => Promise<void>;
  /** After this the process ends with what is undone; the next start takes it up. */
  readonly drainTimeoutMs: number;
  /** Ends the process; called once, or a second time by a second signal. */
  readonly exit: (code: number) => void;
}

export interface Shutdown extends Disposable {
  /** Drains as the first signal does. Safe to call twice. */
  begin(reason: string): void;
  isDraining(): boolean;
  unhandledRejections(): number;
}

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;

const asError = (value: unknown): Error => (value instanceof Error ? value : new Error(`not an error: ${String(value)}`));

/** Exit codes: 0 drained, 1 drain failed or took too long or an exception was not caught, 128 + n on a second signal. */
export const installShutdown = ({ events, clock, logger, drain, drainTimeoutMs, exit }: ShutdownOptions): Shutdown => {
  let draining = false;
  let rejections = 0;

  const begin = (reason: string): void => {
    if (draining) return;
    draining = true;
    const startedAt = clock.monotonic();
    logger.info('shutdown_started', { reason, drainTimeoutMs });
    const cancelTimeout = clock.after(drainTimeoutMs, () => {
      logger.error('shutdown_timed_out', { reason, drainTimeoutMs });
      exit(1);
    });
    const finish = (code: number): void => {
      cancelTimeout();
      logger.info('shutdown_finished', { code, durationMs: Math.round(clock.monotonic() - startedAt) });
      exit(code);
    };
    drain().then(
      () => finish(0),
      (error: unknown) => {
        logger.error('shutdown_failed', { error: asError(error) });
        finish(1);
      },
    );
  };

  const onSignal = (name: keyof typeof SIGNAL_NUMBERS) => (): void => {
    if (draining) exit(128 + SIGNAL_NUMBERS[name]);
    else begin(name);
  };
  const listeners: ReadonlyMap<string, (value: unknown) => void> = new Map<string, (value: unknown) => void>([
    ['SIGTERM', onSignal('SIGTERM')],
    ['SIGINT', onSignal('SIGINT')],
    [
      'uncaughtException',
      (error) => {
        logger.error('uncaught_exception', { error: asError(error) });
        exit(1);
      },
    ],
    [
      'unhandledRejection',
      (reason) => {
        rejections += 1;
        logger.error('unhandled_rejection', { error: asError(reason), count: rejections });
      },
    ],
  ]);
  for (const [event, listener] of listeners) events.on(event, listener);

  return {
    begin,
    isDraining: () => draining,
    unhandledRejections: () => rejections,
    [Symbol.dispose]: () => {
      for (const [event, listener] of listeners) events.off(event, listener);
    },
  };
};
