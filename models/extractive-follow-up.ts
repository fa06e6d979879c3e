/** What is wanted of an answer, read from a question and, where it leans on them, from the questions before it. */
import { type AnswerKind, answerKindOf } from './extractive-kinds.ts';
import { questionTermsOf, type Term } from './extractive-terms.ts';

export interface Wanted {
  /** What the question itself says. */
  readonly own: readonly Term[];
  /** What it takes over from the questions before. */
  readonly carried: readonly Term[];
  readonly kind: AnswerKind;
  /** Values of the terms of the clause that asks. */
  readonly asking: ReadonlySet<string>;
  readonly asksOfPast: boolean;
}

const CLAUSE = /[,，。;；!！.?？]+\s*/;
const ASKS_WORD =
  /\b(?:how|what|when|where|who|whose|which|why|do|does|did|is|are|can|could|may|must|will|should)\b|[吗呢么]|多少|几|多久|多长|谁|哪|怎|能不能|是否|可以|什么/i;
const PAST = /\blast (?:year|month|week|time)\b|\bpreviously\b|\bused to\b|去年|前年|上个月|上一年|上次/i;

/** The last clause that asks; the whole question where none does. */
const askingClauseOf = (question: string): string =>
  question
    .split(CLAUSE)
    .filter((clause) => ASKS_WORD.test(clause))
    .at(-1) ?? question;

const STARTS_FROM_BEFORE =
  /^\s*(?:(?:and|but|also|then|or|so|what about|how about|what if|same for|ok,? and|those|it|they)(?!\p{L})|那么|那|还有|另外|然后|以及|换成|如果是|要是)/iu;
const POINTS_BACK = /\b(?:it|its|they|them|their|that|this|those|these|there|then)\b|它|他们|这个|那个|这些|那些|其中|该|上述/i;
const QUESTION_WORD = 'how|what|when|where|who|which|why|do|does|is|are|can';
const PART = new RegExp(`(?<=[?？])\\s*|,?\\s+(?:and|or)\\s+(?=(?:${QUESTION_WORD})\\b)`, 'i');
/** A part asks by a question word in front, or by what asks in Chinese. */
const ASKS = new RegExp(`^\\s*(?:and |or )?(?:${QUESTION_WORD})\\b|[?？]\\s*$`, 'i');
/** A question that carries less than this says too little to be searched for by itself. */
const TERSE_WEIGHT = 1;
/** One that points back leans on what was said up to this weight. */
const POINTING_WEIGHT = 2.5;

const weightOf = (terms: readonly Term[]): number => terms.reduce((sum, { weight }) => sum + weight, 0);

/** Whether the question leans on the one before. */
export const isFollowUp = (question: string): boolean => {
  if (STARTS_FROM_BEFORE.test(question) || /呢[？?。\s]*$/.test(question)) return true;
  const weight = weightOf(questionTermsOf(question));
  return weight <= TERSE_WEIGHT || (POINTS_BACK.test(question) && weight <= POINTING_WEIGHT);
};

/** A question that asks twice (`how much is it and when does it open?`), in its parts; any other, whole. */
export const partsOf = (question: string): readonly string[] => {
  const parts = question.split(PART).filter((part) => ASKS.test(part) && questionTermsOf(part).length > 0);
  return parts.length > 1 ? parts : [question];
};

/** The questions that `question` leans on, newest first: back to the latest that stands on its own. */
export const contextOf = (question: string, earlier: readonly string[]): readonly string[] => {
  if (!isFollowUp(question)) return [];
  const standalone = earlier.findIndex((other) => !isFollowUp(other));
  return standalone < 0 ? earlier : earlier.slice(0, standalone + 1);
};

/** `context` is what `contextOf` gave. A name in the question takes the place of the names before it. */
export const wantedOf = (question: string, context: readonly string[]): Wanted => {
  const own = questionTermsOf(question);
  const hasName = own.some((term) => term.essential);
  const carried = new Map<string, Term>();
  for (const term of context.flatMap((other) => questionTermsOf(other))) {
    if (own.some((other) => other.value === term.value) || (hasName && term.essential)) continue;
    carried.set(term.value, { ...term, essential: false });
  }
  const kinds = [question, ...context].map(answerKindOf);
  return {
    own,
    carried: [...carried.values()],
    kind: kinds.find((kind) => kind !== 'any') ?? 'any',
    asking: new Set(questionTermsOf(askingClauseOf(question)).map(({ value }) => value)),
    asksOfPast: PAST.test(question),
  };
};
