/** Whether a text is about a topic: it holds every word of it, by its stem. */
import { stemmer } from 'stemmer';
import { indexColumns, queryTerms } from '../agent/words.ts';

const TOKEN = /[\p{L}\p{N}]+/gu;

const stemsOf = (text: string): readonly string[] => (text.toLowerCase().match(TOKEN) ?? []).map((word) => stemmer(word));

export const isAbout = (topic: string, text: string): boolean => {
  const asked = queryTerms(topic);
  const held = indexColumns(text);
  const stems = new Set(stemsOf(held.words));
  const pairs = new Set(held.bigrams.split(' '));
  const wanted = asked.words.flatMap(stemsOf);
  return (
    wanted.length + asked.bigrams.length > 0 &&
    wanted.every((stem) => stems.has(stem)) &&
    asked.bigrams.every((pair) => pairs.has(pair))
  );
};
