/**
 * Takes turns from the store as they fall due and has them handled side by side. Sleeps until it is woken or until the store
 * says that something is due; a conversation is held by one handler at a time, which the store's lease guarantees.
 */

import type { ChannelName } from '../agent/conversation.ts';
import { hasCode } from '../agent/errors.ts';
import type { Channel } from '../agent/ports/channel.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Claim, Store } from '../agent/ports/store.ts';
import { CANCELLED } from '../agent/run.ts';
import { stoppingError } from './delivery.ts';
import { type HeldLease, holdLease } from './lease.ts';
import { postponeMs } from './retry.ts';
import type { RunSlots } from './run-slots.ts';
import type { TurnOutcome, TurnWork } from './worker.ts';

export interface DispatcherOptions {
  readonly store: Store;
  readonly channels: ReadonlyMap<ChannelName, Channel>;
  readonly handle: (work: TurnWork) => Promise<TurnOutcome>;
  readonly slots: RunSlots;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly workerId: string;
  readonly leaseMs: number;
  /** How many conversations are held at once, those included that wait for a run's place. */
  readonly maxHeld: number;
  readonly random: () => number;
  readonly onOutcome: (outcome: TurnOutcome | 'postponed') => void;
}

export interface Dispatcher {
  start(): void;
  wake(): void;
  /** A question of the conversation was taken in. */
  arrived(conversationId: string): void;
  /** Aborts the turn's run, now or when it begins. */
  cancel(turnId: string): void;
  /** Takes nothing new; resolves when every turn under way is finished, or was parked because the time is over. */
  drain(timeoutMs: number): Promise<void>;
}

interface Active {
  readonly held: HeldLease;
  readonly cancel: AbortController;
  /** Called when another question of the conversation was taken in. */
  onArrived: () => void;
}

/** How long to leave a store alone that could not be read, and a due turn that could not be claimed. */
const STORE_RETRY_MS = 1_000;
const MIN_SLEEP_MS = 20;
const MAX_CLAIMS_AT_ONCE = 16;
/** How long the unwinding of an aborted turn may take. */
const UNWIND_MS = 3_000;
export const createDispatcher = (options: DispatcherOptions): Dispatcher => {
  const { store, channels, handle, slots, clock, logger, workerId, leaseMs, maxHeld, random, onOutcome } = options;
  const names = [...channels.keys()];
  const active = new Map<string, Active>();
  const underWay = new Set<Promise<void>>();
  /** Cancelled before their claim came back to us. */
  const cancelledEarly = new Set<string>();
  let alarm = Promise.withResolvers<void>();
  let stopping = false;
  let looping: Promise<void> | undefined;

  const wake = (): void => alarm.resolve();

  const giveBack = async (claim: Claim, notBefore: number | undefined): Promise<void> => {
    try {
      await store.release(claim.lease, notBefore);
    } catch (error) {
      // The lease runs out by itself.
      logger.warn('release_failed', { turnId: claim.turnId, error: error as Error });
    }
  };

  /** When to try again what ended with this error; undefined for at once. */
  const dueAfter = (error: unknown, { attempts }: Claim): number | undefined => {
    if (stopping) return undefined;
    return Math.ceil(clock.now() + postponeMs(error, attempts, random));
  };

  const work = async (claim: Claim, claimedAt: number): Promise<void> => {
    const channel = channels.get(claim.message.scope.channel);
    if (channel === undefined) return giveBack(claim, undefined);
    const held = holdLease({ lease: claim.lease, claimedAt, leaseMs, store, clock, logger });
    const cancel = new AbortController();
    const entry: Active = { held, cancel, onArrived: () => undefined };
    active.set(claim.turnId, entry);
    if (cancelledEarly.delete(claim.turnId)) cancel.abort(CANCELLED);
    let notBefore: number | undefined;
    try {
      const outcome = await handle({
        claim,
        channel,
        held,
        cancelled: cancel.signal,
        onArrived: (listener) => {
          entry.onArrived = listener;
        },
      });
      onOutcome(outcome);
    } catch (error) {
      notBefore = dueAfter(error, claim);
      onOutcome('postponed');
      const level = stopping || hasCode(error, 'channel_unavailable') || hasCode(error, 'lease_lost') ? 'warn' : 'error';
      logger[level]('turn_postponed', { turnId: claim.turnId, attempts: claim.attempts, error: error as Error });
    } finally {
      active.delete(claim.turnId);
      held.end();
      // Nothing that is left of the turn may send any more.
      held.abort(stoppingError());
      await giveBack(claim, notBefore);
    }
  };

  const begin = (claim: Claim, claimedAt: number): void => {
    const done = work(claim, claimedAt).finally(() => {
      underWay.delete(done);
      wake();
    });
    underWay.add(done);
  };

  const sleepUntilDue = async (woken: Promise<void>): Promise<void> => {
    const now = clock.now();
    // Held back at the limit: only the end of a turn makes room, and that wakes.
    const dueAt = underWay.size < maxHeld ? await store.nextDueAt(now, names) : undefined;
    const cancelTimer = dueAt === undefined ? undefined : clock.after(Math.max(dueAt - now, MIN_SLEEP_MS), wake);
    await woken;
    cancelTimer?.();
  };

  const claimOne = async (): Promise<boolean> => {
    const claimedAt = clock.monotonic();
    const claim = await store.claim(workerId, clock.now(), leaseMs, names);
    if (claim !== undefined) begin(claim, claimedAt);
    return claim !== undefined;
  };

  const loop = async (): Promise<void> => {
    let width = 1;
    while (!stopping) {
      alarm = Promise.withResolvers<void>();
      const woken = alarm.promise;
      try {
        const claims = Array.from({ length: Math.min(width, maxHeld - underWay.size) }, claimOne);
        const taken = (await Promise.all(claims)).filter(Boolean).length;
        // Claims asked for together share one wait for the disk: the more is due, the more are asked for.
        width = taken === claims.length ? Math.min(width * 2, MAX_CLAIMS_AT_ONCE) : 1;
        if (taken === 0) await sleepUntilDue(woken);
      } catch (error) {
        logger.error('claim_failed', { error: error as Error });
        const cancelTimer = clock.after(STORE_RETRY_MS, wake);
        await woken;
        cancelTimer();
      }
    }
  };

  return {
    start: () => {
      looping ??= loop();
    },
    wake,
    arrived: (conversationId) => {
      for (const { held, onArrived } of active.values()) if (held.lease.conversationId === conversationId) onArrived();
      wake();
    },
    cancel: (turnId) => {
      const running = active.get(turnId);
      if (running !== undefined) {
        running.cancel.abort(CANCELLED);
        return;
      }
      cancelledEarly.add(turnId);
      clock.after(leaseMs, () => cancelledEarly.delete(turnId));
    },
    drain: async (timeoutMs) => {
      stopping = true;
      slots.refuse(stoppingError());
      wake();
      await looping;
      const limit = new AbortController();
      void Promise.all(underWay).then(() => limit.abort());
      if (timeoutMs > 0) await clock.sleep(timeoutMs, limit.signal).catch(() => undefined);
      for (const { held } of active.values()) held.abort(stoppingError());
      const unwound = new AbortController();
      void Promise.all(underWay).then(() => unwound.abort());
      await clock.sleep(UNWIND_MS, unwound.signal).catch(() => undefined);
    },
  };
};
