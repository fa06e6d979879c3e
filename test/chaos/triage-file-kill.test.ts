/** `./threadwise triage FILE` in a process that is killed, and run again until it ends by itself: each row is one ticket. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { scaled, seed } from '../scale.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'main.ts');
const ROWS = 400;
const LIVES = 4;

const countTickets = async (folder: string) => {
  const { tickets, close } = openSqliteStore({ folder, clock: systemClock });
  const all = await tickets.listTickets({ limit: 10 * ROWS });
  await close();
  return all;
};

it(`takes each row of a file in once, whenever it is killed (seed ${seed})`, async (t) => {
  for (let n = 0; n < scaled(10); n += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'threadwise-triage-file-'));
    try {
      writeFileSync(join(folder, 'threadwise.yaml'), 'triage: { teams: { support: {} }, defaultTeam: support }\n');
      const rows = Array.from({ length: ROWS }, (_, row) => `${row},person-${row},My order number ${row} is late`);
      writeFileSync(join(folder, 'tickets.csv'), ['id,author,text', ...rows].join('\n'));
      const run = () =>
        spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, 'triage', 'tickets.csv'], {
          cwd: folder,
          env: { ...process.env, THREADWISE_DATA_DIR: folder, THREADWISE_EMBEDDER: 'none', THREADWISE_KNOWLEDGE: '' },
          stdio: ['ignore', 'ignore', 'inherit'],
        });
      const seen: number[] = [];
      const { tickets: watched, close: unwatch } = openSqliteStore({ folder, clock: systemClock });
      for (let life = 1; life <= LIVES; life += 1) {
        const child = run();
        const ended = once(child, 'exit');
        // At a number of tickets that no other life ends at.
        const wanted = Math.floor((((seed * 31 + n * 7) % 100) / 100 + life - 1) * (ROWS / (LIVES + 1)));
        while (child.exitCode === null && (await watched.listTickets({ limit: wanted + 1 })).length <= wanted) await pause(2);
        child.kill('SIGKILL');
        await ended;
        seen.push((await watched.listTickets({ limit: 10 * ROWS })).length);
      }
      await unwatch();
      const [code] = (await once(run(), 'exit')) as [number];
      assert.equal(code, 0);
      const all = await countTickets(folder);
      assert.equal(all.length, ROWS);
      assert.equal(new Set(all.map(({ threadId }) => threadId)).size, ROWS);
      assert.ok(all.every(({ messageCount, team }) => messageCount === 1 && team === 'support'));
      t.diagnostic(`killed with ${seen.join(', ')} of ${ROWS} tickets`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
});
