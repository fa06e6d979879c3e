/**
 * The walls of the database tools against defog's sql-eval: the gold queries pass and return what they return without the walls, and
 * none that was made into a write passes. And named queries without a model: how many paraphrases find theirs, and how many
 * questions that have no answer are refused.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { createQueryMatcher } from '../models/extractive-queries.ts';
import { systemClock } from '../ops/clock.ts';
import { postgres } from '../ops/service-databases.ts';
import { ensureService, systemInstaller } from '../ops/services.ts';
import { TABLES_SHOWN } from '../tools/database.ts';
import type { DatabaseEngine } from '../tools/database-engine.ts';
import { createPostgresEngine } from '../tools/database-postgres.ts';
import { createSqliteEngine } from '../tools/database-sqlite.ts';
import { allowedFunctions } from '../tools/sql-functions.ts';
import type { SqlGuard, SqlScope } from '../tools/sql-guard.ts';
import { guardPostgres, loadGrammar } from '../tools/sql-postgres.ts';
import { guardSqlite } from '../tools/sql-sqlite.ts';
import { type GoldQuery, goldQueries, linkQuestions, schemaOf, toSqlite, unanswerable, writesOf } from './database/defog.ts';
import { HELD_OUT } from './database/held-out.ts';
import { measureLinking } from './database/linking.ts';
import { PARAPHRASES, type Paraphrase, QUERIES } from './database/questions.ts';
import type { BenchRow } from './row.ts';

const LIMITS = { timeoutMs: 10_000, maxCost: 1e9, rows: 10_000, bytes: 64 * 1024 * 1024 };
const MISSED_SHOWN = 3;

/** `plain` returns what the database gives without any wall; it throws for a gold query that this database cannot run. */
interface Opened extends AsyncDisposable {
  readonly engine: DatabaseEngine;
  readonly plain: (sql: string) => Promise<readonly (readonly unknown[])[]>;
}

/** The order of rows without ORDER BY is nobody's promise, and drivers write numbers and truth values in ways of their own. */
const comparable = (rows: readonly (readonly unknown[])[]): readonly string[] =>
  rows
    .map((row) =>
      JSON.stringify(
        row.map((cell) => {
          if (cell === null || cell === undefined) return null;
          if (typeof cell === 'boolean') return cell ? 't' : 'f';
          const text = String(cell);
          return text !== '' && Number.isFinite(Number(text)) ? String(Number(Number(text).toPrecision(12))) : text;
        }),
      ),
    )
    .sort((a, b) => (a < b ? -1 : 1));

const openPostgresAt = async (url: string, database: string): Promise<Opened> => {
  const root = new Client({ connectionString: url });
  await root.connect();
  await root.query(`CREATE DATABASE ${database}`);
  await root.end();
  const own = Object.assign(new URL(url), { pathname: `/${database}` }).href;
  const client = new Client({ connectionString: own });
  await client.connect();
  await client.query(schemaOf(database));
  await client.query("SET timezone = 'UTC'");
  const schemas = ['public', 'consumer_div'];
  await client.query(`SET search_path = ${schemas.join(', ')}`);
  const asText = { getTypeParser: () => (text: string) => text };
  return {
    engine: createPostgresEngine({ url: own, schemas, clock: systemClock, connections: 2 }),
    plain: async (sql) =>
      (await client.query({ text: sql, rowMode: 'array', types: asText } as { text: string; rowMode: 'array' })).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
};

/** What of to_char the schemas use. */
const formatTime = (time: unknown, format: unknown): string => {
  const [year = '', month = '', day = '', hour = '00', minute = '00', second = '00'] = String(time).split(/[- :]/);
  const parts: Readonly<Record<string, string>> = {
    yyyy: year,
    mm: month,
    dd: day,
    hh24: hour,
    hh: hour,
    mi: minute,
    ss: second,
  };
  return String(format).replace(/yyyy|hh24|hh|mm|dd|mi|ss/gi, (part) => parts[part.toLowerCase()] ?? part);
};

const openSqliteIn = async (folder: string, name: string): Promise<Opened> => {
  const path = join(folder, `${name}.sqlite`);
  const database = new DatabaseSync(path);
  database.function('to_char', formatTime);
  database.exec(toSqlite(schemaOf(name)));
  const engine = createSqliteEngine({ place: { path }, clock: systemClock });
  return {
    engine,
    plain: async (sql) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all() as unknown as readonly (readonly unknown[])[];
    },
    [Symbol.asyncDispose]: async () => {
      database.close();
      await engine.close();
    },
  };
};

interface Tally {
  ran: number;
  passed: number;
  same: number;
  writes: number;
  refused: number;
  readonly missed: string[];
}

