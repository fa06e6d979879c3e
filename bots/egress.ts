/**
 * The one way out. Whatever a model wrote passes here before any platform sees it: nobody is notified, no link stands that the
 * asker or a retrieved passage did not bring, nothing invisible is carried along. Works on the parsed text, never on markup.
 */

import type { Answer, Citation, StopReason } from '../agent/conversation.ts';
import { allowLinks, defangEdits, findAddresses, type LinkRule, normaliseUrl } from './egress-links.ts';
import { cleanLine, cleanText } from './egress-text.ts';
import { type Block, type Cell, type Inline, plainText, readMarkdown, type SafeTree } from './markdown.ts';

export interface SafeCitation {
  readonly n: number;
  readonly title: string;
  readonly heading: readonly string[];
  readonly source: string;
  /** The address that `source` is, where it may be opened. */
  readonly url: string | undefined;
  readonly location: string;
  readonly date: string | null;
  readonly quote: string;
  readonly chunkId: string;
}

export interface SafeAnswer {
  readonly tree: SafeTree;
  readonly citations: readonly SafeCitation[];
  readonly answered: boolean;
  readonly stopReason: StopReason;
  readonly fallback: boolean;
}

interface Leaf {
  readonly node: Extract<Inline, { type: 'text' | 'code' }>;
  readonly start: number;
  readonly end: number;
  readonly inLink: boolean;
}

/** One replacement in the text of a paragraph; with `url` the range becomes a link. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly url?: string;
}

/** `@everyone`, `@here`, `@channel` and every `<@…>`, `<!…>`, `<#…>`, whatever stands around them. */
const MENTION = /[@\uff20\ufe6b](?=everyone|here|channel)|(?<=[<\uff1c])[@!#]/giu;
const FULL_WIDTH: Readonly<Record<string, string>> = { '@': '＠', '!': '！', '#': '＃', '﹫': '＠' };

const mentionEdits = (text: string): Edit[] =>
  [...text.matchAll(MENTION)].map(({ 0: character, index }) => ({
    start: index,
    end: index + 1,
    text: FULL_WIDTH[character] ?? character,
  }));

const collectLeaves = (nodes: readonly Inline[]): { readonly text: string; readonly leaves: readonly Leaf[] } => {
  const leaves: Leaf[] = [];
  let text = '';
  const visit = (node: Inline, inLink: boolean): void => {
    if (node.type === 'text' || node.type === 'code') {
      leaves.push({ node, start: text.length, end: text.length + node.text.length, inLink });
      text += node.text;
    } else if (node.type === 'break') text += '\n';
    else if (node.type !== 'marker') for (const child of node.children) visit(child, inLink || node.type === 'link');
  };
  for (const node of nodes) visit(node, false);
  return { text, leaves };
};

const leafAt = (leaves: readonly Leaf[], position: number): Leaf | undefined =>
  leaves.find((leaf) => position >= leaf.start && position < leaf.end);

/** All that must change in a paragraph, found in its text as a reader sees it: formatting in the middle hides nothing. */
const planEdits = (text: string, leaves: readonly Leaf[], rule: LinkRule): readonly Edit[] => {
  const edits = mentionEdits(text);
  for (const address of findAddresses(text, rule)) {
    const leaf = leafAt(leaves, address.start);
    if (address.bare && leaf?.node.type === 'code') continue;
    if (address.url !== undefined && leaf !== undefined && address.end <= leaf.end) {
      if (leaf.node.type === 'text' && !leaf.inLink)
        edits.push({ start: address.start, end: address.end, text: '', url: address.url });
      continue;
    }
    for (const edit of defangEdits(text, address)) edits.push({ start: edit.at, end: edit.at + 1, text: edit.text });
  }
  return edits.sort((a, b) => a.start - b.start || b.end - a.end);
};

const applyToText = (text: string, offset: number, edits: readonly Edit[]): string => {
  let result = '';
  let at = 0;
  for (const edit of edits) {
    if (edit.url !== undefined || edit.start - offset < at) continue;
    result += text.slice(at, edit.start - offset) + edit.text;
    at = edit.end - offset;
  }
  return result + text.slice(at);
};

const applyToLeaf = (leaf: Leaf, all: readonly Edit[]): readonly Inline[] => {
  const edits = all.filter((edit) => edit.start >= leaf.start && edit.end <= leaf.end);
  const { node } = leaf;
  if (edits.length === 0) return [node];
  if (node.type === 'code') return [{ type: 'code', text: applyToText(node.text, leaf.start, edits) }];
  const pieces: Inline[] = [];
  let at = leaf.start;
  const push = (to: number): void => {
    const inside = edits.filter((edit) => edit.start >= at && edit.end <= to);
    const text = applyToText(node.text.slice(at - leaf.start, to - leaf.start), at, inside);
    if (text !== '') pieces.push({ type: 'text', text });
  };
  for (const { start, end, url } of edits) {
    if (url === undefined || start < at) continue;
    push(start);
    at = start;
    const label = applyToText(
      node.text.slice(start - leaf.start, end - leaf.start),
      start,
      edits.filter((edit) => edit.start >= start && edit.end <= end),
    );
    pieces.push({ type: 'link', url, children: [{ type: 'text', text: label }] });
    at = end;
  }
  push(leaf.end);
  return pieces;
};

/** Cleans leaves, drops what is empty and joins neighbours, so that nothing is hidden between two pieces of text. */
const tidy = (nodes: readonly Inline[]): readonly Inline[] => {
  const result: Inline[] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (node.type === 'text') {
      const text = cleanText(node.text).replace(/\s*\n\s*/gu, ' ');
      if (last?.type === 'text') result[result.length - 1] = { type: 'text', text: cleanText(last.text + text) };
      else if (text !== '') result.push({ type: 'text', text });
    } else if (node.type === 'code') {
      const text = cleanText(node.text);
      if (text !== '') result.push({ type: 'code', text });
    } else if ('children' in node) {
      const children = tidy(node.children);
      if (children.length > 0) result.push({ ...node, children });
    } else result.push(node);
  }
  return result;
};

