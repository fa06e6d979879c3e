/**
 * A source: one database with the queries and tables that it offers. It is served only after its role was put to the test, and what
 * leaves it is protected and cut.
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import { type DescribedTable, linkTables, type TableCard } from './database-cards.ts';
import type { DatabaseEngine, RawTable, Statement } from './database-engine.ts';
import { bindQuery, checkArguments, type NamedQuery, type QueryArguments } from './database-queries.ts';
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

export interface DatabaseSource {
  readonly settings: SourceSettings;
  readonly dialect: Dialect;
  /** Throws `AppError('tool_refused')` where the role failed the test. Called again, it does nothing more. */
  check(signal: AbortSignal): Promise<void>;
  runQuery(name: string, given: unknown, signal: AbortSignal): Promise<SourceAnswer>;
  runSql(sql: string, signal: AbortSignal): Promise<SourceAnswer>;
  /** The described tables that a question is about; all of them where there are no more than `limit`. */
  findTables(question: string, limit: number, signal: AbortSignal): Promise<readonly DescribedTable[]>;
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
    return { readAt: clock.monotonic(), tables: described, visible };
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
  const run = async (text: string, values: QueryArguments, isFree: boolean, signal: AbortSignal): Promise<SourceAnswer> => {
    const statement = isFree ? { sql: text, values: [] } : bindQuery(text, engine.dialect, values);
    await check(signal);
    const now = await catalog(signal);
    const scope = scopeOf(now, isFree);
    if (isFree && now.tables.length === 0)
      throw new AppError('tool_refused', `The database ${settings.name} describes no tables.`);
    const guard = await loadGuard(engine.dialect);
    guard(engine.dialect === 'postgres' ? statement.sql : text, scope);
    const readAt = new Date(clock.now()).toISOString();
    const table = await read(statement, scope, signal);
    const covered = protectTable(table, { tagOf: tagOf(now.tables), coversValues: settings.coversValues, hashKey });
    return { table: covered, sql: statement.sql, arguments: values, readAt, dataAsOf: await freshness(scope, signal) };
  };

  return {
    settings,
    dialect: engine.dialect,
    check,
    runQuery: async (name, given, signal) => {
      const query = settings.queries[name];
      if (query === undefined) throw new AppError('tool_not_found', `There is no query ${name}.`);
      const values = checkArguments(name, query, given, clock);
      return await run(query.sql, values, false, signal);
    },
    runSql: async (sql, signal) => {
      if (!settings.freeSql) throw new AppError('tool_refused', `The database ${settings.name} takes named queries alone.`);
      return await run(sql.trim().replace(/;\s*$/, ''), {}, true, signal);
    },
    findTables: async (question, limit, signal) => {
      await check(signal);
      const { tables } = await catalog(signal);
      return tables.length <= limit ? tables : linkTables(question, tables, limit);
    },
    close: engine.close,
  };
};
