import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Embedder } from '../../agent/ports/embedder.ts';
import type { KnowledgeStore } from '../../agent/ports/knowledge.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { VectorEntry, VectorIndex } from '../../agent/ports/vector-index.ts';
import { openSqliteStore } from '../../store/sqlite.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface RecordingLogger extends Logger {
  readonly events: string[];
}

export const createRecordingLogger = (): RecordingLogger => {
  const events: string[] = [];
  const record = (event: string): void => void events.push(event);
  const logger: RecordingLogger = { events, debug: record, info: record, warn: record, error: record, with: () => logger };
  return logger;
};

export const openStore = (t: TestContext): KnowledgeStore => {
  const opened = openSqliteStore({ folder: ':memory:', clock: realClock });
  t.after(() => opened.close());
  return opened.knowledge;
};

export const makeFolder = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'threadwise-knowledge-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

export interface FakeEmbedder extends Embedder {
  /** Every text that was embedded, in order. */
  readonly seen: string[];
  fail: Error | undefined;
  /** Answers wait for it. */
  gate: Promise<void>;
}

const DIMENSIONS = 64;

/** Counts words into 64 slots: texts that share words are near each other, and `vacation` means `holiday`. Reads no Han, as the bundled embedder. */
export const createFakeEmbedder = (id = 'fake-words'): FakeEmbedder => {
  const embedder: FakeEmbedder = {
    id,
    dimensions: DIMENSIONS,
    seen: [],
    fail: undefined,
    gate: Promise.resolve(),
    canRead: (text) => !/\p{Script=Han}/u.test(text),
    embed: async (texts) => {
      await embedder.gate;
      if (embedder.fail !== undefined) throw embedder.fail;
      embedder.seen.push(...texts);
      return texts.map((text) => {
        const vector = new Float32Array(DIMENSIONS).fill(0.001);
        for (const word of text
          .toLowerCase()
          .replaceAll('vacation', 'holiday')
          .match(/[a-z0-9]+/g) ?? []) {
          const slot = [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % DIMENSIONS, 7);
          vector[slot] = (vector[slot] ?? 0) + 1;
        }
        const norm = Math.hypot(...vector);
        return vector.map((value) => value / norm);
      });
    },
    close: async () => undefined,
  };
  return embedder;
};

/** The vector port in its plainest form. */
export const createPlainIndex = async (dimensions: number): Promise<VectorIndex> => {
  const entries = new Map<string, VectorEntry>();
  return {
    engine: 'exact',
    dimensions,
    size: () => entries.size,
    add: async (added) => added.forEach((entry) => void entries.set(entry.id, entry)),
    remove: async (ids) => ids.forEach((id) => void entries.delete(id)),
    search: async (vector, labels, limit) =>
      [...entries.values()]
        .filter((entry) => labels.includes(entry.label))
        .map((entry) => ({ id: entry.id, score: entry.vector.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0) }))
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    close: async () => entries.clear(),
  };
};
