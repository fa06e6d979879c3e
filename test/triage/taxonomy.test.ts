import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { readTaxonomy } from '../../triage/taxonomy.ts';
import { createReader, never, sampleTaxonomy } from './fixtures.ts';

const refusal = (yaml: string): string => {
  try {
    readTaxonomy(yaml, 't.yaml');
  } catch (error) {
    if (hasCode(error, 'config_invalid')) return error.message;
  }
  return '';
};

test('the sample taxonomy is read with its categories, teams and table', () => {
  const taxonomy = sampleTaxonomy();
  assert.equal(Object.keys(taxonomy.categories).length, 9);
  assert.equal(taxonomy.categories['safety']?.sensitive, true);
  assert.equal(taxonomy.priorities.high.high, 'urgent');
});

test('what is wrong with a taxonomy is told with its place', () => {
  assert.match(refusal('categories: {}'), /^t\.yaml: categories: expected 1 to 1000 categories, got 0/);
  assert.match(refusal('categories: { a: { teem: x } }'), /^t\.yaml: categories\.a: .*teem/);
  assert.match(refusal('categories: { a: { impact: huge } }'), /^t\.yaml: categories\.a\.impact: /);
  assert.match(refusal('categories: { "a b": {} }'), /^t\.yaml: categories\.a b: /);
  assert.match(refusal('categories: [\n'), /^t\.yaml: expected YAML, got /);
  assert.match(
    refusal('categories: { a: { examples: [Hi there] }, b: { examples: [hi there] } }'),
    /example 1 of b is an example of a as well/,
  );
  assert.match(refusal('categories: { a: {} }\nforms: { order_number: ["(a+)+$"] }'), /^t\.yaml: forms\.order_number\.0/);
});

test('the id of a taxonomy changes with its categories and not with its examples', () => {
  const id = (yaml: string): string => readTaxonomy(yaml, 't.yaml').id;
  assert.equal(id('categories: { a: { examples: [x] } }'), id('categories: { a: { examples: [y] } }'));
  assert.notEqual(id('categories: { a: {} }'), id('categories: { b: {} }'));
});

test('a reading of a category that is gone is shown as removed', async (t) => {
  const old = createReader();
  t.after(() => old.close());
  const reading = await old.read({ subject: '', text: 'Smoke came out of the base of my kettle, there were sparks' }, never());
  assert.deepEqual([reading.category.value, old.categoryOf(reading).state], ['safety', 'known']);
  const next = createReader({ taxonomy: readTaxonomy('categories: { hazard: {}, other: {} }', 't.yaml') });
  t.after(() => next.close());
  assert.notEqual(next.taxonomyId, reading.taxonomyId);
  assert.deepEqual(next.categoryOf(reading), { state: 'removed', id: 'safety' });
});

test('taxonomies of one category and of 200 are read by', async (t) => {
  for (const count of [1, 200]) {
    const categories = Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`c${n}`, { examples: [`about topic${n} and thing${n}`] }]),
    );
    const reader = createReader({ taxonomy: readTaxonomy(JSON.stringify({ categories }), 't.yaml') });
    t.after(() => reader.close());
    const reading = await reader.read({ subject: '', text: 'something about topic0 and thing0' }, never());
    assert.equal(reading.candidates[0]?.category, 'c0');
    assert.equal(reading.nearest[0]?.exampleId, 'c0:0');
    assert.ok(reading.notes.includes('too_few_examples'));
  }
});