/** Slack's own spelling of a link, where the label's spaces keep Markdown from reading it as one. */
const SLACK_LINK = /<([a-z][a-z\d+.-]*:[^\s<>|]+)\|([^<>]+)>/giu;

const readSlackLinks = (text: string): readonly Inline[] => {
  const pieces: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(SLACK_LINK)) {
    if (match.index > at) pieces.push({ type: 'text', text: text.slice(at, match.index) });
    pieces.push({ type: 'link', url: match[1] ?? '', children: [{ type: 'text', text: match[2] ?? '' }] });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ type: 'text', text: text.slice(at) });
  return pieces;
};

/** Decides on every written link: allowed ones keep their text, of others the text stays and the address follows, to be defanged. */
const decideLinks = (nodes: readonly Inline[], rule: LinkRule, inLink = false): readonly Inline[] =>
  nodes.flatMap((node): readonly Inline[] => {
    if (node.type === 'text' && !inLink) {
      const pieces = readSlackLinks(node.text);
      return pieces.length > 1 || pieces[0]?.type === 'link' ? decideLinks(pieces, rule, true) : [node];
    }
    if (!('children' in node)) return [node];
    const children = decideLinks(node.children, rule, inLink || node.type === 'link');
    if (node.type !== 'link') return [{ ...node, children }];
    const label = plainText(children).trim();
    const url = rule(node.url);
    if (url !== undefined) {
      // A label that names another address than the one it opens would mislead.
      const names = findAddresses(label, normaliseUrl).some((address) => (address.url ?? '') !== url && rule(label) !== url);
      return [{ type: 'link', url, children: label === '' || names ? [{ type: 'text', text: url }] : children }];
    }
    const target = normaliseUrl(node.url);
    if (target === undefined || normaliseUrl(label) === target || normaliseUrl(`https://${label}`) === target) return children;
    const shown = target.length > 200 ? `${target.slice(0, 199)}…` : target;
    return [...children, { type: 'text', text: label === '' ? shown : ` (${shown})` }];
  });

const MARKER = /\[(\d{1,3})\]/gu;

const findMarkers = (nodes: readonly Inline[], numbers: ReadonlySet<number>): readonly Inline[] =>
  nodes.flatMap((node): readonly Inline[] => {
    if (node.type === 'link') return [node];
    if ('children' in node) return [{ ...node, children: findMarkers(node.children, numbers) }];
    if (node.type !== 'text') return [node];
    const pieces: Inline[] = [];
    let at = 0;
    for (const match of node.text.matchAll(MARKER)) {
      const n = Number(match[1]);
      if (!numbers.has(n)) continue;
      if (match.index > at) pieces.push({ type: 'text', text: node.text.slice(at, match.index) });
      pieces.push({ type: 'marker', n });
      at = match.index + match[0].length;
    }
    return at === 0
      ? [node]
      : [...pieces, ...(at < node.text.length ? [{ type: 'text' as const, text: node.text.slice(at) }] : [])];
  });

interface Checks {
  readonly rule: LinkRule;
  readonly numbers: ReadonlySet<number>;
}

const checkInlines = (nodes: readonly Inline[], { rule, numbers }: Checks): readonly Inline[] => {
  const decided = tidy(decideLinks(tidy(nodes), rule));
  const { text, leaves } = collectLeaves(decided);
  const edits = planEdits(text, leaves, rule);
  const byNode = new Map(leaves.map((leaf) => [leaf.node, leaf]));
  const rewrite = (list: readonly Inline[]): readonly Inline[] =>
    list.flatMap((node): readonly Inline[] => {
      if (node.type === 'text' || node.type === 'code') {
        const leaf = byNode.get(node);
        return leaf === undefined ? [] : applyToLeaf(leaf, edits);
      }
      return 'children' in node ? [{ ...node, children: rewrite(node.children) }] : [node];
    });
  return findMarkers(rewrite(decided), numbers);
};

