import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { playNaive, playOurs, type Setting } from '../../bench/published/arena.ts';
import { MISSED, mean, rowOf } from '../../bench/published/gate.ts';
import { createTask, documentOf, draw, type FaultPlan, valueOf } from '../../bench/published/plan.ts';
import { createExactCounter } from '../../bench/published/tokens.ts';

const NO_FAULTS: FaultPlan = { malformed: 0, transient: 0, permanent: 0, sticky: 0 };

const settingOf = (plan: FaultPlan, tasks = 40): Setting => ({
  seed: 1,
  plan,
  sessions: Array.from({ length: tasks }, (_value, n) => ({ tasks: [createTask(1, `t${n}`, plan, { needs: 3 })] })),
});

test('without faults both loops complete every task with the same calls', async () => {
  const naive = await playNaive(settingOf(NO_FAULTS));
  const ours = await playOurs(settingOf(NO_FAULTS), 0);
  for (const { calls, succeeded, runs } of [naive, ours]) {
    assert.deepEqual([calls, succeeded, runs.filter(({ isComplete }) => isComplete).length], [120, 120, 40]);
  }
});

test('what breaks and passes is tried again by ours alone', async () => {
  const plan = { ...NO_FAULTS, transient: 0.3 };
  const naive = await playNaive(settingOf(plan));
  const ours = await playOurs(settingOf(plan), 0);
  assert.ok(naive.succeeded / naive.calls < 0.8, `naive: ${naive.succeeded / naive.calls}`);
  assert.ok(ours.succeeded / ours.calls > 0.95, `ours: ${ours.succeeded / ours.calls}`);
});

test('what does not exist is asked for once', async () => {
  const ours = await playOurs(settingOf({ ...NO_FAULTS, permanent: 1 }), 0);
  assert.deepEqual([ours.succeeded, ours.permanentRetries], [0, 0]);
});

test('a model that repeats itself ends the naive loop without an answer, and ours with one', async () => {
  const plan = { ...NO_FAULTS, sticky: 1 };
  const naive = await playNaive(settingOf(plan));
  const ours = await playOurs(settingOf(plan), 0);
  assert.ok(naive.runs.every(({ mostRepeats, hasAnswer }) => mostRepeats === 8 && !hasAnswer));
  assert.ok(ours.runs.every(({ mostRepeats, hasAnswer }) => mostRepeats <= 3 && hasAnswer));
  const unguarded = await playOurs(settingOf(plan), 0, { layers: { repeatGuard: false } });
  assert.ok(unguarded.runs.every(({ mostRepeats }) => mostRepeats > 3));
});

test('draws are even, and the same for the same seed and name', () => {
  const draws = Array.from({ length: 20_000 }, (_value, n) => draw(7, `thing ${n}`));
  assert.ok(Math.abs(mean(draws) - 0.5) < 0.01);
  assert.ok(Math.abs(mean(draws.map((value) => (value < 0.1 ? 1 : 0))) - 0.1) < 0.01);
  assert.deepEqual([draw(7, 'thing 3'), draw(8, 'thing 3') === draw(7, 'thing 3')], [draws[3], false]);
});

test('a document has its length and holds its value, and counting it in parts counts it exactly', async () => {
  const text = documentOf('t1.1', 2_400);
  assert.ok(Math.abs(text.length - 2_400) < 60 && text.includes(valueOf('t1.1')));
  const [inParts, whole] = [await createExactCounter(), new Tiktoken(o200k)];
  for (const sample of [text, JSON.stringify({ role: 'tool', content: text }), 'Found: value(t1.1). You said contract C-1.']) {
    assert.equal(inParts(sample), whole.encode(sample).length);
  }
});

test('a figure outside its bounds is said to be missed', () => {
  const measured = { case: 'c', metric: 'm', unit: 'share', values: [0.9, 0.7], n: 2 };
  const held = rowOf({ ...measured, within: [0.8, 1] });
  const missed = rowOf({ ...measured, within: [0.81, 1] });
  assert.deepEqual([held.value, held.note], [0.8, '2 seeds, 0.7 to 0.9; wanted: 0.8 to 1, held']);
  assert.ok(missed.note?.endsWith(MISSED));
});
