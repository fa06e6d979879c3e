/**
 * A text's category without a language model: a linear classifier over words and the embedder's vectors, trained in a thread of its
 * own. A person's correction moves it at once and is among the examples of the next training.
 */
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { LabelledExample } from '../agent/ports/ticket-reader.ts';
import type { NearExample } from '../agent/ticket-reading.ts';
import { graphemeBoundary } from '../agent/unicode.ts';
import { untilAborted } from '../agent/until-aborted.ts';
import { oddsInScope } from './classifier-calibrate.ts';
import { type Features, sparseVectorOf, type Vocabulary, vocabularyOf } from './classifier-features.ts';
import { CLASSIFIER_FORMAT, loadClassifier, saveClassifier } from './classifier-file.ts';
import { bestClass, nearestOfClass, type TrainedClassifier, type TrainingSet } from './classifier-fit.ts';
import { similaritiesTo, similarityOf } from './classifier-neighbours.ts';
import { nudge, scoreClasses, softmax } from './classifier-train.ts';

export interface Classified {
  /** Likeliest first, all of them; together 1. */
  readonly probabilities: readonly { readonly category: string; readonly confidence: number }[];
  /** That the text is the team's at all; undefined where the examples are too few to tell. At 0.5, one text in 20 of the team's is refused. */
  readonly inScope: number | undefined;
  readonly nearest: readonly NearExample[];
  /** False where too few examples could be held out to know what the probabilities are worth. */
  readonly isCalibrated: boolean;
}

/** `classify` rejects with the signal's reason, or with what made the training fail. */
export interface Classifier {
  classify(text: string, signal: AbortSignal): Promise<Classified>;
  /** Examples of unknown categories are left out. Resolves when the next text is read with them. */
  learn(examples: readonly LabelledExample[]): Promise<void>;
  close(): Promise<void>;
}

export interface ClassifierOptions {
  readonly categories: readonly string[];
  readonly examples: readonly LabelledExample[];
  readonly outOfScope: readonly string[];
  readonly embedder?: Embedder;
  /** Where the trained classifier is kept; trained at every start without it. */
  readonly file?: string;
  readonly logger: Logger;
}

const SHOWN_NEAREST = 5;
const MAX_SHOWN_CHARS = 200;
const EMBED_TEXTS = 64;
/** A training for each correction would be idle work: it comes when so many are new, or this share of all examples. */
const RETRAIN_EXAMPLES = 20;
const RETRAIN_SHARE = 0.05;
const CALIBRATED_TEXTS = 100;

interface Example extends LabelledExample {
  readonly label: number;
  readonly dense: Float32Array | undefined;
}
interface Serving {
  readonly trained: TrainedClassifier;
  readonly vocabulary: Vocabulary;
  /** In the order of the index. */
  readonly examples: readonly Example[];
  /** What was learnt since, by id. */
  readonly recent: Map<string, Example & { readonly features: Features }>;
}

const trainInThread = (set: TrainingSet, stop: AbortSignal): Promise<TrainedClassifier> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./classifier-worker.ts', import.meta.url), { workerData: set, env: {} });
    const onAbort = (): void => void worker.terminate();
    stop.addEventListener('abort', onAbort, { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      stop.removeEventListener('abort', onAbort);
      reject(stop.aborted ? (stop.reason as Error) : new Error('the training ended without a result'));
    });
    if (stop.aborted) onAbort();
  });

