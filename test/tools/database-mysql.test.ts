import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Connection, createConnection } from 'mysql2/promise';
import { systemClock } from '../../ops/clock.ts';
import { findProgram } from '../../ops/services.ts';
import { createMysqlEngine } from '../../tools/database-mysql.ts';
import type { SqlScope } from '../../tools/sql-guard.ts';
import { MARIADB_STATEMENTS } from './database-attacks.ts';
import { openMariadb, type Server } from './database-servers.ts';
import { attack, CANARY, openSource, openTrap } from './database-world.ts';

const ROLE = readFileSync(join(import.meta.dirname, '..', '..', 'examples', 'database', 'role-mariadb.sql'), 'utf8');
const SETUP = `
  CREATE DATABASE base; CREATE DATABASE reporting;
  CREATE TABLE base.orders (id int, note text);
  INSERT INTO base.orders SELECT seq, concat('note ', seq) FROM seq_1_to_300;
  CREATE TABLE base.customers (id int, email text);
  INSERT INTO base.customers VALUES (1, '${CANARY}@example.com');
  CREATE TABLE base.vault (secret text);
  INSERT INTO base.vault VALUES ('${CANARY}');
  CREATE SEQUENCE base.numbers;
  CREATE VIEW reporting.orders AS SELECT * FROM base.orders;
  CREATE VIEW reporting.customers AS SELECT * FROM base.customers;
  CREATE VIEW reporting.hidden AS SELECT * FROM base.vault;
  CREATE VIEW reporting.2fa AS SELECT * FROM base.vault;
  CREATE VIEW reporting.§keys AS SELECT * FROM base.vault;
  CREATE TABLE reporting.big AS SELECT seq AS n FROM base.orders JOIN seq_1_to_100;
  CREATE FUNCTION base.wipe_all() RETURNS int BEGIN DELETE FROM base.orders; RETURN 1; END;
  CREATE PROCEDURE base.wipe() BEGIN DELETE FROM base.orders; END`;
const signal = new AbortController().signal;

