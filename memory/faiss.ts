/**
 * The vector index on FAISS, which leaks on every search and aborts its process on any failure of its own. So FAISS runs in a
 * process beside; this one checks all that goes there and keeps the vectors: it scans what is small itself and its share of what is
 * large, answers all searches while there is no process, and fills a new one after a crash, before the leak matters, and when
 * graphs are worn.
 */
import { rm } from 'node:fs/promises';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { VectorEntry, VectorHit, VectorIndex } from '../agent/ports/vector-index.ts';
import { createExactIndex } from './exact.ts';
import { fillProcess } from './faiss-fill.ts';
import { createGraphUpkeep } from './faiss-graph-upkeep.ts';
import type { FaissReply, FaissRequest, FaissState } from './faiss-messages.ts';
import { createFaissParts, hereOf, thereOf } from './faiss-parts.ts';
import { type FaissProcess, ProcessDied, startFaissProcess } from './faiss-process.ts';
import { createTurns } from './turns.ts';
import { checkLimit, checkVector, mergeHits } from './vector-check.ts';
import { removeLeftovers } from './vector-file.ts';

/** faiss-node 0.5.1 never frees the query: four bytes a dimension, and some for the block. */
const LEAK_BUDGET_BYTES = 64 * 1024 * 1024;
const leakOfSearch = (dimensions: number): number => 4 * dimensions + 120;

const MAX_CRASHES = 5;
const CRASH_WINDOW_MS = 60_000;

/** A scan of so many (11,700 rows of 512 dimensions) holds this process for 1.5 ms; FAISS beside it takes 5 for the same. */
const SCAN_FLOATS = 6_000_000;
/**
 * FAISS takes 0.4 microseconds a row of 512 dimensions, the scan here 0.25: with 0.38 both would end at the same time. Somewhat less,
 * because what stands there takes memory twice.
 */
const PROCESS_SHARE = 0.3;
/** A flat scan of fewer takes little longer than a graph's search. */
const GRAPH_ROWS = 25_000;

/** After a change, so that an ingest is over or far along. */
const UPKEEP_AFTER_MS = 5_000;
/** The share of the rows that has to change before the file is written again. */
const SAVE_SHARE = 0.05;
/** What was removed stands in the file no longer than this, whatever else changed. */
const FORGET_WITHIN_MS = 600_000;

const BATCH_ROWS = 256;
/** Changes under way to the process, each of up to `BATCH_ROWS`. */
const MAX_UNANSWERED = 8;

/** The process has this long, and more for more to scan, before the scan here begins. */
const LATE_MS = 250;
const LATE_FLOATS_PER_MS = 200_000;

export interface FaissIndex extends VectorIndex {
  /** Resolves when a process holds all rows, or none is needed or can be had for now: `engine` says which. */
  ready(): Promise<void>;
  /** Builds the graphs that are worth it and writes the file, without waiting for a quiet moment. */
  upkeep(): Promise<void>;
  /** Of the process, as of its last answer. */
  state(): FaissState | undefined;
}

