import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Turn } from '../../agent/conversation.ts';
import type { CountTokens } from '../../agent/ports/window.ts';
import { fitWindow } from '../../memory/window.ts';

const turnOf = (question: string, answer: string, speaker = 'Ada'): Turn => ({
  turnId: 't',
  conversationId: 'c',
  userId: 'u',
  speaker,
  question,
  answer: { text: answer, citations: [], answered: true, stopReason: 'answered', allowedLinks: [], fallback: false },
  steps: 1,
  tools: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  model: 'm',
  askedAt: 0,
  answeredAt: 0,
});

const countChars: CountTokens = (text) => text.length;
const fit = (history: readonly Turn[], question: string, budgetTokens: number, countTokens = countChars) =>
  fitWindow({ system: 'System', history, question, speaker: 'Bo', budgetTokens, countTokens });

test('everything that fits is there, in order, with its speakers', () => {
  assert.deepEqual(fit([turnOf('One?', 'Yes.'), turnOf('Two?', 'No.', '')], 'Three?', 1_000), [
    { role: 'system', content: 'System' },
    { role: 'user', content: 'One?', name: 'Ada' },
    { role: 'assistant', content: 'Yes.', toolCalls: [] },
    { role: 'user', content: 'Two?' },
    { role: 'assistant', content: 'No.', toolCalls: [] },
    { role: 'user', content: 'Three?', name: 'Bo' },
  ]);
});

test('the oldest turns go first, and whole', () => {
  const history = ['a', 'b', 'c'].map((char) => turnOf(char.repeat(30), char.repeat(30)));
  const contents = fit(history, 'now', 120).map(({ content }) => content[0]);
  assert.deepEqual(contents, ['S', 'c', 'c', 'n']);
});

test('a turn that does not fit hides the ones before it as well', () => {
  const history = [turnOf('small', 'small'), turnOf('x'.repeat(500), 'y'), turnOf('last', 'one')];
  assert.deepEqual(
    fit(history, 'now', 100).map(({ content }) => content),
    ['System', 'last', 'one', 'now'],
  );
});

test('a question beyond the budget is cut between characters and survives', () => {
  const [, question] = fit([turnOf('old', 'old')], '👩‍👩‍👧'.repeat(50), 60);
  assert.match(question?.content ?? '', /^(👩‍👩‍👧)+$/u);
  assert.notEqual(fit([], 'question', 1).at(-1)?.content, '');
});

test('turns that asked or answered nothing are left out', () => {
  assert.equal(fit([turnOf('', 'x'), turnOf('x', ' ')], 'now', 1_000).length, 2);
});

test('far below the budget nothing is counted', () => {
  fit([turnOf('One?', 'Yes.')], 'Two?', 1_000, () => assert.fail('counted'));
});

test('the window keeps to its budget, alternates, and ends with the question', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }).filter((value) => value.trim() !== '');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(text, text), { maxLength: 8 }),
      text,
      fc.integer({ min: 60, max: 600 }),
      (turns, question, budget) => {
        const window = fit(
          turns.map(([q, a]) => turnOf(q, a)),
          question,
          budget,
        );
        const cost = window.reduce((sum, { content }) => sum + content.length + 4, 0);
        assert.ok(cost <= budget || window.length === 2);
        assert.ok(question.startsWith(window.at(-1)?.content ?? '?'));
        const roles = window.slice(1).map(({ role }) => role);
        assert.ok(roles.every((role, i) => role === (i % 2 === 0 ? 'user' : 'assistant')));
      },
    ),
  );
});
