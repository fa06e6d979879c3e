import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { projectFolder } from './source-files.ts';

/** Process and parent ids. Linux has them in /proc, also where no `ps` is installed. */
const listProcesses = (): readonly (readonly [pid: number, parent: number])[] => {
  if (process.platform !== 'linux') {
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    return rows.map((row) => row.trim().split(/\s+/).map(Number)).map(([pid = 0, parent = 0]) => [pid, parent]);
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        // The second field is the program's name in brackets, which may hold anything.
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
        return [Number(name), Number(fields[1])];
      } catch {
        return [Number(name), 0];
      }
    });
};

/** All processes below one. */
const descendantsOf = (root: number): readonly number[] => {
  const processes = listProcesses();
  const below = (of: number): readonly number[] =>
    processes.filter(([, parent]) => parent === of).flatMap(([pid]) => [pid, ...below(pid)]);
  return below(root);
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const untilReady = async (npm: ChildProcess): Promise<void> => {
  let log = '';
  for await (const piece of npm.stderr ?? []) {
    log += String(piece);
    if (log.includes('"event":"ready"')) return;
  }
  assert.fail(`it ended before it was ready: ${log}`);
};

test('a SIGTERM to npm start ends the assistant and all that it started', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-start-'));
  const env = { ...process.env, THREADWISE_DATA_DIR: folder, THREADWISE_WEB_PORT: '0', THREADWISE_LOG_FORMAT: 'json' };
  const npm = spawn('npm', ['start'], { cwd: projectFolder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    await untilReady(npm);
    const started = descendantsOf(npm.pid ?? 0);
    assert.ok(started.length >= 1);
    npm.stderr?.resume();
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    for (let tries = 0; tries < 200 && started.some(isAlive); tries += 1) await delay(50);
    assert.deepEqual(started.filter(isAlive), []);
  } finally {
    if (npm.exitCode === null) npm.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
