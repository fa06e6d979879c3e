/** Keeps long work from holding the event loop, and its parts from mixing. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Some 4 ms of scanning on one core. */
const FLOATS_PER_TURN = 8_000_000;

export interface Turns {
  /** Runs works one after the other, in the order of the calls. */
  inOrder<T>(work: () => Promise<T>): Promise<T>;
  /** To be awaited by a work after it has touched so many floats. */
  spend(floats: number): Promise<void> | undefined;
}

export const createTurns = (): Turns => {
  let last: Promise<unknown> = Promise.resolve();
  let spent = 0;
  return {
    inOrder: (work) => {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    },
    spend: (floats) => {
      spent += floats;
      if (spent < FLOATS_PER_TURN) return undefined;
      spent = 0;
      return nextTurn();
    },
  };
};
