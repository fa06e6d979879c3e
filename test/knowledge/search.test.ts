import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createEmbedding } from '../../agent/embedding.ts';
import { AppError } from '../../agent/errors.ts';
import { indexColumns } from '../../agent/words.ts';
import { embeddingTexts } from '../../knowledge/embedding-text.ts';
import { createKnowledgeSearch } from '../../knowledge/search.ts';
import { createFakeClock } from '../fake-clock.ts';
import { createFakeEmbedder, createPlainIndex, createRecordingLogger, openStore, realClock } from './setup.ts';

interface Doc {
  readonly id: string;
  readonly label?: string;
  readonly title?: string;
  readonly texts: readonly string[];
}

const open = async (t: TestContext, docs: readonly Doc[], options: { withVectors?: boolean } = {}) => {
  const store = openStore(t);
  const embedder = createFakeEmbedder();
  const logger = createRecordingLogger();
  const clock = createFakeClock();
  const put = ({ id, label = 'everyone', title = id, texts }: Doc) =>
    store.putDocument(
      { id, root: '/kb', source: `${id}.md`, title, label, date: null, contentHash: id },
      texts.map((text, position) => {
        const bigrams = indexColumns([title, text].join('\n')).bigrams;
        return {
          id: `${id}-${position}`,
          documentId: id,
          position,
          headingPath: [],
          location: '',
          text,
          words: indexColumns(text).words,
          bigrams,
        };
      }),
    );
  for (const doc of docs) await put(doc);
  const fill = () => createEmbedding({ store, embedder, textsOf: embeddingTexts(store), clock: realClock, logger }).fill();
  if (options.withVectors !== false) await fill();
  const knowledge = createKnowledgeSearch({ store, embedder, createIndex: createPlainIndex, clock, logger });
  t.after(() => knowledge.close());
  const search = async (query: string, labels: readonly string[] = ['everyone'], limit = 8) => {
    const outcome = await knowledge.search({ query, labels, limit });
    return { ...outcome, texts: outcome.passages.map((passage) => passage.text) };
  };
  return { store, embedder, logger, clock, put, fill, search, knowledge };
};

const filler = (count: number): Doc[] =>
  Array.from({ length: count }, (_, at) => ({ id: `filler-${at}`, texts: [`The office plant number ${at} needs water.`] }));

test('words and vectors make one ranking, best first, with scores from 0 to 1', async (t) => {
  const { search } = await open(t, [
    { id: 'a', texts: ['The warranty for dealers is 12 months.'] },
    { id: 'b', texts: ['The warranty for customers is 24 months.'] },
    ...filler(5),
  ]);
  const outcome = await search('warranty for dealers');
  assert.equal(outcome.mode, 'hybrid');
  assert.equal(outcome.documents, 7);
  assert.deepEqual(outcome.texts.slice(0, 2), [
    'The warranty for dealers is 12 months.',
    'The warranty for customers is 24 months.',
  ]);
  const scores = outcome.passages.map((passage) => passage.score);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  for (const score of scores) assert.ok(score >= 0 && score <= 1);
});

for (const withVectors of [true, false]) {
  test(`what a label hides is neither shown nor counted and takes no place, ${withVectors ? 'with' : 'without'} vectors`, async (t) => {
    const secret = Array.from({ length: 60 }, (_, at) => ({
      id: `secret-${at}`,
      label: 'finance',
      texts: [`The zanzibar budget ${at} is zanzibar zanzibar money.`],
    }));
    const { search } = await open(t, [...secret, { id: 'open', texts: ['A trip to zanzibar takes nine hours.'] }], {
      withVectors,
    });
    const hidden = await search('zanzibar budget money');
    assert.deepEqual(hidden.texts, ['A trip to zanzibar takes nine hours.']);
    assert.equal(hidden.documents, 1);
    const shown = await search('zanzibar budget money', ['everyone', 'finance']);
    assert.equal(shown.documents, 61);
    assert.match(shown.texts[0] ?? '', /^The zanzibar budget/);
    const nobody = await search('zanzibar', []);
    assert.deepEqual([nobody.texts, nobody.documents], [[], 0]);
  });
}

test('hidden passages take no place among the nearest vectors', async (t) => {
  const secret = Array.from({ length: 60 }, (_, at) => ({
    id: `secret-${at}`,
    label: 'finance',
    title: 'holiday',
    texts: ['holiday'],
  }));
  const { search } = await open(t, [...secret, { id: 'open', texts: ['vacation days for staff'] }, ...filler(45)]);
  const outcome = await search('holiday');
  assert.equal(outcome.mode, 'hybrid');
  assert.equal(outcome.texts[0], 'vacation days for staff');
});

