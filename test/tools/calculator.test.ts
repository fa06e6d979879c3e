import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Calculation, calculate, createCalculator } from '../../tools/calculator.ts';
import type { RefusalKind } from '../../tools/calculator-refusal.ts';
import { toolContext } from './context.ts';

/** Expression, value, and where they differ from the expression itself: what was read. */
const VALUES: readonly (readonly [string, string, string?])[] = [
  ['1+2*3', '7', '1 + 2 * 3'],
  ['(1+2)*3', '9', '(1 + 2) * 3'],
  ['2 - 3 - 4', '-5'],
  ['100 / 10 / 2', '5'],
  ['1/3', '0.333333333333333333333333333333', '1 / 3'],
  ['1/3*3', '1', '1 / 3 * 3'],
  ['0.1+0.2', '0.3', '0.1 + 0.2'],
  ['1.005*100', '100.5', '1.005 * 100'],
  ['.5+5.', '5.5', '0.5 + 5'],
  ['2e3', '2000', '2000'],
  ['1e308*10', '1e+309', '1e+308 * 10'],
  ['2**10', '1024', '2^10'],
  ['2^3^2', '512'],
  ['-2^2', '-4'],
  ['(-2)^2', '4'],
  ['2^-1', '0.5'],
  ['10^-3', '0.001'],
  ['2--3', '5', '2 - -3'],
  ['+5', '5', '5'],
  ['2^0.5', '1.41421356237309504880168872421'],
  ['7//2', '3', '7 // 2'],
  ['-7 mod 3', '2'],
  ['10 mod 3', '1'],
  ['mod(10, 3)', '1'],
  ['5!', '120'],
  ['3!!', '720'],
  ['1000!/999!', '1000', '1000! / 999!'],
  // Percent.
  ['20%', '0.2'],
  ['20% of 150', '30'],
  ['10% of 50% of 200', '10'],
  ['1/2 of 10', '5', '1 / 2 of 10'],
  ['100 + 10%', '110'],
  ['100 - 10%', '90'],
  ['100 + 50 + 10%', '165'],
  ['10% + 5%', '0.15'],
  ['100 + (10%)', '100.1'],
  ['50%*80', '40', '50% * 80'],
  ['20% off 50', '40'],
  ['1299 - 15% of 100', '1284'],
  ['１５％ of ８０', '12', '15% of 80'],
  // Grouping.
  ['1,234.5+1', '1235.5', '1234.5 + 1'],
  ['1,234,567', '1234567', '1234567'],
  ['1.234,5', '1234.5', '1234.5'],
  ['1.234.567', '1234567', '1234567'],
  ['1.234', '1.234', '1.234'],
  ['1_000_000*2', '2000000', '1000000 * 2'],
  ['1 000 000', '1000000', '1000000'],
  ['1\u202f000 + 1', '1001', '1000 + 1'],
  ["1'000 + 1", '1001', '1000 + 1'],
  // Other writing.
  ['１２＋３４', '46', '12 + 34'],
  ['12×3÷4', '9', '12 * 3 / 4'],
  ['12 – 3', '9', '12 - 3'],
  ['12−3', '9', '12 - 3'],
  ['12 x 3', '36', '12 * 3'],
  ['3²', '9', '3^(2)'],
  ['2⁻²', '0.25', '2^(-2)'],
  ['2½*4', '10', '(2 + 1 / 2) * 4'],
  ['½', '0.5', '(1 / 2)'],
  ['٣+٤', '7', '3 + 4'],
  ['३ × २', '6', '3 * 2'],
  ['[1+2]*{3}', '9', '(1 + 2) * (3)'],
  ['1 + 2 =', '3', '1 + 2'],
  ['1+2=?', '3', '1 + 2'],
  ['`1+2`', '3', '1 + 2'],
  ['√9+1', '4', 'sqrt(9) + 1'],
  ['√(9+7)', '4', 'sqrt(9 + 7)'],
  // Suffixes.
  ['5k*2', '10000', '5000 * 2'],
  ['3.5m', '3500000', '3500000'],
  ['2bn + 1', '2000000001', '2000000000 + 1'],
  ['3 million', '3000000', '3000000'],
  ['3万', '30000', '30000'],
  ['1.5亿+2万', '150020000', '150000000 + 20000'],
  ['1.5万亿', '1500000000000', '1500000000000'],
  // Silent multiplication.
  ['2(3+4)', '14', '2 * (3 + 4)'],
  ['(2)(3)', '6', '(2) * (3)'],
  ['6/2(1+2)', '9', '6 / 2 * (1 + 2)'],
  ['2pi', '6.28318530717958647692528676656', '2 * pi'],
  ['2π', '6.28318530717958647692528676656', '2 * pi'],
  // Functions.
  ['sqrt(16)', '4'],
  ['cbrt(27)', '3'],
  ['abs(-3)', '3'],
  ['round(2.567, 2)', '2.57'],
  ['round(2.5)', '3'],
  ['floor(-1.5)', '-2'],
  ['ceil(1.2)', '2'],
  ['min(3, 1, 2)', '1'],
  ['max(1,2,3)', '3', 'max(1, 2, 3)'],
  ['max(1, 234)', '234'],
  ['max(1,5)', '5', 'max(1, 5)'],
  ['sum(1;2;3)', '6', 'sum(1, 2, 3)'],
  ['avg(1, 2, 3)', '2'],
  ['median(4, 1, 3, 2)', '2.5'],
  ['ln(e)', '1'],
  ['log(100)', '2'],
  ['log(8, 2)', '3'],
  ['log2(1024)', '10'],
  ['exp(0)', '1'],
  ['pow(2, 8)', '256'],
  ['gcd(12, 18)', '6'],
  ['lcm(4, 6)', '12'],
  ['factorial(4)', '24'],
  ['max((1,234), 5)', '1234', 'max((1234), 5)'],
];

