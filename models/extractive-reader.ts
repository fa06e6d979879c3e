/** Remembers what texts hold: the same passages come back with every other question, and reading them is most of the work. */
import { type Reading, readingOf } from './extractive-lexicon.ts';

export type ReadText = (text: string) => Reading;

/** Of one or two kilobytes each. */
const MAX_KEPT = 4_000;

/** The text that was not asked for longest goes first. */
export const createReader = (): ReadText => {
  const kept = new Map<string, Reading>();
  return (text) => {
    const reading = kept.get(text) ?? readingOf(text);
    kept.delete(text);
    kept.set(text, reading);
    const [oldest] = kept.size > MAX_KEPT ? kept.keys() : [];
    if (oldest !== undefined) kept.delete(oldest);
    return reading;
  };
};
