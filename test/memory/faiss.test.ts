import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Logger } from '../../agent/ports/logger.ts';
import type { VectorEntry, VectorIndex } from '../../agent/ports/vector-index.ts';
import { createFaissIndex, type FaissIndex, isFaissAvailable } from '../../memory/faiss.ts';
import { createRandom, randomUnit, testVectorIndexContract } from '../contracts/vector-index.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
const ROOT = new URL('../../', import.meta.url).pathname;

/** Our own FAISS processes, found from outside. */
const childPids = (): number[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('faiss-child');
      } catch {
        return false;
      }
    });

const entries = (count: number, seed = 1): readonly VectorEntry[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, n) => ({ id: `e${n}`, label: 'a', vector: randomUnit(random, DIMENSIONS) }));
};

const until = async (condition: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 1_000; tries++) {
    if (condition()) return;
    await sleep(10);
  }
  assert.fail('it did not happen within 10 s');
};

/** Small as it is, no search is answered without FAISS. */
const onlyFaiss = (index: FaissIndex): VectorIndex => ({
  ...index,
  dimensions: index.dimensions,
  engine: 'faiss',
  search: async (...request) => {
    const isFilled = index.size() > 0;
    await index.ready();
    const hits = await index.search(...request);
    if (isFilled) assert.equal(index.engine, 'faiss');
    return hits;
  },
});

testVectorIndexContract('the FAISS index', (dimensions) =>
  onlyFaiss(createFaissIndex({ dimensions, logger: silent, clock: createFakeClock(), scanFloats: 0, processShare: 1 })),
);

testVectorIndexContract('the FAISS index that scans a share itself', (dimensions) =>
  onlyFaiss(createFaissIndex({ dimensions, logger: silent, clock: createFakeClock(), scanFloats: 0, processShare: 0.5 })),
);

testVectorIndexContract('the FAISS index that scans what is small', (dimensions) =>
  createFaissIndex({ dimensions, logger: silent, clock: createFakeClock() }),
);

const DIMENSIONS = 8;
const query = randomUnit(createRandom(2), DIMENSIONS);

