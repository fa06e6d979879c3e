import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseSafe } from '../../bots/egress.ts';
import { toDiscordMarkdown } from '../../bots/markdown-discord.ts';
import { toSlackMrkdwn } from '../../bots/markdown-slack.ts';
import { toTerminalText } from '../../bots/markdown-terminal.ts';
import { splitBlocks } from '../../bots/split.ts';

const split = (markdown: string, limit: number, render = toDiscordMarkdown): readonly string[] =>
  splitBlocks(parseSafe(markdown, [], [1, 2, 3]), limit, render);

const fences = (text: string): number => text.match(/^ {0,8}(?:> )*```/gmu)?.length ?? 0;

test('a text that fits is one part, an empty one is none', () => {
  assert.deepEqual(split('# Hello\n\nworld', 100), ['# Hello\n\nworld']);
  assert.deepEqual(split('', 100), []);
});

test('blocks are the first place to cut, and a heading stays with what it heads', () => {
  const part = 'word '.repeat(12).trim();
  assert.deepEqual(split(`${part}\n\n## Next\n\n${part}`, 80), [part, `## Next\n\n${part}`]);
});

test('a long paragraph is cut behind sentences, in English and in Chinese', () => {
  assert.deepEqual(split(`${'One two three. '.repeat(8)}`, 64), [
    'One two three. One two three. One two three. One two three.',
    'One two three. One two three. One two three. One two three.',
  ]);
  assert.deepEqual(split('保修期是两年。'.repeat(12), 64), ['保修期是两年。'.repeat(9), '保修期是两年。'.repeat(3)]);
});

test('a fence that is cut is closed and opened again with its language', () => {
  const parts = split(`\`\`\`ts\n${'const a = 1;\n'.repeat(10)}\`\`\``, 80);
  assert.equal(parts.length, 2);
  for (const part of parts) {
    assert.match(part, /^```ts\n(?:const a = 1;\n)+```$/u);
    assert.ok(part.length <= 80);
  }
});

test('a table that is cut repeats its header', () => {
  const rows = Array.from({ length: 12 }, (_, index) => `| item ${index} | ${index} |`).join('\n');
  const parts = split(`| name | count |\n|---|--:|\n${rows}`, 120);
  assert.ok(parts.length > 1);
  for (const part of parts) assert.match(part, /^```\nname +count\n-+ +-+\nitem/u);
});

test('an ordered list that is cut goes on counting', () => {
  const items = Array.from({ length: 9 }, (_, index) => `${index + 1}. ${'step '.repeat(6).trim()}`).join('\n');
  const parts = split(items, 100);
  assert.match(parts[1] ?? '', /^4\. step/u);
  assert.equal(parts.join('\n').match(/^\d\. /gmu)?.length, 9);
});

test('citation markers are not cut', () => {
  const parts = splitBlocks(parseSafe('x'.repeat(58) + '[1][2][3]'.repeat(20), [], [1, 2, 3]), 60, toSlackMrkdwn);
  assert.equal(parts.join('').match(/\[[123]\]/gu)?.length, 60);
  for (const part of parts) assert.doesNotMatch(part, /^\d?\]|\[\d?$/u);
});

test('a limit without room is refused', () => {
  assert.throws(() => split('```typescript\nlong line\n```', 10), RangeError);
});

const word = fc.constantFrom(
  'alpha',
  'beta.',
  '中文字符',
  '结束。',
  '**bold**',
  '`code`',
  '[1]',
  '*em*',
  '<b>',
  '&',
  'a'.repeat(90),
  '👩‍💻',
  '~~old~~',
  '_x_',
  '\\*',
  '|',
);
const line = fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => words.join(' '));
const block = fc.oneof(
  line,
  line.map((text) => `## ${text}`),
  fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => `\`\`\`js\n${lines.join('\n')}\n\`\`\``),
  fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => lines.map((text) => `- ${text}`).join('\n')),
  fc
    .array(line, { minLength: 1, maxLength: 5 })
    .map((lines) => lines.map((text, index) => `${index + 1}. ${text}\n   - sub ${text}`).join('\n')),
  fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.map((text) => `> ${text}`).join('\n')),
  fc
    .array(fc.tuple(fc.constantFrom('a', 'b c', '中'), fc.nat(999)), { minLength: 1, maxLength: 12 })
    .map((rows) => `| k | v |\n|---|---|\n${rows.map(([key, value]) => `| ${key} | ${value} |`).join('\n')}`),
);

/** Letters and digits of the text, whatever the markup around them; what cutting adds (repeated headers, counters) removed first. */
const letters = (text: string): string =>
  text
    .replace(/```js\n/gu, '')
    .replace(/^k +v$/gmu, '')
    .replace(/[^\p{L}]/gu, '');

test('parts hold all the text, within the limit, with balanced fences, none empty', () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 6 }),
      fc.integer({ min: 80, max: 400 }),
      fc.constantFrom(toSlackMrkdwn, toDiscordMarkdown),
      (blocks, limit, render) => {
        const tree = parseSafe(blocks.join('\n\n'), [], [1]);
        const parts = splitBlocks(tree, limit, render);
        for (const part of parts) {
          assert.ok(part.length <= limit, `${part.length} > ${limit}`);
          assert.notEqual(part.trim(), '');
          assert.equal(fences(part) % 2, 0, part);
        }
        assert.equal(letters(parts.join('\n')), letters(render(tree)));
        const markers = (text: string): number => text.match(/\[1\]/gu)?.length ?? 0;
        assert.equal(
          parts.reduce((sum, part) => sum + markers(part), 0),
          markers(render(tree)),
        );
      },
    ),
    { numRuns: 400 },
  );
});

test('a hundred thousand characters are split in under three seconds', () => {
  const started = performance.now();
  const parts = split(`${'Some sentence of middling length stands here. '.repeat(20)}\n\n`.repeat(108), 2_000);
  assert.ok(parts.length >= 50);
  split('x'.repeat(100_000), 2_000, (tree) => toTerminalText(tree, { colour: false, width: 0 }));
  assert.ok(performance.now() - started < 3_000);
});
