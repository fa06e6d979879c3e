/** Plain text for a terminal, with SGR colours where they are wanted. */

import type { Block, Inline, SafeTree } from './markdown.ts';
import { joinBlocks, layList, prefixLines } from './markdown-layout.ts';
import { displayWidth, tableLines } from './markdown-table.ts';

export interface TerminalStyle {
  readonly colour: boolean;
  /** Columns; text is wrapped to them. 0 does not wrap. */
  readonly width: number;
}

const SGR = {
  strong: [1, 22],
  emphasis: [3, 23],
  strike: [9, 29],
  code: [36, 39],
  link: [4, 24],
  marker: [33, 39],
  dim: [2, 22],
} as const;

export const paint = (text: string, style: keyof typeof SGR, colour: boolean): string =>
  colour && text !== '' ? `\u001b[${SGR[style][0]}m${text}\u001b[${SGR[style][1]}m` : text;

const ESCAPES = /\u001b\[[\d;]*m/gu;

/** Breaks lines at spaces, and anywhere between wide characters, so that none is wider than `width`; longer words stand over. */
const wrapLines = (text: string, width: number): string => {
  if (width <= 0) return text;
  return text
    .split('\n')
    .map((line) => {
      const lines: string[] = [];
      let current = '';
      for (const word of line.match(
        / *(?:[\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]|[^ \u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]+)| +/gu,
      ) ?? ['']) {
        if (current !== '' && displayWidth((current + word).replace(ESCAPES, '')) > width) {
          lines.push(current.trimEnd());
          current = word.trimStart();
        } else current += word;
      }
      return [...lines, current].join('\n');
    })
    .join('\n');
};

const inlines = (nodes: readonly Inline[], colour: boolean): string =>
  nodes
    .map((node) => {
      switch (node.type) {
        case 'text':
          return node.text;
        case 'code':
          return colour ? paint(node.text, 'code', colour) : `\`${node.text}\``;
        case 'break':
          return '\n';
        case 'marker':
          return paint(`[${node.n}]`, 'marker', colour);
        case 'link': {
          const label = inlines(node.children, false).trim();
          return label === '' || label === node.url
            ? paint(node.url, 'link', colour)
            : `${label} (${paint(node.url, 'link', colour)})`;
        }
        default:
          return paint(inlines(node.children, colour), node.type, colour);
      }
    })
    .join('');

const block = (node: Block, style: TerminalStyle): string => {
  const narrower = (columns: number): TerminalStyle => ({
    ...style,
    width: style.width === 0 ? 0 : Math.max(20, style.width - columns),
  });
  switch (node.type) {
    case 'paragraph':
      return wrapLines(inlines(node.children, style.colour), style.width);
    case 'heading':
      return paint(inlines(node.children, style.colour).replace(/\n/gu, ' '), 'strong', style.colour);
    case 'code':
      return paint(prefixLines(node.text, '    '), 'code', style.colour);
    case 'quote':
      return prefixLines(
        joinBlocks(node.children, (child) => block(child, narrower(2))),
        paint('│ ', 'dim', style.colour),
      );
    case 'list':
      return layList(node, '•', (child) => block(child, narrower(3)));
    case 'table':
      return tableLines(node).join('\n');
    default:
      return '─'.repeat(style.width === 0 ? 24 : Math.min(style.width, 24));
  }
};

/** Holds no control characters but line ends and, with `colour`, SGR sequences of its own. */
export const toTerminalText = (tree: SafeTree, style: TerminalStyle): string =>
  joinBlocks(tree.blocks, (node) => block(node, style)).trimEnd();
