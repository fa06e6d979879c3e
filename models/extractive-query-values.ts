/** The values of a query's parameters as people write them: a listed word, a number, a day, a name in quotes or capitals. */
import { foldText } from './extractive-lexicon.ts';

interface Common {
  readonly description?: string | undefined;
  /** Words that stand before the value, where two parameters take the same values: `from`, `to`. */
  readonly after?: readonly string[] | undefined;
  /** It may be left out. So may one with a default. */
  readonly optional?: boolean | undefined;
}
export type CardParameter = Common &
  /** `pattern`: a regular expression that its values match. */
  (
    | { readonly type: 'string'; readonly pattern?: string | undefined; readonly default?: string | undefined }
    | { readonly type: 'number'; readonly min: number; readonly max: number; readonly default?: number | undefined }
    | { readonly type: 'date'; readonly default?: string | undefined }
    | {
        readonly type: 'enum';
        readonly values: Readonly<Record<string, readonly string[]>>;
        readonly default?: string | undefined;
      }
  );

/** A piece of the question. `quoted` holds the text between the quotes. */
export interface Piece {
  readonly text: string;
  readonly quoted: boolean;
  readonly isFirst: boolean;
}

const PIECE =
  /["“”«»]([^"“”«»]{1,200})["“”«»]|(?<![\p{L}\p{N}])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\p{L}\p{N}])|[\p{L}\p{N}]+(?:[-'’.:][\p{L}\p{N}]+)*/gu;
const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const MONTHS = 'january february march april may june july august september october november december'.split(' ');
/** Behind a number it says no more than the parameter does. */
const UNIT = /^(?:[kc]?m[23²³]?|k?g|t|l|eur|euros?|usd|dollars?|gbp|pounds?|percent)$/i;
const DAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');
const DAY_MS = 86_400_000;

export const piecesOf = (question: string): readonly Piece[] =>
  [...question.normalize('NFKC').matchAll(PIECE)].map(([whole, quoted], at) => ({
    text: quoted ?? whole,
    quoted: quoted !== undefined,
    isFirst: at === 0,
  }));

export interface Found {
  readonly value: string | number;
  /** Which pieces it was read from. */
  readonly used: readonly number[];
}

const range = (start: number, length: number): readonly number[] => Array.from({ length }, (_, at) => start + at);

const bare = (text: string): string => foldText(text).replace(/'s$/, '');

const findEnum = (
  pieces: readonly Piece[],
  parameter: CardParameter & { readonly type: 'enum' },
  used: ReadonlySet<number>,
): Found | undefined => {
  const words = pieces.map(({ text }) => bare(text));
  const found = Object.entries(parameter.values).flatMap(([value, others]) =>
    [value, ...others].flatMap((phrase) => {
      const parts = piecesOf(phrase).map(({ text }) => bare(text));
      return words.flatMap((_, start) => {
        const isThere = parts.length > 0 && parts.every((part, at) => words[start + at] === part && !used.has(start + at));
        return isThere ? [{ value, used: range(start, parts.length), before: words[start - 1] ?? '' }] : [];
      });
    }),
  );
  const rank = ({ used: own, before }: (typeof found)[number]): number =>
    own.length + (parameter.after?.includes(before) === true ? 10 : 0);
  const fitting = parameter.after === undefined ? found : found.filter(({ before }) => parameter.after?.includes(before));
  return (fitting.length > 0 ? fitting : found).sort((a, b) => rank(b) - rank(a))[0];
};

const findNumber = (
  pieces: readonly Piece[],
  { min, max }: { readonly min: number; readonly max: number },
  used: ReadonlySet<number>,
): Found | undefined => {
  for (const [at, { text, quoted }] of pieces.entries()) {
    if (used.has(at) || quoted) continue;
    const word = NUMBER_WORDS.indexOf(text.toLowerCase());
    const value = /^\d[\d,]*(?:\.\d+)?$/.test(text) ? Number(text.replaceAll(',', '')) : word > 1 ? word : Number.NaN;
    if (!(value >= min && value <= max)) continue;
    return { value, used: UNIT.test(pieces[at + 1]?.text ?? '') ? [at, at + 1] : [at] };
  }
  return undefined;
};

const isoDay = (year: number, month: number, day: number): string | undefined => {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month ? date.toISOString().slice(0, 10) : undefined;
};

const findDate = (pieces: readonly Piece[], today: string, used: ReadonlySet<number>): Found | undefined => {
  const words = pieces.map(({ text }) => text.toLowerCase());
  for (const [at, word] of words.entries()) {
    if (used.has(at)) continue;
    const days = ['today', 'yesterday'].indexOf(word);
    if (/^\d{4}-\d{2}-\d{2}$/.test(word)) return { value: word, used: [at] };
    if (days >= 0) return { value: new Date(Date.parse(today) - days * DAY_MS).toISOString().slice(0, 10), used: [at] };
    const month = MONTHS.findIndex((name) => name === word || (word.length === 3 && name.startsWith(word)));
    if (month === -1) continue;
    const [before = '', next = '', second = ''] = [words[at - 1], words[at + 1], words[at + 2]];
    const dayOf = (text: string): number => Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(text)?.[1] ?? Number.NaN);
    const yearOf = (text: string): number => (/^\d{4}$/.test(text) ? Number(text) : Number.NaN);
    const readings = [
      { day: dayOf(before), year: yearOf(next), pieces: [at - 1, at, at + 1] },
      { day: dayOf(next), year: yearOf(second), pieces: [at, at + 1, at + 2] },
      { day: dayOf(before), year: Number(today.slice(0, 4)), pieces: [at - 1, at] },
      { day: dayOf(next), year: Number(today.slice(0, 4)), pieces: [at, at + 1] },
      { day: 1, year: yearOf(next), pieces: [at, at + 1] },
    ];
    const reading = readings.find(({ day, year }) => !Number.isNaN(day) && !Number.isNaN(year));
    const value = reading === undefined ? undefined : isoDay(reading.year, month, reading.day);
    if (reading !== undefined && value !== undefined) return { value, used: reading.pieces };
  }
  return undefined;
};

/** A name: in quotes, or in capitals within a sentence where the query's own words have none. */
const findName = (pieces: readonly Piece[], isKnown: (word: string) => boolean, used: ReadonlySet<number>): Found | undefined => {
  const quoted = pieces.findIndex((piece, at) => piece.quoted && !used.has(at));
  if (quoted >= 0) return { value: pieces[quoted]?.text ?? '', used: [quoted] };
  const isName = (at: number): boolean => {
    const piece = pieces[at];
    if (piece === undefined || piece.isFirst || used.has(at) || !/^\p{Lu}/u.test(piece.text)) return false;
    return ![...MONTHS, ...DAYS, 'i'].includes(bare(piece.text)) && !isKnown(piece.text);
  };
  const start = pieces.findIndex((_, at) => isName(at));
  if (start === -1) return undefined;
  let end = start + 1;
  while (isName(end)) end += 1;
  const own = range(start, end - start);
  return { value: own.map((at) => pieces[at]?.text.replace(/['’]s$/, '')).join(' '), used: own };
};

/** A word as its pattern has it, also where it was typed in small letters. */
const findMatch = (pieces: readonly Piece[], pattern: string, used: ReadonlySet<number>): Found | undefined => {
  const search = new RegExp(pattern);
  for (const [at, { text }] of pieces.entries()) {
    const value = used.has(at) ? undefined : [text, text.toUpperCase()].find((form) => search.test(form));
    if (value !== undefined) return { value, used: [at] };
  }
  return undefined;
};

const find = (
  pieces: readonly Piece[],
  parameter: CardParameter,
  isKnown: (word: string) => boolean,
  today: string,
  used: ReadonlySet<number>,
): Found | undefined => {
  switch (parameter.type) {
    case 'enum':
      return findEnum(pieces, parameter, used);
    case 'number':
      return findNumber(pieces, parameter, used);
    case 'date':
      return findDate(pieces, today, used);
    case 'string':
      return parameter.pattern === undefined ? findName(pieces, isKnown, used) : findMatch(pieces, parameter.pattern, used);
  }
};

export interface Filled {
  readonly values: Readonly<Record<string, string | number>>;
  readonly used: ReadonlySet<number>;
  /** Parameters that the question does not give and that have no default. */
  readonly missing: number;
}

/** Listed values first, names last: a city that is listed is no person's name. */
const ORDER = ['enum', 'date', 'number', 'string'] as const;

export const fillParameters = (
  pieces: readonly Piece[],
  parameters: Readonly<Record<string, CardParameter>>,
  isKnown: (word: string) => boolean,
  today: string,
): Filled => {
  const used = new Set<number>();
  const values: Record<string, string | number> = {};
  let missing = 0;
  const ordered = Object.entries(parameters).sort(([, a], [, b]) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
  for (const [name, parameter] of ordered) {
    const found = find(pieces, parameter, isKnown, today, used);
    if (found === undefined) {
      if (parameter.default === undefined && parameter.optional !== true) missing += 1;
      continue;
    }
    values[name] = found.value;
    for (const at of found.used) used.add(at);
  }
  return { values, used, missing };
};
