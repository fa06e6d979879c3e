/** Files into the store: only what changed is read again, and what vanished is removed. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../agent/ports/clock.ts';
import type { DocumentRecord, KnowledgeStore } from '../agent/ports/knowledge.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { ParseFile } from './parser.ts';
import { partsOf, wholeIdOf } from './parts.ts';
import { createPrepare, documentIdOf, type PreparedFile } from './prepare.ts';
import { findFiles, resolveRoot, rootsWithin } from './walk.ts';
import { watchRoots } from './watch.ts';

export interface SyncProgress {
  readonly done: number;
  readonly total: number;
  /** The file just finished. */
  readonly source: string;
  readonly outcome: 'added' | 'changed' | 'unchanged' | 'failed';
}

export interface SyncOutcome {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Files of a kind that is not read. */
  readonly ignored: number;
  /** One line each; everything else was taken in. */
  readonly failed: readonly { readonly source: string; readonly reason: string }[];
}

export interface SyncOptions {
  /** The audience label of everything under the paths. */
  readonly label: string;
  readonly onProgress?: (progress: SyncProgress) => void;
  readonly signal?: AbortSignal;
}

export interface WatchOptions extends SyncOptions {
  readonly signal: AbortSignal;
  /** After each re-sync that changed something or failed. */
  readonly onSync?: (outcome: SyncOutcome) => void;
}

export interface Sync {
  /**
   * Brings the store in step with files and folders. Calls run one after the other. A folder ingested on its own keeps its
   * files and its label when a folder above it is ingested. Throws `AppError('source_missing')` before anything is changed,
   * `AppError('source_unreadable')`, `AppError('store_*')`, or the signal's reason.
   */
  syncPaths(paths: readonly string[], options: SyncOptions): Promise<SyncOutcome>;
  /** Takes out all that came from these roots, which are real paths. Resolves with the number of documents. */
  removeRoots(roots: readonly string[]): Promise<number>;
  /** Syncs again whenever something under the paths changes. Resolves when the signal aborts; faults are logged. */
  watchPaths(paths: readonly string[], options: WatchOptions): Promise<void>;
}

interface SyncDependencies {
  readonly store: KnowledgeStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly parse: ParseFile;
}

/** The stored records of each document, by its id. */
type Known = ReadonlyMap<string, readonly DocumentRecord[]>;

/** Files read ahead while one is written, so that reading and writing overlap. */
const READ_AHEAD = 4;

/** Few enough that their removal does not hold the process. */
const REMOVED_AT_ONCE = 8;

const noChange: SyncOutcome = { added: 0, changed: 0, unchanged: 0, removed: 0, ignored: 0, failed: [] };

const addOutcomes = (a: SyncOutcome, b: SyncOutcome): SyncOutcome => ({
  added: a.added + b.added,
  changed: a.changed + b.changed,
  unchanged: a.unchanged + b.unchanged,
  removed: a.removed + b.removed,
  ignored: a.ignored + b.ignored,
  failed: [...a.failed, ...b.failed],
});

