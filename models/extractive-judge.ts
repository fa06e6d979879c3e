/**
 * How well a sentence answers a question, from what it holds of it and where. The weights were learned by logistic regression
 * from questions over knowledge bases of several fields: `rank` orders the sentences of one question, `gate` tells whether
 * the first of them answers it.
 */
import type { Wanted } from './extractive-follow-up.ts';
import { hasAnswerOfKind, hasClockTime, hasMoney } from './extractive-kinds.ts';
import { type Reading, readingOf } from './extractive-lexicon.ts';
import { AS_KIND, strengthOf, type Term } from './extractive-terms.ts';

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
  readonly isSaid: boolean;
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
const isKnown = (term: Term): boolean => term.meanings.length > 0 || term.kinds.length > 0;

const COUNTED =
  /(?:\d[\d.,]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred|unlimited|no))((?:[ -]\p{L}+){1,3})/giu;
/** What stands behind the numbers of a sentence. */
const countedIn = (text: string): readonly Reading[] => [...text.matchAll(COUNTED)].map(([, words]) => readingOf(words ?? ''));

const WEIGHTS = {
  bias: { rank: 0, gate: -2.02 },
  /** Share of the question that it holds, by the best place of each term. */
  coverage: { rank: 2.09, gate: 0.4 },
  /** Share that the sentence itself holds. */
  inSentence: { rank: 2.67, gate: 0.36 },
  /** Share held, where terms of many passages count less. */
  rare: { rank: 2.26, gate: 1.25 },
  /** Share that the passage lacks and that no line of synonyms knows. */
  missingUnknown: { rank: 0.35, gate: -0.29 },
  /** Subjects that the passage lacks, up to two. */
  missingHeavy: { rank: -0.42, gate: -1.78 },
  /** It is of the kind asked for. */
  fits: { rank: 1.22, gate: 0.51 },
  /** It is not. */
  misfits: { rank: -1.22, gate: -0.75 },
  /** A name that was asked about is absent. */
  lacksName: { rank: -0.06, gate: -1.52 },
  /** Share held of what a follow-up takes over. */
  carried: { rank: 0.88, gate: -1.04 },
  /** It holds next to nothing of that. */
  elsewhere: { rank: -0.86, gate: 0.7 },
  /** Place in the search's ranking. */
  rank: { rank: -1.28, gate: -0.99 },
  /** The question names the whole heading above it. */
  namedHeading: { rank: 0.94, gate: 0.5 },
  /** It speaks of a variant of the thing named. */
  variant: { rank: -0.49, gate: -0.56 },
  /** The answer before said it. */
  said: { rank: 0.69, gate: 0.29 },
  /** Weight held, up to 4. */
  held: { rank: 1.43, gate: 0.16 },
  /** Share that its headings hold. */
  heading: { rank: 1.46, gate: 1.09 },
  /** Share held by the very word, in the paragraph or above it. */
  exact: { rank: 1.07, gate: 0.35 },
  /** Terms held well, up to three. */
  heldTerms: { rank: 1.79, gate: 1.79 },
  /** Share that its neighbours hold. */
  neighbour: { rank: 0.39, gate: 1.07 },
  /** Share held elsewhere in the passage alone. */
  passageOnly: { rank: -1.52, gate: -0.34 },
  /** Share that it holds by a general word alone. */
  kindOnly: { rank: -0.54, gate: -1.33 },
  /** How well the first subject of the question is held. */
  focus: { rank: 1.09, gate: 0.32 },
  /** What the question asks whether there is, is not spoken of. */
  existenceMissing: { rank: 1.25, gate: -0.59 },
  /** What is counted stands behind a number. */
  counted: { rank: 0.95, gate: 0.18 },
  /** It does not. */
  uncounted: { rank: -0.95, gate: -1.35 },
} as const satisfies Record<string, { readonly rank: number; readonly gate: number }>;

/** How sure a sentence is that holds a short question whole, and how many subjects such a question has at most. */
const ALL_HELD = 0.8;
const SHORT = 2;

type Feature = keyof typeof WEIGHTS;
const FEATURES = Object.keys(WEIGHTS) as readonly Feature[];
type Features = Readonly<Record<Feature, number>>;

