/** The loop of lives: kill at boundary 1, 2, 3 … until a life comes through, then look at what stands on the platform. */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kind, LifeOptions, LifeReport } from './life.ts';

export interface KillLoop {
  /** The program that runs a life; its last argument is the options as JSON. */
  readonly program: string;
  readonly platformUrl: string;
  readonly kind: Kind;
  readonly readBack?: boolean;
  /** Ends the loop early. Called after each life with the number of trials that are seen through. */
  readonly enough?: (seenThrough: number) => boolean;
}

export interface KillLoopResult {
  /** The names of the boundaries at which a life ended, in order. */
  readonly killedAt: readonly string[];
  /** Trials 1 to this are seen through. */
  readonly trials: number;
}

/** What a killed process wrote is kept by the system whether or not it reached a disk, so memory does where there is such a folder. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const MAX_TRIALS = 120;
const LIFE_TIMEOUT_MS = 30_000;

const liveOnce = (program: string, options: LifeOptions): Promise<LifeReport> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, JSON.stringify(options)], {
      // Most of a life would be the compiling of its modules.
      env: { ...process.env, NODE_COMPILE_CACHE: join(options.folder, 'compiled') },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIFE_TIMEOUT_MS,
    });
    let said = '';
    let complained = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += String(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complained += String(chunk);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const line = said.trim().split('\n').at(-1) ?? '';
      if (line === '') reject(new Error(`life ${JSON.stringify(options)} ended with ${code ?? signal}: ${complained}`));
      else resolve(JSON.parse(line) as LifeReport);
    });
  });

export const runKillLoop = async ({ program, platformUrl, kind, readBack = true, enough }: KillLoop): Promise<KillLoopResult> => {
  const folder = mkdtempSync(join(FOLDER, 'threadwise-kill-'));
  const killedAt: string[] = [];
  try {
    for (let trial = 1; trial <= MAX_TRIALS; trial += 1) {
      const options = { folder, platformUrl, kind, life: trial, resume: trial - 1, trial, readBack };
      const report = await liveOnce(program, options);
      if ('boundaries' in report) return { killedAt, trials: trial };
      killedAt.push(report.killedAt);
      if (enough?.(trial - 1)) return { killedAt, trials: trial - 1 };
    }
    throw new Error(`no life came through in ${MAX_TRIALS} trials`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
