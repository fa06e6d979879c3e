/** The files under a root that can be read: no hidden ones, no dependencies, and nothing outside the root by way of a link. */

import { constants } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { AppError } from '../agent/errors.ts';
import { formatOf } from './formats.ts';
import { tooLarge } from './parser.ts';

export interface FoundFile {
  /** The real path, links resolved. */
  readonly path: string;
  /** Relative to the root with `/` between its parts, as citations show it. */
  readonly source: string;
}

export interface FoundFiles {
  /** By source. */
  readonly files: readonly FoundFile[];
  /** Files of a kind that is not read. */
  readonly ignored: number;
  readonly failed: readonly { readonly source: string; readonly reason: string }[];
}

const SKIPPED_FOLDERS = new Set(['node_modules', '__pycache__']);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown');

/** What the system's refusal means, in one line. */
export const describeFault = (error: unknown): string => {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not read it. Give it read permission.';
  if (code === 'ENOENT') return 'it vanished while it was read.';
  if (code === 'ELOOP') return 'it is a link that leads in a circle or was put there meanwhile.';
  return `the system cannot read it (${code}).`;
};

/** The root's real path. Throws `AppError('source_missing')`, or `AppError('source_unreadable')` when the system refuses. */
export const resolveRoot = async (path: string): Promise<string> => {
  try {
    return await realpath(path);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ENOTDIR') {
      throw new AppError('source_missing', `Expected a file or folder at ${path}; there is none. Check the path.`, { cause });
    }
    throw new AppError('source_unreadable', `${path}: ${describeFault(cause)}`, { cause });
  }
};

const isInside = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

interface Walk {
  readonly root: string;
  /** Real paths of folders that are roots of their own. */
  readonly excluded: ReadonlySet<string>;
  readonly seen: Set<string>;
  readonly files: FoundFile[];
  readonly failed: { source: string; reason: string }[];
  ignored: number;
}

const visit = async (path: string, source: string, walk: Walk): Promise<void> => {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !isInside(real, walk.root) || walk.seen.has(real) || walk.excluded.has(real)) return;
  walk.seen.add(real);
  const info = await stat(real).catch(() => undefined);
  if (info?.isFile()) {
    if (formatOf(source) === undefined) walk.ignored++;
    else walk.files.push({ path: real, source });
  } else if (info?.isDirectory()) await visitFolder(real, source, walk);
};

const visitFolder = async (path: string, source: string, walk: Walk): Promise<void> => {
  let entries: string[];
  try {
    entries = await readdir(path);
  } catch (error) {
    walk.failed.push({ source: source === '' ? basename(path) : source, reason: describeFault(error) });
    return;
  }
  for (const name of entries.sort()) {
    if (name.startsWith('.') || SKIPPED_FOLDERS.has(name)) continue;
    await visit(join(path, name), source === '' ? name : `${source}/${name}`, walk);
  }
};

/** Throws `AppError('source_unreadable')` when the root itself cannot be listed; what fails below it is reported. */
export const findFiles = async (root: string, excluded: ReadonlySet<string>): Promise<FoundFiles> => {
  const walk: Walk = { root, excluded, seen: new Set(), files: [], failed: [], ignored: 0 };
  if ((await stat(root)).isFile()) return { files: [{ path: root, source: basename(root) }], ignored: 0, failed: [] };
  try {
    await readdir(root);
  } catch (cause) {
    throw new AppError('source_unreadable', `${root}: ${describeFault(cause)}`, { cause });
  }
  await visitFolder(root, '', walk);
  return walk;
};

/** Other roots that lie under this one: what they hold is theirs, with their label. */
export const rootsWithin = (root: string, roots: Iterable<string>): ReadonlySet<string> =>
  new Set([...roots].filter((other) => other !== root && !relative(root, other).startsWith('..') && isInside(other, root)));

const PIECE_BYTES = 1 << 20;

const readPieces = async (handle: FileHandle, size: number, onPiece: (piece: Uint8Array) => void): Promise<Uint8Array> => {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, Math.min(PIECE_BYTES, size - length), length);
    if (bytesRead === 0) break;
    onPiece(bytes.subarray(length, length + bytesRead));
    length += bytesRead;
  }
  return bytes.subarray(0, length);
};

/**
 * A file's bytes and time, in pieces so that a large one holds nobody. Opens neither links nor devices. Throws
 * `AppError('document_unreadable')` for one that is too large, the system's error otherwise.
 */
export const readFound = async (
  path: string,
  maxBytes: number,
  onPiece: (piece: Uint8Array) => void,
): Promise<{ readonly bytes: Uint8Array; readonly modifiedAt: Date }> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw new AppError('document_unreadable', 'expected a plain file.');
    if (info.size > maxBytes) throw tooLarge(info.size, maxBytes);
    return { bytes: await readPieces(handle, info.size, onPiece), modifiedAt: info.mtime };
  } finally {
    await handle.close();
  }
};
