/**
 * The process that FAISS lives in. It may abort at any time; it holds nothing that its parent could not give to another. Started
 * with the dimensions and the least size of a graph as its arguments.
 */
import { flushCompileCache } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadShards, saveShards } from './faiss-file.ts';
import type { FaissReply, FaissRequest, FromChild, ToChild } from './faiss-messages.ts';
import type { Faiss } from './faiss-rows.ts';
import { createFaissShards, type FaissShards } from './faiss-shards.ts';

const send = (message: FromChild): void => void process.send?.(message);

const firstLine = (error: unknown): string => (error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));

const refusalOf = async (work: Promise<void>): Promise<{ readonly refusal?: string }> => {
  try {
    await work;
    return {};
  } catch (error) {
    // No file yet is no fault.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? {} : { refusal: firstLine(error) };
  }
};

/** The engine knows nothing of the megabytes behind an index that is no longer used, and would keep it for long. */
const freeUnused = async (): Promise<void> => {
  await nextTurn();
  globalThis.gc?.();
};

const createAnswer = (faiss: Faiss, dimensions: number, shards: FaissShards) => {
  /** What is done at once comes without a promise, so that requests keep their order. */
  const work = (request: FaissRequest): Omit<FaissReply, 'state'> | Promise<Omit<FaissReply, 'state'>> => {
    switch (request.type) {
      case 'add':
        shards.add(request.label, request.ids, request.vectors);
        return {};
      case 'remove':
        shards.remove(request.ids);
        return {};
      case 'search': {
        const hits = shards.search(request.labels, request.vector, request.limit);
        return hits === undefined ? {} : { hits };
      }
      case 'list': {
        const held = shards.list(request.page);
        return held === undefined ? {} : { held };
      }
      case 'load':
        return refusalOf(loadShards(shards, { ...request, faiss, dimensions }));
      case 'save':
        return refusalOf(saveShards(shards, { ...request, dimensions }));
      case 'grow':
        return shards.grow(request.label, request.ids, request.vectors, request.total, request.isFirst).then(() => ({}));
      case 'finish':
        return shards
          .finish(request.label)
          .then(freeUnused)
          .then(() => ({}));
    }
  };
  return async (request: FaissRequest): Promise<FaissReply> => {
    const result = await work(request);
    return { ...result, state: shards.state() };
  };
};

const main = async (): Promise<void> => {
  process.on('disconnect', () => process.exit());
  const [dimensions, graphRows] = process.argv.slice(2).map(Number);
  if (dimensions === undefined || graphRows === undefined) throw new Error('expected DIMENSIONS GRAPH_ROWS');
  let faiss: Faiss;
  try {
    faiss = (await import('faiss-node')).default;
  } catch (error) {
    send({ type: 'missing', reason: firstLine(error) });
    process.exitCode = 69;
    process.disconnect();
    return;
  }
  const answer = createAnswer(faiss, dimensions, createFaissShards({ faiss, dimensions, graphRows }));
  process.on('message', (message) => {
    const { number, ...request } = message as ToChild;
    // A request that throws ends the process: its parent checked it, so what it holds is no longer to be trusted.
    void answer(request as FaissRequest).then((reply) => send({ type: 'reply', number, reply }));
  });
  send({ type: 'ready' });
  // At its end it is killed, and would not write it.
  flushCompileCache();
};

await main();
