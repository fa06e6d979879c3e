/**
 * A source: one database with the queries and tables that it offers. It is served only after its role was put to the test, and what
 * leaves it is protected and cut.
 */
import { randomBytes } from 'node:crypto';
import { AppError, hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { DescribedTable, TableCard } from './database-cards.ts';
import type { DatabaseEngine, RawTable, Reader, Statement } from './database-engine.ts';
import { createExampleFinder, type ExampleFinder, type SqlExample } from './database-examples.ts';
import { createTableLinker, type LinkTables } from './database-linking.ts';
import { bindQuery, checkArguments, type NamedQuery, placeless, type QueryArguments } from './database-queries.ts';
import { FILED, protectTable } from './database-values.ts';
import { allowedFunctions } from './sql-functions.ts';
import type { CatalogTable, SqlGuard, SqlScope, Tag } from './sql-guard.ts';
import type { Dialect } from './sql-tokens.ts';

export interface SourceSettings {
  readonly name: string;
  /** Who may be answered from it. */
  readonly label: string;
  /** Queries that a model writes are run, not only named ones. */
  readonly freeSql: boolean;
  readonly timeoutMs: number;
  readonly maxCost: number;
  /** What is described, by name or `schema.name`; alone it may be read. Undefined: everything that the role can read. */
  readonly tables?: Readonly<Record<string, TableCard>> | undefined;
  readonly queries: Readonly<Record<string, NamedQuery>>;
  /** Questions with SQL that a person checked, for a model that writes SQL. */
  readonly examples: readonly SqlExample[];
  /** More functions that a query may call. */
  readonly functions: readonly string[];
  readonly coversValues: boolean;
  /** SQL whose one value says how new the data are. */
  readonly freshness?: string | undefined;
}

export interface SourceAnswer {
  readonly table: RawTable;
  /** As it was sent, with the engine's placeholders. */
  readonly sql: string;
  readonly arguments: QueryArguments;
  readonly readAt: string;
  readonly dataAsOf: string | null;
}

export interface FoundLimits {
  readonly tables: number;
  readonly examples: number;
}

export interface FoundTables {
  /** The described tables that a question is about, best first; all of them where there are no more than may be shown. */
  readonly tables: readonly DescribedTable[];
  /** Those nearest to the question that the guard lets pass. */
  readonly examples: readonly SqlExample[];
  /** Whether a table or an example has a word of the question. */
  readonly fits: boolean;
}

export interface DatabaseSource {
  readonly settings: SourceSettings;
  readonly dialect: Dialect;
  /** Throws `AppError('tool_refused')` where the role failed the test. Called again, it does nothing more. */
  check(signal: AbortSignal): Promise<void>;
  runQuery(name: string, given: unknown, signal: AbortSignal, reader?: Reader): Promise<SourceAnswer>;
  runSql(sql: string, signal: AbortSignal, reader?: Reader): Promise<SourceAnswer>;
  /** How many tables may be read, once the role has passed its test. Throws as `check`, and what the engine throws. */
  countTables(signal: AbortSignal): Promise<number>;
  findTables(question: string, limits: FoundLimits, signal: AbortSignal): Promise<FoundTables>;
  close(): Promise<void>;
}

/** The grammar of Postgres is a megabyte that other databases do not need. */
const loadGuard = async (dialect: Dialect): Promise<SqlGuard> => {
  switch (dialect) {
    case 'sqlite':
      return (await import('./sql-sqlite.ts')).guardSqlite;
    case 'mysql':
      return (await import('./sql-mysql.ts')).guardMysql;
    case 'postgres': {
      const { guardPostgres, loadGrammar } = await import('./sql-postgres.ts');
      await loadGrammar();
      return guardPostgres;
    }
  }
};

const WIRE_BYTES = 4 * 1024 * 1024;
const CATALOG_AGE_MS = 600_000;
const NO_CARD: TableCard = { columns: {}, joins: [] };

interface Known {
  /** Made when they are first needed: a source without SQL of a model needs neither. */
  readonly link: () => LinkTables;
  readonly examples: (signal: AbortSignal) => Promise<ExampleFinder>;
  readonly readAt: number;
  readonly tables: readonly DescribedTable[];
  readonly visible: readonly CatalogTable[];
}

/** Columns that may not be named: those that are tagged, in a query that a model wrote; those that are denied, in every query. */
const closedOf = ({ table, card }: DescribedTable, isFree: boolean): ReadonlySet<string> =>
  new Set(
    table.columns
      .filter(({ name }) => (isFree ? card.columns[name]?.tag !== undefined : card.columns[name]?.tag === 'deny'))
      .map(({ name }) => name.toLowerCase()),
  );

export const createDatabaseSource = (deps: {
  readonly settings: SourceSettings;
  readonly engine: DatabaseEngine;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Finds examples by meaning. */
  readonly embedder?: Embedder | undefined;
}): DatabaseSource => {
  const { settings, engine, clock } = deps;
  const logger = deps.logger.with({ source: settings.name });
  const hashKey = randomBytes(32);
  const functions = allowedFunctions(engine.dialect, settings.functions);
  let known: Promise<Known> | undefined;
  let tested: Promise<readonly string[]> | undefined;

  const scopeOf = ({ tables, visible }: Known, isFree: boolean): SqlScope => ({
    dialect: engine.dialect,
    visible,
    allowed: new Set(tables.map(({ table }) => table)),
    functions,
    closed: new Map(tables.map((described) => [described.table, closedOf(described, isFree)])),
  });

  /** The tables of an example may have changed since a person checked it: what the guard refuses is not shown. */
  const findVerified = async (now: Known, signal: AbortSignal): Promise<ExampleFinder> => {
    const guard = await loadGuard(engine.dialect);
    const scope = scopeOf(now, true);
    const named = Object.values(settings.queries).flatMap(({ description, examples, sql }) =>
      [description, ...examples].map((question) => ({ question, sql })),
    );
    const passes = async ({ sql }: SqlExample): Promise<boolean> => {
      try {
        guard(placeless(sql, engine.dialect), scope);
        // The names of a statement are asked of SQLite's authorizer, which its plan passes as well.
        if (engine.dialect === 'sqlite') await read({ sql: `EXPLAIN QUERY PLAN ${sql}`, values: [] }, scope, signal);
        return true;
      } catch (error) {
        if (hasCode(error, 'tool_refused') || hasCode(error, 'tool_arguments')) return false;
        throw error;
      }
    };
    const given = [...settings.examples, ...named];
    const isGood: boolean[] = [];
    for (const example of given) isGood.push(await passes(example));
    const stale = settings.examples.filter((_, at) => isGood[at] === false).map(({ question }) => question);
    if (stale.length > 0) logger.warn('database_examples_refused', { examples: stale });
    const good = given.filter((_, at) => isGood[at]);
    return createExampleFinder(good, { embedder: deps.embedder, clock, logger });
  };

  const readCatalog = async (signal: AbortSignal): Promise<Known> => {
    const visible = await engine.readCatalog(signal);
    const { tables } = settings;
    const cardOf = ({ schema, name }: CatalogTable): TableCard | undefined =>
      tables === undefined ? NO_CARD : (tables[`${schema}.${name}`] ?? tables[name]);
    const described = visible.flatMap((table) => {
      const card = cardOf(table);
      return card === undefined ? [] : [{ table, card }];
    });
    const missing = Object.keys(tables ?? {}).filter(
      (key) => !visible.some(({ schema, name }) => key === name || key === `${schema}.${name}`),
    );
    if (missing.length > 0) logger.warn('database_tables_missing', { tables: missing });
    let link: LinkTables | undefined;
    let examples: Promise<ExampleFinder> | undefined;
    const known: Known = {
      readAt: clock.monotonic(),
      tables: described,
      visible,
      link: () => (link ??= createTableLinker(described)),
      examples: async (signal) => {
        examples ??= findVerified(known, signal);
        return await examples.catch((error: unknown) => {
          examples = undefined;
          throw error;
        });
      },
    };
    return known;
  };

  /** What fails is tried again with the next question. */
  const catalog = async (signal: AbortSignal): Promise<Known> => {
    const before = await known?.catch(() => undefined);
    if (before === undefined || clock.monotonic() - before.readAt > CATALOG_AGE_MS) known = readCatalog(signal);
    try {
      return await (known as Promise<Known>);
    } catch (error) {
      known = undefined;
      throw error;
    }
  };

  const check = async (signal: AbortSignal): Promise<void> => {
    tested ??= engine.tryAttacks(signal).then((worked) => {
      if (worked.length > 0) logger.error('database_refused', { worked });
      return worked;
    });
    const worked = await tested.catch((error: unknown) => {
      tested = undefined;
      throw error;
    });
    if (worked.length === 0) return;
    throw new AppError(
      'tool_refused',
      `The database ${settings.name} is not served, because its role has too many rights: ${worked.join('; ')}. An administrator can mend this; do not try again.`,
    );
  };

  const tagOf = (tables: readonly DescribedTable[]) => {
    const tags = new Map<string, Tag>();
    const byName = new Map<string, Tag>();
    for (const { table, card } of tables) {
      for (const [column, { tag }] of Object.entries(card.columns)) {
        if (tag === undefined) continue;
        tags.set(JSON.stringify([table.name, column]), tag);
        byName.set(column, tag);
      }
    }
    return ({ name, origin }: RawTable['columns'][number]): Tag | undefined =>
      origin === undefined ? byName.get(name) : tags.get(JSON.stringify([origin.table, origin.column]));
  };

  const read = async (statement: Statement, scope: SqlScope, signal: AbortSignal): Promise<RawTable> =>
    await engine.read(
      statement,
      scope,
      { timeoutMs: settings.timeoutMs, maxCost: settings.maxCost, rows: FILED.rows, bytes: WIRE_BYTES },
      signal,
    );

  const freshness = async (scope: SqlScope, signal: AbortSignal): Promise<string | null> => {
    if (settings.freshness === undefined) return null;
    try {
      const { rows } = await read({ sql: settings.freshness, values: [] }, scope, signal);
      return rows[0]?.[0] == null ? null : String(rows[0][0]);
    } catch (error) {
      logger.warn('database_freshness_unknown', { error: error instanceof Error ? error : undefined });
      return null;
    }
  };

  /** `text` is what the guard reads: the grammar of Postgres knows placeholders, the other dialects keep the names of parameters. */
  const run = async (
    text: string,
    values: QueryArguments,
    isFree: boolean,
    signal: AbortSignal,
    reader: Reader | undefined,
  ): Promise<SourceAnswer> => {
    const statement = isFree ? { sql: text, values: [] } : bindQuery(text, engine.dialect, values);
    await check(signal);
    const now = await catalog(signal);
    const scope = scopeOf(now, isFree);
    if (isFree && now.tables.length === 0)
      throw new AppError('tool_refused', `The database ${settings.name} describes no tables.`);
    const guard = await loadGuard(engine.dialect);
    guard(engine.dialect === 'postgres' ? statement.sql : text, scope);
    const readAt = new Date(clock.now()).toISOString();
    const table = await read({ ...statement, reader }, scope, signal);
    const covered = protectTable(table, { tagOf: tagOf(now.tables), coversValues: settings.coversValues, hashKey });
    return { table: covered, sql: statement.sql, arguments: values, readAt, dataAsOf: await freshness(scope, signal) };
  };

  return {
    settings,
    dialect: engine.dialect,
    check,
    runQuery: async (name, given, signal, reader) => {
      const query = settings.queries[name];
      if (query === undefined) throw new AppError('tool_not_found', `There is no query ${name}.`);
      const values = checkArguments(name, query, given, clock);
      return await run(query.sql, values, false, signal, reader).catch((error: unknown) => {
        if (!hasCode(error, 'tool_arguments')) throw error;
        // Its arguments had passed: the query is wrong, or the tables are others by now. No caller can mend that.
        logger.error('database_query_broken', { query: name, error });
        throw new AppError('tool_failed', `The query ${name} does not fit its database.`, { cause: error });
      });
    },
    runSql: async (sql, signal, reader) => {
      if (!settings.freeSql) throw new AppError('tool_refused', `The database ${settings.name} takes named queries alone.`);
      return await run(sql.trim().replace(/;\s*$/, ''), {}, true, signal, reader);
    },
    countTables: async (signal) => {
      await check(signal);
      return (await catalog(signal)).tables.length;
    },
    findTables: async (question, limits, signal) => {
      await check(signal);
      const now = await catalog(signal);
      const linked = now.link()(question, limits.tables);
      const examples = await (await now.examples(signal)).find(question, limits.examples, signal);
      return {
        tables: now.tables.length <= limits.tables ? now.tables : linked,
        examples,
        fits: linked.length + examples.length > 0,
      };
    },
    close: engine.close,
  };
};
