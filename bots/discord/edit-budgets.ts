/** One edit budget for each channel of Discord, as long as something is edited there. */
import { AppError } from '../../agent/errors.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { createEditBudget, type EditBudget } from '../edit-budget.ts';

export interface ChannelBudgets {
  /** The channel's budget, which stays until every key that took it was let go. */
  take(channel: string, key: string): EditBudget;
  /** A channel's budget goes with its last message, but not before its pause and its pace have ended. */
  letGo(channel: string, key: string): void;
  stop(): void;
}

export interface ChannelBudgetsOptions {
  /** One edit per this time in one channel. */
  readonly intervalMs: number;
  readonly clock: Clock;
}

/** Final texts that may go ahead of the pace. */
const FINAL_BURST = 3;

export const createChannelBudgets = ({ intervalMs, clock }: ChannelBudgetsOptions): ChannelBudgets => {
  const budgets = new Map<string, { readonly budget: EditBudget; readonly keys: Set<string> }>();
  let isStopped = false;

  const letGo = (channel: string, key: string): void => {
    const entry = budgets.get(channel);
    if (entry === undefined) return;
    entry.keys.delete(key);
    if (entry.keys.size > 0) return;
    const restMs = entry.budget.restMs();
    if (restMs === 0) budgets.delete(channel);
    else if (!isStopped) clock.after(restMs, () => letGo(channel, key));
  };

  return {
    take: (channel, key) => {
      const entry = budgets.get(channel) ?? {
        budget: createEditBudget({ intervalMs, finalBurst: FINAL_BURST, clock }),
        keys: new Set<string>(),
      };
      budgets.set(channel, entry);
      entry.keys.add(key);
      return entry.budget;
    },
    letGo,
    stop: () => {
      isStopped = true;
      for (const { budget } of budgets.values()) budget.stop();
    },
  };
};

/** A failed edit that names a pause pauses its channel. */
export const pauseOn = (budget: EditBudget, error: unknown): void => {
  if (error instanceof AppError && error.retryAfterMs !== undefined) budget.pause(error.retryAfterMs);
};
