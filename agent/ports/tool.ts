import type { z } from 'zod';
import type { Attachment } from '../attachment.ts';
import type { Evidence, Passage, Place, Scope } from '../conversation.ts';
import type { JsonValue } from '../json.ts';

export type ToolEffect = 'read' | 'write';

export interface ToolContext {
  readonly scope: Scope;
  /** The audience labels that everyone who will read the answer holds. */
  readonly labels: readonly string[];
  /** Where it was asked: who reads what comes of the call. */
  readonly place?: Place;
  readonly signal: AbortSignal;
  /** The same for one call in all lives of its run, and no other's: what a service is told so that it knows a call again. */
  readonly callKey?: string;
  /** Gives each passage its number in this run; the same chunk keeps its number. */
  cite(passages: readonly Passage[]): readonly Evidence[];
  /** The whole result of an earlier call of this run, also where the model was shown a part of it. The first call is `call_1`. */
  readResult?(callId: string): string | undefined;
  /** What people wrote: the question with what was added to it, then the asker's own earlier questions here. */
  readonly asked?: readonly string[];
  /**
   * Puts a file under the answer, if the call succeeds. Throws `AppError('tool_failed')` for one of another shape and
   * `AppError('tool_too_large')` beyond the limits of attachment.ts.
   */
  attach?(file: Attachment): void;
}

/**
 * One thing the agent can do. `run` gets arguments that passed `parameters`; it may throw `AppError` (its code decides
 * what the model is told) or anything else (told as an internal failure, raw text only in the log).
 */
export interface Tool<Arguments = unknown> {
  readonly name: string;
  /** For the model: what it does and when to use it. */
  readonly description: string;
  readonly parameters: z.ZodType<Arguments>;
  /** Reads of one step run together; writes run alone. */
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
  /** A second call with the same arguments changes nothing more than the first. Default: true for reads, false for writes. */
  readonly idempotent?: boolean;
  /** Words and phrases of questions that this tool answers; they decide which tools are offered when there are many. */
  readonly triggers?: readonly string[];
  /** Offered with every question, however many tools there are. */
  readonly always?: boolean;
  /** A person must agree to each call, as to every call of a tool that writes. Without anyone to ask, the call is refused. */
  readonly needsApproval?: boolean;
  /** What it returns may hold text of strangers, which may try to give orders. Default: true. */
  readonly readsUntrusted?: boolean;
  /** What it returns is not for everyone. Default: false. */
  readonly readsSensitive?: boolean;
  /** It changes something outside. Always so for writes. */
  readonly changesState?: boolean;
  /** What a call will do, in one sentence, for the person who is asked to agree. */
  describeCall?(args: Arguments): string;
  run(args: Arguments, context: ToolContext): Promise<JsonValue>;
}
