import type { Attachment } from '../attachment.ts';
import type { Answer, ChannelName, InboundMessage, Refusal, ReplyAddress, Scope } from '../conversation.ts';
import type { Language } from '../texts.ts';
import type { ApprovalOutcome } from './approval-store.ts';
import type { BoardMessage } from './ticket-board.ts';

/** What a person sees of a call before it is made. Texts are safe to show as they are, where no markup is read. */
export interface ApprovalCard {
  readonly id: string;
  readonly language: Language;
  readonly tool: string;
  /** In the tool's words what will happen, or in ours that something will. */
  readonly words: string;
  /** The arguments in full, each character that cannot be seen spelled out. */
  readonly details: string;
  /** Person ids, and `admins`. */
  readonly approvers: readonly string[];
  /** Epoch ms. */
  readonly expiresAt: number;
  /** Null while it waits for a decision: only then it has buttons. */
  readonly outcome: ApprovalOutcome | null;
  readonly decidedBy: string | null;
}

/** `over`: nobody decided in time, the run ended before, or it is not known. `not_yours`: the card names who may. */
export type DecideOutcome = 'approved' | 'denied' | 'already_approved' | 'already_denied' | 'over' | 'not_yours';

/** A file of an answer; `number` is its place among them, from 0. */
export interface FileInfo extends Omit<Attachment, 'bytes'> {
  readonly number: number;
}

/** One message of an answer, ready to send: split within the platform's limits, in the platform's markup, egress-safe. */
export interface OutboundPart {
  readonly text: string;
  /** Feedback buttons stand under the last part of an answer. */
  readonly withFeedback: boolean;
  /** A button that stops the run stands under its placeholder. */
  readonly withStop?: boolean;
  /** A button beside those for feedback hands the question to a person. */
  readonly withPerson?: boolean;
  /** A call that a person is asked about; its text is a short form for notifications. */
  readonly card?: ApprovalCard;
  /** A file that is posted with the text, which is plain and stands in no markup. */
  readonly file?: FileInfo & { readonly language: Language };
  /** Something about a ticket; its text is a short form for notifications. */
  readonly ticket?: Exclude<BoardMessage, { readonly kind: 'answer' }>;
  /** The platform refused the part in its full form: send its text alone, without blocks. */
  readonly isPlain?: boolean;
}

/** What a platform needs to find a posted message again. */
export type MessageRef = Readonly<Record<string, string>>;

export type AcceptOutcome = 'accepted' | 'duplicate' | 'refused';

/** `not_yours`: the asker, an admin or an owner may. `over`: the answer is there, or the turn is not known. */
export type StopOutcome = 'stopped' | 'not_yours' | 'over';

export interface FeedbackInput {
  readonly turnId: string;
  readonly userId: string;
  readonly verdict: 'up' | 'down';
  /** Empty when none was given. */
  readonly reason: string;
}

/** A question that was taken in; `answer` is null until there is one. */
export interface AskedTurn {
  readonly message: InboundMessage;
  readonly answer: Answer | null;
}

/** What a channel calls. All methods are safe to call twice and throw only when the store is out of reach. */
export interface Gateway {
  /** Resolves after the inbox row is committed (or was there): acknowledge the platform's delivery then, not before. */
  accept(message: InboundMessage): Promise<AcceptOutcome>;
  /**
   * What the question would be refused with, if it came now; nothing is counted or stored. For a channel that must post before
   * it can ask.
   */
  refusalFor(message: Pick<InboundMessage, 'author' | 'place' | 'scope'>): Refusal | undefined;
  /** True where the assistant takes part: a message there needs no mention. */
  isSubscribed(conversationId: string): Promise<boolean>;
  /** The question was edited. Used only while it waits; never starts a turn. */
  editQuestion(channel: ChannelName, sourceMessageId: string, text: string): Promise<void>;
  /** The question was deleted: it is not answered, a run under way is cancelled. */
  deleteQuestion(channel: ChannelName, sourceMessageId: string): Promise<void>;
  /** Stops the conversation's run, if there is one; tells whether there was. */
  cancel(scope: Scope): Promise<boolean>;
  /** The same for one turn, which may still wait or be parked. */
  stopTurn(turnId: string, userId: string): Promise<StopOutcome>;
  /** A person's word on a card. The first one counts; the run goes on with it. */
  decideApproval(id: string, userId: string, decision: 'approved' | 'denied'): Promise<DecideOutcome>;
  /** The card as it stands now, for whoever wants to read all of it. */
  readApproval(id: string): Promise<ApprovalCard | undefined>;
  recordFeedback(feedback: FeedbackInput): Promise<void>;
  /** Undefined where no such turn is known. */
  readTurn(turnId: string): Promise<AskedTurn | undefined>;
}

export interface ChannelStatus {
  readonly connected: boolean;
  /** One line for a person: what is wrong, or how it is connected. */
  readonly detail: string;
}

/**
 * A chat platform. Delivery is idempotent by `key`, which is unique for one message of one answer and the same after a crash.
 *
 * `post` sends once and returns where; it throws `AppError('channel_rejected')` when the platform said no for good,
 * `AppError('channel_unavailable')` when the outcome is unknown or a later try may pass (`retryAfterMs` set where the platform
 * named it). A part with a file comes with its `bytes`; where the bot may post no files, `post` throws
 * `AppError('channel_no_files')`. A posted file is never updated. `find` looks for a message posted earlier under the key. `update` replaces a posted message's text.
 * `progress` shows a run's state, or the unfinished Markdown of a model, which it makes safe, in a posted message when the edit budget
 * allows, with the button that stops the run; never throws, never overtakes an `update`.
 */
export interface Channel {
  readonly name: ChannelName;
  /** Its page shows files out of the store, so they stay there. */
  readonly keepsFiles?: boolean;
  /** Connects, and hands what comes in to the gateway. Throws `AppError('channel_auth')` for a refused token. */
  start(gateway: Gateway): Promise<void>;
  /** Stops taking messages in; delivery still works. */
  stopIntake(): Promise<void>;
  close(): Promise<void>;
  status(): ChannelStatus;
  /** The turn's answer as the messages to send, the first of which replaces the placeholder. At least one. Pure. */
  render(answer: Answer, turnId: string, language: Language): readonly OutboundPart[];
  post(address: ReplyAddress, part: OutboundPart, key: string, bytes?: Uint8Array): Promise<MessageRef>;
  find(address: ReplyAddress, key: string): Promise<MessageRef | undefined>;
  update(address: ReplyAddress, ref: MessageRef, part: OutboundPart, key: string): Promise<void>;
  progress(address: ReplyAddress, ref: MessageRef, text: string, key: string): void;
}
