/**
 * The vector index in Postgres with the pgvector extension, for several processes that share one. It scans the labels asked for
 * and so finds what the exact index finds.
 */
import { Pool, type PoolClient } from 'pg';
import { AppError } from '../agent/errors.ts';
import type { VectorEntry, VectorIndex } from '../agent/ports/vector-index.ts';
import { createTurns } from './turns.ts';
import { asCosine, checkLimit, checkVector, compareHits } from './vector-check.ts';

/** pgvector's own limit of the type `vector`. */
const MAX_DIMENSIONS = 16_000;
const TABLE_NAME = /^[a-z_][a-z0-9_]{0,55}$/;
const BATCH_ROWS = 256;

/** `pg` waits for ever by default where a network drops packets silently. */
const CONNECT_TIMEOUT_MS = 2_000;
const QUERY_TIMEOUT_MS = 10_000;

const asText = (vector: Float32Array): string => `[${vector.join(',')}]`;

const unavailable = (message: string, cause?: unknown): AppError => new AppError('vector_unavailable', message, { cause });

/** Errors of ours stay; what Postgres or the connection says becomes `vector_unavailable`. */
const asUnavailable = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : unavailable(
        'Postgres did not do what the vector index asked. Check its address, its rights and the pgvector extension.',
        error,
      );

const checkOptions = (table: string, dimensions: number): void => {
  if (!TABLE_NAME.test(table)) {
    throw new AppError(
      'vector_invalid',
      `A vector table is named with up to 56 small letters, digits and underscores; ${JSON.stringify(table.slice(0, 80))} came.`,
    );
  }
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    throw new AppError('vector_invalid', `pgvector holds 1 to ${MAX_DIMENSIONS} dimensions; ${dimensions} came.`);
  }
};

const inTransaction = async <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // The connection goes with its open transaction.
    client.release(true);
    throw error;
  }
};

/** Creates what is missing; processes that start at once do it one after the other. Resolves to the number of rows. */
const prepareTable = (pool: Pool, table: string, dimensions: number): Promise<number> =>
  inTransaction(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock(hashtext('threadwise vectors'))");
    await client.query('CREATE EXTENSION IF NOT EXISTS vector');
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${table} (id text PRIMARY KEY, label text NOT NULL, embedding vector(${dimensions}) NOT NULL)`,
    );
    await client.query(`CREATE INDEX IF NOT EXISTS ${table}_label ON ${table} (label)`);
    const { rows } = await client.query<{ type: string; count: string }>(
      `SELECT format_type(atttypid, atttypmod) AS type, (SELECT count(*) FROM ${table}) AS count
       FROM pg_attribute WHERE attrelid = $1::regclass AND attname = 'embedding'`,
      [table],
    );
    if (rows[0]?.type !== `vector(${dimensions})`) {
      throw new AppError(
        'vector_invalid',
        `The table ${table} was to hold vector(${dimensions}) and holds ${rows[0]?.type ?? 'no embedding'}. Drop it: it is filled again from the store.`,
      );
    }
    return Number(rows[0].count);
  });

/**
 * Creates the extension, the table and its index where they are missing. Throws `AppError('vector_invalid')` for a bad name and
 * for a table of other dimensions, `AppError('vector_unavailable')` when Postgres cannot be asked. A pool that was handed in
 * stays open.
 */
export const createPgvectorIndex = async (
  options: { readonly table: string; readonly dimensions: number } & (
    | { readonly connectionString: string }
    | { readonly pool: Pool }
  ),
): Promise<VectorIndex> => {
  const { table, dimensions } = options;
  checkOptions(table, dimensions);
  const pool =
    'pool' in options
      ? options.pool
      : new Pool({
          connectionString: options.connectionString,
          max: 4,
          connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
          query_timeout: QUERY_TIMEOUT_MS,
          keepAlive: true,
          allowExitOnIdle: true,
        });
  const turns = createTurns();
  let isClosed = false;
  const checkOpen = (): void => {
    if (isClosed) throw unavailable('The vector index is closed.');
  };
  // A connection that breaks while nobody uses it is replaced by the pool.
  const ignoreIdle = (): void => undefined;
  pool.on('error', ignoreIdle);
  const release = async (): Promise<void> => {
    pool.off('error', ignoreIdle);
    if (!('pool' in options)) {
      pool.on('error', () => undefined);
      await pool.end();
    }
  };

  let size: number;
  try {
    size = await prepareTable(pool, table, dimensions);
  } catch (error) {
    await release();
    throw asUnavailable(error);
  }

  const upsert = async (client: PoolClient, entries: readonly VectorEntry[]): Promise<number> => {
    const { rows } = await client.query<{ inserted: boolean }>(
      `INSERT INTO ${table} AS old (id, label, embedding)
       SELECT id, label, embedding::vector FROM unnest($1::text[], $2::text[], $3::text[]) AS new (id, label, embedding)
       ON CONFLICT (id) DO UPDATE SET label = excluded.label, embedding = excluded.embedding
       RETURNING old.xmax = 0 AS inserted`,
      [entries.map(({ id }) => id), entries.map(({ label }) => label), entries.map(({ vector }) => asText(vector))],
    );
    return rows.filter(({ inserted }) => inserted).length;
  };

  const change = (work: (client: PoolClient) => Promise<number>): Promise<void> =>
    turns.inOrder(async () => {
      checkOpen();
      try {
        size += await inTransaction(pool, work);
      } catch (error) {
        throw asUnavailable(error);
      }
    });

  return {
    engine: 'pgvector',
    dimensions,
    size: () => size,
    add: async (entries) => {
      checkOpen();
      for (const { vector } of entries) checkVector(vector, dimensions);
      // One statement may not change a row twice: the last of an id counts.
      const latest = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
      await change(async (client) => {
        let added = 0;
        for (let at = 0; at < latest.length; at += BATCH_ROWS) added += await upsert(client, latest.slice(at, at + BATCH_ROWS));
        return added;
      });
    },
    remove: async (ids) => {
      checkOpen();
      await change(async (client) => {
        const { rowCount } = await client.query(`DELETE FROM ${table} WHERE id = ANY($1)`, [ids]);
        return -(rowCount ?? 0);
      });
    },
    search: async (vector, labels, limit) => {
      checkOpen();
      checkVector(vector, dimensions);
      checkLimit(limit);
      try {
        // `<#>` is the negative inner product.
        const { rows } = await pool.query<{ id: string; distance: number }>(
          `SELECT id, embedding <#> $1::vector AS distance FROM ${table} WHERE label = ANY($2)
           ORDER BY distance, id COLLATE "C" LIMIT $3`,
          [asText(vector), labels, limit],
        );
        return rows.map(({ id, distance }) => ({ id, score: asCosine(-distance) })).sort(compareHits);
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await turns.inOrder(release);
    },
  };
};
