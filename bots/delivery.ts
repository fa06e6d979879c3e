/**
 * One turn's messages on the platform: the placeholder, and the answer's parts in order. What is about to be sent is stored
 * first; a send whose outcome is unknown is looked up before it is repeated, after the longest time it can be under way.
 */

import type { ReplyAddress } from '../agent/conversation.ts';
import { AppError, hasCode } from '../agent/errors.ts';
import type { Channel, MessageRef, OutboundPart } from '../agent/ports/channel.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { OutboxRow, Store } from '../agent/ports/store.ts';
import { raceAbort } from './abort.ts';
import { refusedFilePart } from './file-parts.ts';
import type { HeldLease } from './lease.ts';
import { cutText } from './question.ts';
import { retryInPlace } from './retry.ts';

export interface DeliveryOptions {
  readonly turnId: string;
  readonly address: ReplyAddress;
  readonly channel: Channel;
  readonly held: HeldLease;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  /** The longest time a send can be under way, from its mark in the store to its being found on the platform. */
  readonly graceMs: number;
}

export type DeliveryOutcome = 'delivered' | 'rejected';

export interface Delivery {
  /** Posts a message that keeps the answer's place, unless one stands. Never rejects: a failure is left to `deliver`. */
  keepPlace(text: string): Promise<void>;
  /** A run is under way: the same with a button that stops it. Shows the text in a message that stands. Calls `onPosted` then. */
  startPlaceholder(text: string, onPosted: () => void): void;
  /** The run rests for a while: its message says so, and is posted where none stands. Never rejects. */
  rest(text: string): Promise<void>;
  /** Posts the card of an approval under this number unless it stands. Throws as `deliver`, and `AppError('channel_rejected')`. */
  postCard(index: number, part: OutboundPart): Promise<void>;
  /** Shows on a card that was posted what became of it, once. A platform that refuses is left alone. */
  closeCard(index: number, part: OutboundPart): Promise<void>;
  /** Begins no send of the placeholder any more; resolves when the one under way has ended. */
  settlePlaceholder(): Promise<void>;
  /** Shows a state in the placeholder if that stands and the lease is far from its end. */
  showProgress(text: string): void;
  /**
   * Sends what of the parts does not stand yet. `rejected`: the platform refused one for good, in plain text too. Throws
   * `AppError('channel_unavailable')` when the rest must wait, the lease's reason when it is lost.
   */
  deliver(replacement?: readonly OutboundPart[]): Promise<DeliveryOutcome>;
}

export const partKey = (turnId: string, index: number): string => `${turnId}:${index}`;

const ANSWER_READY = Symbol('answer ready');

/** What every platform takes: short, without blocks and buttons. Made of text that is safe already, so nothing is taken out of it. */
const asPlain = (part: OutboundPart): OutboundPart => ({ text: cutText(part.text, 1_900), withFeedback: false, isPlain: true });

const isRejected = (error: unknown): error is AppError =>
  hasCode(error, 'channel_rejected') || hasCode(error, 'channel_no_files');

