/**
 * BM25 over those rows of an FTS5 table that a filter admits. FTS5's own bm25() counts every row of its table: how rare a word
 * is, how many rows there are and how long they are on average. So rows that a reader may not see would shift the order, and
 * the scores, of those they may. Here all of it is counted over the admitted rows alone.
 */

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
  /** A table of one row, whose `revision` moves in the transaction of every change of `rows`. */
  readonly state: string;
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
  readonly params: readonly (string | number | null)[];
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

/** The rows that a filter admits, in order of their keys. */
interface Admitted {
  readonly revision: number;
  readonly keys: readonly number[];
  readonly lengths: readonly number[];
  readonly meanLength: number;
  /** Where a key stands in the lists. */
  readonly places: ReadonlyMap<number, number>;
}

/** Filters whose rows are kept at hand until something is written. */
const KEPT_FILTERS = 8;

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

const parseNumbers = (json: string | undefined): readonly number[] => JSON.parse(json ?? '[]') as number[];

const asMatch = ({ text, columns, isPrefix = false }: RankTerm): string =>
  `{${columns.join(' ')}} : ${quote(text)}${isPrefix ? ' *' : ''}`;

/** The best `limit` of the places, ties in their order. Few of many places come so far that they are compared with more than one. */
const bestOf = (found: readonly number[], scores: Float64Array, limit: number): readonly number[] => {
  const isBefore = (a: number, b: number): boolean => {
    const [first = 0, second = 0] = [scores[a], scores[b]];
    return first === second ? a < b : first > second;
  };
  const best: number[] = [];
  for (const place of found) {
    const last = best.at(-1);
    if (last !== undefined && best.length === limit && !isBefore(place, last)) continue;
    best.splice(best.findLastIndex((other) => isBefore(other, place)) + 1, 0, place);
    if (best.length > limit) best.pop();
  }
  return best;
};

