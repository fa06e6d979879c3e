/**
 * Words and what they mean: Latin words by their stem, Chinese words as they are, each with the meanings (lines of synonyms)
 * that it names and the kinds that it is an instance of or a general word for. A text becomes a reading: what it holds.
 */
import { stemmer } from 'stemmer';
import { SYNONYM_LINES } from './synonyms.ts';
import { ENGLISH_KINDS, ENGLISH_MEANINGS } from './thesaurus-en.ts';
import { CHINESE_KINDS, CHINESE_MEANINGS } from './thesaurus-zh.ts';

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

/** Meanings and kinds are known by the number of their line. */
export interface Sense {
  readonly meanings: readonly number[];
  /** Kinds that it is an instance of. */
  readonly instanceOf: readonly number[];
  /** Kinds that it is a general word for. */
  readonly generalFor: readonly number[];
}

interface Phrase extends Sense {
  readonly stems: readonly string[];
}

interface Lexicon {
  readonly meanings: readonly (readonly string[])[];
  readonly kinds: readonly { readonly instances: readonly string[]; readonly general: readonly string[] }[];
  readonly byStem: ReadonlyMap<string, Sense>;
  /** By their first stem, the longest first. */
  readonly phrases: ReadonlyMap<string, readonly Phrase[]>;
  readonly cjk: ReadonlyMap<string, Sense>;
  readonly longestCjk: number;
  /** Meanings that speak of a price, and of opening hours. */
  readonly prices: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly calls: ReadonlySet<number>;
}

const NONE: Sense = { meanings: [], instanceOf: [], generalFor: [] };

const buildLexicon = (): Lexicon => {
  const linesOf = (text: string): readonly string[] => text.trim().split('\n');
  const meanings = [SYNONYM_LINES, ENGLISH_MEANINGS, CHINESE_MEANINGS].flatMap(linesOf).map((line) => line.split(', '));
  const kinds = [ENGLISH_KINDS, CHINESE_KINDS].flatMap(linesOf).map((line) => {
    const [instances = [], general = []] = line.split(' < ').map((side) => side.split(', '));
    return { instances, general };
  });
  const known = new Map<string, string>();
  const stem = (word: string): string => {
    const stemmed = known.get(word);
    if (stemmed !== undefined) return stemmed;
    const fresh = stemOf(word);
    known.set(word, fresh);
    return fresh;
  };
  type Growing = { -readonly [Part in keyof Sense]: number[] };
  // One list for all that is empty: thousands of entries have one line each.
  const empty: number[] = [];
  const byStem = new Map<string, Growing>();
  const byPhrase = new Map<string, Growing>();
  const cjk = new Map<string, Growing>();
  const note = (senses: Map<string, Growing>, key: string, part: keyof Sense, line: number): void => {
    const sense = senses.get(key);
    if (sense === undefined) senses.set(key, { meanings: empty, instanceOf: empty, generalFor: empty, [part]: [line] });
    else if (sense[part] === empty) sense[part] = [line];
    else sense[part].push(line);
  };
  const add = (entry: string, part: keyof Sense, line: number): void => {
    const folded = entry.toLowerCase();
    if (folded.charCodeAt(0) >= 0x2e80 || /[\u3400-\u9fff]/.test(folded)) return note(cjk, folded, part, line);
    if (!/[\s&-]/.test(folded)) return note(byStem, stem(folded), part, line);
    note(
      byPhrase,
      folded
        .split(/[\s&-]+/)
        .map(stem)
        .join(' '),
      part,
      line,
    );
  };
  meanings.forEach((line, number) => {
    for (const entry of line) add(entry, 'meanings', number);
  });
  kinds.forEach(({ instances, general }, number) => {
    for (const entry of instances) add(entry, 'instanceOf', number);
    for (const entry of general) add(entry, 'generalFor', number);
  });
  const phrases = new Map<string, Phrase[]>();
  for (const [key, sense] of byPhrase) {
    const stems = key.split(' ');
    const first = stems[0] as string;
    const others = phrases.get(first);
    if (others === undefined) phrases.set(first, [{ ...sense, stems }]);
    else others.push({ ...sense, stems });
  }
  for (const some of phrases.values()) some.sort((a, b) => b.stems.length - a.stems.length);
  let longestCjk = 0;
  for (const word of cjk.keys()) longestCjk = Math.max(longestCjk, word.length);
  const prices = new Set(byStem.get(stem('price'))?.meanings);
  const calls = new Set([...(byStem.get(stem('telephone'))?.meanings ?? []), ...(byStem.get(stem('ring'))?.meanings ?? [])]);
  const hours = new Set(
    ['opening hours', 'closing time'].flatMap((words) => byPhrase.get(words.split(' ').map(stem).join(' '))?.meanings ?? []),
  );
  for (const meaning of byStem.get(stem('closed'))?.meanings ?? []) hours.add(meaning);
  return { meanings, kinds, byStem, phrases, cjk, longestCjk, prices, hours, calls };
};

