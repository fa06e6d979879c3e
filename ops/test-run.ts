/**
 * Runs a group of test files by node:test and reads its closing counts. A group passes when it said so itself, left nothing
 * out and ended: node:test gives its counts only when nothing keeps the process any more.
 */

import type { Clock } from '../agent/ports/clock.ts';
import { runChild } from './child.ts';

/** By the names of node:test: `tests`, `pass`, `fail`, `skipped` and so on. */
export type TestCounts = Readonly<Record<string, number>>;

export interface TestGroup {
  readonly name: string;
  readonly isolation: 'none' | 'process';
  readonly files: readonly string[];
}

export interface TestRunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly write: (text: string) => void;
  /** How long a process may say nothing. */
  readonly silenceMs?: number;
}

const COUNT = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)\s*$/;
const SILENCE_MS = 300_000;

/** Whole lines to `onLine`, whatever pieces they come in. Returns what feeds it, and what ends it. */
const splitLines = (onLine: (line: string) => void): { push: (text: string) => void; end: () => void } => {
  let rest = '';
  return {
    push: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    },
    end: () => {
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
};

const problemOf = (counts: TestCounts, code: number | null, hung: boolean): string | undefined => {
  if (hung) return 'it fell silent and was ended: a test hangs, or one has left a timer, a socket or a child open';
  if (counts['tests'] === undefined) return `it ended without its counts (exit code ${code ?? 'none'})`;
  if ((counts['skipped'] ?? 0) + (counts['todo'] ?? 0) > 0) return 'it left tests out';
  return code === 0 ? undefined : `it failed (exit code ${code ?? 'none'})`;
};

export const runTestGroup = async (
  { name, isolation, files }: TestGroup,
  { cwd, env, clock, write, silenceMs = SILENCE_MS }: TestRunOptions,
): Promise<{ readonly passed: boolean; readonly counts: TestCounts }> => {
  const counts: Record<string, number> = {};
  const controller = new AbortController();
  let cancelSilence = (): void => {};
  const heard = (): void => {
    cancelSilence();
    cancelSilence = clock.after(silenceMs, () => controller.abort());
  };
  const lines = splitLines((line) => {
    const match = COUNT.exec(line);
    if (match === null) {
      write(`${line}\n`);
      return;
    }
    const [, count = '', value] = match;
    counts[count] = Number(value);
  });
  const args = ['--test', `--test-isolation=${isolation}`, '--test-reporter=spec', '--test-timeout=600000', ...files];
  const onOutput = (text: string): void => {
    heard();
    lines.push(text);
  };
  heard();
  // Inside a test this variable would make the child believe that it is a part of that run.
  const childEnv = { ...env, NODE_TEST_CONTEXT: undefined };
  const { code } = await runChild(process.execPath, args, {
    cwd,
    env: childEnv,
    onOutput,
    signal: controller.signal,
  });
  cancelSilence();
  lines.end();
  const problem = problemOf(counts, code, controller.signal.aborted);
  if (problem !== undefined) write(`✖ the group "${name}": ${problem}\n`);
  return { passed: problem === undefined, counts };
};
