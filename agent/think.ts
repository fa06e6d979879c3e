/** One step's model turn: from the journal, or asked for within the budget, streamed as it is written, and journaled before use. */
import { type AskDeps, askModel } from './ask.ts';
import type { Meter } from './budget.ts';
import { AppError, hasCode } from './errors.ts';
import type { StepJournal } from './journal.ts';
import type { Logger } from './ports/logger.ts';
import type { ModelTurn, ToolSpec } from './ports/model-provider.ts';
import type { RunContext } from './run-context.ts';
import { BudgetReached } from './run-end.ts';
import type { RunTranscript } from './transcript.ts';
import { createTextGate } from './unknown.ts';
import { judgeTurn } from './verdict.ts';

export interface ThinkDeps {
  readonly ask: AskDeps;
  readonly logger: Logger;
  readonly run: RunContext;
  readonly journal: StepJournal;
  readonly transcript: RunTranscript;
  readonly meter: Meter;
  readonly estimate: (messages: ReturnType<RunTranscript['messages']>, specs: readonly ToolSpec[]) => number;
}

export type Think = (step: number, specs: readonly ToolSpec[]) => Promise<ModelTurn>;

export const createThink = ({ ask, logger, run, journal, transcript, meter, estimate }: ThinkDeps): Think => {
  const finished = (step: number, turn: ModelTurn, durationMs: number, replayed: boolean): ModelTurn => {
    const { finishReason, toolCalls, usage, model } = turn;
    run.count(turn);
    run.emit({ type: 'model_finished', step, finishReason, toolCalls: toolCalls.length, usage, durationMs, model, replayed });
    return turn;
  };

  /** Text is shown as it comes, and taken back when the turn turns out to be void or a preamble. */
  const createStream = (step: number) => {
    let shown = false;
    const newGate = () =>
      createTextGate((delta) => {
        shown = true;
        run.emit({ type: 'text_delta', step, delta });
      });
    let gate = newGate();
    return {
      push: (delta: string): void => gate.push(delta),
      flush: (): void => gate.flush(),
      reset: (): void => {
        if (shown) run.emit({ type: 'text_reset', step });
        shown = false;
        gate = newGate();
      },
    };
  };

  /** A request that is too large for the model is made smaller, twice at most, and never asked again as it was. */
  const askFitting = async (
    step: number,
    specs: readonly ToolSpec[],
    stream: ReturnType<typeof createStream>,
  ): Promise<ModelTurn> => {
    for (;;) {
      const messages = transcript.messages();
      // Both in one tick, so that a store may make one commit of them.
      const [hit] = await Promise.all([meter.reserveModel(estimate(messages, specs)), journal.durable()]);
      if (hit !== undefined) throw new BudgetReached(hit);
      try {
        return await askModel(
          ask,
          { messages, tools: specs },
          {
            signal: run.signal,
            deadlineAt: run.deadlineAt,
            onText: stream.push,
            onReset: stream.reset,
            onFailed: (error, willRetry) => {
              logger.warn('model_call_failed', { code: error.code, step, willRetry, error });
              run.emit({ type: 'model_failed', step, code: error.code, willRetry });
              stream.reset();
            },
          },
        );
      } catch (error) {
        meter.settleModel({ inputTokens: 0, outputTokens: 0 }, hasCode(error, 'model_too_large'));
        if (!hasCode(error, 'model_too_large') || !transcript.shrink()) throw error;
        run.emit({ type: 'guard_acted', step, layer: 'context', detail: 'request_shrunk' });
      }
    }
  };

  return async (step, specs) => {
    const journaled = journal.findModel(step);
    if (journaled !== undefined) {
      meter.replay(journaled.usage);
      return finished(step, journaled, 0, true);
    }
    const { clock, limits } = ask;
    const askedAt = clock.monotonic();
    const stream = createStream(step);
    try {
      const turn = await askFitting(step, specs, stream);
      meter.settleModel(turn.usage, turn.fallback === true);
      const verdict = judgeTurn(turn);
      const isEnd = verdict === 'answer' || verdict === 'refused';
      await Promise.all([journal.putModel(step, turn), isEnd ? meter.close() : undefined]);
      if (verdict === 'answer') stream.flush();
      else stream.reset();
      return finished(step, turn, clock.monotonic() - askedAt, false);
    } catch (error) {
      const waitMs = error instanceof AppError ? (error.retryAfterMs ?? 0) : 0;
      if (run.input.canPark !== true || !hasCode(error, 'model_rate_limited') || waitMs <= limits.retryAfterCapMs) throw error;
      run.emit({ type: 'run_parked', step, waitMs });
      throw new AppError('run_parked', 'The model endpoint asks for a long pause; the run goes on after it.', {
        cause: error,
        retryAfterMs: waitMs,
      });
    }
  };
};
