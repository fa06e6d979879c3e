/** HTML that people and mail programs write, as text: with its lines, lists, quotes, code and links; what has no words is left out. */
import type { CheerioAPI } from 'cheerio';
import { load } from 'cheerio/slim';

type HtmlNode = ReturnType<ReturnType<CheerioAPI['root']>['contents']>[number];
type HtmlElement = Extract<HtmlNode, { tagName: string }>;

const UNSEEN = ['head', 'style', 'script', 'title', 'template', 'noscript', 'svg', 'object', 'iframe'];
const PARAGRAPHS = ['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table'];
const LINES = [
  'div',
  'tr',
  'section',
  'article',
  'header',
  'footer',
  'address',
  'blockquote',
  'ul',
  'ol',
  'li',
  'dl',
  'dt',
  'dd',
  'figure',
  'center',
  'hr',
];
/** Deeper ones are no text of people. */
const MAX_DEPTH = 100;
/** What comes after is left out. */
const MAX_HTML_CHARS = 300_000;
/** Quotes and lists in one another that are set in; those deeper stand below. */
const MAX_INDENTS = 5;
/** Where a line ends, whatever else does; and where an empty one follows. They are taken out of what is read. */
const [LINE, PARAGRAPH] = ['\uE001', '\uE002'];
/** A space and a line break that stay as they are. */
const [SPACE, BREAK] = ['\uE003', '\uE004'];

const keep = (code: string): string => code.replaceAll(' ', SPACE).replaceAll('\n', BREAK);
const around = (edge: string, text: string): string => `${edge}${text}${edge}`;

/** Edges that meet are one. A line break before the end of its line has no effect. */
const settle = (text: string): string =>
  text
    .replace(/ {2,}/g, ' ')
    .replace(/ ?([\n\uE001\uE002]) ?/g, '$1')
    .replace(/([^\n\uE001\uE002])\n(?=[\uE001\uE002])/g, '$1')
    .replace(/[\n\uE001\uE002]+/g, (run) => {
      const breaks = run.replace(/[^\n]/g, '').length + (run.includes(LINE) ? 1 : 0);
      return breaks > 1 || run.includes(PARAGRAPH) ? '\n\n' : '\n';
    })
    .replace(/^[\n ]+|[\n ]+$/g, '');

const indent = (text: string, first: string, next: string): string => {
  const lines = settle(text).split('\n');
  if (lines.every((line) => line === '')) return '';
  return lines.map((line, n) => `${keep(n === 0 ? first : next)}${line}`).join('\n');
};

const isElement = (node: HtmlNode): node is HtmlElement => 'tagName' in node;

const rawText = (node: HtmlNode, depth: number): string => {
  if (node.type === 'text') return node.data;
  if (!isElement(node) || depth > MAX_DEPTH) return '';
  return node.tagName === 'br' ? '\n' : node.children.map((child) => rawText(child, depth + 1)).join('');
};

const readLink = (href: string, text: string): string => {
  const words = settle(text);
  if (!/^https?:/i.test(href) || href === words || href === `${words}/`) return text;
  return words === '' ? href : `${words} (${href})`;
};

const readNode = (node: HtmlNode, depth: number, indents: number): string => {
  if (node.type === 'text') return node.data.replace(/\s+/g, ' ');
  if (!isElement(node) || depth > MAX_DEPTH) return '';
  const { tagName: tag, attribs, children } = node;
  if (UNSEEN.includes(tag)) return '';
  if (tag === 'br') return '\n';
  if (tag === 'img') return attribs['alt'] ?? '';
  if (tag === 'pre') {
    const code = rawText(node, depth).replace(/^\n|\n$/g, '');
    return around(PARAGRAPH, keep(`\`\`\`\n${code}\n\`\`\``));
  }
  const isSetIn = indents < MAX_INDENTS;
  if ((tag === 'ul' || tag === 'ol') && isSetIn) {
    const items = children.filter(isElement).filter((child) => child.tagName === 'li');
    const marks = items.map((_, n) => (tag === 'ul' ? '- ' : `${n + 1}. `));
    const rows = items.map((item, n) => {
      const mark = marks[n] ?? '';
      return around(LINE, indent(readAll(item, depth, indents + 1), mark, ' '.repeat(mark.length)));
    });
    return around(LINE, rows.join(''));
  }
  const text = readAll(node, depth, tag === 'blockquote' ? indents + 1 : indents);
  if (tag === 'blockquote' && isSetIn) return around(PARAGRAPH, indent(text, '> ', '> '));
  if (tag === 'a') return readLink(attribs['href'] ?? '', text);
  if (tag === 'td' || tag === 'th') return `${settle(text).replace(/\n+/g, ' ')} `;
  if (PARAGRAPHS.includes(tag)) return around(PARAGRAPH, text);
  return LINES.includes(tag) ? around(LINE, text) : text;
};

const readAll = (node: HtmlElement, depth: number, indents: number): string =>
  node.children.map((child) => readNode(child, depth + 1, indents)).join('');

export const textOfHtml = (html: string): string => {
  const clean = html
    .slice(0, MAX_HTML_CHARS)
    .replace(/[\uE001-\uE004\u200b]/g, '')
    .replace(/\r\n?/g, '\n');
  const root = load(clean, null, false).root();
  const text = [...root.contents()].map((node) => readNode(node, 0, 0)).join('');
  return settle(text).replaceAll(SPACE, ' ').replaceAll(BREAK, '\n');
};