const REFUSALS: readonly (readonly [string, RefusalKind, RegExp])[] = [
  ['9^9^9', 'too_large', /^9\^387420489 has 369,693,100 digits; up to 10,000/],
  ['9^9^9^9', 'too_large', /digits; up to 10,000/],
  ['2^40000', 'too_large', /12,042 digits/],
  ['1.0001^100000', 'too_large', /exponent/],
  ['1001!', 'too_large', /1000/],
  ['sin(1e20)', 'too_large', /angle/],
  ['1e4999 mod 3', 'too_large', /remainder/],
  ['1e5000*1e5000*10', 'too_large', /too large/],
  ['1/0', 'division_by_zero', /division by zero/],
  ['0/0', 'division_by_zero', /division by zero/],
  ['5 mod 0', 'division_by_zero', /division by zero/],
  ['0^-1', 'division_by_zero', /division by zero/],
  ['sqrt(-1)', 'domain', /square root/],
  ['ln(0)', 'domain', /greater than 0/],
  ['(-8)^(1/3)', 'domain', /real root/],
  ['2.5!', 'domain', /whole numbers/],
  ['acos(2)', 'domain', /from -1 to 1/],
  ['$5+€3', 'domain', /rate of exchange/],
  ['1,5', 'ambiguous', /1\.5 or 15/],
  ['12,34,567', 'ambiguous', /not clear/],
  ['1.2.3', 'ambiguous', /not clear/],
  ['max(1,234)', 'ambiguous', /space behind/],
  ['10 % 3', 'ambiguous', /mod/],
  ['constructor', 'unknown_name', /constructor/],
  ['__proto__', 'syntax', /no meaning/],
  ['toString(1)', 'unknown_name', /toString/],
  ['ones(10)', 'unknown_name', /ones/],
  ['x=toString; x()', 'syntax', /equation/],
  ['2 = 2', 'syntax', /equation/],
  ['(1+2', 'syntax', /closing bracket/],
  ['1+2)', 'syntax', /opening/],
  ['2+', 'syntax', /missing at the end/],
  ['*2', 'syntax', /missing before/],
  ['1 2', 'syntax', /side by side/],
  ['sin 30', 'syntax', /brackets/],
  ['sum()', 'syntax', /and 0 came/],
  ['sqrt(1, 2)', 'syntax', /takes 1 value/],
  ['', 'syntax', /nothing/],
  ['\ud800', 'syntax', /no meaning/],
  ['1:1e7', 'syntax', /no meaning/],
  ['"a"+1', 'unknown_name', /a/],
  ['1'.repeat(101), 'limit', /100 digits/],
  ['1+'.repeat(240), 'limit', /200 parts/],
  [Array(26).fill('abs(1)').join('+'), 'limit', /25 functions/],
  ['('.repeat(200), 'limit', /nested/],
  ['-'.repeat(200), 'limit', /nested/],
  ['1'.repeat(501), 'limit', /500 characters/],
];

