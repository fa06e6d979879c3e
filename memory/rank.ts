/** Two rankings of observations into one: what was said on one occasion lends weight to one another; the rest only nudges. Pure. */
import { stemmer } from 'stemmer';
import { fuseHits, minMax, type RankedHit } from '../agent/fuse.ts';
import type { ObservationRecord } from '../agent/ports/memory-store.ts';
import { queryTerms } from '../agent/words.ts';
import { termsOf } from './observation-terms.ts';

/** The vectors' share of the fused score. */
const VECTOR_WEIGHT = 0.35;
/** What the best occasion adds to the score of all that was said on it. */
const OCCASION_WEIGHT = 0.2;
/** Of each occasion its three best count, each half as much as the one before. */
const OCCASION_HITS = 3;
const OCCASION_DECAY = 0.5;
/** The share of an occasion's score that is how much of the question was said on it, by whichever of its observations. */
const COVERAGE_WEIGHT = 0.4;
/** Nudges, as shares of the score: none decides against relevance. */
const RECENCY_BOOST = 0.03;
const EXPLICIT_BOOST = 0.05;
const NAMED_BOOST = 0.15;
const RECENCY_MS = 365 * 24 * 3_600_000;

export interface Ranked {
  readonly record: ObservationRecord;
  readonly score: number;
}

/** A conversation may last for years; what was said in it on one day belongs together. */
export const occasionOf = ({ conversationId, observedAt }: Pick<ObservationRecord, 'conversationId' | 'observedAt'>): string =>
  `${conversationId} ${new Date(observedAt).toISOString().slice(0, 10)}`;

const TOKEN = /[\p{L}\p{N}]+/gu;

/** Which of the question's words an observation holds, by their stems. */
const createTermFinder = (
  question: string,
): { readonly terms: readonly string[]; held(record: ObservationRecord): readonly string[] } => {
  const stems = new Map<string, string>();
  const stemOf = (word: string): string => {
    const known = stems.get(word);
    if (known !== undefined) return known;
    const stem = stemmer(word);
    stems.set(word, stem);
    return stem;
  };
  const { words, bigrams } = queryTerms(question);
  const terms = [...new Set([...words.flatMap((word) => word.match(TOKEN) ?? []).map(stemOf), ...bigrams])];
  return {
    terms,
    held: (record) => {
      const { words: said, context, date, bigrams: pairs } = termsOf(record);
      const tokens = `${said} ${context} ${date} ${record.speaker}`.toLowerCase().match(TOKEN) ?? [];
      const present = new Set([...tokens.map(stemOf), ...pairs.split(' ')]);
      return terms.filter((term) => present.has(term));
    },
  };
};

/** How much of the question each occasion covers; a word that few occasions hold counts for more. */
const coverOccasions = (records: readonly ObservationRecord[], question: string): readonly RankedHit[] => {
  const { terms, held } = createTermFinder(question);
  const covered = new Map<string, Set<string>>();
  for (const record of records) {
    const occasion = occasionOf(record);
    covered.set(occasion, new Set([...(covered.get(occasion) ?? []), ...held(record)]));
  }
  const weights = new Map(
    terms.map((term) => [term, Math.log(1 + covered.size / (1 + [...covered.values()].filter((on) => on.has(term)).length))]),
  );
  return [...covered].map(([id, on]) => ({ id, score: [...on].reduce((sum, term) => sum + (weights.get(term) ?? 0), 0) }));
};

/** Occasions by what was found of them, best first. */
export const rankOccasions = (ranked: readonly Ranked[], question: string): readonly RankedHit[] => {
  const found = new Map<string, number[]>();
  for (const { record, score } of [...ranked].sort((a, b) => b.score - a.score)) {
    const occasion = occasionOf(record);
    const scores = found.get(occasion) ?? [];
    if (scores.length < OCCASION_HITS) found.set(occasion, [...scores, score]);
  }
  const best = [...found].map(([id, scores]) => ({
    id,
    score: scores.reduce((sum, score, at) => sum + score * OCCASION_DECAY ** at, 0),
  }));
  const coverage = coverOccasions(
    ranked.map(({ record }) => record),
    question,
  );
  return [...fuseHits(best, coverage, COVERAGE_WEIGHT)]
    .map(([id, score]) => ({ id, score }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
};

const isNamed = (question: string, speaker: string): boolean => {
  const first = speaker.toLowerCase().split(/\s/u)[0] ?? '';
  return first !== '' && question.split(/[^\p{L}\p{N}]+/u).includes(first);
};

/** 1 for what was said now, -1 for what is two years old or older. */
const recencyOf = (observedAt: number, now: number): number => Math.max(-1, 1 - Math.max(0, now - observedAt) / RECENCY_MS);

export interface RankInput {
  readonly words: readonly RankedHit[];
  /** Undefined where there is no search by meaning. */
  readonly vectors: readonly RankedHit[] | undefined;
  /** Of the hits, those that the reader may read. */
  readonly records: readonly ObservationRecord[];
  readonly question: string;
  readonly now: number;
}

/** Best first; scores from 0, comparable within one call. */
export const rankObservations = ({ words, vectors, records, question, now }: RankInput): readonly Ranked[] => {
  const fused = fuseHits(words, vectors, VECTOR_WEIGHT);
  const asked = question.toLowerCase();
  const own = records.map((record) => {
    const nudge =
      1 +
      RECENCY_BOOST * recencyOf(record.observedAt, now) +
      (record.explicit ? EXPLICIT_BOOST : 0) +
      (isNamed(asked, record.speaker) ? NAMED_BOOST : 0);
    return { record, score: (fused.get(record.id) ?? 0) * nudge };
  });
  const occasions = minMax(rankOccasions(own, question));
  return own
    .map(({ record, score }) => ({ record, score: score + OCCASION_WEIGHT * (occasions.get(occasionOf(record)) ?? 0) }))
    .sort((a, b) => b.score - a.score || b.record.observedAt - a.record.observedAt || (a.record.id < b.record.id ? -1 : 1));
};
