/** The databases of the configuration, opened: their sources and the tools that read them. Each connects when it is first asked. */
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { ToolRegistry } from '../agent/registry.ts';
import { createFindTables, createQueryDatabase, createReadQuery, createRunSql, type ReadQuery } from './database.ts';
import type { DatabaseEngine } from './database-engine.ts';
import { createDatabaseSource, type DatabaseSource, type SourceSettings } from './database-source.ts';
import type { Dialect } from './sql-tokens.ts';

export interface DatabaseDescription extends Omit<SourceSettings, 'coversValues'> {
  readonly engine: Dialect;
  readonly place: { readonly url: { reveal(): string } } | { readonly path: string } | { readonly seed: string };
  readonly schemas: readonly string[];
  /** At the same time. They are apart from those of the assistant's own store. */
  readonly connections: number;
  readonly coverValues: boolean;
}

export interface Databases {
  registerTools(registry: ToolRegistry): void;
  /** Undefined where there are no named queries. */
  readonly readQuery: ReadQuery | undefined;
  close(): Promise<void>;
}

const openEngine = async (
  { engine, place, schemas, connections }: DatabaseDescription,
  clock: Clock,
): Promise<DatabaseEngine> => {
  if (!('url' in place)) {
    const { createSqliteEngine } = await import('./database-sqlite.ts');
    return createSqliteEngine({ place, clock });
  }
  const url = place.url.reveal();
  if (engine === 'postgres') {
    const { createPostgresEngine } = await import('./database-postgres.ts');
    return createPostgresEngine({ url, schemas, clock, connections });
  }
  const { createMysqlEngine } = await import('./database-mysql.ts');
  return createMysqlEngine({ url, clock, connections });
};

export interface DatabaseState {
  readonly name: string;
  readonly tables: number;
  /** Why it is not served, where it is not. */
  readonly problem: string | undefined;
}

/** One database: whether it is reached, what its role was let do in the test, and whether there is anything to read. Throws nothing. */
export const testDatabase = async (
  description: DatabaseDescription,
  { clock, logger, signal }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<DatabaseState> => {
  const { name } = description;
  const settings: SourceSettings = { ...description, coversValues: description.coverValues };
  let source: DatabaseSource | undefined;
  try {
    source = createDatabaseSource({ settings, engine: await openEngine(description, clock), clock, logger });
    return { name, tables: await source.countTables(signal), problem: undefined };
  } catch (error) {
    return { name, tables: 0, problem: error instanceof Error ? error.message : String(error) };
  } finally {
    await source?.close();
  }
};

/** The roles of servers are put to the test at once, beside everything else; what fails is logged and tried again when asked. */
export const openDatabases = async (
  databases: readonly DatabaseDescription[],
  { clock, logger, embedder }: { readonly clock: Clock; readonly logger: Logger; readonly embedder?: Embedder | undefined },
): Promise<Databases> => {
  const sources = await Promise.all(
    databases.map(async (description) => {
      const settings: SourceSettings = { ...description, coversValues: description.coverValues };
      return createDatabaseSource({ settings, engine: await openEngine(description, clock), clock, logger, embedder });
    }),
  );
  const closing = new AbortController();
  const tests = sources
    .filter(({ dialect }) => dialect !== 'sqlite')
    .map(async (source) => {
      await source.check(closing.signal).catch((error: unknown) => {
        logger.warn('database_not_served', { source: source.settings.name, error: error instanceof Error ? error : undefined });
      });
    });
  const named = sources.filter(({ settings }) => Object.keys(settings.queries).length > 0);
  return {
    readQuery: named.length === 0 ? undefined : createReadQuery(named),
    registerTools: (registry) => {
      const free = sources.filter(({ settings }) => settings.freeSql);
      if (named.length > 0) registry.registerTool(createQueryDatabase({ sources: named }));
      if (free.length === 0) return;
      registry.registerTool(createFindTables({ sources: free }));
      registry.registerTool(createRunSql({ sources: free }));
    },
    close: async () => {
      closing.abort();
      await Promise.all([...tests, ...sources.map((source) => source.close())]);
    },
  };
};
