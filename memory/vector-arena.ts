/** Memory for vectors, handed out in chunks of rows: it grows in place, so no growth copies what is there. */
import { createKernel, KERNEL_FLOATS, type KernelMemory, PAGE_BYTES, type ScanKernel } from './scan-kernel.ts';

/** A chunk belongs to one label, so a label of one row costs this many. */
export const CHUNK_ROWS = 32;

/** WebAssembly's addresses end at 4 GiB; several arenas hold more. */
const MAX_ARENA_PAGES = 16_384;
const MIN_GROWTH_PAGES = 64;
/** Scores of one call. */
const MAX_RUN_ROWS = 1_024;

export interface Chunk {
  /** Copies a vector to a row, 0 to `CHUNK_ROWS` - 1. */
  write(row: number, vector: Float32Array): void;
  /** The vector of a row. Valid until the next `takeChunk`. */
  read(row: number): Float32Array;
}

export interface VectorArena {
  takeChunk(): Chunk;
  giveBack(chunk: Chunk): void;
  /** Calls `each` with the position and inner product of the first `rowCount` rows that stand in `chunks`. */
  scan(chunks: readonly Chunk[], rowCount: number, query: Float32Array, each: (row: number, score: number) => void): void;
}

interface Region {
  readonly memory: KernelMemory;
  readonly scan: ScanKernel;
  floats: Float32Array;
  used: number;
}

interface PlacedChunk extends Chunk {
  readonly region: Region;
  /** The float where it begins. */
  readonly start: number;
}

export const createVectorArena = (dimensions: number): VectorArena => {
  const stride = Math.ceil(dimensions / KERNEL_FLOATS) * KERNEL_FLOATS;
  const chunkFloats = CHUNK_ROWS * stride;
  const regions: Region[] = [];
  const free: PlacedChunk[] = [];

  const openRegion = (): Region => {
    const used = stride + MAX_RUN_ROWS;
    const initial = Math.ceil((used * 4) / PAGE_BYTES);
    const { memory, scan } = createKernel(initial, MAX_ARENA_PAGES);
    const region = { memory, scan, floats: new Float32Array(memory.buffer), used };
    regions.push(region);
    return region;
  };

  const ensureRoom = (region: Region): boolean => {
    if (region.used + chunkFloats <= region.floats.length) return true;
    const pages = region.memory.buffer.byteLength / PAGE_BYTES;
    const needed = Math.ceil(((region.used + chunkFloats) * 4) / PAGE_BYTES) - pages;
    const growth = Math.min(MAX_ARENA_PAGES - pages, Math.max(needed, MIN_GROWTH_PAGES, pages >> 3));
    if (growth < needed) return false;
    region.memory.grow(growth);
    region.floats = new Float32Array(region.memory.buffer);
    return true;
  };

  const cutChunk = (): PlacedChunk => {
    let region = regions.at(-1);
    if (region === undefined || !ensureRoom(region)) {
      region = openRegion();
      ensureRoom(region);
    }
    const owner = region;
    const start = owner.used;
    owner.used += chunkFloats;
    return {
      region: owner,
      start,
      write: (row, vector) => owner.floats.set(vector, start + row * stride),
      read: (row) => owner.floats.subarray(start + row * stride, start + row * stride + dimensions),
    };
  };

  return {
    takeChunk: () => free.pop() ?? cutChunk(),
    giveBack: (chunk) => void free.push(chunk as PlacedChunk),
    scan: (chunks, rowCount, query, each) => {
      const placed = chunks as readonly PlacedChunk[];
      for (const { floats } of regions) floats.set(query, 0);
      for (let from = 0; from * CHUNK_ROWS < rowCount; ) {
        const { region, start } = placed[from] as PlacedChunk;
        let to = from + 1;
        // Chunks that follow each other in memory are one run.
        for (
          let next = placed[to];
          next?.region === region && next.start === start + (to - from) * chunkFloats;
          next = placed[to]
        ) {
          if ((to - from) * CHUNK_ROWS >= MAX_RUN_ROWS) break;
          to++;
        }
        const firstRow = from * CHUNK_ROWS;
        const rows = Math.min(rowCount, to * CHUNK_ROWS) - firstRow;
        region.scan(0, start * 4, (start + rows * stride) * 4, stride * 4, stride * 4);
        const { floats } = region;
        for (let row = 0; row < rows; row++) each(firstRow + row, floats[stride + row] as number);
        from = to;
      }
    },
  };
};
