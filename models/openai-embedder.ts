/** Vectors from any OpenAI-compatible embeddings endpoint. */
import { OpenAIEmbeddings } from '@langchain/openai';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import { toModelError } from './openai-errors.ts';

const BATCH_TEXTS = 96;

/** Below the 8,191 tokens that the endpoint's own models take, in any script. A longer text is embedded by its beginning. */
const MAX_CHARACTERS = 6_000;

const DEFAULT_TIMEOUT_MS = 30_000;

export interface OpenAIEmbedderDeps {
  /** With its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Empty for endpoints that want none. */
  readonly apiKey: string;
  readonly model: string;
  readonly dimensions: number;
  /** Of one request of up to 96 texts. */
  readonly timeoutMs?: number;
  readonly clock: Clock;
}

const asUnit = (values: readonly number[], dimensions: number, model: string): Float32Array => {
  if (values.length !== dimensions) {
    throw new AppError(
      'config_invalid',
      `The embedding model ${model} gives vectors of ${values.length} dimensions; the configuration says ${dimensions}. Set embeddings.dimensions to ${values.length}.`,
    );
  }
  const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(norm) || norm === 0) {
    throw new AppError('embedder_unavailable', `The embedding model ${model} gave a vector without a direction.`);
  }
  return Float32Array.from(values, (value) => value / norm);
};

/**
 * Asks once: trying again is the caller's. `AppError('config_invalid')` for vectors of other dimensions than configured, the
 * signal's reason when aborted, `AppError('embedder_unavailable')` otherwise.
 */
export const createOpenAIEmbedder = (deps: OpenAIEmbedderDeps): Embedder => {
  const { model, dimensions, clock, timeoutMs = DEFAULT_TIMEOUT_MS } = deps;
  const closing = new AbortController();

  /** A client of its own for each request: the library's takes no signal. */
  const createClient = (signal: AbortSignal): OpenAIEmbeddings =>
    new OpenAIEmbeddings({
      model,
      // The client wants a key even where the endpoint does not.
      apiKey: deps.apiKey === '' ? 'none' : deps.apiKey,
      // Models before these know no choice of dimensions, and some endpoints refuse the field.
      ...(model.startsWith('text-embedding-3') ? { dimensions } : {}),
      // The client's default is base64, which not every endpoint answers with.
      encodingFormat: 'float',
      batchSize: BATCH_TEXTS,
      stripNewLines: false,
      maxRetries: 0,
      // Longer than ours.
      timeout: timeoutMs + 5_000,
      configuration: {
        baseURL: deps.baseUrl,
        organization: null,
        project: null,
        fetch: (input, init) => fetch(input, { ...init, redirect: 'manual', signal }),
      },
    });

  const embedBatch = async (texts: readonly string[], outer: AbortSignal): Promise<readonly Float32Array[]> => {
    const timeout = new AbortController();
    const stopTimer = clock.after(timeoutMs, () =>
      timeout.abort(new AppError('embedder_unavailable', `The embedding endpoint did not answer within ${timeoutMs} ms.`)),
    );
    const signal = AbortSignal.any([outer, timeout.signal]);
    try {
      const inputs = texts.map((text) => text.slice(0, MAX_CHARACTERS).toWellFormed() || ' ');
      const vectors = await createClient(signal).embedDocuments(inputs);
      return vectors.map((vector) => asUnit(vector, dimensions, model));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      const { message, retryAfterMs } = toModelError(error, false, clock.now());
      throw new AppError('embedder_unavailable', `The embedding endpoint gave no vectors. ${message}`, {
        cause: error,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    } finally {
      stopTimer();
    }
  };

  return {
    id: `openai:${model}:${dimensions}`,
    dimensions,

    canRead: (text) => /[\p{L}\p{N}]/u.test(text),

    async embed(texts, signal) {
      const outer = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
      outer.throwIfAborted();
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH_TEXTS) {
        vectors.push(...(await embedBatch(texts.slice(at, at + BATCH_TEXTS), outer)));
      }
      return vectors;
    },

    async close() {
      closing.abort(new AppError('embedder_unavailable', 'The embedder is closed.'));
    },
  };
};
