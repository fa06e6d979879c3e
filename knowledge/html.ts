import type { CheerioAPI } from 'cheerio';
import { load } from 'cheerio/slim';
import { AppError } from '../agent/errors.ts';
import { appendLinks, type Block, createBlock, createHeading, type DocumentBlocks } from './blocks.ts';
import { isoDate } from './dates.ts';

type HtmlNode = ReturnType<ReturnType<CheerioAPI['root']>['contents']>[number];
type HtmlElement = Extract<HtmlNode, { tagName: string }>;

const UNSEEN = new Set(
  'head title script style noscript template nav footer aside svg math canvas iframe object form button select input textarea dialog'.split(
    ' ',
  ),
);
const BLOCK = new Set(
  (
    'html body main article section div header p blockquote ul ol li dl dt dd table thead tbody tfoot tr td th caption figure figcaption ' +
    'pre hr h1 h2 h3 h4 h5 h6 address details summary center hgroup'
  ).split(' '),
);
const HEADING = /^h[1-6]$/;

const isElement = (node: HtmlNode): node is HtmlElement => 'tagName' in node;
const isUnseen = (node: HtmlElement): boolean =>
  UNSEEN.has(node.tagName) ||
  'hidden' in node.attribs ||
  node.attribs['aria-hidden'] === 'true' ||
  /display:\s*none/i.test(node.attribs['style'] ?? '');
const hasBlocks = (node: HtmlElement): boolean =>
  node.children.some((child) => isElement(child) && (BLOCK.has(child.tagName) || hasBlocks(child)));

interface Inline {
  text: string;
  readonly links: string[];
}

const collectInline = (node: HtmlNode, into: Inline): void => {
  if (node.type === 'text') into.text += node.data.replace(/[ \t\r\n\f]+/g, ' ');
  else if (isElement(node) && !isUnseen(node)) {
    if (node.tagName === 'br') into.text += '\n';
    else if (node.tagName === 'img') into.text += node.attribs['alt'] ?? '';
    else for (const child of node.children) collectInline(child, into);
    if (node.tagName === 'a' && node.attribs['href'] !== undefined) into.links.push(node.attribs['href']);
  }
};

const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, ' ').trim())
    .join('\n')
    .trim();

const inlineText = (nodes: readonly HtmlNode[]): string => {
  const inline: Inline = { text: '', links: [] };
  for (const node of nodes) collectInline(node, inline);
  return appendLinks(tidy(inline.text), inline.links);
};

const rawText = (node: HtmlNode): string =>
  node.type === 'text' ? node.data : isElement(node) ? node.children.map((child) => rawText(child)).join('') : '';

/** The paragraphs of a list item are one block; what else stands in it follows. */
const itemBlocks = (node: HtmlElement): readonly Block[] => {
  const inner = walk(node.children);
  const own = inner.filter((block) => block.kind === 'paragraph').map((block) => block.text);
  const rest = inner.filter((block) => block.kind !== 'paragraph');
  return own.length === 0 ? rest : [createBlock('item', own.join('\n')), ...rest];
};

const tableRows = (node: HtmlElement): readonly HtmlElement[] =>
  node.children
    .filter(isElement)
    .flatMap((child) =>
      child.tagName === 'tr' ? [child] : ['thead', 'tbody', 'tfoot'].includes(child.tagName) ? tableRows(child) : [],
    );

const cellsOf = (row: HtmlElement): readonly HtmlElement[] =>
  row.children.filter(isElement).filter((cell) => cell.tagName === 'td' || cell.tagName === 'th');

const tableBlocks = (node: HtmlElement): readonly Block[] => {
  const rows = tableRows(node);
  const cells = rows.flatMap(cellsOf);
  const isLayout = cells.some((cell) =>
    cell.children.some((child) => isElement(child) && (child.tagName === 'table' || HEADING.test(child.tagName))),
  );
  if (isLayout) return cells.flatMap((cell) => walk(cell.children));
  const caption = node.children.filter(isElement).filter((child) => child.tagName === 'caption');
  const texts = rows.map((row) => cellsOf(row).map((cell) => inlineText(cell.children).replaceAll('\n', ' ')));
  return [
    ...caption.flatMap((child) => walk(child.children)),
    ...texts
      .filter((row) => row.some((text) => text !== ''))
      .map((row, index) => createBlock(index === 0 && texts.length > 1 ? 'header_row' : 'row', row.join(' | '))),
  ];
};

const elementBlocks = (node: HtmlElement): readonly Block[] => {
  if (HEADING.test(node.tagName)) {
    const text = inlineText(node.children).split('\n')[0] ?? '';
    return text === '' ? [] : [createHeading(text, Number(node.tagName[1]))];
  }
  if (node.tagName === 'li') return itemBlocks(node);
  if (node.tagName === 'table') return tableBlocks(node);
  if (node.tagName === 'pre') {
    const code = rawText(node).replace(/^\n|\s+$/g, '');
    return code === '' ? [] : [createBlock('code', code)];
  }
  return walk(node.children);
};

const walk = (nodes: readonly HtmlNode[]): readonly Block[] => {
  const blocks: Block[] = [];
  let run: HtmlNode[] = [];
  const flush = (): void => {
    const text = inlineText(run);
    if (text !== '') blocks.push(createBlock('paragraph', text));
    run = [];
  };
  for (const node of nodes) {
    if (!isElement(node)) {
      if (node.type === 'text') run.push(node);
      else if ('children' in node) blocks.push(...walk(node.children));
      continue;
    }
    if (isUnseen(node)) continue;
    if (!BLOCK.has(node.tagName) && !hasBlocks(node)) {
      run.push(node);
      continue;
    }
    flush();
    for (const block of elementBlocks(node)) blocks.push(block);
  }
  flush();
  return blocks;
};

/** Selecting and walking cost depth upon depth; no page that people wrote comes near this. */
const MAX_DEPTH = 500;

const refuseDepth = (root: HtmlNode): void => {
  let level: readonly HtmlNode[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      throw new AppError('document_unreadable', 'expected a page of ordinary depth; its elements are nested too deeply.');
    }
    level = level.flatMap((node) => ('children' in node ? node.children : []));
  }
};

/** The page's main part where it marks one; navigation, footers, scripts and hidden parts are left out. */
export const parseHtml = (html: string): DocumentBlocks => {
  const $ = load(html);
  for (const root of $.root().toArray()) refuseDepth(root);
  const main = $('main, [role=main]').first();
  const article = $('article');
  const content = main.length > 0 ? main.contents() : article.length === 1 ? article.contents() : $.root().contents();
  const meta = $('meta[property="article:modified_time"], meta[name="last-modified"], meta[name="date"]').first().attr('content');
  return {
    title: null,
    fallbackTitle: tidy($('title').first().text()) || null,
    date: isoDate(meta),
    blocks: walk(content.toArray()),
  };
};
