/**
 * Markdown as this product knows it: a small tree of our own, read from what a model or a document wrote. Platforms never get
 * the source text, only what a renderer makes of a tree that went through `egress.ts`.
 */

import type { AlignType, Nodes, PhrasingContent, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis' | 'strike'; readonly children: readonly Inline[] }
  | { readonly type: 'link'; readonly url: string; readonly children: readonly Inline[] }
  | { readonly type: 'break' }
  /** `[n]`, which points at the answer's citation n. */
  | { readonly type: 'marker'; readonly n: number };

export interface ListItem {
  /** Null where the item is no task. */
  readonly checked: boolean | null;
  readonly children: readonly Block[];
}

export interface List {
  readonly type: 'list';
  /** `plain` has no bullets: a list of sources, the rest of an item that was split. */
  readonly kind: 'bullet' | 'ordered' | 'plain';
  readonly start: number;
  readonly items: readonly ListItem[];
}

export type Cell = readonly Inline[];

export interface Table {
  readonly type: 'table';
  readonly align: readonly ('left' | 'right' | 'center')[];
  readonly header: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
}

export type Block =
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'heading'; readonly depth: number; readonly children: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly children: readonly Block[] }
  | List
  | Table
  | { readonly type: 'rule' };

declare const safe: unique symbol;

/** A tree that the egress checks let through. Renderers take nothing else; only `egress.ts` makes one. */
export interface SafeTree {
  readonly [safe]: true;
  readonly blocks: readonly Block[];
}

/** A part or a rearrangement of safe trees is safe. */
export const withBlocks = (_proof: SafeTree, blocks: readonly Block[]): SafeTree => ({ blocks }) as unknown as SafeTree;

/** The text of inline content without any markup. */
export const plainText = (children: readonly Inline[]): string =>
  children
    .map((node) => {
      switch (node.type) {
        case 'text':
        case 'code':
          return node.text;
        case 'break':
          return '\n';
        case 'marker':
          return `[${node.n}]`;
        default:
          return plainText(node.children);
      }
    })
    .join('');

/** Deeper quotes and lists are read as text of this level: no answer needs them, and recursion stays bounded. */
const MAX_DEPTH = 8;

