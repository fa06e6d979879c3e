/** What is to be stored for one file: nothing when it is the same, its document when it is not, or why it cannot be read. */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { AppError } from '../agent/errors.ts';
import type { DocumentRecord } from '../agent/ports/knowledge.ts';
import { CHUNKING_VERSION } from './chunk.ts';
import type { ParsedChunk } from './parse-messages.ts';
import { PARSE_LIMITS, type ParsedFile, type ParseFile } from './parser.ts';
import { describeFault, type FoundFile, readFound } from './walk.ts';

export type PreparedFile =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'parsed'; readonly document: DocumentRecord; readonly chunks: readonly ParsedChunk[] }
  /** `isGone`: what the file held before is not what it holds now. A file that the system refuses may be the same still. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isGone: boolean };

/** One path is one document, whichever root it was reached from. */
export const documentIdOf = (path: string): string => createHash('sha256').update(`document\0${path}`).digest('hex').slice(0, 32);

export interface PrepareInput {
  readonly root: string;
  readonly file: FoundFile;
  readonly label: string;
  /** Of the stored document, when there is one. */
  readonly knownHash: string | undefined;
}

/** Remembers what could not be read, so that a watched folder does not try it again at every change beside it. */
export const createPrepare = (parse: ParseFile): ((input: PrepareInput) => Promise<PreparedFile>) => {
  const refusals = new Map<string, string>();

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

  return async ({ root, file, label, knownHash }) => {
    const hash = createHash('sha256').update(`${CHUNKING_VERSION}\0${label}\0${root}\0${file.source}\0`);
    try {
      const { bytes, modifiedAt } = await readFound(file.path, PARSE_LIMITS.maxBytes, (piece) => hash.update(piece));
      const contentHash = hash.digest('hex');
      if (contentHash === knownHash) return { kind: 'unchanged' };
      const { title, date, chunks } = await parseOnce(basename(file.source), bytes, contentHash);
      const document: DocumentRecord = {
        id: documentIdOf(file.path),
        root,
        source: file.source,
        title,
        label,
        date: date ?? modifiedAt.toISOString().slice(0, 10),
        contentHash,
      };
      return { kind: 'parsed', document, chunks };
    } catch (error) {
      if (!(error instanceof AppError)) return { kind: 'failed', reason: describeFault(error), isGone: false };
      if (error.code !== 'document_unreadable') throw error;
      return { kind: 'failed', reason: error.message, isGone: true };
    }
  };
};
