/** Files into the store: only what changed is read again, and what vanished is removed. */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { ChunkRecord, DocumentRecord, KnowledgeStore } from '../agent/ports/knowledge.ts';
import type { Logger } from '../agent/ports/logger.ts';
import { CHUNKING_VERSION } from './chunk.ts';
import { PARSE_LIMITS, type ParsedFile, type ParseFile } from './parser.ts';
import { partsOf, wholeIdOf } from './parts.ts';
import { describeFault, type FoundFile, findFiles, readFound, resolveRoot, rootsWithin } from './walk.ts';
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
  /** Syncs again whenever something under the paths changes. Resolves when the signal aborts; faults are logged. */
  watchPaths(paths: readonly string[], options: WatchOptions): Promise<void>;
}

interface SyncDependencies {
  readonly store: KnowledgeStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly parse: ParseFile;
}

type FileOutcome =
  | { readonly outcome: 'added' | 'changed' | 'unchanged' }
  | { readonly outcome: 'failed'; readonly reason: string };

/** The stored records of each document, by its id. */
type Known = ReadonlyMap<string, readonly DocumentRecord[]>;

const hashText = (...parts: readonly string[]): string => createHash('sha256').update(parts.join('\0')).digest('hex');

/** One path is one document, whichever root it was reached from. */
const documentIdOf = (path: string): string => hashText('document', path).slice(0, 32);

/** The same text in the same place under the same label keeps its id, and so whatever was derived from it. */
const chunkRecords = (document: DocumentRecord, parsed: ParsedFile): readonly ChunkRecord[] =>
  parsed.chunks.map((chunk, position) => ({
    ...chunk,
    id: hashText(document.id, String(position), document.label, document.title, ...chunk.headingPath, chunk.text).slice(0, 32),
    documentId: document.id,
    position,
  }));

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
  /** Content that could not be read, so that a watched folder does not try it again at every change beside it. */
  const refusals = new Map<string, string>();
  let queue: Promise<unknown> = Promise.resolve();

  const parseOnce = async (name: string, bytes: Uint8Array, contentHash: string): Promise<ParsedFile> => {
    const refusal = refusals.get(contentHash);
    if (refusal !== undefined) throw new AppError('document_unreadable', refusal);
    try {
      return await parse({ name, bytes });
    } catch (error) {
      if (error instanceof AppError && error.code === 'document_unreadable') refusals.set(contentHash, error.message);
      throw error;
    }
  };

  const removeRecords = async (ids: readonly string[]): Promise<void> => {
    for (let at = 0; at < ids.length; at += REMOVED_AT_ONCE) {
      await store.removeDocuments(ids.slice(at, at + REMOVED_AT_ONCE));
      await nextTurn();
    }
  };

  /** The part with the content hash comes last: a run that dies before it does all of this again. */
  const putParsed = async (document: DocumentRecord, parsed: ParsedFile, oldIds: readonly string[]): Promise<void> => {
    const [first, ...rest] = partsOf(document, chunkRecords(document, parsed));
    for (const part of rest) {
      await store.putDocument(part.document, part.chunks);
      await nextTurn();
    }
    const ids = new Set([first, ...rest].map((part) => part.document.id));
    await removeRecords(oldIds.filter((id) => !ids.has(id)));
    await store.putDocument(first.document, first.chunks);
  };

  const syncFile = async (root: string, file: FoundFile, label: string, known: Known): Promise<FileOutcome> => {
    const hash = createHash('sha256').update(`${CHUNKING_VERSION}\0${label}\0${root}\0${file.source}\0`);
    const id = documentIdOf(file.path);
    const old = known.get(id) ?? [];
    try {
      const { bytes, modifiedAt } = await readFound(file.path, PARSE_LIMITS.maxBytes, (piece) => hash.update(piece));
      const contentHash = hash.digest('hex');
      if (old.some((record) => record.id === id && record.contentHash === contentHash)) return { outcome: 'unchanged' };
      const parsed = await parseOnce(basename(file.source), bytes, contentHash);
      const date = parsed.date ?? modifiedAt.toISOString().slice(0, 10);
      const document: DocumentRecord = { id, root, source: file.source, title: parsed.title, label, date, contentHash };
      const oldIds = old.map((record) => record.id);
      await putParsed(document, parsed, oldIds);
      return { outcome: old.length === 0 ? 'added' : 'changed' };
    } catch (error) {
      if (error instanceof AppError && error.code !== 'document_unreadable') throw error;
      // What a file held before it became unreadable is not what it holds now; a file the system refuses may be the same still.
      if (error instanceof AppError) await removeRecords(old.map((record) => record.id));
      return { outcome: 'failed', reason: error instanceof AppError ? error.message : describeFault(error) };
    }
  };

  const syncRoot = async (root: string, documents: readonly DocumentRecord[], options: SyncOptions): Promise<SyncOutcome> => {
    const found = await findFiles(root, rootsWithin(root, new Set(documents.map((document) => document.root))));
    const known: Known = Map.groupBy(documents, (document) => wholeIdOf(document.id));
    const counts = { added: 0, changed: 0, unchanged: 0, failed: 0 };
    const failed = [...found.failed];
    for (const [index, file] of found.files.entries()) {
      options.signal?.throwIfAborted();
      const result = await syncFile(root, file, options.label, known);
      counts[result.outcome]++;
      if (result.outcome === 'failed') failed.push({ source: file.source, reason: result.reason });
      options.onProgress?.({ done: index + 1, total: found.files.length, source: file.source, outcome: result.outcome });
      await nextTurn();
    }
    const removed = await removeVanished(root, found.files, found.failed, documents);
    return { ...counts, removed, ignored: found.ignored, failed };
  };

  const removeVanished = async (
    root: string,
    files: readonly FoundFile[],
    unlisted: readonly { readonly source: string }[],
    documents: readonly DocumentRecord[],
  ): Promise<number> => {
    const present = new Set(files.map((file) => documentIdOf(file.path)));
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

  const syncPaths: Sync['syncPaths'] = (paths, options) => {
    const result = queue.then(() => syncAll(paths, options));
    queue = result.catch(() => undefined);
    return result;
  };

  return {
    syncPaths,
    watchPaths: async (paths, options) => {
      const roots = await Promise.all(paths.map(resolveRoot));
      await watchRoots(roots, { clock, logger, signal: options.signal }, async () => {
        const outcome = await syncPaths(paths, options);
        if (outcome.added + outcome.changed + outcome.removed + outcome.failed.length > 0) options.onSync?.(outcome);
      });
    },
  };
};
