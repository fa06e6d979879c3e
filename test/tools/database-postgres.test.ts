import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { hasCode } from '../../agent/errors.ts';
import { systemClock } from '../../ops/clock.ts';
import { postgres } from '../../ops/service-databases.ts';
import type { DatabaseEngine } from '../../tools/database-engine.ts';
import { createPostgresEngine, type PostgresOptions, type PostgresWall } from '../../tools/database-postgres.ts';
import type { SourceSettings } from '../../tools/database-source.ts';
import type { SqlScope } from '../../tools/sql-guard.ts';
import { POSTGRES_STATEMENTS } from './database-attacks.ts';
import { openPostgres, type Server } from './database-servers.ts';
import { attack, CANARY, openSource, openTrap } from './database-world.ts';

const ROLE = readFileSync(join(import.meta.dirname, '..', '..', 'examples', 'database', 'role-postgres.sql'), 'utf8');
const SETUP = `
  CREATE SCHEMA base; CREATE SCHEMA reporting;
  CREATE TABLE base.orders (id int, note text);
  INSERT INTO base.orders SELECT n, 'note ' || n FROM generate_series(1, 300) n;
  CREATE TABLE base.customers (id int, email text);
  INSERT INTO base.customers VALUES (1, '${CANARY}@example.com');
  CREATE TABLE base.vault (secret text);
  INSERT INTO base.vault VALUES ('${CANARY}');
  CREATE SEQUENCE base.numbers;
  CREATE VIEW reporting.orders AS SELECT * FROM base.orders;
  CREATE VIEW reporting.customers AS SELECT * FROM base.customers;
  CREATE FUNCTION base.wipe_all() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM base.orders; SELECT 1';
  CREATE FUNCTION reporting.wipe_all() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM base.orders; SELECT 1';
  CREATE FUNCTION reporting.wipe_row(reporting.orders) RETURNS int LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM base.orders; SELECT 1';
  CREATE PROCEDURE base.wipe() LANGUAGE sql AS 'DELETE FROM base.orders';
`;
const signal = new AbortController().signal;

