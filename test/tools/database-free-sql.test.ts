/** SQL that a model writes, in whole runs on the sample database: what the model is shown before and after. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import type { Tool } from '../../agent/ports/tool.ts';
import { systemClock } from '../../ops/clock.ts';
import { loadConfig } from '../../ops/config.ts';
import { createFindTables, createRunSql } from '../../tools/database.ts';
import { createDatabaseSource, type SourceSettings } from '../../tools/database-source.ts';
import { createSqliteEngine } from '../../tools/database-sqlite.ts';
import { callTurn, createScriptedModel, turnOf } from '../agent/fakes.ts';
import { lastTool, setUp } from '../agent/harness.ts';
import { createMemoryLogger } from '../fakes/gateway-bench.ts';
import { toolContext } from './context.ts';

const readFile = (path: string) => (path.startsWith('/') ? readFileSync(path, 'utf8') : undefined);
const [sample] = loadConfig({ env: {}, readFile }).databases;

describe('SQL that a model writes', () => {
  const logger = createMemoryLogger();
  const openSample = (parts: Partial<SourceSettings> = {}) => {
    assert.ok(sample !== undefined && 'seed' in sample.place);
    const settings = { ...sample, coversValues: true, freeSql: true, ...parts };
    const engine = createSqliteEngine({ place: sample.place, clock: systemClock });
    return createDatabaseSource({ settings, engine, clock: systemClock, logger });
  };
  const source = openSample({
    examples: [
      { question: 'Which customers ordered the most pieces?', sql: 'SELECT customer_id, sum(quantity) FROM orders GROUP BY 1' },
      { question: 'Old customers', sql: 'SELECT name FROM clients' },
      { question: 'Mail addresses of customers', sql: 'SELECT email FROM customers' },
    ],
  });
  after(() => source.close());
  const tools = [createFindTables({ sources: [source] }), createRunSql({ sources: [source] })] as unknown as readonly Tool[];
  const wrong = (column: string) => callTurn('run_sql', { database: 'shop', sql: `SELECT ${column} FROM customers` });

  it('is shown the checked examples nearest to the question, and none that the walls would refuse today', async () => {
    const found = (await createFindTables({ sources: [source] }).run(
      { question: 'Which customers ordered the most?' },
      toolContext(),
    )) as { databases: { examples: { question: string; sql: string }[] }[] };
    const [first] = found.databases;
    assert.deepEqual(first?.examples[0], {
      question: 'Which customers ordered the most pieces?',
      sql: 'SELECT customer_id, sum(quantity) FROM orders GROUP BY 1',
    });
    assert.doesNotMatch(JSON.stringify(first.examples), /clients|email/);
    assert.deepEqual(
      logger.lines.filter(({ event }) => event === 'database_examples_refused').map(({ fields }) => fields?.['examples']),
      [['Old customers', 'Mail addresses of customers']],
    );
  });

  it('a question that no table has a word of is told to be likely out of reach', async () => {
    const { note } = (await createFindTables({ sources: [source] }).run(
      { question: 'Wie hoch ist der Eiffelturm?' },
      toolContext(),
    )) as { note?: string };
    assert.match(note ?? '', /^No table has a word of the question\. .* do not guess\.$/);
  });

  it('is mended once from the words of the database, and the answer comes from the rows', async () => {
    const model = createScriptedModel(wrong('fullname'), wrong('country'), turnOf({ text: 'There are 40.' }));
    const { answer } = await setUp(model, { tools, deps: { clock: systemClock } }).run();
    assert.equal(answer.text, 'There are 40.');
    assert.equal(model.requests.length, 3);
    const { kind, retryable, advice } = lastTool(model, 1) as Record<string, unknown>;
    assert.deepEqual([kind, retryable], ['invalid_args', true]);
    assert.equal(
      advice,
      'The database did not accept the query: no such column: fullname. Mend it and call again; after a second mistake, say that it could not be asked.',
    );
    assert.equal((lastTool(model, 2) as { row_count: number }).row_count, 40);
  });

  it('is not mended a second time: the tool is set aside, and the third try never reaches the database', async () => {
    const model = createScriptedModel(wrong('a1'), wrong('a2'), wrong('country'), turnOf({ text: 'It could not be asked.' }));
    await setUp(model, { tools, deps: { clock: systemClock } }).run();
    const kinds = [1, 2, 3].map((request) => (lastTool(model, request) as { kind?: string }).kind);
    assert.deepEqual(kinds, ['invalid_args', 'invalid_args', 'set_aside']);
  });
});
