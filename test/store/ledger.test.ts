import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account, Spend } from '../../agent/ports/ledger.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createFakeClock } from '../fake-clock.ts';

const NOTHING: Spend = { modelCalls: 0, toolCalls: 0, tokens: 0, microUsd: 0, runMs: 0 };
const tokens = (count: number): Spend => ({ ...NOTHING, tokens: count });
const PERSON: Account = { id: 'person:slack:U1', limits: { tokens: 100 } };
const ALL: Account = { id: 'all', limits: { tokens: 150 } };

const open = () => openSqliteStore({ folder: ':memory:', clock: createFakeClock() });

test('what would go beyond one account’s limit is reserved in none', async () => {
  const { ledger, close } = open();
  assert.equal(await ledger.charge('2026-01-05', [PERSON, ALL], NOTHING, tokens(90)), undefined);
  assert.deepEqual(await ledger.charge('2026-01-05', [PERSON, ALL], NOTHING, tokens(20)), {
    accountId: 'person:slack:U1',
    unit: 'tokens',
    limit: 100,
  });
  assert.equal(await ledger.charge('2026-01-05', [ALL], NOTHING, tokens(60)), undefined);
  await close();
});

test('a settlement counts whatever the limits, and gives back what was not used', async () => {
  const { ledger, close } = open();
  await ledger.charge('2026-01-05', [PERSON], NOTHING, tokens(90));
  assert.equal(await ledger.charge('2026-01-05', [PERSON], tokens(-60), tokens(70)), undefined);
  assert.equal((await ledger.charge('2026-01-05', [PERSON], tokens(50), tokens(0)))?.unit, 'tokens');
  await close();
});

test('each day begins with nothing', async () => {
  const { ledger, close } = open();
  await ledger.charge('2026-01-05', [PERSON], NOTHING, tokens(100));
  assert.equal(await ledger.charge('2026-01-06', [PERSON], NOTHING, tokens(100)), undefined);
  await close();
});
