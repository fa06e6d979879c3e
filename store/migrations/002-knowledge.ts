/** Documents, their chunks, the words index over them and their vectors. */
export const migration = {
  name: '002-knowledge',
  sql: `
    CREATE TABLE documents (
      id TEXT PRIMARY KEY,
      root TEXT NOT NULL,
      source TEXT NOT NULL,
      title TEXT NOT NULL,
      label TEXT NOT NULL,
      date TEXT,
      content_hash TEXT NOT NULL
    ) STRICT;
    CREATE INDEX documents_of_root ON documents (root, source);
    CREATE INDEX documents_of_label ON documents (label);

    -- embedding: 0 has no vector yet, 1 has one, 2 cannot be read by the embedder.
    CREATE TABLE chunks (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
      label TEXT NOT NULL,
      position INTEGER NOT NULL,
      heading_path TEXT NOT NULL,
      location TEXT NOT NULL,
      text TEXT NOT NULL,
      embedding INTEGER NOT NULL DEFAULT 0 CHECK (embedding IN (0, 1, 2)),
      UNIQUE (document_id, position)
    ) STRICT;
    CREATE INDEX chunks_without_vector ON chunks (key) WHERE embedding = 0;

    -- Keeps the index alone: the text stands in chunks. Stemming touches ASCII words only, so that bigrams of Han, kana and
    -- hangul go through unchanged and share the table.
    CREATE VIRTUAL TABLE chunk_words USING fts5 (
      title, heading, words, bigrams,
      content = '', contentless_delete = 1, tokenize = 'porter unicode61'
    );
    CREATE TRIGGER chunks_forget_words AFTER DELETE ON chunks BEGIN
      DELETE FROM chunk_words WHERE rowid = old.key;
    END;

    -- vector: 32-bit floats, little endian.
    CREATE TABLE vectors (
      chunk_key INTEGER PRIMARY KEY REFERENCES chunks (key) ON DELETE CASCADE,
      vector BLOB NOT NULL
    ) STRICT;

    CREATE TABLE knowledge_state (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      revision INTEGER NOT NULL,
      embedder_id TEXT,
      dimensions INTEGER
    ) STRICT;
    INSERT INTO knowledge_state (id, revision) VALUES (1, 0);
  `,
};
