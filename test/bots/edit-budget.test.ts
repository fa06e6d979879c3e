import assert from 'node:assert/strict';
import test from 'node:test';
import { AppError } from '../../agent/errors.ts';
import { createEditBudget } from '../../bots/edit-budget.ts';
import { createFakeClock } from '../fake-clock.ts';

const setUp = (options: { finalBurst?: number } = {}) => {
  const clock = createFakeClock();
  const start = clock.monotonic();
  const sent: string[] = [];
  const budget = createEditBudget({ intervalMs: 1_000, clock, ...options });
  const sender = (text: string) => () => {
    sent.push(`${clock.monotonic() - start} ${text}`);
    return Promise.resolve();
  };
  return { clock, budget, sent, sender };
};

test('a single run edits at most once per interval and shows the newest text', async () => {
  const { clock, budget, sent, sender } = setUp();
  budget.open('a');
  for (let tick = 0; tick < 30; tick += 1) {
    budget.offer('a', sender(`text ${tick}`));
    await clock.advance(100);
  }
  assert.deepEqual(sent, ['0 text 0', '1000 text 9', '2000 text 19', '3000 text 29']);
});

test('three open runs edit at most every three intervals each', async () => {
  const { clock, budget, sent, sender } = setUp();
  for (const key of ['a', 'b', 'c']) budget.open(key);
  for (let tick = 0; tick < 70; tick += 1) {
    for (const key of ['a', 'b', 'c']) budget.offer(key, sender(key));
    await clock.advance(100);
  }
  assert.deepEqual(sent, ['0 a', '1000 b', '2000 c', '3000 a', '4000 b', '5000 c', '6000 a', '7000 b']);
});

test('a run that alone has news keeps to its share of the open runs', async () => {
  const { clock, budget, sent, sender } = setUp();
  for (const key of ['a', 'b', 'c']) budget.open(key);
  for (let tick = 0; tick < 70; tick += 1) {
    budget.offer('a', sender('a'));
    await clock.advance(100);
  }
  assert.deepEqual(sent, ['0 a', '3000 a', '6000 a']);
});

test('a final text goes before statuses that wait longer', async () => {
  const { clock, budget, sent, sender } = setUp({ finalBurst: 1 });
  budget.open('a');
  budget.open('b');
  budget.offer('a', sender('a 1'));
  budget.offer('b', sender('b 1'));
  const final = budget.final('c', sender('c final'));
  await clock.advance(2_000);
  await final;
  assert.deepEqual(sent, ['0 a 1', '1000 c final', '2000 b 1']);
});

test('final texts may run ahead of the pace by the burst and no further', async () => {
  const { clock, budget, sent, sender } = setUp({ finalBurst: 3 });
  const all = ['a', 'b', 'c', 'd', 'e'].map((key) => budget.final(key, sender(key)));
  await clock.advance(2_000);
  await Promise.all(all);
  assert.deepEqual(sent, ['0 a', '0 b', '0 c', '1000 d', '2000 e']);
});

test('statuses wait until the pace has caught up with a burst of final texts', async () => {
  const { clock, budget, sent, sender } = setUp({ finalBurst: 3 });
  budget.open('s');
  await Promise.all(['a', 'b', 'c'].map((key) => budget.final(key, sender(key))));
  budget.offer('s', sender('status'));
  await clock.advance(3_000);
  assert.deepEqual(sent, ['0 a', '0 b', '0 c', '3000 status']);
});

test('a final text waits for an edit of its message that is under way, and no status follows it', async () => {
  const { clock, budget, sent, sender } = setUp();
  const status = Promise.withResolvers<void>();
  budget.open('a');
  budget.offer('a', () => {
    sent.push('status begins');
    return status.promise.then(() => void sent.push('status ends'));
  });
  const final = budget.final('a', sender('final'));
  budget.offer('a', sender('late status'));
  await clock.advance(5_000);
  assert.deepEqual(sent, ['status begins']);
  status.resolve();
  await final;
  budget.offer('a', sender('later status'));
  await clock.advance(60_000);
  assert.deepEqual(sent, ['status begins', 'status ends', '5000 final']);
});

test('a status that waited longer than its limit is dropped', async () => {
  const { clock, budget, sent, sender } = setUp();
  budget.open('a');
  budget.pause(12_000);
  budget.offer('a', sender('old'));
  await clock.advance(20_000);
  assert.deepEqual(sent, []);
});

test('after a pause nothing is sent until it is over, at most a minute', async () => {
  const { clock, budget, sent, sender } = setUp();
  budget.pause(1e9);
  const final = budget.final('a', sender('final'));
  await clock.advance(59_999);
  assert.deepEqual(sent, []);
  await clock.advance(1);
  await final;
  assert.deepEqual(sent, ['60000 final']);
});

test('a final text that fails is told to its caller and may be given again', async () => {
  const { clock, budget, sent, sender } = setUp();
  await assert.rejects(
    budget.final('a', () => Promise.reject(new AppError('channel_unavailable', 'no'))),
    { code: 'channel_unavailable' },
  );
  await clock.advance(1_000);
  await budget.final('a', sender('again'));
  assert.deepEqual(sent, ['1000 again']);
});

test('a status that fails is of no consequence', async () => {
  const { clock, budget, sent, sender } = setUp();
  budget.open('a');
  budget.offer('a', () => Promise.reject(new Error('refused')));
  await clock.advance(1_000);
  budget.offer('a', sender('next'));
  await clock.advance(0);
  assert.deepEqual(sent, ['1000 next']);
});

test('an offer for a message that is not open or was closed is ignored', async () => {
  const { clock, budget, sent, sender } = setUp();
  budget.offer('a', sender('never opened'));
  budget.open('b');
  budget.pause(500);
  budget.offer('b', sender('closed'));
  budget.close('b');
  await clock.advance(10_000);
  assert.deepEqual(sent, []);
});

test('an interval of 0 sends at once, one edit of a message at a time', async () => {
  const clock = createFakeClock();
  const budget = createEditBudget({ intervalMs: 0, clock });
  const sent: string[] = [];
  await Promise.all(Array.from({ length: 100 }, (_, n) => budget.final(`k${n}`, async () => void sent.push(`k${n}`))));
  assert.equal(sent.length, 100);
});

test('stop refuses final texts that wait and sends nothing more', async () => {
  const { clock, budget, sent, sender } = setUp();
  budget.open('a');
  budget.pause(1_000);
  budget.offer('a', sender('status'));
  const final = budget.final('b', sender('final'));
  budget.stop();
  await assert.rejects(final, { code: 'channel_unavailable' });
  await assert.rejects(budget.final('c', sender('after')), { code: 'channel_unavailable' });
  await clock.advance(10_000);
  assert.deepEqual(sent, []);
});

test('it rests for as long as its pause and its pace have to be kept', async () => {
  const { clock, budget, sender } = setUp();
  assert.equal(budget.restMs(), 0);
  await budget.final('a', sender('done'));
  assert.equal(budget.restMs(), 1_000);
  budget.pause(5_000);
  assert.equal(budget.restMs(), 5_000);
  await clock.advance(5_000);
  assert.equal(budget.restMs(), 0);
});
