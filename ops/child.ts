import { spawn } from 'node:child_process';

export interface ChildResult {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Standard output and standard error, as they came. */
  readonly output: string;
}

export interface ChildOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets each piece as it comes. */
  readonly onOutput?: (text: string) => void;
  /** When it aborts, the child is killed. */
  readonly signal?: AbortSignal;
}

/** Runs a program to its end. Rejects when it cannot be started. */
export const runChild = (command: string, args: readonly string[], options: ChildOptions): Promise<ChildResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, env: { ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const onText = (text: string): void => {
      output += text;
      options.onOutput?.(text);
    };
    child.stdout.setEncoding('utf8').on('data', onText);
    child.stderr.setEncoding('utf8').on('data', onText);
    const stop = (): void => void child.kill('SIGKILL');
    options.signal?.addEventListener('abort', stop, { once: true });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      options.signal?.removeEventListener('abort', stop);
      resolve({ code, signal, output });
    });
  });
