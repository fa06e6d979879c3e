import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEmbedding } from '../../agent/embedding.ts';
import { AppError, hasCode } from '../../agent/errors.ts';
import type { KnowledgeStore } from '../../agent/ports/knowledge.ts';
import { indexColumns } from '../../agent/words.ts';
import { embeddingTexts } from '../../knowledge/embedding-text.ts';
import { createFakeEmbedder, createRecordingLogger, openStore, realClock } from '../knowledge/setup.ts';

const put = (store: KnowledgeStore, id: string, texts: readonly string[]) =>
  store.putDocument(
    { id, root: '/kb', source: `${id}.md`, title: `Title of ${id}`, label: 'everyone', date: null, contentHash: id },
    texts.map((text, position) => ({
      id: `${id}-${position}`,
      documentId: id,
      position,
      headingPath: ['Section'],
      location: '',
      text,
      ...indexColumns(text),
    })),
  );

test('each passage is embedded once, with its title and headings, and an unreadable one is marked', async (t) => {
  const store = openStore(t);
  const embedder = createFakeEmbedder();
  const embedding = createEmbedding({
    store,
    embedder,
    textsOf: embeddingTexts(store),
    clock: realClock,
    logger: createRecordingLogger(),
  });
  await put(store, 'a', ['first text', '保修期为两年']);
  assert.deepEqual(await embedding.fill(), { embedded: 1, unreadable: 1 });
  assert.deepEqual(embedder.seen, ['Title of a > Section\nfirst text']);
  assert.deepEqual(await store.readIdentity(), { embedderId: 'fake-words', dimensions: 64 });
  await put(store, 'b', ['second text']);
  assert.deepEqual(await embedding.fill(), { embedded: 1, unreadable: 0 });
  assert.equal(embedder.seen.length, 2);
  assert.deepEqual(await embedding.fill(), { embedded: 0, unreadable: 0 });
  assert.equal((await store.countDocuments()).vectors, 2);
});

test('a fill that failed or was stopped goes on where it was', async (t) => {
  const store = openStore(t);
  const embedder = createFakeEmbedder();
  const embedding = createEmbedding({ store, embedder, clock: realClock, logger: createRecordingLogger() });
  await put(
    store,
    'a',
    Array.from({ length: 40 }, (_, at) => `text ${at}`),
  );
  const abort = new AbortController();
  const progress: number[] = [];
  const stopped = embedding.fill({
    signal: abort.signal,
    onProgress: ({ done, total }) => {
      assert.equal(total, 40);
      progress.push(done);
      abort.abort(new Error('stop'));
    },
  });
  await assert.rejects(stopped, /stop/);
  assert.deepEqual(progress, [16]);
  embedder.fail = new AppError('embedder_unavailable', 'down');
  await assert.rejects(embedding.fill(), (error) => hasCode(error, 'embedder_unavailable'));
  embedder.fail = undefined;
  assert.deepEqual(await embedding.fill(), { embedded: 24, unreadable: 0 });
  assert.equal(new Set(embedder.seen).size, embedder.seen.length);
});

test('vectors of another embedder are refused with the command that rebuilds them', async (t) => {
  const store = openStore(t);
  const deps = { store, clock: realClock, logger: createRecordingLogger() };
  await put(store, 'a', ['text']);
  await createEmbedding({ ...deps, embedder: createFakeEmbedder('old') }).fill();
  const other = createEmbedding({ ...deps, embedder: createFakeEmbedder('new') });
  await assert.rejects(
    other.fill(),
    (error: unknown) => hasCode(error, 'index_mismatch') && error.message.includes('`threadwise ingest --rebuild`'),
  );
  assert.equal((await store.countDocuments()).vectors, 1);
  await other.rebuild();
  assert.deepEqual(await other.fill(), { embedded: 1, unreadable: 0 });
  assert.equal((await store.readIdentity())?.embedderId, 'new');
});
