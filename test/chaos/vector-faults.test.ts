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
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../agent/ports/logger.ts';
import type { VectorEntry } from '../../agent/ports/vector-index.ts';
import { createExactIndex, type ExactIndex } from '../../memory/exact.ts';
import { createFaissIndex, type FaissIndex } from '../../memory/faiss.ts';
import { createRandom, randomUnit } from '../contracts/vector-index.ts';
import { createFakeClock } from '../fake-clock.ts';
import { scaled, seed } from '../scale.ts';

const DIMENSIONS = 24;
const COUNT = 400;
const LABELS = ['a', 'b', 'c'] as const;
/** Of the rows, those that the process holds: a search asks both. */
const SHARE = 0.6;

const createEntries = (random: () => number, count: number): readonly VectorEntry[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `e${n}`,
    label: LABELS[Math.floor(random() * LABELS.length)] ?? 'a',
    vector: randomUnit(random, DIMENSIONS),
  }));

/** Worlds side by side: one waits for its process while another works. */
const LANES = 3;

// The many processes need not read their sources anew.
enableCompileCache();

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => silent };

/** An index, the plain scan that it has to agree with, and their folder. */
class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'threadwise-vector-faults-'));
  readonly path = join(this.folder, 'index');
  readonly clock = createFakeClock();
  readonly random: () => number;
  readonly graphRows: number;
  events: string[] = [];
  crashes = 0;
  truth: ExactIndex;
  index: FaissIndex;

  constructor(lane = 0) {
    this.random = createRandom(seed + lane);
    // More than there are: no graphs of its own, so that hits are exactly those of a scan. Its process is known by it.
    this.graphRows = COUNT * 10 + lane;
    this.truth = createExactIndex({ dimensions: DIMENSIONS });
    this.index = this.open();
  }

  open(): FaissIndex {
    const note = (event: string): void => void this.events.push(event);
    const logger: Logger = { ...silent, info: note, warn: note, error: note, with: () => logger };
    const file = { path: this.path, embedderId: 'e' };
    const { clock, graphRows } = this;
    return createFaissIndex({ dimensions: DIMENSIONS, logger, clock, file, scanFloats: 0, graphRows, processShare: SHARE });
  }

  /** Another index over the same folder, with these rows. */
  async reopen(entries: readonly VectorEntry[]): Promise<void> {
    await this.index.close();
    this.events = [];
    this.truth = createExactIndex({ dimensions: DIMENSIONS });
    this.index = this.open();
    await this.add(entries);
  }

  async add(entries: readonly VectorEntry[]): Promise<void> {
    await Promise.all([this.index.add(entries), this.truth.add(entries)]);
  }

  /** Searches under one to three labels; every hit and its order are those of the plain scan. */
  async assertSame(message: string, limit = 10): Promise<void> {
    const query = randomUnit(this.random, DIMENSIONS);
    const labels = limit > COUNT ? LABELS : LABELS.slice(0, 1 + Math.floor(this.random() * LABELS.length));
    const [hits, expected] = await Promise.all([
      this.index.search(query, labels, limit),
      this.truth.search(query, labels, limit),
    ]);
    assert.deepEqual(
      hits.map(({ id }) => id),
      expected.map(({ id }) => id),
      message,
    );
    for (const [at, { score }] of hits.entries()) assert.ok(Math.abs(score - (expected[at]?.score ?? 9)) < 1e-5, message);
  }

  /** The system's list may leave one out while processes of other lanes end (proc(5)), so it is read again. */
  async childPid(): Promise<number> {
    for (let tries = 0; tries < 200; tries++) {
      const [pid] = this.listChildren();
      if (pid !== undefined) return pid;
      await sleep(2);
    }
    throw new Error('expected a FAISS process, found none');
  }

  private listChildren(): readonly number[] {
    return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number)
      .filter((pid) => {
        try {
          const [, , ...words] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
          return words.some((word) => word.includes('faiss-child')) && words.at(-1) === String(this.graphRows);
        } catch {
          return false;
        }
      });
  }

  async close(): Promise<void> {
    await this.index.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe(`the vector index under faults (seed ${seed})`, () => {
  let worlds: World[] = [];
  const openWorld = (lane = 0): World => {
    const world = new World(lane);
    worlds.push(world);
    return world;
  };
  afterEach(async () => {
    for (const world of worlds) await world.close();
    worlds = [];
  });

  /** Trials 0 to `count` - 1, each once, in the lanes side by side. */
  const inLanes = async (count: number, trial: (world: World, number: number) => Promise<void>): Promise<void> => {
    let next = 0;
    await Promise.all(
      Array.from({ length: LANES }, async (_, lane) => {
        const world = openWorld(lane);
        while (next < count) await trial(world, next++);
      }),
    );
  };

  describe('of its file', () => {
    let whole: string;
    let other: string;
    let entries: readonly VectorEntry[];
    before(async () => {
      whole = mkdtempSync(join(tmpdir(), 'threadwise-vector-whole-'));
      other = join(whole, 'other');
      entries = createEntries(createRandom(seed), COUNT);
      // One of another embedder, of which every row is different.
      for (const [name, rows, embedderId] of [
        ['other', createEntries(createRandom(seed + 1), COUNT), 'other'],
        ['index', entries, 'e'],
      ] as const) {
        const file = { path: join(whole, name), embedderId };
        const writer = createFaissIndex({
          dimensions: DIMENSIONS,
          logger: silent,
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

    const FAULTS: readonly ((world: World, bytes: Buffer) => void)[] = [
      ({ path, random }, bytes) => {
        const at = Math.floor(random() * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
        writeFileSync(path, bytes);
      },
      ({ path, random }, bytes) => truncateSync(path, Math.floor(random() * bytes.length)),
      ({ path, random }, bytes) => {
        const at = Math.floor(random() * bytes.length);
        bytes.fill(0, at, Math.min(bytes.length, at + 1 + Math.floor(random() * 4_096)));
        // Where zeros stood before, it is still whole.
        if (bytes.equals(readFileSync(path))) bytes[at] = 1;
        writeFileSync(path, bytes);
      },
      ({ path, random }, bytes) =>
        writeFileSync(
          path,
          bytes.map(() => Math.floor(random() * 256)),
        ),
      ({ path, random }, bytes) => writeFileSync(path, Buffer.concat([bytes, bytes.subarray(0, 1 + Math.floor(random() * 100))])),
      ({ path }) => copyFileSync(other, path),
      ({ path }) => writeFileSync(path, ''),
    ];

    it('is never read into FAISS, and answered over, when it is damaged or another', async () => {
      await inLanes(scaled(1_000), async (world, trial) => {
        copyFileSync(whole, world.path);
        FAULTS[trial % FAULTS.length]?.(world, readFileSync(world.path));
        await world.reopen(entries);
        await world.assertSame(`trial ${trial}, before the process is there`);
        await world.index.ready();
        const outcome = [world.index.engine, world.index.state()?.graphRows, world.events];
        assert.deepEqual(outcome, ['faiss', 0, ['vector_file_refused']], `trial ${trial}`);
        await world.assertSame(`trial ${trial}`);
      });
    });

    it('is read when it is whole, so that the trials above say something', async () => {
      const world = openWorld();
      copyFileSync(whole, world.path);
      await world.reopen(entries);
      await world.index.ready();
      assert.deepEqual(world.events, []);
      assert.ok((world.index.state()?.graphRows ?? 0) > 100);
    });

    it('is missing: the index is filled from the store and the file written again', async () => {
      const world = openWorld();
      await world.add(entries);
      await world.index.ready();
      await world.assertSame('without a file');
      await world.index.upkeep();
      rmSync(world.path);
      await world.add([{ id: 'late', label: 'a', vector: randomUnit(world.random, DIMENSIONS) }]);
      await world.reopen(entries);
      await world.index.ready();
      await world.assertSame('with the file gone');
      await world.index.upkeep();
      assert.ok(existsSync(world.path));
      assert.deepEqual(world.events, []);
    });

    it('survives a disk that is full, and the index goes on and writes when there is room again', async (t) => {
      if (process.getuid?.() !== 0) return t.diagnostic('a small file system needs root; not checked here');
      const world = openWorld();
      const { folder, path, index, clock } = world;
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
      try {
        await world.add(entries);
        await index.ready();
        await index.upkeep();
        const bytes = readFileSync(path);
        writeFileSync(join(folder, 'ballast'), Buffer.alloc(900 * 1024));
        const more = createEntries(createRandom(seed + 2), COUNT).map((entry) => ({ ...entry, id: `more-${entry.id}` }));
        await world.add(more);
        await index.upkeep();
        assert.deepEqual(world.events, ['vector_file_not_written']);
        assert.deepEqual(readFileSync(path), bytes, 'the file before it is untouched');
        assert.deepEqual(readdirSync(folder).sort(), ['ballast', 'index']);
        for (let n = 0; n < 20; n++) await world.assertSame('with a full disk');
        rmSync(join(folder, 'ballast'));
        await clock.advance(600_000);
        await index.upkeep();
        assert.ok(statSync(path).size > bytes.length);
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
      const entries = createEntries(createRandom(seed), COUNT);
      const aborts = scaled(500);
      let searches = 0;
      await inLanes(aborts, async (world, abort) => {
        const { index, truth, random, clock } = world;
        if (index.size() === 0) await world.add(entries);
        await index.ready();
        // Five crashes in a minute would leave it to the exact index. Nothing is under way when the time passes.
        if (world.crashes++ % 4 === 0) {
          await index.upkeep();
          await clock.advance(60_000);
        }
        assert.equal(index.engine, 'faiss', `abort ${abort}`);
        const pid = await world.childPid();
        const id = `e${Math.floor(random() * COUNT)}`;
        const changed = { id, label: 'b', vector: randomUnit(random, DIMENSIONS) };
        const change = abort % 3 === 0 ? [index.remove([id]), truth.remove([id])] : [index.add([changed]), truth.add([changed])];
        const upkeep = abort % 5 === 0 ? index.upkeep() : undefined;
        const asked = Array.from({ length: 3 }, () => index.search(randomUnit(random, DIMENSIONS), LABELS, 10));
        if (abort % 2 === 0) await sleep(random() * 4);
        process.kill(pid, ABORTS[abort % ABORTS.length]);
        for (const hits of await Promise.all(asked)) assert.equal(hits.length, 10);
        await Promise.all([...change, upkeep]);
        await world.assertSame(`abort ${abort}`);
        searches += 4;
        for (let tries = 0; existsSync(`/proc/${pid}`) && tries < 500; tries++) await sleep(2);
        assert.equal(index.size(), truth.size());
      });
      assert.equal(searches, aborts * 4);
      for (const world of worlds) {
        await world.index.ready();
        assert.equal(world.index.engine, 'faiss');
        await world.assertSame('all rows in the end', 2 * COUNT);
      }
      const died = worlds.flatMap(({ events }) => events).filter((event) => event === 'faiss_process_died');
      assert.equal(died.length, aborts);
    });
  });
});
