import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { AppError, hasCode } from '../../agent/errors.ts';
import type { KnowledgeStore } from '../../agent/ports/knowledge.ts';
import { indexColumns } from '../../agent/words.ts';
import type { ParseFile } from '../../knowledge/parser.ts';
import { createSync, type SyncOutcome } from '../../knowledge/sync.ts';
import { createRecordingLogger, makeFolder, openStore, realClock } from './setup.ts';

/** Takes the text as it is; a file that says BAD is unreadable. */
const createPlainParse = () => {
  const parsed: string[] = [];
  const parse: ParseFile = async ({ name, bytes }) => {
    parsed.push(name);
    const text = Buffer.from(bytes).toString();
    if (text.includes('BAD')) throw new AppError('document_unreadable', 'it is bad.');
    const chunks = text.split('\n').map((line) => ({ headingPath: [], location: '', text: line, ...indexColumns(line) }));
    return { title: name, date: null, chunks };
  };
  return { parse, parsed };
};

const open = async (t: TestContext, files: Readonly<Record<string, string>> = {}) => {
  const root = await makeFolder(t);
  for (const [path, text] of Object.entries(files)) await put(root, path, text);
  const store = openStore(t);
  const { parse, parsed } = createPlainParse();
  const logger = createRecordingLogger();
  return { root, store, parsed, logger, sync: createSync({ store, clock: realClock, logger, parse }) };
};

const put = async (root: string, path: string, text: string): Promise<void> => {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), text);
};

const counts = ({ added, changed, unchanged, removed, failed }: SyncOutcome) => [
  added,
  changed,
  unchanged,
  removed,
  failed.length,
];
const sources = async (store: KnowledgeStore): Promise<readonly string[]> =>
  (await store.listDocuments()).map((document) => `${document.label}:${document.source}`).toSorted();

test('only what changed is read again, and what vanished is gone', async (t) => {
  const { root, store, parsed, sync } = await open(t, { 'a.md': 'one', 'sub/b.md': 'two', 'c.md': 'three' });
  assert.deepEqual(counts(await sync.syncPaths([root], { label: 'everyone' })), [3, 0, 0, 0, 0]);
  assert.deepEqual(await sources(store), ['everyone:a.md', 'everyone:c.md', 'everyone:sub/b.md']);
  const revision = await store.readRevision();
  await utimes(join(root, 'a.md'), new Date(0), new Date(0));
  parsed.length = 0;
  assert.deepEqual(counts(await sync.syncPaths([root], { label: 'everyone' })), [0, 0, 3, 0, 0]);
  assert.deepEqual(parsed, []);
  assert.equal(await store.readRevision(), revision);
  await put(root, 'a.md', 'one, changed');
  await rm(join(root, 'c.md'));
  assert.deepEqual(counts(await sync.syncPaths([root], { label: 'everyone' })), [0, 1, 1, 1, 0]);
  assert.deepEqual(parsed, ['a.md']);
  assert.deepEqual(await sources(store), ['everyone:a.md', 'everyone:sub/b.md']);
});

test('a document keeps its id when its text changes and its date is that of the file', async (t) => {
  const { root, store, sync } = await open(t, { 'a.md': 'one' });
  await utimes(join(root, 'a.md'), new Date('2026-01-02'), new Date('2026-01-02'));
  await sync.syncPaths([root], { label: 'everyone' });
  const [before] = await store.listDocuments();
  await put(root, 'a.md', 'two');
  await sync.syncPaths([root], { label: 'everyone' });
  const [after] = await store.listDocuments();
  assert.equal(before?.date, '2026-01-02');
  assert.equal(before?.id, after?.id);
  assert.notEqual(before?.contentHash, after?.contentHash);
});

test('a long document is written in parts that come, change and go together', async (t) => {
  const lines = (count: number, word: string): string => Array.from({ length: count }, (_, at) => `${word} ${at}`).join('\n');
  const { root, store, sync } = await open(t, { 'a.md': lines(900, 'alpha') });
  const find = async (word: string): Promise<number> =>
    (await store.searchWords({ words: [word], bigrams: [] }, ['everyone'], 2000)).length;
  assert.deepEqual(counts(await sync.syncPaths([root], { label: 'everyone' })), [1, 0, 0, 0, 0]);
  assert.equal(await find('alpha'), 900);
  assert.deepEqual(counts(await sync.syncPaths([root], { label: 'everyone' })), [0, 0, 1, 0, 0]);
  await put(root, 'a.md', lines(300, 'beta'));
  assert.deepEqual(counts(await sync.syncPaths([root], { label: 'everyone' })), [0, 1, 0, 0, 0]);
  assert.deepEqual([await find('alpha'), await find('beta')], [0, 300]);
  await rm(join(root, 'a.md'));
  assert.deepEqual(counts(await sync.syncPaths([root], { label: 'everyone' })), [0, 0, 0, 1, 0]);
  assert.deepEqual([await find('beta'), (await store.listDocuments()).length], [0, 0]);
});

