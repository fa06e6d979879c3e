/**
 * Brings a database to this program's schema, one transaction a step. Two processes that open an old database at once each
 * take the write lock for a step and look again, so that every step is applied once.
 */

import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import { migration as conversations } from './migrations/001-conversations.ts';
import { migration as knowledge } from './migrations/002-knowledge.ts';
import { migration as spending } from './migrations/003-spending.ts';
import { migration as wordStatistics } from './migrations/004-word-statistics.ts';
import { migration as memory } from './migrations/005-memory.ts';
import { migration as approvals } from './migrations/006-approvals.ts';
import { migration as attachments } from './migrations/007-attachments.ts';
import { migration as tickets } from './migrations/008-tickets.ts';
import { migration as ticketIndex } from './migrations/009-ticket-index.ts';
import type { Connection } from './sqlite-connection.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** In order; a published step never changes. The version of a database is how many of them it has seen. */
const MIGRATIONS: readonly Migration[] = [
  conversations,
  knowledge,
  spending,
  wordStatistics,
  memory,
  approvals,
  attachments,
  tickets,
  ticketIndex,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

const readVersion = (db: Connection): number =>
  db.get<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM schema_versions')?.version ?? 0;

/** Throws `AppError('store_newer')` for a database that a later version of the program has opened. */
export const migrate = (db: Connection, clock: Clock): void => {
  db.writeNow(() =>
    db.exec(
      'CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT',
    ),
  );
  const found = readVersion(db);
  if (found > SCHEMA_VERSION) {
    throw new AppError(
      'store_newer',
      `The database has schema version ${found}; this program knows versions up to ${SCHEMA_VERSION}. Run the newer program, or restore a backup made by this one.`,
    );
  }
  for (const [index, step] of MIGRATIONS.entries()) {
    const version = index + 1;
    if (version <= found) continue;
    db.writeNow(() => {
      if (readVersion(db) >= version) return;
      db.exec(step.sql);
      db.run('INSERT INTO schema_versions (version, name, applied_at) VALUES (?, ?, ?)', version, step.name, clock.now());
    });
  }
};
