import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sentencesOf } from '../../agent/sentences.ts';

const CASES: readonly (readonly [string, string, readonly string[]])[] = [
  ['two sentences', 'One is here. Two is there!', ['One is here.', 'Two is there!']],
  ['decimals', 'It takes 3.5 days. Really.', ['It takes 3.5 days.', 'Really.']],
  ['abbreviations', 'Ask Dr. Smith, e.g. by mail. Thanks.', ['Ask Dr. Smith, e.g. by mail.', 'Thanks.']],
  ['initials', 'J. Smith signed. Done.', ['J. Smith signed.', 'Done.']],
  ['a lower-case start', 'We use approx. values, v. seldom more. Ok.', ['We use approx. values, v. seldom more.', 'Ok.']],
  ['closing quotes', 'He said “Stop.” Then he left.', ['He said “Stop.”', 'Then he left.']],
  ['Chinese', '保修期为两年。请保留收据！可以吗？', ['保修期为两年。', '请保留收据！', '可以吗？']],
  ['Chinese in quotes', '他说：“可以。”然后走了。', ['他说：“可以。”', '然后走了。']],
  ['mixed', '价格是 3.5 元。Price is fixed.', ['价格是 3.5 元。', 'Price is fixed.']],
  ['hard-wrapped lines', 'The warranty is\ntwo years. It\nholds.', ['The warranty is\ntwo years.', 'It\nholds.']],
  ['list items', '- one thing\n- another thing\n1. first. 2nd', ['- one thing', '- another thing', '1. first.', '2nd']],
  ['a heading', '# Warranty\nTwo years.', ['# Warranty', 'Two years.']],
  ['table rows', '| a | b |\n| 1 | 2 |\nText.', ['| a | b |', '| 1 | 2 |', 'Text.']],
  ['paragraphs without a full stop', 'One\n\nTwo', ['One', 'Two']],
  ['addresses', 'See example.com/a.b for more. End.', ['See example.com/a.b for more.', 'End.']],
  ['nothing', ' \n ', []],
];

for (const [what, text, expected] of CASES) test(`sentences of ${what}`, () => assert.deepEqual(sentencesOf(text), expected));

test('sentences occur in the text in order, word for word, and leave only white space out', () => {
  const unit = fc.constantFrom('a', 'B', '.', '!', '。', ' ', '\n', '1', '- ', '“', '”', '好', '# ', '|', 'e.g.', '\ud83d\ude00');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60 }), (units) => {
      const text = units.join('');
      let at = 0;
      for (const sentence of sentencesOf(text)) {
        const found = text.indexOf(sentence, at);
        assert.ok(sentence !== '' && found >= at);
        assert.equal(text.slice(at, found).trim(), '');
        at = found + sentence.length;
      }
      assert.equal(text.slice(at).trim(), '');
    }),
  );
});

test('a long text takes no time', () => {
  const started = performance.now();
  sentencesOf('a. '.repeat(30_000));
  sentencesOf('.'.repeat(100_000));
  sentencesOf('\n'.repeat(100_000));
  sentencesOf('a'.repeat(100_000));
  assert.ok(performance.now() - started < 1_000);
});