test('a long document whose writing was cut short is written whole by the next sync', async (t) => {
  const { root, store, logger } = await open(t, { 'a.md': Array.from({ length: 500 }, (_, at) => `alpha ${at}`).join('\n') });
  const { parse } = createPlainParse();
  let writes = 0;
  const dying = {
    ...store,
    putDocument: async (...args: Parameters<KnowledgeStore['putDocument']>): Promise<void> => {
      if (++writes === 2) throw new AppError('store_full', 'full');
      await store.putDocument(...args);
    },
  };
  const first = createSync({ store: dying, clock: realClock, logger, parse });
  await assert.rejects(first.syncPaths([root], { label: 'everyone' }), (error) => hasCode(error, 'store_full'));
  await createSync({ store, clock: realClock, logger, parse }).syncPaths([root], { label: 'everyone' });
  assert.equal((await store.searchWords({ words: ['alpha'], bigrams: [] }, ['everyone'], 2000)).length, 500);
});

test('another label labels the same files anew', async (t) => {
  const { root, store, sync } = await open(t, { 'a.md': 'canary' });
  await sync.syncPaths([root], { label: 'everyone' });
  assert.deepEqual(counts(await sync.syncPaths([root], { label: 'finance' })), [0, 1, 0, 0, 0]);
  assert.deepEqual(await store.searchWords({ words: ['canary'], bigrams: [] }, ['everyone'], 10), []);
  assert.equal((await store.searchWords({ words: ['canary'], bigrams: [] }, ['finance'], 10)).length, 1);
});

test('a folder ingested on its own keeps its label when the folder above it is ingested, in either order', async (t) => {
  const { root, store, sync } = await open(t, { 'a.md': 'public', 'finance/b.md': 'secret' });
  await sync.syncPaths([join(root, 'finance')], { label: 'finance' });
  await sync.syncPaths([root], { label: 'everyone' });
  assert.deepEqual(await sources(store), ['everyone:a.md', 'finance:b.md']);
  const other = await open(t, { 'a.md': 'public', 'finance/b.md': 'secret' });
  await other.sync.syncPaths([other.root], { label: 'everyone' });
  await other.sync.syncPaths([join(other.root, 'finance')], { label: 'finance' });
  assert.deepEqual(counts(await other.sync.syncPaths([other.root], { label: 'everyone' })), [0, 0, 1, 0, 0]);
  assert.deepEqual(await sources(other.store), ['everyone:a.md', 'finance:b.md']);
});

test('several roots and single files are taken; a file named twice is one document', async (t) => {
  const { root, store, sync } = await open(t, { 'x/a.md': 'one', 'y/b.md': 'two', 'z/c.txt': 'three' });
  const paths = [join(root, 'x'), join(root, 'y'), join(root, 'z/c.txt'), join(root, 'x')];
  assert.deepEqual(counts(await sync.syncPaths(paths, { label: 'everyone' })), [3, 0, 0, 0, 0]);
  assert.deepEqual(await sources(store), ['everyone:a.md', 'everyone:b.md', 'everyone:c.txt']);
});

test('a missing path is refused before anything is changed', async (t) => {
  const { root, store, sync } = await open(t, { 'a.md': 'one' });
  await assert.rejects(
    sync.syncPaths([root, join(root, 'missing')], { label: 'everyone' }),
    (error: unknown) => hasCode(error, 'source_missing') && error.message.includes(join(root, 'missing')),
  );
  assert.deepEqual(await sources(store), []);
});