export const createSync = ({ store, clock, logger, parse }: SyncDependencies): Sync => {
  const prepare = createPrepare(parse);
  let queue: Promise<unknown> = Promise.resolve();

  const removeRecords = async (ids: readonly string[]): Promise<void> => {
    for (let at = 0; at < ids.length; at += REMOVED_AT_ONCE) {
      await store.removeDocuments(ids.slice(at, at + REMOVED_AT_ONCE));
      await nextTurn();
    }
  };

  /** The part with the content hash comes last: a run that dies before it does all of this again. */
  const putParsed = async (
    { document, chunks }: Extract<PreparedFile, { kind: 'parsed' }>,
    oldIds: readonly string[],
  ): Promise<void> => {
    const [first, ...rest] = partsOf(document, chunks);
    for (const part of rest) {
      await store.putDocument(part.document, part.chunks());
      await nextTurn();
    }
    const ids = new Set([first, ...rest].map((part) => part.document.id));
    await removeRecords(oldIds.filter((id) => !ids.has(id)));
    await store.putDocument(first.document, first.chunks());
  };

  const storePrepared = async (prepared: PreparedFile, oldIds: readonly string[]): Promise<SyncProgress['outcome']> => {
    if (prepared.kind === 'parsed') {
      await putParsed(prepared, oldIds);
      return oldIds.length === 0 ? 'added' : 'changed';
    }
    if (prepared.kind === 'failed' && prepared.isGone) await removeRecords(oldIds);
    return prepared.kind;
  };

  const syncRoot = async (root: string, documents: readonly DocumentRecord[], options: SyncOptions): Promise<SyncOutcome> => {
    const { label, signal, onProgress } = options;
    const found = await findFiles(root, rootsWithin(root, new Set(documents.map((document) => document.root))));
    const known: Known = Map.groupBy(documents, (document) => wholeIdOf(document.id));
    const counts = { added: 0, changed: 0, unchanged: 0, failed: 0 };
    const failed = [...found.failed];
    const ahead: Promise<PreparedFile>[] = [];
    let started = 0;
    const readAhead = (until: number): void => {
      for (const file of found.files.slice(started, until)) {
        const id = documentIdOf(file.path);
        const knownHash = known.get(id)?.find((record) => record.id === id)?.contentHash;
        const prepared = prepare({ root, file, label, knownHash });
        prepared.catch(() => undefined);
        ahead.push(prepared);
        started++;
      }
    };
    for (const [index, file] of found.files.entries()) {
      signal?.throwIfAborted();
      readAhead(index + READ_AHEAD);
      const prepared = await (ahead.shift() as Promise<PreparedFile>);
      const oldIds = (known.get(documentIdOf(file.path)) ?? []).map((record) => record.id);
      const outcome = await storePrepared(prepared, oldIds);
      counts[outcome]++;
      if (prepared.kind === 'failed') failed.push({ source: file.source, reason: prepared.reason });
      onProgress?.({ done: index + 1, total: found.files.length, source: file.source, outcome });
      await nextTurn();
    }
    const removed = await removeVanished(
      root,
      new Set(found.files.map((file) => documentIdOf(file.path))),
      found.failed,
      documents,
    );
    return { ...counts, removed, ignored: found.ignored, failed };
  };

  const removeVanished = async (
    root: string,
    present: ReadonlySet<string>,
    unlisted: readonly { readonly source: string }[],
    documents: readonly DocumentRecord[],
  ): Promise<number> => {
    const vanished = documents.filter(
      (document) =>
        document.root === root &&
        !present.has(wholeIdOf(document.id)) &&
        !unlisted.some((folder) => document.source.startsWith(`${folder.source}/`)),
    );
    await removeRecords(vanished.map((document) => document.id));
    return new Set(vanished.map((document) => wholeIdOf(document.id))).size;
  };

  const syncAll = async (paths: readonly string[], options: SyncOptions): Promise<SyncOutcome> => {
    const roots = await Promise.all([...new Set(paths)].map(resolveRoot));
    let total = noChange;
    for (const root of new Set(roots)) {
      options.signal?.throwIfAborted();
      total = addOutcomes(total, await syncRoot(root, await store.listDocuments(), options));
    }
    return total;
  };

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };

  const syncPaths: Sync['syncPaths'] = (paths, options) => inTurn(() => syncAll(paths, options));

  return {
    syncPaths,
    removeRoots: (roots) =>
      inTurn(async () => {
        const gone = (await store.listDocuments()).filter(({ root }) => roots.includes(root));
        await removeRecords(gone.map(({ id }) => id));
        return new Set(gone.map(({ id }) => wholeIdOf(id))).size;
      }),
    watchPaths: async (paths, options) => {
      const roots = await Promise.all(paths.map(resolveRoot));
      await watchRoots(roots, { clock, logger, signal: options.signal }, async () => {
        const outcome = await syncPaths(paths, options);
        if (outcome.added + outcome.changed + outcome.removed + outcome.failed.length > 0) options.onSync?.(outcome);
      });
    },
  };
};
