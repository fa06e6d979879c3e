/**
 * What triage reads without a language model: categories of two public sets after training on their training rows, what the
 * probabilities are worth, how requests of no category are told, how few labelled examples do, and how long it takes. The constants
 * were chosen by rows held out of the training rows; nothing was tuned on the rows that are measured.
 */
import type { Embedder } from '../agent/ports/embedder.ts';
import { createLocalEmbedder } from '../models/local-embedder.ts';
import { systemClock } from '../ops/clock.ts';
import { silentLogger } from '../ops/silent-log.ts';
import { type Classified, type Classifier, createClassifier } from '../triage/classifier.ts';
import type { BenchRow } from './row.ts';
import { type Labelled, readBanking, readClinc, takeEach } from './triage/sets.ts';

const EXAMPLES_EACH = [1, 5, 10, 50];
const KEPT = [0.99, 0.97, 0.95, 0.9, 0.85, 0.8];
const TIMED_TICKETS = 200;
const BINS = 15;
/** The smaller trainings are measured on one row of so many. */
const EVERY = 3;

interface Read extends Classified {
  readonly isRight: boolean;
}

/** Each text's vector is made once, whichever training uses it. */
const keepVectors = async (embedder: Embedder, texts: readonly string[]): Promise<Embedder> => {
  const vectors = await embedder.embed(texts);
  const kept = new Map(texts.map((text, at) => [text, vectors[at]]));
  return {
    ...embedder,
    embed: async (wanted) => wanted.flatMap((text) => kept.get(text) ?? []),
    close: async () => {},
  };
};

const train = async (rows: readonly Labelled[], outOfScope: readonly string[], embedder: Embedder) => {
  const startedAt = systemClock.monotonic();
  const classifier = createClassifier({
    categories: [...new Set(rows.map(({ label }) => label))].sort(),
    examples: rows.map(({ text, label }, at) => ({ id: String(at), text, category: label })),
    outOfScope,
    embedder,
    logger: silentLogger,
  });
  await classifier.classify(rows[0]?.text ?? '', new AbortController().signal);
  return { classifier, seconds: (systemClock.monotonic() - startedAt) / 1_000 };
};

const readAll = async (classifier: Classifier, rows: readonly Labelled[]): Promise<readonly Read[]> => {
  const read: Read[] = [];
  for (const { text, label } of rows) {
    const classified = await classifier.classify(text, new AbortController().signal);
    read.push({ ...classified, isRight: classified.probabilities[0]?.category === label });
  }
  return read;
};

const shareOf = <T>(items: readonly T[], holds: (item: T) => boolean): number => items.filter(holds).length / items.length;
const accuracyOf = (read: readonly Read[]): number => shareOf(read, ({ isRight }) => isRight);

/** Expected calibration error of the likeliest category over bins of equal width. */
const calibrationErrorOf = (read: readonly Read[]): number => {
  const bins = Array.from({ length: BINS }, () => ({ confidence: 0, right: 0 }));
  for (const { probabilities, isRight } of read) {
    const confidence = probabilities[0]?.confidence ?? 0;
    const bin = bins[Math.min(BINS - 1, Math.floor(confidence * BINS))];
    if (bin === undefined) continue;
    bin.confidence += confidence;
    bin.right += isRight ? 1 : 0;
  }
  return bins.reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right), 0) / read.length;
};

const row = (name: string, metric: string, value: number, n: number, unit = 'share', note?: string): BenchRow => ({
  bench: 'triage',
  case: name,
  metric,
  value: Math.round(value * 10_000) / 10_000,
  unit,
  n,
  ...(note === undefined ? {} : { note }),
});

async function* fewExamples(
  name: string,
  rows: readonly Labelled[],
  test: readonly Labelled[],
  embedder: Embedder,
): AsyncGenerator<BenchRow> {
  const measured = test.filter((_, at) => at % EVERY === 0);
  for (const each of EXAMPLES_EACH) {
    const { classifier } = await train(takeEach(rows, each), [], embedder);
    yield row(name, `accuracy_at_${each}`, accuracyOf(await readAll(classifier, measured)), measured.length);
    await classifier.close();
  }
}

