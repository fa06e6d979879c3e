/**
 * The process that reads files nobody vouches for. It is started with no environment, with leave to read the program's own
 * code alone, and without a network; its parent watches its time and memory and kills it.
 */

import './no-network.ts';
import { AppError } from '../agent/errors.ts';
import { indexColumns } from '../agent/words.ts';
import type { ChunkedDocument } from './chunk.ts';
import type { ParseReply, ParseRequest } from './parse-messages.ts';

const CHUNKS_PER_MESSAGE = 100;

const send = (reply: ParseReply): Promise<void> =>
  new Promise((resolve, reject) => {
    process.send?.(reply, undefined, undefined, (error) => (error === null ? resolve() : reject(error)));
  });

const reply = async (document: ChunkedDocument, maxTextCharacters: number): Promise<void> => {
  const characters = document.chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
  if (characters === 0) throw new AppError('document_unreadable', 'expected text; the file holds none.');
  if (characters > maxTextCharacters) {
    throw new AppError(
      'document_unreadable',
      `expected at most ${Math.round(maxTextCharacters / 1e6)} MB of text, got ${(characters / 1e6).toFixed(1)} MB. Split the file.`,
    );
  }
  for (let at = 0; at < document.chunks.length; at += CHUNKS_PER_MESSAGE) {
    const chunks = document.chunks.slice(at, at + CHUNKS_PER_MESSAGE).map((chunk) => ({
      ...chunk,
      headingPath: [...chunk.headingPath],
      ...indexColumns(chunk.text),
      bigrams: indexColumns([document.title, ...chunk.headingPath, chunk.text].join('\n')).bigrams,
    }));
    await send({ type: 'chunks', chunks });
  }
  await send({ type: 'done', title: document.title, date: document.date });
};

const reasonOf = (error: unknown): string => {
  if (error instanceof AppError) return error.message;
  if (error instanceof RangeError) return 'expected a file of ordinary structure; its parts are nested too deeply.';
  return 'the file is damaged: it could not be read to its end.';
};

let pieces: Uint8Array[] = [];

process.on('message', (message: ParseRequest) => {
  if (message.type === 'piece') {
    pieces.push(message.bytes);
    return;
  }
  const bytes = Buffer.concat(pieces);
  pieces = [];
  void (async () => {
    try {
      const { readDocument } = await import('./read.ts');
      await reply(await readDocument(message.fileName, bytes), message.maxTextCharacters);
    } catch (error) {
      await send({ type: 'failed', reason: reasonOf(error) });
    }
  })();
});

process.on('disconnect', () => process.exit(0));
