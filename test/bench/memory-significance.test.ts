import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { measureSignificance } from '../../bench/memory-significance.ts';

const lines = (...records: readonly unknown[]): string => `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;

/** The shape of the public sets, with a handful of records of our own. */
const DATA: Readonly<Record<string, string>> = {
  'memory-extraction/labels.jsonl': lines(
    { id: 'mem_001', memories: [{ type: 'decision', content: 'Uses Postgres for billing.' }] },
    { id: 'mem_002', memories: [{ type: 'opinion', content: 'Closes at 18:00 on Saturdays.' }] },
  ),
  'memory-extraction/dataset.jsonl': lines(
    { id: 'mem_001', text: 'Hello there. We chose Postgres for the billing service.' },
    { id: 'mem_002', text: 'The warehouse closes at 18:00 on Saturdays. Thanks!' },
  ),
  'memory-extraction/dataset.de.jsonl': lines(
    { id: 'mem_001', text: 'Hallo. Wir haben uns für Postgres entschieden.' },
    { id: 'mem_002', text: 'Das Lager schließt samstags um 18 Uhr. Danke!' },
  ),
  'memory-extraction/dataset.zh.jsonl': lines(
    { id: 'mem_001', text: '你好。我们选择了 Postgres 来做计费服务。' },
    { id: 'mem_002', text: '仓库周六下午六点关门。谢谢！' },
  ),
  'clinc150/train-and-val.json': JSON.stringify({
    val: [
      ['hello', 'greeting'],
      ['we decided to move to ghent on 3 may', 'goodbye'],
      ['we decided to move to ghent on 3 may', 'transfer'],
    ],
  }),
  'bfcl/memory_prereq_conversation/memory_customer.json': lines({
    question: [
      [{ role: 'user', content: 'My name is Sam Fields, and I live in Ghent.' }],
      [{ role: 'user', content: 'What do you sell?' }],
      [{ role: 'user', content: 'Could you tell me — “quietly” — what it costs?' }],
    ],
  }),
  'bfcl/possible_answer/BFCL_v4_memory.json': lines(
    { id: 'memory_0-customer-0', source: 'My name is Sam Fields...live in Ghent.' },
    { id: 'memory_1-customer-1', source: '"tell me—"quietly""...' },
    { id: 'memory_2-customer-2', source: 'said nowhere' },
  ),
};

test('every set is measured by halves, and a missed label, a wrong kind and a kept courtesy are counted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'significance-'));
  try {
    for (const [path, text] of Object.entries(DATA)) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const values = new Map<string, readonly [number | string, number]>();
    for await (const { case: name, metric, value, n } of measureSignificance(folder))
      values.set(`${name}: ${metric}`, [value, n]);
    for (const language of ['en', 'de', 'zh']) {
      assert.deepEqual(values.get(`significance, labels ${language}, all: kept`), [1, 2]);
      assert.deepEqual(values.get(`significance, labels ${language}, odd: kind_right`), [1, 1]);
      assert.deepEqual(values.get(`significance, labels ${language}, even: kind_right`), [0, 1]);
      assert.deepEqual(values.get(`significance, small talk ${language}, all: skipped`)?.[0], 1);
    }
    assert.deepEqual(values.get('significance, small talk clinc150, all: skipped'), [0.5, 2]);
    assert.deepEqual(values.get('significance, turns bfcl, all: kept'), [0.333, 3]);
    assert.deepEqual(values.get('significance, evidence turns bfcl, all: kept'), [0.5, 2]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a missing set is named', async () => {
  await assert.rejects(
    async () => {
      for await (const row of measureSignificance('/nowhere')) assert.fail(row.case);
    },
    { code: 'source_missing' },
  );
});
