import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../agent/ports/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { testKnowledgeContract } from '../contracts/knowledge-store.ts';
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