export const createDelivery = (options: DeliveryOptions): Delivery => {
  const { turnId, address, channel, held, store, clock, logger, random, graceMs } = options;
  const { lease, signal } = held;
  const answerReady = new AbortController();
  let placeholder: Promise<void> | undefined;
  let placeholderRef: MessageRef | undefined;

  /** The lease is looked at in the same breath as the send begins. */
  const send = <T>(marginMs: number, begin: () => Promise<T>): Promise<T> => {
    held.assertHeld(marginMs);
    return raceAbort(begin(), signal);
  };

  const look = async (index: number): Promise<MessageRef | undefined> => {
    try {
      return await raceAbort(channel.find(address, partKey(turnId, index)), signal);
    } catch (error) {
      if (!hasCode(error, 'channel_rejected')) throw error;
      logger.warn('read_back_rejected', { index, error });
      return undefined;
    }
  };

  /** Posts the part, or finds it posted by an earlier try whose outcome is unknown (`sentAt` is set). */
  const place = async (
    index: number,
    part: OutboundPart,
    unknownSince: number | undefined,
    waiting: AbortSignal,
    bytes?: Uint8Array,
  ): Promise<{ readonly ref: MessageRef; readonly isFound: boolean }> => {
    let sentAt = unknownSince;
    const attempt = async () => {
      if (sentAt !== undefined) {
        // At most the whole grace, wherever the system clock has gone meanwhile.
        await clock.sleep(Math.min(Math.max(sentAt + graceMs - clock.now(), 0), graceMs), waiting);
        const found = await look(index);
        if (found !== undefined) {
          await store.markPosted(lease, turnId, index, found);
          return { ref: found, isFound: true };
        }
      }
      await held.ensure(1.5 * graceMs);
      waiting.throwIfAborted();
      sentAt = clock.now();
      await store.markSending(lease, turnId, index, sentAt);
      let ref: MessageRef;
      try {
        waiting.throwIfAborted();
        // Whoever takes over looks for this message a grace after its mark: it must not begin its way later than that.
        ref = await send(graceMs, () => channel.post(address, part, partKey(turnId, index), bytes));
      } catch (error) {
        const refused = isRejected(error) || (hasCode(error, 'channel_unavailable') && error.retryAfterMs !== undefined);
        if (refused || error === ANSWER_READY) {
          sentAt = undefined;
          await store.markUnsent(lease, turnId, index);
        }
        throw error;
      }
      await store.markPosted(lease, turnId, index, ref);
      return { ref, isFound: false };
    };
    return retryInPlace(attempt, { clock, signal: waiting, random });
  };

  const update = (index: number, ref: MessageRef, part: OutboundPart): Promise<void> =>
    retryInPlace(() => send(1, () => channel.update(address, ref, part, partKey(turnId, index))), { clock, signal, random });

  /** One that was forgotten meanwhile is not sent; one that stands is as it will be. */
  const deliverFile = async (row: OutboxRow, part: OutboundPart, number: number): Promise<void> => {
    const file = row.ref === null ? await store.readFile(turnId, number) : undefined;
    if (file !== undefined) await place(row.index, part, row.state === 'sending' ? row.sentAt : undefined, signal, file.bytes);
    await store.markDelivered(lease, turnId, row.index);
  };

  const deliverPart = async (row: OutboxRow, part: OutboundPart): Promise<void> => {
    if (part.file !== undefined) return deliverFile(row, part, part.file.number);
    let ref = row.ref ?? (row.index === 0 ? placeholderRef : undefined);
    if (ref === undefined) {
      const unknownSince = row.state === 'sending' ? row.sentAt : undefined;
      const placed = await place(row.index, part, unknownSince, signal);
      // A found first message may be the placeholder, a found card may still have its buttons; a later part carries its final text.
      if (placed.isFound && (row.index === 0 || part.card !== undefined)) ref = placed.ref;
    }
    if (ref !== undefined) await update(row.index, ref, part);
    await store.markDelivered(lease, turnId, row.index);
  };

  const settlePlaceholder = async (): Promise<void> => {
    answerReady.abort(ANSWER_READY);
    await placeholder;
  };

  const showProgress = (text: string): void => {
    if (placeholderRef === undefined || answerReady.signal.aborted || signal.aborted) return;
    if (held.remainingMs() < 1.5 * graceMs) return;
    channel.progress(address, placeholderRef, text, partKey(turnId, 0));
  };

  /** Tells whether the message stood already. */
  const beginPlaceholder = async (part: OutboundPart): Promise<boolean> => {
    const [row] = await store.readOutbox(turnId);
    if (row?.ref != null) {
      placeholderRef = row.ref;
      return true;
    }
    const waiting = AbortSignal.any([signal, answerReady.signal]);
    const placed = await place(0, part, row?.state === 'sending' ? row.sentAt : undefined, waiting);
    placeholderRef = placed.ref;
    return placed.isFound;
  };

  const readRow = async (index: number): Promise<OutboxRow | undefined> =>
    (await store.readOutbox(turnId)).find((row) => row.index === index);

  const logFailure = (error: unknown): void => {
    if (error !== ANSWER_READY && !signal.aborted) logger.warn('placeholder_failed', { error: error as Error });
  };

  return {
    keepPlace: (text) => {
      placeholder = beginPlaceholder({ text, withFeedback: false }).then(() => undefined, logFailure);
      return placeholder;
    },
    startPlaceholder: (text, onPosted) => {
      const begin = async (): Promise<void> => {
        if (await beginPlaceholder({ text, withFeedback: false, withStop: true })) showProgress(text);
        if (!answerReady.signal.aborted) onPosted();
      };
      placeholder = begin().catch(logFailure);
    },
    rest: async (text) => {
      // What the run began to post ends first: two posts of one message would be two messages.
      await placeholder;
      if (placeholderRef === undefined) {
        await beginPlaceholder({ text, withFeedback: false, withStop: true }).catch(logFailure);
      }
      showProgress(text);
    },
    postCard: async (index, part) => {
      const row = await readRow(index);
      if (row?.ref == null) await place(index, part, row?.state === 'sending' ? row.sentAt : undefined, signal);
    },
    closeCard: async (index, part) => {
      const row = await readRow(index);
      // One that was never sent has nothing to show.
      if (row === undefined || row.state === 'planned' || row.state === 'delivered') return;
      try {
        await deliverPart(row, part);
      } catch (error) {
        if (!hasCode(error, 'channel_rejected')) throw error;
        logger.warn('card_not_closed', { index, error });
        await store.markDelivered(lease, turnId, index);
      }
    },
    settlePlaceholder,
    showProgress,
    deliver: async (replacement) => {
      await settlePlaceholder();
      for (const row of await store.readOutbox(turnId)) {
        const part = replacement === undefined ? row.part : replacement[row.index];
        if (row.state === 'delivered' || part == null) continue;
        try {
          await deliverPart(row, part);
        } catch (error) {
          if (!isRejected(error)) throw error;
          logger.warn('part_rejected', { index: row.index, error });
          try {
            const [fresh] = (await store.readOutbox(turnId)).filter(({ index }) => index === row.index);
            const instead = part.file === undefined ? asPlain(part) : refusedFilePart(part.file, channel.name, error);
            await deliverPart(fresh ?? row, instead);
          } catch (again) {
            if (!hasCode(again, 'channel_rejected')) throw again;
            logger.error('answer_rejected', { index: row.index, error: again });
            return 'rejected';
          }
        }
      }
      return 'delivered';
    },
  };
};

/** The process stops: runs and deliveries unwind, their turns resume after the restart. */
export const stoppingError = (): AppError =>
  new AppError('internal', 'the process is stopping; the turn is taken up again after the restart');
