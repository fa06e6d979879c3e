import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { createRegistry } from '../../agent/registry.ts';
import { systemClock } from '../../ops/clock.ts';
import { type DatabaseDescription, openDatabases, testDatabase } from '../../tools/database-open.ts';
import { createMemoryLogger } from '../fakes/gateway-bench.ts';
import { settingsOf } from './database-world.ts';

const SEED = join(import.meta.dirname, '..', '..', 'examples', 'database', 'shop.sql');

const describe = (parts: Partial<DatabaseDescription>): DatabaseDescription => {
  const { coversValues, ...settings } = settingsOf();
  return {
    ...settings,
    engine: 'sqlite',
    place: { seed: SEED },
    schemas: ['public'],
    connections: 1,
    coverValues: coversValues,
    ...parts,
  };
};
const QUERY = { description: 'Orders', examples: [], sql: 'SELECT 1', parameters: {} };

const toolsOf = async (descriptions: readonly DatabaseDescription[]): Promise<readonly string[]> => {
  const databases = await openDatabases(descriptions, { clock: systemClock, logger: createMemoryLogger() });
  const registry = createRegistry();
  databases.registerTools(registry);
  await databases.close();
  return registry.tools.map(({ name }) => name);
};

it('there is a tool for named queries where some are, and tools for SQL where a source allows it', async () => {
  assert.deepEqual(await toolsOf([describe({ freeSql: false })]), []);
  assert.deepEqual(await toolsOf([describe({ freeSql: false, queries: { orders: QUERY } })]), ['query_database']);
  assert.deepEqual(await toolsOf([describe({ freeSql: true })]), ['find_tables', 'run_sql']);
});

it('a server that cannot be reached is logged, and holds up neither the start nor the end', async () => {
  const logger = createMemoryLogger();
  const url = { reveal: () => 'postgres://u:p@127.0.0.1:1/x' };
  const startedAt = performance.now();
  const databases = await openDatabases([describe({ engine: 'postgres', place: { url }, queries: { orders: QUERY } })], {
    clock: systemClock,
    logger,
  });
  await databases.close();
  assert.ok(performance.now() - startedAt < 3_000);
  assert.deepEqual(
    logger.lines.map(({ event }) => event),
    ['database_not_served'],
  );
});

it('a query that two sources name stops the start', async () => {
  const databases = await openDatabases(
    [describe({ queries: { orders: QUERY } }), describe({ name: 'other', queries: { orders: QUERY } })],
    {
      clock: systemClock,
      logger: createMemoryLogger(),
    },
  );
  assert.throws(() => databases.registerTools(createRegistry()), /a name of its own for each query, got orders twice/);
  await databases.close();
});

it('a database is put to the test for the doctor: what is there, and why it is not served', async () => {
  const deps = { clock: systemClock, logger: createMemoryLogger(), signal: new AbortController().signal };
  assert.deepEqual(await testDatabase(describe({ tables: undefined }), deps), { name: 'shop', tables: 3, problem: undefined });
  const url = { reveal: () => 'postgres://u:p@127.0.0.1:1/x' };
  assert.deepEqual(await testDatabase(describe({ engine: 'postgres', place: { url } }), deps), {
    name: 'shop',
    tables: 0,
    problem: 'The database could not be reached.',
  });
});
