import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../ops/clock.ts';
import { createFakeClock } from '../fake-clock.ts';

test('a sleep on the system clock ends with the reason of its signal', async () => {
  const controller = new AbortController();
  const reason = new Error('stopping');
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await assert.rejects(sleeping, (error) => error === reason);
  await assert.rejects(systemClock.sleep(0, controller.signal), (error) => error === reason);
});

test('a timer of the system clock that was called off does not run', async () => {
  let runs = 0;
  const cancel = systemClock.after(1, () => {
    runs += 1;
  });
  cancel();
  systemClock.after(1, () => {
    runs += 10;
  });
  await systemClock.sleep(20);
  assert.equal(runs, 10);
});

test('monotonic time of the system clock goes forward over a sleep', async () => {
  const before = systemClock.monotonic();
  await systemClock.sleep(5);
  assert.ok(systemClock.monotonic() - before >= 4);
});

test('the fake clock runs what falls due in order, each at its own time', async () => {
  const clock = createFakeClock(1_000);
  const seen: string[] = [];
  clock.after(20, () => seen.push(`b@${clock.now()}`));
  clock.after(10, () => {
    seen.push(`a@${clock.now()}`);
    clock.after(5, () => seen.push(`nested@${clock.now()}`));
  });
  const called = clock.after(12, () => seen.push('called off'));
  called();
  await clock.advance(20);
  assert.deepEqual(seen, ['a@1010', 'nested@1015', 'b@1020']);
  assert.equal(clock.monotonic(), 20);
  assert.equal(clock.pending(), 0);
});

test('a sleep on the fake clock ends when time reaches it, or with the reason of its signal', async () => {
  const clock = createFakeClock();
  let done = false;
  const sleeping = clock.sleep(100).then(() => {
    done = true;
  });
  await clock.advance(99);
  assert.equal(done, false);
  await clock.advance(1);
  await sleeping;
  assert.equal(done, true);

  const controller = new AbortController();
  const aborted = clock.sleep(100, controller.signal);
  const reason = new Error('stop');
  controller.abort(reason);
  await assert.rejects(aborted, (error) => error === reason);
  assert.equal(clock.pending(), 0);
});

test('a jump of the fake clock moves the wall time and not the monotonic one', async () => {
  const clock = createFakeClock(5_000);
  clock.jump(-3_000);
  assert.equal(clock.now(), 2_000);
  assert.equal(clock.monotonic(), 0);
  assert.equal(await clock.advanceToNext(), false);
});
