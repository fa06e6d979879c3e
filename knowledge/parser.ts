/** The parent's side of reading files: one process at a time, watched, killed at its limits, and replaced. */

import { type ChildProcess, execFile, fork } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AppError, hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import { type ParsedChunk, type ParseReply, type ParseRequest, parseReplySchema } from './parse-messages.ts';

export interface ParsedFile {
  readonly title: string;
  /** ISO date stated by the file itself, or null. */
  readonly date: string | null;
  readonly chunks: readonly ParsedChunk[];
}

/** Throws `AppError('document_unreadable')` with a reason in one line; calls are served one after the other. */
export type ParseFile = (file: { readonly name: string; readonly bytes: Uint8Array }) => Promise<ParsedFile>;

export interface Parser {
  readonly parse: ParseFile;
  close(): Promise<void>;
}

export interface ParseLimits {
  readonly maxBytes: number;
  readonly maxTextCharacters: number;
  readonly timeoutMs: number;
  /** Resident memory of the reading process. */
  readonly maxRssBytes: number;
  readonly maxHeapMb: number;
}

export const PARSE_LIMITS: ParseLimits = {
  maxBytes: 20_000_000,
  maxTextCharacters: 5_000_000,
  timeoutMs: 20_000,
  maxRssBytes: 400_000_000,
  maxHeapMb: 256,
};

const PIECE_BYTES = 1_000_000;
const RSS_POLL_MS = 50;
/** A process that holds this much after a file is replaced before the next one, which may need the room. */
const RECYCLE_RSS_BYTES = 280_000_000;
const IDLE_MS = 10_000;

const CHILD = fileURLToPath(new URL('./parse-child.ts', import.meta.url));
const READABLE = ['../agent', '../knowledge', '../node_modules', '../package.json'];

const run = promisify(execFile);

/** Resident memory of a process; 0 when it is gone. Linux tells in /proc, other systems by ps. */
const readRssBytes = async (pid: number): Promise<number> => {
  try {
    const status =
      process.platform === 'linux'
        ? await readFile(`/proc/${pid}/status`, 'utf8')
        : (await run('ps', ['-o', 'rss=', '-p', String(pid)])).stdout;
    const kilobytes = /(?:VmRSS:)?\s*(\d+)/.exec(
      process.platform === 'linux' ? (/VmRSS:.*/.exec(status)?.[0] ?? '') : status,
    )?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
};

const startChild = (maxHeapMb: number): ChildProcess => {
  const readable = READABLE.map((path) => `--allow-fs-read=${realpathSync(fileURLToPath(new URL(path, import.meta.url)))}`);
  const child = fork(CHILD, [], {
    execArgv: ['--permission', ...readable, `--max-old-space-size=${maxHeapMb}`],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  return child;
};

const sendTo = (child: ChildProcess, message: ParseRequest): Promise<void> =>
  new Promise((resolve, reject) => {
    child.send(message, (error) => (error === null ? resolve() : reject(error)));
  });

const sendFile = async (child: ChildProcess, name: string, bytes: Uint8Array, maxTextCharacters: number): Promise<void> => {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    await sendTo(child, { type: 'piece', bytes: bytes.subarray(at, at + PIECE_BYTES) });
  }
  await sendTo(child, { type: 'parse', fileName: name, maxTextCharacters });
};

interface Watched {
  readonly clock: Clock;
  readonly limits: ParseLimits;
}

/** One file in a running child. Kills the child when a limit is passed. */
const parseIn = (
  child: ChildProcess,
  file: { name: string; bytes: Uint8Array },
  { clock, limits }: Watched,
): Promise<ParsedFile> =>
  new Promise((resolve, reject) => {
    const chunks: ParsedChunk[] = [];
    let refusal = 'reading it used up the memory of the reader; it may be built to do so. Remove it or save it anew.';
    let stopPolling = (): void => undefined;
    const kill = (reason: string): void => {
      refusal = reason;
      child.kill('SIGKILL');
    };
    const poll = (): void => {
      stopPolling = clock.after(RSS_POLL_MS, () => {
        void readRssBytes(child.pid ?? 0).then((rssBytes) => {
          if (rssBytes > limits.maxRssBytes)
            kill(`reading it needs more than ${Math.round(limits.maxRssBytes / 1e6)} MB of memory.`);
          else poll();
        });
      });
    };
    const stopTimeout = clock.after(limits.timeoutMs, () => kill(`reading it takes longer than ${limits.timeoutMs / 1000} s.`));
    const settle = (finish: () => void): void => {
      stopTimeout();
      stopPolling();
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onExit);
      child.channel?.unref();
      child.unref();
      finish();
    };
    const onExit = (): void => settle(() => reject(new AppError('document_unreadable', refusal)));
    const onMessage = (message: unknown): void => {
      const parsed = parseReplySchema.safeParse(message);
      const reply: ParseReply = parsed.success
        ? parsed.data
        : { type: 'failed', reason: 'the reader answered in a form that is not its own.' };
      if (reply.type === 'chunks') chunks.push(...reply.chunks);
      else if (reply.type === 'failed') settle(() => reject(new AppError('document_unreadable', reply.reason)));
      else if (reply.type === 'done') settle(() => resolve({ title: reply.title, date: reply.date, chunks }));
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.on('error', onExit);
    child.ref();
    child.channel?.ref();
    poll();
    sendFile(child, file.name, file.bytes, limits.maxTextCharacters).catch(() => undefined);
  });

/** Reads files in a process of its own, which starts with the first file and ends when none came for a while. */
export const createParser = (options: { clock: Clock; logger: Logger; limits?: Partial<ParseLimits> }): Parser => {
  const { clock, logger } = options;
  const limits: ParseLimits = { ...PARSE_LIMITS, ...options.limits };
  let child: ChildProcess | undefined;
  let isClosed = false;
  let queue: Promise<unknown> = Promise.resolve();
  let stopIdle = (): void => undefined;

  const stop = async (): Promise<void> => {
    const old = child;
    child = undefined;
    if (old === undefined || old.exitCode !== null || old.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => old.once('exit', () => resolve()));
    old.ref();
    old.kill('SIGKILL');
    await gone;
  };

  const parseNext: ParseFile = async (file) => {
    if (isClosed) throw new AppError('internal', 'The reader of files was closed before the last file.');
    stopIdle();
    if (file.bytes.length > limits.maxBytes) throw tooLarge(file.bytes.length, limits.maxBytes);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) child = startChild(limits.maxHeapMb);
    const current = child;
    try {
      return await parseIn(current, file, { clock, limits });
    } catch (error) {
      if (hasCode(error, 'document_unreadable')) logger.debug('document_unreadable', { reason: error.message });
      throw error;
    } finally {
      if ((await readRssBytes(current.pid ?? 0)) > RECYCLE_RSS_BYTES) await stop();
      stopIdle = clock.after(IDLE_MS, () => void stop());
    }
  };

  return {
    parse: (file) => {
      const result = queue.then(() => parseNext(file));
      queue = result.catch(() => undefined);
      return result;
    },
    close: async () => {
      isClosed = true;
      stopIdle();
      await stop();
      await queue;
    },
  };
};

export const tooLarge = (bytes: number, maxBytes: number): AppError =>
  new AppError(
    'document_unreadable',
    `expected at most ${Math.round(maxBytes / 1e6)} MB, got ${(bytes / 1e6).toFixed(1)} MB. Split the file or leave it out.`,
  );
