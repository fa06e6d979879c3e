/**
 * How many runs work at once. A turn whose earlier runs ended without a word may be what ended the process: from its second
 * such end on it runs alone among its like, so that one poisoned question does not use up the tries of its neighbours.
 */

export interface RunSlots {
  /** Waits for a place; rejects with the signal's reason, or with that of `refuse`. Call what it resolves to once. */
  acquire(unfinishedRuns: number, signal: AbortSignal): Promise<() => void>;
  /** Whoever comes now waits. */
  isFull(): boolean;
  /** Whoever waits, now or later, is refused with this reason. */
  refuse(reason: Error): void;
}

const SUSPECT_AFTER = 2;

export const createRunSlots = (size: number): RunSlots => {
  const common = createQueue(size);
  const suspects = createQueue(1);
  return {
    acquire: async (unfinishedRuns, signal) => {
      const leaveSuspects = unfinishedRuns >= SUSPECT_AFTER ? await suspects.enter(signal) : undefined;
      try {
        const leaveCommon = await common.enter(signal);
        return () => {
          leaveCommon();
          leaveSuspects?.();
        };
      } catch (error) {
        leaveSuspects?.();
        throw error;
      }
    },
    isFull: () => common.isFull(),
    refuse: (reason) => {
      common.refuse(reason);
      suspects.refuse(reason);
    },
  };
};

interface Queue {
  enter(signal: AbortSignal): Promise<() => void>;
  isFull(): boolean;
  refuse(reason: Error): void;
}

/** First come, first served. */
const createQueue = (size: number): Queue => {
  const waiting = new Set<{ admit(): void; turnAway(reason: Error): void }>();
  let inside = 0;
  let refusal: Error | undefined;

  const leave = (): void => {
    inside -= 1;
    const [next] = waiting;
    next?.admit();
  };

  return {
    enter: (signal) =>
      new Promise((resolve, reject) => {
        if (refusal !== undefined || signal.aborted) {
          reject(refusal ?? (signal.reason as Error));
          return;
        }
        const done = (): void => {
          waiting.delete(entry);
          signal.removeEventListener('abort', onAbort);
        };
        const entry = {
          admit: () => {
            done();
            inside += 1;
            resolve(leave);
          },
          turnAway: (reason: Error) => {
            done();
            reject(reason);
          },
        };
        const onAbort = () => entry.turnAway(signal.reason as Error);
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.add(entry);
        if (inside < size) entry.admit();
      }),
    isFull: () => inside >= size,
    refuse: (reason) => {
      refusal = reason;
      for (const entry of waiting) entry.turnAway(reason);
    },
  };
};
