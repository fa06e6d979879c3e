/** What long-term memory adds to a window: pins and summary as parts of the system prompt, the rest as the result of a look-up. */
import type { ChatMessage } from '../agent/messages.ts';
import type { Pin, RecalledMemory, RollingSummary } from '../agent/ports/memory.ts';
import { PINS_HEAD, RECALL_TOOL, SUMMARY_HEAD } from '../agent/recalled.ts';
import { unpairedRemoved } from '../agent/unicode.ts';

type CostOf = (text: string) => number;

/** One line each, whatever was typed. */
const lineOf = (text: string): string => `- ${unpairedRemoved(text).replaceAll(/\s+/gu, ' ').trim()}`;

/** As many lines as the budget holds, from the first; empty when there is none. */
const section = (head: string, lines: readonly string[], budgetTokens: number, costOf: CostOf): string => {
  if (lines.length === 0) return '';
  const kept: string[] = [];
  let left = budgetTokens - costOf(head);
  for (const line of lines) {
    left -= costOf(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return kept.length === 0 ? '' : [head, ...kept].join('\n');
};

export const pinsSection = (pins: readonly Pin[], budgetTokens: number, costOf: CostOf): string =>
  section(
    PINS_HEAD,
    pins.map(({ text }) => lineOf(text)),
    budgetTokens,
    costOf,
  );

/** The newest sentences, where not all fit. */
export const summarySection = (summary: RollingSummary | undefined, budgetTokens: number, costOf: CostOf): string => {
  const newestFirst = (summary?.sentences ?? []).map(({ text }) => lineOf(text)).reverse();
  const kept = section(SUMMARY_HEAD, newestFirst, budgetTokens, costOf);
  const [head = '', ...lines] = kept.split('\n');
  return kept === '' ? '' : [head, ...lines.reverse()].join('\n');
};

/** A call and its result behind the question: best first, as many as the budget holds; none when nothing was recalled. */
export const recalledMessages = (
  { observations, entities }: RecalledMemory,
  question: string,
  budgetTokens: number,
  costOf: CostOf,
): readonly ChatMessage[] => {
  if (observations.length === 0) return [];
  const query = unpairedRemoved(question).slice(0, 200);
  const args = JSON.stringify({ query: query.isWellFormed() ? query : query.slice(0, -1) });
  let left = budgetTokens - costOf(args) - 40;
  const notes: object[] = [];
  for (const { kind, text, speaker, role, observedAt, source } of observations) {
    const note = {
      date: new Date(observedAt).toISOString().slice(0, 10),
      said_by: role === 'user' ? unpairedRemoved(speaker) : role,
      where: source,
      kind,
      text: unpairedRemoved(text),
    };
    left -= costOf(JSON.stringify(note));
    if (left < 0) break;
    notes.push(note);
  }
  if (notes.length === 0) return [];
  const about = entities.map(({ kind, name }) => `${kind}: ${unpairedRemoved(name)}`);
  const result = {
    remembered: notes,
    ...(about.length > 0 && costOf(about.join(' ')) <= left ? { conversation_about: about } : {}),
  };
  return [
    { role: 'assistant', content: '', toolCalls: [{ id: 'recall_1', name: RECALL_TOOL, arguments: args }] },
    { role: 'tool', callId: 'recall_1', name: RECALL_TOOL, content: JSON.stringify(result) },
  ];
};
