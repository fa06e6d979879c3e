import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { indexColumns } from '../../agent/words.ts';
import { syncConfigured } from '../../knowledge/configured.ts';
import { createSync } from '../../knowledge/sync.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createRecordingLogger, makeFolder, realClock } from './setup.ts';

const LABEL = { label: 'everyone' };

const open = async (t: TestContext) => {
  const { store, knowledge, close } = openSqliteStore({ folder: ':memory:', clock: realClock });
  t.after(close);
  const sync = createSync({
    store: knowledge,
    clock: realClock,
    logger: createRecordingLogger(),
    parse: async ({ name, bytes }) => {
      const text = Buffer.from(bytes).toString();
      return { title: name, date: null, chunks: [{ headingPath: [], location: '', text, ...indexColumns(text) }] };
    },
  });
  const folderWith = async (name: string): Promise<string> => {
    const folder = await makeFolder(t);
    await writeFile(join(folder, name), name);
    return folder;
  };
  return {
    sync,
    folderWith,
    configure: (...folders: string[]) => syncConfigured({ sync, settings: store }, folders, LABEL),
    sources: async () => (await knowledge.listDocuments()).map(({ source }) => source).toSorted(),
  };
};

test('what the configuration no longer names is gone, what was ingested by hand stays', async (t) => {
  const { sync, folderWith, configure, sources } = await open(t);
  const [sample, handbook, byHand] = [
    await folderWith('sample.md'),
    await folderWith('handbook.md'),
    await folderWith('hand.md'),
  ];
  await sync.syncPaths([byHand], LABEL);
  assert.equal((await configure(sample)).added, 1);
  assert.deepEqual(await sources(), ['hand.md', 'sample.md']);

  const { added, removed } = await configure(handbook);
  assert.deepEqual([added, removed], [1, 1]);
  assert.deepEqual(await sources(), ['hand.md', 'handbook.md']);

  assert.equal((await configure(handbook)).removed, 0);
  assert.equal((await configure(handbook, sample)).added, 1);
  assert.equal((await configure()).removed, 2);
  assert.deepEqual(await sources(), ['hand.md']);
});

test('nothing is taken out for a configuration that names a folder which is not there', async (t) => {
  const { folderWith, configure, sources } = await open(t);
  const sample = await folderWith('sample.md');
  await configure(sample);
  await assert.rejects(configure(join(sample, 'missing')), (error) => hasCode(error, 'source_missing'));
  assert.deepEqual(await sources(), ['sample.md']);
});
