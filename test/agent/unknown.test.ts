import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTextGate, stripUnknown } from '../../agent/unknown.ts';

const gated = (...deltas: string[]): string[] => {
  const shown: string[] = [];
  const gate = createTextGate((delta) => void shown.push(delta));
  for (const delta of deltas) gate.push(delta);
  gate.flush();
  return shown;
};

test('the marker is never shown, however it is cut', () => {
  assert.equal(gated('[unk', 'nown] ', 'No idea', '.').join(''), 'No idea.');
  assert.equal(gated(...'[Unknown]\nNo idea.').join(''), 'No idea.');
  assert.deepEqual(gated('[unknown]'), []);
});

test('other text is shown as soon as it cannot be the marker', () => {
  assert.deepEqual(gated('[1', '] is', ' it'), ['[1', '] is', ' it']);
  assert.deepEqual(gated('Yes', ' it is'), ['Yes', ' it is']);
  assert.deepEqual(gated('[unk', 'ind]'), ['[unkind]']);
  assert.deepEqual(gated('[unk'), ['[unk']);
});

test('only a marker at the beginning says that the answer is unknown', () => {
  assert.deepEqual(stripUnknown(' [UNKNOWN] No.'), { text: 'No.', unknown: true });
  assert.deepEqual(stripUnknown('It is [unknown].'), { text: 'It is [unknown].', unknown: false });
});
