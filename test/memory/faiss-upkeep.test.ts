/** Graphs and the file: what the FAISS index does when nothing is asked of it. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Logger } from '../../agent/ports/logger.ts';
import type { VectorEntry, VectorHit, VectorIndex } from '../../agent/ports/vector-index.ts';
import { createExactIndex } from '../../memory/exact.ts';
import { createFaissIndex, type FaissIndex } from '../../memory/faiss.ts';
import { createRandom, randomUnit } from '../contracts/vector-index.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';

const DIMENSIONS = 16;
const COUNT = 1_200;

const entriesOf = (count: number, dimensions: number, label = 'a', seed = 1): readonly VectorEntry[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, n) => ({ id: `${label}${n}`, label, vector: randomUnit(random, dimensions) }));
};
const idsOf = (hits: readonly VectorHit[]): readonly string[] => hits.map(({ id }) => id);

describe('the FAISS index in its quiet moments', () => {
  let clock: FakeClock;
  let folder: string;
  let path: string;
  let events: string[];
  let opened: VectorIndex[];
  beforeEach(() => {
    clock = createFakeClock();
    folder = mkdtempSync(join(tmpdir(), 'threadwise-faiss-'));
    path = join(folder, 'vectors.faiss');
    events = [];
    opened = [];
  });
  afterEach(async () => {
    for (const index of opened) await index.close();
    rmSync(folder, { recursive: true });
  });

  const open = (options: { readonly dimensions?: number; readonly embedderId?: string } = {}): FaissIndex => {
    const { dimensions = DIMENSIONS, embedderId = 'e1' } = options;
    const note = (event: string): void => void events.push(event);
    const logger: Logger = { debug: note, info: note, warn: note, error: note, with: () => logger };
    const file = { path, embedderId };
    const index = createFaissIndex({ dimensions, logger, clock, file, scanFloats: 0, processShare: 1, graphRows: 500 });
    opened.push(index);
    return index;
  };
  const openFilled = async (entries: readonly VectorEntry[], options: Parameters<typeof open>[0] = {}) => {
    const index = open(options);
    await index.add(entries);
    await index.ready();
    assert.equal(index.engine, 'faiss');
    return index;
  };

  /** How many of the exact index's first ten it finds, over 50 queries. */
  const recallOf = async (index: FaissIndex, entries: readonly VectorEntry[], labels = ['a']): Promise<number> => {
    const exact = createExactIndex({ dimensions: index.dimensions });
    await exact.add(entries);
    const random = createRandom(3);
    let found = 0;
    for (let n = 0; n < 50; n++) {
      const query = randomUnit(random, index.dimensions);
      const expected = new Set(idsOf(await exact.search(query, labels, 10)));
      const hits = idsOf(await index.search(query, labels, 10));
      assert.equal(new Set(hits).size, 10);
      found += hits.filter((id) => expected.has(id)).length;
    }
    assert.equal(index.engine, 'faiss');
    return found / 500;
  };

  it('builds a graph where there are many rows of a label, and finds what a scan finds', async () => {
    const entries = entriesOf(COUNT, DIMENSIONS);
    const index = await openFilled([...entries, ...entriesOf(400, DIMENSIONS, 'b', 2)]);
    assert.equal(await recallOf(index, entries), 1);
    await clock.advance(5_000);
    for (let tries = 0; index.state()?.graphRows !== COUNT && tries < 50; tries++) await index.upkeep();
    assert.equal(index.state()?.graphRows, COUNT);
    assert.equal(index.state()?.rows, COUNT + 400);
    assert.ok((index.state()?.recall ?? 0) >= 0.95);
    assert.ok((await recallOf(index, entries)) >= 0.95);
  });

  it('takes no graph that misses what a scan finds', async () => {
    // Thirty knots of near copies, which a graph's links do not leave.
    const random = createRandom(8);
    const knots = Array.from({ length: 30 }, () => randomUnit(random, DIMENSIONS));
    const entries = Array.from({ length: 3_000 }, (_, n): VectorEntry => {
      const near = (knots[Math.floor(n / 100)] ?? new Float32Array()).map((value) => value + (random() - 0.5) * 0.001);
      const norm = Math.hypot(...near);
      return { id: `a${n}`, label: 'a', vector: near.map((value) => value / norm) };
    });
    const index = await openFilled(entries);
    await index.upkeep();
    assert.equal(index.state()?.graphRows, 0);
    // Two engines round the scores of near copies differently.
    assert.ok((await recallOf(index, entries)) >= 0.99);
  });

  it('finds what was added and forgets what was removed beside a graph', async () => {
    const entries = entriesOf(COUNT, DIMENSIONS);
    const index = await openFilled(entries);
    await index.upkeep();
    const query = randomUnit(createRandom(9), DIMENSIONS);
    const [first, second] = await index.search(query, ['a'], 2);
    assert.ok(first && second);
    await index.add([{ id: 'new', label: 'a', vector: query }]);
    await index.remove([first.id]);
    assert.deepEqual(idsOf(await index.search(query, ['a'], 2)), ['new', second.id]);
    await index.add([{ id: second.id, label: 'other', vector: query }]);
    assert.equal(idsOf(await index.search(query, ['a'], 2)).includes(second.id), false);
    assert.deepEqual(idsOf(await index.search(query, ['other'], 2)), [second.id]);
    assert.equal(index.state()?.graphRows, COUNT - 2);
  });

  it('gives as many live rows as a search asks for, though some of the graph are dead', async () => {
    const entries = entriesOf(COUNT, DIMENSIONS);
    const index = await openFilled(entries);
    await index.upkeep();
    await index.remove(entries.slice(0, 100).map(({ id }) => id));
    for (const limit of [20, 60, 5_000]) {
      const hits = await index.search(randomUnit(createRandom(4), DIMENSIONS), ['a'], limit);
      assert.equal(new Set(idsOf(hits)).size, Math.min(limit, COUNT - 100));
    }
    assert.deepEqual([index.engine, index.state()?.graphRows], ['faiss', COUNT - 100]);
  });

  it('makes a worn graph again in a new process', async () => {
    const entries = entriesOf(COUNT, DIMENSIONS);
    const index = await openFilled(entries);
    await index.upkeep();
    await index.remove(entries.slice(0, 200).map(({ id }) => id));
    for (let tries = 0; !events.includes('faiss_process_replaced') && tries < 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await index.upkeep();
    assert.equal(index.state()?.graphRows, COUNT - 200);
    assert.ok((await recallOf(index, entries.slice(200))) >= 0.95);
  });

  it('reads its file in the next life, graph included', async () => {
    const entries = entriesOf(COUNT, DIMENSIONS);
    const first = await openFilled(entries);
    await first.upkeep();
    await first.close();
    assert.deepEqual(readdirSync(folder), ['vectors.faiss']);
    const { mtimeMs } = statSync(path);
    const second = await openFilled(entries);
    assert.equal(second.state()?.graphRows, COUNT);
    await second.upkeep();
    assert.equal(statSync(path).mtimeMs, mtimeMs, 'nothing changed, nothing is written');
    assert.ok((await recallOf(second, entries)) >= 0.95);
    assert.deepEqual(events, []);
  });

  it('takes from its file only what the store still says', async () => {
    const entries = entriesOf(COUNT, DIMENSIONS);
    const first = await openFilled(entries);
    await first.upkeep();
    await first.close();
    const other = entriesOf(COUNT, DIMENSIONS, 'a', 5);
    const now = [
      ...entries.slice(100, 300),
      // Another vector of the same id, another label, another id.
      ...other.slice(300, 400),
      ...entries.slice(400, 500).map((entry) => ({ ...entry, label: 'moved' })),
      ...entriesOf(100, DIMENSIONS, 'fresh', 6),
    ];
    const second = await openFilled(now);
    assert.equal(second.state()?.rows, now.length);
    const exact = createExactIndex({ dimensions: DIMENSIONS });
    await exact.add(now);
    const labels = ['a', 'moved', 'fresh'];
    const query = randomUnit(createRandom(7), DIMENSIONS);
    const all = await second.search(query, labels, 1_000);
    assert.deepEqual(idsOf(all), idsOf(await exact.search(query, labels, 1_000)));
    assert.equal(second.engine, 'faiss');
  });

  it('refuses the file of another embedder or of other dimensions, and writes its own over it', async () => {
    const first = await openFilled(entriesOf(COUNT, DIMENSIONS));
    await first.upkeep();
    await first.close();
    for (const options of [{ embedderId: 'e2' }, { dimensions: 8, embedderId: 'e2' }]) {
      const entries = entriesOf(600, options.dimensions ?? DIMENSIONS);
      const refusing = await openFilled(entries, options);
      assert.deepEqual(events, ['vector_file_refused']);
      assert.equal(await recallOf(refusing, entries), 1);
      await refusing.upkeep();
      await refusing.close();
      events = [];
      const next = await openFilled(entries, options);
      assert.equal(next.state()?.graphRows, 600);
      await next.close();
      assert.deepEqual(events, []);
    }
  });

  it('says how often its file was written anew', async () => {
    const index = await openFilled(entriesOf(COUNT, DIMENSIONS));
    await index.upkeep();
    await index.add(entriesOf(100, DIMENSIONS, 'b', 2));
    await index.upkeep();
    const bytes = readFileSync(path);
    const header = JSON.parse(bytes.subarray(12, 12 + bytes.readUInt32LE(8)).toString()) as object;
    assert.deepEqual(header, { embedderId: 'e1', dimensions: DIMENSIONS, count: COUNT + 100, revision: 2, parts: 2 });
  });

  it('leaves nothing of a removed row in its file for more than ten minutes', async () => {
    const entries = [...entriesOf(COUNT, DIMENSIONS), ...entriesOf(100, DIMENSIONS, 'b', 2)];
    const index = await openFilled(entries);
    await index.upkeep();
    const [inGraph, inFlat] = [entries[7], entries[COUNT + 7]];
    assert.ok(inGraph && inFlat);
    const holds = ({ id, vector }: VectorEntry): boolean => {
      const bytes = readFileSync(path);
      return bytes.includes(Buffer.from(vector.buffer)) || bytes.includes(JSON.stringify(id));
    };
    assert.deepEqual([inGraph, inFlat].map(holds), [true, true]);
    await index.remove([inGraph.id, inFlat.id]);
    await clock.advance(5_000);
    await index.upkeep();
    assert.deepEqual([inGraph, inFlat].map(holds), [true, true], 'two of many rows are not worth a writing at once');
    await clock.advance(600_000);
    await index.upkeep();
    assert.deepEqual([inGraph, inFlat].map(holds), [false, false]);
    await index.close();
    const next = await openFilled(entries.filter((entry) => entry !== inGraph && entry !== inFlat));
    assert.equal(next.state()?.graphRows, COUNT - 1);
    assert.ok(
      (await recallOf(
        next,
        entries.filter((entry) => entry !== inGraph && entry !== inFlat),
      )) >= 0.95,
    );
  });

  it('goes on where its file cannot be written', async () => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'no folder');
    const entries = entriesOf(600, DIMENSIONS);
    const index = await openFilled(entries);
    await index.upkeep();
    assert.deepEqual(events.slice(-1), ['vector_file_not_written']);
    assert.ok((await recallOf(index, entries)) >= 0.95);
  });
});
