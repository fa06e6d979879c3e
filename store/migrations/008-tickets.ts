/** Tickets: what happened to them, the snapshots made of that, their threads, and what is posted about them. */
export const migration = {
  name: '008-tickets',
  sql: `
    -- snapshot is made of the events; the other columns are made of it, to be searched. due_at: when to look at it next; 0 is now.
    CREATE TABLE tickets (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      version INTEGER NOT NULL,
      status TEXT NOT NULL,
      team TEXT,
      assignee TEXT,
      author_id TEXT NOT NULL,
      place_id TEXT,
      category TEXT,
      incident_id TEXT,
      is_private INTEGER NOT NULL,
      last_asker_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      due_at INTEGER,
      snapshot TEXT NOT NULL
    ) STRICT;
    CREATE INDEX tickets_due ON tickets (due_at, number) WHERE due_at IS NOT NULL;
    CREATE INDEX tickets_of_author ON tickets (author_id, last_asker_at);
    CREATE INDEX tickets_of_team ON tickets (team, status);
    CREATE INDEX tickets_of_assignee ON tickets (assignee, status) WHERE assignee IS NOT NULL;
    CREATE INDEX tickets_of_incident ON tickets (incident_id) WHERE incident_id IS NOT NULL;

    -- position is the order over all tickets; whoever follows keeps the last one it saw.
    CREATE TABLE ticket_events (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      number INTEGER NOT NULL REFERENCES tickets (number),
      seq INTEGER NOT NULL,
      kind TEXT NOT NULL,
      event TEXT NOT NULL,
      UNIQUE (number, seq)
    ) STRICT;

    CREATE TABLE ticket_threads (
      thread_id TEXT PRIMARY KEY,
      number INTEGER NOT NULL REFERENCES tickets (number)
    ) STRICT;
    CREATE INDEX ticket_threads_of ON ticket_threads (number);

    -- What was done once: messages taken in, clicks, events of outside helpdesks.
    CREATE TABLE ticket_keys (
      key TEXT PRIMARY KEY,
      number INTEGER REFERENCES tickets (number)
    ) STRICT, WITHOUT ROWID;

    -- is_stale: a card that shows an earlier version, or what was never posted.
    CREATE TABLE ticket_posts (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      number INTEGER NOT NULL REFERENCES tickets (number),
      slot TEXT NOT NULL,
      target TEXT NOT NULL,
      body TEXT NOT NULL,
      is_card INTEGER NOT NULL,
      state TEXT NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'sending', 'posted', 'dropped')),
      is_stale INTEGER NOT NULL DEFAULT 1,
      ref TEXT,
      shown_version INTEGER NOT NULL DEFAULT 0,
      sent_at INTEGER NOT NULL DEFAULT 0,
      failures INTEGER NOT NULL DEFAULT 0,
      not_before INTEGER NOT NULL DEFAULT 0,
      UNIQUE (number, slot)
    ) STRICT;
    CREATE INDEX ticket_posts_stale ON ticket_posts (not_before) WHERE is_stale = 1;
  `,
};
