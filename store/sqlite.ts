/**
 * The embedded store: one SQLite file in the data folder. Any number of processes may work on it; one of them serves, which it
 * shows by holding a lock that vanishes with the process.
 */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { KnowledgeStore } from '../agent/ports/knowledge.ts';
import type { Ledger } from '../agent/ports/ledger.ts';
import type { MemoryStore } from '../agent/ports/memory-store.ts';
import type { Store } from '../agent/ports/store.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import { createApprovalRows } from './sqlite-approvals.ts';
import { asAppError, guarded, IN_MEMORY, isBusy, openConnection } from './sqlite-connection.ts';
import { createInbox } from './sqlite-inbox.ts';
import { createKnowledge } from './sqlite-knowledge.ts';
import { createLedger } from './sqlite-ledger.ts';
import { createMemoryStore } from './sqlite-memory.ts';
import { migrate } from './sqlite-migrations.ts';
import { createOutbox } from './sqlite-outbox.ts';
import { createTicketStore } from './sqlite-tickets.ts';
import { createTranscript } from './sqlite-transcript.ts';

const makeOnDisk = (make: () => void): void => {
  try {
    make();
  } catch (error) {
    const full = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
    throw new AppError(
      full ? 'store_full' : 'store_unavailable',
      `The data folder could not be made${full ? ': the disk is full. Free some space' : '. Name a folder that can be written'}, then try again.`,
      { cause: error },
    );
  }
};

const createFolder = (folder: string): void => makeOnDisk(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));

/** Conversations are for the owner's eyes, in whatever folder they lie; SQLite gives its other files the rights of this one. */
const createFile = (path: string): void => makeOnDisk(() => closeSync(openSync(path, 'a', 0o600)));

/**
 * Opens `threadwise.db` in the folder, making both where they are missing, and brings its schema up to date. The folder
 * `:memory:` gives a store that ends with `close`. Throws `AppError('store_*')`; `store_newer` for a file of a later program.
 */
export const openSqliteStore = (options: {
  readonly folder: string;
  readonly clock: Clock;
}): {
  readonly store: Store;
  readonly knowledge: KnowledgeStore;
  readonly memory: MemoryStore;
  readonly ledger: Ledger;
  readonly tickets: TicketStore;
  close(): Promise<void>;
} => {
  const { folder, clock } = options;
  const path = folder === IN_MEMORY ? IN_MEMORY : join(folder, 'threadwise.db');
  if (folder !== IN_MEMORY) {
    createFolder(folder);
    createFile(path);
  }
  const db = openConnection(path);
  try {
    migrate(db, clock);
  } catch (error) {
    db.close();
    throw error;
  }
  const close = async (): Promise<void> => db.close();
  return {
    store: { ...createInbox(db), ...createOutbox(db), ...createTranscript(db), ...createApprovalRows(db), close },
    knowledge: createKnowledge(db),
    memory: createMemoryStore(db),
    ledger: createLedger(db),
    tickets: createTicketStore(db),
    close,
  };
};

/** Long enough for another process that only looks whether somebody serves. */
const LOCK_TIMEOUT_MS = 200;

/** Whether a process serves the folder now. Makes and changes nothing. */
export const isServed = (folder: string): boolean => {
  const path = join(folder, 'serving.lock');
  if (folder === IN_MEMORY || !existsSync(path)) return false;
  const db = guarded(() => new DatabaseSync(path, { timeout: 0, readOnly: true }));
  try {
    db.exec('SELECT count(*) FROM sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw asAppError(error);
  } finally {
    db.close();
  }
};

/**
 * Makes this process the one that serves the folder, until it is disposed or the process ends in whatever way: an exclusive
 * transaction on a file of its own is held by the operating system's lock. Throws `AppError('already_serving')`.
 */
export const lockServing = (folder: string): Disposable => {
  if (folder === IN_MEMORY) return { [Symbol.dispose]: () => {} };
  createFolder(folder);
  const db = guarded(() => new DatabaseSync(join(folder, 'serving.lock'), { timeout: LOCK_TIMEOUT_MS }));
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw asAppError(error);
    throw new AppError(
      'already_serving',
      `Another process serves the data folder ${folder}. Stop it first, or give this one another folder.`,
      { cause: error },
    );
  }
  return {
    [Symbol.dispose]: () => {
      if (db.isOpen) db.close();
    },
  };
};
