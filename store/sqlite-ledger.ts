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
const ADD = `INSERT INTO spending (day, account, ${NAMES.join(', ')}) VALUES (?, ?, ${NAMES.map(() => 'max(0, ?)').join(', ')})
  ON CONFLICT (day, account) DO UPDATE SET ${NAMES.map((name) => `${name} = max(0, ${name} + ?)`).join(', ')}`;

const READ = `SELECT ${UNITS.map((unit) => `${COLUMNS[unit]} AS ${unit}`).join(', ')} FROM spending WHERE day = ? AND account = ?`;

export const createLedger = (db: Connection): Ledger => {
  const add = (day: string, account: string, spend: Spend): void => {
    const values = UNITS.map((unit) => Math.round(spend[unit]));
    db.run(ADD, day, account, ...values, ...values);
  };
  const exceededBy = (day: string, { id, limits }: Account, reserved: Spend): Exceeded | undefined => {
    const used = db.get<Spend>(READ, day, id);
    for (const unit of UNITS) {
      const limit = limits[unit];
      const after = (used?.[unit] ?? 0) + reserved[unit];
      // What asks for nothing of a unit is stopped by it too, once it is over its limit.
      if (limit !== undefined && after > limit) return { accountId: id, unit, limit };
    }
    return undefined;
  };
  return {
    charge: (day, accounts, settled, reserved) =>
      db.write(() => {
        for (const { id } of accounts) add(day, id, settled);
        for (const account of accounts) {
          const exceeded = exceededBy(day, account, reserved);
          if (exceeded !== undefined) return exceeded;
        }
        for (const { id } of accounts) add(day, id, reserved);
        return undefined;
      }),
  };
};