for (const withVectors of [true, false]) {
  test(`an answer is the same to the last digit whatever is hidden, ${withVectors ? 'with' : 'without'} vectors`, async (t) => {
    const { search, put, fill, clock } = await open(
      t,
      [
        {
          id: 'a',
          title: 'Warranty',
          texts: ['The warranty for dealers is 12 months.', 'Dealers register a device.', 'Ask the desk.'],
        },
        { id: 'b', texts: ['The warranty for customers is 24 months and covers the motor.'] },
        { id: 'c', title: '保修政策', texts: ['经销商的保修期为12个月。', '收货后30天内可以退货。'] },
        { id: 'd', texts: ['Customers return goods within 30 days.', 'Tern 咖啡机需要除垢。'] },
        ...filler(30),
      ],
      { withVectors },
    );
    const queries = [
      'warranty for dealers',
      'motor',
      'customers return goods',
      '经销商的保修期',
      '怎么退货',
      'Tern 除垢 warranty',
      'RMA-2044',
    ];
    const ask = () => Promise.all(queries.map((query) => search(query)));
    const before = await ask();
    assert.deepEqual(
      before.map(({ mode }) => mode),
      queries.map((query) => (withVectors && !/\p{Script=Han}/u.test(query) ? 'hybrid' : 'words')),
    );
    // Vectors are loaded in pages of 500, between which this clock stands still.
    const hidden = withVectors ? 400 : 1000;
    for (let n = 0; n < hidden; n++) {
      const texts = [
        `motor motor goods dealers ${'filler '.repeat(n % 40)}RMA-2044`,
        `保修政策的退货${'除垢'.repeat(n % 9)}`,
        'The warranty for dealers is 12 months.',
      ];
      await put({ id: `hidden-${n}`, label: 'finance', title: 'Warranty 退货', texts: [texts[n % 3] ?? ''] });
    }
    assert.deepEqual(await ask(), before);
    // The first search makes the vector index look again at what waits for vectors, and the next one goes by it.
    await clock.advance(2000);
    assert.deepEqual(await ask(), before);
    assert.deepEqual(await ask(), before);
    if (withVectors) await fill();
    await clock.advance(2000);
    assert.deepEqual(await ask(), before);
    const shown = await search('RMA-2044', ['everyone', 'finance']);
    assert.equal(shown.documents, 34 + hidden);
    assert.match(shown.texts[0] ?? '', /RMA-2044/);
  });
}

test('a deleted or re-labelled document is gone from the very next answer, whatever the vectors say', async (t) => {
  const { store, search, put } = await open(t, [
    { id: 'a', texts: ['alpha beta gamma'] },
    { id: 'b', texts: ['alpha beta delta'] },
    { id: 'c', texts: ['alpha epsilon'] },
  ]);
  assert.equal((await search('alpha beta')).texts.length, 3);
  await store.removeDocuments(['a']);
  await put({ id: 'b', label: 'finance', texts: ['alpha beta delta'] });
  const outcome = await search('alpha beta');
  assert.deepEqual(outcome.texts, ['alpha epsilon']);
  assert.equal(outcome.documents, 1);
});

test('words alone answer until vectors are there, and vectors join without a restart', async (t) => {
  const { search, fill } = await open(t, [{ id: 'a', texts: ['alpha beta'] }, ...filler(30)], { withVectors: false });
  assert.equal((await search('alpha')).mode, 'words');
  await fill();
  assert.equal((await search('alpha')).mode, 'hybrid');
});

test('words alone answer while most passages still wait for their vector', async (t) => {
  const { search, store, embedder } = await open(t, filler(50), { withVectors: false });
  await store.resetVectors({ embedderId: embedder.id, dimensions: embedder.dimensions });
  const [first] = await store.listUnembedded(1);
  const [vector] = await embedder.embed([first?.text ?? '']);
  await store.putVectors([{ id: first?.id ?? '', vector: vector ?? null }]);
  assert.equal((await search('plant')).mode, 'words');
});

test('a Chinese question is searched by words, in mixed text as well', async (t) => {
  const { search } = await open(t, [
    { id: 'a', title: '保修政策', texts: ['经销商的保修期为12个月。'] },
    { id: 'b', title: '退换货', texts: ['收货后30天内可以退货。'] },
    { id: 'c', title: 'Tern', texts: ['Tern 咖啡机需要除垢。'] },
  ]);
  const dealers = await search('经销商的保修期是多久？');
  assert.deepEqual([dealers.mode, dealers.texts[0]], ['words', '经销商的保修期为12个月。']);
  assert.equal((await search('怎么退货')).texts[0], '收货后30天内可以退货。');
  assert.equal((await search('Tern 怎么除垢')).texts[0], 'Tern 咖啡机需要除垢。');
});

test('a question of stop words alone still searches', async (t) => {
  const { search } = await open(t, [{ id: 'a', texts: ['Who we are and what we do.'] }, ...filler(3)]);
  assert.equal((await search('who are we')).texts[0], 'Who we are and what we do.');
});

