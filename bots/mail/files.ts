/** What hangs on a mail: kept in a folder of this machine within limits, and named in the ticket either way. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MailFile } from './read-mail.ts';

/** Of one mail. */
const MAX_KEPT = 10;
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_ALL_BYTES = 20 * 1024 * 1024;
const MAX_NAMED = 10;

const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1_000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** No path, no hidden file, nothing that a shell or a desktop reads as more than a name. */
const safeName = (name: string, n: number): string =>
  `${n + 1}-${name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .replaceAll(/\.{2,}/gu, '.')
    .slice(-80)}`;

/** Keeps them for their owner alone, the same mail in the same place, and tells which there are in one line each. */
export const keepFiles = (folder: string | undefined, messageId: string, files: readonly MailFile[]): readonly string[] => {
  const own = folder === undefined ? undefined : join(folder, createHash('sha256').update(messageId).digest('hex').slice(0, 20));
  let [kept, bytes] = [0, 0];
  const lines = files.map((file, n): string => {
    const { name, mediaType, sizeBytes } = file;
    const named = `${name} (${mediaType}, ${sizeText(sizeBytes)}`;
    const isWithin = kept < MAX_KEPT && sizeBytes <= MAX_FILE_BYTES && bytes + sizeBytes <= MAX_ALL_BYTES;
    if (own === undefined || file.bytes === undefined || !isWithin) return `${named}, not kept)`;
    kept += 1;
    bytes += sizeBytes;
    const path = join(own, safeName(name, n));
    mkdirSync(own, { recursive: true, mode: 0o700 });
    writeFileSync(path, file.bytes, { mode: 0o600 });
    return `${named}, kept as ${path})`;
  });
  return lines.length <= MAX_NAMED ? lines : [...lines.slice(0, MAX_NAMED), `and ${lines.length - MAX_NAMED} more`];
};