/** Made from constants alone, when first asked for. */
let built: Lexicon | undefined;
const lexicon = (): Lexicon => {
  built ??= buildLexicon();
  return built;
};

export const senseOfStem = (stem: string): Sense => lexicon().byStem.get(stem) ?? NONE;
export const senseOfCjk = (word: string): Sense => lexicon().cjk.get(word) ?? NONE;
export const knownStems = (): Iterable<string> => lexicon().byStem.keys();

const PARTICLES = new Set(['back', 'out', 'off', 'up', 'awai', 'down']);
const MAX_GAP = 3;

/** A phrase with the places of its words. */
export interface PlacedPhrase {
  readonly phrase: Phrase;
  readonly at: readonly number[];
}

/** The phrases that begin there, the longest first; a verb and its particle may stand apart, as in `bring it back`. */
export const phrasesAt = (stems: readonly string[], at: number): readonly PlacedPhrase[] =>
  (lexicon().phrases.get(stems[at] ?? '') ?? []).flatMap((phrase) => {
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
      for (let length = 1; length <= lexicon().longestCjk && at + length <= folded.length; length += 1) {
        const word = folded.slice(at, at + length);
        if (lexicon().cjk.has(word)) found.add(word);
      }
  }
  return [...found].sort((a, b) => b.length - a.length);
};

/** A price is also told by a sum of money, opening hours by a time of day. */
export const shownByOf = (meanings: readonly number[]): 'money' | 'hours' | 'phone' | undefined => {
  const { prices, hours, calls } = lexicon();
  if (meanings.some((meaning) => calls.has(meaning))) return 'phone';
  return meanings.some((meaning) => prices.has(meaning))
    ? 'money'
    : meanings.some((meaning) => hours.has(meaning))
      ? 'hours'
      : undefined;
};

export const membersOf = (meaning: number): readonly string[] => lexicon().meanings[meaning] ?? [];
export const generalWordsOf = (kind: number): readonly string[] => lexicon().kinds[kind]?.general ?? [];

export interface Reading {
  readonly folded: string;
  readonly stems: ReadonlySet<string>;
  readonly meanings: ReadonlySet<number>;
  /** Kinds that it speaks of by a general word. */
  readonly kinds: ReadonlySet<number>;
}

/** What a text holds. */
export const readingOf = (text: string): Reading => {
  const folded = foldText(text);
  const stems = stemsOf(folded);
  const meanings = new Set<number>();
  const kinds = new Set<number>();
  const note = (sense: Sense): void => {
    for (const meaning of sense.meanings) meanings.add(meaning);
    for (const kind of sense.generalFor) kinds.add(kind);
  };
  stems.forEach((stem, at) => {
    note(senseOfStem(stem));
    for (const { phrase } of phrasesAt(stems, at)) note(phrase);
  });
  for (const word of cjkWordsIn(folded)) note(senseOfCjk(word));
  const joined = (folded.match(LATIN_TOKEN) ?? []).flatMap((token) =>
    /[-.&]/.test(token) ? [token, token.replace(/[-.&]/g, ''), ...token.split(/[-.&]/)] : [],
  );
  return { folded, stems: new Set([...stems, ...joined.map(stemOf)]), meanings, kinds };
};
