/** What goes wrong on purpose, by route. A fault is spent after `times` requests. */

export type FaultKind =
  | { readonly kind: 'limited'; readonly retryAfterMs: number; readonly scope: 'user' | 'global' | 'shared' }
  | { readonly kind: 'status'; readonly status: number }
  /** The connection is cut: `before` nothing happened, `after` the request took effect and its answer is lost. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  /** The request takes effect at once; its answer comes late. */
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'error'; readonly code: number; readonly status: number; readonly message: string };

export interface Fault {
  readonly method?: string;
  /** A part of the route's template, as `/channels/:/messages`. Left out: every route. */
  readonly route?: string;
  readonly times?: number;
  /** How many matching requests pass first. */
  readonly after?: number;
  readonly fault: FaultKind;
}

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  take(method: string, route: string): FaultKind | undefined;
}

export const createFaults = (): Faults => {
  let plan: { readonly fault: Fault; left: number; skip: number }[] = [];
  return {
    add(fault) {
      plan.push({ fault, left: fault.times ?? 1, skip: fault.after ?? 0 });
    },
    clear() {
      plan = [];
    },
    take(method, route) {
      for (const entry of plan) {
        const { fault } = entry;
        if (fault.method !== undefined && fault.method !== method) continue;
        if (fault.route !== undefined && fault.route !== route) continue;
        if (entry.skip > 0) {
          entry.skip -= 1;
          continue;
        }
        if (entry.left <= 0) continue;
        entry.left -= 1;
        return fault.fault;
      }
      return undefined;
    },
  };
};
