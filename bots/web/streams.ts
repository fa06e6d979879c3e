/**
 * Server-sent events of threads. Each event has an id; who comes back with the last one seen gets what was missed, or the whole
 * state where that is no longer known. Progress is thinned out for each reader, other events are not.
 */

import type { ServerResponse } from 'node:http';
import type { JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';

/** `turn` replaces a turn, `progress` shows what a running one has so far, `snapshot` replaces all. */
export interface ThreadEvent {
  readonly type: 'turn' | 'progress' | 'snapshot';
  /** The turn it is about: a newer progress makes an older one needless. */
  readonly subject: string;
  /** Called when it is sent: what nobody reads is not rendered. */
  readonly data: () => JsonValue;
}

interface Kept extends ThreadEvent {
  readonly id: string;
}

interface Reader {
  readonly send: (event: Kept) => void;
  readonly end: () => void;
}

const KEPT_EVENTS = 100;
const PROGRESS_INTERVAL_MS = 50;
const MAX_UNREAD_BYTES = 4 * 1_024 * 1_024;
const HEARTBEAT_MS = 15_000;
/** Threads whose events are kept for readers who may come back. */
const KEPT_THREADS = 500;

export interface Streams {
  publish(thread: string, event: ThreadEvent): void;
  /** Takes the response over. `snapshot` is asked for when the last event id is not known here. */
  open(
    thread: string,
    lastEventId: string | undefined,
    response: ServerResponse,
    snapshot: () => Promise<JsonValue>,
  ): Promise<void>;
  closeAll(): void;
}

export const createStreams = ({ clock, bootId }: { readonly clock: Clock; readonly bootId: string }): Streams => {
  const kept = new Map<string, Kept[]>();
  const readers = new Map<string, Set<Reader>>();
  let count = 0;

  const stamp = (event: ThreadEvent): Kept => {
    count += 1;
    return { ...event, id: `${bootId}-${count}` };
  };

  const keep = (thread: string, event: Kept): void => {
    const events = (kept.get(thread) ?? []).filter(({ type, subject }) => type !== 'progress' || subject !== event.subject);
    kept.delete(thread);
    kept.set(thread, [...events, event].slice(-KEPT_EVENTS));
    const [oldest] = kept.keys();
    if (kept.size > KEPT_THREADS && oldest !== undefined) kept.delete(oldest);
  };

  const createReader = (response: ServerResponse): Reader => {
    let lastProgressAt = Number.NEGATIVE_INFINITY;
    let waiting: Kept | undefined;
    let cancelProgress: (() => void) | undefined;
    let cancelHeartbeat: (() => void) | undefined;
    const write = (event: Kept): void => {
      // A state that was asked for before the end may come after it; writing then is an error that nobody handles.
      if (response.writableEnded) return;
      if (response.writableLength > MAX_UNREAD_BYTES) {
        // Who reads too slowly comes back with the last event it has seen.
        response.destroy();
        return;
      }
      response.write(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event.data())}\n\n`);
    };
    const flush = (): void => {
      cancelProgress = undefined;
      if (waiting === undefined) return;
      lastProgressAt = clock.monotonic();
      write(waiting);
      waiting = undefined;
    };
    const beat = (): void => {
      response.write(': still here\n\n');
      cancelHeartbeat = clock.after(HEARTBEAT_MS, beat);
    };
    cancelHeartbeat = clock.after(HEARTBEAT_MS, beat);
    return {
      send: (event) => {
        if (event.type !== 'progress') {
          // What it overtakes is contained in it.
          waiting = undefined;
          write(event);
          return;
        }
        waiting = event;
        const waitMs = lastProgressAt + PROGRESS_INTERVAL_MS - clock.monotonic();
        if (waitMs <= 0) flush();
        else cancelProgress ??= clock.after(waitMs, flush);
      },
      end: () => {
        cancelProgress?.();
        cancelHeartbeat?.();
        response.end();
      },
    };
  };

  return {
    publish: (thread, event) => {
      const stamped = stamp(event);
      keep(thread, stamped);
      for (const reader of readers.get(thread) ?? []) reader.send(stamped);
    },
    open: async (thread, lastEventId, response, snapshot) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      response.write('retry: 1000\n\n');
      const reader = createReader(response);
      const events = kept.get(thread) ?? [];
      const seen = events.findIndex(({ id }) => id === lastEventId);
      // Events that come while the snapshot is read go out behind it.
      const early: Kept[] = [];
      let isReady = false;
      const joined: Reader = { ...reader, send: (event) => (isReady ? reader.send(event) : early.push(event)) };
      const set = readers.get(thread) ?? new Set();
      set.add(joined);
      readers.set(thread, set);
      response.on('close', () => {
        reader.end();
        set.delete(joined);
        if (set.size === 0 && readers.get(thread) === set) readers.delete(thread);
      });
      if (seen >= 0) for (const event of events.slice(seen + 1)) reader.send(event);
      else {
        const id = `${bootId}-${count}`;
        const state = await snapshot();
        reader.send({ id, type: 'snapshot', subject: '', data: () => state });
      }
      isReady = true;
      for (const event of early) reader.send(event);
    },
    closeAll: () => {
      for (const set of readers.values()) for (const reader of set) reader.end();
      readers.clear();
    },
  };
};
