/** The frameworks that ours is compared with, from a lockfile of their own, in a cache: they are no part of the product. */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from '../../ops/child.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.runtime/peers', import.meta.url));
const LOCK = 'package-lock.json';
const TIMEOUT_MS = 300_000;

const readText = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

/** The folder in which the frameworks can be imported, and why they cannot where they cannot. */
export const installPeers = async (): Promise<{ readonly folder: string; readonly missing?: string }> => {
  await mkdir(CACHE, { recursive: true });
  for (const file of await readdir(join(HERE, 'frameworks'))) await copyFile(join(HERE, 'frameworks', file), join(CACHE, file));
  const installed = join(CACHE, 'installed.json');
  const lock = await readFile(join(HERE, LOCK), 'utf8');
  if ((await readText(installed)) === lock) return { folder: CACHE };
  for (const file of ['package.json', LOCK]) await copyFile(join(HERE, file), join(CACHE, file));
  try {
    const { code, output } = await runChild(
      'npm',
      ['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'],
      {
        cwd: CACHE,
        env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
    );
    if (code !== 0) return { folder: CACHE, missing: `npm ci failed: ${output.trim().split('\n').at(-1) ?? ''}`.slice(0, 200) };
  } catch {
    return { folder: CACHE, missing: 'there is no npm' };
  }
  await writeFile(installed, lock);
  return { folder: CACHE };
};
