import { PDFLoader } from '@langchain/community/document_loaders/fs/pdf';
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import type { DocumentBlocks } from './blocks.ts';
import { blocksOfLines } from './plain-text.ts';

const pageSchema = z.object({
  loc: z.object({ pageNumber: z.number() }),
  pdf: z.object({ info: z.object({ Title: z.string() }).partial().optional() }).optional(),
});

/** Left by word processors in place of a title. */
const NO_TITLE = /^(?:microsoft word\b.*|untitled.*|.*\.(?:docx?|odt|tex|pdf|html?))$/i;

/** The PDF library wants this class when it is loaded; only drawing uses it, and nothing is drawn here. */
class DrawingMatrix {}

const importPdfParse = async () => {
  Object.assign(globalThis, { DOMMatrix: DrawingMatrix, ImageData: DrawingMatrix, Path2D: DrawingMatrix });
  const { PDFParse } = await import('pdf-parse');
  return { isV2: true as const, PDFParse };
};

const refuse = (cause: unknown): AppError => {
  const name = cause instanceof Error ? cause.name : '';
  if (name === 'PasswordException') {
    return new AppError('document_unreadable', 'the PDF is encrypted; save a copy without a password.', { cause });
  }
  return new AppError('document_unreadable', 'expected a PDF; it is damaged or something else under that name.', { cause });
};

/** Text by page. A PDF without any text is refused: it is most likely a scan. */
export const parsePdf = async (bytes: Uint8Array): Promise<DocumentBlocks> => {
  const loader = new PDFLoader(new Blob([Uint8Array.from(bytes)]), { pdfjs: importPdfParse });
  const pages = await loader.load().catch((cause: unknown) => {
    throw refuse(cause);
  });
  const parsed = pages.map((page) => ({ text: page.pageContent, metadata: pageSchema.parse(page.metadata) }));
  const blocks = parsed.flatMap((page) => blocksOfLines(page.text, `page ${page.metadata.loc.pageNumber}`));
  if (blocks.length === 0) {
    throw new AppError('document_unreadable', 'the PDF holds no text; it may be a scan. Run text recognition on it first.');
  }
  const title = parsed[0]?.metadata.pdf?.info?.Title?.trim() ?? '';
  return { title: null, fallbackTitle: title === '' || NO_TITLE.test(title) ? null : title, date: null, blocks };
};
