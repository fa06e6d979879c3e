import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../ops/clock.ts';
import type { DatabaseEngine } from '../../tools/database-engine.ts';
import type { DatabaseSource } from '../../tools/database-source.ts';
import { createSqliteEngine } from '../../tools/database-sqlite.ts';
import { allowedFunctions } from '../../tools/sql-functions.ts';
import { SQLITE_STATEMENTS } from './database-attacks.ts';
import { attack, CANARY, openSource, openTrap } from './database-world.ts';

const SETUP = `
  CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT);
  INSERT INTO orders SELECT value, 'note ' || value FROM generate_series(1, 300);
  CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT);
  INSERT INTO customers VALUES (1, '${CANARY}@example.com');
  CREATE TABLE vault (secret TEXT);
  INSERT INTO vault VALUES ('${CANARY}');
  CREATE VIEW recent AS SELECT * FROM orders WHERE id > 290;
  CREATE TABLE big AS SELECT a.id FROM orders a, orders b;
  CREATE VIRTUAL TABLE notes USING fts5(text);
  INSERT INTO notes VALUES ('the parcel was late'), ('all went well');
`.replace(
  'FROM generate_series(1, 300)',
  'FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 300) SELECT value FROM n)',
);
const signal = new AbortController().signal;
const tables = {
  orders: { columns: {}, joins: [] },
  recent: { columns: {}, joins: [] },
  notes: { columns: {}, joins: [] },
  big: { columns: {}, joins: [] },
  customers: { columns: { email: { tag: 'mask' } }, joins: [] },
} as const;

describe('sqlite as a source', () => {
  let trap: ReturnType<typeof openTrap>;
  let engine: DatabaseEngine;
  let source: DatabaseSource;

  const path = (): string => join(trap.folder, 'shop.sqlite');
  const dump = (): string => createHash('sha256').update(readFileSync(path())).digest('hex');

  before(() => {
    trap = openTrap();
    for (const name of ['shop.sqlite', 'other.sqlite']) {
      const database = new DatabaseSync(join(trap.folder, name));
      database.exec(SETUP);
      database.close();
    }
    engine = createSqliteEngine({ place: { path: path() }, clock: systemClock });
    source = openSource(engine, { tables });
  });
  after(async () => {
    await engine.close();
    trap.remove();
  });
  const FILES = ['canary.txt', 'other.sqlite', 'shop.sqlite'];

  it(`nothing of ${SQLITE_STATEMENTS.length} statements writes, reads a canary or stays behind`, async () => {
    assert.ok(SQLITE_STATEMENTS.length >= 150);
    const before = dump();
    await source.check(signal);
    const outcomes = await attack(SQLITE_STATEMENTS, trap.folder, (sql) => source.runSql(sql, signal));
    assert.deepEqual(
      outcomes.filter(({ said }) => said.includes(CANARY)),
      [],
    );
    assert.deepEqual(
      outcomes.filter(({ said }) => !said.startsWith('AppError')),
      [],
    );
    assert.equal(dump(), before);
    assert.deepEqual(trap.files(), FILES);
    // The longest take the limit of a second, and the start of another process is the next one's.
    assert.deepEqual(
      outcomes.filter(({ ms }) => ms > 2_000).map(({ sql, ms }) => `${sql}: ${ms}`),
      [],
    );
    const other = new DatabaseSync(path(), { timeout: 0 });
    other.exec('BEGIN EXCLUSIVE; ROLLBACK');
    other.close();
    assert.deepEqual((await source.runSql('SELECT count(*) AS n FROM orders', signal)).table.rows, [[300]]);
  });

  it('without the wall of words the authorizer lets nothing be written or read either', async () => {
    const catalog = await engine.readCatalog(signal);
    const scope = {
      dialect: 'sqlite' as const,
      visible: catalog,
      allowed: new Set(catalog.filter(({ name }) => ['orders', 'notes', 'big', 'customers'].includes(name))),
      functions: allowedFunctions('sqlite'),
      closed: new Map(catalog.filter(({ name }) => name === 'customers').map((table) => [table, new Set(['email'])])),
    };
    const before = dump();
    const limits = { timeoutMs: 500, maxCost: 0, rows: 200, bytes: 1_000_000 };
    const outcomes = await attack(SQLITE_STATEMENTS, trap.folder, (sql) =>
      engine.read({ sql, values: [] }, scope, limits, signal),
    );
    assert.deepEqual(
      outcomes.filter(({ said }) => said.includes(CANARY)),
      [],
    );
    assert.equal(dump(), before);
    assert.deepEqual(trap.files(), FILES);
  });

  it('views, common table expressions and the full-text index can be read', async () => {
    const rows = async (sql: string) => (await source.runSql(sql, signal)).table.rows;
    assert.deepEqual(await rows('SELECT count(*) FROM recent'), [[10]]);
    assert.deepEqual(await rows('WITH late AS (SELECT * FROM orders WHERE id > 298) SELECT id, note FROM late ORDER BY id'), [
      [299, 'note 299'],
      [300, 'note 300'],
    ]);
    assert.deepEqual(await rows("SELECT text FROM notes WHERE notes MATCH 'parcel' ORDER BY rank"), [['the parcel was late']]);
    assert.deepEqual(await rows('SELECT id FROM customers'), [[1]]);
  });

  it('a masked column is shown masked by a named query, also under another name', async () => {
    const named = openSource(engine, {
      tables,
      queries: {
        all: { description: 'Customers', examples: [], sql: 'SELECT id, email AS address FROM customers', parameters: {} },
      },
    });
    assert.deepEqual((await named.runQuery('all', {}, signal)).table.rows, [[1, 'c•••']]);
  });
});
