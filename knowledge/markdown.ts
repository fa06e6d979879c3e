import type { Nodes, Parents, PhrasingContent, RootContent, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { appendLinks, type Block, createBlock, createHeading, type DocumentBlocks, joinSoftBreaks } from './blocks.ts';
import { isoDate } from './dates.ts';
import { parseHtml } from './html.ts';

const FRONT_MATTER = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const frontMatterSchema = z.object({ title: z.coerce.string().optional(), updated: z.unknown(), date: z.unknown() }).partial();

const readFrontMatter = (yaml: string): { title: string | null; date: string | null } => {
  try {
    const fields = frontMatterSchema.parse(parseYaml(yaml));
    return { title: fields.title?.trim() || null, date: isoDate(fields.updated) ?? isoDate(fields.date) };
  } catch {
    // A rule of dashes at the top with prose under it is no front matter that anyone meant.
    return { title: null, date: null };
  }
};

interface Source {
  readonly text: string;
  readonly definitions: ReadonlyMap<string, string>;
}

const sliceOf = (node: Nodes, source: Source): string =>
  source.text.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);

/** Text as a reader sees it: no emphasis marks, the words of a link, the alternative of an image. */
const plainText = (nodes: readonly PhrasingContent[]): string =>
  nodes
    .map((node): string => {
      if (node.type === 'text') return joinSoftBreaks(node.value);
      if (node.type === 'inlineCode') return node.value;
      if (node.type === 'break') return '\n';
      if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
      if (node.type === 'html') return /^<br\b/i.test(node.value) ? '\n' : '';
      return 'children' in node ? plainText(node.children) : '';
    })
    .join('');

const linksIn = (nodes: readonly PhrasingContent[], source: Source): readonly string[] =>
  nodes.flatMap((node): readonly string[] => {
    if (node.type === 'link') return [node.url];
    if (node.type === 'linkReference') return [source.definitions.get(node.identifier) ?? ''];
    return 'children' in node ? linksIn(node.children, source) : [];
  });

const withLinks = (nodes: readonly PhrasingContent[], source: Source): string =>
  appendLinks(plainText(nodes).trim(), linksIn(nodes, source));

const tableBlocks = (table: Table, source: Source): readonly Block[] =>
  table.children.map((row, index) =>
    createBlock(
      index === 0 && table.children.length > 1 ? 'header_row' : 'row',
      row.children.map((cell) => withLinks(cell.children, source).replaceAll('\n', ' ')).join(' | '),
    ),
  );

/** Each item keeps the marker it has in the file; its nested lists and code follow as blocks of their own. */
const itemBlocks = (item: Parents, source: Source, depth: number): readonly Block[] => {
  const inner = item.children.flatMap((child) => nodeBlocks(child, source, depth + 1));
  const own = inner.filter((block) => block.kind === 'paragraph').map((block) => block.text);
  const rest = inner.filter((block) => block.kind !== 'paragraph');
  if (own.length === 0) return rest;
  const marker = /^(?:[-*+]|\d+[.)])/.exec(sliceOf(item, source))?.[0] ?? '-';
  return [createBlock('item', `${'  '.repeat(depth)}${marker} ${own.join('\n')}`), ...rest];
};

const nodeBlocks = (node: RootContent, source: Source, depth: number): readonly Block[] => {
  switch (node.type) {
    case 'heading': {
      const text = plainText(node.children).replaceAll('\n', ' ').trim();
      return text === '' ? [] : [createHeading(text, node.depth)];
    }
    case 'paragraph': {
      const text = withLinks(node.children, source);
      return text === '' ? [] : [createBlock('paragraph', text)];
    }
    case 'list':
      return node.children.flatMap((item) => itemBlocks(item, source, depth));
    case 'table':
      return tableBlocks(node, source);
    case 'code':
      return [createBlock('code', sliceOf(node, source))];
    case 'html':
      return parseHtml(node.value).blocks;
    case 'blockquote':
    case 'footnoteDefinition':
      return node.children.flatMap((child) => nodeBlocks(child, source, depth));
    default:
      return [];
  }
};

/** CommonMark with tables, task lists and footnotes. Front matter gives `title` and `updated` or `date`, and is no text. */
export const parseMarkdown = (file: string): DocumentBlocks => {
  const frontMatter = FRONT_MATTER.exec(file);
  const text = frontMatter === null ? file : file.slice(frontMatter[0].length);
  const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const definitions = new Map(
    root.children.flatMap((node) => (node.type === 'definition' ? [[node.identifier, node.url] as const] : [])),
  );
  const source: Source = { text, definitions };
  return {
    ...readFrontMatter(frontMatter?.[1] ?? ''),
    fallbackTitle: null,
    blocks: root.children.flatMap((node) => nodeBlocks(node, source, 0)),
  };
};