export const createClassifier = (options: ClassifierOptions): Classifier => {
  const { categories, embedder, file, logger } = options;
  const stop = new AbortController();
  const known = new Map<string, Example>();
  const labelOf = new Map(categories.map((category, label) => [category, label]));
  let unseen = 0;
  let retraining: Promise<void> | undefined;

  /** Undefined where the embedder cannot read a text; of all, when it is out of reach: words alone have to do. */
  const embed = async (texts: readonly string[], signal: AbortSignal): Promise<readonly (Float32Array | undefined)[]> => {
    if (embedder === undefined) return texts.map(() => undefined);
    const vectors: (Float32Array | undefined)[] = texts.map(() => undefined);
    const readable = [...texts.keys()].filter((at) => embedder.canRead(texts[at] ?? ''));
    try {
      for (let from = 0; from < readable.length; from += EMBED_TEXTS) {
        const places = readable.slice(from, from + EMBED_TEXTS);
        const made = await embedder.embed(
          places.map((at) => texts[at] ?? ''),
          signal,
        );
        for (const [n, at] of places.entries()) vectors[at] = made[n];
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      logger.warn('triage_embedder_failed', { reason: error instanceof Error ? error.message : String(error) });
    }
    return vectors;
  };

  const prepare = async (examples: readonly LabelledExample[], signal: AbortSignal): Promise<readonly Example[]> => {
    const kept = examples.flatMap((example) => {
      const label = labelOf.get(example.category);
      return label === undefined ? [] : [{ ...example, label }];
    });
    const dense = await embed(
      kept.map(({ text }) => text),
      signal,
    );
    return kept.map((example, at) => ({ ...example, dense: dense[at] }));
  };

  const hashOf = (examples: readonly LabelledExample[]): string => {
    const told = [
      CLASSIFIER_FORMAT,
      embedder?.id ?? null,
      categories,
      options.outOfScope,
      examples.map(({ id, text, category }) => [id, text, category]),
    ];
    return createHash('sha256').update(JSON.stringify(told)).digest('hex');
  };

  const serve = (trained: TrainedClassifier, examples: readonly Example[]): Serving => ({
    trained,
    vocabulary: vocabularyOf(trained.terms, trained.idf),
    examples,
    recent: new Map(),
  });

  const trainOn = async (examples: readonly Example[]): Promise<Serving> => {
    const outside = await embed(options.outOfScope, stop.signal);
    const trained = await trainInThread(
      {
        classes: categories.length,
        dimensions: examples.some(({ dense }) => dense !== undefined) ? (embedder?.dimensions ?? 0) : 0,
        examples: examples.map(({ text, dense, label }) => ({ text, dense, label })),
        outOfScope: options.outOfScope.map((text, at) => ({ text, dense: outside[at] })),
      },
      stop.signal,
    );
    if (file !== undefined) {
      await saveClassifier(file, hashOf(examples), trained).catch((error: unknown) => {
        logger.warn('triage_classifier_not_saved', { reason: error instanceof Error ? error.message : String(error) });
      });
    }
    return serve(trained, examples);
  };

  const start = async (): Promise<Serving> => {
    const examples = options.examples.filter(({ category }) => labelOf.has(category));
    const saved = file === undefined ? undefined : await loadClassifier(file, hashOf(examples));
    if (saved !== undefined && saved.index.labels.length === examples.length) {
      const dimensions = saved.index.dense.length / Math.max(1, examples.length);
      const loaded = examples.map((example, row) => ({
        ...example,
        label: labelOf.get(example.category) ?? 0,
        dense: dimensions === 0 ? undefined : saved.index.dense.subarray(row * dimensions, (row + 1) * dimensions),
      }));
      for (const example of loaded) known.set(example.id, example);
      return serve(saved, loaded);
    }
    const prepared = await prepare(examples, stop.signal);
    for (const example of prepared) known.set(example.id, example);
    return trainOn([...known.values()]);
  };

  let serving = start();
  // Whoever reads is told of it then.
  serving.catch(() => {});

  const teach = ({ trained, vocabulary, recent }: Serving, example: Example): void => {
    const features = {
      sparse: sparseVectorOf(example.text, vocabulary),
      dense: trained.index.dense.length === 0 ? undefined : example.dense,
    };
    recent.set(example.id, { ...example, features });
    nudge(trained.model, { ...features, label: example.label });
  };

  /** The old classifier serves on meanwhile; what is learnt meanwhile is taught to the new one as well. */
  const retrain = async (): Promise<void> => {
    unseen = 0;
    const examples = [...known.values()];
    const next = await trainOn(examples);
    const trainedOn = new Map(examples.map((example) => [example.id, example]));
    for (const example of known.values()) if (trainedOn.get(example.id) !== example) teach(next, example);
    serving = Promise.resolve(next);
  };

  const startRetraining = (): void => {
    retraining ??= retrain()
      .catch((error: unknown) => {
        if (!stop.signal.aborted)
          logger.warn('triage_training_failed', { reason: error instanceof Error ? error.message : String(error) });
      })
      .finally(() => {
        retraining = undefined;
      });
  };

  const nearestTo = ({ examples, recent }: Serving, features: Features, similarities: Float32Array): NearExample[] => {
    const best: { readonly example: Example; readonly similarity: number }[] = [];
    const offer = (example: Example, similarity: number): void => {
      if (similarity <= (best.length < SHOWN_NEAREST ? 0 : (best.at(-1)?.similarity ?? 0))) return;
      const at = best.findIndex((other) => other.similarity < similarity);
      best.splice(at < 0 ? best.length : at, 0, { example, similarity });
      best.length = Math.min(best.length, SHOWN_NEAREST);
    };
    for (const [row, example] of examples.entries()) if (!recent.has(example.id)) offer(example, similarities[row] ?? 0);
    for (const example of recent.values()) offer(example, similarityOf(features, example.features));
    return best.map(({ example: { id, text, category }, similarity }) => ({
      exampleId: id,
      text: text.slice(0, graphemeBoundary(text, MAX_SHOWN_CHARS)),
      category,
      similarity,
    }));
  };

  return {
    classify: async (text, signal) => {
      const now = await untilAborted(serving, AbortSignal.any([signal, stop.signal]));
      const { trained, vocabulary, recent } = now;
      const [dense] = trained.index.dense.length === 0 ? [] : await embed([text], signal);
      const features = { sparse: sparseVectorOf(text, vocabulary), dense };
      const scores = new Float32Array(categories.length);
      scoreClasses(trained.model, features, scores);
      const best = bestClass(scores);
      const similarities = similaritiesTo(trained.index, features);
      const nearestLearnt = [...recent.values()].map((example) =>
        example.label === best ? similarityOf(features, example.features) : 0,
      );
      const similarity = Math.max(nearestOfClass(similarities, trained.index.labels, best), ...nearestLearnt);
      const inScope =
        trained.scope === undefined ? undefined : oddsInScope(trained.scope, { score: scores[best] ?? 0, similarity });
      softmax(scores, trained.temperature);
      return {
        probabilities: categories
          .map((category, label) => ({ category, confidence: scores[label] ?? 0 }))
          .sort((a, b) => b.confidence - a.confidence),
        inScope,
        nearest: nearestTo(now, features, similarities),
        isCalibrated: trained.heldOut >= CALIBRATED_TEXTS,
      };
    },

    learn: async (examples) => {
      const now = await serving;
      for (const example of await prepare(examples, stop.signal)) {
        const before = known.get(example.id);
        if (before?.text === example.text && before.category === example.category) continue;
        known.set(example.id, example);
        unseen += 1;
        teach(now, example);
        const current = await serving;
        if (current !== now) teach(current, example);
      }
      if (unseen >= Math.max(RETRAIN_EXAMPLES, known.size * RETRAIN_SHARE)) startRetraining();
    },

    close: async () => {
      stop.abort(new Error('The classifier is closed.'));
      await Promise.allSettled([serving, retraining]);
    },
  };
};
