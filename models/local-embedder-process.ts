/** One embedding process, asked one thing at a time. When it ends, what it was asked fails; it is never started again. */
import { fork } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Clock } from '../agent/ports/clock.ts';
import type { FromEmbedder, ToEmbedder } from './local-embedder-messages.ts';

const START_TIMEOUT_MS = 60_000;
const REQUEST_TIMEOUT_MS = 60_000;
const STDERR_KEPT = 500;

export interface EmbedderProcess {
  isAlive(): boolean;
  /** One call at a time. Returns the vectors of all texts, one after the other; rejects when the process died. */
  embed(texts: readonly string[]): Promise<Float32Array>;
  /** Resolves when it is gone. */
  kill(): Promise<void>;
}

/** Resolves when the model is loaded there. The process ends with its parent and keeps no idle parent alive. */
export const startEmbedderProcess = async (clock: Clock): Promise<EmbedderProcess> => {
  // It gets no environment: it needs none of the secrets there.
  const child = fork(new URL('./local-embedder-child.ts', import.meta.url), [], {
    serialization: 'advanced',
    execArgv: [],
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  let death: Error | undefined;
  let waiting: { resolve(message: FromEmbedder): void; reject(error: Error): void } | undefined;

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT);
  });
  (child.stderr as Socket | null)?.unref();

  const gone = new Promise<void>((resolve) => {
    const die = (reason: string): void => {
      death ??= new Error(reason);
      waiting?.reject(death);
      resolve();
    };
    child.on('error', (error) => die(error.message));
    // `close` comes after what it wrote on its way out.
    child.on('close', (code, signal) =>
      die(`ended by ${signal ?? `status ${code}`}${stderr === '' ? '' : `: ${stderr.trim()}`}`),
    );
  });
  child.on('message', (message) => waiting?.resolve(message as FromEmbedder));

  /** While something is awaited, the parent must not end; while nothing is, it may. */
  const next = async (timeoutMs: number): Promise<FromEmbedder> => {
    if (death !== undefined) throw death;
    const stopTimer = clock.after(timeoutMs, () => child.kill('SIGKILL'));
    child.ref();
    child.channel?.ref();
    try {
      return await new Promise<FromEmbedder>((resolve, reject) => {
        waiting = { resolve, reject };
      });
    } finally {
      waiting = undefined;
      stopTimer();
      child.unref();
      child.channel?.unref();
    }
  };

  await next(START_TIMEOUT_MS);

  return {
    isAlive: () => death === undefined,
    async embed(texts) {
      const answer = next(REQUEST_TIMEOUT_MS);
      // An unsent message means a dead process, and its end is told by `close`.
      if (death === undefined) child.send({ texts } satisfies ToEmbedder, () => {});
      const message = await answer;
      if (message.type === 'vectors') return message.vectors;
      throw new Error(message.type === 'failed' ? message.reason : 'the process answered out of turn');
    },
    async kill() {
      child.kill('SIGKILL');
      child.ref();
      await gone;
    },
  };
};
