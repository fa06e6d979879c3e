import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/o200k_base';
import { createTokenCounter, estimateTokens } from '../../memory/tokens.ts';

const SAMPLES = [
  "Hello world, this is a fine day; I've seen 12345 things in it.",
  '退款必须在三十天内申请，请保留收据。',
  '{"id":"3f2504e0-4f89-11d3-9a0c-0305e82c3301","ok":true}',
  'Привет, как дела? Всё хорошо.',
  'こんにちは世界。한국어 문장입니다.',
  '😀 👩‍👩‍👧 🇩🇪',
  'function foo(a, b) {\n  return a?.b ?? (c[0] + 1);\n}\n',
];

test('until the table is built a count is an estimate from above', () => {
  const { count } = createTokenCounter();
  for (const text of SAMPLES) assert.equal(count(text), estimateTokens(text));
});

describe('with the table', () => {
  const counter = createTokenCounter();
  before(() => counter.load());

  test('counts are those of the reference encoder, and the estimate is not below them', () => {
    const reference = new Tiktoken(ranks);
    for (const text of SAMPLES) {
      const exact = reference.encode(text, [], []).length;
      assert.equal(counter.count(text), exact, text);
      assert.ok(estimateTokens(text) >= exact, text);
    }
  });

  test('long texts are estimated', () => {
    const long = 'word '.repeat(1_000);
    assert.equal(counter.count(long), estimateTokens(long));
  });

  test('four thousand characters of any kind take under 50 ms of computing', () => {
    for (const unit of ['a', '好', ' ', '😀😀', '!@#$', '\n', 'x1', '👩‍👩‍👧', 'word ', '\ud800']) {
      const text = unit.repeat(4_000).slice(0, 4_000);
      // The best of three: other tests' garbage is collected in the same process.
      const times = [1, 2, 3].map(() => {
        const started = process.cpuUsage();
        assert.ok(counter.count(text) > 0);
        const { user, system } = process.cpuUsage(started);
        return user + system;
      });
      assert.ok(Math.min(...times) < 50_000, `${JSON.stringify(unit)}: ${times.join(', ')} µs`);
    }
  });

  test('no text at all costs nothing', () => assert.equal(counter.count(''), 0));
});
