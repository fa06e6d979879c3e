/**
 * The FAISS indexes of a process as a file, which saves the next process the graphs and most of the filling. Derived: what it
 * lacks or has too much is told row by row from the store, so an old file is as good as a new one.
 */

import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Graph } from './faiss-graph.ts';
import { type Faiss, liveCount, type Rows } from './faiss-rows.ts';
import type { FaissShards } from './faiss-shards.ts';
import { PIECE_BYTES, readVectorFile, temporaryOf, type VectorFileReader, writeVectorFile } from './vector-file.ts';

interface Header {
  readonly embedderId: string;
  readonly dimensions: number;
  /** Live rows when its writing began; changes go on meanwhile. */
  readonly count: number;
  /** One more than that of the file it replaced. */
  readonly revision: number;
  readonly parts: number;
}

interface PartHeader {
  readonly label: string;
  /** What was measured of a graph; null of a flat index. */
  readonly graph: Pick<Graph, 'recall' | 'reach'> | null;
  readonly ids: (string | null)[];
  readonly indexBytes: number;
}

const SUM_BYTES = 8;
const MAX_JSON_BYTES = 256 * 1024 * 1024;
/** A graph's links and ids beside its vectors, roughly. */
const ROW_OVERHEAD_BYTES = 400;

const lengthPrefixed = (value: Header | PartHeader): readonly Uint8Array[] => {
  const json = Buffer.from(JSON.stringify(value));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return [length, json];
};

/** What was written here: the checksum was right, and the file's first bytes name the version of this layout. */
const takeJson = async <T extends Header | PartHeader>(reader: VectorFileReader): Promise<T> => {
  const length = (await reader.take(4)).readUInt32LE();
  if (length > MAX_JSON_BYTES) throw new Error('it holds a part that is too long');
  return JSON.parse((await reader.take(length)).toString()) as T;
};

interface Part extends Pick<PartHeader, 'label' | 'graph'> {
  readonly rows: Rows;
}

const partsOf = (shards: FaissShards): readonly Part[] =>
  [...shards.shards]
    .flatMap(([label, { graph, flats }]): readonly Part[] => [
      ...(graph === undefined ? [] : [{ label, graph: { recall: graph.recall, reach: graph.reach }, rows: graph }]),
      ...flats.map((rows) => ({ label, graph: null, rows })),
    ])
    .filter(({ rows }) => liveCount(rows) > 0);

const readHeader = (reader: VectorFileReader): Promise<Header> => takeJson<Header>(reader);

const nextRevision = async (path: string): Promise<number> => {
  try {
    return (await readVectorFile(path, readHeader)).revision + 1;
  } catch {
    return 1;
  }
};

/** Both kinds of index end with their vectors: what was removed is written as zeros, and forgotten with the file. */
const blankDead = async (handle: FileHandle, size: number, ids: Rows['ids'], dimensions: number): Promise<void> => {
  const zeros = Buffer.alloc(dimensions * 4);
  const start = size - ids.length * zeros.length;
  for (const [row, id] of ids.entries()) {
    if (id === null) await handle.write(zeros, 0, zeros.length, start + row * zeros.length);
  }
};

/** By a file beside: faiss-node never frees what `toBuffer` and `fromBuffer` work on. */
async function* writePart({ label, graph, rows }: Part, path: string, dimensions: number): AsyncGenerator<Uint8Array> {
  const temporary = temporaryOf(path, 'part');
  try {
    // Together, before anything else may change the rows.
    rows.index.write(temporary);
    const ids = [...rows.ids];
    const sums = new Uint8Array(Float64Array.from(rows.sums).buffer);
    const handle = await open(temporary, 'r+');
    try {
      const { size } = await handle.stat();
      await blankDead(handle, size, ids, dimensions);
      yield* lengthPrefixed({ label, graph, ids, indexBytes: size });
      yield sums;
      const piece = Buffer.alloc(PIECE_BYTES);
      for (let at = 0; at < size; ) {
        const { bytesRead } = await handle.read(piece, 0, piece.length, at);
        yield piece.subarray(0, bytesRead);
        at += bytesRead;
      }
    } finally {
      await handle.close();
    }
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Throws what the file system says. Requests wait while one index is copied, not while the whole is written. */
export const saveShards = async (
  shards: FaissShards,
  options: { readonly path: string; readonly embedderId: string; readonly dimensions: number },
): Promise<void> => {
  const { path, embedderId, dimensions } = options;
  const parts = partsOf(shards);
  const count = shards.state().rows;
  const revision = await nextRevision(path);
  const total = parts.reduce((sum, { rows }) => sum + rows.ids.length, 0);
  const largest = Math.max(0, ...parts.map(({ rows }) => rows.ids.length));
  const content = async function* (): AsyncGenerator<Uint8Array> {
    yield* lengthPrefixed({ embedderId, dimensions, count, revision, parts: parts.length });
    for (const part of parts) yield* writePart(part, path, dimensions);
  };
  await writeVectorFile(path, (total + largest) * (dimensions * 4 + ROW_OVERHEAD_BYTES), content());
};

const readIndex = async (faiss: Faiss, reader: VectorFileReader, path: string, part: PartHeader): Promise<Rows['index']> => {
  const temporary = temporaryOf(path, 'part');
  try {
    const handle = await open(temporary, 'w');
    try {
      for (let left = part.indexBytes; left > 0; left -= PIECE_BYTES) {
        await handle.writeFile(await reader.take(Math.min(left, PIECE_BYTES)));
      }
    } finally {
      await handle.close();
    }
    return part.graph === null ? faiss.IndexFlatIP.read(temporary) : faiss.Index.read(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
};

const readPart = async (faiss: Faiss, reader: VectorFileReader, path: string, dimensions: number) => {
  const part = await takeJson<PartHeader>(reader);
  const { label, graph, ids } = part;
  const sums = await reader.take(ids.length * SUM_BYTES);
  const index = await readIndex(faiss, reader, path, part);
  if (index.ntotal() !== ids.length || index.getDimension() !== dimensions) throw new Error('an index in it has other rows');
  const rows: Rows = {
    index,
    ids,
    sums: [...new Float64Array(sums.buffer, sums.byteOffset, ids.length)],
    dead: ids.filter((id) => id === null).length,
  };
  return { label, rows: graph === null ? rows : { ...rows, ...graph } };
};

/** Adopts what the file holds, or throws before anything was adopted. */
export const loadShards = (
  shards: FaissShards,
  options: { readonly faiss: Faiss; readonly path: string; readonly embedderId: string; readonly dimensions: number },
): Promise<void> =>
  readVectorFile(options.path, async (reader) => {
    const { faiss, embedderId, dimensions } = options;
    const header = await readHeader(reader);
    if (header.embedderId !== embedderId) throw new Error(`its vectors are of ${header.embedderId}, not of ${embedderId}`);
    if (header.dimensions !== dimensions) throw new Error(`it has ${header.dimensions} dimensions, not ${dimensions}`);
    const parts: Awaited<ReturnType<typeof readPart>>[] = [];
    for (let part = 0; part < header.parts; part++) parts.push(await readPart(faiss, reader, options.path, dimensions));
    if (reader.remaining() > 0) throw new Error('it holds more than it says');
    for (const { label, rows } of parts) shards.adopt(label, rows);
  });
