/**
 * What a run may use up. Before each call its cost is reserved in every account it falls under, after it the difference is settled;
 * a call that would go beyond a limit is not made. A reservation that a crash left behind stays spent.
 */
import type { Scope, Usage } from './conversation.ts';
import type { ChatMessage } from './messages.ts';
import type { Clock } from './ports/clock.ts';
import type { Account, Exceeded, Ledger, Spend, SpendUnit } from './ports/ledger.ts';
import type { ToolSpec } from './ports/model-provider.ts';

export interface Budgets {
  /** Of one run. */
  readonly run: Partial<Spend>;
  /** Of a day: of each person, of each channel, of everyone together. */
  readonly person: Partial<Spend>;
  readonly channel: Partial<Spend>;
  readonly day: Partial<Spend>;
  /** US dollars for a million tokens. */
  readonly prices: { readonly inputUsd: number; readonly outputUsd: number };
  /** Absent: the accounts of a day are not kept. */
  readonly ledger?: Ledger;
}

export const NO_BUDGETS: Budgets = { run: {}, person: {}, channel: {}, day: {}, prices: { inputUsd: 0, outputUsd: 0 } };

export type BudgetOwner = 'run' | 'person' | 'channel' | 'day';

export interface BudgetHit {
  readonly owner: BudgetOwner;
  readonly unit: SpendUnit;
  readonly limit: number;
}

export interface Meter {
  /** Before a model call. What is in the way, if anything is; then the call must not be made. */
  reserveModel(inputTokens: number): Promise<BudgetHit | undefined>;
  reserveTools(count: number): Promise<BudgetHit | undefined>;
  /** The calls were not made yet: a later life of the run reserves them again. */
  returnTools(count: number): void;
  /** After it. `isFree`: what answered costs nothing. */
  settleModel(usage: Usage, isFree: boolean): void;
  /** Counts a step that the journal replays: it was charged when it happened. */
  replay(usage: Usage): void;
  /** Settles what is open, once: with the run's answer, or where it ends without one. */
  close(): Promise<void>;
}

const NOTHING: Spend = { modelCalls: 0, toolCalls: 0, tokens: 0, microUsd: 0, runMs: 0 };
const UNITS = Object.keys(NOTHING) as SpendUnit[];
/** Set aside for a model's answer, whose length nobody knows before. */
const OUTPUT_TOKENS = 1_000;

const plus = (a: Spend, b: Spend, sign: 1 | -1 = 1): Spend => ({
  modelCalls: a.modelCalls + sign * b.modelCalls,
  toolCalls: a.toolCalls + sign * b.toolCalls,
  tokens: a.tokens + sign * b.tokens,
  microUsd: a.microUsd + sign * b.microUsd,
  runMs: a.runMs + sign * b.runMs,
});

const isNothing = (spend: Spend): boolean => UNITS.every((unit) => spend[unit] === 0);
const hasLimits = (limits: Partial<Spend>): boolean => UNITS.some((unit) => limits[unit] !== undefined);

const firstOver = (spent: Spend, limits: Partial<Spend>): { unit: SpendUnit; limit: number } | undefined => {
  for (const unit of UNITS) {
    const limit = limits[unit];
    if (limit !== undefined && spent[unit] > limit) return { unit, limit };
  }
  return undefined;
};

const hitOf = ({ accountId, unit, limit }: Exceeded): BudgetHit => {
  const owner = accountId.slice(0, accountId.indexOf(':') + 1 || undefined);
  return { owner: owner === 'person:' ? 'person' : owner === 'channel:' ? 'channel' : 'day', unit, limit };
};

/** Three bytes or characters to a token are more than English and less than ids need: an estimate, and the usage corrects it. */
const tokensOfText = (text: string): number => Math.ceil(text.length / (/^[\0-\x7f]*$/.test(text) ? 3 : 1.5));

