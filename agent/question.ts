/** What of a message can be read as a question, and why not, before anything is spent on it. */
import { unpairedRemoved } from './unicode.ts';

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu;
const KEPT_CONTROLS = /[\n\t]/u;
/** Joins emoji and shapes Arabic and Indic words. */
const KEPT_FORMATS = /[\u200c\u200d]/u;

/** Well-formed, without control and direction characters, trimmed. */
export const cleanQuestion = (text: string): string =>
  unpairedRemoved(text)
    .replace(INVISIBLE, (char) => (KEPT_CONTROLS.test(char) || KEPT_FORMATS.test(char) ? char : ''))
    .trim();

/** False for a message without a letter or a digit: empty, only emoji, only punctuation. */
export const hasWords = (question: string): boolean => /[\p{L}\p{N}]/u.test(question);
