/** The files of an answer, until it stands where it was asked; longer for a channel that shows them out of the store. */
export const migration = {
  name: '007-attachments',
  sql: `
    CREATE TABLE attachments (
      turn_id TEXT NOT NULL REFERENCES turns (turn_id),
      number INTEGER NOT NULL,
      name TEXT NOT NULL,
      media_type TEXT NOT NULL,
      description TEXT NOT NULL,
      bytes BLOB NOT NULL,
      PRIMARY KEY (turn_id, number)
    ) STRICT;
  `,
};
