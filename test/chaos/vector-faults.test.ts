/**
 * What can happen to the FAISS process and its file, over and over: no search may fail or differ from a plain scan, nothing may be
 * lost, and this process, which is the parent, has to be there at the end to say so.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../agent/ports/logger.ts';
import type { VectorEntry } from '../../agent/ports/vector-index.ts';
import { createExactIndex, type ExactIndex } from '../../memory/exact.ts';
import { createFaissIndex, type FaissIndex } from '../../memory/faiss.ts';
import { createRandom, randomUnit } from '../contracts/vector-index.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { scaled, seed } from '../scale.ts';

const DIMENSIONS = 24;
const COUNT = 400;
const LABELS = ['a', 'b', 'c'] as const;

const createEntries = (random: () => number, count: number): readonly VectorEntry[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `e${n}`,
    label: LABELS[Math.floor(random() * LABELS.length)] ?? 'a',
    vector: randomUnit(random, DIMENSIONS),
  }));

const childPids = (): readonly number[] =>
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

describe(`the vector index under faults (seed ${seed})`, () => {
  let clock: FakeClock;
  let folder: string;
  let events: string[];
  let index: FaissIndex;
  let truth: ExactIndex;
  let random: () => number;
  beforeEach(() => {
    clock = createFakeClock();
    folder = mkdtempSync(join(tmpdir(), 'threadwise-vector-faults-'));
    events = [];
    random = createRandom(seed);
    truth = createExactIndex({ dimensions: DIMENSIONS });
  });
  afterEach(async () => {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const path = (): string => join(folder, 'index');
  /** Without graphs of its own, so that hits are exactly those of a scan. */
  const open = (): FaissIndex => {
    const note = (event: string): void => void events.push(event);
    const logger: Logger = { debug: () => {}, info: note, warn: note, error: note, with: () => logger };
    const file = { path: path(), embedderId: 'e' };
    return createFaissIndex({ dimensions: DIMENSIONS, logger, clock, file, scanFloats: 0, graphRows: COUNT * 10 });
  };

  /** Searches under one to three labels; every hit and its order are those of the plain scan. */
  const assertSame = async (message: string): Promise<void> => {
    const query = randomUnit(random, DIMENSIONS);
    const labels = LABELS.slice(0, 1 + Math.floor(random() * LABELS.length));
    const [hits, expected] = await Promise.all([index.search(query, labels, 10), truth.search(query, labels, 10)]);
    assert.deepEqual(
      hits.map(({ id }) => id),
      expected.map(({ id }) => id),
      message,
    );
    for (const [at, { score }] of hits.entries()) assert.ok(Math.abs(score - (expected[at]?.score ?? 9)) < 1e-5, message);
  };

  describe('of its file', () => {
    let whole: string;
    let other: string;
    let entries: readonly VectorEntry[];
    before(async () => {
      whole = mkdtempSync(join(tmpdir(), 'threadwise-vector-whole-'));
      other = join(whole, 'other');
      random = createRandom(seed);
      entries = createEntries(random, COUNT);
      // One of another embedder, of which every row is different.
      for (const [name, rows, embedderId] of [
        ['other', createEntries(createRandom(seed + 1), COUNT), 'other'],
        ['index', entries, 'e'],
      ] as const) {
        const logger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => logger };
        const file = { path: join(whole, name), embedderId };
        const writer = createFaissIndex({
          dimensions: DIMENSIONS,
          logger,
          clock: createFakeClock(),
          file,
          scanFloats: 0,
          graphRows: 100,
        });
        await writer.add(rows);
        await writer.ready();
        await writer.upkeep();
        await writer.close();
      }
      whole = join(whole, 'index');
    });
    after(() => rmSync(join(whole, '..'), { recursive: true }));

    const FAULTS: readonly ((bytes: Buffer) => void)[] = [
      (bytes) => {
        const at = Math.floor(random() * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
        writeFileSync(path(), bytes);
      },
      (bytes) => truncateSync(path(), Math.floor(random() * bytes.length)),
      (bytes) => {
        const at = Math.floor(random() * bytes.length);
        bytes.fill(0, at, Math.min(bytes.length, at + 1 + Math.floor(random() * 4_096)));
        // Where zeros stood before, it is still whole.
        if (bytes.equals(readFileSync(path()))) bytes[at] = 1;
        writeFileSync(path(), bytes);
      },
      (bytes) =>
        writeFileSync(
          path(),
          bytes.map(() => Math.floor(random() * 256)),
        ),
      (bytes) => writeFileSync(path(), Buffer.concat([bytes, bytes.subarray(0, 1 + Math.floor(random() * 100))])),
      () => copyFileSync(other, path()),
      () => writeFileSync(path(), ''),
    ];

    it('is never read into FAISS, and answered over, when it is damaged or another', async () => {
      const trials = scaled(1_000);
      for (let trial = 0; trial < trials; trial++) {
        copyFileSync(whole, path());
        FAULTS[trial % FAULTS.length]?.(readFileSync(path()));
        events = [];
        truth = createExactIndex({ dimensions: DIMENSIONS });
        index = open();
        await Promise.all([index.add(entries), truth.add(entries)]);
        await assertSame(`trial ${trial}, before the process is there`);
        await index.ready();
        assert.deepEqual(
          [index.engine, index.state()?.graphRows, events],
          ['faiss', 0, ['vector_file_refused']],
          `trial ${trial}`,
        );
        await assertSame(`trial ${trial}`);
        await index.close();
      }
    });

    it('is read when it is whole, so that the trials above say something', async () => {
      copyFileSync(whole, path());
      index = open();
      await index.add(entries);
      await index.ready();
      assert.deepEqual([events, index.state()?.rows], [[], COUNT]);
      assert.ok((index.state()?.graphRows ?? 0) > 100);
    });

    it('is missing: the index is filled from the store and the file written again', async () => {
      index = open();
      await Promise.all([index.add(entries), truth.add(entries)]);
      await index.ready();
      await assertSame('without a file');
      await index.upkeep();
      rmSync(path());
      await index.add([{ id: 'late', label: 'a', vector: randomUnit(random, DIMENSIONS) }]);
      await index.close();
      index = open();
      await index.add(entries);
      await index.ready();
      await assertSame('with the file gone');
      await index.upkeep();
      assert.ok(existsSync(path()));
      assert.deepEqual(events, []);
    });

    it('survives a disk that is full, and the index goes on and writes when there is room again', async (t) => {
      if (process.getuid?.() !== 0) return t.diagnostic('a small file system needs root; not checked here');
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
      try {
        index = open();
        await Promise.all([index.add(entries), truth.add(entries)]);
        await index.ready();
        await index.upkeep();
        const bytes = readFileSync(path());
        writeFileSync(join(folder, 'ballast'), Buffer.alloc(800 * 1024));
        const more = createEntries(createRandom(seed + 2), COUNT).map((entry) => ({ ...entry, id: `more-${entry.id}` }));
        await Promise.all([index.add(more), truth.add(more)]);
        await index.upkeep();
        assert.deepEqual(events, ['vector_file_not_written']);
        assert.deepEqual(readFileSync(path()), bytes, 'the file before it is untouched');
        assert.deepEqual(readdirSync(folder).sort(), ['ballast', 'index']);
        for (let n = 0; n < 20; n++) await assertSame('with a full disk');
        rmSync(join(folder, 'ballast'));
        await clock.advance(600_000);
        await index.upkeep();
        assert.ok(statSync(path()).size > bytes.length);
        assert.equal(index.engine, 'faiss');
      } finally {
        await index.close();
        execFileSync('umount', [folder]);
      }
    });
  });

  describe('of its process', () => {
    /** As FAISS ends it, as a broken index ends it, as the system's memory killer ends it. */
    const ABORTS: readonly NodeJS.Signals[] = ['SIGABRT', 'SIGSEGV', 'SIGKILL'];

    it('aborts at any moment: every search is answered and nothing is lost', async () => {
      const entries = createEntries(random, COUNT);
      index = open();
      await Promise.all([index.add(entries), truth.add(entries)]);
      const aborts = scaled(500);
      let searches = 0;
      for (let abort = 0; abort < aborts; abort++) {
        await index.ready();
        // Five crashes in a minute would leave it to the exact index. Nothing is under way when the time passes.
        if (abort % 4 === 0) {
          await index.upkeep();
          await clock.advance(60_000);
        }
        assert.equal(index.engine, 'faiss', `abort ${abort}`);
        const pid = childPids()[0] ?? 0;
        assert.ok(pid > 0);
        const id = `e${Math.floor(random() * COUNT)}`;
        const changed = { id, label: 'b', vector: randomUnit(random, DIMENSIONS) };
        const change = abort % 3 === 0 ? [index.remove([id]), truth.remove([id])] : [index.add([changed]), truth.add([changed])];
        const upkeep = abort % 5 === 0 ? index.upkeep() : undefined;
        const asked = Array.from({ length: 3 }, () => index.search(randomUnit(random, DIMENSIONS), LABELS, 10));
        if (abort % 2 === 0) await sleep(random() * 4);
        process.kill(pid, ABORTS[abort % ABORTS.length]);
        for (const hits of await Promise.all(asked)) assert.equal(hits.length, 10);
        await Promise.all([...change, upkeep]);
        await assertSame(`abort ${abort}`);
        searches += 4;
        for (let tries = 0; childPids().includes(pid) && tries < 500; tries++) await sleep(2);
        assert.equal(index.size(), truth.size());
      }
      await index.ready();
      assert.deepEqual([index.state()?.rows, searches], [truth.size(), aborts * 4]);
      assert.equal(events.filter((event) => event === 'faiss_process_died').length, aborts);
    });
  });
});
