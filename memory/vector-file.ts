/**
 * A file that is either whole or absent: written beside, synced, renamed, and closed by the SHA-256 of all before it. Nothing of
 * it is used before the sum was found right, because FAISS takes a flipped bit silently and may abort over a cut file.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const MAGIC = Buffer.from('TWVEC001');
const SUM_BYTES = 32;
export const PIECE_BYTES = 4 * 1024 * 1024;
/** Of the space that the file takes: others write as well. */
const FREE_SPACE_FACTOR = 1.1;

/** A name beside `path` that no other process writes to. */
export const temporaryOf = (path: string, use = 'new'): string => `${path}.${process.pid}.${use}.tmp`;

/** Of processes that were killed. Call while none writes there. */
export const removeLeftovers = async (path: string): Promise<void> => {
  const names = await readdir(dirname(path)).catch(() => []);
  const leftovers = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.tmp'));
  for (const name of leftovers) await rm(join(dirname(path), name), { force: true });
};

const assertFreeSpace = async (folder: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes * FREE_SPACE_FACTOR) {
    throw new Error(`ENOSPC: the file takes about ${bytes} bytes, and ${free} are free`);
  }
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** What stood at `path` before stays until all is written, and for good when that fails. `bytes` is an estimate. */
export const writeVectorFile = async (
  path: string,
  bytes: number,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> => {
  const folder = dirname(path);
  await assertFreeSpace(folder, bytes);
  const temporary = temporaryOf(path);
  try {
    const handle = await open(temporary, 'w');
    try {
      const hash = createHash('sha256');
      const write = async (part: Uint8Array): Promise<void> => {
        for (let at = 0; at < part.length; at += PIECE_BYTES) {
          const piece = part.subarray(at, at + PIECE_BYTES);
          hash.update(piece);
          await handle.writeFile(piece);
        }
      };
      await write(MAGIC);
      for await (const part of parts) await write(part);
      await handle.writeFile(hash.digest());
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
};

export interface VectorFileReader {
  /** The next bytes. Throws at the end. */
  take(bytes: number): Promise<Buffer>;
  remaining(): number;
}

const takeFrom = async (handle: FileHandle, position: number, bytes: number): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  for (let done = 0; done < bytes; ) {
    const { bytesRead } = await handle.read(buffer, done, Math.min(PIECE_BYTES, bytes - done), position + done);
    if (bytesRead === 0) throw new Error('it ends too early');
    done += bytesRead;
  }
  return buffer;
};

/** Throws ENOENT when there is none, another error that says what is wrong with it before `use` was called. */
export const readVectorFile = async <T>(path: string, use: (reader: VectorFileReader) => Promise<T>): Promise<T> => {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const end = size - SUM_BYTES;
    if (end < MAGIC.length) throw new Error(`it has ${size} bytes, fewer than an empty one`);
    const hash = createHash('sha256');
    for (let at = 0; at < end; at += PIECE_BYTES) {
      const piece = await takeFrom(handle, at, Math.min(PIECE_BYTES, end - at));
      if (at === 0 && !piece.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('it is of another kind or version');
      hash.update(piece);
    }
    if (!hash.digest().equals(await takeFrom(handle, end, SUM_BYTES))) throw new Error('its checksum is wrong');
    let position = MAGIC.length;
    return await use({
      take: async (bytes) => {
        if (!Number.isSafeInteger(bytes) || bytes < 0 || position + bytes > end) throw new Error('it ends too early');
        const taken = await takeFrom(handle, position, bytes);
        position += bytes;
        return taken;
      },
      remaining: () => end - position,
    });
  } finally {
    await handle.close();
  }
};