/** Whether faiss-node and its native library load, tried in a process of its own. */
export const isFaissAvailable = async (clock: Clock): Promise<boolean> => {
  try {
    const child = await startFaissProcess({ dimensions: 2, graphRows: GRAPH_ROWS, clock, onCrash: () => {} });
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
  /** Where the indexes are kept from one process to the next. Its folder exists; one FaissIndex writes to it at a time. */
  readonly file?: { readonly path: string; readonly embedderId: string };
  /** For tests: how many bytes may leak before the process is replaced. */
  readonly leakBudgetBytes?: number;
  /** How much is scanned here rather than asked of the process. Default 6,000,000 floats. */
  readonly scanFloats?: number;
  /** From how many rows of a label on a graph is built. Default 25,000. */
  readonly graphRows?: number;
  /** How much of a label without a graph the process scans, 0 to 1. Default 0.3. */
  readonly processShare?: number;
}): FaissIndex => {
  const { dimensions, logger, clock, file, scanFloats = SCAN_FLOATS, graphRows = GRAPH_ROWS } = options;
  const { processShare: share = PROCESS_SHARE } = options;
  const maxSearches = Math.max(1, Math.floor((options.leakBudgetBytes ?? LEAK_BUDGET_BYTES) / leakOfSearch(dimensions)));
  const exact = createExactIndex({ dimensions });
  // A part of a label takes memory for 32 rows: what is small is not worth two.
  const parts = createFaissParts({ rows: exact.rows, share, ownRows: Math.floor(scanFloats / (4 * dimensions)) });
  const turns = createTurns();
  const crashes: number[] = [];
  let current: FaissProcess | undefined;
  let state: FaissState | undefined;
  let starting: Promise<void> | undefined;
  const unanswered = new Set<Promise<void>>();
  let isClosed = false;
  let isMissing = false;
  let isReplacing = false;
  let isFileTrusted = true;
  let isTidy = false;
  let unsavedChanges = 0;
  /** The file holds a row that was removed. */
  let isForgetting = false;
  let savedAt = 0;
  let savedGraphRows = 0;
  let stopUpkeep: (() => void) | undefined;
  let running: Promise<void> | undefined;

  const checkOpen = (): void => {
    if (isClosed) throw new AppError('vector_unavailable', 'The vector index is closed.');
  };

  const onCrash = (reason: string): void => {
    crashes.push(clock.monotonic());
    logger.warn('faiss_process_died', { reason });
    if (crashes.length === MAX_CRASHES) logger.error('faiss_given_up', { forMs: CRASH_WINDOW_MS, instead: 'the exact index' });
  };

  const mayStart = (): boolean => {
    const since = clock.monotonic() - CRASH_WINDOW_MS;
    while (crashes[0] !== undefined && crashes[0] <= since) crashes.shift();
    return !isClosed && !isMissing && crashes.length < MAX_CRASHES;
  };

  /** Call in order. */
  const startFilled = async (withFile: boolean): Promise<FaissProcess> => {
    const child = await startFaissProcess({ dimensions, graphRows, clock, onCrash });
    try {
      if (file !== undefined && !isTidy) await removeLeftovers(file.path);
      isTidy = true;
      const loaded = withFile && file !== undefined && isFileTrusted ? file : undefined;
      if (loaded !== undefined) {
        // Until it is known that FAISS survives it.
        isFileTrusted = false;
        const { refusal } = await child.request({ type: 'load', ...loaded }, true);
        isFileTrusted = true;
        if (refusal !== undefined) logger.warn('vector_file_refused', { reason: refusal });
        await graphs.adopt((request) => child.request(request));
      }
      const filled = await fillProcess(child, parts.there, dimensions);
      state = filled.state;
      if (loaded !== undefined) {
        unsavedChanges = filled.removed + filled.added;
        isForgetting = filled.removed > 0;
        savedGraphRows = state.graphRows;
      }
      return child;
    } catch (error) {
      await child.kill();
      if (file !== undefined && !isFileTrusted) await rm(file.path, { force: true }).catch(() => undefined);
      throw error;
    }
  };

  const start = async (): Promise<void> => {
    try {
      if (!mayStart() || current?.isAlive()) return;
      current = await startFilled(true);
      // It was closed while this one was filled.
      if (isClosed) await current.kill();
      planUpkeep();
    } catch (error) {
      if (error instanceof ProcessDied && error.isMissing) {
        isMissing = true;
        logger.warn('faiss_missing', { reason: error.message, instead: 'the exact index' });
      } else if (!(error instanceof ProcessDied)) {
        logger.error('faiss_not_filled', { error: error as Error });
        isMissing = true;
      }
    }
  };

  const ensureStarted = (): Promise<void> => {
    if (current?.isAlive() || !mayStart() || exact.size() * dimensions <= scanFloats) return Promise.resolve();
    starting ??= turns.inOrder(start).finally(() => {
      starting = undefined;
    });
    return starting;
  };

  /** The old process answers searches until the new one is filled. */
  const replaceWhenDue = (child: FaissProcess, reply: FaissReply): void => {
    // A late answer of one that was replaced says nothing about the one in its place.
    if (child !== current) return;
    state = reply.state;
    const isLeaky = reply.state.searches >= maxSearches;
    if (isReplacing || (!isLeaky && !reply.state.isWorn)) return;
    isReplacing = true;
    turns
      .inOrder(async () => {
        if (!mayStart()) return;
        const old = current;
        current = await startFilled(!reply.state.isWorn);
        old?.retire();
        logger.debug('faiss_process_replaced', { searches: reply.state.searches, isWorn: reply.state.isWorn });
        planUpkeep();
      })
      // The old process goes on, and the next search tries again.
      .catch(() => {})
      .finally(() => {
        isReplacing = false;
      });
  };

  /**
   * Call in order, after `exact` has taken the change: a process started meanwhile holds it already. What a process is told it
   * does in order, so a search sent later sees the change; only how much it has before it is bounded.
   */
  const tell = async (request: FaissRequest): Promise<void> => {
    const child = current;
    if (!child?.isAlive()) return;
    const told = child
      .request(request)
      .then((reply) => replaceWhenDue(child, reply))
      // The next search starts another process from the rows.
      .catch(() => {})
      .finally(() => unanswered.delete(told));
    unanswered.add(told);
    planUpkeep();
    if (unanswered.size > MAX_UNANSWERED) await Promise.race(unanswered);
  };

  const save = async (child: FaissProcess): Promise<void> => {
    const graphRowsNow = state?.graphRows ?? 0;
    const forgetInMs = isForgetting ? savedAt + FORGET_WITHIN_MS - clock.monotonic() : Number.POSITIVE_INFINITY;
    const isDue = unsavedChanges > exact.size() * SAVE_SHARE || graphRowsNow > savedGraphRows || forgetInMs <= 0;
    if (file === undefined || !isDue) {
      if (Number.isFinite(forgetInMs)) planUpkeep(forgetInMs);
      return;
    }
    const changes = unsavedChanges;
    isForgetting = false;
    savedAt = clock.monotonic();
    const { refusal } = await child.request({ type: 'save', ...file }, true);
    if (refusal !== undefined) {
      logger.warn('vector_file_not_written', { reason: refusal });
      isForgetting = true;
      planUpkeep(FORGET_WITHIN_MS);
      return;
    }
    isFileTrusted = true;
    unsavedChanges -= changes;
    savedGraphRows = graphRowsNow;
  };

  const upkeep = (): Promise<void> => {
    stopUpkeep?.();
    stopUpkeep = undefined;
    running ??= (async () => {
      const child = current;
      if (!child?.isAlive()) return;
      try {
        const ask = async (request: FaissRequest): Promise<FaissReply> => {
          const reply = await child.request(request, true);
          replaceWhenDue(child, reply);
          return reply;
        };
        const wasRefused = await graphs.build(ask, () => child === current && !isClosed);
        // It may hold that graph as it was when it was good.
        if (wasRefused) isFileTrusted = false;
        if (child === current && !isClosed) await save(child);
      } catch (error) {
        if (!(error instanceof ProcessDied)) logger.error('faiss_upkeep_failed', { error: error as Error });
      }
    })().finally(() => {
      running = undefined;
    });
    return running;
  };

  /** Not put off by further changes, which may never end. */
  const planUpkeep = (afterMs = UPKEEP_AFTER_MS): void => {
    if (!isClosed) stopUpkeep ??= clock.after(afterMs, () => void upkeep());
  };

  const addRequests = (entries: readonly VectorEntry[]): readonly FaissRequest[] => {
    const byLabel = Map.groupBy(
      entries.filter(({ id }) => parts.isHeldThere(id)),
      ({ label }) => label,
    );
    return [...byLabel].map(([label, group]) => {
      const vectors = new Float32Array(group.length * dimensions);
      for (const [row, { vector }] of group.entries()) vectors.set(vector, row * dimensions);
      return { type: 'add', label, ids: group.map(({ id }) => id), vectors };
    });
  };

  /** Call in order. */
  const put = async (entries: readonly VectorEntry[]): Promise<void> => {
    const last = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
    const held = last.map(({ id }) => id).filter(parts.isHeldThere);
    await exact.add(parts.place(last));
    const gone = held.filter((id) => !parts.isHeldThere(id));
    if (gone.length > 0) await tell({ type: 'remove', ids: gone });
    for (let at = 0; at < last.length; at += BATCH_ROWS) {
      for (const request of addRequests(last.slice(at, at + BATCH_ROWS))) await tell(request);
    }
  };

  const graphs = createGraphUpkeep({ exact, parts, turns, graphRows, put });

  const askProcess = async (
    child: FaissProcess,
    request: FaissRequest,
    lateMs: number,
  ): Promise<readonly VectorHit[] | undefined> => {
    let stopTimer = (): void => undefined;
    const late = new Promise<undefined>((resolve) => {
      stopTimer = clock.after(lateMs, () => resolve(undefined));
    });
    const reply = child.request(request);
    // It may come, or fail, when nobody waits for it.
    reply.then((told) => replaceWhenDue(child, told)).catch(() => {});
    try {
      return (await Promise.race([reply, late]))?.hits;
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error;
      return undefined;
    } finally {
      stopTimer();
    }
  };

  return {
    get engine() {
      return current?.isAlive() ? 'faiss' : 'exact';
    },
    dimensions,
    size: () => exact.size(),
    ready: ensureStarted,
    upkeep,
    state: () => (current?.isAlive() ? state : undefined),

    add: async (entries) => {
      checkOpen();
      await turns.inOrder(async () => {
        checkOpen();
        const isReplacement = entries.some(({ id }) => exact.rows.labelOf(id) !== undefined);
        unsavedChanges += entries.length;
        isForgetting ||= isReplacement;
        await put(entries);
      });
    },

    remove: async (ids) => {
      checkOpen();
      await turns.inOrder(async () => {
        checkOpen();
        const held = ids.filter(parts.isHeldThere);
        await exact.remove(ids);
        unsavedChanges += held.length;
        isForgetting ||= held.length > 0;
        if (held.length > 0) await tell({ type: 'remove', ids: held });
      });
    },

    search: async (vector, labels, limit) => {
      checkOpen();
      checkVector(vector, dimensions);
      checkLimit(limit);
      const wanted = [...new Set(labels)];
      const here = wanted.map(hereOf);
      const there = wanted.map(thereOf);
      const floatsOf = (some: readonly string[]): number =>
        some.reduce((sum, part) => sum + exact.rows.count(part), 0) * dimensions;
      const floats = floatsOf(there);
      // A copy: the caller may reuse its own while this waits.
      const query = vector.slice();
      const child = current;
      if (limit > 0 && floats + floatsOf(here) > scanFloats) {
        if (floats > 0 && child?.isAlive()) {
          const request: FaissRequest = { type: 'search', labels: wanted, vector: query, limit };
          const [far, near] = await Promise.all([
            askProcess(child, request, LATE_MS + floats / LATE_FLOATS_PER_MS),
            exact.search(query, here, limit),
          ]);
          if (far !== undefined) return mergeHits(near, far, limit);
          checkOpen();
        }
        void ensureStarted();
      }
      return exact.search(query, [...here, ...there], limit);
    },

    close: async () => {
      isClosed = true;
      stopUpkeep?.();
      await current?.kill();
      await turns.inOrder(async () => {
        await current?.kill();
        await exact.close();
      });
      await running;
    },
  };
};
