import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { evaluateExactly, isRounded } from '../../bench/calculator/exact.ts';
import { run as runToolArguments } from '../../bench/tool-arguments.ts';
import { calculate } from '../../tools/calculator.ts';

test('the exact fractions follow the rules of arithmetic', () => {
  assert.deepEqual(evaluateExactly('1/3*27'), { over: 27n, under: 3n });
  assert.deepEqual(evaluateExactly('-(2-.5)*4'), { over: -60n, under: 10n });
  assert.deepEqual(evaluateExactly('7//2+2(3)'), { over: 9n, under: 1n });
  assert.throws(() => evaluateExactly('1/0'), RangeError);
  assert.throws(() => evaluateExactly('1+'), SyntaxError);
  assert.throws(() => evaluateExactly('2^3'), SyntaxError);
});

test('a rounded value is one that is off by half a unit of the last digit at most', () => {
  const third = { over: 1n, under: 3n };
  assert.ok(isRounded('0.3333', third, 4));
  assert.ok(!isRounded('0.3334', third, 4));
  assert.ok(!isRounded('0.333', third, 4));
  assert.ok(isRounded('1.2346e+4', { over: 123_456n, under: 10n }, 5));
  assert.ok(!isRounded('1.2345e+4', { over: 123_456n, under: 10n }, 5));
  assert.ok(isRounded('0', { over: 0n, under: 1n }, 5));
  assert.ok(!isRounded('0.1', { over: 0n, under: 1n }, 5));
});

const SCHOOL_MATHS = new URL('../../../shared/data/gsm8k/expressions.tsv', import.meta.url);
if (existsSync(SCHOOL_MATHS)) {
  test('every expression of the school mathematics set is right to 30 digits', () => {
    const expressions = readFileSync(SCHOOL_MATHS, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split('\t')[0] ?? '');
    const wrong = expressions.filter((expression) => {
      const result = calculate(expression);
      return !result.ok || !isRounded(result.value, evaluateExactly(expression), 30);
    });
    assert.deepEqual(wrong, []);
    assert.equal(expressions.length, 23_716);
  });

  test('every gold call of the function-calling set passes, and every broken one is refused by the name of its field', async () => {
    for await (const { case: set, metric, value, n } of runToolArguments()) {
      // Four of the values that the set calls right contradict its own descriptions.
      if (metric === 'other_right_values_pass' && set === 'simple_python') assert.equal(Math.round(n * (1 - Number(value))), 4);
      else assert.equal(value, 1, `${set} ${metric}`);
    }
  });
}
