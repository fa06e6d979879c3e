/** A source with its tables, canaries and walls, the same for every engine that the attacks are run against. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../ops/clock.ts';
import type { DatabaseEngine } from '../../tools/database-engine.ts';
import { createDatabaseSource, type DatabaseSource, type SourceSettings } from '../../tools/database-source.ts';
import { createMemoryLogger } from '../fakes/gateway-bench.ts';

export const CANARY = 'canary-7f3a';

export const settingsOf = (parts: Partial<SourceSettings> = {}): SourceSettings => ({
  name: 'shop',
  label: 'everyone',
  freeSql: true,
  timeoutMs: 1_000,
  maxCost: 1_000_000,
  tables: {
    orders: { columns: {}, joins: [] },
    customers: { columns: { email: { tag: 'mask' } }, joins: [] },
  },
  queries: {},
  examples: [],
  functions: [],
  coversValues: true,
  freshness: undefined,
  ...parts,
});

export const openSource = (engine: DatabaseEngine, parts: Partial<SourceSettings> = {}): DatabaseSource =>
  createDatabaseSource({ settings: settingsOf(parts), engine, clock: systemClock, logger: createMemoryLogger() });

/** A folder that any account can write to, with a file that must not be read. */
export const openTrap = (): { readonly folder: string; readonly files: () => readonly string[]; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-trap-'));
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, 'canary.txt'), `${CANARY}\n`, { mode: 0o644 });
  return { folder, files: () => readdirSync(folder).sort(), remove: () => rmSync(folder, { recursive: true, force: true }) };
};

export interface AttackOutcome {
  readonly sql: string;
  /** What came back, or the message that the model would be told. */
  readonly said: string;
  readonly ms: number;
}

/** One after the other, each with what it said and how long it took. */
export const attack = async (
  statements: readonly string[],
  folder: string,
  run: (sql: string) => Promise<unknown>,
): Promise<readonly AttackOutcome[]> => {
  const outcomes: AttackOutcome[] = [];
  for (const statement of statements) {
    const sql = statement.replaceAll('FOLDER', folder);
    const startedAt = performance.now();
    const said = await run(sql).then(
      (table) => JSON.stringify(table),
      (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
    );
    outcomes.push({ sql, said, ms: performance.now() - startedAt });
  }
  return outcomes;
};
