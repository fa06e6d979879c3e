/** A turn in a few of its own sentences: how it began, what was decided, and what has numbers or names. No model is needed. */
import { withoutMarkers } from '../agent/citations.ts';
import type { Turn } from '../agent/conversation.ts';
import { sentencesOf } from '../agent/sentences.ts';
import { graphemeBoundary, unpairedRemoved } from '../agent/unicode.ts';

const SENTENCES_OF_QUESTION = 2;
const SENTENCES_OF_ANSWER = 2;
const MAX_SENTENCE_CHARS = 240;
/** Longer texts are read so far only. */
const MAX_READ_CHARS = 20_000;

const DECIDED =
  /\b(?:decided|agreed|will|going to|must|never|always|instead|deadline|due|prefer|approved|cancel\w*|switch\w*)\b|决定|同意|必须|改为|改成|截止|以后|不再|取消|批准|会在|beschlossen|entschieden|vereinbart|müssen|werden wir|immer|nie\b/iu;
const NUMBER = /\p{N}/u;
/** A capital inside a sentence, or a name with digits. */
const NAME = /(?<=[\p{Ll}\p{P}] )\p{Lu}[\p{L}\p{N}-]+|\b\p{L}+-?\d+\b|《[^》]+》/u;

/** How much a sentence tells, 0 to 6: decisions before numbers before names. */
export const weightOf = (sentence: string): number =>
  (DECIDED.test(sentence) ? 3 : 0) + (NUMBER.test(sentence) ? 2 : 0) + (NAME.test(sentence) ? 1 : 0);

const cut = (sentence: string): string => {
  const line = sentence.replaceAll(/\s+/gu, ' ').trim();
  return line.length <= MAX_SENTENCE_CHARS ? line : `${line.slice(0, graphemeBoundary(line, MAX_SENTENCE_CHARS))}…`;
};

/** The first sentence, and the most telling others, in their order. */
const pick = (text: string, count: number): readonly string[] => {
  const sentences = sentencesOf(unpairedRemoved(text.slice(0, MAX_READ_CHARS))).filter((sentence) =>
    /[\p{L}\p{N}]/u.test(sentence),
  );
  const others = sentences
    .slice(1)
    .map((sentence, at) => ({ sentence, at: at + 1, weight: weightOf(sentence) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
    .slice(0, count - 1)
    .sort((a, b) => a.at - b.at);
  return [...sentences.slice(0, 1), ...others.map(({ sentence }) => sentence)].map(cut);
};

/** Sentences of one turn with who said them; an answer that knew nothing adds none. */
export const condense = (turn: Turn): readonly string[] => {
  const speaker = turn.speaker.trim() === '' ? 'User' : cut(turn.speaker);
  const asked = pick(turn.question, SENTENCES_OF_QUESTION).map((sentence) => `${speaker}: ${sentence}`);
  const answered = turn.answer.answered ? pick(withoutMarkers(turn.answer.text), SENTENCES_OF_ANSWER) : [];
  return [...asked, ...answered.map((sentence) => `Assistant: ${sentence}`)];
};
