/** SQLite, read in a process beside that is killed when a query takes too long: the engine has no other way to stop one. */
import { type ChildProcess, fork } from 'node:child_process';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import { createTurnstile, type DatabaseEngine, mistake, noRight, tooManyBytes, tooSlow, unreachable } from './database-engine.ts';
import type { Permissions, SqliteAnswer, SqlitePlace, SqliteRequest } from './database-sqlite-messages.ts';
import type { SqlScope } from './sql-guard.ts';

export interface SqliteOptions {
  readonly place: SqlitePlace;
  readonly clock: Clock;
}

const START_MS = 30_000;
const CATALOG_MS = 10_000;
const HEAP_MB = 128;

/** https://www.sqlite.org/rescode.html: the primary code is the low byte. */
const asAppError = (code: number, message: string): AppError => {
  const cause = new Error(message);
  switch (code & 0xff) {
    case 1:
      return mistake(message, cause);
    case 8:
    case 23:
      return noRight(cause);
    case 7:
    case 18:
      return new AppError('tool_too_large', 'The query makes a value that is too large, or needs too much memory. Narrow it.', {
        cause,
      });
    case 5:
    case 6:
    case 10:
    case 14:
      return unreachable(cause);
    default:
      return new AppError('tool_failed', `The database failed (${code}).`, { cause });
  }
};

const permissionsOf = ({ allowed, closed, functions }: SqlScope): Permissions => ({
  tables: [...allowed].map(({ name }) => name.toLowerCase()),
  closed: [...closed].flatMap(([{ name }, columns]) => [...columns].map((column) => ({ table: name.toLowerCase(), column }))),
  functions: [...functions],
});

const NOTHING: SqlScope = { dialect: 'sqlite', visible: [], allowed: new Set(), functions: new Set(), closed: new Map() };

interface Reader {
  ask(request: SqliteRequest, timeoutMs: number, signal: AbortSignal): Promise<SqliteAnswer>;
  kill(): Promise<void>;
}

/** It ends with its parent and keeps no idle parent alive; it gets no environment. */
const startReader = async (place: SqlitePlace, clock: Clock, onEnd: () => void): Promise<Reader> => {
  const child: ChildProcess = fork(new URL('./database-sqlite-child.ts', import.meta.url), [JSON.stringify(place)], {
    serialization: 'advanced',
    execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${HEAP_MB}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let waiting: { resolve(answer: SqliteAnswer): void; reject(error: unknown): void } | undefined;
  const gone = new Promise<void>((resolve) => {
    const die = (error: Error): void => {
      waiting?.reject(unreachable(error));
      onEnd();
      resolve();
    };
    child.on('error', die);
    child.on('close', (code, signal) => die(new Error(`the process ended by ${signal ?? `status ${code}`}`)));
  });
  child.on('message', (message) => waiting?.resolve(message as SqliteAnswer));

  const next = async (timeoutMs: number, signal: AbortSignal | undefined): Promise<SqliteAnswer> => {
    child.ref();
    child.channel?.ref();
    try {
      return await new Promise((resolve, reject) => {
        const giveUp = (reason: unknown): void => {
          reject(reason);
          child.kill('SIGKILL');
          onEnd();
        };
        const onAbort = (): void => giveUp(signal?.reason);
        const stopTimer = clock.after(timeoutMs, () => giveUp(tooSlow(timeoutMs)));
        const settle = (): void => {
          stopTimer();
          signal?.removeEventListener('abort', onAbort);
          waiting = undefined;
        };
        waiting = {
          resolve: (answer) => {
            settle();
            resolve(answer);
          },
          reject: (error) => {
            settle();
            reject(error);
          },
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        if (signal?.aborted === true) onAbort();
      });
    } finally {
      child.unref();
      child.channel?.unref();
    }
  };

  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    child.ref();
    await gone;
  };
  const ready = await next(START_MS, undefined);
  if (ready.type === 'failed') {
    child.kill('SIGKILL');
    throw asAppError(ready.code, ready.message);
  }
  return {
    ask: (request, timeoutMs, signal) => {
      const answer = next(timeoutMs, signal);
      // An unsent message means a dead process, and its end is told by `close`.
      child.send(request, () => {});
      return answer;
    },
    kill,
  };
};

export const createSqliteEngine = ({ place, clock }: SqliteOptions): DatabaseEngine => {
  const turnstile = createTurnstile(1);
  let reader: Promise<Reader> | undefined;

  const ask = (request: SqliteRequest, timeoutMs: number, signal: AbortSignal): Promise<SqliteAnswer> =>
    turnstile(async () => {
      const own: Promise<Reader> = (reader ??= startReader(place, clock, () => {
        if (reader === own) reader = undefined;
      }));
      const answer = await (await own).ask(request, timeoutMs, signal);
      if (answer.type === 'failed') throw asAppError(answer.code, answer.message);
      return answer;
    }, signal);

  const read: DatabaseEngine['read'] = async ({ sql, values }, scope, limits, signal) => {
    const { rows, bytes, timeoutMs } = limits;
    const answer = await ask({ type: 'read', sql, values, rows, bytes, permissions: permissionsOf(scope) }, timeoutMs, signal);
    if (answer.type === 'too_large') throw tooManyBytes(bytes);
    if (answer.type !== 'rows') throw new AppError('tool_failed', 'The database process answered out of turn.');
    return { columns: answer.columns, rows: answer.rows.slice(0, rows), hasMore: answer.rows.length > rows };
  };

  return {
    dialect: 'sqlite',
    readCatalog: async (signal) => {
      const answer = await ask({ type: 'catalog' }, CATALOG_MS, signal);
      return answer.type === 'catalog' ? answer.tables : [];
    },
    read,
    tryAttacks: async (signal) => {
      const worked: string[] = [];
      for (const sql of SQLITE_ATTACKS) {
        try {
          await read({ sql, values: [] }, NOTHING, { timeoutMs: CATALOG_MS, maxCost: 0, rows: 1, bytes: 10_000 }, signal);
          worked.push(`it can run ${sql}`);
        } catch (error) {
          // A mistake is a statement that this database has no use for, such as a write to a table it does not have.
          if (!(error instanceof AppError) || (error.code !== 'tool_refused' && error.code !== 'tool_arguments')) throw error;
        }
      }
      return worked;
    },
    close: async () => {
      await (await reader?.catch(() => undefined))?.kill();
    },
  };
};

/** Past the wall of words, against the authorizer alone. */
const SQLITE_ATTACKS: readonly string[] = [
  "ATTACH ':memory:' AS threadwise_attack",
  "VACUUM INTO '/dev/null'",
  'PRAGMA query_only = OFF',
  'CREATE TEMP TABLE threadwise_attack (x)',
  'SELECT sql FROM sqlite_schema',
  "SELECT load_extension('threadwise_attack')",
  'BEGIN IMMEDIATE',
];
