/**
 * An answer as it grows, on an output that can only be written to. What was printed once is never printed again: only text that
 * the next version is sure to begin with goes out.
 */

import { safePartial } from './egress.ts';
import { type SafeTree, withBlocks } from './markdown.ts';
import { type TerminalStyle, toTerminalText } from './markdown-terminal.ts';

/** The last block while it may still change its shape: a table's columns widen, a list may turn out to be loose. */
const settled = (tree: SafeTree): SafeTree => {
  const last = tree.blocks.at(-1);
  return last === undefined || last.type === 'paragraph' ? tree : withBlocks(tree, tree.blocks.slice(0, -1));
};

const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/u;

/** The final text numbers its sources in their order; numbered otherwise, the text so far would not be its beginning. */
const numberInOrder = (markdown: string): string => {
  const order = new Map<string, number>();
  const renumber = (_marker: string, n: string): string => {
    if (!order.has(n)) order.set(n, order.size + 1);
    return `[${order.get(n)}]`;
  };
  return markdown
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\[(\d{1,3})\](?![(:])/gu, renumber)))
    .join('');
};

const ESCAPE = /\u001b\[[\d;]*m/gu;

const withoutColour = (text: string): string => text.replace(ESCAPE, '');

/** Where in the coloured text its first `visible` characters end. */
const offsetOf = (text: string, visible: number): number => {
  let seen = 0;
  let at = 0;
  for (const match of text.matchAll(ESCAPE)) {
    if (seen + match.index - at >= visible) break;
    seen += match.index - at;
    at = match.index + match[0].length;
  }
  return at + visible - seen;
};

export interface TerminalStream {
  /** What to write now that the model's text is this long; empty when nothing is certain yet. */
  grow(markdown: string): string;
  /** What to write for the final text: its rest, or all of it where it became another. */
  finish(rendered: string): string;
}

export const createTerminalStream = (style: TerminalStyle): TerminalStream => {
  /** Without colours. */
  let printed = '';
  return {
    grow: (markdown) => {
      const rendered = toTerminalText(settled(safePartial(numberInOrder(markdown))), style);
      const plain = withoutColour(rendered);
      // The last word may still grow, and with it move to the next line.
      const certain = plain.slice(0, Math.max(plain.search(/\s\S*$/u), 0));
      if (certain.length <= printed.length || !certain.startsWith(printed)) return '';
      const fresh = rendered.slice(offsetOf(rendered, printed.length), offsetOf(rendered, certain.length));
      printed = certain;
      return fresh;
    },
    finish: (rendered) => {
      if (printed === '') return rendered;
      return withoutColour(rendered).startsWith(printed) ? rendered.slice(offsetOf(rendered, printed.length)) : `\n\n${rendered}`;
    },
  };
};
