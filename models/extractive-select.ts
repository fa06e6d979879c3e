/**
 * Which sentences of the passages answer a question, and whether any does. A sentence is judged by how much of the
 * question it holds, itself first, its headings, title and neighbours after; a name or code that the question asks about
 * must occur, or the passage speaks of something else.
 */
import { sentencesOf } from '../agent/sentences.ts';
import type { Wanted } from './extractive-follow-up.ts';
import { judgeSentence } from './extractive-judge.ts';
import { foldText, type Reading, readingOf } from './extractive-lexicon.ts';
import { isMisspelling, questionTermsOf, strengthOf, type Term } from './extractive-terms.ts';

/** What the search tool returned, as a model reads it. */
export interface FoundPassage {
  readonly n: number;
  readonly title: string;
  readonly heading: string;
  readonly location: string;
  readonly date: string | null;
  readonly text: string;
}

/** A verbatim piece of a passage, or a row by its columns. */
export interface Excerpt {
  readonly n: number;
  readonly text: string;
}

export interface Selection {
  /** Best first. Empty when nothing supports an answer. */
  readonly excerpts: readonly Excerpt[];
  /** How much of the question the best sentence holds, 0 to 1. */
  readonly support: number;
}

/** How sure the best sentence must be. */
const ENOUGH = 0.58;
/** How much worse than the best a second excerpt may be. */
const NEARLY = 0.25;
const MAX_EXCERPTS = 2;
/** A short paragraph is quoted whole; a Chinese character says as much as some three Latin letters. */
const MAX_PARAGRAPH = 240;
const MAX_LIST_ITEMS = 10;
const MAX_ROW = 500;

const lengthOf = (text: string): number => [...text].reduce((sum, letter) => sum + (letter > '\u2e7f' ? 2.6 : 1), 0);

interface Sentence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Candidate extends Sentence {
  /** The question or heading line above it inside the passage. */
  readonly under: string;
  readonly passage: FoundPassage;
  readonly sentences: readonly Sentence[];
  readonly index: number;
  readonly rank: number;
}

const isRow = (passage: FoundPassage): boolean => /^row\b/.test(passage.location) && passage.text.length <= MAX_ROW;
const isQuestion = (text: string): boolean => /[?？]\s*$/.test(text);
const introducesList = (text: string): boolean => /[:：]\s*$/.test(text);
/** A line of a few words with no end, as plain text has above its paragraphs. */
const isHeading = (text: string): boolean =>
  lengthOf(text) <= 50 && !/[.!。！;；:：,，|]\s*$/.test(text) && !isListItem(text) && !/[|\n]/.test(text);
const isListItem = (text: string): boolean => /^\s*(?:[-*+•·]|\d{1,3}[.)]|[（(]?[一二三四五六七八九十]+[、)）])\s*/u.test(text);

const placedSentencesOf = (passage: FoundPassage): readonly Sentence[] => {
  if (isRow(passage)) return [{ text: passage.text, start: 0, end: passage.text.length }];
  let from = 0;
  return sentencesOf(passage.text).map((text) => {
    const start = passage.text.indexOf(text, from);
    from = start + text.length;
    return { text, start, end: from };
  });
};

const isApart = (passage: FoundPassage, a: Sentence | undefined, b: Sentence | undefined): boolean =>
  a === undefined || b === undefined || /\n\s*\n/.test(passage.text.slice(a.end, b.start));

const candidatesOf = (passages: readonly FoundPassage[]): readonly Candidate[] =>
  passages.flatMap((passage, rank) => {
    const sentences = placedSentencesOf(passage);
    const isAbove = ({ text }: Sentence, index: number): boolean =>
      isQuestion(text) ||
      (isHeading(text) && index < sentences.length - 1 && isApart(passage, sentences[index], sentences[index + 1]));
    let under = '';
    return sentences.flatMap((sentence, index) => {
      if (!isAbove(sentence, index)) return [{ ...sentence, passage, sentences, index, rank, under }];
      under = sentence.text;
      return [];
    });
  });

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

