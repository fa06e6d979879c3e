/**
 * A ticket is what its events make of it. The events are only ever added to; the snapshot is derived, kept beside them, and the same
 * on every machine. `applyEvent` in ticket-events.ts says which event may follow which state.
 */
import { CHANNEL_NAMES, type Citation, type Place, type ReplyAddress } from './conversation.ts';
import type { JsonValue } from './json.ts';
import type { ArticleChange, ArticleOnTicket } from './ticket-article.ts';
import type { Priority, TicketReading } from './ticket-reading.ts';

/** Where something about tickets can be said: on the chat platforms, and to the asker by mail. */
export const BOARD_NAMES = [...CHANNEL_NAMES, 'mail'] as const;
export type BoardName = (typeof BOARD_NAMES)[number];

export const ARRIVAL_WAYS = [
  'command',
  'shortcut',
  'emoji',
  'escalation',
  'channel',
  'forum',
  'webhook',
  'mail',
  'file',
  /** Opened by the assistant itself, over tickets that tell of one thing. */
  'incident',
] as const;
export type ArrivalWay = (typeof ARRIVAL_WAYS)[number];

/** Who wrote to us. Both are data from outside. */
export interface TicketPerson {
  /** With the system before it: `slack:U1`, `mail:ada@example.org`, `zendesk:acme:42`. */
  readonly id: string;
  readonly displayName: string;
}

/** The ticket's double in an outside helpdesk. */
export interface ExternalTicket {
  /** The installation: `zendesk:acme`, `github:acme/shop`. */
  readonly system: string;
  readonly id: string;
  readonly url: string | null;
}

