/** Rejects with the signal's reason as soon as it aborts, whatever becomes of the work. */
export const untilAborted = <Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> => {
  let stop = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  return Promise.race([aborted, work]).finally(() => stop());
};
