/** What a database engine is to the tools: it reads, within limits, and says which attacks its role would let through. */
import { AppError } from '../agent/errors.ts';
import type { CatalogTable, SqlScope } from './sql-guard.ts';
import type { Dialect } from './sql-tokens.ts';

export type SqlValue = string | number | null;

/** Who will read the rows: what the row security of a database can go by. */
export interface Reader {
  /** Empty where others read as well: what one person may see is not for them. */
  readonly userId: string;
  /** The audience labels that all of them hold. */
  readonly labels: readonly string[];
}

/** `sql` with the engine's own placeholders, in the order of `values`. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Undefined: nobody in particular. Databases without row security pass over it. */
  readonly reader?: Reader | undefined;
}

export interface ReadLimits {
  readonly timeoutMs: number;
  /** The planner's estimate above which nothing runs: cost units of Postgres, rows looked at in MariaDB and MySQL. */
  readonly maxCost: number;
  /** One more is read, to know whether there are more. */
  readonly rows: number;
  /** Of everything that the database sends. */
  readonly bytes: number;
}

export interface RawColumn {
  readonly name: string;
  /** The column of a table that it is, where the engine says so. */
  readonly origin: { readonly table: string; readonly column: string } | undefined;
}

export type RawCell = string | number | boolean | null;

export interface RawTable {
  readonly columns: readonly RawColumn[];
  readonly rows: readonly (readonly RawCell[])[];
  readonly hasMore: boolean;
}

/**
 * Every call takes a connection of its own, or a process that is ended when it takes too long; none leaves anything behind. All
 * throw `AppError`: `tool_arguments` for a mistake in the statement, `tool_refused` for a right that is missing, `tool_too_large`
 * for a statement beyond the limits, `tool_network` for a database that cannot be reached.
 */
export interface DatabaseEngine {
  readonly dialect: Dialect;
  /** Every relation that the role can read, in the order in which an unqualified name is looked up. */
  readCatalog(signal: AbortSignal): Promise<readonly CatalogTable[]>;
  /** The statement has passed the guard of its dialect; `scope` is what it was held against, for an engine that can enforce it too. */
  read(statement: Statement, scope: SqlScope, limits: ReadLimits, signal: AbortSignal): Promise<RawTable>;
  /** Tries what must not work, each try undone; returns what worked. */
  tryAttacks(signal: AbortSignal): Promise<readonly string[]>;
  close(): Promise<void>;
}

export const tooSlow = (timeoutMs: number): AppError =>
  new AppError(
    'tool_too_large',
    `The query took longer than ${timeoutMs} ms and was ended; the database itself is up. Narrow it: a shorter period, fewer rows, fewer joins.`,
  );

export const tooCostly = (cost: number, maxCost: number): AppError =>
  new AppError(
    'tool_too_large',
    `The query was not run: the database estimates its cost at ${Math.round(cost)}, and ${maxCost} is the limit. Narrow it: a shorter period, fewer rows, fewer joins.`,
  );

export const tooManyBytes = (bytes: number): AppError =>
  new AppError('tool_too_large', `The result is larger than ${bytes} bytes. Ask for fewer columns or rows, or for sums.`);

export const unreachable = (cause: unknown): AppError =>
  new AppError('tool_network', 'The database could not be reached.', { cause });

export const noRight = (cause: unknown): AppError =>
  new AppError('tool_refused', "The database refused it: the assistant's role has no right to this. Do not try again.", {
    cause,
  });

export const mistake = (message: string, cause: unknown): AppError =>
  new AppError(
    'tool_arguments',
    `The database did not accept the query: ${message}. Mend it and call again; after a second mistake, say that it could not be asked.`,
    { cause },
  );

/** At most `limit` at a time; the others wait in line. */
export const createTurnstile = (limit: number): (<Value>(work: () => Promise<Value>, signal: AbortSignal) => Promise<Value>) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (running < limit) {
      running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(begin);
    });
  };
  return async (work, signal) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};
