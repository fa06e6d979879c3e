/**
 * The configured models in their order, and behind them what answers without one. A model that cannot serve hands its request on;
 * one that keeps failing is left alone for a while and then tried with one call, so that an outage costs each question nothing.
 */
import { AppError, type ErrorCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { ModelCallOptions, ModelProvider, ModelRequest, ModelTurn } from '../agent/ports/model-provider.ts';
import { judgeTurn } from '../agent/verdict.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';

interface SwitchRule {
  /** Failed tries of one request before the next model answers it; those before are thrown, and the loop asks again. */
  readonly switchAfter: number;
  /** Failures in a row, over all requests, before the model is left alone. */
  readonly opensAfter: number;
}

/**
 * Codes that are missing here are the request's own fault: another model would not mend them, and nothing is counted. A test holds
 * docs/operations.md to it.
 */
export const SWITCH_ON: Partial<Readonly<Record<ErrorCode, SwitchRule>>> = {
  model_auth: { switchAfter: 1, opensAfter: 1 },
  model_quota: { switchAfter: 1, opensAfter: 1 },
  model_timeout: { switchAfter: 1, opensAfter: 2 },
  model_unavailable: { switchAfter: 3, opensAfter: 3 },
  model_interrupted: { switchAfter: 3, opensAfter: 3 },
  model_empty: { switchAfter: 3, opensAfter: 3 },
  model_rate_limited: { switchAfter: 3, opensAfter: 3 },
};

/** A longer `Retry-After` is not waited for: the next model answers at once, and this one is left alone until then. */
const MAX_WAIT_MS = 60_000;

export interface ChainDeps {
  /** At least one, the preferred first. */
  readonly models: readonly ModelProvider[];
  /** Answers when none of them can, and says so in its turn. */
  readonly lastResort?: ModelProvider;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Link {
  readonly model: ModelProvider;
  readonly breaker: CircuitBreaker;
}

export const createProviderChain = ({ models, lastResort, clock, logger }: ChainDeps): ModelProvider => {
  const links: readonly Link[] = models.map((model) => ({ model, breaker: createCircuitBreaker(clock) }));
  const first = models[0];
  if (first === undefined) throw new AppError('internal', 'A chain of models: expected at least one, got none.');
  /** The loop asks again with the same request object. */
  const failedTries = new WeakMap<ModelRequest, Map<Link, number>>();

  const countTry = (request: ModelRequest, link: Link): number => {
    const tries = failedTries.get(request) ?? new Map<Link, number>();
    failedTries.set(request, tries);
    tries.set(link, (tries.get(link) ?? 0) + 1);
    return tries.get(link) ?? 1;
  };

  const ask = async (request: ModelRequest, options: ModelCallOptions): Promise<ModelTurn> => {
    let streamed = false;
    let failure: AppError | undefined;
    const watched: ModelCallOptions = {
      ...options,
      onText: (delta) => {
        streamed = true;
        options.onText?.(delta);
      },
    };
    /** Text of a broken turn may have been shown; what the next model says must not be glued to it. */
    const takeBack = (): void => {
      if (streamed) options.onReset?.();
      streamed = false;
    };

    for (const [position, link] of links.entries()) {
      const { model, breaker } = link;
      if (!breaker.admits()) continue;
      try {
        const turn = await model.ask(request, watched);
        // A stream without an end and an empty turn come back as turns, and are failures all the same.
        judgeTurn(turn);
        breaker.succeeded();
        return turn;
      } catch (error) {
        const rule = error instanceof AppError ? SWITCH_ON[error.code] : undefined;
        if (options.signal.aborted || !(error instanceof AppError) || rule === undefined) {
          breaker.undecided();
          throw error;
        }
        const pauseMs = error.retryAfterMs ?? 0;
        const isOpen = breaker.failed(rule.opensAfter, pauseMs > MAX_WAIT_MS ? pauseMs : 0);
        const tries = countTry(request, link);
        const isLast = position === links.length - 1 && lastResort === undefined;
        // Only the first to be asked is worth waiting for: behind it, time has passed already.
        if (isLast || (failure === undefined && !isOpen && tries < rule.switchAfter)) throw error;
        failure = error;
        takeBack();
        logger.warn('model_switched', { from: model.id, code: error.code, isOpen });
      }
    }
    if (lastResort === undefined) throw failure ?? leftAlone(Math.min(...links.map(({ breaker }) => breaker.waitMs())));
    const turn = await lastResort.ask(request, watched);
    return { ...turn, fallback: true };
  };

  /** A long pause is one that a model asked for: whoever can wait for it takes the run up again after it. */
  const leftAlone = (waitMs: number): AppError => {
    const message = 'Every model is being left alone for a while.';
    return waitMs > MAX_WAIT_MS
      ? new AppError('model_rate_limited', message, { retryAfterMs: waitMs })
      : new AppError('model_unavailable', message);
  };

  return { id: first.id, ask };
};
