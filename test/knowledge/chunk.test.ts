import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Block, createBlock, createHeading, type DocumentBlocks } from '../../knowledge/blocks.ts';
import { chunkDocument } from '../../knowledge/chunk.ts';

const documentOf = (blocks: readonly Block[], title: string | null = null): DocumentBlocks => ({
  title,
  fallbackTitle: null,
  date: null,
  blocks,
});
const sentence = (n: number): string => `Sentence number ${n} says something about the subject.`;
const paragraph = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => sentence(from + at)).join(' ');

test('a passage carries the headings above it, without the one that is the title', () => {
  const { title, chunks } = chunkDocument(
    documentOf([
      createHeading('Warranty', 1),
      createBlock('paragraph', 'Intro.'),
      createHeading('Dealers', 2),
      createHeading('Claims', 3),
      createBlock('paragraph', 'By the portal.'),
      createHeading('Customers', 2),
      createBlock('paragraph', 'By mail.'),
    ]),
    'warranty.md',
  );
  assert.equal(title, 'Warranty');
  assert.deepEqual(
    chunks.map((chunk) => [chunk.headingPath, chunk.text]),
    [
      [[], 'Intro.'],
      [['Dealers', 'Claims'], 'By the portal.'],
      [['Customers'], 'By mail.'],
    ],
  );
});

test('the title is the stated one, then the first heading, then the file name without its ending', () => {
  const blocks = [createHeading('First', 1), createBlock('paragraph', 'x')];
  assert.equal(chunkDocument(documentOf(blocks, 'Stated'), 'a.md').title, 'Stated');
  assert.deepEqual(chunkDocument(documentOf(blocks, 'Stated'), 'a.md').chunks[0]?.headingPath, ['First']);
  assert.equal(chunkDocument(documentOf([createBlock('paragraph', 'x')]), 'price.list.csv').title, 'price.list');
  assert.equal(chunkDocument({ ...documentOf([]), fallbackTitle: 'Page' }, 'a.html').title, 'Page');
});

test('paragraphs stay whole and a short last one is repeated in the next passage, but never across a heading', () => {
  const blocks = [
    createBlock('paragraph', paragraph(1, 14)),
    createBlock('paragraph', 'It has these exceptions.'),
    createBlock('paragraph', paragraph(20, 14)),
    createHeading('Next', 2),
    createBlock('paragraph', paragraph(40, 4)),
  ];
  const texts = chunkDocument(documentOf(blocks), 'a.md').chunks.map((chunk) => chunk.text);
  assert.deepEqual(texts, [
    `${paragraph(1, 14)}\n\nIt has these exceptions.`,
    `It has these exceptions.\n\n${paragraph(20, 14)}`,
    paragraph(40, 4),
  ]);
});

test('a code block stays whole', () => {
  const code = `\`\`\`sh\n${Array.from({ length: 80 }, (_, at) => `run --step ${at} with some words`).join('\n')}\n\`\`\``;
  const chunks = chunkDocument(
    documentOf([createBlock('paragraph', paragraph(1, 10)), createBlock('code', code)]),
    'a.md',
  ).chunks;
  assert.equal(chunks.filter((chunk) => chunk.text.includes(code)).length, 1);
});

test('each passage of a long table begins with its header row', () => {
  const rows = Array.from({ length: 60 }, (_, at) => createBlock('row', `Model ${at} | ${at} months of cover | in stock`));
  const chunks = chunkDocument(documentOf([createBlock('header_row', 'Model | Cover | Stock'), ...rows]), 'a.md').chunks;
  assert.ok(chunks.length > 2);
  for (const chunk of chunks) assert.equal(chunk.text.split('\n')[0], 'Model | Cover | Stock');
  assert.equal(chunks.flatMap((chunk) => chunk.text.split('\n').slice(1)).length, 60);
});

test('an endless paragraph is cut between sentences, one without sentences between words', () => {
  const long = chunkDocument(documentOf([createBlock('paragraph', paragraph(1, 100))]), 'a.md').chunks;
  for (const chunk of long) assert.match(chunk.text, /^Sentence number \d+ .*subject\.$/s);
  const words = chunkDocument(documentOf([createBlock('paragraph', 'word '.repeat(1000).trim())]), 'a.md').chunks;
  for (const chunk of words) assert.match(chunk.text, /^word( word)*$/);
});

test('passages do not cross pages', () => {
  const blocks = [createBlock('paragraph', 'One.', 'page 1'), createBlock('paragraph', 'Two.', 'page 2')];
  assert.deepEqual(
    chunkDocument(documentOf(blocks), 'a.pdf').chunks.map((chunk) => [chunk.location, chunk.text]),
    [
      ['page 1', 'One.'],
      ['page 2', 'Two.'],
    ],
  );
});

test('a document of headings alone is still found', () => {
  assert.equal(chunkDocument(documentOf([createHeading('A', 1), createHeading('B', 2)]), 'a.md').chunks[0]?.text, 'A\nB');
});

test('nothing is lost, nothing is rewritten and no passage is too long, whatever comes', () => {
  const kinds = fc.constantFrom('paragraph' as const, 'item' as const, 'row' as const, 'header_row' as const);
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4000 }).map((value) => value.trim() || 'x');
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, text), { maxLength: 12 }), (input) => {
      const source = input.map(([, value]) => value).join('\n');
      const chunks = chunkDocument(documentOf(input.map(([kind, value]) => createBlock(kind, value))), 'a.md').chunks;
      const kept = chunks.map((chunk) => chunk.text).join('\n');
      for (const chunk of chunks) assert.ok(chunk.text.length <= 3000, `${chunk.text.length}`);
      for (const character of new Set(source.replace(/\s/gu, ''))) assert.ok(kept.includes(character));
      for (const chunk of chunks) for (const line of chunk.text.split('\n')) assert.ok(source.includes(line.trim()), line);
    }),
    { numRuns: 300 },
  );
});
