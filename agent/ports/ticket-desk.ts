import type { Place } from '../conversation.ts';
import type { Ticket, TicketActor, TicketArrival, TicketEvent, TicketMessage, TicketPerson } from '../ticket.ts';
import type { Priority } from '../ticket-reading.ts';
import type { TicketCard } from './ticket-board.ts';
import type { TicketFilter } from './ticket-store.ts';

/**
 * `joined`: the message belongs to a ticket that was there. `reopened`: to one that was solved or closed. `duplicate`: it was taken in
 * before. `not_a_ticket`: empty, a greeting, a thank-you.
 */
export type ArriveOutcome =
  | { readonly kind: 'opened' | 'joined' | 'reopened' | 'duplicate'; readonly ticket: Ticket }
  | { readonly kind: 'not_a_ticket' };

/** A message in a thread that may have a ticket: of the asker, of the team, of the assistant, of anybody. */
export interface HeardMessage {
  /** As in `TicketArrival`. */
  readonly deliveryId: string;
  readonly threadId: string;
  readonly author: TicketPerson;
  /** Who wrote it where that is not to be told from the author's id: a helpdesk's agent, the assistant itself. */
  readonly from?: TicketMessage['from'];
  readonly text: string;
  /** As in `TicketArrival`. */
  readonly whole?: string;
  /** Fewer than everyone read the thread, by now. */
  readonly isPrivate?: boolean;
  readonly at: number;
  readonly source: string;
}

export type TicketAction =
  | { readonly kind: 'assign'; readonly to: string | null }
  | { readonly kind: 'set_team'; readonly team: string | null }
  | { readonly kind: 'set_priority'; readonly priority: Priority }
  | { readonly kind: 'set_category'; readonly category: string | null }
  | { readonly kind: 'set_privacy'; readonly isPrivate: boolean }
  | { readonly kind: 'wait' }
  | { readonly kind: 'resume' }
  /** Epoch ms. */
  | { readonly kind: 'snooze'; readonly until: number }
  | { readonly kind: 'escalate'; readonly reason: string }
  /** To a person; `to` null: to whoever is on duty in the ticket's team. The asker is told. */
  | { readonly kind: 'hand_off'; readonly to: string | null; readonly reason: string }
  | { readonly kind: 'solve'; readonly resolution: string }
  | { readonly kind: 'close' }
  | { readonly kind: 'reopen'; readonly reason: string }
  | { readonly kind: 'merge'; readonly into: string }
  | { readonly kind: 'unmerge' }
  /** Of an incident: told once in every thread of its members, and to those that join later. */
  | { readonly kind: 'tell_members'; readonly text: string }
  /** Into an incident by hand, and out of the one it is in. */
  | { readonly kind: 'join_incident'; readonly incidentId: string }
  | { readonly kind: 'leave_incident' }
  | { readonly kind: 'comment'; readonly commentId: string; readonly text: string; readonly isPublic: boolean }
  /** As in the event; by whoever carries words to the asker. */
  | { readonly kind: 'undelivered'; readonly slot: string; readonly why: string }
  | { readonly kind: 'draft_edit'; readonly draftId: string; readonly text: string }
  | { readonly kind: 'draft_send'; readonly draftId: string }
  | { readonly kind: 'draft_drop'; readonly draftId: string }
  /** Wishes an article about what was solved; it is proposed a little later. */
  | { readonly kind: 'article_write' }
  /** `despitePrivate`: with a warning in sight that the ticket is private. */
  | { readonly kind: 'article_approve'; readonly articleId: string; readonly despitePrivate: boolean }
  | { readonly kind: 'article_edit'; readonly articleId: string; readonly text: string }
  /** Who shall read it. */
  | { readonly kind: 'article_audience'; readonly articleId: string; readonly label: string }
  | { readonly kind: 'article_discard'; readonly articleId: string }
  /** Out of the documents when this resolves: the next answer does not know it. */
  | { readonly kind: 'article_retract'; readonly articleId: string };

export interface ActRequest {
  readonly ticketId: string;
  readonly action: TicketAction;
  readonly actor: TicketActor;
  /** The platform it came through: `slack`, `discord`, `cli`, `zendesk:acme`. */
  readonly source: string;
  /** The same for the same click however often it comes: the platform's id of the interaction. */
  readonly key: string;
  /** Where the actor clicked, as in `Place.id`: counts where no team names its members. */
  readonly placeId?: string;
  /** Of the card that the actor looked at. What would do something else now than it said there is not possible. */
  readonly seenVersion?: number;
  /** The episode that the actor was asked about: not possible in another one. */
  readonly seenEpisode?: number;
}

/** `not_allowed`: `who` may, in words. `not_possible`: the ticket's state; `why` says it. `not_found`: also where the actor may not know of it. */
export type ActOutcome =
  | { readonly kind: 'done' | 'repeated'; readonly ticket: Ticket }
  | { readonly kind: 'not_allowed'; readonly who: string }
  | { readonly kind: 'not_possible'; readonly why: string }
  | { readonly kind: 'not_found' };

export type ActRefusal = Exclude<ActOutcome, { readonly kind: 'done' | 'repeated' }>;

export interface Viewer {
  readonly userId: string;
  /** Where it will be shown; null where the viewer alone sees it. */
  readonly place: Place | null;
}

export interface TicketView {
  readonly ticket: Ticket;
  readonly events: readonly TicketEvent[];
  readonly card: TicketCard;
  /** Of its article; null where it has none. */
  readonly article: TicketCard | null;
}

/**
 * The front desk: whatever brings or changes tickets calls it. Every method may be called twice with the same input, from several
 * processes, and after a crash; throws only `AppError('store_*')`, and `AppError('ticket_refused')` for input that no ticket can have.
 */
export interface TicketDesk {
  /** Resolves after the ticket is durable: acknowledge the delivery then. It is read and routed afterwards. */
  arrive(arrival: TicketArrival): Promise<ArriveOutcome>;
  /** Adds to the thread's ticket; `no_ticket` where it has none, and none is opened. */
  hear(message: HeardMessage): Promise<ArriveOutcome | { readonly kind: 'no_ticket' }>;
  act(request: ActRequest): Promise<ActOutcome>;
  /** What `act` would refuse now; undefined where nothing stands against it. Changes nothing: ask before a person is let write for it. */
  refusalOf(request: Omit<ActRequest, 'key'>): Promise<ActRefusal | undefined>;
  /** Undefined where there is none, or where the viewer, or the readers of the place, may not know of it. */
  view(ticketId: string, viewer: Viewer): Promise<TicketView | undefined>;
  findByThread(threadId: string): Promise<Ticket | undefined>;
  /** It was handed to a person who has not solved it yet: the assistant speaks there only when it is spoken to by name. */
  isWithPerson(threadId: string): Promise<boolean>;
  /** Without those that may not be seen there. */
  list(filter: TicketFilter, viewer: Viewer): Promise<readonly Ticket[]>;
}
