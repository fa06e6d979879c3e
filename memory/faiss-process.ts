/** One FAISS process and the requests it is working on. When it dies, they fail as `ProcessDied`; it is never started again. */
import { fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Clock } from '../agent/ports/clock.ts';
import type { FaissReply, FaissRequest, FaissState, FromChild, ToChild } from './faiss-messages.ts';

/** A request that takes longer counts as a hang; a flat scan of a million vectors is a tenth of it. */
const REQUEST_TIMEOUT_MS = 10_000;
const START_TIMEOUT_MS = 20_000;
/** Measuring a graph of a million rows takes a minute, writing it to a slow disk another. */
const BACKGROUND_TIMEOUT_MS = 600_000;
const STDERR_KEPT = 500;

const EMPTY: FaissState = { searches: 0, rows: 0, graphRows: 0, graphs: [], recall: null, isWorn: false };

/** The process is gone, or said that it cannot work; `message` is for the log. */
export class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
  /** FAISS could not be loaded: another try will not help. */
  readonly isMissing: boolean;

  constructor(message: string, isMissing: boolean) {
    super(message);
    this.isMissing = isMissing;
  }
}

export interface FaissProcess {
  readonly pid: number;
  isAlive(): boolean;
  /** Throws `ProcessDied`. One in the background may take its time, and does not keep the parent. */
  request(request: FaissRequest, isBackground?: boolean): Promise<FaissReply>;
  /** Ends it once nothing is in flight. */
  retire(): void;
  /** Ends it now. Resolves when it is gone. */
  kill(): Promise<void>;
}

interface Waiting {
  readonly isBackground: boolean;
  readonly resolve: (reply: FaissReply) => void;
  readonly reject: (error: ProcessDied) => void;
  readonly stopTimer: () => void;
}

/** Resolves when FAISS is loaded there; throws `ProcessDied`. The process ends with its parent and keeps no parent alive. */
export const startFaissProcess = async (options: {
  readonly dimensions: number;
  /** How many rows of a label are worth a graph. */
  readonly graphRows: number;
  readonly clock: Clock;
  /** It ended, and nobody here had asked for it. Called before the requests in flight fail. */
  readonly onCrash: (reason: string) => void;
}): Promise<FaissProcess> => {
  const { dimensions, graphRows, clock, onCrash } = options;
  // It gets no environment: it needs none of the secrets there. One thread: a flat search of this size gains nothing by more.
  const cacheFolder = getCompileCacheDir();
  const child = fork(new URL('./faiss-child.ts', import.meta.url), [String(dimensions), String(graphRows)], {
    serialization: 'advanced',
    // Lists of numbers would fill a young generation of the usual size with what nobody needs.
    execArgv: ['--max-semi-space-size=2', '--expose-gc'],
    // FAISS grows its arrays by copying them: large ones are given back to the system, however often that happened before.
    env: {
      OMP_NUM_THREADS: '1',
      OPENBLAS_NUM_THREADS: '1',
      MALLOC_MMAP_THRESHOLD_: '262144',
      MALLOC_ARENA_MAX: '1',
      // Half of its start is the reading of its sources. The folder is one for this version, below the one that is set.
      ...(cacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cacheFolder) }),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const waiting = new Map<number, Waiting>();
  let lastNumber = 0;
  let stderr = '';
  let isRetired = false;
  let isKilled = false;
  let death: ProcessDied | undefined;

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT);
  });
  (child.stderr as Socket | null)?.unref();

  const end = (): void => {
    isKilled = true;
    child.kill('SIGKILL');
  };

  /** While something is awaited, the parent must not end; while nothing is, it may. */
  const hold = (): void => {
    child.ref();
    child.channel?.ref();
  };
  const letGo = (): void => {
    if ([...waiting.values()].some(({ isBackground }) => !isBackground)) return;
    child.unref();
    child.channel?.unref();
    if (isRetired) end();
  };

  const gone = new Promise<void>((resolve) => {
    const die = (reason: string, isMissing = false): void => {
      if (death === undefined) {
        death = new ProcessDied(reason, isMissing);
        if (!isMissing && !isKilled) onCrash(reason);
      }
      for (const { reject, stopTimer } of waiting.values()) {
        stopTimer();
        reject(death);
      }
      waiting.clear();
      resolve();
    };
    child.on('error', (error) => die(error.message));
    // `close` comes after what it wrote on its way out.
    child.on('close', (code, signal) =>
      die(`ended by ${signal ?? `status ${code}`}${stderr === '' ? '' : `: ${stderr.trim()}`}`),
    );
    child.on('message', (message) => {
      const said = message as FromChild;
      if (said.type === 'missing') die(said.reason, true);
    });
  });

  const expect = (number: number, timeoutMs: number, isBackground: boolean): Promise<FaissReply> =>
    new Promise((resolve, reject) => {
      if (!isBackground) hold();
      const stopTimer = clock.after(timeoutMs, () => child.kill('SIGKILL'));
      waiting.set(number, { isBackground, resolve, reject, stopTimer });
    });

  const answer = (number: number, reply: FaissReply): void => {
    const found = waiting.get(number);
    waiting.delete(number);
    found?.stopTimer();
    found?.resolve(reply);
    letGo();
  };

  const started = expect(0, START_TIMEOUT_MS, false);
  child.on('message', (message) => {
    const said = message as FromChild;
    if (said.type === 'ready') answer(0, { state: EMPTY });
    if (said.type === 'reply') answer(said.number, said.reply);
  });
  await started;

  return {
    pid: child.pid ?? 0,
    isAlive: () => death === undefined,
    async request(request, isBackground = false) {
      if (death !== undefined) throw death;
      const number = ++lastNumber;
      const reply = expect(number, isBackground ? BACKGROUND_TIMEOUT_MS : REQUEST_TIMEOUT_MS, isBackground);
      // An unsent message means a dead process, and its end is told by `close`.
      child.send({ number, ...request } satisfies ToChild, () => {});
      return reply;
    },
    retire() {
      isRetired = true;
      letGo();
    },
    async kill() {
      end();
      child.ref();
      await gone;
    },
  };
};
