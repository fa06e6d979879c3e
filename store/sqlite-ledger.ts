/** The ledger of budgets: one row for an account and a day, changed in one transaction with the check of its limits. */
import type { Account, Exceeded, Ledger, Spend, SpendUnit } from '../agent/ports/ledger.ts';
import type { Connection } from './sqlite-connection.ts';

const COLUMNS: Readonly<Record<SpendUnit, string>> = {
  modelCalls: 'model_calls',
  toolCalls: 'tool_calls',
  tokens: 'tokens',
  microUsd: 'micro_usd',
  runMs: 'run_ms',
};
const UNITS = Object.keys(COLUMNS) as SpendUnit[];
const NAMES = Object.values(COLUMNS);

/** Nothing that was settled takes an account below zero. */
const ADD = `INSERT INTO spending (day, account, ${NAMES.join(', ')})
  VALUES (?1, ?2, ${NAMES.map((_name, i) => `max(0, ?${i + 3})`).join(', ')})
  ON CONFLICT (day, account) DO UPDATE SET ${NAMES.map((name, i) => `${name} = max(0, ${name} + ?${i + 3})`).join(', ')}
  RETURNING ${UNITS.map((unit) => `${COLUMNS[unit]} AS ${unit}`).join(', ')}`;

const exceededBy = (used: Spend | undefined, { id, limits }: Account): Exceeded | undefined => {
  for (const unit of UNITS) {
    const limit = limits[unit];
    if (limit !== undefined && used !== undefined && used[unit] > limit) return { accountId: id, unit, limit };
  }
  return undefined;
};

export const createLedger = (db: Connection): Ledger => {
  const add = (day: string, account: string, amountOf: (unit: SpendUnit) => number): Spend | undefined => {
    return db.get<Spend>(ADD, day, account, ...UNITS.map((unit) => Math.round(amountOf(unit))));
  };
  return {
    charge: (day, accounts, settled, reserved) =>
      db.write(() => {
        let first: Exceeded | undefined;
        for (const account of accounts) {
          const used = add(day, account.id, (unit) => settled[unit] + reserved[unit]);
          first ??= exceededBy(used, account);
        }
        if (first !== undefined) for (const { id } of accounts) add(day, id, (unit) => -reserved[unit]);
        return first;
      }),
  };
};
