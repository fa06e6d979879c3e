/**
 * Bursts planted in streams of requests from two public sets: whether an incident is opened, after how many tickets, what is wrongly
 * taken into it, and what is opened without a burst. The reader is trained on training rows, the streams are made of held-out rows; the
 * rule's constants were chosen on training rows that the reader had not seen.
 */
import { createLocalEmbedder } from '../models/local-embedder.ts';
import { systemClock } from '../ops/clock.ts';
import { silentLogger } from '../ops/silent-log.ts';
import { createClassifier } from '../triage/classifier.ts';
import { createRandom } from './calculator/fuzz.ts';
import type { BenchRow } from './row.ts';
import { type Outcome, type Request, runStream, SHAPE } from './triage/incident-streams.ts';
import { type Labelled, readBanking, readClinc, takeEach } from './triage/sets.ts';

/** Twice as many of the set with half as many labels. */
const TRAIN_EACH = 20;
const TEST_EACH = 13;
const SEEDS = 10;
const SEEDS_IN_FULL = 50;
const WITHIN = 5;
/** A reading keeps so many candidates. */
const CANDIDATES = 3;

const readRequests = async (train: readonly Labelled[], test: readonly Labelled[]): Promise<readonly Request[]> => {
  const embedder = createLocalEmbedder({ clock: systemClock, logger: silentLogger });
  try {
    const vectors = await embedder.embed([...train, ...test].map(({ text }) => text));
    const known = new Map([...train, ...test].map(({ text }, at) => [text, vectors[at]]));
    const classifier = createClassifier({
      categories: [...new Set(train.map(({ label }) => label))].sort(),
      examples: train.map(({ text, label }, at) => ({ id: String(at), text, category: label })),
      outOfScope: [],
      embedder: { ...embedder, embed: async (texts) => texts.flatMap((text) => known.get(text) ?? []), close: async () => {} },
      logger: silentLogger,
    });
    const requests: Request[] = [];
    for (const { text, label } of test) {
      const { probabilities } = await classifier.classify(text, new AbortController().signal);
      const vector = known.get(text);
      if (vector !== undefined) requests.push({ label, categories: probabilities.slice(0, CANDIDATES), vector });
    }
    await classifier.close();
    return requests;
  } finally {
    await embedder.close();
  }
};

const total = (outcomes: readonly Outcome[], key: 'members' | 'pure' | 'background' | 'planted' | 'gathered' | 'unplanted') =>
  outcomes.reduce((sum, outcome) => sum + outcome[key], 0);

function* rowsOf(name: string, outcomes: readonly Outcome[]): Generator<BenchRow> {
  const row = (metric: string, value: number, unit: string, n: number, note?: string): BenchRow => ({
    bench: 'triage-incidents',
    case: name,
    metric,
    value: Math.round(value * 10_000) / 10_000,
    unit,
    n,
    ...(note === undefined ? {} : { note }),
  });
  const found = outcomes.flatMap(({ foundAfter }) => foundAfter);
  const members = total(outcomes, 'members');
  const background = total(outcomes, 'background');
  const falselyMerged = outcomes.reduce((sum, outcome) => sum + outcome.falselyMerged, 0);
  const days = (outcomes.length * SHAPE.hours) / 24;
  const counts = found.filter((count) => count !== null).sort((a, b) => a - b);
  const shape = `${outcomes.length} seeds; bursts of ${SHAPE.burstTickets} in ${SHAPE.burstMinutes} minutes among ${SHAPE.perHour} an hour`;
  yield row('purity', total(outcomes, 'pure') / members, 'share', members, shape);
  yield row('found', counts.length / found.length, 'share', found.length);
  yield row(`found_within_${WITHIN}`, counts.filter((count) => count <= WITHIN).length / found.length, 'share', found.length);
  yield row('found_after_median', counts[Math.floor(counts.length / 2)] ?? 0, 'tickets', counts.length);
  yield row('found_after_90_percent', counts[Math.floor(counts.length * 0.9)] ?? 0, 'tickets', counts.length);
  yield row('false_merges', falselyMerged / background, 'share', background);
  yield row('incidents_without_a_burst_a_day', total(outcomes, 'unplanted') / days, '1/day', days);
  yield row('gathered', total(outcomes, 'gathered') / total(outcomes, 'planted'), 'share', total(outcomes, 'planted'));
}

export async function* run({ full }: { readonly full: boolean }): AsyncGenerator<BenchRow> {
  const [banking, clinc] = [readBanking(), readClinc()];
  // Side by side, so that both cores work.
  const sets = [
    { name: 'banking77', requests: readRequests(takeEach(banking.train, 2 * TRAIN_EACH), takeEach(banking.test, TEST_EACH)) },
    { name: 'clinc150', requests: readRequests(takeEach(clinc.train, TRAIN_EACH), takeEach(clinc.val, TEST_EACH)) },
  ];
  for (const { requests } of sets) requests.catch(() => {});
  for (const { name, requests } of sets) {
    const made = await requests;
    const seeds = Array.from({ length: full ? SEEDS_IN_FULL : SEEDS }, (_, at) => at + 1);
    yield* rowsOf(
      name,
      seeds.map((seed) => runStream(made, createRandom(seed), SHAPE)),
    );
  }
}