const LANGUAGE = /^[A-Za-z0-9+#_-]{1,20}$/;

/** Elements that say nothing without a browser: the tag goes, what it holds stays. Other `<words>` are text, like `List<String>`. */
const HTML_TAG =
  /<!--[\s\S]*?(?:-->|$)|<\/?(?:a|abbr|article|audio|b|blockquote|body|button|center|code|dd|del|details|div|dl|dt|em|embed|font|form|footer|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|li|link|main|mark|meta|nav|object|ol|p|pre|q|s|samp|script|section|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul|var|video|wbr)(?:\s[^<>]*)?\/?>/giu;
const HTML_BREAK = /<br\s*\/?>/giu;

const htmlToInlines = (html: string): Inline[] => textToInlines(html.replace(HTML_BREAK, '\n').replace(HTML_TAG, ''));

/** A line end in a paragraph stays a line end: in chat it was meant as one. */
const textToInlines = (text: string): Inline[] =>
  text
    .split(/[ \t]*\n[ \t]*/u)
    .flatMap((line, index): Inline[] => [
      ...(index === 0 ? [] : [{ type: 'break' } as const]),
      ...(line === '' ? [] : [{ type: 'text', text: line } as const]),
    ]);

interface Reading {
  readonly source: string;
  readonly definitions: ReadonlyMap<string, string>;
}

const readPhrasing = (nodes: readonly PhrasingContent[], reading: Reading, depth: number): Inline[] =>
  nodes.flatMap((node): Inline[] => {
    switch (node.type) {
      case 'text':
        return textToInlines(node.value);
      case 'inlineCode':
        return [{ type: 'code', text: node.value }];
      case 'break':
        return [{ type: 'break' }];
      case 'html':
        return htmlToInlines(node.value);
      case 'image':
      case 'imageReference':
        return textToInlines(node.alt ?? '');
      case 'footnoteReference':
        return [{ type: 'text', text: `[${node.label ?? node.identifier}]` }];
      case 'strong':
      case 'emphasis':
      case 'delete': {
        const children = readPhrasing(node.children, reading, depth + 1);
        if (depth > MAX_DEPTH) return children;
        return [{ type: node.type === 'delete' ? 'strike' : node.type, children }];
      }
      case 'link':
        return readLink(node.url, node.children, reading, depth, reading.source[node.position?.start.offset ?? -1]);
      case 'linkReference': {
        // `[1]` stays a citation marker even where the text defines what `1` points at.
        if (node.referenceType !== 'full' && /^\d{1,3}$/.test(node.identifier))
          return [{ type: 'text', text: `[${node.identifier}]` }];
        return readLink(reading.definitions.get(node.identifier) ?? '', node.children, reading, depth, '[');
      }
      default:
        return [];
    }
  });

const readLink = (
  url: string,
  nodes: readonly PhrasingContent[],
  reading: Reading,
  depth: number,
  opening: string | undefined,
): Inline[] => {
  const children = readPhrasing(nodes, reading, depth + 1);
  // A bare address is text like any other.
  if (opening !== '[' && opening !== '<') return children;
  const bar = opening === '<' ? url.indexOf('|') : -1;
  if (bar > 0) return [{ type: 'link', url: url.slice(0, bar), children: textToInlines(decodePercent(url.slice(bar + 1))) }];
  return [{ type: 'link', url, children }];
};

const decodePercent = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const alignments = (align: readonly AlignType[] | null | undefined, columns: number): ('left' | 'right' | 'center')[] =>
  Array.from({ length: columns }, (_, column) => align?.[column] ?? 'left');

const trimInlines = (children: readonly Inline[]): readonly Inline[] => {
  let from = 0;
  let to = children.length;
  while (from < to && children[from]?.type === 'break') from += 1;
  while (to > from && children[to - 1]?.type === 'break') to -= 1;
  return children.slice(from, to);
};

const paragraph = (inlines: readonly Inline[]): Block[] => {
  const children = trimInlines(inlines);
  return plainText(children).trim() === '' ? [] : [{ type: 'paragraph', children }];
};

const readBlocks = (nodes: readonly Nodes[], reading: Reading, depth: number): Block[] =>
  nodes.flatMap((node): Block[] => {
    switch (node.type) {
      case 'paragraph':
        return paragraph(readPhrasing(node.children, reading, 0));
      case 'heading': {
        const children = trimInlines(readPhrasing(node.children, reading, 0));
        return children.length === 0 ? [] : [{ type: 'heading', depth: node.depth, children }];
      }
      case 'code':
        return [{ type: 'code', language: LANGUAGE.test(node.lang ?? '') ? (node.lang ?? '') : '', text: node.value }];
      case 'html':
        return paragraph(htmlToInlines(node.value));
      case 'thematicBreak':
        return [{ type: 'rule' }];
      case 'blockquote': {
        const children = readBlocks(node.children, reading, depth + 1);
        if (depth >= MAX_DEPTH || children.length === 0) return children;
        return [{ type: 'quote', children }];
      }
      case 'footnoteDefinition': {
        const label: Inline = { type: 'text', text: `[${node.label ?? node.identifier}] ` };
        const [first, ...rest] = readBlocks(node.children, reading, depth + 1);
        return first?.type === 'paragraph' ? [{ ...first, children: [label, ...first.children] }, ...rest] : [];
      }
      case 'list': {
        const items = node.children.map((item) => ({
          checked: item.checked ?? null,
          children: readBlocks(item.children, reading, depth + 1),
        }));
        if (depth >= MAX_DEPTH) return items.flatMap((item) => item.children);
        return [{ type: 'list', kind: node.ordered === true ? 'ordered' : 'bullet', start: node.start ?? 1, items }];
      }
      case 'table': {
        const [header = [], ...rows] = node.children.map((row) =>
          row.children.map((cell) => readPhrasing(cell.children, reading, 0)),
        );
        const fit = (row: readonly Inline[][]) => header.map((_, column) => row[column] ?? []);
        return [{ type: 'table', align: alignments(node.align, header.length), header, rows: rows.map(fit) }];
      }
      default:
        return [];
    }
  });

type Syntax = ReturnType<typeof gfm>;

/** Egress finds bare addresses by itself, and the parser's own search for them costs a third of its time. */
const withoutAutolinks = (syntax: Syntax): Syntax => ({
  ...syntax,
  text: Object.fromEntries(
    Object.entries(syntax.text ?? {}).flatMap(([code, constructs]) => {
      const kept = [constructs ?? []].flat().filter(({ name }) => name?.endsWith('Autolink') !== true);
      return kept.length === 0 ? [] : [[code, kept]];
    }),
  ),
});

const EXTENSIONS = {
  extensions: [withoutAutolinks(gfm())],
  mdastExtensions: gfmFromMarkdown().filter(({ transforms }) => transforms === undefined),
};

/** Past this many containers at a line's start the parser's time grows with their square. */
const DEEP_CONTAINERS = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20,}/gmu;

/** Reads CommonMark with tables, strikethrough, tasks and footnotes. Images become their alt text, HTML its text. Unchecked: for egress only. */
export const readMarkdown = (source: string): readonly Block[] => {
  const bounded = source.replace(DEEP_CONTAINERS, (markers) => `\\${markers.trimStart()}`);
  const root = fromMarkdown(bounded, EXTENSIONS);
  const definitions = new Map<string, string>();
  for (const node of root.children as readonly RootContent[]) {
    if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node.url);
  }
  return readBlocks(root.children, { source: bounded, definitions }, 0);
};
