/**
 * What of a conversation the model sees: the system prompt, the latest whole turns that fit the budget, the question.
 * Turns are kept or left out whole, so no answer ever stands without its question.
 */
import type { Turn } from '../agent/conversation.ts';
import type { ChatMessage } from '../agent/messages.ts';
import type { CountTokens, FitWindow } from '../agent/ports/window.ts';
import { graphemeBoundary, unpairedRemoved } from '../agent/unicode.ts';

/** What a message costs beside its text. */
const MESSAGE_TOKENS = 4;

const userMessage = (content: string, speaker: string): ChatMessage =>
  speaker === '' ? { role: 'user', content } : { role: 'user', content, name: speaker };

/** Nothing of a turn that asked or answered nothing: providers refuse empty messages. */
const messagesOf = (turn: Turn): ChatMessage[] => {
  const question = unpairedRemoved(turn.question).trim();
  const answer = unpairedRemoved(turn.answer.text).trim();
  if (question === '' || answer === '') return [];
  return [userMessage(question, turn.speaker), { role: 'assistant', content: answer, toolCalls: [] }];
};

/** A text has at most as many tokens as bytes, since every byte is a token; so small texts need no counting. */
const bytesOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, { content }) => sum + Buffer.byteLength(content) + MESSAGE_TOKENS, 0);

const tokensOf = (messages: readonly ChatMessage[], countTokens: CountTokens): number =>
  messages.reduce((sum, { content }) => sum + countTokens(content) + MESSAGE_TOKENS, 0);

/** The longest beginning of the text that costs at most `budgetTokens`, cut between characters as a person sees them. */
const shrink = (text: string, budgetTokens: number, countTokens: CountTokens): string => {
  if (Buffer.byteLength(text) <= budgetTokens || countTokens(text) <= budgetTokens) return text;
  let fits = 0;
  let tooLong = text.length;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (countTokens(text.slice(0, middle)) <= budgetTokens) fits = middle;
    else tooLong = middle;
  }
  // Something of the question always survives.
  const end = graphemeBoundary(text, fits) || graphemeBoundary(text, Math.min(text.length, 64));
  return text.slice(0, end);
};

export const fitWindow: FitWindow = ({ system, history, question, speaker, budgetTokens, countTokens }) => {
  const head: ChatMessage = { role: 'system', content: system };
  const past = history.map(messagesOf);
  const all = [head, ...past.flat(), userMessage(question, speaker)];
  if (bytesOf(all) <= budgetTokens) return all;

  let left = budgetTokens - tokensOf([head], countTokens) - MESSAGE_TOKENS;
  const newest = userMessage(shrink(question, left, countTokens), speaker);
  left -= countTokens(newest.content);
  let first = past.length;
  while (first > 0) {
    const cost = tokensOf(past[first - 1] ?? [], countTokens);
    if (cost > left) break;
    left -= cost;
    first -= 1;
  }
  return [head, ...past.slice(first).flat(), newest];
};
