/** Inbox, leases, journal, outbox, transcripts, and what people said about answers. */
export const migration = {
  name: '001-conversations',
  sql: `
    -- due_at: while held, when the lease ends; while free, the earliest next claim.
    CREATE TABLE conversations (
      id TEXT PRIMARY KEY,
      fence INTEGER NOT NULL DEFAULT 0,
      worker_id TEXT,
      due_at INTEGER NOT NULL DEFAULT 0,
      updated_at INTEGER NOT NULL
    ) STRICT;

    -- seq is the order of acceptance. Rows stay after they are done: they are the transcript and the memory of repeats.
    CREATE TABLE turns (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      turn_id TEXT NOT NULL UNIQUE,
      delivery_id TEXT NOT NULL UNIQUE,
      conversation_id TEXT NOT NULL REFERENCES conversations (id),
      user_id TEXT NOT NULL,
      channel TEXT NOT NULL,
      source_message_id TEXT,
      state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'answered', 'done')),
      cancelled INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,
      received_at INTEGER NOT NULL,
      message TEXT NOT NULL,
      turn TEXT
    ) STRICT;
    CREATE INDEX turns_open ON turns (seq, conversation_id, state) WHERE state <> 'done';
    CREATE INDEX turns_of_conversation ON turns (conversation_id, seq);
    CREATE INDEX turns_of_user ON turns (user_id, received_at);
    CREATE INDEX turns_of_source ON turns (channel, source_message_id) WHERE source_message_id IS NOT NULL;

    CREATE TABLE journal (
      position INTEGER PRIMARY KEY,
      turn_id TEXT NOT NULL REFERENCES turns (turn_id),
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      UNIQUE (turn_id, key)
    ) STRICT;

    CREATE TABLE outbox (
      turn_id TEXT NOT NULL REFERENCES turns (turn_id),
      position INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('planned', 'sending', 'posted', 'delivered')),
      part TEXT,
      ref TEXT,
      sent_at INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (turn_id, position)
    ) STRICT;

    CREATE TABLE notices (
      key TEXT PRIMARY KEY,
      said_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE feedback (
      turn_id TEXT NOT NULL REFERENCES turns (turn_id),
      user_id TEXT NOT NULL,
      verdict TEXT NOT NULL CHECK (verdict IN ('up', 'down')),
      reason TEXT NOT NULL,
      given_at INTEGER NOT NULL,
      PRIMARY KEY (turn_id, user_id)
    ) STRICT;

    CREATE TABLE settings (
      owner TEXT NOT NULL,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (owner, name)
    ) STRICT;
  `,
};
