/** The loop of lives: kill at one boundary after another, each death in a turn of its own, until a life comes through. */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scaled, seed } from '../scale.ts';
import type { Kind, LifeOptions, LifeReport } from './life.ts';

export interface KillLoop {
  /** The program that runs a life; its last argument is the options as JSON. */
  readonly program: string;
  /** Where a life tells which model calls it made, and what the fake platform is. */
  readonly platformUrl: string;
  readonly kind: Kind;
  /** Besides its first line, of a streamed answer. Default 0. */
  readonly paragraphs?: number;
  /** What the program's channel needs to know. */
  readonly connection?: Readonly<Record<string, string>>;
  /**
   * `whole`: every boundary. `sample`: a tenth of them, chosen by the seed. `sends`: those right after the first message has left.
   * `waiting`: those of the message to who waits. `folding`: from the fold on. `writing`: from a person's word to the end of what they
   * agreed to. Or those of these names.
   */
  readonly extent: 'whole' | 'sample' | 'sends' | 'waiting' | 'folding' | 'writing' | readonly string[];
  readonly readBack?: boolean;
  /** How much later each life begins than the one before it. Default 30 s: the leases of the dead have run out. */
  readonly stepMs?: number;
  /** Before each life but the first: the platform's time goes on as well. */
  readonly onStep?: () => void;
  /** Has a person ask the question of the trial. Called once a trial. */
  readonly onAsk?: (trial: number) => void;
  /** Ends the loop early. Called after each life with the number of trials that are seen through. */
  readonly enough?: (seenThrough: number) => boolean;
}

export interface KillLoopResult {
  /** The boundaries of the first life, which was not killed. */
  readonly boundaries: readonly string[];
  /** Where the trial's life ended; undefined for one that came through. */
  readonly killedAt: ReadonlyMap<number, string>;
  /** Trials 1 to this are seen through. */
  readonly trials: number;
}

/** What a killed process wrote is kept by the system whether or not it reached a disk, so memory does where there is such a folder. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const MAX_TRIALS = 120;
const LIFE_TIMEOUT_MS = 60_000;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
const createRandom = (start: number) => {
  let state = start >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** Right after a message has left, before it is stored where it stands. */
const SENDS = ['during post 0', 'after post 0', 'before markPosted 0'] as const;

/** A tenth of the numbers from 1 to `count`. */
const sampleOf = (count: number, salt: string): readonly number[] => {
  const random = createRandom([...salt].reduce((sum, char) => Math.imul(sum, 31) + char.charCodeAt(0), seed));
  const ranked = Array.from({ length: count }, (_, index) => ({ boundary: index + 1, rank: random() }));
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, scaled(count))
    .map(({ boundary }) => boundary);
};

type Line = LifeReport | { readonly ask: number };

const liveOnce = (program: string, options: LifeOptions, compiled: string, onAsk: (trial: number) => void): Promise<LifeReport> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, JSON.stringify(options)], {
      // Most of a life would be the compiling of its modules.
      env: { ...process.env, NODE_COMPILE_CACHE: compiled },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIFE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    let rest = '';
    let complained = '';
    let report: LifeReport | undefined;
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const said = JSON.parse(line) as Line;
        if ('ask' in said) onAsk(said.ask);
        else report = said;
      }
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complained += String(chunk);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (report !== undefined) resolve(report);
      else reject(new Error(`life ${JSON.stringify(options)} ended with ${code ?? signal}: ${complained}`));
    });
  });

export const runKillLoop = async (loop: KillLoop): Promise<KillLoopResult> => {
  const { program, platformUrl, kind, paragraphs = 0, connection = {}, extent, readBack = true, stepMs = 30_000 } = loop;
  const folder = mkdtempSync(join(FOLDER, 'threadwise-kill-'));
  const asked = new Set<number>();
  const killedAt = new Map<number, string>();
  let trial = 0;

  const live = async (killAt: number | string): Promise<LifeReport> => {
    const isResumed = killedAt.has(trial);
    trial += 1;
    if (trial > MAX_TRIALS) throw new Error(`no life came through in ${MAX_TRIALS} trials`);
    if (trial > 1) loop.onStep?.();
    const options: LifeOptions = {
      folder,
      platformUrl,
      connection,
      kind,
      paragraphs,
      shiftMs: (trial - 1) * stepMs,
      resume: isResumed ? trial - 1 : 0,
      trial,
      killAt,
      readBack,
    };
    const report = await liveOnce(program, options, join(folder, 'compiled'), (number) => {
      if (asked.has(number)) return;
      asked.add(number);
      loop.onAsk?.(number);
    });
    if ('killedAt' in report) killedAt.set(trial, report.killedAt);
    return report;
  };

  try {
    const first = await live(0);
    if ('killedAt' in first) throw new Error('the first life was killed');
    const { boundaries } = first;
    const isEnough = (): boolean => loop.enough?.(trial - 1) === true;
    const killAtEach = async (chosen: Iterable<number | string>): Promise<boolean> => {
      for (const killAt of chosen) {
        await live(killAt);
        if (isEnough()) return true;
      }
      return false;
    };
    const killAtAll = async (): Promise<boolean> => {
      for (let number = 1; 'killedAt' in (await live(number)); number += 1) if (isEnough()) return true;
      // What goes on side by side in a turn passes its boundaries in an order of its own each time.
      const names = new Set(killedAt.values());
      return killAtEach(new Set(boundaries.filter((name) => !names.has(name))));
    };
    const byExtent = {
      whole: killAtAll,
      sample: () => killAtEach(sampleOf(boundaries.length, `${program.split('/').at(-1)} ${kind}`)),
      sends: () => killAtEach(SENDS),
      folding: () => killAtEach(new Set(boundaries.slice(boundaries.indexOf('before foldWaiting')))),
      writing: () =>
        killAtEach(
          new Set(
            boundaries.slice(boundaries.indexOf('before decideApproval'), boundaries.indexOf('before writeJournal model:2')),
          ),
        ),
      waiting: () => killAtEach(boundaries.filter((name) => name.endsWith(' while it waits'))),
    };
    const isEnded = await (typeof extent === 'string' ? byExtent[extent]() : killAtEach(extent));
    if (!isEnded) await live(0);
    return { boundaries, killedAt, trials: killedAt.has(trial) ? trial - 1 : trial };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
