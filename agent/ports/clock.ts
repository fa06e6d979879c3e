/** Time, injected. Nothing in the product reads the system clock or sleeps by other means. */
export interface Clock {
  /** Milliseconds since the epoch: for what is shown or stored. May jump. */
  now(): number;
  /** Milliseconds that only go forward: for durations, leases, limits. The zero is arbitrary. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. Leaves no timer behind. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms` unless the returned function was called. A pending timer does not keep the process. */
  after(ms: number, run: () => void): () => void;
}
