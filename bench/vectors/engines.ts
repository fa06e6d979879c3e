/** The vector indexes under test, behind the few calls that are measured. */
import { FaissStore } from '@langchain/community/vectorstores/faiss';
import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import type { VectorIndex } from '../../agent/ports/vector-index.ts';
import { createExactIndex } from '../../memory/exact.ts';
import { createFaissIndex } from '../../memory/faiss.ts';
import { systemClock } from '../../ops/clock.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import type { Label, Row } from './corpus.ts';

export const ENGINES = ['FaissStore', 'exact', 'faiss flat', 'faiss hnsw'] as const;
export type EngineName = (typeof ENGINES)[number];

export interface Engine {
  add(rows: readonly Row[]): Promise<void>;
  remove(id: string): Promise<void>;
  /** Ends what goes on behind an addition: from here on it is as it will be. */
  settle(): Promise<void>;
  /** Ids with their scores, best first. `share` of the rows stands under the labels. */
  search(query: Float32Array, labels: readonly Label[], share: number): Promise<readonly string[]>;
  /** What a reader should know of its state. */
  note(): string | undefined;
  close(): Promise<void>;
}

const LIMIT = 10;
/** Fewer than the product has, so that 20,000 rows show what a graph does. */
const HNSW_ROWS = 10_000;

const fromIndex = (index: VectorIndex): Pick<Engine, 'add' | 'remove' | 'search' | 'close'> => ({
  add: (rows) => index.add(rows),
  remove: (id) => index.remove([id]),
  search: async (query, labels) => (await index.search(query, labels, LIMIT)).map(({ id }) => id),
  close: () => index.close(),
});

const createFaiss = (dimensions: number, graphRows: number): Engine => {
  const index = createFaissIndex({ dimensions, logger: silentLogger, clock: systemClock, graphRows });
  return {
    ...fromIndex(index),
    settle: async () => {
      await index.ready();
      await index.upkeep();
    },
    note: () => {
      const state = index.state();
      if (state === undefined || state.graphRows === 0) return `no graph, ${index.engine}`;
      return `a graph of ${state.graphRows} rows with a measured recall@10 of ${state.recall?.toFixed(3)}`;
    },
  };
};

/** Its own looks through all its ids at each addition, which takes minutes at 100,000. */
class PlainDocstore {
  readonly _docs = new Map<string, { readonly metadata: object }>();
  add(documents: Record<string, { readonly metadata: object }>): void {
    for (const [id, document] of Object.entries(documents)) this._docs.set(id, document);
  }
  search(id: string): { readonly metadata: object } | string {
    return this._docs.get(id) ?? `ID ${id} not found.`;
  }
}

const LARGE_ROWS = 50_000;

const createFaissStore = (size: number): Engine => {
  const isLarge = size > LARGE_ROWS;
  const docstore = isLarge ? { docstore: new PlainDocstore() as never } : {};
  const store = new FaissStore({} as EmbeddingsInterface, docstore);
  return {
    add: async (rows) => {
      await store.addVectors(
        rows.map(({ vector }) => Array.from(vector)),
        rows.map(({ id, label }) => ({ pageContent: '', metadata: { id, label } })),
        { ids: rows.map(({ id }) => id) },
      );
    },
    remove: (id) => store.delete({ ids: [id] }),
    // It cannot filter: it is asked for more, and for twice as many until enough are left.
    search: async (query, labels, share) => {
      const list = Array.from(query);
      const total = store.index.ntotal();
      for (
        let count = Math.min(total, Math.ceil((LIMIT / share) * (share < 1 ? 1.5 : 1)));
        ;
        count = Math.min(total, count * 2)
      ) {
        const found = await store.similaritySearchVectorWithScore(list, count);
        const kept = found.filter(([{ metadata }]) => labels.includes(metadata['label'] as Label));
        if (kept.length >= LIMIT || count === total)
          return kept.slice(0, LIMIT).map(([{ metadata }]) => metadata['id'] as string);
      }
    },
    settle: async () => undefined,
    note: () => (isLarge ? 'with a docstore of ours: its own takes minutes to fill' : undefined),
    close: async () => undefined,
  };
};

export const createEngine = (name: EngineName, dimensions: number, size: number): Engine => {
  switch (name) {
    case 'FaissStore':
      return createFaissStore(size);
    case 'exact':
      return { ...fromIndex(createExactIndex({ dimensions })), settle: async () => undefined, note: () => undefined };
    case 'faiss flat':
      return createFaiss(dimensions, Number.MAX_SAFE_INTEGER);
    case 'faiss hnsw':
      return createFaiss(dimensions, HNSW_ROWS);
  }
};
