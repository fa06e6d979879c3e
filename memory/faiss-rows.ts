/** Rows of one FAISS index and where each id stands. A removed row stays in FAISS as a dead one until its index is made again. */
import type { Index, IndexFlatIP } from 'faiss-node';
import type { VectorHit } from '../agent/ports/vector-index.ts';
import { asCosine } from './vector-check.ts';

/** What of the package is used; the module is loaded once, by the process's main file. */
export interface Faiss {
  readonly Index: typeof Index;
  readonly IndexFlatIP: typeof IndexFlatIP;
}

export interface Rows {
  readonly index: Index;
  /** Null where the row is dead. */
  ids: (string | null)[];
  sums: number[];
  dead: number;
}

export interface Place {
  readonly rows: Rows;
  readonly row: number;
}

export const METRIC_INNER_PRODUCT = 0;
const FLAT_HEADER_BYTES = 45;

/** The serialized form of a flat inner-product index: handing floats over by it is eight times as fast as by a list of numbers. */
export const createFlat = (faiss: Faiss, dimensions: number, vectors: Float32Array): IndexFlatIP => {
  const count = vectors.length / dimensions;
  const bytes = Buffer.allocUnsafe(FLAT_HEADER_BYTES + vectors.byteLength);
  bytes.write('IxFI', 0, 'latin1');
  bytes.writeInt32LE(dimensions, 4);
  bytes.writeBigInt64LE(BigInt(count), 8);
  // Two fields that FAISS writes and never reads.
  bytes.writeBigInt64LE(1n << 20n, 16);
  bytes.writeBigInt64LE(1n << 20n, 24);
  bytes[32] = 1;
  bytes.writeInt32LE(METRIC_INNER_PRODUCT, 33);
  bytes.writeBigInt64LE(BigInt(vectors.length), 37);
  bytes.set(new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength), FLAT_HEADER_BYTES);
  return faiss.IndexFlatIP.fromBuffer(bytes);
};

/** The floats of a flat index, a copy. */
export const readFlat = (index: Index): Float32Array => {
  const bytes = index.toBuffer();
  const floats = new Float32Array((bytes.length - FLAT_HEADER_BYTES) / 4);
  new Uint8Array(floats.buffer).set(bytes.subarray(FLAT_HEADER_BYTES));
  return floats;
};

export const liveCount = ({ ids, dead }: Rows): number => ids.length - dead;

/** The live ones of the nearest `count` rows. */
export const searchRows = ({ index, ids }: Rows, query: number[], count: number): VectorHit[] => {
  const { distances, labels } = index.search(query, count);
  const hits: VectorHit[] = [];
  for (const [at, row] of labels.entries()) {
    const id = ids[row];
    if (id !== null && id !== undefined) hits.push({ id, score: asCosine(distances[at] ?? Number.NaN) });
  }
  return hits;
};
