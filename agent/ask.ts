/** One model call with its retries: the only place in the product that asks a model again. */
import { AppError } from './errors.ts';
import type { RunLimits } from './limits.ts';
import type { Clock } from './ports/clock.ts';
import type { ModelProvider, ModelRequest, ModelTurn } from './ports/model-provider.ts';
import { untilAborted } from './until-aborted.ts';
import { judgeTurn } from './verdict.ts';

export interface AskOptions {
  readonly signal: AbortSignal;
  /** On the clock's monotonic scale; no wait goes beyond it. */
  readonly deadlineAt: number;
  readonly onText: (delta: string) => void;
  readonly onReset: () => void;
  readonly onFailed: (error: AppError, willRetry: boolean) => void;
}

export interface AskDeps {
  readonly model: ModelProvider;
  readonly clock: Clock;
  readonly limits: RunLimits;
  readonly random: () => number;
}

/** Full jitter: anything from nothing to the ceiling, so that many runs do not come back together. */
const waitMs = (attempt: number, error: AppError, { limits, random }: AskDeps): number =>
  Math.max(Math.round(random() * limits.retryBaseMs * 2 ** (attempt - 1)), error.retryAfterMs ?? 0);

/**
 * A complete turn (`cut` and refused ones included). Throws `AppError('model_*')` after the last try, or the signal's reason.
 */
export const askModel = async (deps: AskDeps, request: ModelRequest, options: AskOptions): Promise<ModelTurn> => {
  const { model, clock, limits } = deps;
  for (let attempt = 1; ; attempt += 1) {
    let live = true;
    try {
      const onText = (delta: string): void => {
        if (live) options.onText(delta);
      };
      const onReset = (): void => {
        if (live) options.onReset();
      };
      const turn = await untilAborted(model.ask(request, { signal: options.signal, onText, onReset }), options.signal);
      judgeTurn(turn);
      return turn;
    } catch (error) {
      if (options.signal.aborted || !(error instanceof AppError)) throw error;
      const pauseMs = waitMs(attempt, error, deps);
      const willRetry =
        error.retryable &&
        attempt < limits.modelTries &&
        (error.retryAfterMs ?? 0) <= limits.retryAfterCapMs &&
        clock.monotonic() + pauseMs < options.deadlineAt;
      options.onFailed(error, willRetry);
      if (!willRetry) throw error;
      await clock.sleep(pauseMs, options.signal);
    } finally {
      live = false;
    }
  }
};
