import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Clock } from '../../agent/ports/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { testKnowledgeContract } from '../contracts/knowledge-store.ts';
import { testMemoryContract } from '../contracts/memory-store.ts';
import { testStoreContract } from '../contracts/store.ts';

const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => {}, after: () => () => {} };

const onFile = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-store-'));
  const opened = openSqliteStore({ folder, clock });
  return {
    ...opened,
    close: async () => {
      await opened.close();
      rmSync(folder, { recursive: true });
    },
  };
};
const inMemory = async () => openSqliteStore({ folder: ':memory:', clock });

testStoreContract('SQLite on a file', onFile);
testStoreContract('SQLite in memory', inMemory);
testKnowledgeContract('SQLite on a file', onFile);
testKnowledgeContract('SQLite in memory', inMemory);
testMemoryContract('SQLite on a file', onFile);
testMemoryContract('SQLite in memory', inMemory);

test('the files are for their owner alone, in a folder that others may read as well', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-store-'));
  t.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const { store, close } = openSqliteStore({ folder, clock });
  await store.writeSetting('someone', 'name', { value: 1 });
  const modes = readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
  await close();
  assert.deepEqual(Object.fromEntries(modes), {
    'threadwise.db': '600',
    'threadwise.db-shm': '600',
    'threadwise.db-wal': '600',
  });
});
