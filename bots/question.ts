/** What people type, made safe to store, to log and to hand to a model; and whether there is a question in it at all. */

import { cleanQuestion, hasWords } from '../agent/question.ts';

export const MAX_QUESTION_CHARACTERS = 20_000;
const MAX_NAME_CHARACTERS = 80;
/** Of a question that is too long only its beginning is kept. */
const KEPT_CHARACTERS = 300;

const LINE_BREAKS = /\r\n?|[\u2028\u2029]/g;
/** A keycap emoji is a digit to a pattern; `:name:` and `<:name:1>` are emoji; `@name` is a mention of somebody else. */
const NOT_WORDS = /[0-9#*]\ufe0f?\u20e3|<a?:\w+:\d+>|:[a-z0-9_+-]+:|@\S+/giu;

/** Well-formed Unicode without control, direction and invisible characters, line breaks as `\n`, trimmed. */
export const normaliseText = (text: string): string => cleanQuestion(text.replace(LINE_BREAKS, '\n'));

export interface Question {
  /** The whole text, or its beginning when it is too long. */
  readonly text: string;
  /** In characters (code points), of the whole. */
  readonly length: number;
  readonly isTooLong: boolean;
}

export const normaliseQuestion = (raw: string): Question => {
  const text = normaliseText(raw);
  const length = text.length <= MAX_QUESTION_CHARACTERS ? text.length : countCharacters(text);
  if (length <= MAX_QUESTION_CHARACTERS) return { text, length, isTooLong: false };
  return { text: `${cutText(text, KEPT_CHARACTERS)} …`, length, isTooLong: true };
};

const STOP_WORDS: ReadonlySet<string> = new Set(['stop', 'cancel', '停']);

/** The whole message asks to stop what is under way. */
export const isStop = (text: string): boolean => STOP_WORDS.has(normaliseText(text).toLowerCase());

/** A display name on one line. */
export const normaliseName = (raw: string): string => cutText(normaliseText(raw).replace(/\s+/gu, ' '), MAX_NAME_CHARACTERS);

/** False for an empty text and for one of emoji, mentions and punctuation alone. */
export const hasQuestion = (text: string): boolean => hasWords(text.replace(NOT_WORDS, ' '));

/** At most so many UTF-16 units, never half a surrogate pair. */
export const cutText = (text: string, maxUnits: number): string =>
  text.length <= maxUnits
    ? text
    : text
        .slice(0, maxUnits)
        .toWellFormed()
        .replace(/\ufffd$/u, '');

const countCharacters = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};
