/**
 * Words and what they mean: Latin words by their stem, Chinese words as they are, each with the meanings (lines of synonyms)
 * that it names. A text becomes a reading: what it holds.
 */
import { stemmer } from 'stemmer';
import { SYNONYM_LINES } from './synonyms.ts';

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー';
export const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu');
export const LATIN_TOKEN = new RegExp(`(?:(?![${CJK}])[\\p{L}\\p{N}])+(?:[.\\-'’&](?:(?![${CJK}])[\\p{L}\\p{N}])+)*`, 'gu');

const IRREGULAR = new Map(
  (
    'bought:buy brought:bring paid:pay kept:keep taken:take took:take sent:send left:leave lost:lose held:hold sold:sell told:tell stolen:steal ' +
    'broken:break broke:break worn:wear eaten:eat driven:drive flown:fly written:write chosen:choose given:give gave:give spent:spend lent:lend built:build ' +
    'children:child men:man women:woman people:person feet:foot mice:mouse ran:run begun:begin began:begin swum:swim drunk:drink forgot:forget forgotten:forget ' +
    'biggest:big largest:large longest:long cheapest:cheap highest:high lowest:low earliest:early latest:late fastest:fast added:add heaviest:heavy got:get gotten:get met:meet shut:shut went:go gone:go said:say slept:sleep caught:catch taught:teach found:find made:make dying:die died:die married:marry'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

export const foldText = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('’', "'");

export const stemOf = (word: string): string => {
  const bare = word.replace(/'s$|'$/, '');
  return /\d/.test(bare) ? bare : stemmer(IRREGULAR.get(bare) ?? bare);
};

const stemsOf = (folded: string): readonly string[] =>
  (folded.match(LATIN_TOKEN) ?? [])
    .flatMap((token) => (/[-&]/.test(token) && !/\d/.test(token) ? token.split(/[-&]/) : [token]))
    .map((word) => stemOf(word));

interface Phrase {
  readonly stems: readonly string[];
  readonly meanings: readonly number[];
}

/** Meanings are known by the number of their line; all is made once from constants. */
const LINES = SYNONYM_LINES.trim()
  .split('\n')
  .map((line) => line.split(', '));
const MEANINGS_OF_STEM = new Map<string, number[]>();
const MEANINGS_OF_CJK = new Map<string, number[]>();
const MEANINGS_OF_PHRASE = new Map<string, number[]>();
LINES.forEach((line, meaning) => {
  for (const entry of line) {
    const folded = foldText(entry);
    const stems = stemsOf(folded);
    const [known, key] = /\p{Script=Han}/u.test(folded)
      ? [MEANINGS_OF_CJK, folded]
      : [stems.length === 1 ? MEANINGS_OF_STEM : MEANINGS_OF_PHRASE, stems.join(' ')];
    known.set(key, [...(known.get(key) ?? []), meaning]);
  }
});
/** By their first stem, the longest first. */
const PHRASES = new Map<string, Phrase[]>();
for (const [key, meanings] of [...MEANINGS_OF_PHRASE].sort(([a], [b]) => b.split(' ').length - a.split(' ').length)) {
  const stems = key.split(' ');
  const first = stems[0] as string;
  PHRASES.set(first, [...(PHRASES.get(first) ?? []), { stems, meanings }]);
}
const LONGEST_CJK = Math.max(...[...MEANINGS_OF_CJK.keys()].map((word) => word.length));
const linesWith = (...words: readonly string[]): ReadonlySet<number> =>
  new Set(LINES.flatMap((line, meaning) => (words.some((word) => line.includes(word)) ? [meaning] : [])));
const PRICES = linesWith('price');
const HOURS = linesWith('opening hours', 'closed', 'closing time');
const CALLS = linesWith('telephone', 'ring');

export const meaningsOfStem = (stem: string): readonly number[] => MEANINGS_OF_STEM.get(stem) ?? [];
export const meaningsOfCjk = (word: string): readonly number[] => MEANINGS_OF_CJK.get(word) ?? [];
export const knownStems = (): Iterable<string> => MEANINGS_OF_STEM.keys();
export const membersOf = (meaning: number): readonly string[] => LINES[meaning] ?? [];

const PARTICLES = new Set(['back', 'out', 'off', 'up', 'awai', 'down']);
const MAX_GAP = 3;

/** A phrase with the places of its words. */
export interface PlacedPhrase {
  readonly phrase: Phrase;
  readonly at: readonly number[];
}

/** The phrases that begin there, the longest first; a verb and its particle may stand apart, as in `bring it back`. */
export const phrasesAt = (stems: readonly string[], at: number): readonly PlacedPhrase[] =>
  (PHRASES.get(stems[at] ?? '') ?? []).flatMap((phrase) => {
    if (phrase.stems.every((stem, offset) => stems[at + offset] === stem))
      return [{ phrase, at: phrase.stems.map((_, offset) => at + offset) }];
    const particle = phrase.stems[1] ?? '';
    if (phrase.stems.length !== 2 || !PARTICLES.has(particle)) return [];
    const found = stems.slice(at + 2, at + 2 + MAX_GAP).indexOf(particle);
    return found < 0 ? [] : [{ phrase, at: [at, at + 2 + found] }];
  });

/** The known Chinese words that occur, wherever they begin, each once, the longest first. */
export const cjkWordsIn = (folded: string): readonly string[] => {
  const found = new Set<string>();
  for (const { 0: run, index } of folded.matchAll(CJK_RUN)) {
    // A word may go on in Latin letters, as one that ends in a unit does.
    for (let at = index; at < index + run.length; at += 1)
      for (let length = 1; length <= LONGEST_CJK && at + length <= folded.length; length += 1) {
        const word = folded.slice(at, at + length);
        if (MEANINGS_OF_CJK.has(word)) found.add(word);
      }
  }
  return [...found].sort((a, b) => b.length - a.length);
};

/** A price is also told by a sum of money, opening hours by a time of day. */
export const shownByOf = (meanings: readonly number[]): 'money' | 'hours' | 'phone' | undefined => {
  if (meanings.some((meaning) => CALLS.has(meaning))) return 'phone';
  return meanings.some((meaning) => PRICES.has(meaning))
    ? 'money'
    : meanings.some((meaning) => HOURS.has(meaning))
      ? 'hours'
      : undefined;
};

export interface Reading {
  readonly folded: string;
  readonly stems: ReadonlySet<string>;
  readonly meanings: ReadonlySet<number>;
}

/** What a text holds. */
export const readingOf = (text: string): Reading => {
  const folded = foldText(text);
  const stems = stemsOf(folded);
  const meanings = new Set<number>();
  const note = (some: readonly number[]): void => some.forEach((meaning) => void meanings.add(meaning));
  stems.forEach((stem, at) => {
    note(meaningsOfStem(stem));
    for (const { phrase } of phrasesAt(stems, at)) note(phrase.meanings);
  });
  for (const word of cjkWordsIn(folded)) note(meaningsOfCjk(word));
  const joined = (folded.match(LATIN_TOKEN) ?? []).flatMap((token) =>
    /[-.&]/.test(token) ? [token, token.replace(/[-.&]/g, ''), ...token.split(/[-.&]/)] : [],
  );
  return { folded, stems: new Set([...stems, ...joined.map(stemOf)]), meanings };
};
