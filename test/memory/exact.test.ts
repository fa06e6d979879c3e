import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createExactIndex } from '../../memory/exact.ts';
import { createRandom, randomUnit, testVectorIndexContract } from '../contracts/vector-index.ts';

testVectorIndexContract('the exact index', (dimensions) => createExactIndex({ dimensions }));

describe('the scan of the exact index', () => {
  it('is right for any number of dimensions', async () => {
    const random = createRandom(1);
    for (let dimensions = 1; dimensions <= 50; dimensions++) {
      const index = createExactIndex({ dimensions });
      const vectors = Array.from({ length: 70 }, () => randomUnit(random, dimensions));
      await index.add(vectors.map((vector, n) => ({ id: String(n), label: 'l', vector })));
      const query = randomUnit(random, dimensions);
      const hits = await index.search(query, ['l'], 70);
      assert.equal(hits.length, 70);
      for (const { id, score } of hits) {
        const expected = vectors[Number(id)]?.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0) ?? 9;
        assert.ok(Math.abs(score - expected) < 1e-6, `${dimensions} dimensions: ${score} for ${expected}`);
      }
    }
  });

  it('lets the process turn while it takes in and scans tens of thousands of rows', async () => {
    const index = createExactIndex({ dimensions: 512 });
    const vector = new Float32Array(512).fill(1 / Math.sqrt(512));
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      if (isDone) return;
      turns++;
      setImmediate(count);
    };
    setImmediate(count);
    // 25,600,000 floats: three times what is done in one go.
    await index.add(Array.from({ length: 50_000 }, (_, n) => ({ id: String(n), label: 'l', vector })));
    assert.ok(turns >= 3, `${turns} turns`);
    turns = 0;
    const searches = Array.from({ length: 4 }, () => index.search(vector, ['l'], 3));
    assert.deepEqual(
      (await Promise.all(searches)).map((hits) => hits.length),
      [3, 3, 3, 3],
    );
    isDone = true;
    assert.ok(turns >= 12, `${turns} turns`);
  });

  it('takes no place for values whose products are no numbers', async () => {
    const index = createExactIndex({ dimensions: 2 });
    await index.add([
      { id: 'huge', label: 'l', vector: Float32Array.of(3e38, -3e38) },
      { id: 'right', label: 'l', vector: Float32Array.of(1, 0) },
    ]);
    assert.deepEqual(
      (await index.search(Float32Array.of(3e38, 3e38), ['l'], 2)).map(({ id }) => id),
      ['right'],
    );
  });
});
