/**
 * A server as a child process, in a process group of its own: it gets the environment that the configuration gives it and no other, a
 * signal at our terminal does not reach it, and what it started ends with it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';

export interface StdioPlace {
  readonly command: string;
  readonly args: readonly string[];
  /** All that the process has of an environment. */
  readonly env: Readonly<Record<string, { reveal(): string }>>;
  readonly cwd: string;
}

export const MAX_MESSAGE_BYTES = 4_000_000;
/** For each of: ending by itself when its input ends, ending when asked to. */
const GRACE_MS = 1_000;

export const createStdioTransport = ({ command, args, env, cwd }: StdioPlace, clock: Clock): Transport => {
  const child = { running: undefined as ReturnType<typeof spawn> | undefined };
  const buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  let isClosing = false;

  /** The group outlives its first process when that leaves others behind. */
  const kill = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    const pid = child.running?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended.
    }
  };
  const killAtExit = (): void => kill('SIGKILL');

  const readMessages = (chunk: Buffer): void => {
    if (isClosing) return;
    buffer.append(chunk);
    while (!isClosing) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
      } catch (error) {
        // A line that is no message; the next one may be.
        transport.onerror?.(error as Error);
      }
    }
  };

  const transport: Transport = {
    start: async () => {
      const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.reveal()]));
      const started = spawn(command, args, { cwd, env: given, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
      started.stdin.on('error', (error) => transport.onerror?.(error));
      started.stdout.on('data', (chunk: Buffer) => {
        try {
          readMessages(chunk);
        } catch (error) {
          transport.onerror?.(error as Error);
          void transport.close();
        }
      });
      started.stdout.once('end', () => void transport.close());
      started.once('exit', () => {
        kill('SIGKILL');
        process.off('exit', killAtExit);
        child.running = undefined;
        // Whoever left the group may hold the pipe open.
        const stop = clock.after(GRACE_MS, () => started.stdout.destroy());
        started.once('close', () => {
          stop();
          transport.onclose?.();
        });
      });
      await once(started, 'spawn');
      child.running = started;
      process.once('exit', killAtExit);
      started.on('error', (error) => transport.onerror?.(error));
    },
    send: async (message) => {
      const input = child.running?.stdin;
      const waiting = input?.writableLength ?? Number.POSITIVE_INFINITY;
      if (isClosing || waiting > MAX_MESSAGE_BYTES) throw new AppError('tool_unavailable', 'The server takes no more messages.');
      input?.write(serializeMessage(message));
    },
    close: async () => {
      const ending = child.running;
      isClosing = true;
      buffer.clear();
      if (ending === undefined) return;
      const ended = new Promise<true>((resolve) => void ending.once('exit', () => resolve(true)));
      const isOver = async (): Promise<boolean> => Promise.race([ended, clock.sleep(GRACE_MS).then(() => false)]);
      ending.stdin?.end();
      if (await isOver()) return;
      kill('SIGTERM');
      if (await isOver()) return;
      kill('SIGKILL');
      await ended;
    },
  };
  return transport;
};
