/** The files of an answer: pictures as they are, tables to be saved. */

import { make } from './dom.ts';
import type { FileView, TurnView } from './server.ts';

const addressOf = (turnId: string, { number }: FileView): string => `/api/turns/${encodeURIComponent(turnId)}/files/${number}`;

const makeFile = (turnId: string, file: FileView): HTMLElement => {
  const href = addressOf(turnId, file);
  const caption = make('figcaption', {}, file.description);
  if (file.mediaType === 'image/png') {
    return make('figure', { class: 'file' }, make('img', { src: href, alt: file.description, loading: 'lazy' }), caption);
  }
  return make('figure', { class: 'file' }, make('a', { href, download: file.name }, file.name), caption);
};

export const makeFiles = (turnId: string, files: NonNullable<TurnView['files']>): HTMLElement =>
  make('section', { class: 'files' }, ...files.map((file) => makeFile(turnId, file)));
