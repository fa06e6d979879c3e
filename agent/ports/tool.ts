import type { z } from 'zod';
import type { Evidence, Passage, Scope } from '../conversation.ts';
import type { JsonValue } from '../json.ts';

export interface ToolContext {
  readonly scope: Scope;
  /** The audience labels that everyone who will read the answer holds. */
  readonly labels: readonly string[];
  readonly signal: AbortSignal;
  /** Gives each passage its number in this run; the same chunk keeps its number. */
  cite(passages: readonly Passage[]): readonly Evidence[];
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
  readonly effect: 'read' | 'write';
  readonly timeoutMs: number;
  run(args: Arguments, context: ToolContext): Promise<JsonValue>;
}