/** `said` is the answer before: a follow-up seldom asks for it again. */
export const selectExcerpts = (wanted: Wanted, passages: readonly FoundPassage[], said = ''): Selection => {
  const readings = new Map<string, Reading>();
  const read = (text: string): Reading => {
    const known = readings.get(text) ?? readingOf(text);
    readings.set(text, known);
    return known;
  };
  const whole = passages.map((passage) => read(`${passage.title}\n${passage.heading}\n${passage.text}`));
  const own = wanted.own.map((term) => withSpelling(term, whole));
  const carried = wanted.carried.map((term) => withSpelling(term, whole));
  const terms = [...own, ...carried];
  if (terms.length === 0) return { excerpts: [], support: 0 };

  const rarity = (term: Term): number => {
    const holding = whole.filter((reading) => strengthOf(term, reading) > 0).length;
    return holding === 0 ? 1 : 1 - 0.9 * ((holding - 1) / whole.length);
  };
  const rarities = new Map([...own, ...carried].map((term) => [term.value, rarity(term)]));
  const judge = (candidate: Candidate) => {
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
        isSaid: said.includes(text),
        isNamedByHeading: namesAll(terms, heading),
      },
      (term) => rarities.get(term.value) ?? 1,
    );
    return { candidate, ...judgement };
  };

  const judged = candidatesOf(passages)
    .map(judge)
    .sort((a, b) => b.score - a.score || (b.candidate.passage.date ?? '').localeCompare(a.candidate.passage.date ?? ''));
  const [best] = judged;
  if (best === undefined || best.support < ENOUGH)
    return { excerpts: [], support: Math.max(0, ...judged.map(({ support }) => support)) };
  const chosen: Excerpt[] = [];
  for (const { candidate, support, score } of judged) {
    if (chosen.length >= MAX_EXCERPTS || score < best.score - NEARLY) break;
    if (support < ENOUGH) continue;
    const excerpt = excerptOf(candidate);
    if (chosen.some((other) => other.n === excerpt.n || foldText(other.text) === foldText(excerpt.text))) continue;
    chosen.push(excerpt);
  }
  return { excerpts: chosen, support: best.support };
};

/** The sentence with what belongs to it: the list it introduces, or the rest of its short paragraph. */
const excerptOf = ({ passage, sentences, index }: Candidate): Excerpt => {
  const at = (i: number): Sentence | undefined => sentences[i];
  let first = index;
  let last = index;
  const current = at(index) as Sentence;
  // The values by column read better than the row as it stands in its file, which is the last line.
  if (isRow(passage)) return { n: passage.n, text: passage.text.split('\n').slice(0, -1).join(' · ') || passage.text };
  if (introducesList(current.text)) {
    while (last - index < MAX_LIST_ITEMS && isListItem(at(last + 1)?.text ?? '')) last += 1;
    if (last === index && at(last + 1) !== undefined) last += 1;
  } else if (!isListItem(current.text)) {
    const fits = (from: number, to: number): boolean =>
      lengthOf(passage.text.slice((at(from) as Sentence).start, (at(to) as Sentence).end)) <= MAX_PARAGRAPH;
    const joins = (a: Sentence | undefined, b: Sentence | undefined): boolean =>
      a !== undefined &&
      b !== undefined &&
      !isApart(passage, a, b) &&
      !isListItem(a.text) &&
      !isListItem(b.text) &&
      !isQuestion(a.text);
    while (joins(at(last), at(last + 1)) && fits(first, last + 1)) last += 1;
    while (joins(at(first - 1), at(first)) && fits(first - 1, last)) first -= 1;
  }
  return { n: passage.n, text: passage.text.slice((at(first) as Sentence).start, (at(last) as Sentence).end) };
};
