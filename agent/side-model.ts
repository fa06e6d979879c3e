/** A question to the model beside every run, such as memory's: within the day's budgets, once, and of a language model or not at all. */
import { type Budgets, createMeter } from './budget.ts';
import { AppError } from './errors.ts';
import type { ChatMessage } from './messages.ts';
import type { Clock } from './ports/clock.ts';
import type { ModelProvider } from './ports/model-provider.ts';
import type { CountTokens } from './ports/window.ts';

/**
 * Resolves with the model's whole text. Rejects when a budget is used up, the time is over, the answer was cut, or a fallback wrote it;
 * the caller then does without.
 */
export type AskSide = (prompt: { readonly system: string; readonly user: string }, signal: AbortSignal) => Promise<string>;

export interface SideModelOptions {
  readonly model: ModelProvider;
  readonly budgets: Budgets;
  /** The account it is charged to beside everyone's, as if it were a person and a channel: `memory`. */
  readonly account: string;
  readonly countTokens: CountTokens;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const UNANSWERED = 'A question beside the runs was not answered by the language model';

export const createSideModel = ({ model, budgets, account, countTokens, timeoutMs, clock }: SideModelOptions): AskSide => {
  const scope = { tenantId: account, channel: 'terminal', conversationId: account, userId: account } as const;
  return async ({ system, user }, signal) => {
    const meter = createMeter(budgets, { scope, placeId: account, clock });
    const limit = new AbortController();
    const stopTimer = clock.after(timeoutMs, () => limit.abort(new AppError('model_unavailable', `${UNANSWERED} in time.`)));
    try {
      const hit = await meter.reserveModel(countTokens(system) + countTokens(user));
      if (hit !== undefined) throw new AppError('model_unavailable', `${UNANSWERED}: the budget of the ${hit.owner} is used up.`);
      const messages: readonly ChatMessage[] = [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ];
      const turn = await model.ask({ messages, tools: [] }, { signal: AbortSignal.any([signal, limit.signal]) });
      meter.settleModel(turn.usage, turn.fallback === true);
      if (turn.fallback === true || turn.finishReason !== 'stop') throw new AppError('model_unavailable', `${UNANSWERED}.`);
      return turn.text;
    } finally {
      stopTimer();
      await meter.close();
    }
  };
};
