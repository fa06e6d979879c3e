import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, calls, DONE, type FaultCase, runCase } from '../../bench/faults/rig.ts';
import { FAULT_CASES } from '../../bench/faults.ts';

test('the faults are 32 rows of wire and stream and 38 bugs, each once', () => {
  const ids = FAULT_CASES.map(({ id }) => id);
  assert.equal(new Set(ids).size, 70);
  assert.equal(ids.filter((id) => id.startsWith('B')).length, 38);
});

for (const fault of FAULT_CASES) {
  test(`${fault.id}: ${fault.what}: the outcome is right`, async () => {
    assert.equal(await runCase(fault), undefined);
  });
}

const caseOf = (run: FaultCase['run']): FaultCase => ({ id: 'x', what: 'a case', run });

test('a case whose outcome is not the expected one is wrong, and says what came', async () => {
  const wrong = caseOf(async ({ ask }) => {
    const { answer } = await ask([{ text: 'Something else.' }]);
    assert.equal(answer.text, 'Done.');
  });
  assert.match((await runCase(wrong)) ?? '', /Something else\./u);
});

test('a request that a strict endpoint refuses makes its case wrong', async () => {
  const refused = caseOf(async ({ simulator }) => {
    const messages = [
      { role: 'user', content: 'Hello?' },
      { role: 'tool', tool_call_id: 'call_1', content: 'an orphan' },
    ];
    await fetch(`${simulator.url}/chat/completions`, { method: 'POST', body: JSON.stringify({ messages }) });
  });
  assert.match((await runCase(refused)) ?? '', /result without a call: call_1/u);
});

test('a run that ends well is right', async () => {
  const right = caseOf(async ({ ask }) => {
    const { answer, ran } = await ask([calls(call('note', { x: '1' })), DONE]);
    assert.deepEqual([answer.text, ran], ['Done.', ['note 1']]);
  });
  assert.equal(await runCase(right), undefined);
});
