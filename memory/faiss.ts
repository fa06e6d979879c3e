/**
 * The vector index on FAISS, which leaks on every search and aborts its process on any failure of its own. So FAISS runs in a
 * process beside; this one checks all that goes there, keeps the vectors, and gives them to a new process after a crash, before
 * the leak matters, and when too many rows are dead.
 */
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { VectorIndex } from '../agent/ports/vector-index.ts';
import type { FaissReply, FaissRequest } from './faiss-messages.ts';
import { type FaissProcess, ProcessDied, startFaissProcess } from './faiss-process.ts';
import { checkLimit, checkVector } from './vector-check.ts';
import { createVectorRows } from './vector-rows.ts';

/** faiss-node 0.5.1 never frees the query: four bytes a dimension, and some for the block. */
const LEAK_BUDGET_BYTES = 64 * 1024 * 1024;
const leakOfSearch = (dimensions: number): number => 4 * dimensions + 120;

const MAX_CRASHES = 5;
const CRASH_WINDOW_MS = 60_000;

/** Small enough that neither process is held for long by one message. */
const BATCH_ROWS = 256;

const hasTooManyDeadRows = (deadRows: number, liveRows: number): boolean => deadRows > 64 + liveRows / 20;

/** Whether faiss-node and its native library load, tried in a process of its own. */
export const isFaissAvailable = async (clock: Clock): Promise<boolean> => {
  try {
    const child = await startFaissProcess({ dimensions: 2, clock, onCrash: () => {} });
    await child.kill();
    return true;
  } catch {
    return false;
  }
};

