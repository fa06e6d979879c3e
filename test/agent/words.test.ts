import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { indexColumns, queryTerms, wordQuery } from '../../agent/words.ts';
import { openStore } from '../knowledge/setup.ts';
import { scaled, seed } from '../scale.ts';

const openIndex = async (t: TestContext, ...texts: string[]) => {
  const store = openStore(t);
  await store.putDocument(
    { id: 'a', root: '/kb', source: 'a', title: '', label: 'everyone', date: null, contentHash: '' },
    texts.map((text, position) => ({
      id: String(position + 1),
      documentId: 'a',
      position,
      headingPath: [],
      location: '',
      text,
      ...indexColumns(text),
    })),
  );
  const find = async (query: string): Promise<number[]> =>
    (await store.searchWords(wordQuery(query), ['everyone'], 10)).map((hit) => Number(hit.chunkId));
  return { find };
};

test('a run of Han is indexed by its overlapping pairs and words are kept apart from it', () => {
  assert.deepEqual(indexColumns('保修期 is 24 months，自收货'), { words: 'is 24 months,', bigrams: '保修 修期 自收 收货' });
});

test('kana with its long vowel mark and hangul make runs as well', () => {
  assert.equal(indexColumns('サーバー').bigrams, 'サー ーバ バー');
  assert.equal(indexColumns('환불').bigrams, '환불');
});

test('a single character stays one token', () => {
  assert.equal(indexColumns('税 A').bigrams, '税');
});

test('full-width and half-width forms are the same word', async (t) => {
  const { find } = await openIndex(t, 'Model ＡＫ－17');
  assert.deepEqual(await find('ak-17'), [1]);
  assert.deepEqual(indexColumns('ｻｰﾊﾞｰ').bigrams, 'サー ーバ バー');
});

test('a two-character word is found inside a sentence, and a single character by the pairs that it opens', async (t) => {
  const { find } = await openIndex(t, '客户可以在收货后退货', '税费由承运人收取');
  assert.deepEqual(await find('退货'), [1]);
  assert.deepEqual(await find('税'), [2]);
});

test('mixed text finds what either script holds, and both before one', async (t) => {
  const { find } = await openIndex(t, 'Tern 咖啡机', 'Wren grinder', '咖啡机 Tern 除垢');
  assert.deepEqual((await find('Tern 除垢'))[0], 3);
  assert.deepEqual(new Set(await find('grinder 咖啡')), new Set([1, 2, 3]));
});

test('English words are stemmed', async (t) => {
  const { find } = await openIndex(t, 'Returns are refunded');
  assert.deepEqual(await find('refund'), [1]);
});

test('stop words are left out of a query unless it has nothing else', () => {
  assert.deepEqual(queryTerms('What is the warranty for dealers?').words, ['warranty', 'dealers']);
  assert.deepEqual(queryTerms('what is this').words, ['what', 'is', 'this']);
  assert.deepEqual(queryTerms('保修期是多少').bigrams, ['保修', '修期', '期是']);
});

test('a code is asked for by its parts and as a whole', () => {
  assert.deepEqual(queryTerms('error RMA-2044').words, ['error', 'rma', '2044', 'rma-2044']);
});

test('a query without any word asks for none', () => {
  assert.deepEqual(wordQuery(' 🙂 !? '), { words: [], bigrams: [] });
  assert.deepEqual(wordQuery(''), { words: [], bigrams: [] });
});

test('no text of a user is FTS5 syntax', async (t) => {
  const { find } = await openIndex(t, 'one');
  for (const query of [
    '"',
    'a" OR "b',
    'NEAR(a b)',
    'title: one',
    'one*',
    'a AND NOT b',
    '^one',
    '{words} : x',
    '\0',
    '\ud800',
    "'; --",
  ]) {
    await assert.doesNotReject(find(query), query);
  }
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (query) => void (await find(query))),
    { numRuns: scaled(2000), seed },
  );
});
