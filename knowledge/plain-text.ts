import { type Block, createBlock, type DocumentBlocks, joinSoftBreaks } from './blocks.ts';

const LIST_START = /^\s*(?:[-*•–·]|\(?\d{1,3}[.)、])\s*\S/u;
/** A line this near to the longest one was broken for width, not for sense. */
const FULL_SHARE = 0.75;
/** A shorter one was too when it stops in the middle of a sentence. */
const HALF_SHARE = 0.45;
const MIN_WRAP_WIDTH = 40;

/** A line that opens like a heading: short, and no sentence, after one that ended a sentence. */
const isHeadingAfter = (line: string, next: string, width: number): boolean =>
  /[.!?。！？]$/u.test(line) &&
  next.length < width * HALF_SHARE &&
  /^\s*[\p{Lu}\p{Script=Han}\d]/u.test(next) &&
  !/[.,;!?。，；！？]$/u.test(next);

const goesOn = (line: string, next: string, width: number): boolean => {
  if (LIST_START.test(next) || isHeadingAfter(line, next, width)) return false;
  if (line.length >= width * FULL_SHARE) return true;
  return (
    line.length >= width * HALF_SHARE &&
    (/[,，、]$/u.test(line) || (/[^.!?:;。！？：；]$/u.test(line) && /^\s*\p{Ll}/u.test(next)))
  );
};

/** Paragraphs of text that was broken into lines for a page: a full line goes on in the next one. */
export const unwrapLines = (text: string): readonly string[] => {
  const paragraphs: string[] = [];
  const lines = text.split('\n').map((line) => line.trimEnd());
  const width = lines.reduce((longest, line) => Math.max(longest, line.length), MIN_WRAP_WIDTH);
  let current: string[] = [];
  const flush = (): void => {
    if (current.length > 0) paragraphs.push(joinSoftBreaks(current.join('\n')).trim());
    current = [];
  };
  for (const line of lines) {
    if (line.trim() === '') {
      flush();
      continue;
    }
    const previous = current.at(-1);
    if (previous !== undefined && !goesOn(previous, line, width)) flush();
    current.push(line);
  }
  flush();
  return paragraphs;
};

export const blocksOfLines = (text: string, location: string): readonly Block[] =>
  unwrapLines(text).map((paragraph) => createBlock(LIST_START.test(paragraph) ? 'item' : 'paragraph', paragraph, location));

export const parsePlainText = (text: string): DocumentBlocks => ({
  title: null,
  fallbackTitle: null,
  date: null,
  blocks: blocksOfLines(text, ''),
});
