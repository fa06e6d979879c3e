/**
 * Which numbers stand in what a person wrote: in every way in which they can be read, and in no other. A number that the model gives
 * for a chart must be one of them.
 */
import { readNumerals } from '../agent/numerals.ts';

const MULTIPLES: readonly (readonly [RegExp, number])[] = [
  [/^(?:k|thousand|tausend|tsd|千)(?![\p{Script=Latin}])/iu, 1e3],
  [/^(?:m|mm|mn|mio|million|millions|millionen|百万)(?![\p{Script=Latin}])/iu, 1e6],
  [/^(?:b|bn|billion|billions|mrd|milliarden?|十亿)(?![\p{Script=Latin}])/iu, 1e9],
  [/^万/u, 1e4],
  [/^亿/u, 1e8],
];

/** Digits with points, commas, apostrophes and spaces of grouping among them. */
const RUN = /\d(?:[\d.,'’]|[ \u00a0\u202f](?=\d{3}(?!\d)))*/gu;
const POWER = /\d+(?:\.\d+)?e[+-]?\d{1,3}/giu;
const GROUPED = /^\d{1,3}(?:([.,'’ \u00a0\u202f])\d{3})(?:\1\d{3})*$/u;
const MINUS = /(?:[-−–]|\b(?:minus|negative)|负)\s*[$€£¥]?\s*$/iu;
const BRACKET = /\([$€£¥]?\s*$/u;

/** `1,200` is one thousand two hundred, or one and a fifth, or the two numbers 1 and 200. */
const readingsOf = (run: string): readonly number[] => {
  const readings = new Set<number>();
  const add = (text: string): void => {
    if (/^\d+(?:\.\d+)?$/u.test(text)) readings.add(Number(text));
  };
  const whole = run.replace(/[.,'’]+$/u, '');
  add(whole);
  add(whole.replace(',', '.'));
  for (const decimal of ['.', ',']) {
    const at = whole.lastIndexOf(decimal);
    const integer = at < 0 ? whole : whole.slice(0, at);
    const groups = integer.replace(/[.,'’ \u00a0\u202f]/gu, '');
    if (GROUPED.test(integer) && !(at >= 0 && integer.includes(decimal)))
      add(at < 0 ? groups : `${groups}.${whole.slice(at + 1)}`);
  }
  // 12,34,567 groups as in India.
  if (/^\d{1,2}(?:,\d{2})*,\d{3}(?:\.\d+)?$/u.test(whole)) add(whole.replaceAll(',', ''));
  for (const part of whole.split(/[,'’ \u00a0\u202f]/u)) add(part);
  return [...readings];
};

const addRuns = (text: string, found: Set<number>): void => {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const before = text.slice(Math.max(0, index - 12), index);
    const after = text.slice(index + run.length, index + run.length + 14).trimStart();
    const scale = MULTIPLES.find(([word]) => word.test(after))?.[1];
    const isNegative = MINUS.test(before) || (BRACKET.test(before) && after.startsWith(')'));
    for (const value of readingsOf(run)) {
      for (const reading of scale === undefined ? [value] : [value, Number((value * scale).toPrecision(15))]) {
        found.add(reading);
        if (isNegative) found.add(-reading);
      }
    }
  }
  for (const [power] of text.matchAll(POWER)) found.add(Number(power));
};

/** Words count as well: twelve, 三百. */
export const numbersSaid = (texts: readonly string[]): ReadonlySet<number> => {
  const found = new Set<number>();
  for (const text of texts) {
    const plain = text.normalize('NFKC');
    addRuns(plain, found);
    addRuns(readNumerals(plain), found);
  }
  return found;
};

/** The first number of a text that is not among those said. */
export const unsaidIn = (text: string, said: ReadonlySet<number>): string | undefined => {
  for (const [run] of text.normalize('NFKC').matchAll(RUN)) if (!readingsOf(run).some((value) => said.has(value))) return run;
  return undefined;
};
