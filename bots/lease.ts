/**
 * The right to work on a conversation, as this process sees it: kept alive by a heartbeat, with a deadline of its own that is
 * looked at right before anything is sent. A process that was stopped for a minute finds it passed and sends nothing.
 */

import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Lease, Store } from '../agent/ports/store.ts';

export interface HeldLease {
  readonly lease: Lease;
  /** Aborted with an error when the lease is lost or the process stops. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** Renews unless so much is left. Throws `AppError('lease_lost')`. */
  ensure(marginMs: number): Promise<void>;
  /** Throws the signal's reason, or `AppError('lease_lost')` when less than so much is left. Call it right before a send. */
  assertHeld(marginMs: number): void;
  /** Aborts the signal: the process stops. */
  abort(reason: AppError): void;
  /** Ends the heartbeat. */
  end(): void;
}

export interface HeldLeaseOptions {
  readonly lease: Lease;
  /** The monotonic time before the claim was asked for. */
  readonly claimedAt: number;
  readonly leaseMs: number;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const holdLease = ({ lease, claimedAt, leaseMs, store, clock, logger }: HeldLeaseOptions): HeldLease => {
  const controller = new AbortController();
  let deadline = claimedAt + leaseMs;
  /** Leases are stored by the system clock, and a suspended machine stops the monotonic one: the nearer end counts. */
  let systemDeadline = clock.now() - (clock.monotonic() - claimedAt) + leaseMs;
  let ended = false;

  const remainingMs = () => Math.min(deadline - clock.monotonic(), systemDeadline - clock.now());

  const lose = (): AppError => {
    const error = new AppError('lease_lost', `the lease of ${lease.conversationId} ran out or another worker took it over`);
    controller.abort(error);
    return error;
  };

  const renew = async (): Promise<void> => {
    const before = clock.monotonic();
    const now = clock.now();
    if (!(await store.renew(lease, now, leaseMs))) throw lose();
    deadline = Math.max(deadline, before + leaseMs);
    systemDeadline = now + leaseMs;
  };

  const beat = async (): Promise<void> => {
    if (ended || controller.signal.aborted) return;
    try {
      await renew();
    } catch (error) {
      if (!controller.signal.aborted) logger.warn('lease_renewal_failed', { error: error as Error });
    }
    schedule();
  };

  let cancelTimer: () => void = () => undefined;
  const schedule = (): void => {
    if (!ended && !controller.signal.aborted) cancelTimer = clock.after(leaseMs / 3, () => void beat());
  };
  schedule();

  return {
    lease,
    signal: controller.signal,
    remainingMs,
    ensure: async (marginMs) => {
      controller.signal.throwIfAborted();
      if (remainingMs() < marginMs) await renew();
    },
    assertHeld: (marginMs) => {
      controller.signal.throwIfAborted();
      if (remainingMs() < marginMs) throw lose();
    },
    abort: (reason) => controller.abort(reason),
    end: () => {
      ended = true;
      cancelTimer();
    },
  };
};
