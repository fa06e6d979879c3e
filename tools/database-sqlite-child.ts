/**
 * The process that reads a SQLite database: it can be killed, which a query inside SQLite cannot. Each query has a connection of its
 * own that is opened for reading, a limit of memory, and an authorizer that names what may be read and called.
 */
import { readFileSync } from 'node:fs';
import { constants, DatabaseSync } from 'node:sqlite';
import type { RawCell, SqlValue } from './database-engine.ts';
import type { Permissions, SqliteAnswer, SqlitePlace, SqliteRequest } from './database-sqlite-messages.ts';

const HEAP_BYTES = 64 * 1024 * 1024;
const LONGEST_VALUE = 4 * 1024 * 1024;
/** Of the full-text index: it asks whether the file has changed. */
const HARMLESS_PRAGMA = 'data_version';
const TABLE_FUNCTIONS = ['json_each'];

const place = JSON.parse(process.argv[2] ?? '{}') as SqlitePlace;
const send = (message: SqliteAnswer): void => void process.send?.(message);

const openSeed = (path: string): DatabaseSync => {
  const database = new DatabaseSync(':memory:');
  database.exec(readFileSync(path, 'utf8'));
  return database;
};
/** A database in memory ends with its connection, so that its queries share one. */
let kept: DatabaseSync | undefined;

const withDatabase = <Value>(use: (database: DatabaseSync) => Value): Value => {
  const database = kept ?? new DatabaseSync('path' in place ? place.path : ':memory:', { readOnly: true, timeout: 500 });
  try {
    database.exec(`PRAGMA query_only = ON; PRAGMA hard_heap_limit = ${HEAP_BYTES}; PRAGMA trusted_schema = OFF`);
    return use(database);
  } finally {
    if (kept === undefined) database.close();
  }
};

interface Listed {
  readonly name: string;
  readonly type: string;
}

const listTables = (database: DatabaseSync): readonly Listed[] =>
  database.prepare("SELECT name, type FROM pragma_table_list WHERE schema = 'main' ORDER BY name").all() as unknown as Listed[];

const readCatalog = (database: DatabaseSync): SqliteAnswer => {
  const columns = database.prepare('SELECT name, type FROM pragma_table_xinfo(?)');
  const keys = database.prepare('SELECT "table" AS target, "from" AS own, "to" AS other FROM pragma_foreign_key_list(?)');
  const tables = listTables(database).filter(({ name }) => !name.startsWith('sqlite_'));
  return {
    type: 'catalog',
    tables: tables.map(({ name }) => ({
      schema: '',
      name,
      columns: columns.all(name).map((column) => ({ name: String(column['name']), type: String(column['type']) })),
      keys: keys
        .all(name)
        .filter(({ other }) => other !== null)
        .map(({ own, target, other }) => ({ column: String(own), otherTable: String(target), otherColumn: String(other) })),
    })),
  };
};

const authorize = (database: DatabaseSync, { tables, closed, functions }: Permissions): void => {
  const all = listTables(database);
  const virtual = all.filter(({ name, type }) => type === 'virtual' && tables.includes(name.toLowerCase()));
  const shadows = all.filter(({ name, type }) => type === 'shadow' && virtual.some((table) => name.startsWith(`${table.name}_`)));
  const views = new Set(
    all.filter(({ name, type }) => type === 'view' && tables.includes(name.toLowerCase())).map(({ name }) => name),
  );
  const readable = new Set([...tables, ...TABLE_FUNCTIONS, ...shadows.map(({ name }) => name.toLowerCase())]);
  const callable = new Set(functions);
  const hidden = new Set(closed.map(({ table, column }) => JSON.stringify([table, column])));
  database.setAuthorizer((action, first, second, _schema, through) => {
    const [one, two] = [(first ?? '').toLowerCase(), (second ?? '').toLowerCase()];
    const isAllowed = ((): boolean => {
      switch (action) {
        case constants.SQLITE_SELECT:
        case constants.SQLITE_RECURSIVE:
          return true;
        case constants.SQLITE_READ:
          if (through !== null && views.has(through)) return true;
          return readable.has(one) && !hidden.has(JSON.stringify([one, two]));
        case constants.SQLITE_FUNCTION:
          return callable.has(two);
        case constants.SQLITE_PRAGMA:
          return one === HARMLESS_PRAGMA && second === null;
        default:
          return false;
      }
    })();
    return isAllowed ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
};

const readCell = (value: unknown): RawCell => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return `(${value.length} bytes)`;
  return typeof value === 'string' || typeof value === 'number' ? value : null;
};

/** A number would be bound as a float. */
const bindable = (value: SqlValue): SqlValue | bigint => (Number.isSafeInteger(value) ? BigInt(value as number) : value);

const read = (database: DatabaseSync, request: SqliteRequest & { readonly type: 'read' }): SqliteAnswer => {
  // Node before 24.20 has no limits here; the limit of memory holds without them.
  const { limits } = database as { limits?: { length: number } };
  if (limits !== undefined) limits.length = LONGEST_VALUE;
  database.exec('BEGIN');
  authorize(database, request.permissions);
  try {
    const statement = database.prepare(request.sql);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const rows: RawCell[][] = [];
    let bytes = 0;
    for (const row of statement.iterate(...request.values.map(bindable))) {
      const cells = (row as unknown as unknown[]).map(readCell);
      bytes += cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0);
      if (bytes > request.bytes) return { type: 'too_large' };
      rows.push(cells);
      if (rows.length > request.rows) break;
    }
    return {
      type: 'rows',
      columns: statement.columns().map(({ name, table, column }) => ({
        name,
        origin: table === null || column === null ? undefined : { table, column },
      })),
      rows,
    };
  } finally {
    database.setAuthorizer(null);
    database.exec('ROLLBACK');
  }
};

const failed = (error: unknown): SqliteAnswer & { readonly type: 'failed' } => {
  const code = (error as { errcode?: unknown }).errcode;
  return {
    type: 'failed',
    code: typeof code === 'number' ? code : 0,
    message: error instanceof Error ? error.message : 'unknown',
  };
};

process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  const request = message as SqliteRequest;
  try {
    send(withDatabase((database) => (request.type === 'catalog' ? readCatalog(database) : read(database, request))));
  } catch (error) {
    send(failed(error));
  }
});
try {
  if ('seed' in place) kept = openSeed(place.seed);
  send({ type: 'ready' });
} catch (error) {
  send({ ...failed(error), code: 0 });
}
