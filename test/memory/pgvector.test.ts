import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { Pool } from 'pg';
import { hasCode } from '../../agent/errors.ts';
import { createPgvectorIndex } from '../../memory/pgvector.ts';
import { testVectorIndexContract } from '../contracts/vector-index.ts';

describe('pgvector', () => {
  let db: PGlite;
  let server: PGLiteSocketServer;
  let pool: Pool;
  let connectionString: string;
  let tables = 0;

  before(async () => {
    db = await PGlite.create({ extensions: { vector } });
    server = new PGLiteSocketServer({ db, port: 0, host: '127.0.0.1', maxConnections: 20 });
    await server.start();
    connectionString = `postgres://postgres@${server.getServerConn()}/postgres?sslmode=disable`;
    pool = new Pool({ connectionString, max: 2 });
  });
  after(async () => {
    await pool.end();
    await server.stop();
    await db.close();
  });

  const open = (dimensions: number) => createPgvectorIndex({ pool, table: `vectors_${++tables}`, dimensions });

  testVectorIndexContract('the pgvector index', open);

  it('keeps its rows from one process to the next', async () => {
    const options = { connectionString, table: 'kept', dimensions: 2 };
    const first = await createPgvectorIndex(options);
    await first.add([{ id: 'a', label: 'l', vector: Float32Array.of(1, 0) }]);
    await first.close();
    const second = await createPgvectorIndex(options);
    assert.equal(second.size(), 1);
    assert.deepEqual(await second.search(Float32Array.of(1, 0), ['l'], 5), [{ id: 'a', score: 1 }]);
    await second.close();
  });

  it('is opened by several at once', async () => {
    const options = { pool, table: 'raced', dimensions: 2 };
    const opened = await Promise.all(Array.from({ length: 4 }, () => createPgvectorIndex(options)));
    assert.deepEqual(
      opened.map((index) => index.size()),
      [0, 0, 0, 0],
    );
  });

  it('keeps nothing of a call that Postgres refuses', async () => {
    const index = await open(2);
    const entries = Array.from({ length: 300 }, (_, n) => ({ id: `e${n}`, label: 'l', vector: Float32Array.of(1, 0) }));
    // Postgres takes no NUL in text; the row is in the second batch.
    entries.push({ id: 'nul\0', label: 'l', vector: Float32Array.of(1, 0) });
    await assert.rejects(index.add(entries), (error) => hasCode(error, 'vector_unavailable'));
    assert.equal(index.size(), 0);
    assert.deepEqual(await index.search(Float32Array.of(1, 0), ['l'], 5), []);
  });

  it('refuses a table of other dimensions, a bad name and impossible dimensions', async () => {
    await createPgvectorIndex({ pool, table: 'two', dimensions: 2 });
    await assert.rejects(createPgvectorIndex({ pool, table: 'two', dimensions: 3 }), {
      code: 'vector_invalid',
      message: 'The table two was to hold vector(3) and holds vector(2). Drop it: it is filled again from the store.',
    });
    for (const table of ['', 'a;b', 'A', `a${'b'.repeat(60)}`, 'a"b']) {
      await assert.rejects(createPgvectorIndex({ pool, table, dimensions: 2 }), { code: 'vector_invalid' });
    }
    for (const dimensions of [0, -1, 1.5, 16_001, Number.NaN]) {
      await assert.rejects(createPgvectorIndex({ pool, table: 'other', dimensions }), { code: 'vector_invalid' });
    }
  });

  it('says that Postgres is not there', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const options = { connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`, table: 'absent', dimensions: 2 };
    await assert.rejects(createPgvectorIndex(options), (error) => hasCode(error, 'vector_unavailable'));
  });
});
