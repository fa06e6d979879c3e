import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { openConnection } from '../../store/sqlite-connection.ts';
import { createWordRank, type RankTerm } from '../../store/sqlite-word-rank.ts';
import { scaled, seed } from '../scale.ts';

const WEIGHTS = { name: 2, body: 1 };
const COLUMNS = Object.keys(WEIGHTS);

interface Row {
  readonly label: string;
  readonly name: string;
  readonly body: string;
}

const open = (t: Pick<TestContext, 'after'>, rows: readonly Row[]) => {
  const db = openConnection(':memory:');
  t.after(() => db.close());
  db.exec(`
    CREATE VIRTUAL TABLE notes USING fts5 (name, body, content = '', contentless_delete = 1, tokenize = 'porter unicode61');
    CREATE TABLE note_lengths (key INTEGER PRIMARY KEY, label TEXT NOT NULL, length INTEGER NOT NULL) STRICT;
    CREATE TABLE note_state (revision INTEGER NOT NULL) STRICT;
    INSERT INTO note_state VALUES (0);
  `);
  const rank = createWordRank(db, {
    index: 'notes',
    tokenize: 'porter unicode61',
    weights: WEIGHTS,
    rows: 'note_lengths',
    state: 'note_state',
  });
  for (const [at, { label, name, body }] of rows.entries()) {
    db.run('INSERT INTO notes (rowid, name, body) VALUES (?, ?, ?)', at, name, body);
    db.run('INSERT INTO note_lengths (key, label, length) VALUES (?, ?, ?)', at, label, rank.lengthOf(at));
  }
  const search = (terms: readonly RankTerm[], labels: readonly string[], limit = 1000) =>
    rank.search(terms, { sql: 'entry.label IN (SELECT value FROM json_each(?))', params: [JSON.stringify(labels)] }, limit);
  return { db, rank, search };
};

const asTerms = (words: readonly string[]): readonly RankTerm[] => words.map((text) => ({ text, columns: COLUMNS }));

/** FTS5's own ranking, over a table that holds nothing but the rows. */
const rankByEngine = (t: Pick<TestContext, 'after'>, rows: readonly Row[], words: readonly string[]) => {
  const { db } = open(t, rows);
  return db.all<{ key: number; score: number }>(
    'SELECT rowid AS key, -bm25(notes, 2, 1) AS score FROM notes WHERE notes MATCH ? ORDER BY score DESC, key',
    words.map((word) => `"${word}"`).join(' OR '),
  );
};

const word = fc.constantFrom('apple', 'apples', 'pear', 'plum-7', 'plum', '7', 'Überfall', '退货', 'fig');
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const row = fc.record({ label: fc.constantFrom('a', 'b', 'c'), name: text, body: text });

/** Runs the property with something that closes what it opened. */
const within = (work: (t: Pick<TestContext, 'after'>) => void): void => {
  const closing: (() => void)[] = [];
  try {
    work({ after: (close) => void closing.push(close as () => void) });
  } finally {
    for (const close of closing) close();
  }
};

test("scores are those of FTS5's bm25() over a table of the admitted rows alone", () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 30 }),
      fc.subarray(['a', 'b', 'c']),
      fc.uniqueArray(word, { minLength: 1 }),
      (rows, labels, words) =>
        within((t) => {
          const ours = open(t, rows).search(asTerms(words), labels);
          const admitted = rows.filter(({ label }) => labels.includes(label));
          const keys = rows.flatMap(({ label }, at) => (labels.includes(label) ? [at] : []));
          const theirs = new Map(rankByEngine(t, admitted, words).map(({ key, score }) => [keys[key], score]));
          assert.deepEqual(new Set(ours.map(({ key }) => key)), new Set(theirs.keys()));
          for (const { key, score } of ours) assert.ok(Math.abs(score - (theirs.get(key) ?? 0)) < 1e-9, `row ${key}`);
        }),
    ),
    { numRuns: scaled(1000), seed },
  );
});

test('rows that the filter leaves out change no key, order or score', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 20 }),
      fc.array(row, { maxLength: 40 }),
      fc.uniqueArray(word, { minLength: 1 }),
      fc.integer({ min: 1, max: 9 }),
      (seen, others, words, limit) =>
        within((t) => {
          const hidden = others.map((other) => ({ ...other, label: 'hidden' }));
          const labels = ['a', 'b', 'c'];
          const terms = asTerms(words);
          assert.deepEqual(
            open(t, [...seen, ...hidden]).search(terms, labels, limit),
            open(t, seen).search(terms, labels, limit),
          );
        }),
    ),
    { numRuns: scaled(1000), seed },
  );
});

test('a row that is gone counts no longer', (t) => {
  const rows = ['apple', 'pear', 'pear fig', 'plum'].map((body) => ({ label: 'a', name: '', body }));
  const { db, search } = open(t, [...rows, { label: 'a', name: 'apple', body: 'apple apple' }]);
  db.run('DELETE FROM notes WHERE rowid = 4');
  db.run('DELETE FROM note_lengths WHERE key = 4');
  assert.deepEqual(search(asTerms(['apple']), ['a']), open(t, rows).search(asTerms(['apple']), ['a']));
});

test('a word that half the rows hold fills places, and moves nobody ahead of a word that few hold', (t) => {
  const rows = ['every', 'every', 'every every every', 'rare other words', 'none'].map((body) => ({
    label: 'a',
    name: '',
    body,
  }));
  const { search } = open(t, rows);
  const terms = asTerms(['every', 'rare']);
  assert.deepEqual(
    search(terms, ['a'], 2).map(({ key }) => key),
    [3, 2],
  );
  assert.deepEqual(
    search(terms, ['a'], 1).map(({ key }) => key),
    [3],
  );
  assert.ok((search(terms, ['a'], 2)[1]?.score ?? 1) < 1e-5);
});

test('ties come in the order of their keys, the limit among them', (t) => {
  const { search } = open(
    t,
    [1, 2, 3, 4, 5].map(() => ({ label: 'a', name: '', body: 'apple' })),
  );
  assert.deepEqual(
    search(asTerms(['apple']), ['a'], 3).map(({ key }) => key),
    [0, 1, 2],
  );
});
