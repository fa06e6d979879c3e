import { AppError } from '../agent/errors.ts';
import type { DocumentBlocks } from './blocks.ts';
import { type ChunkedDocument, chunkDocument } from './chunk.ts';
import { decodeText, FORMAT_NAMES, formatOf } from './formats.ts';

/** Each format's libraries are loaded when its first file comes: together they cost more than most folders take to read. */
const readBlocks = async (fileName: string, bytes: Uint8Array): Promise<DocumentBlocks> => {
  switch (formatOf(fileName)) {
    case 'markdown':
      return (await import('./markdown.ts')).parseMarkdown(decodeText(bytes));
    case 'html':
      return (await import('./html.ts')).parseHtml(decodeText(bytes));
    case 'text':
      return (await import('./plain-text.ts')).parsePlainText(decodeText(bytes));
    case 'csv':
      return (await import('./csv.ts')).parseCsv(decodeText(bytes));
    case 'docx':
      return await (await import('./docx.ts')).parseDocx(bytes);
    case 'pdf':
      return await (await import('./pdf.ts')).parsePdf(bytes);
    case undefined:
      throw new AppError('document_unreadable', `expected a file of ${FORMAT_NAMES}; the ending of the name is none of theirs.`);
  }
};

/** A file's passages. Throws `AppError('document_unreadable')` with the reason in one line. Opens nothing besides the bytes. */
export const readDocument = async (fileName: string, bytes: Uint8Array): Promise<ChunkedDocument> =>
  chunkDocument(await readBlocks(fileName, bytes), fileName);
