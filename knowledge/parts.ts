/**
 * A write of one document is one transaction, which holds the process for as long as it takes. So a long document is kept as
 * several records of the same source: its first one carries the document's own id and is written last.
 */

import type { ChunkRecord, DocumentRecord } from '../agent/ports/knowledge.ts';

export interface DocumentPart {
  readonly document: DocumentRecord;
  readonly chunks: readonly ChunkRecord[];
}

/** Some 60 µs a chunk make about 12 ms. */
const PART_CHUNKS = 200;

/** The id of the whole document that a record belongs to. */
export const wholeIdOf = (recordId: string): string => recordId.split('.')[0] ?? recordId;

/** At least one part; the first has the id of the document, the others that id with their number. */
export const partsOf = (document: DocumentRecord, chunks: readonly ChunkRecord[]): readonly [DocumentPart, ...DocumentPart[]] => {
  const rest: DocumentPart[] = [];
  for (let at = PART_CHUNKS; at < chunks.length; at += PART_CHUNKS) {
    const id = `${document.id}.${at / PART_CHUNKS}`;
    const own = chunks.slice(at, at + PART_CHUNKS).map((chunk) => ({ ...chunk, documentId: id }));
    rest.push({ document: { ...document, id }, chunks: own });
  }
  return [{ document, chunks: chunks.slice(0, PART_CHUNKS) }, ...rest];
};
