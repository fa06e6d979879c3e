import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type AnswerKind, answerKindOf, hasAnswerOfKind } from '../../models/extractive-kinds.ts';

it('a question tells the kind of its answer', () => {
  const kinds: readonly (readonly [string, AnswerKind])[] = [
    ['How much is the audit log?', 'money'],
    ['滤网多少钱？', 'money'],
    ['How long does it take?', 'duration'],
    ['多久换一次', 'duration'],
    ['how many rooms', 'number'],
    ['How big may an attachment be?', 'size'],
    ['Who approves a claim?', 'person'],
    ['Where do I park?', 'place'],
    ['When are salaries paid?', 'time'],
    ['What time is dinner?', 'clock'],
    ['几点上班', 'clock'],
    ['which sources can I connect', 'list'],
    ['what is the phone number of the hotel', 'phone'],
    ['can I bring my dog', 'any'],
  ];
  assert.deepEqual(
    kinds.map(([question]) => [question, answerKindOf(question)]),
    kinds,
  );
});

it('a sentence is of a kind when it could answer it', () => {
  assert.ok(hasAnswerOfKind('It costs 16 pounds.', 'money'));
  assert.ok(!hasAnswerOfKind('The garage cannot be reserved.', 'money'));
  assert.ok(hasAnswerOfKind('一般为三个工作日。', 'duration'));
  assert.ok(!hasAnswerOfKind('Come to reception.', 'duration'));
  assert.ok(hasAnswerOfKind('Dinner from 6 pm.', 'clock'));
  assert.ok(!hasAnswerOfKind('Until ten days before the event.', 'clock'));
  assert.ok(hasAnswerOfKind('Files of up to 20 MB.', 'size'));
  assert.ok(!hasAnswerOfKind('Chat is staffed from 07:00 to 20:00.', 'size'));
  assert.ok(hasAnswerOfKind('Call 0123 555 019.', 'phone'));
  assert.ok(!hasAnswerOfKind('She founded the clinic in 1998.', 'phone'));
});
