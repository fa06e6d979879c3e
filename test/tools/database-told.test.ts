/** What a person is told when the database is not as it should be, in whole runs without a model, and with one what the model is told. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import type { Tool } from '../../agent/ports/tool.ts';
import { createExtractiveProvider } from '../../models/extractive.ts';
import { systemClock } from '../../ops/clock.ts';
import { createQueryDatabase } from '../../tools/database.ts';
import { createPostgresEngine } from '../../tools/database-postgres.ts';
import { callTurn, createScriptedModel, turnOf } from '../agent/fakes.ts';
import { lastTool, search, setUp } from '../agent/harness.ts';
import { openPostgres, type Server } from './database-servers.ts';
import { openSource } from './database-world.ts';

const LIMITS = { retryBaseMs: 1 };

describe('a database that is not as it should be', () => {
  let server: Server;
  let admin: Client;
  let url: string;
  const database = `told_${process.pid}`;
  const role = `teller_${process.pid}`;

  before(async () => {
    server = await openPostgres();
    const root = new Client({ connectionString: server.url });
    await root.connect();
    await root.query(`CREATE DATABASE ${database}`);
    await root.end();
    const own = Object.assign(new URL(server.url), { pathname: `/${database}` });
    admin = new Client({ connectionString: own.href });
    await admin.connect();
    await admin.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC;
      REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_from_bytea(oid, bytea) FROM PUBLIC;
      CREATE TABLE stock (item text, pieces int); INSERT INTO stock VALUES ('lamp', 7);
      CREATE ROLE ${role} LOGIN NOINHERIT; GRANT CONNECT ON DATABASE ${database} TO ${role};
      GRANT USAGE ON SCHEMA public TO ${role}; GRANT SELECT ON stock TO ${role}`);
    own.username = role;
    url = own.href;
  });
  after(async () => {
    await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await admin.end();
    await server[Symbol.asyncDispose]();
  });

  const open = (at: string, sql = 'SELECT sum(pieces) AS pieces FROM stock') => {
    const query = { description: 'Pieces in stock', examples: ['How many pieces are in stock?'], sql, parameters: {} };
    const engine = createPostgresEngine({ url: at, schemas: ['public'], clock: systemClock, connections: 2 });
    return openSource(engine, { timeoutMs: 300, tables: undefined, queries: { stock: query } });
  };
  /** The words of the answer without a model, and what a model is told. */
  const ask = async (source: ReturnType<typeof open>): Promise<readonly [string, string]> => {
    const tools = [createQueryDatabase({ sources: [source] }) as unknown as Tool, search as Tool];
    const parts = { tools, deps: { clock: systemClock }, limits: LIMITS };
    const plain = createExtractiveProvider({ findQuery: () => ({ query: 'stock', parameters: {} }) });
    const input = { question: 'How many pieces are in stock?' };
    const { answer } = await setUp(plain, { ...parts, input }).run();
    const model = createScriptedModel(callTurn('query_database', { query: 'stock' }), turnOf({ text: 'So it is.' }));
    await setUp(model, parts).run();
    const { kind = 'rows' } = lastTool(model, 1) as { kind?: string };
    return [answer.text, kind];
  };
  const DOWN = 'The database that holds this cannot be asked right now. Please ask again in a few minutes.';

  it('answers while all is well', async () => {
    const [text, kind] = await ask(open(url));
    assert.match(text, /^Pieces in stock: \*\*7\*\*/);
    assert.equal(kind, 'rows');
  });

  it('that is down, or has no connection to give, cannot be asked right now', async () => {
    assert.deepEqual(await ask(open('postgres://u:p@127.0.0.1:1/x')), [DOWN, 'network']);
    await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    try {
      assert.deepEqual(await ask(open(url)), [DOWN, 'network']);
    } finally {
      await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
    }
  });

  it('that takes too long is said to be up, and less is asked for', async () => {
    const source = open(url);
    await source.check(new AbortController().signal);
    await admin.query('BEGIN; LOCK TABLE stock IN ACCESS EXCLUSIVE MODE');
    try {
      const [text, kind] = await ask(source);
      assert.match(text, /^The database was asked, and the answer would take too long or be too much\. Please ask for less/);
      assert.equal(kind, 'too_large');
    } finally {
      await admin.query('ROLLBACK');
    }
  });

  it('whose role can do too much is not open, and nothing else is quoted in its place', async () => {
    await admin.query(`GRANT INSERT ON stock TO ${role}`);
    try {
      const [text, kind] = await ask(open(url));
      assert.equal(text, 'The database that holds this is not open to me. An administrator finds the reason in the log.');
      assert.equal(kind, 'denied');
    } finally {
      await admin.query(`REVOKE INSERT ON stock FROM ${role}`);
    }
  });

  it('whose tables are others than the query knows is no mistake of whoever asked', async () => {
    assert.deepEqual(await ask(open(url, 'SELECT sum(boxes) FROM stock')), [DOWN, 'internal']);
    assert.equal((await ask(open(url, 'SELECT count(*) FROM shelves')))[1], 'denied');
  });
});
