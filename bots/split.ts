/**
 * Long answers as several messages, cut where the text itself has joints: between blocks, then items, rows, lines, sentences,
 * words. A cut fence is closed and opened again with its language, a cut table repeats its header.
 */

import { type Block, type Inline, plainText, type SafeTree, withBlocks } from './markdown.ts';

/** Something that can be cut: `slice` makes a block of some of its units, `finer` cuts one unit that is too large by itself. */
interface Divisible {
  readonly count: number;
  slice(from: number, to: number): Block;
  finer(index: number): Divisible | undefined;
}

/** The inline content between two offsets of its plain text; formatting is closed and opened again at the cut. */
const sliceInlines = (nodes: readonly Inline[], from: number, to: number): readonly Inline[] => {
  let offset = 0;
  return nodes.flatMap((node): readonly Inline[] => {
    const start = offset;
    const length = plainText([node]).length;
    offset += length;
    const low = Math.max(0, from - start);
    const high = Math.min(length, to - start);
    if (low >= high) return [];
    if (node.type === 'text' || node.type === 'code') return [{ type: node.type, text: node.text.slice(low, high) }];
    if (node.type === 'marker' || node.type === 'break') return low === 0 ? [node] : [];
    return [{ ...node, children: sliceInlines(node.children, low, high) }];
  });
};

const trimEdges = (nodes: readonly Inline[]): readonly Inline[] => {
  const text = plainText(nodes);
  return sliceInlines(nodes, text.length - text.trimStart().length, text.trimEnd().length);
};

