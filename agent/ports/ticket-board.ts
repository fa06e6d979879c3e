import type { Citation, ReplyAddress } from '../conversation.ts';
import type { BoardName } from '../ticket.ts';
import type { MessageRef } from './channel.ts';
import type { PostTarget } from './ticket-store.ts';

/** What a button does; the platform's adapter asks for what the action needs besides (a person, a time, a text). */
export type TicketButton =
  | 'assign_me'
  | 'assign'
  | 'snooze'
  | 'escalate'
  | 'solve'
  | 'close'
  | 'reopen'
  | 'merge'
  | 'unmerge'
  /** The card itself, to the clicker alone. */
  | 'show'
  /** These ask for the text. */
  | 'reply'
  | 'tell_members'
  | 'leave_incident'
  | 'set_category'
  | 'set_priority'
  | 'draft_edit'
  | 'draft_send'
  | 'draft_drop'
  | 'article_write'
  | 'article_approve'
  /** The same of a private ticket, below a warning. */
  | 'article_approve_private'
  | 'article_edit'
  /** Asks for one of the card's `categories`. */
  | 'article_audience'
  | 'article_discard'
  | 'article_retract';

/** A ticket as it is shown. Texts are safe where no markup is read; the adapter escapes them for its platform. */
export interface TicketCard {
  readonly ticketId: string;
  readonly version: number;
  readonly title: string;
  /** Where its thread stands, for who reads the card elsewhere and may go there. */
  readonly origin?: {
    readonly threadId: string;
    readonly address: ReplyAddress /** Once the adapter knows it. */;
    readonly url?: string;
  };
  /** Drives the colour or the mark, where the platform has one. */
  readonly mood: 'calm' | 'attention' | 'late' | 'done';
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  /** One line each, below the fields. */
  readonly lines: readonly string[];
  /** What a category can be set to; of an article's card: its readers. */
  readonly categories: readonly { readonly id: string; readonly name: string }[];
  /** `draftId`: of a draft or an article. `otherId`: the ticket that it is merged into. */
  readonly buttons: readonly {
    readonly id: TicketButton;
    readonly label: string;
    readonly draftId?: string;
    readonly otherId?: string;
  }[];
}

export type BoardMessage =
  | { readonly kind: 'card'; readonly card: TicketCard }
  /** `asksSolved`: under it stand two buttons, that it is solved (`close`) and that it is not (`reopen`). */
  | {
      readonly kind: 'note';
      readonly ticketId: string;
      readonly text: string;
      readonly asksSolved: boolean;
      /** Of the ticket, when that was asked: the buttons do nothing to another one. */
      readonly episode?: number;
      /** Somebody of the team wrote it. */
      readonly byPerson?: true;
    }
  /** An answer to the asker: rendered as every answer of the assistant, its links and mentions checked. */
  | { readonly kind: 'answer'; readonly ticketId: string; readonly text: string; readonly citations: readonly Citation[] };

/**
 * Where tickets are shown on a platform. Idempotent by `key`, which is unique for one message and the same after a crash.
 * Errors as `Channel`'s: `post` throws `AppError('channel_rejected')` when the platform said no for good,
 * `AppError('channel_unavailable')` when the outcome is unknown or a later try may pass, with `retryAfterMs` where the platform named it
 * and so is known not to have taken it. `find` looks for a message posted earlier under the key, and throws
 * `AppError('channel_unknown')` where that cannot be found out; `update` replaces one.
 */
export interface TicketBoard {
  readonly channel: BoardName;
  post(target: PostTarget, message: BoardMessage, key: string): Promise<MessageRef>;
  find(target: PostTarget, key: string): Promise<MessageRef | undefined>;
  update(target: PostTarget, ref: MessageRef, message: BoardMessage, key: string): Promise<void>;
}
