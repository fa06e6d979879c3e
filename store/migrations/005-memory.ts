/** Observations with their words and vectors, pins, notes of conversations, linked accounts; and which turns were learnt from. */
export const migration = {
  name: '005-memory',
  sql: `
    -- What was answered before there was a memory is not learnt from.
    ALTER TABLE turns ADD COLUMN learnt INTEGER NOT NULL DEFAULT 0;
    UPDATE turns SET learnt = 1;
    CREATE INDEX turns_unlearnt ON turns (seq) WHERE learnt = 0 AND state = 'done';

    -- Who may read a row: one audience, and the holders of all labels (a sorted JSON list).
    CREATE TABLE shelves (
      key INTEGER PRIMARY KEY,
      audience TEXT NOT NULL,
      labels TEXT NOT NULL,
      UNIQUE (audience, labels)
    ) STRICT;

    -- embedding: 0 has no vector yet, 1 has one, 2 needs none: the embedder cannot read it, or a newer row replaced it.
    CREATE TABLE observations (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      shelf INTEGER NOT NULL REFERENCES shelves (key),
      kind TEXT NOT NULL,
      text TEXT NOT NULL,
      quote TEXT NOT NULL,
      before TEXT NOT NULL,
      before_turn_id TEXT,
      embedded TEXT NOT NULL,
      role TEXT NOT NULL,
      author_id TEXT NOT NULL,
      speaker TEXT NOT NULL,
      turn_id TEXT NOT NULL,
      conversation_id TEXT NOT NULL,
      place_kind TEXT NOT NULL,
      place_id TEXT NOT NULL,
      observed_at INTEGER NOT NULL,
      valid_until INTEGER,
      replaced_by TEXT,
      significance REAL NOT NULL,
      explicit INTEGER NOT NULL,
      embedding INTEGER NOT NULL DEFAULT 0 CHECK (embedding IN (0, 1, 2))
    ) STRICT;
    CREATE INDEX observations_of_shelf ON observations (shelf, observed_at);
    CREATE INDEX observations_of_author ON observations (author_id);
    CREATE INDEX observations_of_turn ON observations (turn_id);
    CREATE INDEX observations_behind ON observations (before_turn_id) WHERE before_turn_id IS NOT NULL;
    CREATE INDEX observations_of_kind ON observations (kind, observed_at);
    CREATE INDEX observations_without_vector ON observations (key) WHERE embedding = 0;

    -- Of those that nothing replaced: what a search by words looks at.
    CREATE VIRTUAL TABLE observation_words USING fts5 (
      words, context, date, bigrams,
      content = '', contentless_delete = 1, tokenize = 'porter unicode61'
    );
    CREATE TABLE observation_lengths (
      key INTEGER PRIMARY KEY REFERENCES observations (key) ON DELETE CASCADE,
      shelf INTEGER NOT NULL,
      role TEXT NOT NULL,
      length INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX observation_lengths_of_shelf ON observation_lengths (shelf, role, length);
    CREATE TRIGGER observations_forget_words AFTER DELETE ON observations BEGIN
      DELETE FROM observation_words WHERE rowid = old.key;
    END;

    -- vector: 32-bit floats, little endian.
    CREATE TABLE observation_vectors (
      observation_key INTEGER PRIMARY KEY REFERENCES observations (key) ON DELETE CASCADE,
      vector BLOB NOT NULL
    ) STRICT;

    CREATE TABLE memory_state (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      revision INTEGER NOT NULL,
      embedder_id TEXT,
      dimensions INTEGER
    ) STRICT;
    INSERT INTO memory_state (id, revision) VALUES (1, 0);

    CREATE TABLE pins (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      audience TEXT NOT NULL,
      text TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('proposed', 'active')),
      author_id TEXT NOT NULL,
      turn_id TEXT NOT NULL,
      pinned_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX pins_of_audience ON pins (audience);

    CREATE TABLE conversation_notes (
      conversation_id TEXT NOT NULL,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (conversation_id, name)
    ) STRICT;

    CREATE TABLE link_codes (
      user_id TEXT PRIMARY KEY,
      code_hash TEXT NOT NULL UNIQUE,
      expires_at INTEGER NOT NULL
    ) STRICT;
    -- Accounts of one person have the same person_id.
    CREATE TABLE accounts (
      user_id TEXT PRIMARY KEY,
      person_id TEXT NOT NULL
    ) STRICT;
    CREATE INDEX accounts_of_person ON accounts (person_id);
  `,
};
