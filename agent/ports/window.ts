import type { Turn } from '../conversation.ts';
import type { ChatMessage } from '../messages.ts';

/** Tokens that a text costs a model, exact or estimated from above. Synchronous; never holds the thread for long. */
export type CountTokens = (text: string) => number;

export interface WindowInput {
  readonly system: string;
  /** Earlier turns, oldest first. */
  readonly history: readonly Turn[];
  readonly question: string;
  readonly speaker: string;
  readonly budgetTokens: number;
  readonly countTokens: CountTokens;
}

/**
 * What the model sees: the system prompt, the latest whole turns that fit, and the question last. The question always
 * survives, shrunk if it alone exceeds the budget. Pure.
 */
export type FitWindow = (input: WindowInput) => readonly ChatMessage[];