export const createWordRank = (db: Connection, { index, tokenize, weights, rows, state }: WordRankOptions): WordRank => {
  const names = Object.keys(weights);
  const weightOf = Object.values(weights);
  /** An occurrence in one number: the row's key times the number of columns, plus the column's. */
  const packed = `doc * ${names.length} + CASE col ${names.map((name, at) => `WHEN '${name}' THEN ${at}`).join(' ')} END`;
  const kept = new Map<string, Admitted>();

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

  const readAdmitted = ({ sql, params }: RowFilter, revision: number): Admitted => {
    const lists = db.get<{ keys: string; lengths: string }>(
      `SELECT json_group_array(key) AS keys, json_group_array(length) AS lengths
       FROM (SELECT key, length FROM ${rows} AS entry WHERE ${sql} ORDER BY key)`,
      ...params,
    );
    const keys = parseNumbers(lists?.keys);
    const lengths = parseNumbers(lists?.lengths);
    const places = new Map(keys.map((key, place) => [key, place]));
    return { revision, keys, lengths, places, meanLength: lengths.reduce((sum, length) => sum + length, 0) / keys.length };
  };

  const admittedBy = (filter: RowFilter): Admitted => {
    const revision = db.get<{ revision: number }>(`SELECT revision FROM ${state}`)?.revision ?? 0;
    const name = JSON.stringify(filter);
    const known = kept.get(name);
    if (known?.revision === revision) return known;
    const admitted = readAdmitted(filter, revision);
    kept.delete(name);
    kept.set(name, admitted);
    const [oldest = name] = kept.keys();
    if (kept.size > KEPT_FILTERS) kept.delete(oldest);
    return admitted;
  };

  /** Whether half of the admitted rows hold the term. Rows of any kind are counted first, since that takes a sixth of the time. */
  const isCommon = (term: RankTerm, { keys, places }: Admitted): boolean => {
    const half = Math.ceil(keys.length / 2);
    const holders = `FROM ${index} WHERE ${index} MATCH ?`;
    const any = db.get<{ n: number }>(`SELECT count(*) AS n FROM (SELECT 1 ${holders} LIMIT ?)`, asMatch(term), half);
    if ((any?.n ?? 0) < half) return false;
    const list = db.get<{ rowids: string }>(`SELECT json_group_array(rowid) AS rowids ${holders}`, asMatch(term));
    return parseNumbers(list?.rowids).filter((key) => places.has(key)).length >= half;
  };

  const standing = (columns: readonly string[], isOpen: boolean): string =>
    `FROM temp.${index}_tokens WHERE col IN (${columns.map((name) => `'${name}'`).join(', ')})
     AND term ${isOpen ? 'BETWEEN ? AND ?' : '= ?'}`;
  const range = (token: string, isOpen: boolean): readonly string[] => (isOpen ? [token, `${token}\u{10ffff}`] : [token]);

  /** One value for all: a result row for each occurrence would take three times as long. */
  const readWord = ({ columns, isPrefix = false }: RankTerm, token: string): readonly number[] =>
    parseNumbers(
      db.get<{ list: string }>(
        `SELECT json_group_array(${packed}) AS list ${standing(columns, isPrefix)}`,
        ...range(token, isPrefix),
      )?.list,
    );

  /** Where the first token stands with the others behind it. */
  const readPhrase = (term: RankTerm, tokens: readonly string[]): readonly number[] => {
    const [first = [], ...rest] = tokens.map((token, at) => {
      const isOpen = term.isPrefix === true && at === tokens.length - 1;
      return db.all<{ packed: number; position: number }>(
        `SELECT ${packed} AS packed, "offset" AS position ${standing(term.columns, isOpen)}
         AND doc IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ?)`,
        ...range(token, isOpen),
        asMatch(term),
      );
    });
    const followers = rest.map((found) => new Set(found.map((one) => `${one.packed} ${one.position}`)));
    return first
      .filter((start) => followers.every((found, gap) => found.has(`${start.packed} ${start.position + gap + 1}`)))
      .map((start) => start.packed);
  };

  return {
    lengthOf: (key) =>
      sumVarints(db.get<{ sz: Uint8Array }>(`SELECT sz FROM ${index}_docsize WHERE id = ?`, key)?.sz ?? new Uint8Array()),

    search: (terms, filter, limit) => {
      const admitted = admittedBy(filter);
      const { keys, lengths, places, meanLength } = admitted;
      const tokens = tokensOf(terms.map((term) => term.text));
      const asked = terms
        .map((term, at) => ({ term, tokens: tokens[at] ?? [] }))
        .filter((one) => one.tokens.length > 0 && keys.length > 0)
        .map((one) => ({ ...one, isCommon: isCommon(one.term, admitted) }));

      const scores = new Float64Array(keys.length);
      const frequencies = new Float64Array(keys.length);
      const found: number[] = [];
      const add = (term: RankTerm, [only = '', ...rest]: readonly string[]): void => {
        const holders: number[] = [];
        for (const occurrence of rest.length === 0 ? readWord(term, only) : readPhrase(term, [only, ...rest])) {
          const place = places.get(Math.floor(occurrence / names.length));
          if (place === undefined) continue;
          if (frequencies[place] === 0) holders.push(place);
          frequencies[place]! += weightOf[occurrence % names.length] ?? 0;
        }
        const idf = Math.max(IDF_FLOOR, Math.log((keys.length - holders.length + 0.5) / (holders.length + 0.5)));
        for (const place of holders) {
          const frequency = frequencies[place] ?? 0;
          const norm = K1 * (1 - B + (B * (lengths[place] ?? 0)) / meanLength);
          if (scores[place] === 0) found.push(place);
          scores[place]! += (idf * frequency * (K1 + 1)) / (frequency + norm);
          frequencies[place] = 0;
        }
      };
      for (const one of asked) if (!one.isCommon) add(one.term, one.tokens);
      // What half the rows hold tells none from another: its weight is the floor, a millionth. So its many rows are read only
      // where the other terms leave places free.
      if (found.length < limit) for (const one of asked) if (one.isCommon) add(one.term, one.tokens);

      return bestOf(found, scores, limit).map((place) => ({ key: keys[place] ?? 0, score: scores[place] ?? 0 }));
    },
  };
};