/** Estimates requests of one run; what was counted once is not counted again. */
export const createRequestEstimate = (): ((messages: readonly ChatMessage[], specs: readonly ToolSpec[]) => number) => {
  const counted = new WeakMap<object, number>();
  const tokensOf = (item: object, text: () => string): number => {
    const known = counted.get(item) ?? tokensOfText(text());
    counted.set(item, known);
    return known;
  };
  const textOf = (message: ChatMessage): string =>
    message.role === 'assistant'
      ? message.content + message.toolCalls.map((call) => call.name + call.arguments).join('')
      : message.content;
  return (messages, specs) =>
    messages.reduce((sum, message) => sum + 4 + tokensOf(message, () => textOf(message)), 0) +
    specs.reduce((sum, spec) => sum + tokensOf(spec, () => JSON.stringify(spec)), 0);
};

export const createMeter = (
  budgets: Budgets,
  { scope, placeId, clock }: { readonly scope: Scope; readonly placeId: string | undefined; readonly clock: Clock },
): Meter => {
  const { ledger, prices } = budgets;
  const startedAt = clock.monotonic();
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  const accounts: Account[] = [
    { id: `person:${scope.userId}`, limits: budgets.person },
    { id: `channel:${placeId ?? scope.conversationId}`, limits: budgets.channel },
    { id: 'all', limits: budgets.day },
  ].filter(({ limits }) => hasLimits(limits));
  let spent = NOTHING;
  /** What the ledger does not know yet. */
  let unsettled = NOTHING;
  let reservation = NOTHING;
  let chargedMs = 0;
  let isClosed = false;

  const costOf = ({ inputTokens, outputTokens }: Usage): Spend => ({
    ...NOTHING,
    modelCalls: 1,
    tokens: inputTokens + outputTokens,
    // Dollars for a million tokens are millionths of a dollar for one.
    microUsd: Math.ceil(inputTokens * prices.inputUsd + outputTokens * prices.outputUsd),
  });

  const reserve = async (cost: Spend): Promise<BudgetHit | undefined> => {
    const over = firstOver(plus(spent, cost), budgets.run);
    if (over !== undefined) return { owner: 'run', ...over };
    if (ledger !== undefined && accounts.length > 0) {
      const elapsedMs = Math.round(clock.monotonic() - startedAt);
      const settled = plus(unsettled, { ...NOTHING, runMs: elapsedMs - chargedMs });
      const exceeded = await ledger.charge(day, accounts, settled, cost);
      unsettled = NOTHING;
      chargedMs = elapsedMs;
      if (exceeded !== undefined) return hitOf(exceeded);
    }
    spent = plus(spent, cost);
    return undefined;
  };

  return {
    reserveModel: async (inputTokens) => {
      const cost = costOf({ inputTokens, outputTokens: OUTPUT_TOKENS });
      const hit = await reserve(cost);
      if (hit === undefined) reservation = cost;
      return hit;
    },
    reserveTools: async (count) => {
      const cost = { ...NOTHING, toolCalls: count };
      if (accounts.some(({ limits }) => limits.toolCalls !== undefined)) return reserve(cost);
      const over = firstOver(plus(spent, cost), budgets.run);
      if (over !== undefined) return { owner: 'run', ...over };
      // Nothing of the day limits them: they are told with the next model call.
      spent = plus(spent, cost);
      unsettled = plus(unsettled, cost);
      return undefined;
    },
    returnTools: (count) => {
      const cost = { ...NOTHING, toolCalls: count };
      spent = plus(spent, cost, -1);
      unsettled = plus(unsettled, cost, -1);
    },
    settleModel: (usage, isFree) => {
      // A provider that reports no usage is charged what was reserved.
      const unknown = usage.inputTokens + usage.outputTokens === 0 && !isFree;
      const difference = unknown ? NOTHING : plus(costOf(usage), reservation, -1);
      spent = plus(spent, difference);
      unsettled = plus(unsettled, difference);
      reservation = NOTHING;
    },
    replay: (usage) => {
      spent = plus(spent, costOf(usage));
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      const settled = plus(unsettled, { ...NOTHING, runMs: Math.round(clock.monotonic() - startedAt) - chargedMs });
      unsettled = NOTHING;
      if (ledger === undefined || accounts.length === 0 || isNothing(settled)) return;
      await ledger.charge(day, accounts, settled, NOTHING);
    },
  };
};