test('a vanished root is refused and what it held stays', async (t) => {
  const { root, store, sync } = await open(t, { 'kb/a.md': 'one' });
  await sync.syncPaths([join(root, 'kb')], { label: 'everyone' });
  await rename(join(root, 'kb'), join(root, 'gone'));
  await assert.rejects(sync.syncPaths([join(root, 'kb')], { label: 'everyone' }), (error) => hasCode(error, 'source_missing'));
  assert.deepEqual(await sources(store), ['everyone:a.md']);
});

test('an unreadable file gets one line, the rest goes on, and its last readable text is gone', async (t) => {
  const { root, store, parsed, sync } = await open(t, { 'a.md': 'fine', 'b.md': 'fine too', 'c.md': 'BAD' });
  const first = await sync.syncPaths([root], { label: 'everyone' });
  assert.deepEqual(first.failed, [{ source: 'c.md', reason: 'it is bad.' }]);
  await put(root, 'b.md', 'BAD now');
  const second = await sync.syncPaths([root], { label: 'everyone' });
  assert.deepEqual(
    second.failed.map((failure) => failure.source),
    ['b.md', 'c.md'],
  );
  assert.deepEqual(await sources(store), ['everyone:a.md']);
  assert.equal(parsed.filter((name) => name === 'c.md').length, 1);
});

test('a file over 20 MB is refused by its size alone', async (t) => {
  const { root, parsed, sync } = await open(t, { 'a.md': '' });
  await truncate(join(root, 'a.md'), 21_000_000);
  const { failed } = await sync.syncPaths([root], { label: 'everyone' });
  assert.match(failed[0]?.reason ?? '', /^expected at most 20 MB, got 21\.0 MB/);
  assert.deepEqual(parsed, []);
});

test('hidden files, dependencies and other kinds are passed over', async (t) => {
  const { root, store, sync } = await open(t, {
    'a.md': 'one',
    '.hidden.md': 'x',
    '.git/b.md': 'x',
    'node_modules/c.md': 'x',
    'logo.png': 'x',
  });
  const outcome = await sync.syncPaths([root], { label: 'everyone' });
  assert.deepEqual([...counts(outcome), outcome.ignored], [1, 0, 0, 0, 0, 1]);
  assert.deepEqual(await sources(store), ['everyone:a.md']);
});

test('links inside the root are followed once, links that leave it or lead in a circle are not', async (t) => {
  const { root, store, sync } = await open(t, { 'kb/a.md': 'one', 'kb/.data/b.md': 'two', 'outside/secret.md': 'three' });
  await symlink(join(root, 'kb/.data/b.md'), join(root, 'kb/b.md'));
  await symlink(join(root, 'kb/a.md'), join(root, 'kb/again.md'));
  await symlink(join(root, 'outside/secret.md'), join(root, 'kb/secret.md'));
  await symlink(join(root, 'outside'), join(root, 'kb/outside'));
  await symlink(join(root, 'kb'), join(root, 'kb/circle'));
  await sync.syncPaths([join(root, 'kb')], { label: 'everyone' });
  assert.deepEqual(await sources(store), ['everyone:a.md', 'everyone:b.md']);
});

test('progress names each file and an abort stops between files', async (t) => {
  const { root, store, sync } = await open(t, { 'a.md': '1', 'b.md': '2', 'c.md': '3' });
  const lines: string[] = [];
  const abort = new AbortController();
  const run = sync.syncPaths([root], {
    label: 'everyone',
    signal: abort.signal,
    onProgress: ({ done, total, source, outcome }) => {
      lines.push(`${done}/${total} ${source} ${outcome}`);
      if (done === 2) abort.abort(new Error('enough'));
    },
  });
  await assert.rejects(run, /enough/);
  assert.deepEqual(lines, ['1/3 a.md added', '2/3 b.md added']);
  assert.equal((await store.listDocuments()).length, 2);
});

test('a watched folder is synced when something under it changes, and the watch ends with its signal', async (t) => {
  const { root, store, sync } = await open(t, { 'a.md': 'one' });
  await sync.syncPaths([root], { label: 'everyone' });
  const abort = new AbortController();
  const synced = Promise.withResolvers<SyncOutcome>();
  const watching = sync.watchPaths([root], { label: 'everyone', signal: abort.signal, onSync: synced.resolve });
  await realClock.sleep(50);
  await put(root, 'b.md', 'two');
  assert.deepEqual(counts(await synced.promise), [1, 0, 1, 0, 0]);
  abort.abort();
  await watching;
  assert.deepEqual(await sources(store), ['everyone:a.md', 'everyone:b.md']);
});
