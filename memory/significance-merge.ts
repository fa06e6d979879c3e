/**
 * When two observations say the same, and when the newer takes the older's place. Both answers are careful: what is not surely the
 * same stays apart, and what is not surely replaced stays valid.
 */
import { contentOf, fixedPartsOf, isSameWord, tokensOf } from './significance-values.ts';

export interface Stated {
  readonly text: string;
  /** Who it is about, where known: what is said of two is neither the same nor a contradiction. */
  readonly subject?: string;
}

const normal = (text: string): string => tokensOf(text).join(' ');
const areOfTwo = (a: Stated, b: Stated): boolean =>
  a.subject !== undefined && b.subject !== undefined && a.subject.toLowerCase() !== b.subject.toLowerCase();

/** Length of the longest common subsequence: the same words in another order are another statement. */
const commonLength = (a: readonly string[], b: readonly string[]): number => {
  let above = Array.from({ length: b.length + 1 }, () => 0);
  for (const word of a) {
    const row = [0];
    for (let j = 0; j < b.length; j += 1) {
      row.push(isSameWord(word, b[j] as string) ? (above[j] as number) + 1 : Math.max(above[j + 1] as number, row[j] as number));
    }
    above = row;
  }
  return above.at(-1) ?? 0;
};

/** One may say a little more than the other, but neither says something else in its place. */
const MAX_EXTRA_SHARE = 0.2;

/** Exactly or nearly the same statement. Numbers, dates, negations, names and words that turn a sentence round must all agree. */
export const isSameObservation = (a: Stated, b: Stated): boolean => {
  if (areOfTwo(a, b)) return false;
  if (normal(a.text) === normal(b.text)) return true;
  if (fixedPartsOf(a.text) !== fixedPartsOf(b.text)) return false;
  const [left, right] = [contentOf(a.text), contentOf(b.text)];
  const common = commonLength(left, right);
  const extra = Math.max(left.length, right.length) - common;
  const replaced = Math.min(left.length, right.length) - common;
  return common >= 2 && replaced === 0 && extra <= Math.max(left.length, right.length) * MAX_EXTRA_SHARE;
};
