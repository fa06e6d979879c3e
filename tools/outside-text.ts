/** What a server says of itself, of its tools and of a failure is text from outside: short, and nothing in it that a person could not see. */
import { cutMiddle, unpairedRemoved } from '../agent/unicode.ts';

/** Controls but for tab and line feed, formats, private use, what is not assigned, and selectors, which carry hidden bytes. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Variation_Selector}]/gu;

export const hidesText = (text: string): boolean => text.search(UNSEEN) !== -1;

export const cleanOutsideText = (text: string, maxChars: number): string =>
  cutMiddle(unpairedRemoved(text).replace(/\r\n?/gu, '\n').replace(UNSEEN, '').trim(), maxChars);
