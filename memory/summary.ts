/**
 * The rolling summary of what left the window: extended by whole turns, all or nothing, and bounded. Every sentence names the turns it
 * was made from, so that it can be shown to those alone who may read them, and goes when they are forgotten.
 */
import type { Turn } from '../agent/conversation.ts';
import type { RollingSummary, SummarySentence } from '../agent/ports/memory.ts';
import type { CountTokens } from '../agent/ports/window.ts';
import type { AskSide } from '../agent/side-model.ts';
import { condense, weightOf } from './summary-extract.ts';
import { chunkTurns, writeSummary } from './summary-model.ts';
import { turnTokens, windowStart } from './window.ts';

/**
 * Extends `previous` by the turns that left the window since, oldest first. Rejects, with nothing changed, when the model fails or
 * writes what cannot be used. The same turns again give what is there already.
 */
export type ExtendSummary = (
  previous: RollingSummary | undefined,
  left: readonly Turn[],
  signal: AbortSignal,
) => Promise<RollingSummary | undefined>;

export interface SummariserOptions {
  readonly countTokens: CountTokens;
  /** Takes secrets out of a text before it is kept. */
  readonly scrub: (text: string) => string;
  /** Asks a language model. Absent: the summary is made of sentences of the turns. */
  readonly ask?: AskSide;
  /** Tokens of the whole summary at most. Default 700. */
  readonly maxTokens?: number;
}

const MAX_TOKENS = 700;

/** The turns that have to leave a window whose turns may cost `room` tokens; those that stay are fewer than fit, so that they stay a while. */
export const turnsToLeave = (turns: readonly Turn[], room: number, countTokens: CountTokens): readonly Turn[] =>
  turns.slice(
    0,
    windowStart(
      turns.map((turn) => turnTokens(turn, countTokens)),
      room,
    ),
  );

/** The labels under which a turn was answered and those of what it quoted. */
const labelsOf = ({ labels, answer }: Turn): readonly string[] => [
  ...new Set([...(labels ?? []), ...answer.citations.flatMap(({ label }) => (label === undefined ? [] : [label]))]),
];

/** Within the bound: the least telling sentences go first, of equal ones the oldest. */
const bounded = (
  sentences: readonly SummarySentence[],
  maxTokens: number,
  countTokens: CountTokens,
): readonly SummarySentence[] => {
  const costs = new Map(sentences.map((sentence) => [sentence, countTokens(sentence.text) + 1]));
  let used = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  const dropped = new Set<SummarySentence>();
  const order = sentences.map((sentence, at) => ({
    sentence,
    at,
    weight: weightOf(sentence.text) + (4 * at) / sentences.length,
  }));
  for (const { sentence } of order.sort((a, b) => a.weight - b.weight || a.at - b.at)) {
    if (used <= maxTokens) break;
    dropped.add(sentence);
    used -= costs.get(sentence) ?? 0;
  }
  return sentences.filter((sentence) => !dropped.has(sentence));
};

export const createSummariser = (options: SummariserOptions): ExtendSummary => {
  const { countTokens, scrub, ask, maxTokens = MAX_TOKENS } = options;

  const withOrigin = (text: string, turns: readonly Turn[]): SummarySentence => ({
    text: scrub(text),
    turnIds: turns.map(({ turnId }) => turnId),
    labels: [...new Set(turns.flatMap(labelsOf))],
  });

  const sentencesOf = async (turns: readonly Turn[], signal: AbortSignal): Promise<readonly SummarySentence[]> => {
    if (ask === undefined) return turns.flatMap((turn) => condense(turn).map((text) => withOrigin(text, [turn])));
    const written: SummarySentence[] = [];
    for (const chunk of chunkTurns(turns, countTokens)) {
      for (const { text, turns: from } of await writeSummary(ask, chunk, signal)) written.push(withOrigin(text, from));
    }
    return written;
  };

  return async (previous, left, signal) => {
    const known = new Set(previous?.sentences.flatMap(({ turnIds }) => turnIds));
    const fresh = left.filter(({ turnId }) => !known.has(turnId) && turnId !== previous?.throughTurnId);
    const last = fresh.at(-1);
    if (last === undefined) return previous;
    const all = [...(previous?.sentences ?? []), ...(await sentencesOf(fresh, signal))];
    return { sentences: bounded(all, maxTokens, countTokens), throughTurnId: last.turnId };
  };
};
