/**
 * How well a sentence answers a question, from what it holds of it and where. The weights were learned by logistic regression
 * from questions over knowledge bases of several fields, each asked once with its answer in the base and once without: `rank`
 * orders the sentences of one question, `gate` tells whether the first of them answers it. `states` was raised by hand.
 */
import type { Wanted } from './extractive-follow-up.ts';
import { hasAnswerOfKind, hasClockTime, hasMoney } from './extractive-kinds.ts';
import { type Reading, readingOf } from './extractive-lexicon.ts';
import { strengthOf, type Term } from './extractive-terms.ts';

/** Where a sentence stands. */
export interface Surroundings {
  readonly sentence: Reading;
  /** The heading or question above it. */
  readonly headings: readonly Reading[];
  readonly title: Reading;
  /** The sentences beside it in its paragraph. */
  readonly neighbours: readonly Reading[];
  readonly passage: Reading;
  readonly text: string;
  /** Place in the search's ranking, from 0. */
  readonly rank: number;
  readonly isVariant: boolean;
  readonly isNamedByHeading: boolean;
}

/** How much of a term counts by where it stands. */
const PLACE = { sentence: 1, heading: 0.95, title: 0.8, neighbour: 0.7, passage: 0.55 } as const;
/** Weight up to which a question must be held in full proportion: what a long one says beyond is half talk. */
const LONG = 2.5;
const BEYOND_LONG = 0.4;
/** How well a name must be held. */
const ENOUGH_OF_NAME = 0.6;
const ENOUGH_CARRIED = 0.3;
const CARRIED_WEIGHT = 0.5;
/** From this weight on a term can be what the question is about. */
const SUBJECT_WEIGHT = 0.3;

const SHOWN = { money: hasMoney, hours: hasClockTime, phone: (text: string) => hasAnswerOfKind(text, 'phone') } as const;
const best = (term: Term, readings: readonly Reading[]): number =>
  readings.reduce((most, reading) => Math.max(most, strengthOf(term, reading)), 0);
/** Words of a text that speaks of a time gone by. */
const PAST_TIME = /去年|前年|上个月|以前|之前的|旧|\b(?:last|previous|former|earlier|old)\b|(?:19|20)\d\d/i;

const WEIGHTS = {
  bias: { rank: 0, gate: -2.03 },
  /** Share of the question that it holds, by the best place of each term. */
  coverage: { rank: 1.37, gate: 0.39 },
  /** Share that the sentence itself holds. */
  inSentence: { rank: 1.95, gate: 0.35 },
  /** Share held, where terms of many passages count less. */
  rare: { rank: 1.9, gate: 1.63 },
  /** Subjects that the passage lacks, up to two. */
  missingHeavy: { rank: -0.65, gate: -0.67 },
  /** It is of the kind asked for. */
  fits: { rank: 1.05, gate: 0.03 },
  /** It is not. */
  misfits: { rank: -1.05, gate: -1.23 },
  /** A name that was asked about is absent. */
  lacksName: { rank: -0.48, gate: -1.34 },
  /** Share held of what a follow-up takes over. */
  carried: { rank: 1.52, gate: -0.32 },
  /** It holds next to nothing of that. */
  elsewhere: { rank: -1.19, gate: -0.66 },
  /** Place in the search's ranking. */
  rank: { rank: -1.65, gate: -1.02 },
  /** The question names the whole heading above it. */
  namedHeading: { rank: 0.8, gate: 0.88 },
  /** It speaks of a variant of the thing named. */
  variant: { rank: -0.7, gate: -0.24 },
  /** Weight held, up to 4. */
  held: { rank: 1.24, gate: 0.41 },
  /** Share that its headings hold. */
  heading: { rank: 1.48, gate: 0.44 },
  /** Terms held well, up to three. */
  heldTerms: { rank: 1.7, gate: 1.17 },
  /** Share that its neighbours hold. */
  neighbour: { rank: 0.75, gate: 0.59 },
  /** Share held elsewhere in the passage alone. */
  passageOnly: { rank: -2.02, gate: -0.64 },
  /** Share held of what the asking clause says. */
  asked: { rank: 1.09, gate: -0.16 },
  /** Subjects that no passage holds, up to two. */
  absent: { rank: 0, gate: -0.51 },
  /** Share of the neighbouring terms that stand together. */
  together: { rank: 1.88, gate: 0.58 },
  /** A time gone by is asked for and not spoken of. */
  otherTime: { rank: 0, gate: -0.44 },
  /** It begins with a subject of the question and says what it is. */
  states: { rank: 1, gate: 0.16 },
  /** It holds every subject of a short question itself. */
  holdsShort: { rank: 0.53, gate: 0.27 },
} as const satisfies Record<string, { readonly rank: number; readonly gate: number }>;

