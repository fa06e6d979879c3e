import type { Citation, ReplyAddress } from '../conversation.ts';
import type { BoardName, NewTicketEvent, Ticket, TicketArrival, TicketChangeKind, TicketEvent, TicketStatus } from '../ticket.ts';
import type { MessageRef } from './channel.ts';
import type { TicketIndex } from './ticket-index.ts';

/** `duplicate`: this delivery was taken in before. `exists`: its thread, or the burst it belongs to, has a ticket; nothing was added to that. */
export interface OpenedTicket {
  readonly outcome: 'opened' | 'exists' | 'duplicate';
  readonly ticket: Ticket;
}

/** Where something about a ticket is posted. */
export type PostTarget = {
  readonly channel: BoardName;
  /** Whoever reads there may read a private ticket. */
  readonly isPrivate: boolean;
} & (
  | { readonly kind: 'thread'; readonly address: ReplyAddress }
  /** A place's id as in `Place.id`. */
  | { readonly kind: 'channel'; readonly placeId: string }
  /** A direct message to the person with this id. */
  | { readonly kind: 'person'; readonly userId: string }
);

/** `card` is made anew of the ticket for each version; what is said once stands as it was said. */
export type PostBody =
  | { readonly kind: 'card'; readonly shows?: 'article' }
  /** `byPerson`: somebody of the team wrote it. `episode`: of which it is asked. */
  | {
      readonly kind: 'note';
      readonly text: string;
      readonly asksSolved?: true;
      readonly episode?: number;
      readonly byPerson?: true;
    }
  | { readonly kind: 'answer'; readonly text: string; readonly citations: readonly Citation[] };

export interface PlannedPost {
  /** Unique within the ticket: what is planned again under it is planned already. `thread`, `team:slack:C1`, `note:7`. */
  readonly slot: string;
  readonly target: PostTarget;
  readonly body: PostBody;
}

/** As in `OutboxState`; `dropped`: the platform refused it for good. */
export type PostState = 'planned' | 'sending' | 'posted' | 'dropped';

export interface TicketPost extends PlannedPost {
  readonly ticketId: string;
  readonly state: PostState;
  readonly ref: MessageRef | null;
  /** The ticket's version that it shows; 0 before it stands. */
  readonly shownVersion: number;
  /** When the last send began, epoch ms; 0 when none did. */
  readonly sentAt: number;
  /** Tries that failed since the last one that passed. */
  readonly failures: number;
}

export interface TicketAppend {
  readonly ticketId: string;
  readonly expectedVersion: number;
  readonly events: readonly NewTicketEvent[];
  /** Planned in the same transaction. */
  readonly posts?: readonly PlannedPost[];
}

/** All of what is set must hold. */
export interface TicketFilter {
  readonly statuses?: readonly TicketStatus[];
  readonly team?: string | null;
  readonly assignee?: string | null;
  readonly authorId?: string;
  readonly category?: string | null;
  readonly incidentId?: string;
  /** Epoch ms, of the last change. */
  readonly updatedSince?: number;
  /** Tickets with a lower number: for the next page. */
  readonly below?: number;
  /** Default 50. */
  readonly limit?: number;
}

/** An event in the order of all tickets. `position` only grows. */
export interface PlacedEvent {
  readonly position: number;
  readonly ticketId: string;
  readonly event: TicketEvent;
}

/**
 * Tickets with their events, their posts and their times. Each method is one transaction, durable when it resolves; throws
 * `AppError('store_*')`. Times are epoch milliseconds by the caller's clock. Ticket ids that are not known: `read` resolves with
 * undefined, what writes throws `AppError('ticket_missing')`.
 */
export interface TicketStore extends TicketIndex {
  /**
   * One ticket for a thread, whoever comes first; numbered from 1. With `burstMs`, a message of the same author in the same place and
   * privacy, that far from the author's last one of a live ticket, belongs to that ticket, and so does its thread from then on.
   * `source`: as in the event.
   */
  openTicket(arrival: TicketArrival, options: { readonly burstMs: number; readonly source: string }): Promise<OpenedTicket>;
  /**
   * Adds events, to one ticket or to several at once or to none. Every one is checked by `applyEvent`, whose `ticket_refused` it throws.
   * Throws `AppError('ticket_moved')` where a version is not the expected one. With a key that was used before nothing happens:
   * `repeated`. `external_linked` binds the helpdesk's thread to the ticket, where that has none. Each ticket falls due at once.
   */
  append(
    appends: readonly TicketAppend[],
    key?: string,
  ): Promise<{ readonly outcome: 'appended' | 'repeated'; readonly tickets: readonly Ticket[] }>;

  readTicket(ticketId: string): Promise<Ticket | undefined>;
  /** A merged ticket is found by its own thread as itself. */
  readByThread(threadId: string): Promise<Ticket | undefined>;
  /** Oldest first. */
  readEvents(ticketId: string): Promise<readonly TicketEvent[]>;
  /** Newest first. */
  listTickets(filter: TicketFilter): Promise<readonly Ticket[]>;
  /** Live tickets of each person who has any. */
  countAssigned(): Promise<ReadonlyMap<string, number>>;
  /** In order, at most `limit`; all kinds unless some are named. For whoever follows: keep the last `position`. */
  eventsAfter(position: number, limit: number, kinds?: readonly TicketChangeKind[]): Promise<readonly PlacedEvent[]>;

  /** When to look at the ticket next; null for not until it changes. Nothing where it has moved on from `version`: it is due then. */
  setDue(ticketId: string, version: number, dueAt: number | null): Promise<void>;
  /** Longest due first. */
  listDue(now: number, limit: number): Promise<readonly Ticket[]>;
  nextDueAt(): Promise<number | undefined>;

  /** Plans what is not planned yet. */
  planPosts(ticketId: string, posts: readonly PlannedPost[]): Promise<void>;
  readPosts(ticketId: string): Promise<readonly TicketPost[]>;
  /** Cards that show an earlier version than their ticket's and what was never posted, whose time has come; in the order of planning. */
  listStalePosts(now: number, limit: number): Promise<readonly TicketPost[]>;
  /** When the next of them is to be tried. */
  nextPostAt(): Promise<number | undefined>;
  markPostSending(ticketId: string, slot: string, now: number): Promise<void>;
  /** The platform is known not to have taken it. */
  markPostUnsent(ticketId: string, slot: string): Promise<void>;
  markPosted(ticketId: string, slot: string, ref: MessageRef, shownVersion: number): Promise<void>;
  /** Counts a failure; not tried again before then. */
  postponePost(ticketId: string, slot: string, notBefore: number): Promise<void>;
  dropPost(ticketId: string, slot: string): Promise<void>;
}
