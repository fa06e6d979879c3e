/** The vector index of one process, kept in step with a store that other processes write to as well. */

import type { Clock } from './ports/clock.ts';
import type { Embedder } from './ports/embedder.ts';
import type { Logger } from './ports/logger.ts';
import type { VectorHit, VectorIndex } from './ports/vector-index.ts';
import type { VectorStore } from './ports/vector-store.ts';

export interface VectorView {
  /**
   * True when nearly every row under these labels has its vector: before that, those which have one would crowd out those which
   * have none. Rows under other labels do not count.
   */
  isReady(labels: readonly string[]): boolean;
  /** Brings the index in step with the store's revision; calls while it works share its result. */
  refresh(revision: number, labels: readonly string[]): Promise<void>;
  search(vector: Float32Array, labels: readonly string[], limit: number): Promise<readonly VectorHit[]>;
  close(): Promise<void>;
}

const PAGE_VECTORS = 500;
/** While vectors are being made the revision moves with every batch; an index in use is brought up no oftener than this. */
const MIN_REFRESH_MS = 1000;
/** Ready means that no more than this many, or this share of the rows, wait for a vector. */
const MAX_PENDING = 16;
const MAX_PENDING_SHARE = 0.02;

interface Loaded {
  readonly embedderId: string;
  readonly index: VectorIndex;
  /** The label of each row that the index holds, and how its vector begins: a row may get another. */
  readonly labels: Map<string, { readonly label: string; readonly mark: string }>;
  /** How many rows of each label it holds, and how many wait for their vector. */
  held: ReadonlyMap<string, number>;
  pending: ReadonlyMap<string, number>;
}

const countEach = (labels: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
};

const markOf = (vector: Float32Array): string => vector.subarray(0, 4).join();

const sumOf = (counts: ReadonlyMap<string, number>, labels: readonly string[]): number =>
  [...new Set(labels)].reduce((sum, label) => sum + (counts.get(label) ?? 0), 0);

export const createVectorView = (dependencies: {
  readonly store: VectorStore;
  readonly embedder: Embedder;
  readonly createIndex: (dimensions: number) => Promise<VectorIndex>;
  /** The command that makes vectors of the configured embedder, for the log. */
  readonly mend: string;
  readonly clock: Clock;
  readonly logger: Logger;
}): VectorView => {
  const { store, embedder, createIndex, mend, clock, logger } = dependencies;
  let loaded: Loaded | undefined;
  let loadedRevision = -1;
  let loadedAt = 0;
  let running: Promise<void> | undefined;
  let hasWarned = false;

  const isReady = (labels: readonly string[]): boolean => {
    if (loaded === undefined) return false;
    const held = sumOf(loaded.held, labels);
    return held > 0 && sumOf(loaded.pending, labels) <= Math.max(MAX_PENDING, Math.floor(held * MAX_PENDING_SHARE));
  };

  const drop = async (): Promise<void> => {
    const old = loaded;
    loaded = undefined;
    loadedRevision = -1;
    await old?.index.close();
  };

  const loadPages = async ({ index, labels }: Loaded): Promise<void> => {
    const present = new Set<string>();
    for (let after = ''; ; ) {
      const page = await store.listVectors(after, PAGE_VECTORS);
      for (const entry of page) present.add(entry.id);
      const fresh = page.filter(({ id, label, vector }) => {
        const known = labels.get(id);
        return known?.label !== label || known.mark !== markOf(vector);
      });
      if (fresh.length > 0) await index.add(fresh.map(({ id, label, vector }) => ({ id, label, vector })));
      for (const entry of fresh) labels.set(entry.id, { label: entry.label, mark: markOf(entry.vector) });
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_VECTORS) break;
      after = last.id;
      await clock.sleep(0);
    }
    const gone = [...labels.keys()].filter((id) => !present.has(id));
    if (gone.length > 0) await index.remove(gone);
    for (const id of gone) labels.delete(id);
  };

  const load = async (revision: number): Promise<void> => {
    const identity = await store.readIdentity();
    if (identity === undefined || identity.embedderId !== embedder.id || identity.dimensions !== embedder.dimensions) {
      if (identity !== undefined && !hasWarned) {
        hasWarned = true;
        logger.warn('index_mismatch', {
          indexed: identity.embedderId,
          configured: embedder.id,
          mend,
        });
      }
      await drop();
      return;
    }
    if (loaded !== undefined && loaded.embedderId !== identity.embedderId) await drop();
    loaded ??= {
      embedderId: identity.embedderId,
      index: await createIndex(identity.dimensions),
      labels: new Map(),
      held: new Map(),
      pending: new Map(),
    };
    await loadPages(loaded);
    loaded.held = countEach([...loaded.labels.values()].map(({ label }) => label));
    loaded.pending = await store.countUnembedded();
    loadedRevision = revision;
    loadedAt = clock.monotonic();
  };

  return {
    isReady,
    refresh: (revision, labels) => {
      if (revision === loadedRevision || (isReady(labels) && clock.monotonic() - loadedAt < MIN_REFRESH_MS))
        return Promise.resolve();
      running ??= load(revision)
        .catch(async (error: unknown) => {
          await drop();
          throw error;
        })
        .finally(() => {
          running = undefined;
        });
      return running;
    },
    search: async (vector, labels, limit) => {
      if (loaded === undefined) return [];
      try {
        return await loaded.index.search(vector, labels, limit);
      } catch (error) {
        await drop();
        throw error;
      }
    },
    close: async () => {
      await running?.catch(() => undefined);
      await drop();
    },
  };
};
