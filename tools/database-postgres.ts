/**
 * Postgres. Each query has a connection of its own, which is closed after it: no lock, setting, temporary table or prepared statement
 * outlives it. The statement goes by the extended protocol, which takes one at a time, as a cursor inside a read-only transaction
 * that is rolled back.
 */
import { Client, DatabaseError, type QueryArrayResult, type QueryResultRow } from 'pg';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import {
  createTurnstile,
  type DatabaseEngine,
  mistake,
  noRight,
  type RawCell,
  type RawTable,
  type Reader,
  type SqlValue,
  tooCostly,
  tooManyBytes,
  tooSlow,
  unreachable,
} from './database-engine.ts';
import { POSTGRES_ATTACKS } from './database-postgres-attacks.ts';
import type { CatalogTable, ForeignKey } from './sql-guard.ts';

export interface PostgresOptions {
  readonly url: string;
  /** The search path; the first one that has a name is meant by it. */
  readonly schemas: readonly string[];
  readonly clock: Clock;
  readonly connections: number;
  /** A wall left out, for the test that the others hold without it. */
  readonly without?: PostgresWall;
}

export type PostgresWall =
  | 'protocol'
  | 'transaction'
  | 'database_limits'
  | 'timer'
  | 'cost'
  | 'bytes'
  | 'rollback'
  | 'new_connection';

const CONNECT_MS = 5_000;
/** Beyond the database's own limit, after which the connection is cut. */
const GRACE_MS = 250;
const WORK_MEM = '16MB';

const CATALOG = `
  SELECT n.nspname AS schema, c.relname AS name, a.attname AS "column", format_type(a.atttypid, a.atttypmod) AS type
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname = ANY($1)
    AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
    AND has_column_privilege(c.oid, a.attnum, 'SELECT')
  ORDER BY array_position($1, n.nspname::text), c.relname, a.attnum`;

/** Of columns that the role can read. */
const FOREIGN_KEYS = `
  SELECT n.nspname AS schema, c.relname AS name, a.attname AS "column", t.relname AS "otherTable", b.attname AS "otherColumn"
  FROM pg_constraint k
  JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_class t ON t.oid = k.confrelid
  CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair(own, other)
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = pair.own JOIN pg_attribute b ON b.attrelid = t.oid AND b.attnum = pair.other
  WHERE k.contype = 'f' AND n.nspname = ANY($1)
    AND has_column_privilege(c.oid, a.attnum, 'SELECT') AND has_column_privilege(t.oid, b.attnum, 'SELECT')
  ORDER BY 1, 2, 3, 4, 5`;

/** For the row security of views and tables, until the transaction ends. No statement that passes the guard can set them. */
const SET_READER = "SELECT set_config('threadwise.user', $1, true), set_config('threadwise.labels', $2, true)";

const ORIGINS =
  'SELECT attrelid AS relation, attnum AS number, relname AS "table", attname AS "column" FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE attrelid = ANY($1)';

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** https://www.postgresql.org/docs/current/catalog-pg-type.html: the types whose text is a number or a truth value. */
const BOOL = 16;
const BYTES = 17;
const WHOLE = new Set([20, 21, 23]);
const FLOATS = new Set([700, 701]);

const readCell = (text: unknown, type: number): RawCell => {
  if (typeof text !== 'string') return null;
  if (type === BOOL) return text === 't';
  if (type === BYTES) return `(${(text.length - 2) / 2} bytes)`;
  const number = Number(text);
  return FLOATS.has(type) || (WHOLE.has(type) && Number.isSafeInteger(number)) ? number : text;
};

const asText = { getTypeParser: () => (text: string) => text } as unknown as NonNullable<import('pg').QueryConfig['types']>;

/** By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html. Values stay out of what the model is told. */
const asAppError = (error: unknown, timeoutMs: number): unknown => {
  if (error instanceof AppError) return error;
  if (!(error instanceof DatabaseError)) return unreachable(error);
  const { code = '', message } = error;
  if (code === '57014' || code === '55P03' || code === '25P03' || code === '25P04') return tooSlow(timeoutMs);
  if (code === '42501' || code === '25006' || code.startsWith('28')) return noRight(error);
  if (/^(?:08|53300|53400|57P)/.test(code)) return unreachable(error);
  if (code.startsWith('42')) return mistake(message, error);
  if (code.startsWith('22')) return mistake(`a value has the wrong form (${code})`, error);
  if (code.startsWith('53') || code.startsWith('54'))
    return new AppError('tool_too_large', 'The query needs more than the database allows. Narrow it.', { cause: error });
  return new AppError('tool_failed', `The database failed (${code}).`, { cause: error });
};

