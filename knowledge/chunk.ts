/** Blocks into passages: along headings, in whole paragraphs, items and rows, each with what it takes to cite it. */

import type { Block, DocumentBlocks } from './blocks.ts';

export interface Chunk {
  readonly headingPath: readonly string[];
  readonly location: string;
  readonly text: string;
}

export interface ChunkedDocument {
  readonly title: string;
  /** ISO date stated by the document, or null. */
  readonly date: string | null;
  readonly chunks: readonly Chunk[];
}

/** Part of what decides a document's chunks: grows when these rules change, so that unchanged files are read anew. */
export const CHUNKING_VERSION = 1;

const TARGET_CHARACTERS = 900;
const MAX_CHARACTERS = 1400;
/** Code stays whole up to here. */
const MAX_CODE_CHARACTERS = 4000;
/** A passage shorter than this joins the one before it under the same heading. */
const MIN_CHARACTERS = 120;
/** The last block of a passage is repeated at the start of the next one when it is this short. */
const MAX_OVERLAP_CHARACTERS = 160;

const SENTENCE_END = /(?<=[.!?…]["'”’)\]]*)\s+|(?<=[。！？；][”’」』）]*)|\n+/u;

/** Splits at line ends or sentence ends, and inside a sentence only when nothing else helps. */
const splitLong = (text: string, separator: RegExp, maxCharacters: number): readonly string[] => {
  const pieces: string[] = [];
  let start = 0;
  let end = 0;
  for (const sentence of text.split(separator)) {
    const at = text.indexOf(sentence, end);
    if (at + sentence.length - start > maxCharacters && end > start) {
      pieces.push(text.slice(start, end));
      start = at;
    }
    end = at + sentence.length;
    while (end - start > maxCharacters) {
      const space = text.lastIndexOf(' ', start + maxCharacters);
      const cut =
        space > start ? space : start + maxCharacters - (/[\uD800-\uDBFF]/.test(text[start + maxCharacters - 1] ?? '') ? 1 : 0);
      pieces.push(text.slice(start, cut));
      start = text[cut] === ' ' ? cut + 1 : cut;
    }
  }
  if (end > start) pieces.push(text.slice(start, end));
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
};

const piecesOf = (block: Block): readonly Block[] => {
  const [separator, max] =
    block.kind === 'code' ? ([/\n/, MAX_CODE_CHARACTERS] as const) : ([SENTENCE_END, MAX_CHARACTERS] as const);
  if (block.text.length <= max) return [block];
  return splitLong(block.text, separator, max).map((text) => ({ ...block, text }));
};

const joinBlocks = (blocks: readonly Block[]): string =>
  blocks.reduce((text, block, index) => {
    const previous = blocks[index - 1];
    if (previous === undefined) return block.text;
    const isTight =
      previous.kind !== 'paragraph' && previous.kind !== 'code' && block.kind !== 'paragraph' && block.kind !== 'code';
    return `${text}${isTight ? '\n' : '\n\n'}${block.text}`;
  }, '');

const lengthOf = (blocks: readonly Block[]): number => blocks.reduce((sum, block) => sum + block.text.length + 2, 0);

const overlapOf = (blocks: readonly Block[], next: Block, headerRow: Block | undefined): readonly Block[] => {
  if (next.kind === 'row' && headerRow !== undefined) return [headerRow];
  const last = blocks.at(-1);
  if (last === undefined || last.kind === 'code' || last.kind === 'row' || last.kind === 'header_row') return [];
  return blocks.length > 1 && last.text.length <= MAX_OVERLAP_CHARACTERS ? [last] : [];
};

/** The passages of one section: blocks under the same heading and at the same location. */
const packSection = (blocks: readonly Block[]): readonly string[] => {
  const packed: (readonly Block[])[] = [];
  let current: readonly Block[] = [];
  /** How many of the current blocks only repeat what the passage before holds. */
  let repeated = 0;
  let headerRow: Block | undefined;
  for (const block of blocks.flatMap(piecesOf)) {
    if (block.kind === 'header_row') headerRow = block;
    else if (block.kind !== 'row') headerRow = undefined;
    if (current.length > repeated && lengthOf(current) + block.text.length > TARGET_CHARACTERS) {
      packed.push(current);
      current = overlapOf(current, block, headerRow);
      repeated = current.length;
    }
    current = [...current, block];
  }
  const last = packed.at(-1);
  const fresh = current.slice(repeated);
  if (last !== undefined && lengthOf(fresh) < MIN_CHARACTERS && lengthOf(last) + lengthOf(fresh) <= MAX_CHARACTERS) {
    packed[packed.length - 1] = [...last, ...fresh];
  } else if (fresh.length > 0) packed.push(current);
  return packed.map(joinBlocks);
};

const titleOf = (document: DocumentBlocks, fileName: string): string => {
  const firstHeading = document.blocks.find((block) => block.kind === 'heading' && block.level === 1);
  return document.title ?? firstHeading?.text ?? document.fallbackTitle ?? fileName.replace(/\.[^.]+$/, '');
};

/** Pure. A heading that only repeats the title is left out of the heading path. */
export const chunkDocument = (document: DocumentBlocks, fileName: string): ChunkedDocument => {
  const title = titleOf(document, fileName);
  const chunks: Chunk[] = [];
  let path: readonly { readonly level: number; readonly text: string }[] = [];
  let section: Block[] = [];
  const flush = (): void => {
    const headingPath = path.map((heading) => heading.text).filter((text, index) => !(index === 0 && text === title));
    const location = section[0]?.location ?? '';
    for (const text of packSection(section)) chunks.push({ headingPath, location, text });
    section = [];
  };
  for (const block of document.blocks) {
    if (block.kind === 'heading') {
      flush();
      path = [...path.filter((heading) => heading.level < block.level), { level: block.level, text: block.text }];
      continue;
    }
    if (section.length > 0 && section[0]?.location !== block.location) flush();
    section.push(block);
  }
  flush();
  if (chunks.length === 0) {
    const headings = document.blocks.map((block) => block.text).join('\n');
    if (headings !== '') chunks.push({ headingPath: [], location: '', text: headings });
  }
  return { title, date: document.date, chunks };
};
