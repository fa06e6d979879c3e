import mammoth from 'mammoth';
import { AppError } from '../agent/errors.ts';
import type { DocumentBlocks } from './blocks.ts';
import { parseHtml } from './html.ts';

/** An OLE container: what an old `.doc` and a password-protected `.docx` are. */
const OLE = [0xd0, 0xcf, 0x11, 0xe0];

/** By way of mammoth's HTML, which keeps headings, lists and tables. Images are left out and files outside are never opened. */
export const parseDocx = async (bytes: Uint8Array): Promise<DocumentBlocks> => {
  if (OLE.every((byte, at) => bytes[at] === byte)) {
    throw new AppError(
      'document_unreadable',
      'expected a DOCX file; it is protected by a password or an old .doc. Save an unprotected copy as .docx.',
    );
  }
  const options = {
    styleMap: ["p[style-name='Title'] => h1:fresh"],
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    includeEmbeddedStyleMap: false,
    externalFileAccess: false,
  };
  try {
    return parseHtml((await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, options)).value);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('document_unreadable', 'expected a DOCX file; it is damaged or something else under that name.', {
      cause,
    });
  }
};
