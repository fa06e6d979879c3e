import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDegradation } from '../../agent/degradation.ts';
import { createFakeClock } from '../fake-clock.ts';

const setUp = () => {
  const clock = createFakeClock();
  return { clock, ladder: createDegradation({ failuresToSetAside: 2, probeAfterMs: 30_000 }, clock) };
};

test('failures in a row lead from doubt over another way to the end', () => {
  const { ladder } = setUp();
  assert.deepEqual(
    [1, 2, 3].map(() => ladder.record('a', 'failed')),
    [1, 2, 3],
  );
});

test('one success of the same tool steps one level back; another tool changes nothing', () => {
  const { ladder } = setUp();
  ladder.record('a', 'failed');
  ladder.record('a', 'failed');
  ladder.record('b', 'succeeded');
  assert.equal(ladder.admit('a'), 30_000);
  assert.equal(ladder.admit('b'), undefined);
  assert.equal(ladder.record('a', 'succeeded'), 1);
  assert.equal(ladder.record('a', 'failed'), 2);
});

test('a tool set aside comes back after 30 s with one call, whose outcome decides', async () => {
  const { ladder, clock } = setUp();
  ladder.record('a', 'failed');
  ladder.record('a', 'failed');
  await clock.advance(29_999);
  assert.equal(ladder.admit('a'), 1);
  await clock.advance(1);
  assert.equal(ladder.admit('a'), undefined);
  assert.equal(ladder.admit('a'), 30_000, 'a second call does not join the probe');
  assert.equal(ladder.record('a', 'succeeded'), 1);
  assert.equal(ladder.admit('a'), undefined);
});

test('a tool whose service asks to be left alone is not called before that time', async () => {
  const { ladder, clock } = setUp();
  assert.equal(ladder.record('a', 'failed', 45_000), 1);
  assert.equal(ladder.admit('a'), 45_000);
  await clock.advance(45_000);
  assert.equal(ladder.admit('a'), undefined);
  ladder.record('a', 'failed', 5_000);
  assert.equal(ladder.admit('a'), 30_000, 'the longer of the two rests');
});

test('an outcome that says nothing of the tool changes nothing', () => {
  const { ladder } = setUp();
  ladder.record('a', 'failed');
  assert.equal(ladder.record('a', 'undecided'), 1);
});