describe('postgres as a source', () => {
  let server: Server;
  let admin: Client;
  let trap: ReturnType<typeof openTrap>;
  let ownerUrl: string;
  let roleUrl: string;
  const database = `shop_${process.pid}`;

  const engineOf = (options: Partial<PostgresOptions> = {}) =>
    createPostgresEngine({ url: roleUrl, schemas: ['reporting'], clock: systemClock, connections: 4, ...options });

  /** All that the database holds. The key of a dump is another each time. */
  const dump = (): string => {
    const bin = dirname(postgres.find(process.env) ?? '');
    const text = execFileSync(join(bin, 'pg_dump'), ['-d', ownerUrl], { encoding: 'utf8' });
    const roles = execFileSync(join(bin, 'pg_dumpall'), ['-d', ownerUrl, '--globals-only'], { encoding: 'utf8' });
    return `${text}${roles}`.replace(/^\\(?:un)?restrict .*$/gm, '');
  };

  const leftovers = async (): Promise<unknown> => {
    // A connection that was closed is still listed for a moment.
    for (let tries = 0; ; tries += 1) {
      const { rows } = await admin.query(
        "SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'threadwise') AS connections, (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks, (SELECT count(*)::int FROM pg_prepared_xacts) AS prepared, (SELECT count(*)::int FROM pg_largeobject_metadata) AS objects",
      );
      if (rows[0].connections === 0 || tries === 100) return rows[0];
      await systemClock.sleep(20);
    }
  };
  const NOTHING_LEFT = { connections: 0, locks: 0, prepared: 0, objects: 0 };

  before(async () => {
    server = await openPostgres();
    const root = new Client({ connectionString: server.url });
    await root.connect();
    await root.query(`CREATE DATABASE ${database}`);
    await root.end();
    const url = new URL(server.url);
    url.pathname = `/${database}`;
    ownerUrl = url.href;
    url.username = 'threadwise';
    roleUrl = url.href;
    admin = new Client({ connectionString: ownerUrl });
    await admin.connect();
    await admin.query(SETUP);
    await admin.query('DROP ROLE IF EXISTS threadwise');
    await admin.query(ROLE);
    trap = openTrap();
  });
  after(async () => {
    await admin.end();
    trap.remove();
    await server[Symbol.asyncDispose]();
  });

  const onlyTheTrap = (): void => assert.deepEqual(trap.files(), ['canary.txt']);

  it('the role of the example passes the test of attacks', async () => {
    assert.deepEqual(await engineOf().tryAttacks(signal), []);
  });

  it('a role with one right too many is not served', async () => {
    const rights: readonly (readonly [string, string, RegExp])[] = [
      [
        'GRANT INSERT ON base.orders TO threadwise; GRANT USAGE ON SCHEMA base TO threadwise',
        'REVOKE INSERT ON base.orders FROM threadwise; REVOKE USAGE ON SCHEMA base FROM threadwise',
        /write to a table/,
      ],
      [
        'GRANT UPDATE (note) ON reporting.orders TO threadwise',
        'REVOKE UPDATE (note) ON reporting.orders FROM threadwise',
        /write to a table/,
      ],
      [
        `GRANT TEMP ON DATABASE ${database} TO threadwise`,
        `REVOKE TEMP ON DATABASE ${database} FROM threadwise`,
        /temporary table/,
      ],
      [
        `GRANT CREATE ON DATABASE ${database} TO threadwise`,
        `REVOKE CREATE ON DATABASE ${database} FROM threadwise`,
        /make a schema/,
      ],
      ['GRANT CREATE ON SCHEMA reporting TO threadwise', 'REVOKE CREATE ON SCHEMA reporting FROM threadwise', /make a table/],
      [
        'GRANT EXECUTE ON FUNCTION lo_creat(int) TO threadwise',
        'REVOKE EXECUTE ON FUNCTION lo_creat(int) FROM threadwise',
        /large object/,
      ],
      [
        'GRANT EXECUTE ON FUNCTION reporting.wipe_all() TO threadwise',
        'REVOKE EXECUTE ON FUNCTION reporting.wipe_all() FROM threadwise',
        /owner's rights/,
      ],
      ['GRANT pg_read_server_files TO threadwise', 'REVOKE pg_read_server_files FROM threadwise', /reads or writes files/],
      ['ALTER ROLE threadwise CREATEROLE', 'ALTER ROLE threadwise NOCREATEROLE', /may make roles/],
    ];
    for (const [give, take, expected] of rights) {
      await admin.query(give);
      try {
        const source = openSource(engineOf());
        await assert.rejects(source.runSql('SELECT id FROM orders', signal), (error: Error) => {
          assert.match(error.message, /The database shop is not served/);
          assert.match(error.message, expected);
          return true;
        });
      } finally {
        await admin.query(take);
      }
    }
    const owner = openSource(engineOf({ url: ownerUrl }));
    await assert.rejects(owner.check(signal), /superuser.*start a program/s);
    assert.deepEqual(await leftovers(), NOTHING_LEFT);
  });

  it(`nothing of ${POSTGRES_STATEMENTS.length} statements writes, reads a canary or stays behind`, async () => {
    assert.ok(POSTGRES_STATEMENTS.length >= 150);
    const source = openSource(engineOf());
    const before = dump();
    const outcomes = await attack(POSTGRES_STATEMENTS, trap.folder, (sql) => source.runSql(sql, signal));
    assert.deepEqual(
      outcomes.filter(({ said }) => said.includes(CANARY)),
      [],
    );
    assert.deepEqual(
      outcomes.filter(({ ms }) => ms > 2_000),
      [],
    );
    // One is a harmless string to whoever reads it by the rules of Postgres.
    assert.deepEqual(
      outcomes.filter(({ said }) => !said.startsWith('AppError')).map(({ sql }) => sql),
      ["SELECT E'\\'; DELETE FROM base.orders; --'"],
    );
    assert.equal(dump(), before);
    assert.deepEqual(await leftovers(), NOTHING_LEFT);
    onlyTheTrap();
    const { table } = await source.runSql('SELECT count(*) AS n FROM orders', signal);
    assert.deepEqual(table.rows, [[300]]);
  });

  const NO_SCOPE: SqlScope = { dialect: 'postgres', visible: [], allowed: new Set(), functions: new Set(), closed: new Map() };
  const limits = { timeoutMs: 300, maxCost: 1_000_000, rows: 200, bytes: 1_000_000 };

  /** What says at once which wall was missed; the dump at the end says all. */
  const countRows = async (): Promise<unknown> =>
    (
      await admin.query(
        "SELECT (SELECT md5(string_agg(o::text, ';' ORDER BY id)) FROM base.orders o) AS orders, (SELECT last_value FROM base.numbers) AS numbers, (SELECT count(*)::int FROM pg_class) AS relations, (SELECT count(*)::int FROM pg_roles) AS roles, (SELECT count(*)::int FROM pg_proc) AS functions",
      )
    ).rows;

  it('with any one wall switched off, the others let nothing be written', async () => {
    const before = dump();
    const held = await countRows();
    const open = (engine: DatabaseEngine, parts: Partial<SourceSettings> = {}) => {
      const source = openSource(engine, { timeoutMs: limits.timeoutMs, ...parts });
      return { run: (sql: string) => source.runSql(sql, signal), close: source.close };
    };
    const withoutWall = (without: PostgresWall) => open(engineOf({ without }));
    const untested = (options: Partial<PostgresOptions> = {}) => open({ ...engineOf(options), tryAttacks: async () => [] });
    const bare = engineOf();
    const walls: Readonly<Record<string, { run(sql: string): Promise<unknown>; close(): Promise<void> }>> = {
      // The test of the role is switched off with the role.
      role: untested({ url: ownerUrl }),
      'test of the role': untested(),
      grammar: { run: (sql) => bare.read({ sql, values: [] }, NO_SCOPE, limits, signal), close: bare.close },
      'one statement by the protocol': withoutWall('protocol'),
      'read-only transaction': withoutWall('transaction'),
      rollback: withoutWall('rollback'),
      'a connection that is thrown away': withoutWall('new_connection'),
      "the database's own limits": withoutWall('database_limits'),
      'the timer that cuts the connection': withoutWall('timer'),
      'limit of cost': withoutWall('cost'),
      'limit of bytes': withoutWall('bytes'),
      'cover of personal data': open(engineOf(), { coversValues: false, tables: undefined }),
    };
    for (const [name, { run, close }] of Object.entries(walls)) {
      const outcomes = await attack(POSTGRES_STATEMENTS, trap.folder, run);
      await close();
      assert.deepEqual(await countRows(), held, `without ${name}`);
      assert.deepEqual(await leftovers(), NOTHING_LEFT, `without ${name}`);
      assert.deepEqual(
        outcomes.filter(({ ms }) => ms > 2_000),
        [],
        `without ${name}`,
      );
      onlyTheTrap();
    }
    assert.equal(dump(), before);
  });

  it('a wall that is left out is really out, and the others are there', async () => {
    const ask = async (sql: string, without?: PostgresWall, parts: Partial<typeof limits> = {}): Promise<unknown> => {
      const engine = engineOf(without === undefined ? {} : { without });
      const read = () => engine.read({ sql, values: [] }, NO_SCOPE, { ...limits, ...parts }, signal);
      try {
        await read();
        return (await read()).rows[0]?.[0];
      } catch (error) {
        return error instanceof Error ? error.message : error;
      } finally {
        await engine.close();
      }
    };
    const SETTINGS =
      "SELECT concat_ws(' ', current_setting('transaction_read_only'), current_setting('statement_timeout'), current_setting('lock_timeout'))";
    assert.equal(await ask(SETTINGS), 'on 300ms 300ms');
    assert.equal(await ask(SETTINGS, 'transaction'), 'off 300ms 300ms');
    assert.equal(await ask(SETTINGS, 'database_limits'), 'on 10s 0');
    assert.match(String(await ask('SELECT pg_sleep(5)', 'database_limits')), /longer than 300 ms/);
    assert.match(String(await ask('SELECT pg_sleep(5)', 'timer')), /longer than 300 ms/);
    assert.match(String(await ask('SELECT 1 FROM orders', undefined, { maxCost: 1 })), /estimates its cost/);
    assert.equal(await ask('SELECT 1 FROM orders', 'cost', { maxCost: 1 }), 1);
    const long = "SELECT repeat('x', 5000)";
    assert.match(String(await ask(long, undefined, { bytes: 4_000 })), /larger than 4000 bytes/);
    assert.equal(String(await ask(long, 'bytes', { bytes: 4_000 })).length, 5_000);
    const heard: unknown[] = [];
    admin.on('notification', ({ payload }) => heard.push(payload));
    await admin.query('LISTEN mark');
    await ask("SELECT pg_notify('mark', 'rolled back')::text");
    await ask("SELECT pg_notify('mark', 'committed')::text", 'rollback');
    await admin.query('UNLISTEN mark');
    assert.deepEqual(heard, ['committed', 'committed']);
    const [own, shared] = [engineOf(), engineOf({ without: 'new_connection' })];
    const pidOf = async (engine: DatabaseEngine): Promise<unknown> =>
      (await engine.read({ sql: 'SELECT pg_backend_pid()', values: [] }, NO_SCOPE, limits, signal)).rows[0]?.[0];
    assert.notEqual(await pidOf(own), await pidOf(own));
    assert.equal(await pidOf(shared), await pidOf(shared));
    await shared.close();
    assert.deepEqual(await leftovers(), NOTHING_LEFT);
  });

  it('what is too slow, too costly, too large or locked is told as such, and soon', async () => {
    const told = async (sql: string, parts: Parameters<typeof openSource>[1], expected: RegExp): Promise<void> => {
      const startedAt = performance.now();
      await assert.rejects(openSource(engineOf(), parts).runSql(sql, signal), (error: Error) => {
        assert.ok(hasCode(error, 'tool_too_large'), error.message);
        assert.match(error.message, expected);
        return true;
      });
      assert.ok(performance.now() - startedAt < 4_000, sql);
    };
    const cross = 'SELECT count(*) FROM orders a, orders b, orders c, orders d';
    await told(cross, { timeoutMs: 300, maxCost: 1e15 }, /longer than 300 ms and was ended; the database itself is up/);
    await told(cross, { maxCost: 1_000 }, /estimates its cost at \d+, and 1000 is the limit/);
    await admin.query('BEGIN; LOCK TABLE base.orders IN ACCESS EXCLUSIVE MODE');
    try {
      await told('SELECT count(*) FROM orders', { timeoutMs: 300 }, /longer than 300 ms/);
    } finally {
      await admin.query('ROLLBACK');
    }
    const catalog = await engineOf().readCatalog(signal);
    const scope: SqlScope = {
      dialect: 'postgres',
      visible: catalog,
      allowed: new Set(catalog),
      functions: new Set(),
      closed: new Map(),
    };
    await assert.rejects(
      engineOf().read(
        { sql: "SELECT repeat('x', 50000000)", values: [] },
        scope,
        { timeoutMs: 5_000, maxCost: 1e9, rows: 1, bytes: 100_000 },
        signal,
      ),
      /larger than 100000 bytes/,
    );
    assert.deepEqual(await leftovers(), NOTHING_LEFT);
  });

  it('no more connections are open than the source may have, and none left is an outage', async () => {
    const source = openSource(engineOf({ connections: 2 }), { timeoutMs: 5_000, maxCost: 1e15 });
    await source.check(signal);
    const running = Array.from({ length: 8 }, () => source.runSql('SELECT count(*) AS n FROM orders a, orders b', signal));
    const seen: number[] = [];
    const done = Promise.all(running).then(() => true);
    for (let ended = false; !ended; ended = await Promise.race([done, systemClock.sleep(5).then(() => false)])) {
      const { rows } = await admin.query(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'threadwise' AND state <> 'idle'",
      );
      seen.push(rows[0].n);
    }
    assert.ok(Math.max(...seen) <= 2, String(seen));
    await leftovers();
    await admin.query('ALTER ROLE threadwise CONNECTION LIMIT 0');
    try {
      await assert.rejects(source.runSql('SELECT 1', signal), (error) => hasCode(error, 'tool_network'));
    } finally {
      await admin.query('ALTER ROLE threadwise CONNECTION LIMIT 16');
    }
    assert.deepEqual((await source.runSql('SELECT 1 AS one', signal)).table.rows, [[1]]);
  });

  it('a stopped question stops its query', async () => {
    const source = openSource(engineOf(), { timeoutMs: 20_000, maxCost: 1e15 });
    await source.check(signal);
    const controller = new AbortController();
    const running = source.runSql('SELECT count(*) FROM orders a, orders b, orders c, orders d', controller.signal);
    await systemClock.sleep(200);
    const startedAt = performance.now();
    controller.abort(new Error('stopped'));
    await assert.rejects(running, /stopped/);
    assert.ok(performance.now() - startedAt < 500);
    assert.deepEqual(await leftovers(), NOTHING_LEFT);
    assert.ok(performance.now() - startedAt < 3_000);
  });

  it('a view shows the rows of those who read, and no SQL of a model changes who they are', async () => {
    await admin.query(`
      CREATE TABLE base.salaries (person text, label text, amount int);
      INSERT INTO base.salaries VALUES ('slack:U1', 'staff', 1), ('slack:U2', 'hr', 2), ('slack:U3', 'hr', 3);
      CREATE VIEW reporting.salaries AS SELECT amount FROM base.salaries
        WHERE label = ANY (string_to_array(current_setting('threadwise.labels', true), ','))
          OR person = current_setting('threadwise.user', true);
      GRANT SELECT ON reporting.salaries TO threadwise;`);
    const source = openSource(engineOf(), { tables: undefined });
    const amounts = async (userId: string, ...labels: readonly string[]) =>
      (await source.runSql('SELECT amount FROM salaries ORDER BY amount', signal, { userId, labels })).table.rows.flat();
    assert.deepEqual(await amounts('', 'everyone', 'hr'), [2, 3]);
    assert.deepEqual(await amounts('slack:U1', 'everyone'), [1]);
    assert.deepEqual(await amounts("slack:U1' OR true --", 'everyone'), []);
    assert.deepEqual((await source.runSql('SELECT amount FROM salaries', signal)).table.rows, []);
    for (const sql of [
      "SELECT set_config('threadwise.labels', 'hr', true), amount FROM salaries",
      "SET threadwise.labels = 'hr'",
      "WITH s AS (SELECT set_config('threadwise.user', 'slack:U2', true)) SELECT amount FROM s, salaries",
    ])
      await assert.rejects(
        source.runSql(sql, signal, { userId: '', labels: [] }),
        (error) => hasCode(error, 'tool_refused'),
        sql,
      );
    await admin.query('DROP VIEW reporting.salaries; DROP TABLE base.salaries');
  });

  it('named queries bind by the protocol, and a masked column of a view stays masked under another name', async () => {
    const number = (max: number) => ({ type: 'number', min: 0, max, integer: true }) as const;
    const source = openSource(engineOf(), {
      queries: {
        orders: {
          description: 'Orders',
          examples: [],
          sql: 'SELECT id, note FROM orders WHERE note = :note OR id <= :upto ORDER BY id LIMIT :upto',
          parameters: { note: { type: 'string', maxChars: 50 }, upto: number(10) },
        },
        people: { description: 'People', examples: [], sql: 'SELECT id, email AS address FROM customers', parameters: {} },
      },
    });
    const { table, sql } = await source.runQuery('orders', { note: "x' OR '1'='1", upto: 2 }, signal);
    assert.deepEqual(table.rows, [
      [1, 'note 1'],
      [2, 'note 2'],
    ]);
    assert.equal(sql, 'SELECT id, note FROM orders WHERE note = $1 OR id <= $2 ORDER BY id LIMIT $2');
    assert.deepEqual((await source.runQuery('people', {}, signal)).table.rows, [[1, 'c•••']]);
  });
});
