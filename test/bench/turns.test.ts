import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../bench/peers/profile.ts';
import { estimateTokens } from '../../memory/tokens.ts';

test('a profile names the module that the time went to, what is built into the engine counts for its caller, and all sums to 1', async () => {
  const text = 'The warranty is two years. '.repeat(20_000);
  const modules = await profileOf(async () => {
    for (let times = 0; times < 100; times += 1) estimateTokens(text);
  });
  const total = Object.values(modules).reduce((sum, share) => sum + share, 0);
  assert.ok(Math.abs(total - 1) < 1e-6, `the shares sum to ${total}`);
  // Where the machine is busy, part of the time is the engine's own: `(program)`.
  const named = Object.entries(modules).filter(([name]) => !name.startsWith('('));
  const inModules = named.reduce((sum, [, share]) => sum + share, 0);
  assert.equal(named[0]?.[0], 'memory');
  assert.ok(Number(modules['memory']) > 0.9 * inModules, JSON.stringify(modules));
});
