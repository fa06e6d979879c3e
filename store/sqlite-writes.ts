/**
 * Writes that wait at the same moment share one transaction, and so one wait for the disk; each is undone alone when it throws.
 * None resolves before the shared commit is durable.
 */

interface Pending {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

interface Engine {
  run(statement: 'BEGIN IMMEDIATE' | 'COMMIT' | 'ROLLBACK' | 'SAVEPOINT one' | 'ROLLBACK TO one' | 'RELEASE one'): void;
  /** False after the engine undid the transaction by itself, as on a full disk. */
  isInTransaction(): boolean;
  asError(error: unknown): Error;
}

export interface Writes {
  write<T>(work: () => T): Promise<T>;
  /** Runs what waits, now. */
  flush(): void;
}

/** `defer` calls back when what can share the commit has been asked for. */
export const createWrites = (engine: Engine, defer: (flush: () => void) => void): Writes => {
  let pending: Pending[] = [];
  let isScheduled = false;

  const runOne = ({ work, resolve, reject }: Pending): (() => void) => {
    engine.run('SAVEPOINT one');
    try {
      const value = work() as never;
      engine.run('RELEASE one');
      return () => resolve(value);
    } catch (error) {
      if (!engine.isInTransaction()) throw error;
      engine.run('ROLLBACK TO one');
      engine.run('RELEASE one');
      return () => reject(engine.asError(error));
    }
  };

  const flush = (): void => {
    isScheduled = false;
    const batch = pending;
    pending = [];
    if (batch.length === 0) return;
    try {
      engine.run('BEGIN IMMEDIATE');
      const settlements = batch.map(runOne);
      engine.run('COMMIT');
      for (const settle of settlements) settle();
    } catch (error) {
      if (engine.isInTransaction()) engine.run('ROLLBACK');
      for (const { reject } of batch) reject(engine.asError(error));
    }
  };

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        pending.push({ work, resolve, reject });
        if (isScheduled) return;
        isScheduled = true;
        defer(flush);
      }),
    flush,
  };
};
