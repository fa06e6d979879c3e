import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildMatch, indexColumns, queryTerms } from '../../agent/words.ts';

const openIndex = (...texts: string[]) => {
  const db = new DatabaseSync(':memory:');
  db.exec("CREATE VIRTUAL TABLE t USING fts5 (title, heading, words, bigrams, tokenize = 'porter unicode61')");
  for (const text of texts) {
    const { words, bigrams } = indexColumns(text);
    db.prepare('INSERT INTO t VALUES (?, ?, ?, ?)').run('', '', words, bigrams);
  }
  const find = (query: string): number[] => {
    const match = buildMatch(query);
    if (match === null) return [];
    const rows = db.prepare('SELECT rowid AS id FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid').all(match);
    return rows.map((row) => Number(row['id']));
  };
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

test('full-width and half-width forms are the same word', () => {
  assert.equal(openIndex('Model ＡＫ－17').find('ak-17').length, 1);
  assert.deepEqual(indexColumns('ｻｰﾊﾞｰ').bigrams, 'サー ーバ バー');
});

test('a two-character word is found inside a sentence, and a single character by the pairs that it opens', () => {
  const { find } = openIndex('客户可以在收货后退货', '税费由承运人收取');
  assert.deepEqual(find('退货'), [1]);
  assert.deepEqual(find('税'), [2]);
});

test('mixed text finds what either script holds, and both before one', () => {
  const { find } = openIndex('Tern 咖啡机', 'Wren grinder', '咖啡机 Tern 除垢');
  assert.deepEqual(find('Tern 除垢')[0], 3);
  assert.deepEqual(new Set(find('grinder 咖啡')), new Set([1, 2, 3]));
});

test('English words are stemmed', () => {
  assert.deepEqual(openIndex('Returns are refunded').find('refund'), [1]);
});

test('stop words are left out of a query unless it has nothing else', () => {
  assert.deepEqual(queryTerms('What is the warranty for dealers?').words, ['warranty', 'dealers']);
  assert.deepEqual(queryTerms('what is this').words, ['what', 'is', 'this']);
  assert.deepEqual(queryTerms('保修期是多少').bigrams, ['保修', '修期', '期是']);
});

test('a code is asked for by its parts and as a whole', () => {
  assert.deepEqual(queryTerms('error RMA-2044').words, ['error', 'rma', '2044', 'rma-2044']);
});

test('a query without any word has no expression', () => {
  assert.equal(buildMatch(' 🙂 !? '), null);
  assert.equal(buildMatch(''), null);
});

test('no text of a user is FTS5 syntax', () => {
  const { find } = openIndex('one');
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
    assert.doesNotThrow(() => find(query), query);
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (query) => void find(query)),
    { numRuns: 2000 },
  );
});
