import type { Attachment } from '../attachment.ts';
import type { ChannelName, InboundMessage, Turn } from '../conversation.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { ApprovalStore } from './approval-store.ts';
import type { FeedbackInput, FileInfo, MessageRef, OutboundPart } from './channel.ts';

/**
 * A turn's way: `waiting` (in the inbox) → `running` (claimed) → `answered` (answer and outbox parts stored in one
 * transaction) → `done`. A turn cancelled before it ran goes from `waiting` to `done` with nothing to deliver.
 */
export type TurnState = 'waiting' | 'running' | 'answered' | 'done';

/** The right to work on a conversation. Every write under it checks `fence` and throws `AppError('lease_lost')` if it moved. */
export interface Lease {
  readonly conversationId: string;
  readonly workerId: string;
  readonly fence: number;
}

export interface Claim {
  readonly turnId: string;
  readonly state: 'running' | 'answered';
  readonly message: InboundMessage;
  /** How often work on this turn began, this time included. Committed before the work. */
  readonly attempts: number;
  /** The person deleted the question or asked to stop. */
  readonly cancelled: boolean;
  readonly lease: Lease;
}

/** A stored step result, found again after a crash instead of being paid for or done twice. `key`: `model:2`, `tool:2:0`. */
export interface JournalEntry {
  readonly key: string;
  readonly value: JsonValue;
}

/**
 * `planned`: never sent. `sending`: a send began and its outcome was not stored. `posted`: it stands on the platform, `ref`
 * tells where, and its text is not yet the final one. `delivered`: final.
 */
export type OutboxState = 'planned' | 'sending' | 'posted' | 'delivered';

export interface OutboxRow {
  readonly turnId: string;
  /** 0 is the placeholder that becomes the answer's first part. */
  readonly index: number;
  readonly state: OutboxState;
  /** Null for the placeholder until there is an answer. */
  readonly part: OutboundPart | null;
  readonly ref: MessageRef | null;
  /** When the last send began, epoch ms; 0 when none did. */
  readonly sentAt: number;
}

/** A question that was taken in and that nobody works on yet. */
export interface WaitingTurn {
  readonly turnId: string;
  readonly message: InboundMessage;
}

/** A waiting message that becomes part of another turn's run. */
export interface FoldedMessage {
  /** How the run's journal keeps it. */
  readonly arrived: JsonValue;
  /** The message's own turn, with the answer that says so. */
  readonly turn: Turn;
  readonly parts: readonly OutboundPart[];
}

export interface TurnSummary {
  readonly turnId: string;
  readonly conversationId: string;
  readonly state: TurnState;
  readonly message: InboundMessage;
  readonly turn: Turn | null;
}

export interface ConversationSummary {
  readonly conversationId: string;
  /** The first question, cut. */
  readonly title: string;
  readonly updatedAt: number;
}

/**
 * Inbox, leases, journal, outbox, transcripts. Each method is one transaction, durable when it resolves. Throws
 * `AppError('store_full')` on a full disk, `AppError('store_unavailable')` when the engine is out of reach.
 * Times are epoch milliseconds given by the caller's clock.
 */
export interface Store extends ApprovalStore {
  /**
   * The turn id is derived from the delivery id. `duplicate`: the row was there; nothing changed. With a notice, what is said once:
   * `said_before` when a message was accepted with the same one; nothing changed.
   */
  accept(
    message: InboundMessage,
    notice?: string,
  ): Promise<{ readonly outcome: 'accepted' | 'duplicate' | 'said_before'; readonly turnId: string }>;

  /**
   * Takes the oldest unfinished turn of one of the channels (default all), of a conversation that nobody holds (or whose lease expired) and that is due; raises
   * the fence and the attempts. Turns of one conversation come strictly in the order they were accepted.
   */
  claim(workerId: string, now: number, leaseMs: number, channels?: readonly ChannelName[]): Promise<Claim | undefined>;
  /**
   * Takes a conversation that nobody holds and that is not due yet, to do something beside its turns; `dueAt` is when it was to be
   * claimed: give it back with that. Undefined when it is held, or can be claimed.
   */
  holdUndue(
    conversationId: string,
    workerId: string,
    now: number,
    leaseMs: number,
  ): Promise<{ readonly lease: Lease; readonly dueAt: number } | undefined>;
  /** False when the lease is lost. */
  renew(lease: Lease, now: number, leaseMs: number): Promise<boolean>;
  /** Gives the conversation back; `notBefore` delays its next claim, unless an approval was decided since it was claimed. Nothing when the lease is lost. */
  release(lease: Lease, notBefore?: number): Promise<void>;
  /**
   * Gives every conversation back at once. For the start of the one process that serves the store: whoever held a lease is gone,
   * and a question need not wait for its end.
   */
  expireLeases(): Promise<void>;
  /** The conversation's questions that wait for their turn, in its order; without those that were cancelled. */
  listWaiting(conversationId: string): Promise<readonly WaitingTurn[]>;
  /** When the next claim for these channels could succeed, or undefined when nothing waits. */
  nextDueAt(now: number, channels?: readonly ChannelName[]): Promise<number | undefined>;

