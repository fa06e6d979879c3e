/**
 * A text as the numbers that the classifier reads: words, pairs of words and pieces of words by TF-IDF, words and pieces of length 1
 * each. The embedder's vector stands beside them.
 */

/** The terms that count, each with its column. */
export interface Vocabulary {
  readonly idf: Float32Array;
  readonly columns: ReadonlyMap<string, number>;
}

/** Columns and their values, in no order. */
export interface SparseVector {
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** `dense` is missing where the embedder cannot read the text. */
export interface Features {
  readonly sparse: SparseVector;
  readonly dense: Float32Array | undefined;
}

/** A longer text is read by its beginning. */
const MAX_CHARACTERS = 4_000;
/** From this many texts on, a term of one text alone is left out: it says nothing of others, and half of all terms are such. */
const MANY_TEXTS = 1_000;
const SHORTEST_PIECE = 3;
const LONGEST_PIECE = 5;
const LONGEST_WORD = 40;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Written without spaces: every character is a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const PARTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu;

const wordsOf = (text: string): readonly string[] =>
  (text.slice(0, MAX_CHARACTERS).toWellFormed().normalize('NFKC').toLowerCase().match(WORD) ?? []).flatMap((run) =>
    UNSPACED.test(run) ? (run.match(PARTS) ?? []) : [run.slice(0, LONGEST_WORD)],
  );

/** Words and their pairs begin with `w`, pieces with `c`; each as often as it occurs. */
export const featureTerms = (text: string): readonly string[] => {
  const terms: string[] = [];
  let before: string | undefined;
  for (const word of wordsOf(text)) {
    terms.push(`w${word}`);
    if (before !== undefined) terms.push(`w${before} ${word}`);
    before = word;
    const padded = ` ${word} `;
    for (let length = SHORTEST_PIECE; length <= LONGEST_PIECE; length += 1) {
      for (let from = 0; from + length <= padded.length; from += 1) terms.push(`c${padded.slice(from, from + length)}`);
    }
  }
  return terms;
};

export const vocabularyOf = (terms: readonly string[], idf: Float32Array): Vocabulary => ({
  idf,
  columns: new Map(terms.map((term, column) => [term, column])),
});

/** The terms of the texts in the order of their columns, and log((1 + texts) / (1 + texts that hold the term)) + 1 of each. */
export const createVocabulary = (texts: readonly string[]): { readonly terms: readonly string[]; readonly idf: Float32Array } => {
  const counts = new Map<string, number>();
  for (const text of texts) for (const term of new Set(featureTerms(text))) counts.set(term, (counts.get(term) ?? 0) + 1);
  const kept = [...counts].filter(([, count]) => count > 1 || texts.length < MANY_TEXTS);
  return {
    terms: kept.map(([term]) => term),
    idf: Float32Array.from(kept, ([, count]) => Math.log((1 + texts.length) / (1 + count)) + 1),
  };
};

/** Empty for a text with no known term. */
export const sparseVectorOf = (text: string, { idf, columns }: Vocabulary): SparseVector => {
  const words = new Map<number, number>();
  const pieces = new Map<number, number>();
  for (const term of featureTerms(text)) {
    const column = columns.get(term);
    if (column === undefined) continue;
    const counts = term.startsWith('c') ? pieces : words;
    counts.set(column, (counts.get(column) ?? 0) + 1);
  }
  const entries = [words, pieces].flatMap((counts) => {
    const weighted = [...counts].map(([column, count]) => ({ column, value: (1 + Math.log(count)) * (idf[column] ?? 0) }));
    const length = Math.sqrt(weighted.reduce((sum, { value }) => sum + value * value, 0));
    return weighted.map(({ column, value }) => ({ column, value: value / length }));
  });
  return {
    columns: Uint32Array.from(entries, ({ column }) => column),
    values: Float32Array.from(entries, ({ value }) => value),
  };
};
