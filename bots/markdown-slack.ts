/** Slack's mrkdwn: https://docs.slack.dev/messaging/formatting-message-text */

import type { Block, Inline, SafeTree } from './markdown.ts';
import { joinBlocks, layList, prefixLines } from './markdown-layout.ts';
import { tableLines } from './markdown-table.ts';

/** Text in which nothing can become a mention or a link. */
export const escapeSlack = (text: string): string => text.replace(/&/gu, '&amp;').replace(/</gu, '&lt;').replace(/>/gu, '&gt;');

/** Slack's only fence is three backticks and nothing escapes them. */
const fence = (text: string): string =>
  `\`\`\`\n${escapeSlack(text.replace(/`{3,}/gu, (run) => "'".repeat(run.length)))}\n\`\`\``;

const MARKS = { strong: '*', emphasis: '_', strike: '~' } as const;
const WORD = /[\p{L}\p{N}]/u;

/** Slack formats only what stands apart from letters; elsewhere its marks would show as they are. */
const isApart = (before: string, after: string): boolean => !WORD.test(before.at(-1) ?? ' ') && !WORD.test(after.at(0) ?? ' ');

const inlines = (nodes: readonly Inline[], inside: string): string => {
  const rendered = nodes.map((node) => inline(node, inside));
  return nodes
    .map((node, index) => {
      const text = rendered[index] ?? '';
      if (node.type !== 'strong' && node.type !== 'emphasis' && node.type !== 'strike') return text;
      const mark = MARKS[node.type];
      const before = rendered.slice(0, index).join('');
      const after = rendered.slice(index + 1).join('');
      if (inside.includes(mark) || text.includes(mark) || text.includes('\n') || text !== text.trim() || text === '') return text;
      return isApart(before, after) ? mark + text + mark : text;
    })
    .join('');
};

const inline = (node: Inline, inside: string): string => {
  switch (node.type) {
    case 'text':
      return escapeSlack(node.text);
    case 'code':
      return node.text.includes('`') || node.text.trim() === ''
        ? escapeSlack(node.text)
        : `\`${escapeSlack(node.text.replace(/\n/gu, ' '))}\``;
    case 'break':
      return '\n';
    case 'marker':
      return `[${node.n}]`;
    case 'link': {
      const label = inlines(node.children, '*_~')
        .replace(/[\n|]+/gu, ' ')
        .trim();
      return label === '' || label === escapeSlack(node.url)
        ? `<${escapeSlack(node.url)}>`
        : `<${escapeSlack(node.url)}|${label}>`;
    }
    default:
      return inlines(node.children, inside + MARKS[node.type]);
  }
};

const block = (node: Block): string => {
  switch (node.type) {
    case 'paragraph':
      return inlines(node.children, '');
    case 'heading': {
      const text = inlines(node.children, '*').replace(/\n/gu, ' ').trim();
      return text.includes('*') ? text : `*${text}*`;
    }
    case 'code':
      return fence(node.text);
    case 'quote':
      return prefixLines(joinBlocks(node.children, block), '> ');
    case 'list':
      return layList(node, '•', block, () => '    ');
    case 'table':
      return fence(tableLines(node).join('\n'));
    default:
      return '———';
  }
};

/** One line end between blocks is a line end; `&`, `<`, `>` are escaped, so nothing in the text can become a mention or a link. */
export const toSlackMrkdwn = (tree: SafeTree): string => joinBlocks(tree.blocks, block).trim();
