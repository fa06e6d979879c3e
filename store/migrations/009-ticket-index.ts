/** Tickets by what they say, to find those that are alike. */
export const migration = {
  name: '009-ticket-index',
  sql: `
    -- seen: the categories it may be of and the error codes it names, as they were read. vector: 32-bit floats, little endian.
    CREATE TABLE ticket_index (
      key INTEGER PRIMARY KEY REFERENCES tickets (number),
      length INTEGER NOT NULL,
      at INTEGER NOT NULL,
      seen TEXT NOT NULL,
      embedder_id TEXT,
      vector BLOB
    ) STRICT;
    CREATE INDEX ticket_index_at ON ticket_index (at);
    CREATE VIRTUAL TABLE ticket_words USING fts5 (
      words, bigrams, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
    );
    CREATE TABLE ticket_index_state (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL) STRICT;
    INSERT INTO ticket_index_state (id, revision) VALUES (1, 0);

    -- Who may know of which ticket is part of every search.
    CREATE TRIGGER ticket_index_seen_by AFTER UPDATE OF is_private, team ON tickets
      WHEN old.is_private <> new.is_private OR old.team IS NOT new.team BEGIN
      UPDATE ticket_index_state SET revision = revision + 1;
    END;

    UPDATE tickets SET snapshot = json_set(
      snapshot, '$.leftIncidents', json('[]'), '$.incident', json('null'), '$.similar', json('null'), '$.resolution', json('null'));
  `,
};
