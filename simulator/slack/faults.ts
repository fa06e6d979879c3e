/** A plan of faults for the Web API: which call fails, how, and whether Slack had done the work before it failed. */

export type SlackFault =
  /** An HTTP status; 429 with `retryAfterS`. `applied`: the work was done all the same. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterS?: number | string; readonly applied?: boolean }
  /** HTTP 200 with `ok: false`. */
  | { readonly kind: 'error'; readonly error: string; readonly retryAfterS?: number }
  /** The connection is cut; `applied` when Slack had done the work. */
  | { readonly kind: 'drop'; readonly applied: boolean }
  /** The answer comes late. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** HTTP 200 with a page instead of JSON. */
  | { readonly kind: 'html' };

export interface PlannedFault {
  /** A method's name, or `*`. */
  readonly method: string;
  readonly fault: SlackFault;
  /** How many calls it hits: 1 unless told. */
  readonly times?: number;
  /** How many calls it lets pass first. */
  readonly skip?: number;
}

export interface FaultPlan {
  add(fault: PlannedFault): void;
  clear(): void;
  next(method: string): SlackFault | undefined;
}

export const createFaultPlan = (initial: readonly PlannedFault[] = []): FaultPlan => {
  const toEntry = (planned: PlannedFault) => ({ ...planned, skip: planned.skip ?? 0, times: planned.times ?? 1 });
  let entries = initial.map(toEntry);
  return {
    add: (planned) => void entries.push(toEntry(planned)),
    clear: () => {
      entries = [];
    },
    next: (method) => {
      for (const entry of entries) {
        if ((entry.method !== '*' && entry.method !== method) || entry.times <= 0) continue;
        if (entry.skip > 0) {
          entry.skip -= 1;
          continue;
        }
        entry.times -= 1;
        return entry.fault;
      }
      return undefined;
    },
  };
};
