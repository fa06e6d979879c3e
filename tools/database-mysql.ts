/**
 * MariaDB, and MySQL by the same words. Each query has a connection of its own, which is destroyed after it. The statement is
 * prepared, which takes one at a time, in a read-only transaction that is rolled back.
 */
import { type Connection, createConnection, type FieldPacket, type RowDataPacket } from 'mysql2/promise';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import {
  createTurnstile,
  type DatabaseEngine,
  mistake,
  noRight,
  type RawCell,
  type ReadLimits,
  type Statement,
  tooCostly,
  tooManyBytes,
  tooSlow,
  unreachable,
} from './database-engine.ts';
import type { CatalogTable } from './sql-guard.ts';

export interface MysqlOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly connections: number;
}

const CONNECT_MS = 5_000;
const GRACE_MS = 250;

const CATALOG = `
  SELECT table_schema AS s, table_name AS t, column_name AS c, column_type AS d, table_schema = database() AS own
  FROM information_schema.columns
  WHERE table_schema NOT IN ('information_schema', 'performance_schema', 'sys') AND FIND_IN_SET('select', privileges) > 0
  ORDER BY own DESC, table_schema, table_name, ordinal_position`;

const FOREIGN_KEYS = `
  SELECT table_schema, table_name, column_name, referenced_table_name, referenced_column_name
  FROM information_schema.key_column_usage
  WHERE referenced_table_name IS NOT NULL
  ORDER BY table_schema, table_name, ordinal_position`;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/** https://mariadb.com/kb/en/mariadb-error-codes/ */
const asAppError = (error: unknown, timeoutMs: number): unknown => {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  if (/^(?:ER_STATEMENT_TIMEOUT|ER_QUERY_TIMEOUT|ER_QUERY_INTERRUPTED|ER_LOCK_WAIT_TIMEOUT)$/.test(code))
    return tooSlow(timeoutMs);
  if (/DENIED|ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION|ER_OPTION_PREVENTS_STATEMENT/.test(code)) return noRight(error);
  if (/^(?:E[A-Z]+$|PROTOCOL_|ER_CON_COUNT|ER_TOO_MANY_USER|ER_USER_LIMIT|ER_SERVER_SHUTDOWN|HANDSHAKE)/.test(code))
    return unreachable(error);
  if (
    /^ER_(?:PARSE|BAD_FIELD|NO_SUCH_TABLE|SP_DOES_NOT_EXIST|NON_UNIQ|WRONG|MIX_OF|SYNTAX|ILLEGAL|UNSUPPORTED|NONUNIQ|INVALID|OPERAND|SUBQUERY|DERIVED|BAD_TABLE)/.test(
      code,
    )
  )
    return mistake(message, error);
  return new AppError('tool_failed', `The database failed (${code}).`, { cause: error });
};

const readCell = (value: unknown): RawCell => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return `(${value.length} bytes)`;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
};

/** The product of the rows that each table of the plan is looked at with. */
const rowsOfPlan = (plan: readonly RowDataPacket[]): number =>
  plan.reduce((product, row) => product * Math.max(1, Number(row['rows'] ?? 1)), 1);

/** The names of its own columns, which mysql2 types as optional. */
const originOf = ({ orgTable, orgName }: FieldPacket & { orgTable?: string; orgName?: string }) =>
  orgTable && orgName ? { table: orgTable, column: orgName } : undefined;

