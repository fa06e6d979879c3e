/**
 * BM25 over those rows of an FTS5 table that a filter admits. FTS5's own bm25() counts every row of its table: how rare a word
 * is, how many rows there are and how long they are on average. So rows that a reader may not see would shift the order, and
 * the scores, of those they may. Here all of it is counted over the admitted rows alone.
 */

import type { SQLInputValue } from 'node:sqlite';
import type { Connection } from './sqlite-connection.ts';

/** As FTS5 has them, https://www.sqlite.org/fts5.html#the_bm25_function; its inverse document frequency and floor as well. */
const K1 = 1.2;
const B = 0.75;
const IDF_FLOOR = 1e-6;

export interface WordRankOptions {
  /** The FTS5 table. Its rowids are the keys of `rows`. */
  readonly index: string;
  /** The `tokenize` option of that table. */
  readonly tokenize: string;
  /** What an occurrence in each of its columns counts for. */
  readonly weights: Readonly<Record<string, number>>;
  /** A table with `key INTEGER PRIMARY KEY`, `length` as `lengthOf` gives it, and what filters ask for. */
  readonly rows: string;
}

export interface RankTerm {
  /** A word; what the tokenizer splits must stand together in this order. */
  readonly text: string;
  readonly columns: readonly string[];
  /** Whether words that only begin like it count as well. */
  readonly isPrefix?: boolean;
}

/** A condition on the table of rows, which is called `entry` there. */
export interface RowFilter {
  readonly sql: string;
  readonly params: readonly SQLInputValue[];
}

export interface RankedRow {
  readonly key: number;
  /** Above 0; higher is better. */
  readonly score: number;
}

export interface WordRank {
  /** How many words the index holds of a row: for the row's `length`, in the transaction that wrote the row. */
  lengthOf(key: number): number;
  /** Rows with at least one of the terms, best first, ties in order of their keys. What the filter leaves out changes nothing. */
  search(terms: readonly RankTerm[], filter: RowFilter, limit: number): readonly RankedRow[];
}

/** Where a term stands, in order of the rows: parallel lists. */
interface Occurrences {
  /** The row's key times the number of columns, plus the column's number. */
  readonly places: readonly number[];
  /** Of the row. */
  readonly lengths: readonly number[];
}

/** The sum of SQLite's variable-length integers, https://www.sqlite.org/fileformat2.html#varint. */
const sumVarints = (bytes: Uint8Array): number => {
  let sum = 0;
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    sum += value;
    value = 0;
  }
  return sum;
};

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const asMatch = ({ text, columns, isPrefix = false }: RankTerm): string =>
  `{${columns.join(' ')}} : ${quote(text)}${isPrefix ? ' *' : ''}`;