/** One message on its way to becoming a ticket, or part of one. */
export interface TicketArrival {
  /**
   * The same for the same message whichever way and however often it comes: the platform's message with the system before it, as in
   * `InboundMessage.deliveryId`.
   */
  readonly deliveryId: string;
  /** One ticket for a thread, always: `slack:T1:C1:1700.1`, `mail:<id of the first message>`, `zendesk:acme:42`. */
  readonly threadId: string;
  readonly how: ArrivalWay;
  /** Who needs help: where somebody else marked the message as a ticket, still the one who wrote it. */
  readonly author: TicketPerson;
  /** Null where it came from no chat. */
  readonly place: Place | null;
  /** Fewer than everyone may know of it: a direct message, a private thread or channel, a wish of the author. */
  readonly isPrivate: boolean;
  /**
   * Where the author is answered; null where nothing can be posted. Its channel is the prefix of `threadId`. Of a private ticket: a
   * place that only those read who may know of it.
   */
  readonly address: ReplyAddress | null;
  readonly external: ExternalTicket | null;
  /** May be empty. */
  readonly subject: string;
  readonly text: string;
  /** All of what was written, where `text` leaves something out: a mail's quoted history, its signature. */
  readonly whole?: string;
  /** Epoch ms. */
  readonly receivedAt: number;
  /** What the sender's system knows: `{ plan: enterprise }`. Rules read it. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Longer texts are cut, with a mark at the end. */
export const MAX_TICKET_CHARS = 20_000;
export const MAX_SUBJECT_CHARS = 300;

/** `waiting`: for the one who asked. `merged`: everything goes on in another ticket. */
export const TICKET_STATUSES = ['open', 'waiting', 'snoozed', 'solved', 'closed', 'merged'] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

export interface TicketActor {
  /** `assistant`: what it does by itself. `system`: time that has passed, rules. `outside`: a helpdesk whose person is not known here. */
  readonly kind: 'person' | 'assistant' | 'system' | 'outside';
  readonly id: string;
}

export const SYSTEM: TicketActor = { kind: 'system', id: 'triage' };
export const ASSISTANT: TicketActor = { kind: 'assistant', id: 'assistant' };

export interface TicketMessage {
  /** The same message is added once. */
  readonly deliveryId: string;
  /** `asker`: the ticket's author. `team`: who works on it. `assistant`: an answer of ours. `other`: anybody else in the thread. */
  readonly from: 'asker' | 'team' | 'assistant' | 'other';
  readonly author: TicketPerson;
  readonly text: string;
  /** As in `TicketArrival`. */
  readonly whole?: string;
  /** A greeting, a thank-you: no reason to go on with a ticket that waits or is over. */
  readonly asksNothing?: true;
}

/** Why the ticket went where it went. */
export interface TicketRoute {
  readonly team: string | null;
  readonly assignee: string | null;
  /** `rule`: a written one. `category`: the team of its category. `neighbours`: that of the nearest examples. `members`: that of most of an incident's. `default`: nothing better. */
  readonly by: 'rule' | 'members' | 'category' | 'neighbours' | 'default';
  /** 0 to 1; 1 for a rule. */
  readonly confidence: number;
  /** Of the ticket when it was routed. */
  readonly category: string | null;
  /** For people, one sentence a step. */
  readonly why: readonly string[];
}

export const SERVICE_TARGETS = ['first_answer', 'solved'] as const;
export type ServiceTarget = (typeof SERVICE_TARGETS)[number];

export interface TicketDraft {
  readonly id: string;
  /** Markdown with `[n]` markers that point into `citations`. */
  readonly text: string;
  readonly citations: readonly Citation[];
  /** 0 to 1: that it answers the ticket. */
  readonly confidence: number;
  readonly language: string | null;
}

/** Why two tickets look like one. */
export type SimilarReason =
  | { readonly kind: 'same_author' }
  /** An order number, an error code, a link that both name. */
  | { readonly kind: 'same_entity'; readonly text: string }
  | { readonly kind: 'same_words' }
  | { readonly kind: 'same_meaning' };

/** A ticket like this one. What it says, and what solved it, is read when it is shown: whoever looks may know less by then. */
export interface SimilarTicket {
  readonly ticketId: string;
  /** 0 to 1. */
  readonly similarity: number;
  readonly reasons: readonly SimilarReason[];
  /** Proposed as the same case. */
  readonly isDuplicate: boolean;
}

/** Of a ticket that stands for several. */
export interface TicketIncident {
  readonly members: readonly string[];
  /** What was told last, in the team's own words; who joins later is told it as well. */
  readonly statusText: string | null;
}

export type ConflictField = 'status' | 'assignee' | 'priority' | 'category' | 'team';

export type DraftState = 'proposed' | 'edited' | 'approved' | 'sent' | 'dropped';

/** What happened. Texts of people are data. */
export type TicketChange =
  | { readonly kind: 'opened'; readonly arrival: TicketArrival }
  | { readonly kind: 'message_added'; readonly message: TicketMessage }
  | { readonly kind: 'read'; readonly reading: TicketReading }
  | { readonly kind: 'routed'; readonly route: TicketRoute }
  | { readonly kind: 'team_set'; readonly team: string | null }
  | { readonly kind: 'assigned'; readonly assignee: string | null }
  | { readonly kind: 'priority_set'; readonly priority: Priority }
  /** A correction where a person does it: it becomes a labelled example. */
  | { readonly kind: 'category_set'; readonly category: string | null }
  /** `isThreadPrivate`: of its thread, which not everyone reads any more. */
  | { readonly kind: 'privacy_set'; readonly isPrivate: boolean; readonly isThreadPrivate?: true }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'resumed' }
  | { readonly kind: 'snoozed'; readonly until: number }
  /** The end of a snooze. */
  | { readonly kind: 'woken' }
  | { readonly kind: 'escalated'; readonly reason: string }
  /** The asker or the assistant hands over to a person; `confirmed` follows when the asker was told. */
  | { readonly kind: 'handed_off'; readonly to: string | null; readonly reason: string }
  | { readonly kind: 'hand_off_confirmed' }
  | { readonly kind: 'solved'; readonly resolution: string }
  | { readonly kind: 'closed'; readonly reason: 'asker' | 'team' | 'silence' | 'outside' }
  | { readonly kind: 'reopened'; readonly reason: string }
  | { readonly kind: 'merged_into'; readonly ticketId: string }
  | { readonly kind: 'merge_taken'; readonly ticketId: string }
  | { readonly kind: 'unmerged'; readonly ticketId: string }
  | { readonly kind: 'merge_given_back'; readonly ticketId: string }
  | { readonly kind: 'incident_joined'; readonly incidentId: string }
  | { readonly kind: 'incident_left'; readonly incidentId: string }
  /** Of the incident itself. */
  | { readonly kind: 'incident_member_added'; readonly ticketId: string }
  | { readonly kind: 'incident_member_removed'; readonly ticketId: string }
  | { readonly kind: 'incident_told'; readonly text: string }
  /** Nearest first; empty where none is like it. */
  | { readonly kind: 'similar_found'; readonly similar: readonly SimilarTicket[] }
  | { readonly kind: 'draft_proposed'; readonly draft: TicketDraft }
  | { readonly kind: 'draft_edited'; readonly draftId: string; readonly text: string }
  | { readonly kind: 'draft_approved'; readonly draftId: string }
  | { readonly kind: 'draft_sent'; readonly draftId: string }
  | { readonly kind: 'draft_dropped'; readonly draftId: string }
  /** The documents hold no answer to what was read. */
  | { readonly kind: 'draft_not_found' }
  /** A note beside the thread: `isPublic` where the asker may read it. `commentId`: the same comment is added once. */
  | { readonly kind: 'commented'; readonly commentId: string; readonly text: string; readonly isPublic: boolean }
  /** Something that the asker was to read did not reach them, or nobody knows whether it did. `slot`: as in `PlannedPost`. */
  | { readonly kind: 'undelivered'; readonly slot: string; readonly why: string }
  | { readonly kind: 'follow_up_asked' }
  | { readonly kind: 'clock_warned'; readonly target: ServiceTarget; readonly level: 'warning' | 'breach' }
  | { readonly kind: 'external_linked'; readonly external: ExternalTicket }
  /** Both sides changed a field; each stands where it is until somebody changes it again, or the configured side wins. */
  | { readonly kind: 'conflict_shown'; readonly field: ConflictField; readonly ours: JsonValue; readonly theirs: JsonValue }
  /** Both sides say the same again. */
  | { readonly kind: 'conflict_settled'; readonly field: ConflictField }
  | ArticleChange;

