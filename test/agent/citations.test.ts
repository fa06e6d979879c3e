import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { citeText, linksIn, quoteFor } from '../../agent/citations.ts';
import type { Evidence } from '../../agent/conversation.ts';
import { passageOf } from './fakes.ts';

const evidenceOf = (...texts: string[]): Evidence[] => texts.map((text, i) => ({ ...passageOf(`c${i + 1}`, text), n: i + 1 }));

const EVIDENCE = evidenceOf(
  'Devices are sturdy. The warranty is two years (24 months). Keep the receipt.',
  '退货必须在三十天内申请。请保留收据。运费由买家承担。',
  'Shipping takes 3.5 days on average.\nExpress takes one day.',
);

const cite = (text: string): { text: string; quotes: (readonly [number, string])[] } => {
  const cited = citeText(text, EVIDENCE);
  return { text: cited.text, quotes: cited.citations.map(({ n, quote }) => [n, quote] as const) };
};

describe('citations', () => {
  test('are renumbered in the order of the text, each quoted by its best sentence', () => {
    assert.deepEqual(cite('It ships in 3.5 days [3]. The warranty is two years [1].'), {
      text: 'It ships in 3.5 days [1]. The warranty is two years [2].',
      quotes: [
        [1, 'Shipping takes 3.5 days on average.'],
        [2, 'The warranty is two years (24 months).'],
      ],
    });
  });

  const FORMS: readonly (readonly [string, string])[] = [
    ['Two years [1][3].', 'Two years [1][2].'],
    ['Two years [1, 3].', 'Two years [1][2].'],
    ['Two years [1-3].', 'Two years [1][2][3].'],
    ['Two years【1】。', 'Two years[1]。'],
    ['Two years. [1]', 'Two years. [1]'],
    ['Two years[1] and again [1].', 'Two years[1] and again [1].'],
    ['Nothing [9].', 'Nothing.'],
    ['Some [9, 1].', 'Some [1].'],
    ['See [1](https://example.com).', 'See [1](https://example.com).'],
    ['Use `row[1]` here [3].', 'Use `row[1]` here [1].'],
    ['```\nrow[1]\n```\nDone [3].', '```\nrow[1]\n```\nDone [1].'],
  ];
  for (const [text, expected] of FORMS) {
    test(`${JSON.stringify(text)} becomes ${JSON.stringify(expected)}`, () => assert.equal(cite(text).text, expected));
  }

  test('quote Chinese by the sentence that shares most with the claim', () => {
    assert.deepEqual(cite('退货要在三十天内申请 [2]。').quotes, [[1, '退货必须在三十天内申请。']]);
    assert.deepEqual(cite('运费买家承担[2]').quotes, [[1, '运费由买家承担。']]);
  });

  test('quote what stands word for word in the passage, however many sentences it has', () => {
    assert.deepEqual(cite('Devices are sturdy. The warranty is two years (24 months). [1]').quotes, [
      [1, 'Devices are sturdy. The warranty is two years (24 months).'],
    ]);
    assert.deepEqual(cite('The warranty is two years [1].').quotes, [[1, 'The warranty is two years (24 months).']]);
  });

  test('have quotes that occur in their passage word for word', () => {
    for (const text of ['one day [3]', 'anything [1]', '[2]', 'keep it [1] and 收据 [2]']) {
      for (const { chunkId, quote } of citeText(text, EVIDENCE).citations) {
        const passage = EVIDENCE.find((item) => item.chunkId === chunkId);
        assert.ok(quote !== '' && passage?.text.includes(quote), quote);
      }
    }
  });

  test('of a passage without sentences quote all of it', () => {
    assert.equal(quoteFor(['claim'], '  | a | b |  '), '| a | b |');
  });

  test('take no time on hostile text', () => {
    const started = performance.now();
    citeText('[1'.repeat(20_000), EVIDENCE);
    citeText('['.repeat(40_000), EVIDENCE);
    citeText(`${' '.repeat(20_000)}[1]`, EVIDENCE);
    assert.ok(performance.now() - started < 1_000);
  });
});

test('links are found without the punctuation around them, each once', () => {
  assert.deepEqual(
    linksIn([
      'See https://example.com/a. And (https://example.com/b), <https://example.com/c>!',
      '详见https://example.com/d。 https://example.com/wiki_(x) https://example.com/a',
      'ftp://example.com http:// plain',
    ]),
    [
      'https://example.com/a',
      'https://example.com/b',
      'https://example.com/c',
      'https://example.com/d',
      'https://example.com/wiki_(x)',
    ],
  );
});
