import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contextOf, isFollowUp, partsOf, wantedOf } from '../../models/extractive-follow-up.ts';

describe('a follow-up', () => {
  it('begins from what was said, points back, or says little', () => {
    for (const question of ['and for dealers?', '那经销商呢？', 'How much does it cost?', 'Team?'])
      assert.equal(isFollowUp(question), true, question);
  });

  it('is no question that stands on its own', () => {
    for (const question of ['When does the garage close on holidays?', '公章由哪个部门保管？'])
      assert.equal(isFollowUp(question), false, question);
  });

  it('leans on the questions back to the latest that stands on its own, newest first', () => {
    assert.deepEqual(
      contextOf('and cats?', ['and rabbits?', 'Are dogs allowed in rooms?', 'When is dinner served in the garden?']),
      ['and rabbits?', 'Are dogs allowed in rooms?'],
    );
    assert.deepEqual(contextOf('When does the garage close on holidays?', ['Are dogs allowed in rooms?']), []);
  });

  it('takes over terms and kind, and a name takes the place of the name before', () => {
    const { own, carried, kind } = wantedOf('那 X9 呢？', ['X1 滤网多少钱？']);
    assert.deepEqual(
      own.map(({ value }) => value),
      ['x9'],
    );
    assert.deepEqual(
      carried.map(({ value, essential }) => [value, essential]),
      [
        ['多少钱', false],
        ['滤网', false],
      ],
    );
    assert.equal(kind, 'money');
  });
});

it('a question that asks twice has two parts, any other one', () => {
  assert.deepEqual(partsOf('How much is parking and when does the pool open?'), [
    'How much is parking',
    'when does the pool open?',
  ]);
  assert.deepEqual(partsOf('How much is parking? When does the pool open?'), [
    'How much is parking?',
    'When does the pool open?',
  ]);
  assert.deepEqual(partsOf('Can I bring dogs and cats?'), ['Can I bring dogs and cats?']);
});

it('the clause that asks tells what is asked, and a time gone by is noticed', () => {
  const wanted = wantedOf('My card was stolen, how do I block the account?', []);
  assert.deepEqual([...wanted.asking], ['block', 'account']);
  assert.equal(wanted.asksOfPast, false);
  assert.equal(wantedOf('去年的年费是多少？', []).asksOfPast, true);
  assert.equal(wantedOf('What was the fee last year?', []).asksOfPast, true);
});
