/** Work on one thing is begun only after what came before it on the same thing has ended; different things go side by side. */

export interface Lines {
  /** Settles as the work does. Work that fails does not stop what waits behind it. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when everything that is in line now has ended. */
  settled(): Promise<void>;
}

export const createLines = (): Lines => {
  const last = new Map<string, Promise<void>>();
  return {
    run: (key, work) => {
      const turn = (last.get(key) ?? Promise.resolve()).then(work);
      const ended = turn.then(
        () => undefined,
        () => undefined,
      );
      last.set(key, ended);
      void ended.then(() => {
        if (last.get(key) === ended) last.delete(key);
      });
      return turn;
    },
    settled: async () => {
      await Promise.all(last.values());
    },
  };
};
