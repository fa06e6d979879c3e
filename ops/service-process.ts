/** Servers that the tests need: each on loopback with a folder of its own, as an account that is not root, ended and removed after them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../agent/errors.ts';
import { systemClock } from './clock.ts';

const START_MS = 60_000;

export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** For the tests' servers alone. */
export const PASSWORD = 'only-for-tests';

/** Servers refuse to run as root; their Debian packages bring an account for each. */
export const accountOf = (name: string): Account => {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  if (line === undefined) throw new AppError('service_missing', `the tests need the account ${name}, which its package makes`);
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
};

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

export const openFolder = (name: string, { uid, gid }: Account): string => {
  const folder = mkdtempSync(join(tmpdir(), `threadwise-${name}-`));
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
};

export const runAs = (account: Account, command: string, args: readonly string[], folder: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-2_000);
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new AppError('service_missing', `${command} ended with ${code}: ${stderr.trim()}`)),
    );
  });

export const untilAnswers = async (server: ChildProcess, ask: () => Promise<boolean>, name: string): Promise<void> => {
  const endsAt = systemClock.monotonic() + START_MS;
  while (!(await ask())) {
    if (server.exitCode !== null || systemClock.monotonic() > endsAt)
      throw new AppError('service_missing', `${name} did not start within ${START_MS / 1000} seconds`);
    await systemClock.sleep(50);
  }
};

export const stopServer = async (server: ChildProcess, folder: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
  const ended = new Promise<void>((resolve) => void server.on('close', () => resolve()));
  if (server.exitCode === null) {
    server.kill(signal);
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
};
