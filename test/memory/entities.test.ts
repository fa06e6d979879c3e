import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entitiesOf } from '../../memory/entities.ts';
import { turnOf } from './turns.ts';

test('names, identifiers, dates and speakers of the latest turns are noted, newest first', () => {
  const turns = [
    turnOf('What does the Alpha 300 cost?', ''),
    turnOf('And order AB-1234 of 2026-03-01 for Harbour Logistics Ltd?', '', { speaker: 'Bo' }),
    turnOf('《员工手册》里有没有写？', '', { speaker: '' }),
  ];
  assert.deepEqual(entitiesOf(turns), [
    { kind: 'product', name: '员工手册' },
    { kind: 'person', name: 'Bo' },
    { kind: 'identifier', name: 'AB-1234' },
    { kind: 'date', name: '2026-03-01' },
    { kind: 'organisation', name: 'Harbour Logistics Ltd' },
    { kind: 'person', name: 'Ada' },
    { kind: 'product', name: 'Alpha 300' },
  ]);
});

test('the first word of a sentence is no name', () => {
  assert.deepEqual(entitiesOf([turnOf('Where is it? The door. Which one?', '', { speaker: '' })]), []);
});

test('at most twelve, also of a long text of capitals', () => {
  const question = Array.from({ length: 5_000 }, (_, at) => `Item X${at}`).join(' and ');
  assert.equal(entitiesOf([turnOf(question, '')]).length, 12);
});