  readJournal(turnId: string): Promise<readonly JournalEntry[]>;
  writeJournal(lease: Lease, turnId: string, entry: JournalEntry): Promise<void>;

  /**
   * Folds waiting messages of the conversation into the turn's run: each that still waits becomes `answered`, with its turn and its
   * parts as `finishTurn` stores them, and the journal gets the list of those under `key`. Resolves with their turn ids; writes nothing
   * where there are none.
   */
  foldWaiting(lease: Lease, turnId: string, key: string, messages: readonly FoldedMessage[]): Promise<readonly string[]>;

  /**
   * Stores the answer, the transcript's turn, the outbox parts (part 0 keeps its ref) and the files that parts name by their place
   * among them: state `answered`.
   */
  finishTurn(lease: Lease, turn: Turn, parts: readonly OutboundPart[], files?: readonly Attachment[]): Promise<void>;
  /** All parts stand: state `done`, the journal is dropped, and the files are, unless they are kept. */
  completeTurn(lease: Lease, turnId: string, keepsFiles?: boolean): Promise<void>;
  /** Ends a turn that has nothing to deliver (a deleted question with no placeholder). */
  dropTurn(lease: Lease, turnId: string): Promise<void>;

  /** Undefined for one that was dropped, or that was forgotten. */
  readFile(turnId: string, number: number): Promise<Attachment | undefined>;
  /** Of the files that are there, without their bytes. */
  listFiles(turnId: string): Promise<readonly FileInfo[]>;

  readOutbox(turnId: string): Promise<readonly OutboxRow[]>;
  /**
   * Before a send: row `index` becomes `sending` (made where there is none). Rows of a waiting turn are written under the lease of
   * its conversation as well.
   */
  markSending(lease: Lease, turnId: string, index: number, now: number): Promise<void>;
  /** The platform is known not to have taken the send: row `index` is `planned` again. Nothing unless it is `sending`. */
  markUnsent(lease: Lease, turnId: string, index: number): Promise<void>;
  markPosted(lease: Lease, turnId: string, index: number, ref: MessageRef): Promise<void>;
  markDelivered(lease: Lease, turnId: string, index: number): Promise<void>;

  /** A waiting question takes the new text. Tells whether one did. */
  editWaiting(channel: ChannelName, sourceMessageId: string, text: string): Promise<boolean>;
  /**
   * Marks the turn of that message cancelled; returns its id when it was waiting or running. Its conversation falls due now, unless
   * somebody holds it: who stops a parked run does not wait for the end of its pause.
   */
  cancelBySource(channel: ChannelName, sourceMessageId: string): Promise<string | undefined>;
  /** The same for one turn; tells whether it was waiting or running. */
  cancelTurn(turnId: string): Promise<boolean>;

  hasTurns(conversationId: string): Promise<boolean>;
  /** The latest whole turns, oldest first. */
  readTranscript(conversationId: string, limit: number): Promise<readonly Turn[]>;
  readTurn(turnId: string): Promise<TurnSummary | undefined>;
  /** Replaces stored turns by what they should have been: text that no provider takes was repaired. Others, and emptied ones, are ignored. */
  repairTurns(turns: readonly Turn[]): Promise<void>;
  /** Turns in any state, oldest first: what a page shows. */
  listTurns(conversationId: string): Promise<readonly TurnSummary[]>;
  /** Newest first. */
  listConversations(userId: string, limit: number): Promise<readonly ConversationSummary[]>;
  /** When the person's questions after `since` were accepted, oldest first; without those that were refused. */
  questionTimes(userId: string, since: number): Promise<readonly number[]>;

  putFeedback(feedback: FeedbackInput, now: number): Promise<void>;
  listFeedback(turnId: string): Promise<readonly FeedbackInput[]>;

  /** Small named values of one owner (a session's preferences, a gateway's cursor). */
  readSetting(owner: string, name: string): Promise<JsonObject | undefined>;
  writeSetting(owner: string, name: string, value: JsonObject): Promise<void>;

  countStates(): Promise<Readonly<Record<TurnState, number>>>;
  close(): Promise<void>;
}
