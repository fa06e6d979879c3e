/**
 * Keeps what is posted about tickets in step with them. What is about to be sent is stored first; a send whose outcome is unknown is
 * looked up before it is repeated. One card is edited once for all the versions that came meanwhile.
 */
import { createHash } from 'node:crypto';
import { AppError, hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { BoardMessage, TicketBoard, TicketCard } from '../agent/ports/ticket-board.ts';
import type { TicketPost, TicketStore } from '../agent/ports/ticket-store.ts';
import { type BoardName, SYSTEM, type Ticket } from '../agent/ticket.ts';
import { HAND_OFF_SLOT, OTHERS_READ } from './actions.ts';
import { type CardContext, cardOf, redactedCard } from './card.ts';

export interface BoardOptions {
  readonly store: TicketStore;
  readonly boards: ReadonlyMap<BoardName, TicketBoard>;
  readonly contextOf: (ticket: Ticket) => Promise<CardContext>;
  /** Of the ticket's article; null where it has none. */
  readonly articleOf: (ticket: Ticket) => TicketCard | null;
  /** A ticket changed. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 0 to 1. */
  readonly random: () => number;
}

export interface BoardKeeper {
  /** Posts and edits what is due now. Resolves with when there is more to do; rejects with the signal's reason. */
  sweep(signal: AbortSignal): Promise<number | undefined>;
}

/** The longest time a send can be under way. */
const GRACE_MS = 10_000;
/** Between two messages or edits in one place. */
const PLACE_INTERVAL_MS = 1_000;
const BATCH = 20;
const BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 300_000;
const NO_BOARD_MS = 3_600_000;
const MAX_PLACES = 10_000;

/** 80 bits: fits a platform's nonce. */
export const postKey = ({ ticketId, slot }: Pick<TicketPost, 'ticketId' | 'slot'>): string =>
  createHash('sha256').update(`${ticketId}\n${slot}`).digest('hex').slice(0, 20);

export const createBoardKeeper = ({
  store,
  boards,
  contextOf,
  articleOf,
  onChange,
  clock,
  logger,
  random,
}: BoardOptions): BoardKeeper => {
  const nextAt = new Map<string, number>();

  const messageOf = async ({ body, target, ticketId }: TicketPost, ticket: Ticket): Promise<BoardMessage> => {
    if (body.kind === 'card') {
      const isHidden = ticket.isPrivate && !target.isPrivate;
      const readers = target.kind === 'channel' ? 'team' : 'asker';
      const own = async () =>
        (body.shows === 'article' ? articleOf(ticket) : null) ?? cardOf(ticket, await contextOf(ticket), readers);
      return { kind: 'card', card: isHidden ? redactedCard(ticket, readers) : await own() };
    }
    if (body.kind === 'note') return { ...body, ticketId, asksSolved: body.asksSolved === true };
    return { ...body, ticketId };
  };

  /** That the asker was told is part of the hand-off. */
  const confirmHandOff = async ({ ticketId, slot }: TicketPost): Promise<void> => {
    const ticket = await store.readTicket(ticketId);
    if (!slot.startsWith(HAND_OFF_SLOT) || ticket?.handOff == null || ticket.handOff.isConfirmed) return;
    const event = { at: clock.now(), actor: SYSTEM, source: 'triage', change: { kind: 'hand_off_confirmed' } } as const;
    await store.append([{ ticketId, expectedVersion: ticket.version, events: [event] }], `${ticketId}:${slot}:confirmed`);
    onChange();
  };

  /** What the asker was to read and will not is said on the ticket; a card that does not stand is drawn again elsewhere. */
  const drop = async ({ ticketId, slot, body, target }: TicketPost, why: string): Promise<void> => {
    const ticket = body.kind !== 'card' && target.kind === 'thread' ? await store.readTicket(ticketId) : undefined;
    if (ticket !== undefined) {
      const event = { at: clock.now(), actor: SYSTEM, source: 'triage', change: { kind: 'undelivered', slot, why } } as const;
      try {
        await store.append([{ ticketId, expectedVersion: ticket.version, events: [event] }], `${ticketId}:${slot}:undelivered`);
      } catch (error) {
        // Said at the next sweep.
        if (hasCode(error, 'ticket_moved')) return;
        throw error;
      }
      onChange();
    }
    await store.dropPost(ticketId, slot);
  };

  const markPosted = async (post: TicketPost, ref: NonNullable<TicketPost['ref']>, version: number): Promise<void> => {
    // First, so that a crash between the two repeats it.
    await confirmHandOff(post);
    await store.markPosted(post.ticketId, post.slot, ref, version);
  };

  const send = async (post: TicketPost, board: TicketBoard): Promise<void> => {
    const { ticketId, slot, target } = post;
    const key = postKey(post);
    if (post.ref === null && post.state === 'sending') {
      const found = await board.find(target, key);
      // It may show an earlier version: a card is edited next.
      if (found !== undefined) return markPosted(post, found, 0);
    }
    const ticket = await store.readTicket(ticketId);
    if (ticket === undefined) return store.dropPost(ticketId, slot);
    const message = await messageOf(post, ticket);
    if (post.ref !== null) {
      await board.update(target, post.ref, message, key);
      return store.markPosted(ticketId, slot, post.ref, ticket.version);
    }
    // What must not be read there is not said there, whatever was planned before.
    const isNotice = post.body.kind === 'card' && post.body.shows === undefined && target.kind === 'channel';
    if (ticket.isPrivate && !target.isPrivate && !isNotice) return drop(post, `Not said to the asker: ${OTHERS_READ}.`);
    await store.markPostSending(ticketId, slot, clock.now());
    const ref = await board.post(target, message, key);
    return markPosted(post, ref, ticket.version);
  };

  const waitAfter = (error: AppError, failures: number): number => {
    const ceiling = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** Math.min(failures, 10));
    return Math.max(Math.min(error.retryAfterMs ?? 0, MAX_BACKOFF_MS), ceiling / 2 + (random() * ceiling) / 2);
  };

  const handle = async (post: TicketPost): Promise<void> => {
    const { ticketId, slot, target, failures } = post;
    const now = clock.now();
    const board = boards.get(target.channel);
    if (board === undefined) return store.postponePost(ticketId, slot, now + NO_BOARD_MS);
    const graceEnds = post.sentAt + GRACE_MS;
    // At most the whole grace, wherever the system clock has gone meanwhile.
    if (post.state === 'sending' && now < graceEnds && graceEnds - now <= GRACE_MS)
      return store.postponePost(ticketId, slot, graceEnds);
    try {
      await send(post, board);
    } catch (error) {
      if (hasCode(error, 'channel_rejected')) {
        logger.warn('ticket_post_rejected', { ticketId, slot, error });
        await drop(post, `Not delivered to the asker: ${error.message}`);
      } else if (hasCode(error, 'channel_unknown')) {
        logger.warn('ticket_post_unknown', { ticketId, slot, error });
        await drop(post, `It is not known whether this reached the asker, and it is not sent again: ${error.message}`);
      } else if (hasCode(error, 'channel_unavailable')) {
        logger.info('ticket_post_waits', { ticketId, slot, error });
        if (post.ref === null && error.retryAfterMs !== undefined) await store.markPostUnsent(ticketId, slot);
        await store.postponePost(ticketId, slot, clock.now() + waitAfter(error, failures));
      } else if (!hasCode(error, 'ticket_moved')) throw error;
    }
  };

  const placeOf = ({ target }: TicketPost): string =>
    `${target.channel} ${target.kind === 'thread' ? JSON.stringify(target.address) : target.kind === 'channel' ? target.placeId : target.userId}`;

  return {
    sweep: async (signal) => {
      for (;;) {
        const now = clock.monotonic();
        const stale = await store.listStalePosts(clock.now(), BATCH);
        const ready = stale.filter((post) => (nextAt.get(placeOf(post)) ?? 0) <= now);
        const [first] = ready;
        if (first === undefined) {
          if (stale.length > 0) return clock.now() + PLACE_INTERVAL_MS;
          return store.nextPostAt();
        }
        if (nextAt.size > MAX_PLACES) nextAt.clear();
        // One of each place; the places side by side.
        const turns = [...new Map(ready.toReversed().map((post) => [placeOf(post), post])).values()].toReversed();
        for (const post of turns) nextAt.set(placeOf(post), now + PLACE_INTERVAL_MS);
        await Promise.all(turns.map(handle));
        signal.throwIfAborted();
      }
    },
  };
};
