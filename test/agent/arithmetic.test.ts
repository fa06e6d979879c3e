import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksLikeArithmetic } from '../../agent/arithmetic.ts';
import { calculate } from '../../tools/calculator.ts';

const ASKED: readonly (readonly [string, string])[] = [
  ['what is 12% of 80?', '9.6'],
  ['12*(3+4)=?', '84'],
  ['计算 3×4', '12'],
  ['how much is 5 + 7', '12'],
  ['3加4等于多少', '7'],
  ['80的12%是多少', '9.6'],
  ['请问 12*3 是多少？', '36'],
  ['what is 2^10', '1024'],
  ['What is 15 divided by 4?', '3.75'],
  ["what's 7 times 8?", '56'],
  ['What is 100 plus 10 percent?', '110'],
  ['100,000 / 8 = ?', '12500'],
  ['Calculate (1299 - 15%) * 3', '3312.45'],
  ['what is the square root of 16', '4'],
  ['5!', '120'],
  ['what is 10-20', '-10'],
  ['１２＋３４', '46'],
];
for (const [question, value] of ASKED) {
  test(`“${question}” asks for a calculation`, () => {
    const result = calculate(looksLikeArithmetic(question) ?? '');
    assert.equal(result.ok && result.value, value);
  });
}

for (const question of [
  'what is 24/7 support?',
  'What is 24/7?',
  '2024-01-02',
  '02/03/2024',
  '10-20',
  'what is the warranty?',
  'how many days is 3 weeks',
  'call 555-1234-567',
  'iPhone 15',
  'what is 5',
  'version 1.2.3',
  '3 + 4 apples',
  'section 3.2 - 4',
  'is C++ used?',
  '保修期是多少',
  '2024年是多少',
  '',
  '!!!',
]) {
  test(`“${question}” asks for none`, () => assert.equal(looksLikeArithmetic(question), undefined));
}
