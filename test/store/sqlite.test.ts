import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Clock } from '../../agent/ports/clock.ts';
import { migration as wordStatistics } from '../../store/migrations/004-word-statistics.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { chunkRecord, documentRecord, testKnowledgeContract } from '../contracts/knowledge-store.ts';
import { testMemoryContract } from '../contracts/memory-store.ts';
import { inboundMessage, testStoreContract } from '../contracts/store.ts';
import { testTicketContract } from '../contracts/ticket-store.ts';

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
testTicketContract('SQLite on a file', onFile);
testTicketContract('SQLite in memory', inMemory);

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

const ANY_OF = { words: ['apples', 'pears'], bigrams: ['退货'] };

test('a search by words sees at once what another process wrote', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-store-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [here, there] = [openSqliteStore({ folder, clock }), openSqliteStore({ folder, clock })];
  t.after(() => Promise.all([here.close(), there.close()]));
  const found = async () => (await here.knowledge.searchWords(ANY_OF, ['public'], 10)).map((hit) => hit.chunkId);
  assert.deepEqual(await found(), []);
  await there.knowledge.putDocument(documentRecord('a'), [chunkRecord('a', 0, 'apples')]);
  assert.deepEqual(await found(), ['a#0']);
  await there.knowledge.putDocument(documentRecord('a', { label: 'board' }), [chunkRecord('a', 0, 'apples')]);
  assert.deepEqual(await found(), []);
});

test('passages that were there before their words were counted rank as new ones do', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-store-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const first = openSqliteStore({ folder, clock });
  const texts = ['apples are red', 'pears are green and so are some apples', '', 'plums', 'figs', 'dates', 'nuts'];
  await first.knowledge.putDocument(documentRecord('a'), [
    ...texts.map((text, position) => chunkRecord('a', position, text)),
    chunkRecord('a', texts.length, '', { bigrams: '退货 货政 政策' }),
  ]);
  await first.knowledge.putDocument(documentRecord('gone'), [chunkRecord('gone', 0, 'apples')]);
  await first.knowledge.removeDocuments(['gone']);
  const before = await first.knowledge.searchWords(ANY_OF, ['public'], 10);
  assert.equal(before.length, 3);
  await first.close();

  const raw = new DatabaseSync(join(folder, 'threadwise.db'));
  raw.exec(`DROP TABLE chunk_lengths; ${wordStatistics.sql}`);
  raw.close();
  const second = openSqliteStore({ folder, clock });
  t.after(() => second.close());
  assert.deepEqual(await second.knowledge.searchWords(ANY_OF, ['public'], 10), before);
});

test('a turn that is forgotten leaves no argument of what was asked about in it', async () => {
  const { store, memory, close } = await inMemory();
  await store.accept(inboundMessage(1));
  const { lease, turnId } = (await store.claim('w1', 10, 1_000)) ?? assert.fail();
  await store.askApproval(lease, {
    id: 'a1',
    turnId,
    tool: 'send_email',
    words: 'Sends a mail to Ada.',
    arguments: '{"to":"ada@example.com"}',
    hash: 'h',
    reason: 'tool',
    approvers: ['slack:U1'],
    askedAt: 10,
    expiresAt: 1_000,
  });
  await store.decideApproval('a1', { outcome: 'denied', decidedBy: 'slack:U1', now: 20 });
  await memory.forget({ observationIds: [], turnIds: [turnId], pinIds: [], bereft: [] });
  const [{ tool, words, arguments: args, outcome } = assert.fail()] = await store.listApprovals(turnId);
  assert.deepEqual([tool, words, args, outcome], ['send_email', '', '{}', 'denied']);
  await close();
});
