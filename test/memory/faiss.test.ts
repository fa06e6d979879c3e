import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { hasCode } from '../../agent/errors.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { VectorIndex } from '../../agent/ports/vector-index.ts';
import { createFaissIndex, isFaissAvailable } from '../../memory/faiss.ts';
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

const until = async (condition: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 1_000; tries++) {
    if (condition()) return;
    await sleep(10);
  }
  assert.fail('it did not happen within 10 s');
};

testVectorIndexContract('the FAISS index', (dimensions) =>
  createFaissIndex({ dimensions, logger: silent, clock: createFakeClock() }),
);

describe('the FAISS process', () => {
  let clock: FakeClock;
  let index: VectorIndex;
  let warnings: string[];
  let replacements: number;
  beforeEach(async () => {
    clock = createFakeClock();
    warnings = [];
    replacements = 0;
    const logger: Logger = { ...silent, warn: (event) => void warnings.push(event), debug: () => void replacements++ };
    index = createFaissIndex({ dimensions: 8, logger, clock, leakBudgetBytes: (4 * 8 + 120) * 50 });
    const random = createRandom(1);
    await index.add(Array.from({ length: 600 }, (_, n) => ({ id: `e${n}`, label: 'a', vector: randomUnit(random, 8) })));
  });
  afterEach(() => index.close());

  const query = randomUnit(createRandom(2), 8);
  const search = async () => (await index.search(query, ['a'], 5)).map((hit) => hit.id);
  const crash = async (): Promise<void> => {
    const [pid] = childPids();
    assert.ok(pid);
    process.kill(pid, 'SIGABRT');
    await until(() => !childPids().includes(pid));
  };

  it('starts with the first search and goes with the index', async () => {
    assert.deepEqual(childPids(), []);
    await search();
    assert.equal(childPids().length, 1);
    await index.close();
    assert.deepEqual(childPids(), []);
  });

  it('is filled again after a crash, with what changed before and since', async () => {
    const before = await search();
    await crash();
    await index.remove([before[0] ?? '']);
    await index.add([{ id: 'new', label: 'a', vector: query }]);
    assert.deepEqual(await search(), ['new', ...before.slice(1)]);
    assert.deepEqual(warnings, ['faiss_process_died']);
  });

  it('is replaced under searches in flight, which are answered all the same', async () => {
    const before = await search();
    const [pid] = childPids();
    process.kill(pid ?? 0, 'SIGSTOP');
    const searches = [search(), search(), search()];
    process.kill(pid ?? 0, 'SIGKILL');
    assert.deepEqual(await Promise.all(searches), [before, before, before]);
    assert.deepEqual(warnings, ['faiss_process_died'], 'three failed requests are one crash');
  });

  it('is given up after five crashes in a minute, and tried again when that has passed', async () => {
    for (let n = 0; n < 5; n++) {
      await search();
      await crash();
    }
    await assert.rejects(search(), (error) => hasCode(error, 'vector_unavailable'));
    assert.deepEqual(childPids(), []);
    await clock.advance(60_000);
    assert.equal((await search()).length, 5);
  });

  it('is killed and replaced when it hangs', async () => {
    const before = await search();
    const [pid] = childPids();
    process.kill(pid ?? 0, 'SIGSTOP');
    const hanging = search();
    await clock.advance(10_000);
    assert.deepEqual(await hanging, before);
    assert.ok(!childPids().includes(pid ?? 0));
  });

  it('is replaced before its leak is large, while searches go on', async () => {
    const before = await search();
    const [pid] = childPids();
    for (let n = 0; n < 10_000 && childPids().includes(pid ?? 0); n++) {
      assert.deepEqual(await Promise.all([search(), search(), search()]), [before, before, before]);
    }
    assert.equal(childPids().length, 1);
    assert.deepEqual(await search(), before);
    assert.equal(replacements, 1);
    assert.deepEqual(warnings, []);
  });

  it('is replaced when too many of its rows are dead', async () => {
    await search();
    const [pid] = childPids();
    const ids = Array.from({ length: 300 }, (_, n) => `e${n}`);
    await index.remove(ids);
    await until(() => !childPids().includes(pid ?? 0));
    assert.ok((await search()).every((id) => Number(id.slice(1)) >= 300));
  });

  it('lets its parent end, and ends with it', async () => {
    const script = `
      import { createFaissIndex } from '${ROOT}memory/faiss.ts';
      import { createFakeClock } from '${ROOT}test/fake-clock.ts';
      import { readFileSync } from 'node:fs';
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const index = createFaissIndex({ dimensions: 2, logger, clock: createFakeClock() });
      await index.add([{ id: 'a', label: 'l', vector: Float32Array.of(1, 0) }]);
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

  it('is told to be missing where it does not load, and searches say so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'threadwise-no-faiss-'));
    try {
      for (const name of ['agent', 'memory', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
      const bare = (await import(pathToFileURL(join(folder, 'memory/faiss.ts')).href)) as typeof import('../../memory/faiss.ts');
      assert.equal(await bare.isFaissAvailable(createFakeClock()), false);
      const index = bare.createFaissIndex({ dimensions: 2, logger: silent, clock: createFakeClock() });
      await index.add([{ id: 'a', label: 'l', vector: Float32Array.of(1, 0) }]);
      await assert.rejects(index.search(Float32Array.of(1, 0), ['l'], 1), { code: 'vector_unavailable' });
      await index.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
