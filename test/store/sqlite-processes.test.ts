import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { lockServing, openSqliteStore } from '../../store/sqlite.ts';
import { inboundMessage } from '../contracts/store.ts';
import { createFakeClock } from '../fake-clock.ts';

const SCRIPT = new URL('process.ts', import.meta.url).pathname;
const clock = createFakeClock();

describe('several processes work on one data folder', () => {
  let folder: string;
  let children: ChildProcess[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'threadwise-store-'));
    children = [];
  });
  afterEach(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true });
  });

  const start = (mode: string, argument = '') => {
    const child = spawn(process.execPath, [SCRIPT, mode, folder, argument], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      child.emit('said');
    });
    const said = async (count: number): Promise<void> => {
      while (lines.length < count) await once(child, 'said');
    };
    const kill = async (): Promise<void> => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    };
    return { child, lines, said, kill, ended: once(child, 'close') };
  };

  const begin = async (started: readonly ReturnType<typeof start>[]): Promise<void> => {
    await Promise.all(started.map(({ said }) => said(1)));
    for (const { child } of started) child.stdin?.write('go\n');
    await Promise.all(started.map(({ ended }) => ended));
  };

  it('keeps every accepted delivery when the process is killed at once', async () => {
    const writer = start('accept');
    await writer.said(200);
    await writer.kill();
    const { store, close } = openSqliteStore({ folder, clock });
    const counts = await store.countStates();
    assert.ok(counts.waiting === writer.lines.length || counts.waiting === writer.lines.length + 1);
    for (const n of writer.lines) {
      assert.equal((await store.accept(inboundMessage(Number(n)))).outcome, 'duplicate', `delivery ${n} was lost`);
    }
    await close();
  });

  it('hands a killed process’s turn on, with its journal and outbox, after its lease', async () => {
    const { store, close } = openSqliteStore({ folder, clock });
    const { turnId } = await store.accept(inboundMessage(1));
    const holder = start('hold');
    await holder.said(1);
    await holder.kill();
    assert.equal(await store.claim('w2', 999, 1_000), undefined);
    const claim = await store.claim('w2', 1_000, 1_000);
    assert.deepEqual([claim?.turnId, claim?.attempts, claim?.state], [turnId, 2, 'running']);
    assert.deepEqual(await store.readJournal(turnId), [{ key: 'model:1', value: 'kept' }]);
    assert.deepEqual(
      (await store.readOutbox(turnId)).map((row) => [row.index, row.state, row.sentAt]),
      [[0, 'sending', 5]],
    );
    await close();
  });

  it('shares the work of two processes: each turn once, each conversation in order', async () => {
    const { store, close } = openSqliteStore({ folder, clock });
    for (let n = 0; n < 100; n++) {
      const message = inboundMessage(n, { conversationId: `c${n % 10}`, text: `c${n % 10} question ${Math.floor(n / 10)}` });
      await store.accept(message);
    }
    const workers = [start('work', 'w1'), start('work', 'w2')];
    await begin(workers);
    const lines = workers.flatMap((worker) => worker.lines.slice(1)).sort();
    const expected = Array.from(
      { length: 100 },
      (_, n) => `c${n % 10} question ${Math.floor(n / 10)} after ${Math.floor(n / 10)} by 1`,
    );
    assert.deepEqual(lines, expected.sort());
    assert.ok(
      workers.every((worker) => worker.lines.length > 1),
      'one of them did everything',
    );
    await close();
  });

  it('opens a new database from several processes at once', async () => {
    const openers = Array.from({ length: 4 }, () => start('open'));
    await begin(openers);
    assert.deepEqual(
      openers.map((opener) => opener.lines.at(-1)),
      ['opened', 'opened', 'opened', 'opened'],
    );
    const { store, close } = openSqliteStore({ folder, clock });
    assert.equal((await store.accept(inboundMessage(1))).outcome, 'accepted');
    await close();
  });

  it('refuses a second serving process until the first is gone, however it went', async () => {
    const server = start('lock');
    await server.said(1);
    assert.throws(
      () => lockServing(folder),
      (error) => hasCode(error, 'already_serving') && error.exitCode === 78 && error.message.includes(folder),
    );
    const { store, close } = openSqliteStore({ folder, clock });
    assert.equal((await store.accept(inboundMessage(1))).outcome, 'accepted', 'other commands work beside it');
    await close();
    await server.kill();
    const lock = lockServing(folder);
    assert.throws(
      () => lockServing(folder),
      (error) => hasCode(error, 'already_serving'),
    );
    lock[Symbol.dispose]();
    lock[Symbol.dispose]();
    lockServing(folder)[Symbol.dispose]();
  });
});
