/** What every format is read into: the text a reader would see, in order, in pieces that must not be cut without need. */

export type BlockKind = 'heading' | 'paragraph' | 'item' | 'code' | 'header_row' | 'row';

export interface Block {
  readonly kind: BlockKind;
  readonly text: string;
  /** 1 to 6 for a heading, 0 for the rest. */
  readonly level: number;
  /** `page 3`, `row 12`, or empty. */
  readonly location: string;
}

export interface DocumentBlocks {
  /** Stated by the document itself (front matter). */
  readonly title: string | null;
  /** Used when there is neither a stated title nor a first-level heading: an HTML title, a PDF's title field. */
  readonly fallbackTitle: string | null;
  /** ISO date stated by the document, or null. */
  readonly date: string | null;
  readonly blocks: readonly Block[];
}

export const createBlock = (kind: BlockKind, text: string, location = ''): Block => ({ kind, text, level: 0, location });

export const createHeading = (text: string, level: number, location = ''): Block => ({ kind: 'heading', text, level, location });

const BETWEEN_HAN =
  /(?<=[\p{Script=Han}\u3000-\u303F\uFF00-\uFFEF])[ \t]*\n[ \t]*(?=[\p{Script=Han}\u3000-\u303F\uFF00-\uFFEF])/gu;

/** A line end inside a paragraph is a space to its reader, and nothing at all between Chinese characters. */
export const joinSoftBreaks = (text: string): string => text.replace(BETWEEN_HAN, '').replace(/[ \t]*\n[ \t]*/g, ' ');

const WEB_LINK = /^(?:https?:\/\/|mailto:)/i;

/** Addresses behind linked words stand under the paragraph: the sentence stays as written, the address stays in the text. */
export const appendLinks = (text: string, links: readonly string[]): string => {
  const extra = [...new Set(links)].filter((link) => WEB_LINK.test(link) && !text.includes(link));
  return text === '' ? '' : [text, ...extra].join('\n');
};
