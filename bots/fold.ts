/**
 * What happens to a message that arrives while its conversation's run is under way, decided here and nowhere else: what adds to
 * the question or puts it right is folded into the run, as long as that has a step to read it in; everything else waits for its own
 * turn. (A word of stopping never comes so far.)
 */

import type { InboundMessage } from '../agent/conversation.ts';
import type { Channel } from '../agent/ports/channel.ts';
import type { FoldedMessage, WaitingTurn } from '../agent/ports/store.ts';
import type { ArrivedMessage } from '../agent/run.ts';
import { languageOf, textsFor } from '../agent/texts.ts';
import { hasQuestion } from './question.ts';
import { fixedAnswer, turnRecord, withoutRun } from './turn-record.ts';

/** Longer than that, it has a matter of its own. */
const MAX_ADDITION_UNITS = 300;

const POLITE = String.raw`^(?:(?:oh|ah|oops|hmm?|ok(?:ay)?|sorry|wait|please|actually|no)\b[\s,.!…-]*)*`;
const CORRECTION = new RegExp(
  String.raw`${POLITE}(?:i (?:mean|meant|forgot)\b|(?:correction|typo)\b|\*\S)|^(?:抱歉[，,]?|不好意思[，,]?)?(?:我是说|我的意思是|我指的是|更正|应该是|不是|说错)`,
  'iu',
);
const COMPLEMENT = new RegExp(
  String.raw`${POLITE}(?:also|and|plus|as well|but|only|just|or|not|instead|rather|for|in|from|since|until|with|without|including|except)\b|^(?:另外|还有|以及|加上|也|包括|除了|只|仅|不含|针对|对于)`,
  'iu',
);
const ASKS =
  /[?？]|\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|will|would|tell|show|explain|remember|forget|pin)\b|什么|怎么|怎样|如何|多少|多久|几|哪|谁|为何|吗|呢|记住|忘/iu;

/** “Also for Berlin”, “I meant 2025”: it makes sense with the question before it alone. */
export const isAddition = (text: string): boolean => {
  const said = text.trim();
  if (said.length > MAX_ADDITION_UNITS) return false;
  return CORRECTION.test(said) || (COMPLEMENT.test(said) && !ASKS.test(said));
};

/**
 * Another person's words are not folded in: what they may read and may spend is their own. Nor is a command, which is answered where
 * it was given, nor what is refused or holds no words: these have answers of their own.
 */
const isFoldable = (message: InboundMessage): boolean =>
  message.trigger !== 'command' && message.refusal === undefined && hasQuestion(message.text) && isAddition(message.text);

/** Of the conversation's waiting messages, in order, those that belong to the run of `asked`. */
export const pickFolded = (asked: InboundMessage, waiting: readonly WaitingTurn[]): readonly WaitingTurn[] => {
  const own = waiting.filter(({ message }) => message.scope.userId === asked.scope.userId);
  const other = own.findIndex(({ message }) => !isFoldable(message));
  // What comes after a question of its own adds to that one.
  return other < 0 ? own : own.slice(0, other);
};

export const asArrived = ({ message }: WaitingTurn) =>
  ({ speaker: message.author.displayName, text: message.text }) satisfies ArrivedMessage;

/** The message with what it is answered with: that the run takes it in. */
export const foldedMessage = (waiting: WaitingTurn, channel: Pick<Channel, 'render'>, now: number): FoldedMessage => {
  const { turnId, message } = waiting;
  const language = languageOf(message.text);
  const result = withoutRun(fixedAnswer(textsFor(language).foldedIn, 'folded_in'));
  return {
    arrived: asArrived(waiting),
    turn: turnRecord(turnId, message, { result, labels: [], answeredAt: now }),
    parts: channel.render(result.answer, turnId, language),
  };
};