export const createFaissIndex = (options: {
  readonly dimensions: number;
  readonly logger: Logger;
  readonly clock: Clock;
  /** For tests: how many bytes may leak before the process is replaced. */
  readonly leakBudgetBytes?: number;
}): VectorIndex => {
  const { dimensions, logger, clock, leakBudgetBytes = LEAK_BUDGET_BYTES } = options;
  const maxSearches = Math.max(1, Math.floor(leakBudgetBytes / leakOfSearch(dimensions)));
  const rows = createVectorRows(dimensions);
  const crashes: number[] = [];
  let current: FaissProcess | undefined;
  let isClosed = false;
  let isReplacing = false;
  /** Changes of what a process holds go one after the other. */
  let changes: Promise<unknown> = Promise.resolve();

  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const result = changes.then(work);
    changes = result.catch(() => {});
    return result;
  };

  const unavailable = (message: string, cause?: unknown): AppError => new AppError('vector_unavailable', message, { cause });

  const checkOpen = (): void => {
    if (isClosed) throw unavailable('The vector index is closed.');
  };

  const onCrash = (reason: string): void => {
    crashes.push(clock.monotonic());
    logger.warn('faiss_process_died', { reason });
  };

  const checkCrashes = (): void => {
    const since = clock.monotonic() - CRASH_WINDOW_MS;
    while (crashes[0] !== undefined && crashes[0] <= since) crashes.shift();
    if (crashes.length >= MAX_CRASHES) {
      throw unavailable(
        `The FAISS process crashed ${MAX_CRASHES} times within a minute; it is tried again when that has passed.`,
      );
    }
  };

  const startLoaded = async (): Promise<FaissProcess> => {
    const child = await startFaissProcess({ dimensions, clock, onCrash });
    try {
      for (const label of rows.labels()) {
        // The block does not change meanwhile: changes are in order.
        const block = rows.block(label);
        for (let row = 0; block !== undefined && row < block.ids.length; row += BATCH_ROWS) {
          const ids = block.ids.slice(row, row + BATCH_ROWS);
          const vectors = block.data.slice(row * dimensions, (row + ids.length) * dimensions);
          await child.request({ type: 'add', label, ids, vectors });
        }
      }
    } catch (error) {
      await child.kill();
      throw error;
    }
    return child;
  };

  /** Call in order. The process that holds all rows; started when there is none. */
  const ensureProcess = async (): Promise<FaissProcess> => {
    for (let attempt = 1; ; attempt++) {
      checkOpen();
      if (current?.isAlive()) return current;
      checkCrashes();
      try {
        current = await startLoaded();
        return current;
      } catch (error) {
        if (!(error instanceof ProcessDied)) throw error;
        if (error.isMissing) {
          throw unavailable('FAISS could not be loaded here. Run `threadwise doctor` to see what is missing.', error);
        }
        if (attempt === 2) throw unavailable('The FAISS process died while it was filled.', error);
      }
    }
  };

  /** The old process answers searches until the new one is filled. */
  const replaceWhenDue = (child: FaissProcess, reply: FaissReply): void => {
    // A late answer of one that was replaced says nothing about the one in its place.
    if (isReplacing || child !== current) return;
    if (reply.searches < maxSearches && !hasTooManyDeadRows(reply.deadRows, rows.size())) return;
    isReplacing = true;
    inOrder(async () => {
      if (isClosed) return;
      checkCrashes();
      const old = current;
      current = await startLoaded();
      old?.retire();
      logger.debug('faiss_process_replaced', { searches: reply.searches, deadRows: reply.deadRows });
    })
      // The old process goes on, and the next search tries again.
      .catch(() => {})
      .finally(() => {
        isReplacing = false;
      });
  };

  /** Call in order, after `rows` has taken the change: a process started meanwhile holds it already. */
  const change = async (requests: readonly FaissRequest[]): Promise<void> => {
    const child = current;
    if (!child?.isAlive()) return;
    try {
      for (const request of requests) replaceWhenDue(child, await child.request(request));
    } catch (error) {
      // The next search starts another from the rows.
      if (!(error instanceof ProcessDied)) throw error;
    }
  };

  return {
    engine: 'faiss',
    dimensions,
    size: () => rows.size(),

    add: async (entries) => {
      checkOpen();
      for (const { vector } of entries) checkVector(vector, dimensions);
      await inOrder(async () => {
        checkOpen();
        const byLabel = new Map<string, Map<string, Float32Array>>();
        for (const entry of entries) {
          rows.put(entry);
          for (const group of byLabel.values()) group.delete(entry.id);
          const group = byLabel.get(entry.label) ?? new Map<string, Float32Array>();
          byLabel.set(entry.label, group.set(entry.id, entry.vector));
        }
        const requests: FaissRequest[] = [];
        for (const [label, group] of byLabel) {
          const ids = [...group.keys()];
          for (let at = 0; at < ids.length; at += BATCH_ROWS) {
            const batch = ids.slice(at, at + BATCH_ROWS);
            const vectors = new Float32Array(batch.length * dimensions);
            for (const [row, id] of batch.entries()) vectors.set(group.get(id) ?? [], row * dimensions);
            requests.push({ type: 'add', label, ids: batch, vectors });
          }
        }
        await change(requests);
      });
    },

    remove: async (ids) => {
      checkOpen();
      await inOrder(async () => {
        checkOpen();
        const known = ids.filter((id) => rows.delete(id));
        if (known.length > 0) await change([{ type: 'remove', ids: known }]);
      });
    },

    search: async (vector, labels, limit) => {
      checkOpen();
      checkVector(vector, dimensions);
      checkLimit(limit);
      if (limit === 0 || labels.every((label) => rows.block(label) === undefined)) return [];
      // A copy: the caller may reuse its own while this waits.
      const request: FaissRequest = { type: 'search', labels: [...labels], vector: vector.slice(), limit };
      for (let attempt = 1; ; attempt++) {
        const child = current?.isAlive() ? current : await inOrder(ensureProcess);
        try {
          const reply = await child.request(request);
          replaceWhenDue(child, reply);
          return reply.hits;
        } catch (error) {
          if (!(error instanceof ProcessDied)) throw error;
          checkOpen();
          if (attempt === 2) throw unavailable('The FAISS process died twice over this search.', error);
        }
      }
    },

    close: async () => {
      isClosed = true;
      await inOrder(async () => current?.kill());
    },
  };
};
