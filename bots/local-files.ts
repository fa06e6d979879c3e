/** Files of answers in a folder of this machine, for a terminal that can show none. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../agent/errors.ts';
import { keyedName } from './file-parts.ts';

/** Writes the file, for its owner alone, and tells where. The same key has the same path. Throws `AppError('channel_rejected')`. */
export const keepLocally = (folder: string, name: string, key: string, bytes: Uint8Array): string => {
  const path = join(folder, keyedName(name, key));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path, bytes, { mode: 0o600 });
  } catch (error) {
    throw new AppError('channel_rejected', `Expected a folder that can be written for the files of answers: ${folder}`, {
      cause: error,
    });
  }
  return path;
};
