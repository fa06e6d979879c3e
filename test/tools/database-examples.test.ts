import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import type { Embedder } from '../../agent/ports/embedder.ts';
import { systemClock } from '../../ops/clock.ts';
import { createExampleFinder, type SqlExample } from '../../tools/database-examples.ts';
import { createFakeClock } from '../fake-clock.ts';
import { createMemoryLogger } from '../fakes/gateway-bench.ts';

const EXAMPLES: readonly SqlExample[] = [
  { question: 'Revenue by country', sql: 'SELECT 1' },
  { question: 'Customers who never ordered', sql: 'SELECT 2' },
  { question: 'Orders that were returned', sql: 'SELECT 3' },
  { question: 'Returned orders of a customer', sql: 'SELECT 3' },
];
const signal = new AbortController().signal;

/** Turnover is revenue to it, and nothing else is like anything. */
const embedderOf = (parts: Partial<Embedder> = {}): Embedder => ({
  id: 'fake',
  dimensions: 2,
  canRead: () => true,
  embed: async (texts) => texts.map((text) => Float32Array.from(/revenue|turnover/i.test(text) ? [1, 0] : [0, 1])),
  close: async () => {},
  ...parts,
});
const find = async (question: string, embedder?: Embedder, limit = 2) => {
  const logger = createMemoryLogger();
  const finder = createExampleFinder(EXAMPLES, { embedder, clock: systemClock, logger });
  const found = await finder.find(question, limit, signal);
  return { sql: found.map(({ sql }) => sql), events: logger.lines.map(({ event }) => event) };
};

describe('checked questions with their SQL', () => {
  it('are found by words, the same SQL once, and none where no word is shared', async () => {
    assert.deepEqual((await find('How many orders came back returned?')).sql, ['SELECT 3']);
    assert.deepEqual((await find('Which customer never ordered anything?')).sql[0], 'SELECT 2');
    assert.deepEqual((await find('What about turnover?')).sql, []);
  });

  it('are found by meaning where there is an embedder', async () => {
    assert.deepEqual((await find('What about turnover?', embedderOf())).sql, ['SELECT 1']);
  });

  it('are found by words where the embedder cannot read, fails, or is late', async () => {
    const question = 'Revenue by month';
    assert.deepEqual((await find(question, embedderOf({ canRead: () => false }))).sql, ['SELECT 1']);
    const failing = embedderOf({ embed: async () => Promise.reject(new AppError('embedder_unavailable', 'It is gone.')) });
    assert.deepEqual(await find(question, failing), { sql: ['SELECT 1'], events: ['database_examples_by_words'] });
    const clock = createFakeClock();
    const late = embedderOf({ embed: () => new Promise(() => {}) });
    const found = createExampleFinder(EXAMPLES, { embedder: late, clock, logger: createMemoryLogger() }).find(
      question,
      2,
      signal,
    );
    await clock.advance(1_500);
    assert.deepEqual(
      (await found).map(({ sql }) => sql),
      ['SELECT 1'],
    );
  });

  it('are embedded once, and again after a failure', async () => {
    const asked: number[] = [];
    const embedder = embedderOf({
      embed: async (texts) => {
        asked.push(texts.length);
        if (asked.length === 1) throw new AppError('embedder_unavailable', 'It is gone.');
        return texts.map(() => Float32Array.from([1, 0]));
      },
    });
    const finder = createExampleFinder(EXAMPLES, { embedder, clock: systemClock, logger: createMemoryLogger() });
    for (let n = 0; n < 3; n += 1) await finder.find('revenue', 2, signal);
    assert.deepEqual(
      asked.filter((count) => count === EXAMPLES.length),
      [4, 4],
    );
  });

  it('a stopped question throws its reason', async () => {
    const controller = new AbortController();
    const embedder = embedderOf({
      embed: async (_texts, own) => {
        if (own === undefined) return [];
        controller.abort(new Error('stopped'));
        throw controller.signal.reason;
      },
    });
    const finder = createExampleFinder(EXAMPLES, { embedder, clock: systemClock, logger: createMemoryLogger() });
    await assert.rejects(finder.find('revenue', 2, controller.signal), /stopped/);
  });
});
