/** What the renderers to text share: blocks set under each other, items under their bullets. */

import type { Block, List, SafeTree } from './markdown.ts';

/** Every line of the text behind a prefix; the first may have its own. */
export const prefixLines = (text: string, rest: string, first = rest): string =>
  text
    .split('\n')
    .map((line, index) => ((index === 0 ? first : rest) + line).trimEnd())
    .join('\n');

/** What stands before an item. */
export const bulletOf = (list: List, index: number, bullet: string): string => {
  const checked = list.items[index]?.checked ?? null;
  if (checked !== null) return checked ? '☑ ' : '☐ ';
  if (list.kind === 'plain') return '';
  return list.kind === 'ordered' ? `${list.start + index}. ` : `${bullet} `;
};

/** Blocks with an empty line between them; a nested list stands right under its text. */
export const joinBlocks = (blocks: readonly Block[], render: (block: Block) => string, tight = false): string => {
  let text = '';
  blocks.forEach((block, index) => {
    const rendered = render(block);
    if (index > 0) text += tight && block.type === 'list' ? '\n' : '\n\n';
    text += rendered;
  });
  return text;
};

/** Items under each other, each behind its bullet, what follows an item's first line indented by `indentOf`. */
export const layList = (
  list: List,
  bullet: string,
  render: (block: Block) => string,
  indentOf: (mark: string) => string = (mark) => ' '.repeat(mark.length),
): string => {
  const loose = list.items.some((item) => item.children.filter((child) => child.type !== 'list').length > 1);
  return list.items
    .map((item, index) => {
      const mark = bulletOf(list, index, bullet);
      return prefixLines(joinBlocks(item.children, render, true), indentOf(mark), mark);
    })
    .join(loose ? '\n\n' : '\n');
};

export type Renderer = (tree: SafeTree) => string;