test('an embedder that fails leaves words, and is used again when it works', async (t) => {
  const { search, embedder, logger } = await open(t, [{ id: 'a', texts: ['alpha beta'] }, ...filler(3)]);
  embedder.fail = new AppError('embedder_unavailable', 'down');
  const failed = await search('alpha');
  assert.deepEqual([failed.mode, failed.texts[0]], ['words', 'alpha beta']);
  assert.ok(logger.events.includes('vector_search_failed'));
  embedder.fail = undefined;
  assert.equal((await search('alpha')).mode, 'hybrid');
});

test('an embedder that does not answer in time leaves words', async (t) => {
  const { search, embedder, clock } = await open(t, [{ id: 'a', texts: ['alpha beta'] }, ...filler(3)]);
  assert.equal((await search('alpha')).mode, 'hybrid');
  const gate = Promise.withResolvers<void>();
  embedder.gate = gate.promise;
  const waiting = search('alpha');
  await clock.advance(1499);
  let isDone = false;
  void waiting.then(() => {
    isDone = true;
  });
  await clock.advance(0);
  assert.equal(isDone, false);
  await clock.advance(1);
  assert.equal((await waiting).mode, 'words');
  gate.resolve();
});

test('an index that fails leaves words and is built anew', async (t) => {
  const { store, embedder, logger } = await open(t, [{ id: 'a', texts: ['alpha beta'] }, ...filler(3)]);
  let built = 0;
  const knowledge = createKnowledgeSearch({
    store,
    embedder,
    clock: createFakeClock(),
    logger,
    createIndex: async (dimensions) => {
      built++;
      const index = await createPlainIndex(dimensions);
      const search = async (): Promise<never> => {
        throw new AppError('vector_unavailable', 'gone');
      };
      return built === 1 ? { ...index, search } : index;
    },
  });
  t.after(() => knowledge.close());
  const request = { query: 'alpha', labels: ['everyone'], limit: 3 };
  assert.equal((await knowledge.search(request)).mode, 'words');
  assert.equal((await knowledge.search(request)).mode, 'hybrid');
  assert.equal(built, 2);
});

test('vectors of another embedder are not used', async (t) => {
  const { store, search, logger } = await open(t, [{ id: 'a', texts: ['alpha'] }, ...filler(3)]);
  await store.resetVectors({ embedderId: 'another', dimensions: 64 });
  assert.equal((await search('alpha')).mode, 'words');
  assert.ok(logger.events.includes('index_mismatch'));
});

test('without an embedder search is by words', async (t) => {
  const { store, logger } = await open(t, [{ id: 'a', texts: ['alpha'] }]);
  const knowledge = createKnowledgeSearch({
    store,
    embedder: undefined,
    createIndex: createPlainIndex,
    clock: realClock,
    logger,
  });
  const outcome = await knowledge.search({ query: 'alpha', labels: ['everyone'], limit: 3 });
  assert.deepEqual([outcome.mode, outcome.passages.length], ['words', 1]);
});

test('one document does not fill the answer while others have something to say', async (t) => {
  const texts = ['one', 'two', 'three', 'four', 'five', 'six'].map((n) => `alpha alpha ${n}`);
  const { search } = await open(t, [
    { id: 'long', texts },
    { id: 'short', texts: ['alpha in passing among many other words'] },
  ]);
  const outcome = await search('alpha', ['everyone'], 4);
  assert.equal(outcome.passages.filter((passage) => passage.documentId === 'long').length, 3);
  assert.ok(outcome.texts.includes('alpha in passing among many other words'));
  assert.equal((await search('alpha', ['everyone'], 7)).passages.length, 7);
});

test('the same text in two documents is shown once, the same text with another number twice', async (t) => {
  const text = 'Goods can be returned to the shop within 30 days of delivery when they are complete and in their box.';
  const { search } = await open(t, [
    { id: 'a', texts: [text] },
    { id: 'b', texts: [text.toUpperCase()] },
    { id: 'c', texts: [text.replace('30', '14')] },
  ]);
  assert.equal((await search('return goods')).texts.length, 2);
});

test('a title that says the words of the question counts', async (t) => {
  const { search } = await open(t, [
    { id: 'a', title: 'Parking', texts: ['Spaces are free after six.'] },
    { id: 'b', title: 'Cycling', texts: ['Parking is mentioned here beside other things.'] },
    ...filler(3),
  ]);
  assert.equal((await search('parking')).texts[0], 'Spaces are free after six.');
});

test('an empty base, an empty question and an aborted search', async (t) => {
  const empty = await open(t, [], { withVectors: false });
  assert.deepEqual(await empty.knowledge.search({ query: 'x', labels: ['everyone'], limit: 3 }), {
    passages: [],
    mode: 'words',
    documents: 0,
  });
  const { knowledge, search } = await open(t, filler(2), { withVectors: false });
  assert.deepEqual((await search('🙂')).passages, []);
  const aborted = AbortSignal.abort(new Error('stop'));
  await assert.rejects(knowledge.search({ query: 'plant', labels: ['everyone'], limit: 3, signal: aborted }), /stop/);
});
