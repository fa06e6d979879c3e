/** Discord's Markdown: https://support.discord.com/hc/en-us/articles/210298617 */

import type { Block, Inline, SafeTree } from './markdown.ts';
import { joinBlocks, layList, prefixLines } from './markdown-layout.ts';
import { tableLines } from './markdown-table.ts';

/** Text in which no mark means anything within a line. */
export const escapeDiscord = (text: string): string => text.replace(/[\\*_~`|<]|\](?=\()/gu, '\\$&');

/** Marks that mean something at a line's start only. */
const escapeStart = (text: string): string =>
  text.replace(/^(\s*)(#{1,3}(?=\s)|-#(?=\s)|>|[-+](?=\s))/gmu, '$1\\$2').replace(/^(\s*\d+)\.(?=\s)/gmu, '$1\\.');

/** Discord knows three backticks only. */
const fence = (text: string, language: string): string =>
  `\`\`\`${language}\n${text.replace(/`{3,}/gu, (run) => "'".repeat(run.length))}\n\`\`\``;

const MARKS = { strong: '**', emphasis: '*', strike: '~~' } as const;

const wrap = (text: string, mark: string): string => {
  const inner = text.trim();
  if (inner === '') return text;
  const from = text.indexOf(inner);
  return text.slice(0, from) + mark + inner + mark + text.slice(from + inner.length);
};

const inlines = (nodes: readonly Inline[], inside: string, linked = false): string =>
  nodes
    .map((node) => {
      switch (node.type) {
        case 'text':
          return escapeDiscord(node.text);
        case 'code': {
          const ticks = node.text.includes('`') ? '``' : '`';
          const text = node.text.replace(/\n/gu, ' ');
          return text.includes('``') || text.trim() === ''
            ? escapeDiscord(text)
            : ticks === '``'
              ? `${ticks} ${text} ${ticks}`
              : ticks + text + ticks;
        }
        case 'break':
          return '\n';
        case 'marker':
          return `[${node.n}]`;
        case 'link': {
          // Angle brackets keep Discord from making a preview of the page.
          const label = inlines(node.children, inside, true).replace(/\n/gu, ' ').trim();
          const bare = node.children.every((child) => child.type === 'text' && child.text === node.url);
          return linked || label === '' || bare || /https?:/iu.test(label)
            ? `<${node.url}>`
            : `[${label.replace(/[[\]]/gu, '\\$&')}](<${node.url}>)`;
        }
        default: {
          const mark = MARKS[node.type];
          const text = inlines(node.children, inside + node.type, linked);
          return inside.includes(node.type) ? text : wrap(text, mark);
        }
      }
    })
    .join('');

const block = (node: Block): string => {
  switch (node.type) {
    case 'paragraph':
      return escapeStart(inlines(node.children, ''));
    case 'heading': {
      const text = inlines(node.children, '').replace(/\n/gu, ' ').trim();
      return node.depth <= 3
        ? `${'#'.repeat(node.depth)} ${text}`
        : wrap(inlines(node.children, 'strong').replace(/\n/gu, ' '), '**');
    }
    case 'code':
      return fence(node.text, node.language);
    case 'quote':
      return prefixLines(joinBlocks(node.children, block), '> ');
    case 'list':
      return layList(node, '-', block, (mark) => ' '.repeat(mark === '' ? 0 : 2));
    case 'table':
      return fence(tableLines(node).join('\n'), '');
    default:
      return '———';
  }
};

export const toDiscordMarkdown = (tree: SafeTree): string => joinBlocks(tree.blocks, block).trim();
