import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallResult, createRepeatGuard, type GuardedCall } from '../../agent/repeat-guard.ts';

const LIMITS = { repeatedCalls: 3, staleResults: 4 };
const call = (name: string, args = '', isKnown = true): GuardedCall => ({ name, signature: `${name}\n${args}`, isKnown });
const result = (content: string, parts: Partial<CallResult> = {}): CallResult => ({
  content,
  hasFailed: false,
  found: [],
  ...parts,
});

const setUp = () => {
  const guard = createRepeatGuard(LIMITS);
  const make = (made: GuardedCall, content: string, parts?: Partial<CallResult>): string | undefined => {
    const detector = guard.announce(made);
    if (detector === undefined) guard.observe(made, result(content, parts));
    return detector;
  };
  return { guard, make };
};

test('the same call with the same result is forbidden the third time', () => {
  const { make } = setUp();
  assert.deepEqual(
    [1, 2, 3].map(() => make(call('a', 'x'), 'same')),
    [undefined, undefined, 'same_call'],
  );
});

test('a call whose result changes may go on', () => {
  const { make, guard } = setUp();
  for (let i = 0; i < 10; i += 1) assert.equal(make(call('poll'), `state ${i}`), undefined);
  assert.deepEqual(guard.verdict(), { detectors: [], isFinal: false });
});

test('a call that failed may be made once more than one that worked', () => {
  const { make } = setUp();
  const made = [1, 2, 3, 4].map(() => make(call('a', 'x'), 'down', { hasFailed: true }));
  assert.deepEqual(made, [undefined, undefined, undefined, 'same_call']);
});

test('calls of one step are counted before their results are there', () => {
  const { guard } = setUp();
  const made = [1, 2, 3].map(() => guard.announce(call('a', 'x')));
  assert.deepEqual(made, [undefined, undefined, 'same_call']);
});

test('two calls that take turns are forbidden, whatever their arguments', () => {
  const { make } = setUp();
  for (const [name, args] of [
    ['a', '1'],
    ['b', '1'],
    ['a', '2'],
    ['b', '2'],
  ] as const) {
    assert.equal(make(call(name, args), `of ${name}`), undefined);
  }
  assert.equal(make(call('a', '3'), 'of a'), 'alternation');
});

test('the third name of no tool is a finding', () => {
  const { make } = setUp();
  assert.deepEqual(
    ['x', 'y', 'z'].map((name) => make(call(name, '', false), '')),
    [undefined, undefined, 'unknown_tool'],
  );
});

test('four results in a row with nothing new are a finding, though the arguments change', () => {
  const { make, guard } = setUp();
  for (let i = 0; i < 4; i += 1) make(call('search', `query ${i}`), `worded ${i}`, { found: ['chunk-1'] });
  assert.deepEqual(guard.verdict().detectors, []);
  make(call('search', 'query 4'), 'worded 4', { found: ['chunk-1'] });
  assert.deepEqual(guard.verdict(), { detectors: ['no_news'], isFinal: false });
  assert.deepEqual(guard.verdict().detectors, [], 'each is told once');
});

test('the second finding is final', () => {
  const { make, guard } = setUp();
  for (let i = 0; i < 3; i += 1) make(call('a', 'x'), 'same');
  assert.equal(guard.verdict().isFinal, false);
  make(call('a', 'x'), 'same');
  assert.equal(guard.verdict().isFinal, true);
});
