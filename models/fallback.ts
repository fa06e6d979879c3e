/**
 * The configured model first, another one where it cannot serve. A model that keeps failing is left alone for a while and
 * then tried with one call, so that an outage costs each question nothing.
 */
import { AppError, type ErrorCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { ModelCallOptions, ModelProvider, ModelRequest, ModelTurn } from '../agent/ports/model-provider.ts';

interface SwitchRule {
  /** Failed tries of one request before the fallback answers it; those before are thrown, and the loop asks again. */
  readonly switchAfter: number;
  /** Failures in a row, over all requests, before the primary is left alone. */
  readonly opensAfter: number;
}

/** Codes that are missing here are the request's own fault: another model would not mend them, and nothing is counted. */
const SWITCH_ON: Partial<Readonly<Record<ErrorCode, SwitchRule>>> = {
  model_auth: { switchAfter: 1, opensAfter: 1 },
  model_quota: { switchAfter: 1, opensAfter: 1 },
  model_timeout: { switchAfter: 1, opensAfter: 2 },
  model_unavailable: { switchAfter: 3, opensAfter: 3 },
  model_interrupted: { switchAfter: 3, opensAfter: 3 },
  model_empty: { switchAfter: 3, opensAfter: 3 },
  model_rate_limited: { switchAfter: 3, opensAfter: 3 },
};

const PROBE_AFTER_MS = 30_000;
/** A longer `Retry-After` is not waited for; so the fallback answers at once. */
const MAX_WAIT_MS = 60_000;

export interface FallbackDeps {
  readonly primary: ModelProvider;
  readonly fallback: ModelProvider;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Closed: calls pass. Open: none does. After a while one call passes as a probe, and its outcome decides. */
const createBreaker = (clock: Clock) => {
  let failuresInARow = 0;
  let openedAt: number | undefined;
  let probing = false;
  return {
    admits: (): boolean => {
      if (openedAt === undefined) return true;
      if (probing || clock.monotonic() - openedAt < PROBE_AFTER_MS) return false;
      probing = true;
      return true;
    },
    succeeded: (): void => {
      failuresInARow = 0;
      openedAt = undefined;
      probing = false;
    },
    /** Tells whether the breaker is open now. */
    failed: (opensAfter: number): boolean => {
      failuresInARow += 1;
      if (probing || failuresInARow >= opensAfter) openedAt = clock.monotonic();
      probing = false;
      return openedAt !== undefined;
    },
    /** The call ended without telling anything about the primary. */
    undecided: (): void => {
      probing = false;
    },
  };
};

export const createFallbackProvider = ({ primary, fallback, clock, logger }: FallbackDeps): ModelProvider => {
  const breaker = createBreaker(clock);
  /** The loop asks again with the same request object. */
  const failedTries = new WeakMap<ModelRequest, number>();

  const askFallback = async (request: ModelRequest, options: ModelCallOptions, silent: boolean): Promise<ModelTurn> => {
    // Text of a broken turn may have been shown; what the fallback says must not be glued to it.
    const turn = await fallback.ask(request, silent ? { signal: options.signal } : options);
    return { ...turn, fallback: true };
  };

  const ask = async (request: ModelRequest, options: ModelCallOptions): Promise<ModelTurn> => {
    if (!breaker.admits()) return askFallback(request, options, false);
    let streamed = false;
    const onText = (delta: string): void => {
      streamed = true;
      options.onText?.(delta);
    };
    try {
      const turn = await primary.ask(request, { signal: options.signal, onText });
      breaker.succeeded();
      return turn;
    } catch (error) {
      const rule = error instanceof AppError ? SWITCH_ON[error.code] : undefined;
      if (options.signal.aborted || !(error instanceof AppError) || rule === undefined) {
        breaker.undecided();
        throw error;
      }
      const tries = (failedTries.get(request) ?? 0) + 1;
      failedTries.set(request, tries);
      const isOpen = breaker.failed(rule.opensAfter);
      const tooLong = (error.retryAfterMs ?? 0) > MAX_WAIT_MS;
      if (!isOpen && !tooLong && tries < rule.switchAfter) throw error;
      logger.warn('model_fallback', { primary: primary.id, fallback: fallback.id, code: error.code, isOpen });
      return askFallback(request, options, streamed);
    }
  };

  return { id: primary.id, ask };
};
