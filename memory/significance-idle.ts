/** What says nothing that could be remembered, however it scores: small talk, questions, requests, scraps. */
import type { Cues } from './cues.ts';
import type { Judgement } from './significance-score.ts';

/** Fewer words of content than this say nothing that stands alone; an explicit form may do with one less. */
const MIN_WORDS = 3;
/** A Chinese word has about so many characters. */
const HAN_A_WORD = 1.7;
/** Shorter, a courtesy is all there is. */
const MIN_BESIDE_COURTESY = 5;
/** A request that is a wish for good as well: "please never call before ten". */
const WISH_SCORE = 0.6;

const HAN = /\p{Script=Han}/gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'.-]*/gu;
const QUESTION_MARK = /[?？]["”»」)]*$/u;

export const contentWordsIn = (sentence: string, cues: Cues | undefined): number => {
  const han = sentence.match(HAN)?.length ?? 0;
  const words = (sentence.match(WORD) ?? []).filter((word) => cues?.stopWords.has(word.toLowerCase()) !== true);
  return han === 0 ? words.length : Math.floor(han / HAN_A_WORD) + (sentence.match(/[A-Za-z0-9]{2,}/g)?.length ?? 0);
};

export const isIdle = (sentence: string, cues: Cues | undefined, { cued, kind, score }: Judgement): boolean => {
  const words = contentWordsIn(sentence, cues);
  if (words < (cued && kind !== 'correction' ? MIN_WORDS - 1 : MIN_WORDS)) return true;
  if (cues === undefined) return QUESTION_MARK.test(sentence);
  if (cues.question.test(sentence)) return true;
  if (cues.request.test(sentence) && !(cued && score >= WISH_SCORE)) return true;
  return cues.smallTalk.test(sentence) && !(cued && words >= MIN_BESIDE_COURTESY);
};
