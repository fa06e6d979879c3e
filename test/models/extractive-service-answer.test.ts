import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textsFor } from '../../agent/texts.ts';
import { serviceAnswer } from '../../models/extractive-service-answer.ts';

const en = textsFor('en');
const ORIGIN = '*From the service “desk”, asked at 2026-03-31 14:05 UTC*';
const answerOf = (data: unknown): string | undefined => {
  const content = { service: 'desk', request: 'GET /x', read_at: '2026-03-31T14:05:06.000Z', data };
  return serviceAnswer(content, 'Orders of a day\nUse it often.', en)?.text;
};

const cases: readonly (readonly [string, unknown, string])[] = [
  ['one value stands alone', 42, '**42**'],
  ['one field stands with its name', { total: 42 }, 'total: **42**'],
  ['fields are a list, those within others with both names', { a: 1, b: { c: null, d: true } }, '- a: 1\n- b.c: –\n- b.d: true'],
  ['a list of texts is a list', ['x', 'y'], '- x\n- y'],
  ['a list of records is a table', [{ a: 1 }, { a: 2, b: 'z' }], '| a | b |\n| --- | --- |\n| 1 | – |\n| 2 | z |'],
  [
    'a list in a record is one line',
    { lines: [{ name: 'cup', count: 2 }, { name: 'pot' }] },
    'lines: **name cup, count 2; name pot**',
  ],
  ['nothing is said to be nothing', [], 'There are no such records.'],
  [
    'marks in a text are text',
    { note: '[x](https://evil.example) **@here**' },
    'note: **\\[x\\]\\(https://evil.example\\) \\*\\*\\@here\\*\\***',
  ],
];
for (const [title, data, body] of cases) {
  test(title, () => assert.equal(answerOf(data), `Orders of a day\n\n${body}\n\n${ORIGIN}`));
}

test('a long list is cut, and says so', () => {
  const text = answerOf(Array.from({ length: 25 }, (_, n) => n)) ?? '';
  assert.match(text, /- 19\n\nThe first 20 are shown; there are more\./);
});

test('what the service does not have, refuses or cannot tell now is said as such, and other results are left alone', () => {
  const of = (content: unknown) => serviceAnswer(content, 'Orders', en);
  assert.deepEqual(of({ ok: false, kind: 'not_found' }), { text: en.serviceNothing, answered: false });
  assert.deepEqual(of({ service: 'desk', ok: false, status: 422, said: {} }), { text: en.serviceNothing, answered: false });
  assert.deepEqual(of({ ok: false, kind: 'timeout' }), { text: en.serviceFailed, answered: false });
  assert.equal(of({ passages: [] }), undefined);
});
