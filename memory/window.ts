/**
 * What of a conversation the model sees, in the order in which it is paid for: the system prompt with pins and summary, the
 * question, what was recalled for it, and the latest whole turns that fit. Turns are kept or left out whole, so no answer ever
 * stands without its question.
 */
import type { Turn } from '../agent/conversation.ts';
import type { ChatMessage } from '../agent/messages.ts';
import { NOTHING_RECALLED, type RecalledMemory } from '../agent/ports/memory.ts';
import type { CountTokens, FitWindow } from '../agent/ports/window.ts';
import { graphemeBoundary, unpairedRemoved } from '../agent/unicode.ts';
import { pinsSection, recalledMessages, summarySection } from './window-memory.ts';

/** What a message costs beside its text. */
const MESSAGE_TOKENS = 4;

/** Shares of the budget: what memory adds leaves at least half of it to the question and the turns. */
const PINS_SHARE = 0.15;
const SUMMARY_SHARE = 0.15;
const RECALLED_SHARE = 0.2;

/** Turns go in blocks, down to this share of the room: between two blocks the beginning of the window keeps its bytes. */
const KEPT_SHARE = 0.4;

const userMessage = (content: string, speaker: string): ChatMessage =>
  speaker === '' ? { role: 'user', content } : { role: 'user', content, name: speaker };

/** Nothing of a turn that asked or answered nothing: providers refuse empty messages. */
const messagesOf = (turn: Turn): ChatMessage[] => {
  const question = unpairedRemoved(turn.question).trim();
  const answer = unpairedRemoved(turn.answer.text).trim();
  if (question === '' || answer === '') return [];
  return [userMessage(question, turn.speaker), { role: 'assistant', content: answer, toolCalls: [] }];
};

const sizeOf = (message: ChatMessage): string =>
  message.role === 'assistant' ? message.content + message.toolCalls.map((call) => call.arguments).join('') : message.content;

/** A text has at most as many tokens as bytes, since every byte is a token; so small texts need no counting. */
const bytesOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + Buffer.byteLength(sizeOf(message)) + MESSAGE_TOKENS, 0);

const tokensOf = (messages: readonly ChatMessage[], countTokens: CountTokens): number =>
  messages.reduce((sum, message) => sum + countTokens(sizeOf(message)) + MESSAGE_TOKENS, 0);

/** Tokens that a turn costs in a window. */
export const turnTokens = (turn: Turn, countTokens: CountTokens): number => tokensOf(messagesOf(turn), countTokens);

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

/**
 * The first turn that stays, when turns of these costs came one after another into a room of `room`: whenever it overflows, the
 * oldest go until at most `KEPT_SHARE` of it is used, or the newest stands alone. The same for a longer conversation with the same
 * beginning, so that a window starts at one turn for many questions.
 */
export const windowStart = (costs: readonly number[], room: number): number => {
  let start = 0;
  let used = 0;
  for (const [index, cost] of costs.entries()) {
    used += cost;
    if (used <= room) continue;
    while (start < index && used > room * KEPT_SHARE) used -= costs[start++] as number;
    if (used > room) {
      used = 0;
      start = index + 1;
    }
  }
  return start;
};

/** Those after the summary's last turn; all where it is not among them. */
const unsummarised = (history: readonly Turn[], { summary }: RecalledMemory): readonly Turn[] =>
  summary === undefined ? history : history.slice(history.findLastIndex(({ turnId }) => turnId === summary.throughTurnId) + 1);

export const fitWindow: FitWindow = ({ system, history, question, speaker, budgetTokens, memory, countTokens }) => {
  const known = memory ?? NOTHING_RECALLED;
  const cost = (text: string): number => (text === '' ? 0 : countTokens(text));
  const pins = pinsSection(known.pins, budgetTokens * PINS_SHARE, cost);
  const summary = summarySection(known.summary, budgetTokens * SUMMARY_SHARE, cost);
  const recalled = recalledMessages(known, question, budgetTokens * RECALLED_SHARE, cost);
  const head: ChatMessage = { role: 'system', content: [system, pins, summary].filter((part) => part !== '').join('\n\n') };

  const past = unsummarised(history, known).map(messagesOf);
  const all = [head, ...past.flat(), userMessage(question, speaker), ...recalled];
  if (bytesOf(all) <= budgetTokens) return all;

  let left = budgetTokens - tokensOf([head, ...recalled], countTokens) - MESSAGE_TOKENS;
  const newest = userMessage(shrink(question, left, countTokens), speaker);
  const costs = past.map((messages) => tokensOf(messages, countTokens));
  // What the question and the recalled leave changes from turn to turn; the room in which turns are counted off does not.
  const room = budgetTokens * (1 - RECALLED_SHARE) - tokensOf([head], countTokens) - MESSAGE_TOKENS;
  let first = windowStart(costs, Math.max(0, room - costOfTypicalQuestion(room)));
  left -= countTokens(newest.content);
  for (let used = costs.slice(first).reduce((sum, each) => sum + each, 0); used > left && first < costs.length; first += 1) {
    used -= costs[first] as number;
  }
  return [head, ...past.slice(first).flat(), newest, ...recalled];
};

/** Room kept for a question, so that one of common length moves no turn out. */
const costOfTypicalQuestion = (room: number): number => Math.min(200, room * 0.1);
