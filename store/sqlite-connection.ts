/**
 * One SQLite connection: how it is opened, how a write becomes one durable transaction, and which `AppError` an engine failure
 * is. Everything above it speaks SQL and plain rows.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { AppError, type ErrorCode } from '../agent/errors.ts';
import { createWrites } from './sqlite-writes.ts';

/** How long a statement waits for another process's write before it fails as `store_unavailable`. */
const BUSY_TIMEOUT_MS = 5_000;

/** Primary result codes, https://www.sqlite.org/rescode.html. The extended code's low byte is the primary one. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  1: 'internal', // ERROR: our SQL or search expression is wrong
  10: 'store_full', // IOERR: what a full disk gives while the write-ahead log or its index grows
  11: 'store_corrupt',
  13: 'store_full',
  19: 'internal', // CONSTRAINT
  20: 'internal', // MISMATCH
  25: 'internal', // RANGE
  26: 'store_corrupt', // NOTADB
};

const MESSAGES: Partial<Record<ErrorCode, string>> = {
  store_full: 'The data folder cannot be written: the disk is full or failing. Free some space, then try again.',
  store_corrupt: 'The database file is damaged or is no Threadwise database. Restore it from a backup, or move it away.',
  store_unavailable: 'The database did not answer. Check that the data folder can be read and written, then try again.',
  internal: 'The database refused a statement.',
};

const primaryCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;

export const isBusy = (error: unknown): boolean => primaryCode(error) === 5;

export const asAppError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  const primary = primaryCode(error);
  const code = (primary === undefined ? undefined : CODES[primary]) ?? 'store_unavailable';
  return new AppError(code, MESSAGES[code] ?? code, { cause: error });
};

/** Runs `work`; an engine failure becomes an `AppError`. */
export const guarded = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw asAppError(error);
  }
};

export interface Connection {
  /** Rows of the shape that the SQL names; the caller states it. */
  all<Row>(sql: string, ...params: SQLInputValue[]): Row[];
  get<Row>(sql: string, ...params: SQLInputValue[]): Row | undefined;
  /** Returns how many rows changed. */
  run(sql: string, ...params: SQLInputValue[]): number;
  /** Several statements without parameters; not cached. */
  exec(sql: string): void;
  /** One transaction that holds the write lock from its first moment. Durable when it resolves; undone when `work` throws. */
  write<T>(work: () => T): Promise<T>;
  /** The same, at once. */
  writeNow<T>(work: () => T): T;
  close(): void;
}

/** The path of a store that ends with its connection. */
export const IN_MEMORY = ':memory:';

/** The write-ahead log is a property of the file. Switching to it does not honour the busy timeout, so a lost race is retried. */
const switchToWal = (db: DatabaseSync): void => {
  for (let attempt = 1; ; attempt++) {
    try {
      db.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === 20) throw error;
      db.exec('BEGIN IMMEDIATE; ROLLBACK');
    }
  }
};

export const openConnection = (path: string): Connection =>
  guarded(() => {
    const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
    try {
      switchToWal(db);
      db.exec('PRAGMA synchronous = FULL');
      // What is deleted is gone from the file as well.
      db.exec('PRAGMA secure_delete = ON');
    } catch (error) {
      db.close();
      throw error;
    }
    const statements = new Map<string, StatementSync>();
    const prepare = (sql: string): StatementSync => {
      const known = statements.get(sql);
      if (known !== undefined) return known;
      const statement = db.prepare(sql);
      statements.set(sql, statement);
      return statement;
    };
    const run = (sql: string): void => void prepare(sql).run();
    const engine = { run, isInTransaction: () => db.isOpen && db.isTransaction, asError: asAppError };
    // A commit to a disk costs more than whatever could join it, so all input that is at hand is gathered first.
    const writes = createWrites(engine, path === IN_MEMORY ? process.nextTick : setImmediate);
    return {
      all: <Row>(sql: string, ...params: SQLInputValue[]) => guarded(() => prepare(sql).all(...params) as Row[]),
      get: <Row>(sql: string, ...params: SQLInputValue[]) => guarded(() => prepare(sql).get(...params) as Row | undefined),
      run: (sql, ...params) => guarded(() => Number(prepare(sql).run(...params).changes)),
      exec: (sql) => guarded(() => db.exec(sql)),
      write: writes.write,
      writeNow: (work) =>
        guarded(() => {
          run('BEGIN IMMEDIATE');
          try {
            const result = work();
            run('COMMIT');
            return result;
          } catch (error) {
            // A full disk may have rolled back already.
            if (db.isTransaction) run('ROLLBACK');
            throw error;
          }
        }),
      close: () => {
        if (!db.isOpen) return;
        writes.flush();
        db.close();
      },
    };
  });