/** A sentence that holds less of what the question itself says answers another one. */
const NOTHING = 0.1;
/** How many subjects a short question has at most. */
const SHORT = 2;

type Feature = keyof typeof WEIGHTS;
const FEATURES = Object.keys(WEIGHTS) as readonly Feature[];
export type Features = Readonly<Record<Feature, number>>;

export interface Judgement {
  /** Higher is better, among the sentences of one question. */
  readonly score: number;
  /** How sure it is that the sentence answers the question, 0 to 1. */
  readonly support: number;
  readonly features: Features;
}

interface Holding {
  readonly term: Term;
  readonly sentence: number;
  readonly heading: number;
  readonly title: number;
  readonly neighbour: number;
  readonly passage: number;
  /** By the best of these places. */
  readonly hold: number;
}

const holdingOf = (term: Term, at: Surroundings): Holding => {
  const shown = term.shownBy !== undefined && SHOWN[term.shownBy](at.text) ? 0.9 : 0;
  const title = strengthOf(term, at.title);
  const sentence = Math.max(strengthOf(term, at.sentence), shown);
  const heading = best(term, at.headings);
  const neighbour = best(term, at.neighbours);
  const passage = strengthOf(term, at.passage);
  const placed = Math.max(
    sentence * PLACE.sentence,
    heading * PLACE.heading,
    title * PLACE.title,
    neighbour * PLACE.neighbour,
    passage * PLACE.passage,
  );
  // What a document is about is often named in its title alone.
  return { term, sentence, heading, title, neighbour, passage, hold: term.essential && title === 1 ? 1 : placed };
};

const sumOf = (holdings: readonly Holding[], of: (holding: Holding) => number): number =>
  holdings.reduce((sum, holding) => sum + holding.term.weight * of(holding), 0);

const coverageOf = (holdings: readonly Holding[]): number => {
  const weight = sumOf(holdings, () => 1);
  if (weight === 0) return 1;
  return Math.min(1, sumOf(holdings, ({ hold }) => hold) / (weight <= LONG ? weight : LONG + (weight - LONG) * BEYOND_LONG));
};