/** The socket, plain or TLS: pg does not type it. */
const socketOf = (client: Client): NodeJS.ReadableStream & { destroy(error?: Error): void } =>
  (client as unknown as { connection: { stream: NodeJS.ReadableStream & { destroy(error?: Error): void } } }).connection.stream;

export const createPostgresEngine = ({ url, schemas, clock, connections, without }: PostgresOptions): DatabaseEngine => {
  const turnstile = createTurnstile(connections);
  const path = schemas.map(quoteName).join(', ');

  const openClient = (): Client => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, application_name: 'threadwise' });
    // A connection that breaks while nothing is asked of it says so here; whoever asks next is told.
    client.on('error', () => {});
    return client;
  };
  /** Not waited for: a database that hangs does not hold the answer up. */
  const discard = (client: Client): void => {
    void client.end().catch(() => {});
    clock.after(GRACE_MS, () => socketOf(client).destroy(new Error('closed')));
  };
  /** With a wall left out alone: else each work has a connection of its own. */
  let kept: Client | undefined;

  /** A connection for one piece of work, cut when the time is over. */
  const connected = <Value>(timeoutMs: number, signal: AbortSignal, work: (client: Client) => Promise<Value>): Promise<Value> =>
    turnstile(async () => {
      const client = kept ?? openClient();
      const cut = (reason: Error): void => socketOf(client).destroy(reason);
      const onAbort = (): void => cut(new Error('aborted'));
      let stopTimer = (): void => {};
      let reason: AppError | undefined;
      try {
        if (client !== kept) await client.connect();
        if (without === 'new_connection') kept = client;
        signal.throwIfAborted();
        signal.addEventListener('abort', onAbort, { once: true });
        if (without !== 'timer')
          stopTimer = clock.after(timeoutMs + GRACE_MS, () => {
            reason = tooSlow(timeoutMs);
            cut(reason);
          });
        return await work(client);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw reason ?? asAppError(error, timeoutMs);
      } finally {
        stopTimer();
        signal.removeEventListener('abort', onAbort);
        if (kept !== undefined) await kept.query('ROLLBACK');
        else discard(client);
      }
    }, signal);

  const limitsOf = (timeoutMs: number): string =>
    `SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL lock_timeout = ${timeoutMs}; ` +
    `SET LOCAL idle_in_transaction_session_timeout = ${timeoutMs + GRACE_MS}; SET LOCAL work_mem = '${WORK_MEM}'; SET LOCAL max_parallel_workers_per_gather = 0; `;

  const begin = async (client: Client, timeoutMs: number, reader?: Reader): Promise<void> => {
    await client.query(
      `BEGIN READ ${without === 'transaction' ? 'WRITE' : 'ONLY'}; ${without === 'database_limits' ? '' : limitsOf(timeoutMs)}` +
        `SET LOCAL search_path = ${path}; SET LOCAL standard_conforming_strings = on; SET LOCAL datestyle = 'ISO'; SET LOCAL timezone = 'UTC'; SET LOCAL jit = off; ` +
        // From Postgres 14 on, a query whose asker has gone is ended.
        "SELECT set_config('client_connection_check_interval', '250', true) WHERE current_setting('server_version_num')::int >= 140000",
    );
    await ask(client, SET_READER, [reader?.userId ?? '', reader?.labels.join(',') ?? '']);
  };

  const ask = (client: Client, text: string, values: readonly SqlValue[]): Promise<QueryArrayResult<unknown[]>> =>
    client.query<unknown[]>({
      text,
      ...(without === 'protocol' ? {} : { values: [...values], queryMode: 'extended' }),
      rowMode: 'array',
      types: asText,
    } as { text: string; rowMode: 'array' });

  const rowsOf = async <Row extends QueryResultRow>(client: Client, text: string, values: unknown[]): Promise<readonly Row[]> =>
    (await client.query<Row>({ text, values })).rows;

  const costOf = async (client: Client, sql: string, values: readonly SqlValue[]): Promise<number> => {
    const { rows } = await ask(client, `EXPLAIN (FORMAT JSON) ${sql}`, values);
    const plan = JSON.parse(String(rows[0]?.[0])) as readonly { readonly Plan?: { readonly 'Total Cost'?: number } }[];
    return plan[0]?.Plan?.['Total Cost'] ?? 0;
  };

  const originsOf = async (client: Client, ids: readonly number[]) => {
    const relations = [...new Set(ids.filter((id) => id > 0))];
    if (relations.length === 0) return [];
    return await rowsOf<{ relation: number; number: number; table: string; column: string }>(client, ORIGINS, [relations]);
  };

  const countBytes = (client: Client, limit: number): (() => boolean) => {
    let bytes = 0;
    const socket = socketOf(client);
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limit && without !== 'bytes') socket.destroy(tooManyBytes(limit));
    });
    return () => bytes > limit && without !== 'bytes';
  };

  return {
    dialect: 'postgres',
    readCatalog: (signal) =>
      connected(CONNECT_MS, signal, async (client) => {
        const rows = await rowsOf<{ schema: string; name: string; column: string; type: string }>(client, CATALOG, [
          [...schemas],
        ]);
        const keys = await rowsOf<ForeignKey & { schema: string; name: string }>(client, FOREIGN_KEYS, [[...schemas]]);
        const tables = new Map<string, CatalogTable & { readonly columns: { name: string; type: string }[] }>();
        for (const { schema, name, column, type } of rows) {
          const key = JSON.stringify([schema, name]);
          const table = tables.get(key) ?? { schema, name, columns: [] };
          table.columns.push({ name: column, type });
          tables.set(key, table);
        }
        return [...tables.values()].map((table) => ({
          ...table,
          keys: keys
            .filter(({ schema, name }) => schema === table.schema && name === table.name)
            .map(({ column, otherTable, otherColumn }) => ({ column, otherTable, otherColumn })),
        }));
      }),

    read: ({ sql, values, reader }, _scope, limits, signal) =>
      connected(limits.timeoutMs, signal, async (client): Promise<RawTable> => {
        const isTooLarge = countBytes(client, limits.bytes);
        try {
          await begin(client, limits.timeoutMs, reader);
          const cost = without === 'cost' ? 0 : await costOf(client, sql, values);
          if (cost > limits.maxCost) throw tooCostly(cost, limits.maxCost);
          await ask(client, `DECLARE threadwise NO SCROLL CURSOR FOR ${sql}`, values);
          const { fields, rows } = await ask(client, `FETCH FORWARD ${limits.rows + 1} FROM threadwise`, []);
          const origins = await originsOf(
            client,
            fields.map(({ tableID }) => tableID),
          );
          await client.query(without === 'rollback' ? 'COMMIT' : 'ROLLBACK');
          return {
            columns: fields.map(({ name, tableID, columnID }) => {
              const origin = origins.find(({ relation, number }) => relation === tableID && number === columnID);
              return { name, origin: origin === undefined ? undefined : { table: origin.table, column: origin.column } };
            }),
            rows: rows.slice(0, limits.rows).map((row) => row.map((cell, at) => readCell(cell, fields[at]?.dataTypeID ?? 0))),
            hasMore: rows.length > limits.rows,
          };
        } catch (error) {
          throw isTooLarge() ? tooManyBytes(limits.bytes) : error;
        }
      }),

    tryAttacks: async (signal) => {
      const worked: string[] = [];
      for (const { name, sql } of POSTGRES_ATTACKS) {
        await connected(CONNECT_MS, signal, async (client) => {
          // A replica takes no writes at all, and says so of the transaction.
          const { rows: state } = await client.query<{ replica: boolean }>('SELECT pg_is_in_recovery() AS replica');
          await client.query(
            `BEGIN READ ${state[0]?.replica === true ? 'ONLY' : 'WRITE'}; SET LOCAL search_path = ${path}; SET LOCAL statement_timeout = 2000; SET LOCAL lock_timeout = 500`,
          );
          try {
            const found = await client.query(sql);
            const last = Array.isArray(found) ? found.at(-1) : found;
            // An attack that asks a question worked when there is an answer.
            if (last.command !== 'SELECT' || last.rows.length > 0) worked.push(name);
          } catch (error) {
            if (!(error instanceof DatabaseError)) throw error;
          }
          await client.query('ROLLBACK');
        });
      }
      return worked;
    },
    close: async () => {
      if (kept !== undefined) discard(kept);
    },
  };
};
