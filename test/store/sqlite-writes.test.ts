import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createWrites, type Writes } from '../../store/sqlite-writes.ts';
import { inboundMessage } from '../contracts/store.ts';
import { createFakeClock } from '../fake-clock.ts';

describe('writes that wait at the same moment', () => {
  let said: string[];
  let isInTransaction: boolean;
  let failing: string | undefined;
  let writes: Writes;
  beforeEach(() => {
    said = [];
    isInTransaction = false;
    failing = undefined;
    const run = (statement: string): void => {
      said.push(statement);
      if (statement === 'BEGIN IMMEDIATE') isInTransaction = true;
      if (statement === failing) throw new Error(`${statement} failed`);
      if (statement === 'COMMIT' || statement === 'ROLLBACK') isInTransaction = false;
    };
    writes = createWrites({ run, isInTransaction: () => isInTransaction, asError: (error) => error as Error }, setImmediate);
  });
  const write = (name: string) => writes.write(() => void said.push(name));
  const refuse = () =>
    writes.write(() => {
      throw new Error('refused');
    });

  it('share one transaction, in order', async () => {
    await Promise.all([write('a'), write('b')]);
    await write('c');
    const one = (name: string) => ['SAVEPOINT one', name, 'RELEASE one'];
    assert.deepEqual(said, ['BEGIN IMMEDIATE', ...one('a'), ...one('b'), 'COMMIT', 'BEGIN IMMEDIATE', ...one('c'), 'COMMIT']);
  });

  it('are undone one by one', async () => {
    const results = await Promise.allSettled([write('a'), refuse(), write('b')]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(said.slice(4, 7), ['SAVEPOINT one', 'ROLLBACK TO one', 'RELEASE one']);
    assert.equal(said.at(-1), 'COMMIT');
  });

  it('fail together when the commit fails, or the engine undoes what came before', async () => {
    failing = 'COMMIT';
    const commit = await Promise.allSettled([write('a'), write('b')]);
    assert.deepEqual(
      commit.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(said.at(-1), 'ROLLBACK');

    failing = undefined;
    const engine = await Promise.allSettled([
      write('a'),
      writes.write(() => {
        isInTransaction = false;
        throw new Error('disk full');
      }),
      write('b'),
    ]);
    assert.deepEqual(
      engine.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    await write('c');
    assert.equal(said.at(-1), 'COMMIT');
  });

  it('wait for the input that is at hand', async () => {
    const first = write('a');
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const second = write('b');
    await new Promise<void>((resolve) => setImmediate(resolve));
    assert.equal(said.filter((statement) => statement === 'COMMIT').length, 1);
    await Promise.all([first, second]);
  });

  it('are durable when the store is closed over them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'threadwise-store-'));
    const first = openSqliteStore({ folder, clock: createFakeClock() });
    const accepted = first.store.accept(inboundMessage(1));
    await first.close();
    assert.equal((await accepted).outcome, 'accepted');
    const late = first.store.accept(inboundMessage(2));
    await assert.rejects(late, (error) => hasCode(error, 'store_unavailable'));
    const second = openSqliteStore({ folder, clock: createFakeClock() });
    assert.deepEqual(await second.store.countStates(), { waiting: 1, running: 0, answered: 0, done: 0 });
    await second.close();
    rmSync(folder, { recursive: true });
  });
});
