/** A flat scan in two processes at once: what stands here and what stands there is all, and each once. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Logger } from '../../agent/ports/logger.ts';
import type { VectorEntry } from '../../agent/ports/vector-index.ts';
import { createExactIndex, type ExactIndex } from '../../memory/exact.ts';
import { createFaissIndex, type FaissIndex } from '../../memory/faiss.ts';
import { createRandom, randomUnit } from '../contracts/vector-index.ts';
import { createFakeClock } from '../fake-clock.ts';

const DIMENSIONS = 16;
const logger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => logger };

describe('a label of which the FAISS process holds a share', () => {
  let folder: string;
  let index: FaissIndex;
  let truth: ExactIndex;
  let random: () => number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'threadwise-parts-'));
    random = createRandom(5);
    truth = createExactIndex({ dimensions: DIMENSIONS });
    index = open();
  });
  afterEach(async () => {
    await index.close();
    rmSync(folder, { recursive: true });
  });

  const open = (options: { readonly graphRows?: number; readonly scanFloats?: number } = {}): FaissIndex =>
    createFaissIndex({
      dimensions: DIMENSIONS,
      logger,
      clock: createFakeClock(),
      file: { path: join(folder, 'index'), embedderId: 'e' },
      scanFloats: 0,
      processShare: 0.5,
      ...options,
    });
  const entriesOf = (count: number, label: string, from = 0): VectorEntry[] =>
    Array.from({ length: count }, (_, n) => ({ id: `e${from + n}`, label, vector: randomUnit(random, DIMENSIONS) }));
  const add = async (entries: readonly VectorEntry[]): Promise<void> => {
    await Promise.all([index.add(entries), truth.add(entries)]);
  };
  const remove = async (ids: readonly string[]): Promise<void> => {
    await Promise.all([index.remove(ids), truth.remove(ids)]);
  };
  const assertSame = async (labels: readonly string[], limits = [1, 10, 5_000]): Promise<void> => {
    for (const limit of limits) {
      const query = randomUnit(random, DIMENSIONS);
      const idsOf = async (from: ExactIndex | FaissIndex) => (await from.search(query, labels, limit)).map(({ id }) => id);
      assert.deepEqual(await idsOf(index), await idsOf(truth), `${labels.join()} ${limit}`);
    }
    assert.equal(index.size(), truth.size());
  };

  it('is searched as a whole, and only a share of it stands in the process', async () => {
    await add(entriesOf(1_000, 'a'));
    await index.ready();
    const rows = index.state()?.rows ?? 0;
    assert.ok(rows > 430 && rows < 570, `${rows} rows`);
    await assertSame(['a']);
  });

  it('stays here as a whole while it is small', async () => {
    await index.close();
    index = open({ scanFloats: 6_400 });
    await add([...entriesOf(100, 'a'), ...entriesOf(400, 'b', 1_000)]);
    await index.ready();
    const rows = index.state()?.rows ?? 0;
    assert.ok(rows > 100 && rows < 200, `about half of 300 rows of b: ${rows}`);
    await assertSame(['a', 'b']);
  });

  it('follows rows that change, go and move to another label', async () => {
    await add([...entriesOf(500, 'a'), ...entriesOf(300, 'b', 500)]);
    await index.ready();
    for (let round = 0; round < 20; round++) {
      const from = Math.floor(random() * 700);
      await add(entriesOf(40, round % 2 === 0 ? 'a' : 'b', from));
      await remove(Array.from({ length: 15 }, () => `e${Math.floor(random() * 800)}`));
      await assertSame(['a']);
      await assertSame(['b', 'a', 'none']);
    }
    assert.equal(index.engine, 'faiss');
  });

  it('takes the last of several entries with one id', async () => {
    const [first, last] = [...entriesOf(1, 'a'), ...entriesOf(1, 'b')];
    assert.ok(first && last);
    await add([...entriesOf(50, 'a', 100)]);
    await index.ready();
    await add([first, last]);
    assert.deepEqual(
      (await index.search(last.vector, ['b'], 5)).map(({ id }) => id),
      ['e0'],
    );
    await assertSame(['a', 'b']);
  });

  it('goes to the process as a whole for a graph, and comes again with its file', async () => {
    await index.close();
    index = open({ graphRows: 400 });
    const entries = [...entriesOf(600, 'a'), ...entriesOf(200, 'b', 600)];
    await add(entries);
    await index.ready();
    // Searched while rows go over: none is missed, none comes twice.
    const upkeep = index.upkeep();
    for (let n = 0; n < 30; n++) await assertSame(['a', 'b'], [10]);
    await upkeep;
    assert.deepEqual([index.state()?.graphs, index.state()?.graphRows], [['a'], 600]);
    await add(entriesOf(50, 'a', 900));
    await assertSame(['a', 'b']);
    await index.close();
    index = open({ graphRows: 400 });
    truth = createExactIndex({ dimensions: DIMENSIONS });
    await add(entries);
    await index.ready();
    assert.equal(index.state()?.graphRows, 600);
    await assertSame(['a', 'b']);
  });

  it('comes back where its graph was not good enough', async () => {
    await index.close();
    index = open({ graphRows: 400 });
    // Knots of near copies, which a graph's links do not leave.
    const knots = Array.from({ length: 30 }, () => randomUnit(random, DIMENSIONS));
    const entries = Array.from({ length: 3_000 }, (_, n): VectorEntry => {
      const near = (knots[Math.floor(n / 100)] ?? new Float32Array()).map((value) => value + (random() - 0.5) * 0.001);
      const norm = Math.hypot(...near);
      return { id: `k${n}`, label: 'a', vector: near.map((value) => value / norm) };
    });
    await add(entries);
    await index.ready();
    const before = index.state()?.rows ?? 0;
    await index.upkeep();
    assert.deepEqual([index.state()?.graphs, index.state()?.rows], [[], before]);
    const hits = await index.search(randomUnit(random, DIMENSIONS), ['a'], 5_000);
    assert.equal(new Set(hits.map(({ id }) => id)).size, 3_000);
  });
});
