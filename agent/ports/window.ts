import type { Turn } from '../conversation.ts';
import type { ChatMessage } from '../messages.ts';
import type { RecalledMemory } from './memory.ts';

/** Tokens that a text costs a model, exact or estimated from above. Synchronous; never holds the thread for long. */
export type CountTokens = (text: string) => number;

export interface WindowInput {
  readonly system: string;
  /** Earlier turns, oldest first. */
  readonly history: readonly Turn[];
  readonly question: string;
  readonly speaker: string;
  readonly budgetTokens: number;
  /** What long-term memory adds. Absent: nothing. */
  readonly memory?: RecalledMemory;
  readonly countTokens: CountTokens;
}

/**
 * What the model sees: the system prompt with pins and summary, the latest whole turns that fit, the question, and what was recalled
 * for it. The question always survives, shrunk if it alone exceeds the budget. Pure, and stable: as long as pins and summary stay as
 * they are, the next turn's window begins with the same bytes, but where turns had to go.
 */
export type FitWindow = (input: WindowInput) => readonly ChatMessage[];
