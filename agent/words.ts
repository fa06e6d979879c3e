/**
 * One reading of text for the word index and for its queries. Words go to a `porter unicode61` column; Han, kana and hangul
 * have no spaces, so each run of them is indexed by its overlapping pairs of characters.
 */

export interface IndexColumns {
  readonly words: string;
  readonly bigrams: string;
}

const RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30FC]+/gu;
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
/** Codes, versions and names whose parts belong together: `RMA-2044`, `v2.1`, `e-mail`. */
const COMPOUND = /[\p{L}\p{N}]+(?:[-./_:@][\p{L}\p{N}]+)+/gu;
const MAX_QUERY_TOKENS = 128;

const ENGLISH_STOP_WORDS = new Set(
  (
    'a about after all also am an and any are as at be been before being but by can could did do does doing don for from get had has ' +
    'have having he her here hers him his how i if in into is it its just let like ll may me might mine much must my need no nor not of ' +
    'off on once one only or other our ours out over own please re s same shall she should so some such t than that the their theirs ' +
    'them then there these they this those through to too under up us ve very was we were what when where which while who whom why will ' +
    'with would you your yours tell know there'
  ).split(' '),
);
const FUNCTION_BIGRAMS = new Set(
  (
    '什么 怎么 怎样 如何 多少 多久 几个 哪些 哪个 哪里 哪种 是否 有没 没有 可以 能否 能不 不能 请问 请告 告诉 诉我 我们 你们 他们 这个 那个 这些 那些 ' +
    '一个 一下 关于 以及 或者 还是 因为 所以 如果 但是 么样 么办 有什 是什 是多 为什 需要 想要 知道'
  ).split(' '),
);

const normalise = (text: string): string => text.toWellFormed().normalize('NFKC');

/** Overlapping pairs of a run's characters; a run of one character stays one token. */
const bigramsOf = (run: string): readonly string[] => {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
};

export const indexColumns = (text: string): IndexColumns => {
  const normal = normalise(text);
  return {
    words: normal.replace(RUN, ' ').replace(/\s+/g, ' ').trim(),
    bigrams: (normal.match(RUN) ?? []).flatMap(bigramsOf).join(' '),
  };
};

/** Plain text, never syntax: a word that the index splits, such as `RMA-2044`, stands for its parts in this order. */
export interface WordQuery {
  /** Looked for by their stem. */
  readonly words: readonly string[];
  /** Looked for as they are. A single character also stands for the pairs that begin with it. */
  readonly bigrams: readonly string[];
}

const withoutStops = (tokens: readonly string[], stops: ReadonlySet<string>): readonly string[] => {
  const kept = tokens.filter((token) => !stops.has(token));
  return kept.length > 0 ? kept : tokens;
};

/** What a query asks for: lower case, each once, function words left out unless there is nothing else. */
export const queryTerms = (query: string): WordQuery => {
  const normal = normalise(query).toLowerCase();
  const runs = normal.match(RUN) ?? [];
  const latin = normal.replace(RUN, ' ');
  const words = [...new Set([...(latin.match(WORD) ?? []), ...(latin.match(COMPOUND) ?? [])])];
  const bigrams = withoutStops([...new Set(runs.flatMap(bigramsOf))], FUNCTION_BIGRAMS);
  const kept = words.filter((word) => !ENGLISH_STOP_WORDS.has(word));
  return { words: kept.length > 0 || bigrams.length > 0 ? kept : words, bigrams };
};

/** As much of a query as one search looks for. */
export const wordQuery = (query: string): WordQuery => {
  const { words, bigrams } = queryTerms(query);
  return { words: words.slice(0, MAX_QUERY_TOKENS), bigrams: bigrams.slice(0, MAX_QUERY_TOKENS) };
};
