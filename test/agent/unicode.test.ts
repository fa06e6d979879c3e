import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutMiddle, graphemeBoundary, unpairedRemoved } from '../../agent/unicode.ts';

test('lone surrogates are dropped, pairs are kept', () => {
  assert.equal(unpairedRemoved('a\ud83db\udc00c😀'), 'abc😀');
});

test('a boundary never falls inside a character as a person sees it', () => {
  const family = '👩‍👩‍👧';
  const text = `ab${family}c`;
  assert.equal(graphemeBoundary(text, 2), 2);
  for (let at = 3; at < 2 + family.length; at += 1) assert.equal(graphemeBoundary(text, at), 2);
  assert.equal(graphemeBoundary(text, 2 + family.length), 2 + family.length);
  assert.equal(graphemeBoundary(text, 99), text.length);
});

test('a cut text holds its head, its tail and how much is missing', () => {
  const text = `${'a'.repeat(500)}${'b'.repeat(500)}`;
  const cut = cutMiddle(text, 200);
  assert.ok(cut.length <= 200);
  assert.match(cut, /^a+ … \[800 more characters left out\] … b+$/);
  assert.equal(cutMiddle('short', 200), 'short');
});
