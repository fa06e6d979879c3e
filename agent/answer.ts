/** The answers a run can end with; each has a text, a stop reason and the evidence that stands behind it. */
import { citeText, linksIn, quoteFor, withoutMarkers } from './citations.ts';
import type { Answer, Evidence, StopReason } from './conversation.ts';
import type { ModelTurn } from './ports/model-provider.ts';
import { type Language, textsFor } from './texts.ts';
import { unpairedRemoved } from './unicode.ts';
import { stripUnknown } from './unknown.ts';

/** How many passages an unfinished answer quotes. */
const MAX_FOUND = 3;

export interface AnswerContext {
  readonly question: string;
  readonly language: Language;
  readonly evidence: readonly Evidence[];
  readonly fallback: boolean;
}

const build = (context: AnswerContext, text: string, parts: { answered: boolean; stopReason: StopReason }): Answer => {
  const cited = citeText(text, context.evidence);
  const links = linksIn([context.question, ...context.evidence.flatMap((item) => [item.text, item.source])]);
  return {
    text: cited.text,
    citations: cited.citations,
    ...parts,
    allowedLinks: links,
    fallback: context.fallback,
  };
};

/** The model's own answer; `cut` when it ran into its length limit twice. */
export const modelAnswer = (context: AnswerContext, turn: ModelTurn, cut: boolean): Answer => {
  const texts = textsFor(context.language);
  const { text, unknown } = stripUnknown(unpairedRemoved(turn.text));
  const answered = turn.answered ?? !unknown;
  const body = text.trim() === '' ? `${texts.notKnown('')} ${texts.whatWouldHelp}` : text;
  return build(context, cut ? `${body}\n\n${texts.answerCut}` : body, {
    answered: answered && text.trim() !== '',
    stopReason: answered && text.trim() !== '' ? 'answered' : 'not_known',
  });
};

export const refusedAnswer = (context: AnswerContext, turn: ModelTurn): Answer => {
  const reason = turn.finishReason === 'refusal' ? unpairedRemoved(turn.text).trim() : '';
  return build(context, textsFor(context.language).modelRefused(reason), { answered: false, stopReason: 'model_refused' });
};

/** A fixed text, and below it what the run had found when it ended. */
export const unfinishedAnswer = (context: AnswerContext, text: string, stopReason: StopReason): Answer => {
  const found = context.evidence
    .slice(0, MAX_FOUND)
    .map((item) => `- ${withoutMarkers(quoteFor([context.question], item.text)).replace(/\s+/gu, ' ')} [${item.n}]`);
  const body = found.length === 0 ? text : [text, '', textsFor(context.language).foundSoFar, ...found].join('\n');
  return build(context, body, { answered: false, stopReason });
};

/** A fixed text alone. */
export const plainAnswer = (context: AnswerContext, text: string, stopReason: StopReason): Answer => ({
  text,
  citations: [],
  answered: false,
  stopReason,
  allowedLinks: linksIn([context.question]),
  fallback: context.fallback,
});

const BUILT_ON: ReadonlySet<StopReason> = new Set([
  'answered',
  'not_known',
  'step_limit',
  'time_limit',
  'budget_limit',
  'model_refused',
]);

const WITH_FILES: ReadonlySet<StopReason> = new Set(['answered', 'step_limit', 'time_limit', 'budget_limit']);

/** Whether it shows what was found, files included. */
export const carriesFiles = ({ stopReason }: Answer): boolean => WITH_FILES.has(stopReason);

/** Whether later questions may build on it. */
export const isBuiltOn = ({ stopReason }: Answer): boolean => BUILT_ON.has(stopReason);