export const createWordRank = (db: Connection, { index, tokenize, weights, rows }: WordRankOptions): WordRank => {
  const names = Object.keys(weights);
  const weightOf = Object.values(weights);
  const place = `entry.key * ${names.length} + CASE token.col ${names.map((name, at) => `WHEN '${name}' THEN ${at}`).join(' ')} END`;

  // Of this connection alone: the index by token, and a table that reads a query as the index reads its rows.
  db.exec(`
    CREATE VIRTUAL TABLE temp.${index}_tokens USING fts5vocab('main', '${index}', 'instance');
    CREATE VIRTUAL TABLE temp.${index}_query USING fts5 (text, content = '', tokenize = '${tokenize}');
    CREATE VIRTUAL TABLE temp.${index}_query_tokens USING fts5vocab('temp', '${index}_query', 'instance');
  `);

  /** The tokens of each text. */
  const tokensOf = (texts: readonly string[]): readonly (readonly string[])[] => {
    const tokens = texts.map((): string[] => []);
    db.run(`INSERT INTO temp.${index}_query (rowid, text) SELECT key, value FROM json_each(?)`, JSON.stringify(texts));
    const found = db.all<{ doc: number; term: string }>(
      `SELECT doc, term FROM temp.${index}_query_tokens ORDER BY doc, "offset"`,
    );
    db.run(`INSERT INTO temp.${index}_query (${index}_query) VALUES ('delete-all')`);
    for (const { doc, term } of found) tokens[doc]?.push(term);
    return tokens;
  };

  const readTotals = ({ sql, params }: RowFilter): { readonly count: number; readonly meanLength: number } => {
    const totals = db.get<{ count: number; length: number | null }>(
      `SELECT count(*) AS count, sum(entry.length) AS length FROM ${rows} AS entry WHERE ${sql}`,
      ...params,
    );
    const count = totals?.count ?? 0;
    return { count, meanLength: (totals?.length ?? 0) / count };
  };

  /** Whether so many admitted rows hold the term. Rows of any kind are counted first, since that needs no look at each. */
  const isIn = (enough: number, term: RankTerm, { sql, params }: RowFilter): boolean => {
    const match = asMatch(term);
    const any = db.get<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT ?)`,
      match,
      enough,
    );
    if ((any?.n ?? 0) < enough) return false;
    const admitted = db.get<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${index} CROSS JOIN ${rows} AS entry ON entry.key = ${index}.rowid
       WHERE ${index} MATCH ? AND ${sql} LIMIT ?)`,
      match,
      ...params,
      enough,
    );
    return (admitted?.n ?? 0) >= enough;
  };

  const tokensIn = (columns: readonly string[], { sql }: RowFilter): string =>
    `temp.${index}_tokens AS token CROSS JOIN ${rows} AS entry ON entry.key = token.doc
     WHERE token.col IN (${columns.map((name) => `'${name}'`).join(', ')}) AND ${sql}`;

  /** Both lists come as one value each: a result row for each occurrence would take three times as long. */
  const readWord = ({ columns, isPrefix = false }: RankTerm, token: string, filter: RowFilter): Occurrences => {
    const lists = db.get<Record<keyof Occurrences, string>>(
      `SELECT json_group_array(place) AS places, json_group_array(length) AS lengths FROM (
         SELECT ${place} AS place, entry.length FROM ${tokensIn(columns, filter)}
         AND token.term ${isPrefix ? 'BETWEEN ? AND ? ORDER BY entry.key' : '= ?'})`,
      ...filter.params,
      ...(isPrefix ? [token, `${token}\u{10ffff}`] : [token]),
    );
    const list = (name: keyof Occurrences): readonly number[] => JSON.parse(lists?.[name] ?? '[]') as number[];
    return { places: list('places'), lengths: list('lengths') };
  };

  /** Where the first token stands with the others behind it. */
  const readPhrase = (term: RankTerm, tokens: readonly string[], filter: RowFilter): Occurrences => {
    const [first, ...rest] = tokens.map((token, at) => {
      const isOpen = term.isPrefix === true && at === tokens.length - 1;
      return db.all<{ place: number; position: number; length: number }>(
        `SELECT ${place} AS place, token."offset" AS position, entry.length FROM ${tokensIn(term.columns, filter)}
         AND token.term ${isOpen ? 'BETWEEN ? AND ?' : '= ?'}
         AND token.doc IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ?) ORDER BY entry.key`,
        ...filter.params,
        ...(isOpen ? [token, `${token}\u{10ffff}`] : [token]),
        asMatch(term),
      );
    });
    const followers = rest.map((standing) => new Set(standing.map((one) => `${one.place} ${one.position}`)));
    const starts = (first ?? []).filter((start) =>
      followers.every((standing, gap) => standing.has(`${start.place} ${start.position + gap + 1}`)),
    );
    return { places: starts.map((start) => start.place), lengths: starts.map((start) => start.length) };
  };

  const read = (term: RankTerm, tokens: readonly string[], filter: RowFilter): Occurrences => {
    const [only = '', ...rest] = tokens;
    return rest.length === 0 ? readWord(term, only, filter) : readPhrase(term, tokens, filter);
  };

  /** Rows that hold the term: how often by the weights of the columns, and how long they are. */
  const frequenciesOf = ({ places, lengths }: Occurrences) => {
    const found: { readonly key: number; readonly length: number; frequency: number }[] = [];
    places.forEach((value, at) => {
      const key = Math.floor(value / weightOf.length);
      let last = found.at(-1);
      if (last?.key !== key) found.push((last = { key, length: lengths[at] ?? 0, frequency: 0 }));
      last.frequency += weightOf[value % weightOf.length] ?? 0;
    });
    return found;
  };

  return {
    lengthOf: (key) =>
      sumVarints(db.get<{ sz: Uint8Array }>(`SELECT sz FROM ${index}_docsize WHERE id = ?`, key)?.sz ?? new Uint8Array()),

    search: (terms, filter, limit) => {
      const { count, meanLength } = readTotals(filter);
      if (count === 0) return [];
      const tokens = tokensOf(terms.map((term) => term.text));
      const asked = terms
        .map((term, at) => ({ term, tokens: tokens[at] ?? [] }))
        .filter((one) => one.tokens.length > 0)
        .map((one) => ({ ...one, isCommon: isIn(Math.ceil(count / 2), one.term, filter) }));

      const scores = new Map<number, number>();
      const add = (term: RankTerm, words: readonly string[]): void => {
        const found = frequenciesOf(read(term, words, filter));
        const idf = Math.max(IDF_FLOOR, Math.log((count - found.length + 0.5) / (found.length + 0.5)));
        for (const { key, length, frequency } of found) {
          const norm = K1 * (1 - B + (B * length) / meanLength);
          scores.set(key, (scores.get(key) ?? 0) + (idf * frequency * (K1 + 1)) / (frequency + norm));
        }
      };
      for (const one of asked) if (!one.isCommon) add(one.term, one.tokens);
      // What half the rows hold tells none from another: its weight is the floor, a millionth. So its many rows are read only
      // where the other terms leave places free.
      if (scores.size < limit) for (const one of asked) if (one.isCommon) add(one.term, one.tokens);

      const worst = Float64Array.from(scores.values()).sort().at(-limit) ?? 0;
      return [...scores]
        .filter(([, score]) => score >= worst)
        .map(([key, score]) => ({ key, score }))
        .sort((a, b) => b.score - a.score || a.key - b.key)
        .slice(0, limit);
    },
  };
};
