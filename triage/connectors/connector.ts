/** An outside helpdesk as the sync sees it: tickets that are read whole, and four changes that can be made to them. */
import type { ExternalTicket, TicketPerson, TicketStatus } from '../../agent/ticket.ts';

/** The statuses that helpdesks have in common. */
export const SYNC_STATUSES = ['open', 'waiting', 'solved', 'closed'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

export interface OutsideComment {
  readonly id: string;
  /** `requester`: who asked, over there. `agent`: who works on tickets there. */
  readonly by: 'requester' | 'agent' | 'other';
  readonly author: TicketPerson;
  /** Not public: for agents alone. */
  readonly isPublic: boolean;
  /** Without its marker. */
  readonly text: string;
  /** Epoch ms. */
  readonly at: number;
  /** What `addComment` was told to leave on it; null where it has none. Anybody may have written it. */
  readonly marker: string | null;
}

export interface OutsideTicket {
  readonly id: string;
  readonly url: string | null;
  /** Grows with each change, in epoch ms; changes close together may have the same. */
  readonly version: number;
  readonly status: SyncStatus;
  /** Their id of the person. */
  readonly assignee: string | null;
  readonly requester: TicketPerson;
  readonly subject: string;
  readonly text: string;
  readonly createdAt: number;
  /** Whoever may not read over there may not know of it here. */
  readonly isPrivate: boolean;
  /** What `create` was told to leave on it; null where it has none. Anybody may have written it. */
  readonly marker: string | null;
  /** Oldest first. */
  readonly comments: readonly OutsideComment[];
}

export interface CreatedTicket {
  readonly subject: string;
  readonly text: string;
  readonly requester: TicketPerson;
  readonly marker: string;
}

/**
 * One installation of a helpdesk. Each call is one try and may be given up by its signal. Throws
 * `AppError('helpdesk_unavailable')` where the outcome is unknown, `'helpdesk_rate_limited'` where it is known not to have happened,
 * with `retryAfterMs`, `'helpdesk_moved'` where somebody changed the ticket since `version`, `'helpdesk_rejected'` where no later try
 * can pass, `'helpdesk_auth'` where the account may not.
 */
export interface Connector {
  /** `zendesk:acme`. */
  readonly system: string;
  /** Everyone may read there: nothing of private tickets goes out. */
  readonly isPublic: boolean;
  /** Comments that only agents read. Without, such comments stay here. */
  readonly hasNotes: boolean;
  /** The one of its statuses that is nearest. */
  projectStatus(status: Exclude<TicketStatus, 'merged'>): SyncStatus;
  /** The account under the one spelling that `OutsideTicket` has it in; without, there is no other. */
  accountOf?(account: string): string;
  /** Whether a ticket can be assigned to the account. */
  isAgent(account: string, signal: AbortSignal): Promise<boolean>;
  /** Undefined where it does not exist or is no longer to be seen. */
  read(id: string, signal: AbortSignal): Promise<OutsideTicket | undefined>;
  /** What changed at `sinceMs` or later, the longest unchanged first; `page` counts from 1. */
  listChanged(sinceMs: number, page: number, signal: AbortSignal): Promise<ChangedPage>;
  /** Each change resolves with the version that the ticket has since then. Setting what is set already changes nothing. */
  setStatus(id: string, status: SyncStatus, version: number, signal: AbortSignal): Promise<number>;
  setAssignee(id: string, assignee: string | null, version: number, signal: AbortSignal): Promise<number>;
  addComment(id: string, comment: NewComment, signal: AbortSignal): Promise<{ readonly id: string; readonly version: number }>;
  create(ticket: CreatedTicket, signal: AbortSignal): Promise<ExternalTicket>;
  /** The ticket that `create` made under the marker. */
  find(marker: string, signal: AbortSignal): Promise<ExternalTicket | undefined>;
}

export interface NewComment {
  readonly text: string;
  readonly isPublic: boolean;
  readonly marker: string;
}

export interface ChangedPage {
  readonly changed: readonly { readonly id: string; readonly changedAt: number }[];
  readonly isLast: boolean;
}
