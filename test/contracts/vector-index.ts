/** What every `VectorIndex` does, whatever engine is under it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import type { VectorEntry, VectorIndex } from '../../agent/ports/vector-index.ts';

/** A small generator of its own, so that a failure comes again. */
export const createRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

export const randomUnit = (random: () => number, dimensions: number): Float32Array => {
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
};

const invalid = (error: unknown): boolean => hasCode(error, 'vector_invalid');

export const testVectorIndexContract = (
  engine: string,
  open: (dimensions: number) => VectorIndex | Promise<VectorIndex>,
): void => {
  describe(`${engine} keeps the vector index's contract`, () => {
    let index: VectorIndex;
    beforeEach(async () => {
      index = await open(2);
    });
    afterEach(() => index.close());

    const entry = (id: string, x: number, y: number, label = 'public'): VectorEntry => ({
      id,
      label,
      vector: Float32Array.of(x, y),
    });
    const ids = async (labels: readonly string[], limit = 10, x = 1, y = 0) =>
      (await index.search(Float32Array.of(x, y), labels, limit)).map((hit) => hit.id);

    it('finds nothing while it is empty', async () => {
      assert.deepEqual(await ids(['public']), []);
      assert.equal(index.size(), 0);
    });

    it('gives the cosine, best first', async () => {
      await index.add([
        entry('up', 0, 1),
        entry('right', 1, 0),
        entry('left', -1, 0),
        entry('between', Math.SQRT1_2, Math.SQRT1_2),
      ]);
      const hits = await index.search(Float32Array.of(1, 0), ['public'], 10);
      assert.deepEqual(
        hits.map((hit) => hit.id),
        ['right', 'between', 'up', 'left'],
      );
      assert.deepEqual(
        hits.map((hit) => Number(hit.score.toFixed(4))),
        [1, 0.7071, 0, -1],
      );
    });

    it('orders ties by id, at the limit as well', async () => {
      await index.add(['d', 'b', 'e', 'a', 'c'].map((id) => entry(id, 1, 0)));
      await index.add([entry('z', 0, 1)]);
      assert.deepEqual(await ids(['public'], 3), ['a', 'b', 'c']);
      assert.deepEqual(await ids(['public'], 1), ['a']);
    });

    it('filters labels inside the search: a hidden entry neither appears nor takes a place', async () => {
      await index.add(Array.from({ length: 100 }, (_, n) => entry(`hidden${n}`, 1, 0, 'board')));
      await index.add([entry('seen', 0, 1)]);
      assert.deepEqual(await ids(['public'], 1), ['seen']);
      assert.deepEqual(await ids([], 10), []);
      assert.deepEqual(await ids(['unknown'], 10), []);
      assert.equal((await ids(['public', 'board', 'public'], 200)).length, 101);
    });

    it('replaces an entry of the same id, under another label too, and in one call', async () => {
      await index.add([entry('a', 1, 0), entry('b', 0, 1)]);
      await index.add([entry('a', -1, 0)]);
      assert.deepEqual(await ids(['public']), ['b', 'a']);
      await index.add([entry('a', 1, 0, 'board')]);
      assert.deepEqual(await ids(['public']), ['b']);
      assert.deepEqual(await ids(['board']), ['a']);
      await index.add([entry('c', 1, 0), entry('c', 1, 0, 'board'), entry('c', -1, 0, 'public')]);
      assert.deepEqual(await ids(['public', 'board']), ['a', 'b', 'c']);
      assert.equal(index.size(), 3);
    });

    it('forgets removed entries and ignores unknown ids', async () => {
      await index.add([entry('a', 1, 0), entry('b', 0, 1), entry('c', -1, 0)]);
      await index.remove(['a', 'unknown', 'a']);
      assert.deepEqual(await ids(['public'], 1), ['b']);
      await index.remove(['b', 'c']);
      assert.deepEqual(await ids(['public']), []);
      await index.add([entry('a', 1, 0)]);
      assert.deepEqual(await ids(['public']), ['a']);
      assert.equal(index.size(), 1);
    });

    it('gives up to as many hits as asked for', async () => {
      await index.add([entry('a', 1, 0), entry('b', 0, 1)]);
      assert.deepEqual(await ids(['public'], 0), []);
      assert.equal((await ids(['public'], 1_000)).length, 2);
      await assert.rejects(ids(['public'], -1), invalid);
      await assert.rejects(ids(['public'], 1.5), invalid);
    });

    it('refuses a wrong dimension and a value that is not finite, and keeps nothing of such a call', async () => {
      const wrong = [Float32Array.of(1), Float32Array.of(1, 0, 0), Float32Array.of(Number.NaN, 0), Float32Array.of(Infinity, 0)];
      for (const vector of wrong) {
        await assert.rejects(index.add([entry('good', 1, 0), { id: 'bad', label: 'public', vector }]), invalid);
        await assert.rejects(index.search(vector, ['public'], 1), invalid);
      }
      assert.equal(index.size(), 0);
      await index.add([entry('a', 1, 0)]);
      assert.deepEqual(await ids(['public']), ['a']);
    });

    it('takes changes and searches at the same time', async () => {
      const added = index.add([entry('a', 1, 0)]);
      const removed = index.remove(['a']);
      const again = index.add([entry('b', 1, 0)]);
      await Promise.all([added, removed, again, ids(['public']), ids(['public'])]);
      assert.deepEqual(await ids(['public']), ['b']);
    });

    it('keeps the vectors it was given, not the memory they were in', async () => {
      const vector = Float32Array.of(1, 0);
      const added = index.add([{ id: 'a', label: 'public', vector }]);
      await added;
      vector.set([-1, 0]);
      const [hit] = await index.search(Float32Array.of(1, 0), ['public'], 1);
      assert.equal(hit?.score, 1);
    });

    it('says that it is closed', async () => {
      await index.close();
      await index.close();
      await assert.rejects(index.add([entry('a', 1, 0)]), (error) => hasCode(error, 'vector_unavailable'));
      await assert.rejects(ids(['public']), (error) => hasCode(error, 'vector_unavailable'));
    });

    it('agrees with a plain scan over random additions, replacements and removals', async () => {
      const random = createRandom(7);
      const large = await open(19);
      const entries = new Map<string, VectorEntry>();
      for (let round = 0; round < 6; round++) {
        const added = Array.from({ length: 150 }, () => ({
          id: `e${Math.floor(random() * 400)}`,
          label: `l${Math.floor(random() * 3)}`,
          vector: randomUnit(random, 19),
        }));
        await large.add(added);
        for (const one of added) entries.set(one.id, one);
        const removed = Array.from({ length: 60 }, () => `e${Math.floor(random() * 400)}`);
        await large.remove(removed);
        for (const id of removed) entries.delete(id);
        assert.equal(large.size(), entries.size);

        const query = randomUnit(random, 19);
        const expected = [...entries.values()]
          .filter(({ label }) => label !== 'l2')
          .map(({ id, vector }) => ({ id, score: vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0) }))
          .sort((a, b) => b.score - a.score)
          .slice(0, 20);
        const hits = await large.search(query, ['l0', 'l1'], 20);
        assert.deepEqual(
          hits.map((hit) => hit.id),
          expected.map((hit) => hit.id),
        );
        for (const [at, hit] of hits.entries()) assert.ok(Math.abs(hit.score - (expected[at]?.score ?? 9)) < 1e-5);
      }
      await large.close();
    });
  });
};
