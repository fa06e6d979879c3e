/**
 * The folders that the configuration names: taken in, and out again once it names them no longer. What was ingested by hand
 * stays until it is removed by hand.
 */

import type { Store } from '../agent/ports/store.ts';
import type { Sync, SyncOptions, SyncOutcome } from './sync.ts';
import { resolveRoot } from './walk.ts';

interface Dependencies {
  readonly sync: Sync;
  readonly settings: Pick<Store, 'readSetting' | 'writeSetting'>;
}

/** Throws what `Sync.syncPaths` throws; nothing is taken out then. */
export const syncConfigured = async (
  { sync, settings }: Dependencies,
  folders: readonly string[],
  options: SyncOptions,
): Promise<SyncOutcome> => {
  const remember = (roots: readonly string[]): Promise<void> => settings.writeSetting('knowledge', 'folders', { roots });
  const named = await Promise.all(folders.map(resolveRoot));
  const stored = (await settings.readSetting('knowledge', 'folders'))?.['roots'];
  const before = Array.isArray(stored) ? stored.filter((root) => typeof root === 'string') : [];
  const dropped = before.filter((root) => !named.includes(root));
  // Before they are taken in: a run that dies meanwhile still knows whose they are.
  if (named.some((root) => !before.includes(root))) await remember([...new Set([...before, ...named])]);
  const outcome = await sync.syncPaths(folders, options);
  if (dropped.length === 0) return outcome;
  const removed = await sync.removeRoots(dropped);
  await remember(named);
  return { ...outcome, removed: outcome.removed + removed };
};
