import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readingOf } from '../../models/extractive-lexicon.ts';
import { isMisspelling, otherWordsOf, questionTermsOf, strengthOf } from '../../models/extractive-terms.ts';

const valuesOf = (question: string): readonly string[] => questionTermsOf(question).map(({ value }) => value);
const namesOf = (question: string): readonly string[] =>
  questionTermsOf(question).flatMap(({ value, essential }) => (essential ? [value] : []));
const strength = (question: string, text: string): number => {
  const [term] = questionTermsOf(question);
  assert.ok(term !== undefined);
  return strengthOf(term, readingOf(text));
};

describe('the terms of a question', () => {
  it('are its stems without function words', () => {
    assert.deepEqual(valuesOf("What's the deadline for the invoices?"), ['deadlin', 'invoic']);
    assert.deepEqual(valuesOf('how is it'), []);
  });

  it('leave to the kind of the answer what asks for it', () => {
    assert.deepEqual(valuesOf('How long is the trial?'), ['trial']);
  });

  it('are Chinese words without particles and quantities', () => {
    assert.deepEqual(valuesOf('我们的窗户呢？'), ['窗户']);
    assert.deepEqual(valuesOf('做胃镜要带三个什么？'), ['胃镜', '带']);
  });

  it('hold codes and inner capitals as names', () => {
    assert.deepEqual(namesOf('what does LB-2011 mean'), ['lb-2011']);
    assert.deepEqual(namesOf('Does it work with MongoDB?'), ['mongodb']);
    assert.deepEqual(namesOf('X1 Pro 有多重？'), ['x1', 'pro']);
    assert.deepEqual(namesOf('What is error 404?'), ['404']);
  });

  it('hold no name for a capital at the start, in a shout, or of a weekday', () => {
    assert.deepEqual(namesOf('Parking on Sundays?'), []);
    assert.deepEqual(namesOf('HOW MUCH IS THE PARKING'), []);
  });

  it('hold a name after a title with a full stop', () => {
    assert.deepEqual(namesOf('how old is Dr. Veld?'), ['dr', 'veld']);
  });
});

describe('how well a text holds a term', () => {
  it('is 1 for its stem, 0.9 for its meaning in either language, 0 for another word', () => {
    assert.equal(strength('refunds', 'We refund you.'), 1);
    assert.equal(strength('refunds', 'You get your money back.'), 0.9);
    assert.equal(strength('退款', 'You get your money back.'), 0.9);
    assert.equal(strength('refunds', 'The pool is open.'), 0);
  });

  it('reads an irregular form', () => {
    assert.equal(strength('stolen', 'If somebody steals it'), 1);
  });

  it('reads a hyphen, a space and nothing as the same', () => {
    assert.equal(strength('wifi', 'The Wi-Fi is free.'), 1);
  });

  it('takes one weekday for the weekend and not for the other', () => {
    assert.equal(strength('Sundays', 'at weekends from 7:00'), 0.9);
    assert.equal(strength('Sundays', 'Saturday 9:00 to 13:00'), 0);
  });
});

describe('a misspelling', () => {
  it('is a letter too many, too few or two swapped', () => {
    assert.ok(isMisspelling('brekfast', 'breakfast'));
    assert.ok(isMisspelling('recieve', 'receive'));
    assert.ok(isMisspelling('warrranty', 'warranty'));
  });

  it('is not another word of the same length, nor a short one', () => {
    assert.ok(!isMisspelling('massage', 'message'));
    assert.ok(!isMisspelling('cat', 'cart'));
  });
});

it('a second search asks with the other words of a meaning', () => {
  assert.ok(otherWordsOf('Can I get my money back?').includes('退款'));
  assert.deepEqual(otherWordsOf('zebra'), []);
});

it('a phrase may stand apart where it ends in a particle', () => {
  assert.equal(strength('bringing an opened parcel back', 'You can return it.'), 0.9);
});
