/**
 * Any OpenAI-compatible chat completions endpoint, streamed. `completionWithRetry` hands out the raw chunks; the higher
 * methods of the library repair cut tool arguments into other ones and fetch a tokenizer from outside.
 */
import { ChatOpenAICompletions } from '@langchain/openai';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { ModelCallOptions, ModelProvider, ModelRequest, ModelTurn } from '../agent/ports/model-provider.ts';
import { toModelError } from './openai-errors.ts';
import { createGuardedFetch } from './openai-fetch.ts';
import { toApiMessages, toApiTools } from './openai-messages.ts';
import { createTurnBuilder, type StreamChunk } from './openai-stream.ts';
import { DEFAULT_PROFILE, type ProviderProfile } from './provider-profile.ts';

export interface OpenAILimits {
  readonly firstByteMs: number;
  /** Between two chunks. */
  readonly idleMs: number;
  readonly totalMs: number;
  readonly maxBytes: number;
}

export const DEFAULT_OPENAI_LIMITS: OpenAILimits = {
  firstByteMs: 30_000,
  idleMs: 15_000,
  totalMs: 90_000,
  maxBytes: 8 * 1024 * 1024,
};

export interface OpenAIProviderDeps {
  /** With its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Empty for endpoints that want none. */
  readonly apiKey: string;
  readonly model: string;
  readonly limits: OpenAILimits;
  /** Default: what most endpoints accept. */
  readonly profile?: ProviderProfile;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One timer for all limits: it looks at the time of the last chunk when it fires, so that chunks cost nothing. */
const watchLimits = (clock: Clock, limits: OpenAILimits, onExceeded: (error: AppError) => void) => {
  const startedAt = clock.monotonic();
  let lastAt: number | undefined;
  let stop = (): void => {};
  const check = (): void => {
    const now = clock.monotonic();
    const dueAt = lastAt === undefined ? startedAt + limits.firstByteMs : lastAt + limits.idleMs;
    if (now >= startedAt + limits.totalMs) {
      onExceeded(new AppError('model_timeout', `The model's answer was not complete within ${limits.totalMs} ms.`));
    } else if (now >= dueAt) {
      const what = lastAt === undefined ? `did not begin within ${limits.firstByteMs}` : `stalled for ${limits.idleMs}`;
      onExceeded(new AppError('model_timeout', `The model's answer ${what} ms.`));
    } else {
      stop = clock.after(Math.min(dueAt, startedAt + limits.totalMs) - now, check);
    }
  };
  check();
  return {
    seen: (): void => {
      const isFirst = lastAt === undefined;
      lastAt = clock.monotonic();
      if (!isFirst) return;
      stop();
      check();
    },
    stop: (): void => stop(),
  };
};

export const createOpenAIProvider = (deps: OpenAIProviderDeps): ModelProvider => {
  const { clock, limits, model } = deps;
  const client = new ChatOpenAICompletions({
    model,
    // The client wants a key even where the endpoint does not.
    apiKey: deps.apiKey === '' ? 'none' : deps.apiKey,
    maxRetries: 0,
    // Longer than ours, which also watch the stream.
    timeout: limits.totalMs + 5_000,
    configuration: {
      // Named here, so that none of these is taken from the environment.
      baseURL: deps.baseUrl,
      organization: null,
      project: null,
      logLevel: 'off',
      maxRetries: 0,
      fetch: createGuardedFetch(limits.maxBytes),
    },
  });
  type StreamingRequest = Extract<Parameters<typeof client.completionWithRetry>[0], { stream: true }>;

  const ask = async (request: ModelRequest, options: ModelCallOptions): Promise<ModelTurn> => {
    options.signal.throwIfAborted();
    const controller = new AbortController();
    let exceeded: AppError | undefined;
    const onAbort = (): void => controller.abort();
    options.signal.addEventListener('abort', onAbort, { once: true });
    const watch = watchLimits(clock, limits, (error) => {
      exceeded = error;
      controller.abort();
    });
    const turn = createTurnBuilder();
    const body = {
      model,
      messages: toApiMessages(request.messages, deps.profile ?? DEFAULT_PROFILE),
      ...(request.tools.length === 0 ? {} : { tools: toApiTools(request.tools) }),
      stream: true,
      stream_options: { include_usage: true },
    } as unknown as StreamingRequest;
    const throwIfStopped = (): void => {
      options.signal.throwIfAborted();
      if (exceeded !== undefined) throw exceeded;
    };
    try {
      const stream = await client.completionWithRetry(body, { signal: controller.signal, maxRetries: 0 });
      for await (const chunk of stream) {
        watch.seen();
        const added = turn.add(chunk as StreamChunk);
        if (added !== '') options.onText?.(added);
      }
      // The client ends an aborted stream as if it were complete.
      throwIfStopped();
    } catch (error) {
      throwIfStopped();
      throw toModelError(error, turn.hasChoices, clock.now());
    } finally {
      watch.stop();
      options.signal.removeEventListener('abort', onAbort);
    }
    if (!turn.hasChoices) throw new AppError('model_empty', 'The model endpoint ended its answer without a single choice.');
    return turn.build(model);
  };

  return { id: `openai:${model}`, ask };
};
