/**
 * Questions with SQL that a person checked, for a model that writes SQL of its own: those nearest to a question by words and, where there is
 * an embedder, by meaning.
 */
import { fuseHits, type RankedHit } from '../agent/fuse.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { Logger } from '../agent/ports/logger.ts';
import { wordsOf } from './database-linking.ts';

export interface SqlExample {
  readonly question: string;
  readonly sql: string;
}

interface ExampleDeps {
  readonly embedder?: Embedder | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ExampleFinder {
  /** Best first; each SQL once. Throws nothing but the signal's reason: what cannot be embedded in time is looked for by words. */
  find(question: string, limit: number, signal: AbortSignal): Promise<readonly SqlExample[]>;
}

const EMBED_MS = 1_500;
const VECTOR_SHARE = 0.5;
/** Of vectors: what is less alike has nothing to do with the question. */
const ALIKE = 0.3;

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

const inTime = async <Value>(work: Promise<Value>, clock: Clock): Promise<Value | undefined> => {
  const late = Promise.withResolvers<undefined>();
  const stopTimer = clock.after(EMBED_MS, () => late.resolve(undefined));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    stopTimer();
  }
};

export const createExampleFinder = (examples: readonly SqlExample[], { embedder, clock, logger }: ExampleDeps): ExampleFinder => {
  const words = examples.map(({ question }) => new Set(wordsOf(question)));
  const rarity = (word: string): number => {
    const holders = words.filter((some) => some.has(word)).length;
    return holders === 0 ? 0 : Math.log(1 + examples.length / holders);
  };
  let vectors: Promise<readonly Float32Array[]> | undefined;

  const byWords = (question: string): readonly RankedHit[] => {
    const asked = new Set(wordsOf(question));
    return words.flatMap((own, at) => {
      const weigh = (some: Iterable<string>): number => [...some].reduce((sum, word) => sum + rarity(word), 0);
      const common = weigh([...own].filter((word) => asked.has(word)));
      return common === 0 ? [] : [{ id: String(at), score: common / Math.sqrt(weigh(own)) }];
    });
  };

  const byMeaning = async (question: string, signal: AbortSignal): Promise<readonly RankedHit[] | undefined> => {
    if (embedder === undefined || examples.length === 0 || !embedder.canRead(question)) return undefined;
    try {
      // Not under the signal: the next question needs them too.
      vectors ??= embedder.embed(examples.map((example) => example.question));
      const both = Promise.all([vectors, embedder.embed([question], signal)]);
      both.catch(() => {});
      const found = await inTime(both, clock);
      if (found === undefined) return undefined;
      const [known, [asked]] = found;
      if (asked === undefined) return undefined;
      return known.map((vector, at) => ({ id: String(at), score: dot(vector, asked) })).filter(({ score }) => score > ALIKE);
    } catch (error) {
      signal.throwIfAborted();
      vectors = undefined;
      logger.warn('database_examples_by_words', { error: error instanceof Error ? error : undefined });
      return undefined;
    }
  };

  return {
    find: async (question, limit, signal) => {
      const fused = fuseHits(byWords(question), await byMeaning(question, signal), VECTOR_SHARE);
      const ranked = [...fused].sort(([, a], [, b]) => b - a).flatMap(([id]) => examples[Number(id)] ?? []);
      const found = new Map<string, SqlExample>();
      for (const example of ranked) if (!found.has(example.sql)) found.set(example.sql, example);
      return [...found.values()].slice(0, limit);
    },
  };
};
