import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReadiness, type HealthPart } from '../../ops/health.ts';
import { createFakeClock } from '../fake-clock.ts';

const part = (name: string, required: boolean, check: HealthPart['check']): HealthPart => ({ name, required, check });
const up = () => ({ ok: true, detail: 'connected' });
const down = () => ({ ok: false, detail: 'token revoked' });

test('it is ready when every required part works', async () => {
  const readiness = await checkReadiness([part('store', true, up), part('model', false, down)], createFakeClock(), 1_000);
  assert.deepEqual(readiness, {
    ready: true,
    parts: [
      { name: 'store', required: true, ok: true, detail: 'connected' },
      { name: 'model', required: false, ok: false, detail: 'token revoked' },
    ],
  });
  assert.equal((await checkReadiness([part('slack', true, down)], createFakeClock(), 1_000)).ready, false);
});

test('a part that throws or does not answer in time is down', async () => {
  const clock = createFakeClock();
  const checking = checkReadiness(
    [
      part('throws', true, () => {
        throw new Error('disk full');
      }),
      part('hangs', true, () => new Promise(() => {})),
    ],
    clock,
    1_000,
  );
  await clock.advance(1_000);
  const { ready, parts } = await checking;
  assert.equal(ready, false);
  assert.deepEqual(
    parts.map(({ detail }) => detail),
    ['disk full', 'no answer in time'],
  );
  assert.equal(clock.pending(), 0);
});
