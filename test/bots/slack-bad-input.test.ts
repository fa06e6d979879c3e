import assert from 'node:assert/strict';
import test from 'node:test';
import { startHarness } from './slack-harness.ts';

for (const mode of ['socket', 'http'] as const) {
  test(`whatever is written is handed on as text and harms nothing (${mode})`, async () => {
    await using h = await startHarness({ mode });
    const odd = [
      '😀😀',
      '\u0000\u0007 bell',
      '\u202eright to left\u202c',
      '\ud800 lone',
      'a'.repeat(100_000),
      '<'.repeat(2000),
      `${'<@U1'.repeat(500)}`,
      '&amp;'.repeat(2000),
      '<!>|<@>|<#>|<|>',
      '`'.repeat(500),
    ];
    for (const text of odd) {
      h.slack.mention(h.room, h.asker, text);
      await h.slack.settle();
    }
    assert.equal(h.gateway.accepted.length, odd.length);
    assert.equal(h.gateway.accepted[4]?.text.length, 100_000);
    assert.ok(h.slack.deliveries.every(({ attempts }) => attempts.length === 1));
  });
}