describe('the calculator', () => {
  for (const [expression, value, read = expression] of VALUES) {
    test(`${expression} is ${value}`, () => {
      const { rounded: _, ...result } = calculate(expression) as Calculation & { readonly rounded?: string };
      assert.deepEqual(result, { ok: true, expression: read, value });
    });
  }

  for (const [expression, kind, reason] of REFUSALS) {
    test(`${JSON.stringify(expression.slice(0, 20))} is refused as ${kind}`, () => {
      const result = calculate(expression);
      assert.ok(!result.ok, JSON.stringify(result));
      assert.equal(result.kind, kind);
      assert.match(result.reason, reason);
    });
  }

  test('angles are radians unless degrees are written, and named', () => {
    const named = (expression: string): unknown[] => {
      const result = calculate(expression);
      return result.ok ? [result.value, result.angle] : [];
    };
    assert.deepEqual(named('sin(30 deg)'), ['0.5', 'degrees']);
    assert.deepEqual(named('sin(30°)'), ['0.5', 'degrees']);
    assert.deepEqual(named('sin(0)'), ['0', 'radians']);
    assert.deepEqual(named('cos(pi rad)'), ['-1', 'radians']);
    assert.deepEqual(named('1 + 1'), ['2', undefined]);
  });

  test('a currency is carried to the result', () => {
    const money = (expression: string): unknown[] => {
      const result = calculate(expression);
      return result.ok ? [result.value, result.currency] : [result.reason];
    };
    assert.deepEqual(money('$5+$3'), ['8', '$']);
    assert.deepEqual(money('5€*2'), ['10', '€']);
    assert.deepEqual(money('￥1,000 - 10%'), ['900', '¥']);
    assert.deepEqual(money('100元*3'), ['300', '¥']);
    assert.deepEqual(money('$10/$4'), ['2.5', undefined]);
    assert.deepEqual(money('$2*$3'), ['two amounts of money cannot be multiplied; leave the sign of one away']);
  });

  test('the heaviest expressions within the limits stay under 50 ms of computing', () => {
    const heavy = [
      Array(60).fill('999!').join('+'),
      Array(40).fill('2.5^99.5').join('+'),
      Array(25).fill('atan(1.5)').join('+'),
      Array(25).fill('acos(0.99)').join('+'),
      Array(25).fill('ln(1.5)').join('*'),
      Array(25).fill('tan(1e15)').join('+'),
      '9999^0.5^0.5^0.5^0.5',
    ];
    for (const expression of heavy) {
      // The best of three: other tests' garbage is collected in the same process.
      const times = [1, 2, 3].map(() => {
        const before = process.cpuUsage();
        assert.ok(calculate(expression).ok, expression);
        const { user, system } = process.cpuUsage(before);
        return user + system;
      });
      assert.ok(Math.min(...times) < 50_000, `${expression.slice(0, 20)}: ${times.join(', ')} µs`);
    }
  });

  test('as a tool it returns the result, refusals included', async () => {
    const tool = createCalculator();
    assert.deepEqual(await tool.run({ expression: '12 * 3' }, toolContext()), { ok: true, expression: '12 * 3', value: '36' });
    assert.deepEqual(await tool.run({ expression: '1/0' }, toolContext()), {
      ok: false,
      kind: 'division_by_zero',
      reason: 'division by zero has no result; divide by a number other than 0',
    });
  });
});
