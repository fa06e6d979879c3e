/** Charts are drawn in a process beside: drawing holds a thread for longer than others can wait, and can only be ended with it. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { ChartReply, ChartRequest } from './chart-messages.ts';
import { createTurnstile } from './database-engine.ts';

/** Most of it is the start of the process; it grows on a machine that is busy. */
const DRAW_MS = 20_000;
const HEAP_MB = 192;
const PROGRAM = fileURLToPath(new URL('..', import.meta.url));
/** At the same time; the others wait in line. */
const PAINTERS = 2;

/** Resolves with a PNG. Throws `AppError('tool_failed')`, and `tool_too_large` at the limit; stops with the signal. */
export type DrawChart = (request: ChartRequest, signal: AbortSignal) => Promise<Uint8Array>;

const drawOnce = (request: ChartRequest, clock: Clock, drawMs: number, signal: AbortSignal): Promise<Uint8Array> => {
  // It gets no environment, and may read this program and nothing else.
  const child = fork(new URL('./chart-child.ts', import.meta.url), [], {
    serialization: 'advanced',
    execArgv: ['--permission', '--allow-addons', `--allow-fs-read=${PROGRAM}`, `--max-old-space-size=${HEAP_MB}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let cleanUp = (): void => {};
  const drawn = new Promise<Uint8Array>((resolve, reject) => {
    const fail = (message: string, cause?: unknown): void =>
      reject(new AppError('tool_failed', message, cause === undefined ? {} : { cause }));
    const onAbort = (): void => reject(signal.reason);
    const stopTimer = clock.after(drawMs, () =>
      reject(new AppError('tool_too_large', `The chart took longer than ${drawMs} ms and was given up. Draw fewer rows.`)),
    );
    cleanUp = () => {
      stopTimer();
      signal.removeEventListener('abort', onAbort);
      child.kill('SIGKILL');
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    child.on('error', (error) => fail('The process that draws charts did not start.', error));
    child.on('close', (code, killedBy) => fail(`The process that draws charts ended by ${killedBy ?? `status ${code}`}.`));
    child.on('message', (message) => {
      const reply = message as ChartReply;
      if (reply.type === 'drawn') resolve(reply.png);
      else fail('The chart could not be drawn.', new Error(reply.reason));
    });
    // An unsent message means a dead process, and its end is told by `close`.
    child.send(request, () => {});
  });
  return drawn.finally(() => cleanUp());
};

export const createDrawChart = ({ clock, drawMs = DRAW_MS }: { readonly clock: Clock; readonly drawMs?: number }): DrawChart => {
  const turnstile = createTurnstile(PAINTERS);
  return (request, signal) => turnstile(() => drawOnce(request, clock, drawMs, signal), signal);
};
