/** What was used, counted in whole units: money in millionths of a US dollar. */
export interface Spend {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly microUsd: number;
  readonly runMs: number;
}

export type SpendUnit = keyof Spend;

/** An account and its limits for a day; a unit that is missing has none. `id`: `person:slack:U1`, `channel:slack:C1`, `all`. */
export interface Account {
  readonly id: string;
  readonly limits: Partial<Spend>;
}

export interface Exceeded {
  readonly accountId: string;
  readonly unit: SpendUnit;
  readonly limit: number;
}

/**
 * Who used how much on a day, over all processes, kept through a crash. One call is one transaction, durable when it resolves.
 * Throws `AppError('store_*')`; then nothing was reserved, and the caller must not spend.
 */
export interface Ledger {
  /**
   * Adds `settled` (what a former reservation was off by; may be negative) to every account whatever the limits, then `reserved`
   * to all of them if that keeps all within their limits, else to none. Resolves with the first limit in the way, if there is one.
   */
  charge(day: string, accounts: readonly Account[], settled: Spend, reserved: Spend): Promise<Exceeded | undefined>;
}
