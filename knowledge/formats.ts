import { AppError } from '../agent/errors.ts';

export type Format = 'markdown' | 'html' | 'text' | 'pdf' | 'docx' | 'csv';

const FORMATS: Readonly<Record<string, Format>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
  '.txt': 'text',
  '.text': 'text',
  '.pdf': 'pdf',
  '.docx': 'docx',
  '.csv': 'csv',
  '.tsv': 'csv',
};

export const FORMAT_NAMES = 'Markdown, HTML, text, PDF, DOCX and CSV';

/** By the ending of the name; undefined for what is not read. */
export const formatOf = (fileName: string): Format | undefined => {
  const dot = fileName.lastIndexOf('.');
  return dot < 0 ? undefined : FORMATS[fileName.slice(dot).toLowerCase()];
};

const startsWith = (bytes: Uint8Array, ...prefix: readonly number[]): boolean => prefix.every((byte, at) => bytes[at] === byte);

const decode = (bytes: Uint8Array, encoding: string): string => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError(
      'document_unreadable',
      'expected text in UTF-8, or UTF-16 with a byte order mark; the bytes are neither. Save the file as UTF-8.',
      { cause },
    );
  }
};

/** UTF-8 with or without a byte order mark, or UTF-16 with one. Throws `AppError('document_unreadable')` for anything else. */
export const decodeText = (bytes: Uint8Array): string => {
  const encoding = startsWith(bytes, 0xff, 0xfe) ? 'utf-16le' : startsWith(bytes, 0xfe, 0xff) ? 'utf-16be' : 'utf-8';
  const text = decode(bytes, encoding);
  if (text.includes('\0')) {
    throw new AppError('document_unreadable', 'expected text; the file is binary. Rename it to what it is, or remove it.');
  }
  return text.replace(/\r\n?/g, '\n');
};
