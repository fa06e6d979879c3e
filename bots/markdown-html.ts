/** HTML of our own making: every element and attribute is written here, every character of the text is escaped. */

import type { Block, Inline, SafeTree } from './markdown.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? character);

const ELEMENTS = { strong: 'strong', emphasis: 'em', strike: 's' } as const;

const inlines = (nodes: readonly Inline[]): string =>
  nodes
    .map((node) => {
      switch (node.type) {
        case 'text':
          return escapeHtml(node.text);
        case 'code':
          return `<code>${escapeHtml(node.text)}</code>`;
        case 'break':
          return '<br>';
        case 'marker':
          return `<button type="button" class="cite" data-n="${node.n}">${node.n}</button>`;
        case 'link':
          return `<a href="${escapeHtml(node.url)}" target="_blank" rel="noopener noreferrer nofollow">${inlines(node.children)}</a>`;
        default: {
          const element = ELEMENTS[node.type];
          return `<${element}>${inlines(node.children)}</${element}>`;
        }
      }
    })
    .join('');

const item = (children: readonly Block[], checked: boolean | null): string => {
  const task = checked === null ? '' : checked ? '☑ ' : '☐ ';
  const [first, ...rest] = children;
  if (first?.type !== 'paragraph') return `<li>${task}${blocks(children)}</li>`;
  const tight = rest.every((child) => child.type === 'list');
  return `<li>${task}${tight ? inlines(first.children) : block(first)}${blocks(rest)}</li>`;
};

const block = (node: Block): string => {
  switch (node.type) {
    case 'paragraph':
      return `<p>${inlines(node.children)}</p>`;
    case 'heading': {
      // The page has its own first two levels.
      const level = Math.min(6, node.depth + 2);
      return `<h${level}>${inlines(node.children)}</h${level}>`;
    }
    case 'code':
      return `<pre tabindex="0"><code${node.language === '' ? '' : ` data-language="${escapeHtml(node.language)}"`}>${escapeHtml(node.text)}</code></pre>`;
    case 'quote':
      return `<blockquote>${blocks(node.children)}</blockquote>`;
    case 'list': {
      const items = node.items.map(({ children, checked }) => item(children, checked)).join('');
      if (node.kind !== 'ordered') return `<ul${node.kind === 'plain' ? ' class="plain"' : ''}>${items}</ul>`;
      return `<ol${node.start === 1 ? '' : ` start="${node.start}"`}>${items}</ol>`;
    }
    case 'table': {
      const cells = (row: readonly (readonly Inline[])[], element: 'th' | 'td') =>
        row.map((cell, column) => `<${element} class="${node.align[column] ?? 'left'}">${inlines(cell)}</${element}>`).join('');
      const rows = node.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
      return `<div class="table" tabindex="0"><table><thead><tr>${cells(node.header, 'th')}</tr></thead><tbody>${rows}</tbody></table></div>`;
    }
    default:
      return '<hr>';
  }
};

const blocks = (nodes: readonly Block[]): string => nodes.map(block).join('');

export const toHtml = (tree: SafeTree): string => blocks(tree.blocks);