export interface Judgement {
  /** Higher is better, among the sentences of one question. */
  readonly score: number;
  /** How sure it is that the sentence answers the question, 0 to 1. */
  readonly support: number;
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
  const subjects = own.filter(({ term }) => /^[\u0000-\u024f]+$/.test(term.value) && term.weight >= SUBJECT_WEIGHT);
  const focus = subjects[0];
  const isCounted =
    wanted.counts && focus !== undefined && countedIn(at.text).some((reading) => strengthOf(focus.term, reading) > 0);
  const rareTotal = sumOf(all, ({ term }) => rarity(term));
  return {
    bias: 1,
    coverage: own.length > 0 ? coverageOf(own) : carriedCoverage,
    inSentence: share(({ sentence }) => sentence),
    rare: rareTotal === 0 ? 0 : sumOf(all, ({ term, hold }) => rarity(term) * hold) / rareTotal,
    missingUnknown: sumOf(missing, ({ term }) => (isKnown(term) ? 0 : 1)) / total,
    missingHeavy: Math.min(2, missing.filter(({ term }) => term.weight >= 1).length) / 2,
    fits: asksForKind && fits ? 1 : 0,
    misfits: asksForKind && !fits ? 1 : 0,
    lacksName: all.some(({ term, hold }) => term.essential && hold < ENOUGH_OF_NAME) ? 1 : 0,
    carried: carried.length === 0 ? 0.5 : carriedCoverage,
    elsewhere: carried.length > 0 && carriedCoverage < ENOUGH_CARRIED ? 1 : 0,
    rank: at.rank / 8,
    namedHeading: at.isNamedByHeading ? 1 : 0,
    variant: at.isVariant ? 1 : 0,
    said: at.isSaid ? 1 : 0,
    held:
      Math.min(
        4,
        sumOf(all, ({ hold }) => hold),
      ) / 4,
    heading: share(({ heading }) => heading),
    exact: share(({ sentence, heading, title, neighbour }) => (Math.max(sentence, heading, title, neighbour) === 1 ? 1 : 0)),
    heldTerms: Math.min(3, all.filter(({ hold }) => hold > 0.5).length) / 3,
    neighbour: share(({ neighbour }) => neighbour),
    passageOnly: share(({ passage, sentence, heading, title, neighbour }) =>
      passage > 0 && Math.max(sentence, heading, title, neighbour) === 0 ? 1 : 0,
    ),
    kindOnly: share(({ sentence }) => (sentence === AS_KIND ? 1 : 0)),
    focus: focus?.hold ?? 0.5,
    existenceMissing:
      wanted.asksForExistence && focus !== undefined ? 1 - Math.max(...subjects.slice(0, 2).map(({ hold }) => hold)) : 0,
    counted: isCounted ? 1 : 0,
    uncounted: wanted.counts && !isCounted ? 1 : 0,
  };
};

/**
 * A short question holds too few terms to be sure by their number: one whose every subject the sentence holds, with an answer
 * of its kind, is answered.
 */
const answersShortOne = (wanted: Wanted, at: Surroundings, features: Features): boolean => {
  const subjects = wanted.own.filter(({ weight }) => weight >= SUBJECT_WEIGHT);
  return (
    features.misfits + features.uncounted + features.lacksName + features.elsewhere === 0 &&
    subjects.length <= SHORT &&
    subjects.some(({ weight }) => weight >= 0.6) &&
    subjects.every((term) => holdingOf(term, at).sentence >= AS_KIND)
  );
};

/** `rarity` is 1 for a term of few passages, near 0 for one of all. `wanted` holds at least one term. */
export const judgeSentence = (wanted: Wanted, at: Surroundings, rarity: (term: Term) => number): Judgement => {
  const features = featuresOf(wanted, at, rarity);
  const sum = (of: 'rank' | 'gate'): number => FEATURES.reduce((all, name) => all + WEIGHTS[name][of] * features[name], 0);
  const likely = 1 / (1 + Math.exp(-sum('gate')));
  return { score: sum('rank'), support: answersShortOne(wanted, at, features) ? Math.max(likely, ALL_HELD) : likely };
};
