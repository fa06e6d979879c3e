/** Calls that a person is asked about, and conversations that fall due as soon as they are given back. */
export const migration = {
  name: '006-approvals',
  sql: `
    CREATE TABLE approvals (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      turn_id TEXT NOT NULL REFERENCES turns (turn_id),
      tool TEXT NOT NULL,
      words TEXT NOT NULL,
      arguments TEXT NOT NULL,
      hash TEXT NOT NULL,
      reason TEXT NOT NULL,
      approvers TEXT NOT NULL,
      asked_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      outcome TEXT CHECK (outcome IN ('approved', 'denied', 'expired', 'withdrawn')),
      decided_by TEXT,
      decided_at INTEGER
    ) STRICT;
    CREATE INDEX approvals_of_turn ON approvals (turn_id, seq);

    -- Something was decided while somebody held it: it falls due when it is given back, whatever pause they name.
    ALTER TABLE conversations ADD COLUMN nudged INTEGER NOT NULL DEFAULT 0;
  `,
};