describe('mariadb as a source', () => {
  let server: Server;
  let admin: Connection;
  let trap: ReturnType<typeof openTrap>;
  let roleUrl: string;

  const tables = {
    orders: { columns: {}, joins: [] },
    big: { columns: {}, joins: [] },
    customers: { columns: { email: { tag: 'mask' } }, joins: [] },
  } as const;
  const engineOf = (url = roleUrl) => createMysqlEngine({ url, clock: systemClock, connections: 4 });
  const openShop = () => openSource(engineOf(), { tables });

  const dump = (): string => {
    const { hostname, port, username, password } = new URL(server.url);
    const program = findProgram(['mariadb-dump'], process.env) ?? '/usr/bin/mariadb-dump';
    const args = [
      '--no-defaults',
      '-h',
      hostname,
      '-P',
      port,
      '-u',
      username,
      `-p${password}`,
      '--skip-dump-date',
      '--routines',
      '--triggers',
    ];
    return execFileSync(program, [...args, '--databases', 'base', 'reporting'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  };

  const leftConnections = async (): Promise<number> => {
    for (let tries = 0; ; tries += 1) {
      const [rows] = await admin.query("SELECT count(*) AS n FROM information_schema.processlist WHERE user = 'threadwise'");
      const n = Number((rows as { n: number }[])[0]?.n);
      if (n === 0 || tries === 100) return n;
      await systemClock.sleep(20);
    }
  };

  before(async () => {
    server = await openMariadb();
    admin = await createConnection({ uri: server.url, multipleStatements: true });
    await admin.query(
      'DROP DATABASE IF EXISTS base; DROP DATABASE IF EXISTS reporting; DROP USER IF EXISTS threadwise@"127.0.0.1"',
    );
    for (const statement of SETUP.split(/;\n/)) await admin.query(statement);
    await admin.query(ROLE);
    const url = new URL(server.url);
    url.username = 'threadwise';
    url.password = 'change-me';
    url.pathname = '/reporting';
    roleUrl = url.href;
    trap = openTrap();
  });
  after(async () => {
    await admin.end();
    trap.remove();
    await server[Symbol.asyncDispose]();
  });

  it('the account of the example passes the test of attacks, an administrator does not', async () => {
    assert.deepEqual(await engineOf().tryAttacks(signal), []);
    const worked = await engineOf(server.url).tryAttacks(signal);
    assert.match(worked.join('; '), /beyond SELECT on the whole server/);
    assert.ok(worked.includes('it can read a file of the server'));
  });

  it('an account with FILE or a right to write is not served', async () => {
    for (const [give, take, expected] of [
      ["GRANT FILE ON *.* TO threadwise@'127.0.0.1'", "REVOKE FILE ON *.* FROM threadwise@'127.0.0.1'", /whole server/],
      [
        "GRANT INSERT ON base.orders TO threadwise@'127.0.0.1'",
        "REVOKE INSERT ON base.orders FROM threadwise@'127.0.0.1'",
        /SELECT on a table/,
      ],
      [
        "GRANT UPDATE ON base.* TO threadwise@'127.0.0.1'",
        "REVOKE UPDATE ON base.* FROM threadwise@'127.0.0.1'",
        /SELECT on a database/,
      ],
      [
        "GRANT EXECUTE ON base.* TO threadwise@'127.0.0.1'",
        "REVOKE EXECUTE ON base.* FROM threadwise@'127.0.0.1'",
        /call a procedure/,
      ],
    ] as const) {
      await admin.query(give);
      try {
        await assert.rejects(openShop().runSql('SELECT id FROM orders', signal), expected);
      } finally {
        await admin.query(take);
      }
    }
  });

  it(`nothing of ${MARIADB_STATEMENTS.length} statements writes, reads a canary or stays behind`, async () => {
    assert.ok(MARIADB_STATEMENTS.length >= 150);
    const source = openShop();
    const before = dump();
    const outcomes = await attack(MARIADB_STATEMENTS, trap.folder, (sql) => source.runSql(sql, signal));
    assert.deepEqual(
      outcomes.filter(({ said }) => said.includes(CANARY)),
      [],
    );
    assert.deepEqual(
      outcomes.filter(({ ms }) => ms > 2_000),
      [],
    );
    // The server itself ends an endless recursion after a thousand rounds.
    assert.deepEqual(
      outcomes.filter(({ said }) => !said.startsWith('AppError')).map(({ sql }) => sql),
      ['WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r'],
    );
    assert.equal(dump(), before);
    assert.equal(await leftConnections(), 0);
    assert.deepEqual(trap.files(), ['canary.txt']);
    const { table } = await source.runSql('SELECT count(*) AS n FROM orders', signal);
    assert.deepEqual(table.rows, [[300]]);
  });

  it('without the wall of tokens nothing is written either', async () => {
    const engine = engineOf();
    const before = dump();
    const limits = { timeoutMs: 300, maxCost: 1_000_000, rows: 200, bytes: 1_000_000 };
    const scope: SqlScope = { dialect: 'mysql', visible: [], allowed: new Set(), functions: new Set(), closed: new Map() };
    const outcomes = await attack(MARIADB_STATEMENTS, trap.folder, (sql) =>
      engine.read({ sql, values: [] }, scope, limits, signal),
    );
    assert.deepEqual(
      outcomes.filter(({ ms }) => ms > 2_000),
      [],
    );
    assert.equal(dump(), before);
    assert.equal(await leftConnections(), 0);
    assert.deepEqual(trap.files(), ['canary.txt']);
  });

  it('named queries bind their parameters by the protocol', async () => {
    const source = openSource(engineOf(), {
      tables,
      queries: {
        by_note: {
          description: 'Orders with a note',
          examples: [],
          sql: 'SELECT id, note FROM orders WHERE note = :note OR id <= :upto ORDER BY id LIMIT :top',
          parameters: {
            note: { type: 'string', maxChars: 100 },
            upto: { type: 'number', min: 0, max: 300, integer: true },
            top: { type: 'number', min: 1, max: 10, integer: true, default: 3 },
          },
        },
        customers: { description: 'Customers', examples: [], sql: 'SELECT id, email FROM customers', parameters: {} },
      },
    });
    const { table, sql } = await source.runQuery('by_note', { note: "note 7' OR '1'='1", upto: 2 }, signal);
    assert.deepEqual(table.rows, [
      [1, 'note 1'],
      [2, 'note 2'],
    ]);
    assert.equal(sql, 'SELECT id, note FROM orders WHERE note = ? OR id <= ? ORDER BY id LIMIT ?');
    assert.deepEqual((await source.runQuery('customers', {}, signal)).table.rows, [[1, 'c•••']]);
  });
});