/** `The warranty for customers is …`. */
const STATES =
  /^(?:the|our|your|a|an)?\s*([\p{L}\p{N}][\p{L}\p{N}\s'-]{0,60}?)\s(?:is|are|lasts?|takes?|costs?|runs?)\s|^([^，。；]{1,20}?)(?:为|是)/iu;

const states = (asked: readonly Term[], text: string): boolean => {
  const match = STATES.exec(text);
  const subject = match?.[1] ?? match?.[2];
  if (subject === undefined) return false;
  const reading = readingOf(subject);
  return asked.some((term) => term.weight >= 1 && strengthOf(term, reading) >= 0.9);
};

const featuresOf = (wanted: Wanted, at: Surroundings, rarity: (term: Term) => number): Features => {
  const own = wanted.own.map((term) => holdingOf(term, at));
  const carried = wanted.carried.map((term) => holdingOf({ ...term, weight: term.weight * CARRIED_WEIGHT }, at));
  const all = [...own, ...carried];
  const total = sumOf(all, () => 1);
  const share = (of: (holding: Holding) => number): number => sumOf(all, of) / total;
  const carriedCoverage = coverageOf(carried);
  const asksForKind = wanted.kind !== 'any' && wanted.kind !== 'list';
  const fits = hasAnswerOfKind(at.text, wanted.kind);
  const missing = own.filter(({ hold }) => hold === 0);
  const subjects = own.filter(({ term }) => term.weight >= SUBJECT_WEIGHT);
  const rareTotal = sumOf(all, ({ term }) => rarity(term));
  const asking = own.filter(({ term }) => wanted.asking.has(term.value));
  const pairs = own.slice(1).map((holding, index) => [own[index] as Holding, holding] as const);
  const near = ({ sentence, heading }: Holding): number => Math.max(sentence, heading);
  return {
    bias: 1,
    coverage: own.length > 0 ? coverageOf(own) : carriedCoverage,
    inSentence: share(({ sentence }) => sentence),
    rare: rareTotal === 0 ? 0 : sumOf(all, ({ term, hold }) => rarity(term) * hold) / rareTotal,
    missingHeavy: Math.min(2, missing.filter(({ term }) => term.weight >= 1).length) / 2,
    fits: asksForKind && fits ? 1 : 0,
    misfits: asksForKind && !fits ? 1 : 0,
    lacksName: all.some(({ term, hold }) => term.essential && hold < ENOUGH_OF_NAME) ? 1 : 0,
    carried: carried.length === 0 ? 0.5 : carriedCoverage,
    elsewhere: carried.length > 0 && carriedCoverage < ENOUGH_CARRIED ? 1 : 0,
    rank: at.rank / 8,
    namedHeading: at.isNamedByHeading ? 1 : 0,
    variant: at.isVariant ? 1 : 0,
    held:
      Math.min(
        4,
        sumOf(all, ({ hold }) => hold),
      ) / 4,
    heading: share(({ heading }) => heading),
    heldTerms: Math.min(3, all.filter(({ hold }) => hold > 0.5).length) / 3,
    neighbour: share(({ neighbour }) => neighbour),
    passageOnly: share(({ passage, sentence, heading, title, neighbour }) =>
      passage > 0 && Math.max(sentence, heading, title, neighbour) === 0 ? 1 : 0,
    ),
    asked: asking.length === 0 ? coverageOf(own) : coverageOf(asking),
    absent: Math.min(2, own.filter(({ term }) => term.weight >= 1 && rarity(term) === 1).length) / 2,
    together: pairs.length === 0 ? 0.5 : pairs.filter(([a, b]) => near(a) > 0.6 && near(b) > 0.6).length / pairs.length,
    otherTime: wanted.asksOfPast && !PAST_TIME.test(`${at.text}\n${at.headings.map(({ folded }) => folded).join(' ')}`) ? 1 : 0,
    states: states(wanted.own, at.text) ? 1 : 0,
    holdsShort:
      subjects.length > 0 &&
      subjects.length <= SHORT &&
      (fits || !asksForKind) &&
      subjects.every(({ sentence }) => sentence > 0.7)
        ? 1
        : 0,
  };
};

/** `rarity` is 1 for a term of no passage, near 0 for one of all. `wanted` holds at least one term. */
export const judgeSentence = (wanted: Wanted, at: Surroundings, rarity: (term: Term) => number): Judgement => {
  const features = featuresOf(wanted, at, rarity);
  const sum = (of: 'rank' | 'gate'): number => FEATURES.reduce((all, name) => all + WEIGHTS[name][of] * features[name], 0);
  return { features, score: sum('rank'), support: features.coverage < NOTHING ? 0 : 1 / (1 + Math.exp(-sum('gate'))) };
};
