/**
 * The process that FAISS lives in: one flat inner-product index a label. It may abort at any time; it holds nothing that its
 * parent could not give to another. Started with the dimensions as its argument.
 */
import type { VectorHit } from '../agent/ports/vector-index.ts';
import type { FaissReply, FaissRequest, FromChild, ToChild } from './faiss-messages.ts';
import { asCosine, checkLimit, checkVector, compareHits } from './vector-check.ts';

type FlatIndex = import('faiss-node').IndexFlatIP;

interface Shard {
  readonly index: FlatIndex;
  /** Null where the row was removed or replaced. */
  readonly ids: (string | null)[];
  dead: number;
}

const send = (message: FromChild): void => void process.send?.(message);

const createShards = (dimensions: number, createIndex: () => FlatIndex) => {
  const shards = new Map<string, Shard>();
  const places = new Map<string, { readonly shard: Shard; readonly row: number }>();
  let searches = 0;
  let deadRows = 0;

  const bury = (id: string): void => {
    const place = places.get(id);
    if (place === undefined) return;
    places.delete(id);
    place.shard.ids[place.row] = null;
    place.shard.dead++;
    deadRows++;
  };

  const add = (label: string, ids: readonly string[], vectors: Float32Array): void => {
    checkVector(vectors, ids.length * dimensions);
    if (ids.length === 0) return;
    let shard = shards.get(label);
    if (shard === undefined) {
      shard = { index: createIndex(), ids: [], dead: 0 };
      shards.set(label, shard);
    }
    for (const id of ids) {
      bury(id);
      places.set(id, { shard, row: shard.ids.length });
      shard.ids.push(id);
    }
    shard.index.add(Array.from(vectors));
  };

  /** Asks for more than the limit until what is cut off can be neither alive and better nor tied with what stays. */
  const searchShard = ({ index, ids, dead }: Shard, query: number[], limit: number): readonly VectorHit[] => {
    if (ids.length === dead || limit === 0) return [];
    for (let count = Math.min(ids.length, limit + dead + 1); ; count = Math.min(ids.length, count * 2)) {
      const { distances, labels } = index.search(query, count);
      searches++;
      const hits: VectorHit[] = [];
      for (const [at, row] of labels.entries()) {
        const id = ids[row];
        if (id !== null && id !== undefined) hits.push({ id, score: asCosine(distances[at] ?? Number.NaN) });
      }
      const isDecided = (hits[limit - 1]?.score ?? Number.NaN) > (hits.at(-1)?.score ?? Number.NaN);
      if (count === ids.length || isDecided) return hits;
    }
  };

  return (request: FaissRequest): FaissReply => {
    let hits: VectorHit[] = [];
    if (request.type === 'add') add(request.label, request.ids, request.vectors);
    if (request.type === 'remove') for (const id of request.ids) bury(id);
    if (request.type === 'search') {
      checkVector(request.vector, dimensions);
      checkLimit(request.limit);
      const query = Array.from(request.vector);
      for (const label of new Set(request.labels)) {
        const shard = shards.get(label);
        if (shard !== undefined) hits.push(...searchShard(shard, query, request.limit));
      }
      hits = hits.sort(compareHits).slice(0, request.limit);
    }
    return { hits, searches, deadRows };
  };
};

const main = async (): Promise<void> => {
  process.on('disconnect', () => process.exit());
  const dimensions = Number(process.argv[2]);
  let answer: (request: FaissRequest) => FaissReply;
  try {
    const { default: faiss } = await import('faiss-node');
    answer = createShards(dimensions, () => new faiss.IndexFlatIP(dimensions));
  } catch (error) {
    send({ type: 'missing', reason: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) });
    process.exitCode = 69;
    process.disconnect();
    return;
  }
  process.on('message', (message) => {
    const request = message as ToChild;
    send({ type: 'reply', number: request.number, reply: answer(request) });
  });
  send({ type: 'ready' });
};

await main();
