/** What ranking by words counts, row by row, so that it can count over the rows of some labels alone. */
export const migration = {
  name: '004-word-statistics',
  sql: `
    -- length: words in all columns of chunk_words. Narrow, since a search looks at thousands of its rows.
    CREATE TABLE chunk_lengths (
      key INTEGER PRIMARY KEY REFERENCES chunks (key) ON DELETE CASCADE,
      label TEXT NOT NULL,
      length INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX chunk_lengths_of_label ON chunk_lengths (label, length);

    CREATE VIRTUAL TABLE temp.words_of_chunks USING fts5vocab ('main', 'chunk_words', 'instance');
    INSERT INTO chunk_lengths (key, label, length) SELECT key, label, 0 FROM chunks;
    UPDATE chunk_lengths SET length = words.count
      FROM (SELECT doc, count(*) AS count FROM temp.words_of_chunks GROUP BY doc) AS words WHERE words.doc = key;
    DROP TABLE temp.words_of_chunks;
  `,
};
