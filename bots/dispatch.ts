/**
 * Takes turns from the store as they fall due and has them handled side by side. Sleeps until it is woken or until the store
 * says that something is due; a conversation is held by one handler at a time, which the store's lease guarantees.
 */

import type { ChannelName, Scope } from '../agent/conversation.ts';
import { hasCode } from '../agent/errors.ts';
import type { Channel } from '../agent/ports/channel.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Claim, Store } from '../agent/ports/store.ts';
import { CANCELLED } from '../agent/run.ts';
import { stoppingError } from './delivery.ts';
import { type HeldLease, holdLease } from './lease.ts';
import { createLines } from './lines.ts';
import { postponeMs } from './retry.ts';
import type { RunSlots } from './run-slots.ts';
import type { TurnOutcome, TurnWork } from './worker.ts';

export interface DispatcherOptions {
  readonly store: Store;
  readonly channels: ReadonlyMap<ChannelName, Channel>;
  readonly handle: (work: TurnWork) => Promise<TurnOutcome>;
  /** Tells the questions of a held conversation that they wait. */
  readonly tellWaiting: (channel: Channel, held: HeldLease) => Promise<void>;
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
  /** A question was taken in. */
  arrived(scope: Scope): void;
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
  const { store, channels, handle, tellWaiting, slots, clock, logger, workerId, leaseMs, maxHeld, random, onOutcome } = options;
  const names = [...channels.keys()];
  const active = new Map<string, Active>();
  const underWay = new Set<Promise<void>>();
  /** Cancelled before their claim came back to us. */
  const cancelledEarly = new Set<string>();
  let alarm = Promise.withResolvers<void>();
  const lines = createLines();
  let cancels = 0;
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
    // Expected to the millisecond: the end of the time to decide.
    if (hasCode(error, 'approval_pending')) return Math.ceil(clock.now() + (error.retryAfterMs ?? 0));
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
      if (hasCode(error, 'approval_pending')) logger.debug('turn_waits', { turnId: claim.turnId });
      else {
        const level = stopping || hasCode(error, 'channel_unavailable') || hasCode(error, 'lease_lost') ? 'warn' : 'error';
        logger[level]('turn_postponed', { turnId: claim.turnId, attempts: claim.attempts, error: error as Error });
      }
    } finally {
      active.delete(claim.turnId);
      held.end();
      // Nothing that is left of the turn may send any more.
      held.abort(stoppingError());
      await giveBack(claim, notBefore);
    }
  };

  const keep = (work: Promise<void>): void => {
    const done = work.finally(() => {
      underWay.delete(done);
      wake();
    });
    underWay.add(done);
  };

  /** Behind a parked or postponed turn nobody works on the conversation: it is held for as long as it takes to say so. */
  const tellBehindParked = async ({ conversationId, channel: name }: Scope): Promise<void> => {
    const channel = channels.get(name);
    if (channel === undefined || stopping) return;
    const claimedAt = clock.monotonic();
    const cancelsBefore = cancels;
    const taken = await store.holdUndue(conversationId, workerId, clock.now(), leaseMs);
    if (taken === undefined) return;
    const held = holdLease({ lease: taken.lease, claimedAt, leaseMs, store, clock, logger });
    try {
      await tellWaiting(channel, held);
    } finally {
      held.end();
      held.abort(stoppingError());
      // Who stopped the parked turn meanwhile does not wait for the end of its pause.
      await store.release(taken.lease, cancels === cancelsBefore ? taken.dueAt : undefined);
    }
  };

  const begin = (claim: Claim, claimedAt: number): void => {
    keep(work(claim, claimedAt));
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
    arrived: (scope) => {
      const holder = [...active.values()].find(({ held }) => held.lease.conversationId === scope.conversationId);
      if (holder !== undefined) holder.onArrived();
      else {
        const telling = lines.run(scope.conversationId, () => tellBehindParked(scope));
        keep(telling.catch((error: unknown) => logger.warn('waiting_not_told', { error: error as Error })));
      }
      wake();
    },
    cancel: (turnId) => {
      cancels += 1;
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
