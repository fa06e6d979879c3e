/** Why a run ends before its answer. Thrown from within a step, told to the person where the run ends. */
import type { BudgetHit } from './budget.ts';
import type { StopReason } from './conversation.ts';
import { AppError } from './errors.ts';
import type { Texts } from './texts.ts';

export class BudgetReached extends Error {
  override readonly name = 'BudgetReached';
  readonly hit: BudgetHit;

  constructor(hit: BudgetHit) {
    super(`The ${hit.owner}'s budget of ${hit.unit} is used up.`);
    this.hit = hit;
  }
}

export interface UnfinishedEnd {
  readonly text: string;
  readonly stopReason: StopReason;
}

/** The failure in words for the person; undefined for one that nobody expected. */
export const endOf = (error: unknown, texts: Texts, retryAfterCapMs: number): UnfinishedEnd | undefined => {
  if (error instanceof BudgetReached) {
    const { owner, unit, limit } = error.hit;
    const text = texts.budgetReached(texts.budgetOwners[owner], texts.budgetUnits[unit](limit));
    return { text, stopReason: 'budget_limit' };
  }
  if (!(error instanceof AppError) || !error.code.startsWith('model_')) return undefined;
  const waitMs = error.retryAfterMs ?? 0;
  const text = waitMs > retryAfterCapMs ? texts.modelBusy(Math.ceil(waitMs / 60_000)) : texts.modelUnavailable;
  return { text, stopReason: 'model_unavailable' };
};

const OF_THE_OWNER: ReadonlySet<string> = new Set(['lease_lost', 'run_parked', 'approval_pending']);

/** Failures of the run's own ground, thrown by its journal: whoever started the run decides, since an answer could not be kept. */
export const isFatal = (error: unknown): boolean =>
  error instanceof AppError && (OF_THE_OWNER.has(error.code) || error.code.startsWith('store_'));
