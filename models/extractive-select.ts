/**
 * Which sentences of the passages answer a question, and whether any does. A sentence is judged by how much of the
 * question it holds, itself first, its headings, title and neighbours after; a name or code that the question asks about
 * must occur, or the passage speaks of something else.
 */
import {
  type Candidate,
  candidatesOf,
  type Excerpt,
  excerptOf,
  type FoundPassage,
  isApart,
  type Sentence,
} from './extractive-candidates.ts';
import type { Wanted } from './extractive-follow-up.ts';
import { type Judgement, judgeSentence } from './extractive-judge.ts';
import { foldText, type Reading, readingOf } from './extractive-lexicon.ts';
import { createReader, type ReadText } from './extractive-reader.ts';
import { isMisspelling, questionTermsOf, strengthOf, type Term } from './extractive-terms.ts';

export interface Selection {
  /** Best first. Empty when nothing supports an answer. */
  readonly excerpts: readonly Excerpt[];
  /** How much of the question the best sentence holds, 0 to 1. */
  readonly support: number;
}

/** How sure the best sentence must be. */
const ENOUGH = 0.44;
/** How much worse than the best a second excerpt may be. */
const NEARLY = 1;
export const MAX_EXCERPTS = 3;

const FAULTS = ['misfits', 'lacksName', 'variant', 'elsewhere'] as const;

/** A word that occurs nowhere is taken for the one word of the passages that it may be a misspelling of. */
const withSpelling = (term: Term, readings: readonly Reading[]): Term => {
  if (term.essential || term.meanings.length > 0 || /[^a-z]/.test(term.value)) return term;
  if (readings.some((reading) => strengthOf(term, reading) > 0)) return term;
  for (const reading of readings)
    for (const stem of reading.stems) if (isMisspelling(term.value, stem)) return { ...term, value: stem };
  return term;
};

const isVariant = (term: Term, wanted: readonly Term[], text: string): boolean => {
  const after = text.split(term.value)[1];
  const next = after === undefined ? undefined : /^[ -]([a-z][a-z0-9]*)/.exec(after)?.[1];
  return next !== undefined && !wanted.some(({ value }) => next.startsWith(value));
};

/** Whether the question names all that the heading does. */
const namesAll = (asked: readonly Term[], heading: string): boolean => {
  const terms = questionTermsOf(heading);
  return terms.length > 0 && terms.every(({ value }) => asked.some((term) => strengthOf(term, readingOf(value)) > 0));
};

/** A sentence with its judgement. */
export interface Judged extends Judgement {
  readonly candidate: Candidate;
}

/** Every sentence of the passages, the best first. */
export const judgeCandidates = (wanted: Wanted, passages: readonly FoundPassage[], read: ReadText): readonly Judged[] => {
  const whole = passages.map((passage) => read(`${passage.title}\n${passage.heading}\n${passage.text}`));
  const own = wanted.own.map((term) => withSpelling(term, whole));
  const carried = wanted.carried.map((term) => withSpelling(term, whole));
  const terms = [...own, ...carried];
  if (terms.length === 0) return [];

  const rarity = (term: Term): number => {
    const holding = whole.filter((reading) => strengthOf(term, reading) > 0).length;
    return holding === 0 ? 1 : 0.9 * (1 - (holding - 1) / whole.length);
  };
  const rarities = new Map([...own, ...carried].map((term) => [term.value, rarity(term)]));
  const judge = (candidate: Candidate): Judged => {
    const { passage, sentences, index, text, rank } = candidate;
    const beside = (other: Sentence | undefined, a: Sentence | undefined, b: Sentence | undefined): readonly Reading[] =>
      other === undefined || isApart(passage, a, b) ? [] : [read(other.text)];
    const heading = candidate.under === '' ? (passage.heading.split(' > ').at(-1) ?? '') : candidate.under;
    const names = terms.filter((term) => term.essential);
    const judgement = judgeSentence(
      { ...wanted, own, carried },
      {
        sentence: read(text),
        headings: [read(passage.heading), read(candidate.under)],
        title: read(passage.title),
        neighbours: [
          ...beside(sentences[index - 1], sentences[index - 1], candidate),
          ...beside(sentences[index + 1], candidate, sentences[index + 1]),
        ],
        passage: read(passage.text),
        text,
        rank,
        isVariant: names.some((term) => isVariant(term, terms, `${read(passage.title).folded} ${foldText(text)}`)),
        isNamedByHeading: namesAll(terms, heading),
      },
      (term) => rarities.get(term.value) ?? 1,
    );
    return { candidate, ...judgement };
  };

  return candidatesOf(passages)
    .map(judge)
    .sort((a, b) => b.score - a.score || (b.candidate.passage.date ?? '').localeCompare(a.candidate.passage.date ?? ''));
};

export const selectExcerpts = (wanted: Wanted, passages: readonly FoundPassage[], read = createReader()): Selection => {
  const judged = judgeCandidates(wanted, passages, read);
  const [best] = judged;
  if (best === undefined || best.support < ENOUGH)
    return { excerpts: [], support: Math.max(0, ...judged.map(({ support }) => support)) };
  const chosen: Excerpt[] = [];
  for (const { candidate, support, score, features } of judged) {
    if (chosen.length >= MAX_EXCERPTS || score < best.score - NEARLY) break;
    // What is of another kind, name or variant than asked for stands behind no better one.
    if (support < ENOUGH || FAULTS.some((fault) => features[fault] > best.features[fault])) continue;
    const excerpt = excerptOf(candidate);
    if (chosen.some((other) => other.n === excerpt.n || foldText(other.text) === foldText(excerpt.text))) continue;
    chosen.push(excerpt);
  }
  return { excerpts: chosen, support: best.support };
};
