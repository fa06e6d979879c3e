/** The public questions of defog's sql-eval, with their gold queries and schemas. They lie beside the repository. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from '../../agent/errors.ts';
import { parseRecords } from '../../knowledge/csv.ts';
import type { DescribedTable } from '../../tools/database-cards.ts';

const FOLDER = new URL('../../../shared/data/defog/', import.meta.url);

const read = (name: string): string => {
  try {
    return readFileSync(new URL(name, FOLDER), 'utf8');
  } catch (cause) {
    throw new AppError('source_missing', `expected the questions of defog's sql-eval at ${FOLDER.pathname}${name}, got none`, {
      cause,
    });
  }
};

const readRows = (name: string): readonly Readonly<Record<string, string>>[] => {
  const [header, ...rows] = parseRecords(read(name), ',').map(({ cells }) => cells);
  return rows.map((row) => Object.fromEntries((header ?? []).map((key, at) => [key, row[at] ?? ''])));
};

/** `{a, b}` stands for each of the columns alone and for all; `{}` in GROUP BY for the same choice. */
export const expandColumns = (sql: string): readonly string[] => {
  const braces = /\{([^{}]+)\}/.exec(sql);
  if (braces === null) return [sql];
  const columns = (braces[1] ?? '').split(',').map((column) => column.trim());
  const choices = columns.length === 1 ? columns : [...columns, columns.join(', ')];
  return choices.flatMap((choice) => {
    const named = choice.replace(/\s+AS\s+\w+/gi, '');
    return expandColumns(sql.replace(braces[0], choice).replaceAll('{}', named));
  });
};

/** Alternatives are parted by semicolons outside quotes. */
export const splitAlternatives = (cell: string): readonly string[] =>
  (cell.match(/(?:'[^']*'|"[^"]*"|[^;'"])+/g) ?? []).map((part) => part.trim()).filter((part) => part !== '');

export interface GoldQuery {
  readonly database: string;
  readonly sql: string;
}

export const goldQueries = (dialect: 'postgres' | 'sqlite'): readonly GoldQuery[] =>
  readRows(`questions_gen_${dialect}.csv`).flatMap(({ db_name: database = '', query = '' }) =>
    splitAlternatives(query).flatMap((part) => expandColumns(part).map((sql) => ({ database, sql }))),
  );

export const unanswerable = (): readonly string[] => readRows('idk.csv').map(({ question = '' }) => question);

const metadata = z.object({
  table_metadata: z.record(
    z.string(),
    z.array(z.object({ data_type: z.string(), column_name: z.string(), column_description: z.string().nullish() })),
  ),
});

/** The tables of a database as a source would describe them. */
export const cardsOf = (database: string, described: boolean): readonly DescribedTable[] =>
  Object.entries(metadata.parse(JSON.parse(read(`${database}.json`))).table_metadata).map(([name, columns]) => ({
    table: {
      schema: '',
      name: name.replace(/^.*\./, ''),
      columns: columns.map((column) => ({ name: column.column_name, type: column.data_type })),
    },
    card: {
      columns: Object.fromEntries(
        columns.map((column) => [column.column_name, described ? { description: column.column_description ?? undefined } : {}]),
      ),
      joins: [],
    },
  }));

export interface LinkQuestion {
  readonly database: string;
  readonly question: string;
  /** Of each gold query, in lower case. */
  readonly tables: readonly (readonly string[])[];
}

/** The questions whose gold queries name tables of their database. */
export const linkQuestions = (): readonly LinkQuestion[] =>
  readRows('questions_gen_postgres.csv').map(({ db_name: database = '', question = '', query = '' }) => {
    const names = new Set(cardsOf(database, false).map(({ table }) => table.name.toLowerCase()));
    const tables = splitAlternatives(query).map((sql) => [
      ...new Set(
        [...sql.matchAll(/\b(?:from|join)\s+"?(?:\w+\.)?"?(\w+)/gi)]
          .map(([, name = '']) => name.toLowerCase())
          .filter((name) => names.has(name)),
      ),
    ]);
    return { database, question, tables: tables.filter((needed) => needed.length > 0) };
  });

export const schemaOf = (database: string): string => read(`${database}.sql`);

/** A span that SQLite has no name for, as it would write it: weeks are days there. */
const modifier = (sign: string, count: string, unit: string): string =>
  unit.startsWith('week') ? `'${sign}${Number(count) * 7} days'` : `'${sign}${count} ${unit}'`;

const NOW = String.raw`(?:NOW\(\)|CURRENT_TIMESTAMP|CURRENT_DATE|DATE_TRUNC\('\w+',\s*(?:CURRENT_DATE|NOW\(\)|CURRENT_TIMESTAMP)\))`;
const SPANS = new RegExp(String.raw`${NOW}(?:\s*[-+]\s*INTERVAL\s*'\d+ \w+')*`, 'gi');

/** A moment before or after now, to SQLite's words. */
const toMoment = (text: string): string => {
  const spans = [...text.matchAll(/([-+])\s*INTERVAL\s*'(\d+) (\w+)'/gi)].map(([, sign = '', count = '', unit = '']) =>
    modifier(sign, count, unit),
  );
  const start = /date_trunc\('(\w+)'/i.exec(text)?.[1]?.toLowerCase();
  const begins = start === undefined ? [] : [start === 'week' ? "'-6 days', 'weekday 1'" : `'start of ${start}'`];
  return `${/^(?:CURRENT_DATE|DATE_TRUNC)/i.test(text) ? 'date' : 'datetime'}(${["'now'", ...begins, ...spans].join(', ')})`;
};

/** The schemas are written for Postgres. */
export const toSqlite = (sql: string): string =>
  sql
    .replace(/CREATE SCHEMA[^;]*;/gi, '')
    .replace(/\b(?:public|consumer_div)\./g, '')
    .replace(/::\s*(?:timestamp(?: with(?:out)? time zone)?|character varying|double precision|\w+)/gi, '')
    .replace(/\b(?:BIG)?SERIAL\b/gi, 'INTEGER')
    .replace(/DEFAULT (?:NOW\(\)|CURRENT_TIMESTAMP)/gi, 'DEFAULT ACTUAL')
    .replace(SPANS, toMoment)
    .replace(/EXTRACT\s*\(\s*(EPOCH|YEAR|MONTH|DAY)\s+FROM\s+((?:[^()]|\([^()]*\))*)\)/gi, (_, part: string, of: string) => {
      const format = { epoch: '%s', year: '%Y', month: '%m', day: '%d' }[part.toLowerCase()];
      return `CAST(strftime('${format}', ${of}) AS INTEGER)`;
    })
    .replaceAll('DEFAULT ACTUAL', 'DEFAULT CURRENT_TIMESTAMP');

/** What would make a write of a query, in the ways that models and attackers do. */
export const writesOf = (sql: string): readonly string[] => [
  `CREATE TABLE attack AS ${sql}`,
  `INSERT INTO attack ${sql}`,
  `${sql}; DROP TABLE attack`,
  `COMMIT; ${sql}; DELETE FROM attack`,
  `DELETE FROM attack WHERE EXISTS (${sql})`,
  `UPDATE attack SET x = 1 WHERE EXISTS (${sql})`,
  `EXPLAIN ANALYZE INSERT INTO attack ${sql}`,
  sql.replace(/\bFROM\b/i, 'INTO attack FROM'),
  `WITH gone AS (DELETE FROM attack RETURNING *) ${sql.replace(/^\s*WITH\b/i, ', ')}`,
  `${sql} FOR UPDATE`,
];