const checkCode = (code: string, rule: LinkRule): string => {
  const text = cleanText(code);
  const leaf: Leaf = { node: { type: 'code', text }, start: 0, end: text.length, inLink: false };
  return applyToText(text, 0, planEdits(text, [leaf], rule));
};

const checkBlocks = (blocks: readonly Block[], checks: Checks): readonly Block[] =>
  blocks.flatMap((block): readonly Block[] => {
    const checkCell = (cell: Cell): Cell => checkInlines(cell, checks);
    switch (block.type) {
      case 'paragraph':
      case 'heading': {
        const children = checkInlines(block.children, checks);
        return plainText(children).trim() === '' ? [] : [{ ...block, children }];
      }
      case 'code':
        return [{ ...block, text: checkCode(block.text, checks.rule) }];
      case 'quote': {
        const children = checkBlocks(block.children, checks);
        return children.length === 0 ? [] : [{ ...block, children }];
      }
      case 'list':
        return [{ ...block, items: block.items.map((item) => ({ ...item, children: checkBlocks(item.children, checks) })) }];
      case 'table':
        return [{ ...block, header: block.header.map(checkCell), rows: block.rows.map((row) => row.map(checkCell)) }];
      default:
        return [block];
    }
  });

const seal = (blocks: readonly Block[]): SafeTree => ({ blocks }) as unknown as SafeTree;

/** No answer is longer; it bounds what a parser spends on a hostile one. */
const MAX_LENGTH = 100_000;

const parseWith = (markdown: string, checks: Checks): SafeTree =>
  seal(checkBlocks(readMarkdown(cleanText(markdown.slice(0, MAX_LENGTH))), checks));

/**
 * Markdown as a tree that may be shown anywhere. Only `allowedLinks` stay links; `[n]` becomes a marker for each n of `numbers`.
 * Pure, never throws.
 */
export const parseSafe = (markdown: string, allowedLinks: readonly string[], numbers: readonly number[] = []): SafeTree =>
  parseWith(markdown, { rule: allowLinks(allowedLinks), numbers: new Set(numbers) });

/** Text that is no Markdown (a title, a quote, a name) as inline content that may be shown anywhere. */
export const safeInlines = (text: string, allowedLinks: readonly string[] = []): readonly Inline[] =>
  checkInlines([{ type: 'text', text: cleanLine(text) }], { rule: allowLinks(allowedLinks), numbers: new Set() });

/** The same as one line of plain text. */
export const safeLine = (text: string, allowedLinks: readonly string[] = []): string =>
  plainText(safeInlines(text, allowedLinks));

const keepAll: LinkRule = (spelling) => normaliseUrl(spelling) ?? normaliseUrl(`https://${spelling}`);

/** A quote is a retrieved passage's own words, so its addresses are retrieved ones. */
const linksOf = (answer: Answer): readonly string[] => [
  ...answer.allowedLinks,
  ...answer.citations.flatMap(({ quote, source }) =>
    [quote, source].flatMap((text) => findAddresses(text, keepAll).map(({ start, end }) => text.slice(start, end))),
  ),
];

const safeCitation = (citation: Citation, links: readonly string[]): SafeCitation => ({
  n: citation.n,
  title: safeLine(citation.title, links),
  heading: citation.headingPath.map((heading) => safeLine(heading, links)),
  source: safeLine(citation.source, links),
  url: allowLinks(links)(citation.source),
  location: safeLine(citation.location),
  date: citation.date === null ? null : safeLine(citation.date),
  quote: safeLine(citation.quote, links),
  chunkId: citation.chunkId,
});

/** An answer as channels render it. Pure, never throws; an answer of which nothing may be shown still has a text. */
export const sanitiseAnswer = (answer: Answer): SafeAnswer => {
  const links = linksOf(answer);
  const tree = parseSafe(
    answer.text,
    links,
    answer.citations.map(({ n }) => n),
  );
  const empty = tree.blocks.length === 0;
  return {
    tree: empty ? seal([{ type: 'paragraph', children: [{ type: 'text', text: '…' }] }]) : tree,
    citations: answer.citations.map((citation) => safeCitation(citation, links)),
    answered: answer.answered,
    stopReason: answer.stopReason,
    fallback: answer.fallback,
  };
};

/** An opened link, image, tag or address at the end of streamed text, which the next piece may turn into something else. */
const UNFINISHED = /(?:!?\[[^\]\n]*(?:\](?:\([^)\n]*|\[[^\]\n]*)?)?|<[^>\n]*|\S*(?::\/|www\.|@|&)\S*|[\ud800-\udbff])$/iu;

/**
 * Text that is still growing: what is unfinished at its end waits for the next call, everything else is as in the final text.
 * Without `allowedLinks` no link stands at all.
 */
export const safePartial = (text: string, allowedLinks: readonly string[] = []): SafeTree => {
  const shown = text.replace(UNFINISHED, '');
  const strong = (shown.slice(shown.lastIndexOf('\n\n') + 1).match(/\*\*/gu)?.length ?? 0) % 2 === 1;
  return parseSafe(strong ? `${shown.trimEnd()}**` : shown, allowedLinks);
};
