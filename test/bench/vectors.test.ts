import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBatches, createRow, FILTERS, findFloors } from '../../bench/vectors/corpus.ts';
import { createEngine, ENGINES } from '../../bench/vectors/engines.ts';
import { createRandom, randomUnit } from '../contracts/vector-index.ts';

const DIMENSIONS = 32;
const SIZE = 1_000;
const random = createRandom(1);
const texts = new Float32Array(20 * DIMENSIONS);
for (let text = 0; text < 20; text++) texts.set(randomUnit(random, DIMENSIONS), text * DIMENSIONS);
const queries = Array.from({ length: 5 }, () => randomUnit(random, DIMENSIONS));
const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe('the benchmark of vector indexes', () => {
  it('makes the same rows each time, near one of the texts, a hundredth and a tenth of them under the small labels', () => {
    const rows = [...createBatches(texts, DIMENSIONS, SIZE)].flat();
    assert.deepEqual(rows[437], createRow(texts, DIMENSIONS, 437));
    const shares = FILTERS.map(({ labels }) => rows.filter(({ label }) => labels.includes(label)).length / SIZE);
    assert.deepEqual(shares, [0.01, 0.1, 1]);
    for (const { vector } of rows) {
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
      const nearest = Math.max(...Array.from({ length: 20 }, (_, text) => dot(vector, texts.subarray(text * DIMENSIONS))));
      assert.ok(nearest > 0.85, String(nearest));
    }
  });

  for (const name of ENGINES) {
    it(`finds the ten nearest rows of each filter with ${name}`, async () => {
      const floors = findFloors(texts, DIMENSIONS, SIZE, queries);
      const engine = createEngine(name, DIMENSIONS, SIZE);
      for (const batch of createBatches(texts, DIMENSIONS, SIZE)) await engine.add(batch);
      await engine.settle();
      for (const [filter, { percent, labels }] of FILTERS.entries()) {
        for (const [at, query] of queries.entries()) {
          const ids = await engine.search(query, labels, percent / 100);
          assert.equal(new Set(ids).size, 10);
          for (const id of ids) {
            const { label, vector } = createRow(texts, DIMENSIONS, Number(id.slice('row-'.length)));
            assert.ok(labels.includes(label));
            assert.ok(dot(vector, query) >= (floors[filter]?.[at] ?? 9) - 1e-6);
          }
        }
      }
      await engine.remove('row-7');
      for (const query of queries) assert.ok(!(await engine.search(query, ['nine'], 0.09)).includes('row-7'));
      await engine.close();
    });
  }
});
