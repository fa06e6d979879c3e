import type { Attachment } from './attachment.ts';
import type { Answer, Place, Scope, Turn, Usage } from './conversation.ts';
import type { EventSink } from './events.ts';
import type { JournalEntry } from './ports/store.ts';
import type { Language } from './texts.ts';

/** Where a run's steps are kept before they are used. `write` throws `AppError('lease_lost')` when another took the run over. */
export interface RunJournal {
  read(): Promise<readonly JournalEntry[]>;
  write(entry: JournalEntry): Promise<void>;
}

export interface RunInput {
  readonly turnId: string;
  readonly scope: Scope;
  /** The audience labels that everyone who will read the answer holds. */
  readonly labels: readonly string[];
  readonly question: string;
  readonly speaker: string;
  /** Earlier turns of the conversation, oldest first; the window decides what the model sees of them. */
  readonly history: readonly Turn[];
  /** Of the question: the assistant's own fixed texts are in it. */
  readonly language: Language;
  readonly journal: RunJournal;
  /** Aborted when the person cancels or the process stops. A reason that is an `AppError('lease_lost')`, or any error when the process stops, is rethrown; `CANCELLED` ends the run with an answer. */
  readonly signal: AbortSignal;
  readonly onEvent?: EventSink;
  /** Where it was asked. Its id is the account of the channel's budget; without it nothing is recalled. */
  readonly place?: Place;
  /**
   * Asks a person whether a call may run; settles when they decided. May throw `AppError('approval_pending')`: the run then ends with
   * that, and its owner takes it up again when somebody decided, or when nobody did in time. Asked again then, and after a restart,
   * for a call that was not refused and has not begun: the owner knows what was decided, and for how long that is good.
   */
  readonly approve?: (request: ApprovalRequest) => Promise<ApprovalDecision>;
  /** The run's owner can take it up again later: a model that asks for a long pause then ends it with `AppError('run_parked')`. */
  readonly canPark?: boolean;
  /**
   * Takes what was written in the conversation meanwhile and belongs to this run, as its owner decides, out of the queue, oldest first,
   * and writes it to the journal under `key`, both in one transaction: a crash then neither loses nor doubles it. Writes
   * nothing where there is nothing. Called before each step that still has tools, never twice at a time; what arrives later waits for
   * its own turn. Absent: everything waits. Throws as the journal does.
   */
  readonly takeArrived?: (key: string) => Promise<readonly ArrivedMessage[]>;
}

/** What a person wrote into a conversation while a run of it was under way. */
export interface ArrivedMessage {
  /** The display name: data, never instructions. */
  readonly speaker: string;
  readonly text: string;
}

/** `tool`: each call of this tool needs it. `provenance`: only with what the run has read and done before. */
export type ApprovalReason = 'tool' | 'provenance';

export interface ApprovalRequest {
  /** Unique over all runs, steps and calls: an answer to one is no answer to another. */
  readonly id: string;
  readonly tool: string;
  /** What the tool says it will do; holds what the model wrote. May be empty. */
  readonly words: string;
  /** Canonical JSON of the arguments with which it would run: an agreement is good for these alone. */
  readonly arguments: string;
  readonly reason: ApprovalReason;
}

/** `expired`: nobody decided in time. `unavailable`: there is nobody to ask. */
export type ApprovalDecision = 'approved' | 'denied' | 'expired' | 'unavailable';

export interface RunResult {
  readonly answer: Answer;
  /** In the order of the calls that attached them; none where the answer does not stand on what was found. */
  readonly files: readonly Attachment[];
  readonly steps: number;
  readonly tools: readonly string[];
  readonly usage: Usage;
  readonly model: string;
  readonly durationMs: number;
}

/** The abort reason that says: the person asked to stop. */
export const CANCELLED = Symbol('cancelled');

export interface Agent {
  /** Always resolves with a non-empty answer and a stop reason, but for an aborted signal whose reason is an error: that is thrown. */
  run(input: RunInput): Promise<RunResult>;
}
