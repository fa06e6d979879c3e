import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { expandColumns, splitAlternatives, toSqlite, writesOf } from '../../bench/database/defog.ts';

test('alternatives are parted at semicolons outside quotes', () => {
  assert.deepEqual(splitAlternatives('SELECT \';\' AS a; SELECT "b;" ;'), ["SELECT ';' AS a", 'SELECT "b;"']);
});

test('a choice of columns stands for each alone and for all, in GROUP BY as well', () => {
  assert.deepEqual(expandColumns('SELECT {a, b AS c}, sum(d) FROM t GROUP BY {}'), [
    'SELECT a, sum(d) FROM t GROUP BY a',
    'SELECT b AS c, sum(d) FROM t GROUP BY b',
    'SELECT a, b AS c, sum(d) FROM t GROUP BY a, b',
  ]);
  assert.deepEqual(expandColumns('SELECT 1'), ['SELECT 1']);
});

test('a schema of Postgres becomes one of SQLite, its moments among them', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(
    toSqlite(`CREATE SCHEMA consumer_div; CREATE TABLE public.t (id SERIAL PRIMARY KEY, at TIMESTAMP DEFAULT NOW(), n bigint DEFAULT '0'::bigint);
      INSERT INTO consumer_div.t (id, at, n) VALUES (1, CURRENT_DATE - INTERVAL '1 week', EXTRACT(EPOCH FROM CURRENT_TIMESTAMP - INTERVAL '8 days') * 1000),
        (2, DATE_TRUNC('month', CURRENT_DATE) - INTERVAL '5 months', 1);`),
  );
  const [first, second] = database
    .prepare(
      "SELECT at = date('now', '-7 days') AS ok, at = date('now', 'start of month', '-5 months') AS begins FROM t ORDER BY id",
    )
    .all();
  assert.equal(first?.['ok'], 1);
  assert.equal(second?.['begins'], 1);
});

test('every write made of a query holds the query', () => {
  const writes = writesOf('SELECT a FROM t');
  assert.equal(new Set(writes).size, 10);
  assert.ok(writes.includes('SELECT a INTO attack FROM t'));
});
