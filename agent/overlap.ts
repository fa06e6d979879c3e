/**
 * How much of a claim a sentence holds: shared words, and for scripts without spaces shared pairs of characters. Numbers
 * weigh double, since a quote that lacks the claim's number supports nothing.
 */

const STOP_WORDS = new Set(
  'a an and are as at be been by can do does for from had has have how i if in is it its of on or our so than that the their them then there these they this to was we were what when where which who will with you your'.split(
    ' ',
  ),
);

const TERM = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu;
const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** The distinct terms of a text: lower-cased words without stop words, bigrams of unspaced scripts. */
export const termsOf = (text: string): Set<string> => {
  const terms = new Set<string>();
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(TERM)) {
    if (!CJK.test(run)) {
      if (!STOP_WORDS.has(run)) terms.add(run);
      continue;
    }
    const chars = [...run];
    if (chars.length === 1) terms.add(run);
    for (let i = 0; i + 1 < chars.length; i += 1) terms.add(`${chars[i]}${chars[i + 1]}`);
  }
  return terms;
};

/** Weight of the claim's terms that the sentence holds; 0 when it holds none. */
export const overlapOf = (claim: ReadonlySet<string>, sentence: ReadonlySet<string>): number => {
  let weight = 0;
  for (const term of claim) if (sentence.has(term)) weight += /\p{N}/u.test(term) ? 2 : 1;
  return weight;
};
