/**
 * Text as Jira Cloud keeps it, and back: the Atlassian Document Format.
 * https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
 */
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../agent/json.ts';

export interface AdfNode {
  readonly type: string;
  readonly text?: string | undefined;
  readonly attrs?: Readonly<Record<string, unknown>> | undefined;
  readonly marks?:
    | readonly { readonly type: string; readonly attrs?: Readonly<Record<string, unknown>> | undefined }[]
    | undefined;
  readonly content?: readonly AdfNode[] | undefined;
}

/** What is not known is kept: new kinds of nodes come with any release. */
export const adfNode: z.ZodType<AdfNode> = z.lazy(() =>
  z.object({
    type: z.string(),
    text: z.string().optional(),
    attrs: z.record(z.string(), z.unknown()).optional(),
    marks: z.array(z.object({ type: z.string(), attrs: z.record(z.string(), z.unknown()).optional() })).optional(),
    content: z.array(adfNode).optional(),
  }),
);

const LINK = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}']/gu;
const FENCE = /^```(\w*)\n([\s\S]*?)\n?```$/u;
const ITEM = /^[-*•] (.*)$/u;
const NUMBERED = /^(\d{1,9})[.)] (.*)$/u;
/** Code, a link with words of its own, or a bare one. */
const INLINE = new RegExp(`\`([^\`\\n]+)\`|\\[([^\\[\\]\\n]+)\\]\\((https?://[^\\s()<>]+)\\)|(${LINK.source})`, 'gu');
/** Deeper ones are no text of people. */
const MAX_DEPTH = 50;

const textNode = (text: string, mark?: JsonObject): JsonObject => ({
  type: 'text',
  text,
  ...(mark === undefined ? {} : { marks: [mark] }),
});
const linkTo = (href: string): JsonObject => ({ type: 'link', attrs: { href } });

const inlineOf = (line: string): readonly JsonObject[] => {
  const nodes: JsonObject[] = [];
  let from = 0;
  for (const { 0: whole, 1: code, 2: words, 3: target, 4: bare, index } of line.matchAll(INLINE)) {
    if (index > from) nodes.push(textNode(line.slice(from, index)));
    if (code !== undefined) nodes.push(textNode(code, { type: 'code' }));
    else if (words !== undefined && target !== undefined) nodes.push(textNode(words, linkTo(target)));
    else if (bare !== undefined) nodes.push(textNode(bare, linkTo(bare)));
    from = index + whole.length;
  }
  // A text node may not be empty.
  if (from < line.length) nodes.push(textNode(line.slice(from)));
  return nodes;
};

const paragraph = (lines: readonly string[]): JsonObject => ({
  type: 'paragraph',
  content: lines.flatMap((line, n) => [...(n === 0 ? [] : [{ type: 'hardBreak' }]), ...inlineOf(line)]),
});

const blockOf = (block: string): JsonObject => {
  const fenced = FENCE.exec(block);
  if (fenced !== null) {
    const [, language = '', code = ''] = fenced;
    return {
      type: 'codeBlock',
      ...(language === '' ? {} : { attrs: { language } }),
      content: code === '' ? [] : [textNode(code)],
    };
  }
  const lines = block.split('\n');
  const items = lines.map((line) => ITEM.exec(line)?.[1]);
  if (items.every((item) => item !== undefined))
    return { type: 'bulletList', content: items.map((item) => ({ type: 'listItem', content: [paragraph([item])] })) };
  const numbered = lines.map((line) => NUMBERED.exec(line));
  const first = Number(numbered[0]?.[1]);
  // Numbers that do not follow each other are somebody's own.
  if (numbered.every((match, n) => match !== null && Number(match[1]) === first + n))
    return {
      type: 'orderedList',
      attrs: { order: first },
      content: numbered.map((match) => ({ type: 'listItem', content: [paragraph([match?.[2] ?? ''])] })),
    };
  return paragraph(lines);
};

/** Paragraphs, lists of `- ` and `1. `, code and links; everything else as it stands. */
export const toAdf = (text: string): JsonValue => {
  const blocks = text.replaceAll('\r\n', '\n').match(/```\w*\n[\s\S]*?\n?```(?=\n|$)|(?:(?!\n\n|```\w*\n)[\s\S])+/gu) ?? [];
  const content = blocks.map((block) => block.replace(/^\n+|\n+$/gu, '')).filter((block) => block !== '');
  return { type: 'doc', version: 1, content: content.length === 0 ? [paragraph([])] : content.map(blockOf) };
};

const said = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

const readText = ({ text = '', marks = [] }: AdfNode): string => {
  const href = said(marks.find(({ type }) => type === 'link')?.attrs?.['href']);
  if (marks.some(({ type }) => type === 'code')) return `\`${text}\``;
  if (href === '' || href === text) return text;
  return `${text} (${href})`;
};

const readInline = (nodes: readonly AdfNode[], depth: number): string => nodes.map((node) => readNode(node, depth)).join('');

const readItems = (items: readonly AdfNode[], depth: number, mark: (n: number) => string): string =>
  items
    .map((item, n) => {
      const lines = readBlocks(item.content ?? [], depth, '\n').split('\n');
      return lines.map((line, row) => `${row === 0 ? mark(n) : ' '.repeat(mark(n).length)}${line}`).join('\n');
    })
    .join('\n');

const readNode = (node: AdfNode, depth: number): string => {
  if (depth > MAX_DEPTH) return '';
  const { type, attrs = {}, content = [] } = node;
  const next = depth + 1;
  switch (type) {
    case 'text':
      return readText(node);
    case 'hardBreak':
      return '\n';
    case 'mention':
    case 'status':
      return said(attrs['text']);
    case 'emoji':
      return said(attrs['text']) || said(attrs['shortName']);
    case 'date':
      return Number.isFinite(Number(attrs['timestamp'])) ? new Date(Number(attrs['timestamp'])).toISOString().slice(0, 10) : '';
    case 'inlineCard':
    case 'blockCard':
    case 'embedCard':
      return said(attrs['url']);
    case 'paragraph':
    case 'heading':
      return readInline(content, next);
    case 'codeBlock':
      return `\`\`\`${said(attrs['language'])}\n${readInline(content, next)}\n\`\`\``;
    case 'bulletList':
    case 'taskList':
    case 'decisionList':
      return readItems(content, next, () => '- ');
    case 'orderedList':
      return readItems(content, next, (n) => `${Number(said(attrs['order']) || '1') + n}. `);
    case 'blockquote':
      return readBlocks(content, next)
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n');
    case 'rule':
      return '---';
    case 'table':
      return readBlocks(content, next, '\n');
    case 'tableRow':
      return content.map((cell) => readBlocks(cell.content ?? [], next, ' ')).join(' | ');
    case 'taskItem':
    case 'decisionItem':
      return readInline(content, next);
    default:
      return content.some(({ type: kind }) => kind === 'text') ? readInline(content, next) : readBlocks(content, next);
  }
};

const readBlocks = (nodes: readonly AdfNode[], depth: number, between = '\n\n'): string =>
  nodes
    .map((node) => (node.type === 'text' ? readText(node) : readNode(node, depth)))
    .filter((text) => text !== '')
    .join(between);

/** The words of a document, with its lists, links and code; what has no words is left out. */
export const fromAdf = (doc: AdfNode | null | undefined): string => (doc == null ? '' : readBlocks(doc.content ?? [], 0).trim());
