/**
 * Questions that wait behind another of their conversation. Whoever holds the conversation tells each that it was taken, under the
 * same lease; the message that says so becomes its answer when its turn has come.
 */

import type { InboundMessage } from '../agent/conversation.ts';
import type { Channel } from '../agent/ports/channel.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Store, WaitingTurn } from '../agent/ports/store.ts';
import { languageOf, textsFor } from '../agent/texts.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import type { HeldLease } from './lease.ts';
import { refusalText } from './refusal.ts';

export interface WaitingLineOptions {
  readonly channel: Channel;
  readonly held: HeldLease;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  readonly graceMs: number;
}

export interface WaitingLine {
  /** A question may have come: it is told when it has waited for a while. */
  look(): void;
  /** Tells everybody now; resolves when that is done. */
  tellNow(): Promise<void>;
  /** Their messages were folded into the run under way and say so: delivered now, or by whoever claims them later. */
  deliver(turns: readonly WaitingTurn[]): void;
  /** Nobody is told any more; resolves when no message is on its way. */
  end(): Promise<void>;
}

/** Whoever waits no longer is told nothing: the answer comes instead. */
const TOLD_AFTER_MS = 150;

/** A refusal is as true now as it will be later. */
const waitingText = ({ text, refusal }: InboundMessage): string => {
  const texts = textsFor(languageOf(text));
  return refusal === undefined ? texts.queued : refusalText(refusal, texts);
};

export const createWaitingLine = (options: WaitingLineOptions): WaitingLine => {
  const { held, store, clock, logger } = options;
  const told = new Map<string, Delivery>();
  const timers = new Set<() => void>();
  let telling: Promise<void> = Promise.resolve();
  let ended = false;

  const deliveryOf = ({ turnId, message }: WaitingTurn): Delivery => {
    const delivery =
      told.get(turnId) ?? createDelivery({ ...options, turnId, address: message.address, logger: logger.with({ turnId }) });
    told.set(turnId, delivery);
    return delivery;
  };

  /** One after the other: messages to one place must not overtake each other. */
  const tellAll = async (): Promise<void> => {
    if (ended) return;
    for (const turn of await store.listWaiting(held.lease.conversationId)) {
      if (told.has(turn.turnId)) continue;
      if (ended) return;
      await deliveryOf(turn).keepPlace(waitingText(turn.message));
    }
  };

  const deliverAll = async (turns: readonly WaitingTurn[]): Promise<void> => {
    for (const turn of turns) {
      if (ended) return;
      await deliveryOf(turn).deliver();
      await store.completeTurn(held.lease, turn.turnId);
    }
  };

  const inLine = (work: () => Promise<void>): Promise<void> => {
    telling = telling.then(work).catch((error: unknown) => logger.warn('waiting_not_told', { error: error as Error }));
    return telling;
  };

  return {
    look: () => {
      if (ended) return;
      const cancel = clock.after(TOLD_AFTER_MS, () => {
        timers.delete(cancel);
        void inLine(tellAll);
      });
      timers.add(cancel);
    },
    tellNow: () => inLine(tellAll),
    deliver: (turns) => void inLine(() => deliverAll(turns)),
    end: async () => {
      ended = true;
      for (const cancel of timers) cancel();
      await Promise.all([telling, ...[...told.values()].map((delivery) => delivery.settlePlaceholder())]);
    },
  };
};
