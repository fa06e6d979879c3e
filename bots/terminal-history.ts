/** The lines a person typed, kept over restarts in a file that only they can read. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const MAX_LINES = 500;

/** Newest first, as readline wants them. Empty when there is no file yet or it cannot be read. */
export const readHistory = (path: string | undefined): string[] => {
  if (path === undefined) return [];
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .slice(-MAX_LINES)
      .reverse();
  } catch {
    return [];
  }
};

/** Throws when the file cannot be written. */
export const writeHistory = (path: string, newestFirst: readonly string[]): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${newestFirst.slice(0, MAX_LINES).toReversed().join('\n')}\n`, { mode: 0o600 });
};
