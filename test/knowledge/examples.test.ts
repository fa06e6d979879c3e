import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createParser } from '../../knowledge/parser.ts';
import { createKnowledgeSearch } from '../../knowledge/search.ts';
import { createSync } from '../../knowledge/sync.ts';
import { createPlainIndex, createRecordingLogger, openStore, realClock } from './setup.ts';

const root = fileURLToPath(new URL('../../examples/knowledge', import.meta.url));

const QUESTIONS: readonly (readonly [question: string, source: string, fact: string])[] = [
  ['How long is the warranty?', 'policies/warranty.md', '24 months from the date of delivery'],
  ['How long is the warranty for dealers?', 'policies/warranty.md', '12 months from the invoice date'],
  ['What discount do Gold dealers get?', 'company/dealer-programme.md', '30 %'],
  ['How much is the Tern Pro?', 'price-list-2026.csv', '1,190.00'],
  ['What does error E4 on the kettle mean?', 'manuals/aster-kettle.md', 'dry it for 24 hours'],
  ['How long does descaling the espresso machine take?', 'manuals/tern-quick-guide.pdf', '35 minutes'],
  ['What is paid for a hotel in Paris?', 'company/expense-policy.docx', '180 EUR'],
  ['When can I reach you by phone?', 'company/customer-service.html', '09:00 to 17:30'],
  ['How much does a repair of a grinder cost?', 'policies/repair-service.txt', '45 EUR'],
  ['经销商的保修期是多久？', 'zh/保修政策.md', '12个月'],
  ['退货需要付运费吗', 'zh/退换货说明.md', '4.90欧元'],
];

test('every file of the sample is read, and its facts are found among the first five passages by words alone', async (t) => {
  const store = openStore(t);
  const logger = createRecordingLogger();
  const parser = createParser({ clock: realClock, logger });
  t.after(() => parser.close());
  const sync = createSync({ store, clock: realClock, logger, parse: parser.parse });
  const outcome = await sync.syncPaths([root], { label: 'everyone' });
  assert.deepEqual([outcome.added, outcome.ignored, outcome.failed], [17, 0, []]);
  const knowledge = createKnowledgeSearch({
    store,
    embedder: undefined,
    createIndex: createPlainIndex,
    clock: realClock,
    logger,
  });
  for (const [query, source, fact] of QUESTIONS) {
    const { passages } = await knowledge.search({ query, labels: ['everyone'], limit: 5 });
    const held = passages.find((passage) => passage.source === source && passage.text.includes(fact));
    assert.ok(held, `${query}: ${passages.map((passage) => `${passage.source} ${passage.score.toFixed(2)}`).join(', ')}`);
  }
});

test('a paragraph of Markdown without inline markup stands in its file as it stands in the passage', async (t) => {
  const parser = createParser({ clock: realClock, logger: createRecordingLogger() });
  t.after(() => parser.close());
  for (const path of ['policies/warranty.md', 'policies/shipping.md', 'zh/保修政策.md']) {
    const bytes = await readFile(`${root}/${path}`);
    const { chunks } = await parser.parse({ name: path, bytes });
    const paragraphs = chunks.flatMap((chunk) => chunk.text.split('\n\n')).filter((paragraph) => !paragraph.includes(' | '));
    assert.ok(paragraphs.length > 4);
    for (const paragraph of paragraphs) assert.ok(bytes.toString().includes(paragraph), paragraph);
  }
});
