/** Vectors by label, each label's side by side: what is scanned, and what an index is filled from. */
import type { VectorEntry } from '../agent/ports/vector-index.ts';
import type { TopHits } from './top-hits.ts';
import { CHUNK_ROWS, type Chunk, createVectorArena } from './vector-arena.ts';
import { asCosine } from './vector-check.ts';

export interface VectorPage {
  readonly ids: readonly string[];
  /** One after the other. */
  readonly vectors: Float32Array;
}

/** Rows of a label are numbered from 0; a removal moves the last of them to the gap. */
export interface VectorRows {
  size(): number;
  count(label: string): number;
  labels(): readonly string[];
  labelOf(id: string): string | undefined;
  /** The vector of an id. Valid until the next `put`. */
  vectorOf(id: string): Float32Array | undefined;
  /** Replaces an entry of the same id, under whichever label it was. */
  put(entry: VectorEntry): void;
  delete(id: string): boolean;
  /** A copy of up to `count` rows. */
  page(label: string, from: number, count: number): VectorPage;
  /** Offers the rows from `from` on, a whole multiple of `CHUNK_ROWS`, to the hits. */
  scan(label: string, from: number, count: number, query: Float32Array, hits: TopHits): void;
}

interface Block {
  readonly ids: string[];
  readonly chunks: Chunk[];
}

export const createVectorRows = (dimensions: number): VectorRows => {
  const arena = createVectorArena(dimensions);
  const blocks = new Map<string, Block>();
  const places = new Map<string, { readonly label: string; row: number }>();

  const chunkOf = (block: Block, row: number): Chunk => block.chunks[Math.floor(row / CHUNK_ROWS)] as Chunk;
  const read = (block: Block, row: number): Float32Array => chunkOf(block, row).read(row % CHUNK_ROWS);
  const write = (block: Block, row: number, vector: Float32Array): void => chunkOf(block, row).write(row % CHUNK_ROWS, vector);

  const remove = (id: string): boolean => {
    const place = places.get(id);
    const block = place && blocks.get(place.label);
    if (place === undefined || block === undefined) return false;
    places.delete(id);
    const lastRow = block.ids.length - 1;
    const lastId = block.ids.pop();
    const last = lastId === undefined ? undefined : places.get(lastId);
    if (lastId !== undefined && last !== undefined) {
      write(block, place.row, read(block, lastRow));
      block.ids[place.row] = lastId;
      last.row = place.row;
    }
    if (lastRow % CHUNK_ROWS === 0) arena.giveBack(block.chunks.pop() as Chunk);
    if (lastRow === 0) blocks.delete(place.label);
    return true;
  };

  return {
    size: () => places.size,
    count: (label) => blocks.get(label)?.ids.length ?? 0,
    labels: () => [...blocks.keys()],
    labelOf: (id) => places.get(id)?.label,
    vectorOf: (id) => {
      const place = places.get(id);
      const block = place && blocks.get(place.label);
      return place && block && read(block, place.row);
    },
    put: ({ id, label, vector }) => {
      remove(id);
      let block = blocks.get(label);
      if (block === undefined) {
        block = { ids: [], chunks: [] };
        blocks.set(label, block);
      }
      const row = block.ids.length;
      if (row % CHUNK_ROWS === 0) block.chunks.push(arena.takeChunk());
      write(block, row, vector);
      block.ids.push(id);
      places.set(id, { label, row });
    },
    delete: remove,
    page: (label, from, count) => {
      const block = blocks.get(label);
      const ids = block?.ids.slice(from, from + count) ?? [];
      const vectors = new Float32Array(ids.length * dimensions);
      if (block !== undefined) for (const at of ids.keys()) vectors.set(read(block, from + at), at * dimensions);
      return { ids, vectors };
    },
    scan: (label, from, count, query, hits) => {
      const block = blocks.get(label);
      if (block === undefined || from >= block.ids.length) return;
      const chunks = block.chunks.slice(from / CHUNK_ROWS, Math.ceil((from + count) / CHUNK_ROWS));
      let floor = hits.floor();
      arena.scan(chunks, Math.min(count, block.ids.length - from), query, (row, sum) => {
        const score = asCosine(sum);
        // Also false for what is no number: the sum of huge values.
        if (!(score >= floor)) return;
        hits.offer(block.ids[from + row] as string, score);
        floor = hits.floor();
      });
    },
  };
};