export const createMysqlEngine = ({ url, clock, connections }: MysqlOptions): DatabaseEngine => {
  const turnstile = createTurnstile(connections);

  const connected = <Value>(
    timeoutMs: number,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value> =>
    turnstile(async () => {
      let connection: Connection | undefined;
      let stopTimer = (): void => {};
      let reason: AppError | undefined;
      const cut = (): void => connection?.destroy();
      const failed = Promise.withResolvers<never>();
      failed.promise.catch(() => {});
      const onAbort = (): void => {
        cut();
        failed.reject(signal.reason);
      };
      try {
        connection = await createConnection({
          uri: url,
          connectTimeout: CONNECT_MS,
          multipleStatements: false,
          dateStrings: true,
          supportBigNumbers: true,
          decimalNumbers: false,
          rowsAsArray: true,
          infileStreamFactory: () => {
            throw new AppError('tool_refused', 'The server asked for a file of this machine.');
          },
        });
        connection.on('error', () => {});
        signal.throwIfAborted();
        signal.addEventListener('abort', onAbort, { once: true });
        stopTimer = clock.after(timeoutMs + GRACE_MS, () => {
          reason = tooSlow(timeoutMs);
          cut();
          failed.reject(reason);
        });
        return await Promise.race([work(connection), failed.promise]);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw reason ?? asAppError(error, timeoutMs);
      } finally {
        stopTimer();
        signal.removeEventListener('abort', onAbort);
        cut();
      }
    }, signal);

  const prepareSession = async (connection: Connection, limits: ReadLimits): Promise<void> => {
    const [version] = await connection.query<RowDataPacket[]>('SELECT version()');
    const isMaria = /mariadb/i.test(String((version[0] as unknown as unknown[])[0]));
    await connection.query(
      `SET SESSION ${isMaria ? `max_statement_time = ${limits.timeoutMs / 1000}` : `max_execution_time = ${limits.timeoutMs}`}`,
    );
    await connection.query(
      "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY,NO_BACKSLASH_ESCAPES', time_zone = '+00:00'",
    );
    await connection.query(
      `SET SESSION sql_select_limit = ${limits.rows + 1}, lock_wait_timeout = ${Math.ceil(limits.timeoutMs / 1000)}`,
    );
    await connection.query('START TRANSACTION READ ONLY');
  };

  const read = (connection: Connection, { sql, values }: Statement) =>
    connection.execute<RowDataPacket[]>({ sql, rowsAsArray: true }, [...values]);

  /** A view over tables that the role has no right to is not explained: the limit of time holds there, and no estimate. */
  const costOf = async (connection: Connection, { sql, values }: Statement): Promise<number> => {
    try {
      const [plan] = await connection.execute<RowDataPacket[]>({ sql: `EXPLAIN ${sql}`, rowsAsArray: false }, [...values]);
      return rowsOfPlan(plan);
    } catch (error) {
      if (codeOf(error) === 'ER_VIEW_NO_EXPLAIN') return 0;
      throw error;
    }
  };

  return {
    dialect: 'mysql',
    readCatalog: (signal) =>
      connected(CONNECT_MS, signal, async (connection) => {
        const [rows] = await connection.query<RowDataPacket[]>({ sql: CATALOG, rowsAsArray: true });
        const tables = new Map<string, CatalogTable & { readonly columns: { name: string; type: string }[] }>();
        for (const [schema, name, column, type] of rows as unknown as string[][]) {
          const key = JSON.stringify([schema, name]);
          const table = tables.get(key) ?? { schema: schema ?? '', name: name ?? '', columns: [] };
          table.columns.push({ name: column ?? '', type: type ?? '' });
          tables.set(key, table);
        }
        const [keys] = await connection.query<RowDataPacket[]>({ sql: FOREIGN_KEYS, rowsAsArray: true });
        const own = Map.groupBy(keys as unknown as string[][], ([schema, name]) => JSON.stringify([schema, name]));
        return [...tables].map(([key, table]) => ({
          ...table,
          keys: (own.get(key) ?? []).map(([, , column = '', otherTable = '', otherColumn = '']) => ({
            column,
            otherTable,
            otherColumn,
          })),
        }));
      }),

    read: (statement, _scope, limits, signal) =>
      connected(limits.timeoutMs, signal, async (connection) => {
        let bytes = 0;
        const { stream } = (
          connection as unknown as { connection: { stream: NodeJS.ReadableStream & { destroy(error: Error): void } } }
        ).connection;
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > limits.bytes) stream.destroy(tooManyBytes(limits.bytes));
        });
        try {
          await prepareSession(connection, limits);
          const cost = await costOf(connection, statement);
          if (cost > limits.maxCost) throw tooCostly(cost, limits.maxCost);
          const [rows, fields] = await read(connection, statement);
          await connection.query('ROLLBACK');
          return {
            columns: fields.map((field) => ({ name: field.name, origin: originOf(field) })),
            rows: (rows as unknown as unknown[][]).slice(0, limits.rows).map((row) => row.map(readCell)),
            hasMore: rows.length > limits.rows,
          };
        } catch (error) {
          throw bytes > limits.bytes ? tooManyBytes(limits.bytes) : error;
        }
      }),

    tryAttacks: async (signal) => {
      const worked: string[] = [];
      for (const { name, sql } of MYSQL_ATTACKS) {
        await connected(CONNECT_MS, signal, async (connection) => {
          await connection.query('START TRANSACTION');
          try {
            const [rows] = await connection.query(sql);
            if (!Array.isArray(rows) || rows.length > 0) worked.push(name);
          } catch (error) {
            if (!codeOf(error).startsWith('ER_')) throw error;
          }
          await connection.query('ROLLBACK');
        });
      }
      return worked;
    },
    close: async () => {},
  };
};

/** A question works when it has an answer. What makes something ends a transaction in these engines, so that rights are looked up. */
const MYSQL_ATTACKS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'it has a right beyond SELECT on the whole server',
    sql: "SELECT privilege_type FROM information_schema.user_privileges WHERE privilege_type NOT IN ('USAGE', 'SELECT')",
  },
  {
    name: 'it can read every database of the server',
    sql: "SELECT privilege_type FROM information_schema.user_privileges WHERE privilege_type = 'SELECT'",
  },
  {
    name: 'it has a right beyond SELECT on a database',
    sql: "SELECT privilege_type FROM information_schema.schema_privileges WHERE privilege_type NOT IN ('SELECT', 'SHOW VIEW')",
  },
  {
    name: 'it has a right beyond SELECT on a table',
    sql: "SELECT privilege_type FROM information_schema.table_privileges WHERE privilege_type NOT IN ('SELECT', 'SHOW VIEW') UNION ALL SELECT privilege_type FROM information_schema.column_privileges WHERE privilege_type <> 'SELECT'",
  },
  {
    name: 'it can call a procedure or a function',
    sql: "SELECT routine_name FROM information_schema.routines WHERE routine_schema NOT IN ('sys', 'mysql')",
  },
  { name: 'it can write a file', sql: "SELECT 1 INTO OUTFILE '/dev/null'" },
  {
    name: 'it can read a file of the server',
    sql: "SELECT 1 FROM (SELECT LOAD_FILE('/etc/hostname') AS f) AS x WHERE f IS NOT NULL",
  },
  { name: 'it can read the accounts of the server', sql: 'SELECT 1 FROM mysql.user LIMIT 1' },
];
