/** What a model's turn amounts to, judged before any of it is used. */
import { AppError } from './errors.ts';
import type { ModelTurn } from './ports/model-provider.ts';

export type Verdict = 'answer' | 'tools' | 'cut' | 'refused';

/**
 * Tools run only on a complete turn. Throws `model_interrupted` for a turn whose end never came and `model_empty` for one
 * that says nothing: both are failed calls, not turns.
 */
export const judgeTurn = (turn: ModelTurn): Verdict => {
  switch (turn.finishReason) {
    case 'interrupted':
      throw new AppError('model_interrupted', 'The model stream ended without a finish reason; its text may be half of it.');
    case 'length':
      return 'cut';
    case 'content_filter':
    case 'refusal':
      return 'refused';
    case 'stop':
    case 'tool_calls':
      if (turn.toolCalls.length > 0) return 'tools';
      if (turn.text.trim() !== '') return 'answer';
      throw new AppError('model_empty', 'The model ended its turn without text and without a tool call.');
  }
};