describe('the FAISS process', () => {
  let clock: FakeClock;
  let index: FaissIndex;
  let events: string[];
  beforeEach(async () => {
    clock = createFakeClock();
    events = [];
    const note = (event: string): void => void events.push(event);
    const logger: Logger = { ...silent, warn: note, debug: note, error: note };
    const leakBudgetBytes = (4 * DIMENSIONS + 120) * 50;
    index = createFaissIndex({ dimensions: DIMENSIONS, logger, clock, leakBudgetBytes, scanFloats: 0, processShare: 1 });
    await index.add(entries(600));
  });
  afterEach(() => index.close());

  const search = async () => (await index.search(query, ['a'], 5)).map((hit) => hit.id);
  const crash = async (): Promise<void> => {
    const [pid] = childPids();
    assert.ok(pid);
    process.kill(pid, 'SIGABRT');
    await until(() => !childPids().includes(pid) && index.engine === 'exact');
  };

  it('starts with the first search, which does not wait for it, and goes with the index', async () => {
    assert.deepEqual(childPids(), []);
    const before = await search();
    assert.equal(index.engine, 'exact');
    await until(() => index.engine === 'faiss');
    assert.equal(childPids().length, 1);
    assert.deepEqual(await search(), before);
    await index.close();
    assert.deepEqual(childPids(), []);
  });

  it('is not started where all is scanned in a moment', async () => {
    const small = createFaissIndex({ dimensions: DIMENSIONS, logger: silent, clock });
    await small.add(entries(600));
    assert.equal((await small.search(query, ['a'], 5)).length, 5);
    assert.deepEqual(childPids(), []);
    await small.close();
  });

  it('is filled again after a crash, with what changed before and since, and missed by no search', async () => {
    await index.ready();
    const before = await search();
    await crash();
    assert.deepEqual(await search(), before);
    await index.remove([before[0] ?? '']);
    await index.add([{ id: 'new', label: 'a', vector: query }]);
    assert.deepEqual(await search(), ['new', ...before.slice(1)]);
    await until(() => index.engine === 'faiss');
    assert.deepEqual(await search(), ['new', ...before.slice(1)]);
    assert.deepEqual(events, ['faiss_process_died']);
  });

  it('dies under searches in flight, which are answered all the same', async () => {
    await index.ready();
    const before = await search();
    const [pid] = childPids();
    process.kill(pid ?? 0, 'SIGSTOP');
    const searches = [search(), search(), search()];
    process.kill(pid ?? 0, 'SIGKILL');
    assert.deepEqual(await Promise.all(searches), [before, before, before]);
    assert.deepEqual(events, ['faiss_process_died'], 'three failed requests are one crash');
  });

  it('is given up after five crashes in a minute, and tried again when that has passed', async () => {
    const before = await search();
    for (let n = 0; n < 5; n++) {
      await index.ready();
      assert.equal(index.engine, 'faiss');
      await crash();
    }
    assert.equal(events.at(-1), 'faiss_given_up');
    await index.ready();
    assert.deepEqual(await search(), before);
    assert.equal(index.engine, 'exact');
    assert.deepEqual(childPids(), []);
    await clock.advance(60_000);
    await index.ready();
    assert.deepEqual(await search(), before);
    assert.equal(index.engine, 'faiss');
  });

  it('is passed over after a quarter of a second, and killed and replaced when it hangs', async () => {
    await index.ready();
    const before = await search();
    const [pid] = childPids();
    process.kill(pid ?? 0, 'SIGSTOP');
    const hanging = search();
    await clock.advance(251);
    assert.deepEqual(await hanging, before);
    assert.ok(childPids().includes(pid ?? 0));
    await clock.advance(10_000);
    await until(() => !childPids().includes(pid ?? 0) && index.engine === 'exact');
    await index.ready();
    assert.deepEqual(await search(), before);
    assert.equal(index.engine, 'faiss');
  });

  it('is replaced before its leak is large, while searches go on', async () => {
    await index.ready();
    const before = await search();
    const [pid] = childPids();
    for (let n = 0; n < 10_000 && childPids().includes(pid ?? 0); n++) {
      assert.deepEqual(await Promise.all([search(), search(), search()]), [before, before, before]);
    }
    await until(() => childPids().length === 1);
    assert.deepEqual(await search(), before);
    assert.deepEqual(events, ['faiss_process_replaced']);
  });

  it('forgets removed rows without another process', async () => {
    await index.ready();
    const pids = childPids();
    const removed = new Set(Array.from({ length: 300 }, (_, n) => `e${n}`));
    await index.remove([...removed]);
    const hits = await index.search(query, ['a'], 600);
    assert.equal(hits.length, 300);
    assert.ok(hits.every(({ id }) => !removed.has(id)));
    assert.deepEqual(childPids(), pids);
    assert.equal(index.state()?.rows, 300);
  });

  it('lets its parent end, and ends with it', async () => {
    const script = `
      import { createFaissIndex } from '${ROOT}memory/faiss.ts';
      import { createFakeClock } from '${ROOT}test/fake-clock.ts';
      import { readFileSync } from 'node:fs';
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const index = createFaissIndex({ dimensions: 2, logger, clock: createFakeClock(), scanFloats: 0, processShare: 1 });
      await index.add([{ id: 'a', label: 'l', vector: Float32Array.of(1, 0) }]);
      await index.ready();
      await index.search(Float32Array.of(1, 0), ['l'], 1);
      console.log(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim());`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    parent.stdout.on('data', (text) => {
      output += text;
    });
    const [code] = await once(parent, 'close');
    assert.equal(code, 0);
    const pid = Number(output);
    assert.ok(pid > 0);
    await until(() => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    });
  });
});

describe('FAISS on a machine', () => {
  it('is told to be available where faiss-node loads', async () => {
    assert.equal(await isFaissAvailable(createFakeClock()), true);
  });

  it('is told to be missing where it does not load, and the exact index answers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'threadwise-no-faiss-'));
    try {
      for (const name of ['agent', 'memory', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
      const bare = (await import(pathToFileURL(join(folder, 'memory/faiss.ts')).href)) as typeof import('../../memory/faiss.ts');
      assert.equal(await bare.isFaissAvailable(createFakeClock()), false);
      const events: string[] = [];
      const logger: Logger = { ...silent, warn: (event) => void events.push(event) };
      const index = bare.createFaissIndex({ dimensions: 2, logger, clock: createFakeClock(), scanFloats: 0, processShare: 1 });
      await index.add([{ id: 'a', label: 'l', vector: Float32Array.of(1, 0) }]);
      await index.ready();
      assert.deepEqual(await index.search(Float32Array.of(1, 0), ['l'], 1), [{ id: 'a', score: 1 }]);
      assert.equal(index.engine, 'exact');
      await index.ready();
      assert.deepEqual(events, ['faiss_missing'], 'it is tried once');
      await index.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
