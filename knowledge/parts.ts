/**
 * A write of one document is one transaction, which holds the process for as long as it takes. So a long document is kept as
 * several records of the same source: its first one carries the document's own id and is written last.
 */

import { createHash } from 'node:crypto';
import type { ChunkRecord, DocumentRecord } from '../agent/ports/knowledge.ts';
import type { ParsedChunk } from './parse-messages.ts';

export interface DocumentPart {
  readonly document: DocumentRecord;
  /** Made when the part is written: hashing all of them at once would hold the process as well. */
  chunks(): readonly ChunkRecord[];
}

/** Some 60 µs a chunk make about 12 ms. */
const PART_CHUNKS = 200;

/** The id of the whole document that a record belongs to. */
export const wholeIdOf = (recordId: string): string => recordId.split('.')[0] ?? recordId;

/** The same text in the same place under the same label keeps its id, and so whatever was derived from it. */
const chunkIdOf = (document: DocumentRecord, position: number, chunk: ParsedChunk): string =>
  createHash('sha256')
    .update([document.id, position, document.label, document.title, ...chunk.headingPath, chunk.text].join('\0'))
    .digest('hex')
    .slice(0, 32);

/** At least one part; the first has the id of the document, the others that id with their number. */
export const partsOf = (document: DocumentRecord, chunks: readonly ParsedChunk[]): readonly [DocumentPart, ...DocumentPart[]] => {
  const partAt = (from: number): DocumentPart => {
    const record = from === 0 ? document : { ...document, id: `${document.id}.${from / PART_CHUNKS}` };
    return {
      document: record,
      chunks: () =>
        chunks.slice(from, from + PART_CHUNKS).map((chunk, index) => {
          const position = from + index;
          return { ...chunk, id: chunkIdOf(document, position, chunk), documentId: record.id, position };
        }),
    };
  };
  const rest: DocumentPart[] = [];
  for (let from = PART_CHUNKS; from < chunks.length; from += PART_CHUNKS) rest.push(partAt(from));
  return [partAt(0), ...rest];
};