const measure = async (
  gold: readonly GoldQuery[],
  guard: SqlGuard,
  open: (database: string) => Promise<Opened>,
): Promise<Tally> => {
  const tally: Tally = { ran: 0, passed: 0, same: 0, writes: 0, refused: 0, missed: [] };
  const signal = new AbortController().signal;
  for (const database of new Set(gold.map((query) => query.database))) {
    await using opened = await open(database);
    const { engine, plain } = opened;
    const visible = await engine.readCatalog(signal);
    const scope: SqlScope = {
      dialect: engine.dialect,
      visible,
      allowed: new Set(visible),
      functions: allowedFunctions(engine.dialect),
      closed: new Map(),
    };
    for (const { sql } of gold.filter((query) => query.database === database)) {
      const expected = await plain(sql).catch(() => undefined);
      if (expected === undefined) continue;
      tally.ran += 1;
      try {
        guard(sql, scope);
        tally.passed += 1;
        const { rows } = await engine.read({ sql, values: [] }, scope, LIMITS, signal);
        if (isDeepStrictEqual(comparable(rows), comparable(expected))) tally.same += 1;
        else tally.missed.push(`other rows: ${sql}`);
      } catch (error) {
        tally.missed.push(`${error instanceof Error ? error.message : String(error)} ${sql}`);
      }
      for (const write of writesOf(sql)) {
        tally.writes += 1;
        try {
          guard(write, scope);
          tally.missed.push(`a write passed: ${write}`);
        } catch {
          tally.refused += 1;
        }
      }
    }
  }
  return tally;
};

const row = (name: string, metric: string, value: number, n: number, missed: readonly string[] = []): BenchRow => ({
  bench: 'database',
  case: name,
  metric,
  value: Math.round((value / n) * 10_000) / 10_000,
  unit: 'share',
  n,
  ...(missed.length === 0 ? {} : { note: missed.slice(0, MISSED_SHOWN).join(' | ') }),
});

function* rowsOf(name: string, given: number, { ran, passed, same, writes, refused, missed }: Tally): Generator<BenchRow> {
  yield row(name, 'gold_queries_that_run', ran, given);
  yield row(name, 'gold_queries_passed', passed, ran, missed);
  yield row(name, 'gold_queries_same_rows', same, ran);
  yield row(name, 'writes_refused', refused, writes);
}

function* matched(): Generator<BenchRow> {
  const match = createQueryMatcher(QUERIES);
  const today = new Date(systemClock.now()).toISOString().slice(0, 10);
  const isRight = ({ question, query, parameters }: Paraphrase): boolean => {
    const found = match(question, today);
    return found?.query === query && isDeepStrictEqual({ ...found.parameters }, { ...parameters });
  };
  const others = unanswerable();
  const taken = others.filter((question) => match(question, today) !== undefined);
  const name = `${QUERIES.length} named queries`;
  for (const [metric, set] of [
    ['paraphrases_matched', PARAPHRASES],
    ['held_out_paraphrases_matched', HELD_OUT],
  ] as const) {
    const wrong = set.filter((paraphrase) => !isRight(paraphrase)).map(({ question }) => question);
    yield row(name, metric, set.length - wrong.length, set.length, wrong);
  }
  yield row(name, 'unanswerable_refused', others.length - taken.length, others.length, taken);
}

function* linked(): Generator<BenchRow> {
  const questions = linkQuestions();
  for (const [name, described] of [
    ['defog, 2,000 tables by their names', false],
    ['defog, 2,000 tables, columns described', true],
  ] as const) {
    const { hit, asked, missed } = measureLinking(questions, TABLES_SHOWN, described);
    yield row(name, `all_tables_among_${TABLES_SHOWN}`, hit, asked, missed);
  }
}

export async function* run(): AsyncGenerator<BenchRow> {
  yield* matched();
  yield* linked();
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-bench-database-'));
  try {
    const gold = goldQueries('sqlite');
    yield* rowsOf('defog, SQLite', gold.length, await measure(gold, guardSqlite, (name) => openSqliteIn(folder, name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  await loadGrammar();
  const env = process.env;
  const path = await ensureService(
    postgres,
    systemInstaller(env, process.cwd(), () => {}),
  );
  const server = await postgres.start?.(path, env);
  try {
    const gold = goldQueries('postgres');
    const url = server?.env['TEST_POSTGRES_URL'] ?? '';
    yield* rowsOf('defog, Postgres', gold.length, await measure(gold, guardPostgres, (name) => openPostgresAt(url, name)));
  } finally {
    await server?.stop();
  }
}