/** With the share of the team's own texts that are kept, the share of others that are refused. */
function* scopeCurve(name: string, inside: readonly Read[], outside: readonly Read[]): Generator<BenchRow> {
  const sorted = inside.map(({ inScope }) => inScope ?? 1).sort((a, b) => a - b);
  for (const kept of KEPT) {
    const threshold = sorted[Math.floor(sorted.length * (1 - kept))] ?? 0;
    const recall = shareOf(outside, ({ inScope }) => (inScope ?? 1) < threshold);
    yield row(name, kept === 0.95 ? 'oos_recall' : `oos_recall_at_${kept * 100}_kept`, recall, outside.length);
  }
  yield row(
    name,
    'kept_by_own_threshold',
    shareOf(inside, ({ inScope }) => (inScope ?? 1) >= 0.5),
    inside.length,
  );
  yield row(
    name,
    'oos_recall_by_own_threshold',
    shareOf(outside, ({ inScope }) => (inScope ?? 1) < 0.5),
    outside.length,
  );
}

async function* measureSpeed(
  rows: readonly Labelled[],
  test: readonly Labelled[],
  kept: Embedder,
  live: Embedder,
): AsyncGenerator<BenchRow> {
  const { classifier, seconds } = await train(rows, [], {
    ...kept,
    embed: async (texts, signal) => (texts.length === 1 ? live.embed(texts, signal) : kept.embed(texts)),
  });
  const timed = test.slice(0, TIMED_TICKETS);
  const startedAt = systemClock.monotonic();
  const read = await readAll(classifier, timed);
  yield row(
    'banking77',
    'tickets_per_second',
    timed.length / ((systemClock.monotonic() - startedAt) / 1_000),
    timed.length,
    '1/s',
    'one after the other, vectors made',
  );
  yield row('banking77', 'training_seconds', seconds, rows.length, 's', 'vectors not counted');
  const rest = await readAll(classifier, test.slice(TIMED_TICKETS));
  const all = [...read, ...rest];
  yield row('banking77', 'accuracy', accuracyOf(all), all.length);
  yield row('banking77', 'ece', calibrationErrorOf(all), all.length);
  await classifier.close();
}

export async function* run({ full }: { readonly full: boolean }): AsyncGenerator<BenchRow> {
  const banking = readBanking();
  const clinc = readClinc();
  // Two, so that both cores work.
  const embedders = [0, 1].map(() => createLocalEmbedder({ clock: systemClock, logger: silentLogger }));
  const [first, second] = embedders;
  if (first === undefined || second === undefined) return;
  try {
    const clincTexts = [...clinc.train, ...clinc.val, ...clinc.oos_train, ...clinc.oos_val].map(({ text }) => text);
    const bankingVectors = keepVectors(
      first,
      [...banking.train, ...banking.test].map(({ text }) => text),
    );
    const clincVectors = keepVectors(second, clincTexts);
    clincVectors.catch(() => {});

    yield* measureSpeed(banking.train, banking.test, await bankingVectors, first);
    yield* fewExamples('banking77', banking.train, banking.test, await bankingVectors);

    const vectors = await clincVectors;
    const { classifier, seconds } = await train(clinc.train, [], vectors);
    const inside = await readAll(classifier, clinc.val);
    const outside = await readAll(classifier, clinc.oos_val);
    await classifier.close();
    yield row('clinc150', 'training_seconds', seconds, clinc.train.length, 's', 'vectors not counted');
    yield row('clinc150', 'accuracy', accuracyOf(inside), inside.length);
    yield row('clinc150', 'ece', calibrationErrorOf(inside), inside.length);
    yield* scopeCurve('clinc150', inside, outside);
    yield* fewExamples('clinc150', clinc.train, clinc.val, vectors);
    if (!full) return;
    const taught = await train(
      clinc.train,
      clinc.oos_train.map(({ text }) => text),
      vectors,
    );
    yield* scopeCurve(
      'clinc150, 100 texts of no category given',
      await readAll(taught.classifier, clinc.val),
      await readAll(taught.classifier, clinc.oos_val),
    );
    await taught.classifier.close();
  } finally {
    await Promise.all(embedders.map((embedder) => embedder.close()));
  }
}