export type TicketChangeKind = TicketChange['kind'];

/** An event before the store numbers it. */
export interface NewTicketEvent {
  /** Epoch ms. */
  readonly at: number;
  readonly actor: TicketActor;
  /** The system it came through: `slack`, `desk`, `zendesk:acme`. A connector passes over the events of its own. */
  readonly source: string;
  readonly change: TicketChange;
}

export interface TicketEvent extends NewTicketEvent {
  /** 1, 2, 3 … within its ticket: the version that it makes. */
  readonly seq: number;
}

/** Set by whom: a person's word is not overwritten by a later reading, nor by a rule. */
export type SetBy = 'reading' | 'rule' | 'person' | 'outside';

export interface Ticket {
  /** `T17`: as people write it. */
  readonly id: string;
  readonly number: number;
  /** The `seq` of its latest event. */
  readonly version: number;
  readonly threadId: string;
  readonly how: ArrivalWay;
  readonly author: TicketPerson;
  readonly place: Place | null;
  readonly isPrivate: boolean;
  readonly address: ReplyAddress | null;
  /** Whoever reads the asker's thread may know of the ticket also when it is private. */
  readonly isThreadPrivate: boolean;
  readonly external: ExternalTicket | null;
  readonly subject: string;
  /** Of its first message; the others are in the events. */
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly openedAt: number;
  readonly updatedAt: number;

  readonly status: TicketStatus;
  readonly reading: TicketReading | null;
  readonly category: string | null;
  readonly categorySetBy: SetBy | null;
  readonly priority: Priority | null;
  readonly prioritySetBy: SetBy | null;
  readonly route: TicketRoute | null;
  readonly team: string | null;
  readonly teamSetBy: SetBy | null;
  /** A person's id. */
  readonly assignee: string | null;

  /** 1, and one more for each time it is reopened. */
  readonly episode: number;
  readonly episodeStartedAt: number;
  /** Of the episode, as are all below. */
  readonly firstAnsweredAt: number | null;
  readonly solvedAt: number | null;
  /** What solved it, in the team's words; null where nobody said. */
  readonly resolution: string | null;
  readonly closedAt: number | null;
  readonly snoozedUntil: number | null;
  readonly escalatedAt: number | null;
  readonly handOff: { readonly to: string | null; readonly askedAt: number; readonly isConfirmed: boolean } | null;
  /** `isBehind`: the asker added something since it was written or edited. */
  readonly draft: (TicketDraft & { readonly state: DraftState; readonly isBehind?: true }) | null;
  readonly followUpAskedAt: number | null;
  /** What did not reach the asker, one sentence each; absent in snapshots of earlier versions. */
  readonly undelivered?: readonly string[];
  /** When its clocks stood: while it waited for the asker or was snoozed. The last one is open while it still does. */
  readonly pauses: readonly { readonly from: number; readonly to: number | null }[];
  /** Warnings that were given: `first_answer:warning`. */
  readonly warned: readonly `${ServiceTarget}:${'warning' | 'breach'}`[];

  readonly lastAskerAt: number;
  readonly lastTeamAt: number | null;
  readonly messageCount: number;
  /** Of those, how many there were when it was read last. */
  readonly readCount: number;
  /** And of those that were read, how many there were when an answer to them was looked for. */
  readonly draftCount: number;
  readonly mergedInto: string | null;
  /** Of a merged one, what it was before: taken out again, a solved ticket is solved. */
  readonly statusBeforeMerge?: TicketStatus | null;
  /** Ids of the tickets that go on in this one. */
  readonly mergedFrom: readonly string[];
  readonly incidentId: string | null;
  /** Incidents that it was taken out of: it is not put into them again. */
  readonly leftIncidents: readonly string[];
  /** Of an incident; null for every other ticket. */
  readonly incident: TicketIncident | null;
  /** Null before it was looked for. */
  readonly similar: readonly SimilarTicket[] | null;
  /** What is to be learnt from it, or was. */
  readonly article: ArticleOnTicket | null;
  /** `wanted`: somebody wishes an article. `none`: it was looked at. Null: not yet, in this episode. */
  readonly articleNeed: 'wanted' | 'none' | null;
  /** What both sides changed and nobody has decided yet. A change of the field here decides it, or one over there that makes both the same. */
  readonly conflicts: readonly { readonly field: ConflictField; readonly ours: JsonValue; readonly theirs: JsonValue }[];
}

/** The thread under which an outside helpdesk speaks of its ticket. */
export const externalThreadId = ({ system, id }: Pick<ExternalTicket, 'system' | 'id'>): string => `${system}:${id}`;

/** The key of `TicketStore.append` under which a message is added: `openTicket` uses it as well, so that each is taken in once. */
export const deliveryKey = (deliveryId: string): string => `delivery:${deliveryId}`;
