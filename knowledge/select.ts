/** One ranking of passages into what is shown. */

import type { Passage } from '../agent/conversation.ts';
import { indexColumns, queryTerms } from '../agent/words.ts';
import { wholeIdOf } from './parts.ts';

/** The share of the query's words that stand in the passage's title and headings, 0 to 1. */
export const titleMatch = (query: string, passage: Pick<Passage, 'title' | 'headingPath'>): number => {
  const { words, bigrams } = queryTerms(query);
  const asked = [...words, ...bigrams];
  const title = queryTerms([passage.title, ...passage.headingPath].join(' '));
  const held = new Set([...title.words, ...title.bigrams]);
  return asked.length === 0 ? 0 : asked.filter((token) => held.has(token)).length / asked.length;
};

const DUPLICATE_SHARE = 0.95;
/** Texts that differ in one of these say different things, however alike they are. */
const DECISIVE = /\d+(?:[.,]\d+)*|\b(?:no|not|never|without|except|unless)\b|[不没無无非未]/giu;

const tokensOf = (text: string): ReadonlySet<string> => {
  const { words, bigrams } = indexColumns(text.toLowerCase());
  return new Set([...(words.match(/[\p{L}\p{N}]+/gu) ?? []), ...bigrams.split(' ')]);
};

const isNearDuplicate = (a: string, b: string): boolean => {
  if (a === b) return true;
  if ((a.match(DECISIVE) ?? []).join() !== (b.match(DECISIVE) ?? []).join()) return false;
  const [first, second] = [tokensOf(a), tokensOf(b)];
  const common = [...first].filter((token) => second.has(token)).length;
  return common / (first.size + second.size - common) >= DUPLICATE_SHARE;
};

const MAX_PER_DOCUMENT = 3;

/** The best `limit` passages without repeats; a fourth passage of one document waits until other documents had their turn. */
export const selectPassages = (ranked: readonly Passage[], limit: number): readonly Passage[] => {
  const chosen: Passage[] = [];
  const waiting: Passage[] = [];
  const perDocument = new Map<string, number>();
  for (const passage of ranked) {
    if (chosen.length >= limit) break;
    if (chosen.some((other) => isNearDuplicate(other.text, passage.text))) continue;
    const taken = perDocument.get(wholeIdOf(passage.documentId)) ?? 0;
    perDocument.set(wholeIdOf(passage.documentId), taken + 1);
    (taken < MAX_PER_DOCUMENT ? chosen : waiting).push(passage);
  }
  return [...chosen, ...waiting.slice(0, Math.max(0, limit - chosen.length))].sort((a, b) => b.score - a.score);
};
