/** Sentences of passages as candidates for an answer, each with what stands around it, and the excerpt that quotes it. */
import { sentencesOf } from '../agent/sentences.ts';

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

/** A short paragraph or list is quoted whole; a Chinese character says as much as some three Latin letters. */
const MAX_PARAGRAPH = 420;
/** A longer table is quoted by its row alone. */
const MAX_TABLE = 600;
const MAX_LIST_ITEMS = 10;
const MAX_ROW = 500;

const lengthOf = (text: string): number => [...text].reduce((sum, letter) => sum + (letter > '\u2e7f' ? 2.6 : 1), 0);

export interface Sentence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The table that it is a row of. */
  readonly table?: Sentence;
}

export interface Candidate extends Sentence {
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

/** Lines of a table, whose first is its header; a run of them is read row by row. */
const TABLE = /(?:^|\n)([^\n]*\|[^\n]*(?:\n[^\n]*\|[^\n]*)+)/g;

const rowsOf = (table: Sentence): readonly Sentence[] => {
  let at = table.start;
  return table.text.split('\n').map((text) => {
    const row = { text, start: at, end: at + text.length, table };
    at = row.end + 1;
    return row;
  });
};

const placedSentencesOf = (passage: FoundPassage): readonly Sentence[] => {
  if (isRow(passage)) return [{ text: passage.text, start: 0, end: passage.text.length }];
  const placed: Sentence[] = [];
  const add = (from: number, to: number): void => {
    let at = from;
    for (const text of sentencesOf(passage.text.slice(from, to))) {
      const start = passage.text.indexOf(text, at);
      at = start + text.length;
      placed.push({ text, start, end: at });
    }
  };
  let from = 0;
  for (const match of passage.text.matchAll(TABLE)) {
    const text = match[1] as string;
    const start = match.index + match[0].length - text.length;
    add(from, start);
    from = start + text.length;
    placed.push(...rowsOf({ text, start, end: from }));
  }
  add(from, passage.text.length);
  return placed;
};

export const isApart = (passage: FoundPassage, a: Sentence | undefined, b: Sentence | undefined): boolean =>
  a === undefined || b === undefined || /\n\s*\n/.test(passage.text.slice(a.end, b.start));

export const candidatesOf = (passages: readonly FoundPassage[]): readonly Candidate[] =>
  passages.flatMap((passage, rank) => {
    const sentences = placedSentencesOf(passage);
    const isAbove = ({ text }: Sentence, index: number): boolean =>
      isQuestion(text) ||
      (isHeading(text) && index < sentences.length - 1 && isApart(passage, sentences[index], sentences[index + 1]));
    let under = '';
    return sentences.flatMap((sentence, index) => {
      const { table } = sentence;
      if (table !== undefined && table.start === sentence.start) return [];
      const header = table === undefined ? '' : (table.text.split('\n')[0] as string);
      if (table !== undefined || !isAbove(sentence, index))
        return [{ ...sentence, passage, sentences, index, rank, under: [under, header].filter(Boolean).join('\n') }];
      under = sentence.text;
      return [];
    });
  });

/** The sentence with what belongs to it: the list it introduces or stands in, its table, or the rest of its short paragraph. */
export const excerptOf = ({ passage, sentences, index }: Candidate): Excerpt => {
  const at = (i: number): Sentence | undefined => sentences[i];
  let first = index;
  let last = index;
  const current = at(index) as Sentence;
  // The values by column read better than the row as it stands in its file, which is the last line.
  if (isRow(passage)) return { n: passage.n, text: passage.text.split('\n').slice(0, -1).join(' · ') || passage.text };
  if (current.table !== undefined) {
    const { table } = current;
    const text = lengthOf(table.text) <= MAX_TABLE ? table.text : current.text;
    return { n: passage.n, text: text.trim() };
  }
  const fits = (from: number, to: number): boolean =>
    lengthOf(passage.text.slice((at(from) as Sentence).start, (at(to) as Sentence).end)) <= MAX_PARAGRAPH;
  if (introducesList(current.text)) {
    while (last - index < MAX_LIST_ITEMS && isListItem(at(last + 1)?.text ?? '')) last += 1;
    if (last === index && at(last + 1) !== undefined) last += 1;
  } else if (isListItem(current.text)) {
    while (isListItem(at(last + 1)?.text ?? '')) last += 1;
    while (isListItem(at(first - 1)?.text ?? '')) first -= 1;
    if (introducesList(at(first - 1)?.text ?? '')) first -= 1;
    if (!fits(first, last)) first = last = index;
  } else {
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