/** A citation marker and a surrogate pair are never cut. */
const LEVELS: readonly RegExp[] = [
  /[^\n]*?(?:[.!?…]["')\]]*(?:[ \t]*\[\d{1,3}\])*(?=\s)|[。！？；]["'”』」）]*(?:\[\d{1,3}\])*|\n|$)\s*/gu,
  /\S+\s*|\s+/gu,
  /\[\d{1,3}\]|\P{M}[\p{M}\u200d\ufe0f]{0,8}|./gsu,
];

const cutPoints = (text: string, level: number): readonly number[] => {
  const points = [0];
  for (const match of text.matchAll(LEVELS[level] ?? /./gsu)) {
    const end = match.index + match[0].length;
    if (end > (points.at(-1) ?? 0)) points.push(end);
  }
  if (points.at(-1) !== text.length) points.push(text.length);
  return points;
};

/** `build` makes the block of a range of the text. */
const divideText = (text: string, build: (from: number, to: number) => Block, level = 0, base = 0): Divisible => {
  const points = cutPoints(text, level);
  const at = (index: number): number => points[index] ?? text.length;
  return {
    count: points.length - 1,
    slice: (from, to) => build(base + at(from), base + at(to)),
    finer: (index) =>
      level + 1 < LEVELS.length
        ? divideText(text.slice(at(index), at(index + 1)), build, level + 1, base + at(index))
        : undefined,
  };
};

const divideCode = (block: Extract<Block, { type: 'code' }>): Divisible => {
  const lines = block.text.split('\n');
  return {
    count: lines.length,
    slice: (from, to) => ({ ...block, text: lines.slice(from, to).join('\n') }),
    finer: (index) => {
      const line = lines[index] ?? '';
      return divideText(line, (from, to) => ({ ...block, text: line.slice(from, to) }), 2);
    },
  };
};

/** The cuts of a block inside a container, each with the container around it again. */
const wrap = (inner: Divisible | undefined, around: (block: Block, isFirst: boolean) => Block): Divisible | undefined =>
  inner && {
    count: inner.count,
    slice: (from, to) => around(inner.slice(from, to), from === 0),
    finer: (index) => wrap(inner.finer(index), (block, isFirst) => around(block, isFirst && index === 0)),
  };

const divideItem = (list: Extract<Block, { type: 'list' }>, index: number): Divisible => {
  const item = list.items[index] ?? { checked: null, children: [] };
  const around = (children: readonly Block[], isFirst: boolean): Block => ({
    type: 'list',
    kind: isFirst ? list.kind : 'plain',
    start: list.start + index,
    items: [{ checked: isFirst ? item.checked : null, children }],
  });
  return {
    count: item.children.length,
    slice: (from, to) => around(item.children.slice(from, to), from === 0),
    finer: (child) => {
      const inner = item.children[child];
      return wrap(inner && divide(inner), (block, isFirst) => around([block], isFirst && child === 0));
    },
  };
};

/** A row too long for one message, told cell by cell. */
const rowAsList = (table: Extract<Block, { type: 'table' }>, index: number): Block => ({
  type: 'list',
  kind: 'bullet',
  start: 1,
  items: table.header.map((name, column) => ({
    checked: null,
    children: [{ type: 'paragraph', children: [...name, { type: 'text', text: ': ' }, ...(table.rows[index]?.[column] ?? [])] }],
  })),
});

const divide = (block: Block): Divisible | undefined => {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return divideText(plainText(block.children), (from, to) => ({
        type: 'paragraph',
        children: trimEdges(sliceInlines(block.children, from, to)),
      }));
    case 'code':
      return divideCode(block);
    case 'quote':
      return {
        count: block.children.length,
        slice: (from, to) => ({ type: 'quote', children: block.children.slice(from, to) }),
        finer: (index) => {
          const inner = block.children[index];
          return wrap(inner && divide(inner), (child) => ({ type: 'quote', children: [child] }));
        },
      };
    case 'list':
      return {
        count: block.items.length,
        slice: (from, to) => ({ ...block, start: block.start + from, items: block.items.slice(from, to) }),
        finer: (index) => divideItem(block, index),
      };
    case 'table':
      if (block.rows.length === 0) return divide(rowAsList(block, 0));
      return {
        count: block.rows.length,
        slice: (from, to) => ({ ...block, rows: block.rows.slice(from, to) }),
        finer: (index) => divide(rowAsList(block, index)),
      };
    default:
      return undefined;
  }
};

/** The largest count for which `fits` holds, given that smaller ones hold too: doubling first, so that little is rendered in vain. */
const largest = (count: number, fits: (count: number) => boolean): number => {
  let low = 0;
  let step = 1;
  while (low + step <= count && fits(low + step)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(count + 1, low + step);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
};

/**
 * The tree as rendered messages of at most `limit` UTF-16 units each, in order, none of them empty. `render` is the platform's.
 * Throws a RangeError where `limit` has no room for one character in its markup (under some 60).
 */
export const splitBlocks = (tree: SafeTree, limit: number, render: (tree: SafeTree) => string): readonly string[] => {
  const parts: string[] = [];
  let current: Block[] = [];
  const text = (blocks: readonly Block[]): string => render(withBlocks(tree, blocks));
  const fits = (blocks: readonly Block[]): boolean => text(blocks).length <= limit;
  const flush = (): void => {
    // A heading goes with what it heads.
    const last = current.at(-1);
    const carried = last?.type === 'heading' && current.length > 1 ? [last] : [];
    const part = text(carried.length > 0 ? current.slice(0, -1) : current);
    if (part.trim() !== '') parts.push(part);
    current = carried;
  };
  const place = (divisible: Divisible): void => {
    let index = 0;
    while (index < divisible.count) {
      const from = index;
      const taken = largest(divisible.count - from, (count) => fits([...current, divisible.slice(from, from + count)]));
      if (taken > 0) {
        current.push(divisible.slice(from, from + taken));
        index += taken;
        if (index < divisible.count) flush();
      } else if (current.length > 0) {
        flush();
      } else {
        const finer = divisible.finer(index);
        if (finer === undefined) throw new RangeError(`no room for one character within ${limit}`);
        place(finer);
        index += 1;
      }
    }
  };
  for (const block of tree.blocks) {
    if (fits([...current, block])) {
      current.push(block);
      continue;
    }
    if (current.length > 0 && fits([block])) {
      flush();
      if (fits([...current, block])) {
        current.push(block);
        continue;
      }
    }
    const divisible = divide(block);
    if (divisible !== undefined) place(divisible);
  }
  if (current.length > 0) flush();
  if (current.length > 0) flush();
  return parts;
};
