import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReadMore } from '../../tools/read-more.ts';
import { toolContext } from './context.ts';

const tool = createReadMore();
const read = (whole: string, from: number) => {
  const readResult = (id: string): string | undefined => (id === 'call_1' ? whole : undefined);
  return tool.run({ result: 'call_1', from }, { ...toolContext(), readResult });
};

test('pages go through the whole result and split no character', async () => {
  const whole = 'a👩‍👩‍👧b'.repeat(4_000);
  let from: number | null = 0;
  let text = '';
  while (from !== null) {
    const page = (await read(whole, from)) as { text: string; next: number | null; of: number };
    assert.ok(page.text.isWellFormed() && page.text.length <= 12_000);
    assert.equal(page.of, whole.length);
    text += page.text;
    from = page.next;
  }
  assert.equal(text, whole);
});

test('a result that is not there and a place behind its end are refused', async () => {
  await assert.rejects(tool.run({ result: 'call_9', from: 0 }, toolContext()), { code: 'tool_not_found' });
  await assert.rejects(read('short', 5), { code: 'tool_arguments' });
});
