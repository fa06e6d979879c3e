import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Turn } from '../../agent/conversation.ts';
import type { JsonObject } from '../../agent/json.ts';
import { createSummaryKeeper } from '../../memory/rolling-summary.ts';
import { createSummariser, type ExtendSummary } from '../../memory/summary.ts';
import { createMemoryLogger } from '../fakes/gateway-bench.ts';
import { turnOf } from './turns.ts';

const countTokens = (text: string): number => text.length;
const signal = new AbortController().signal;
const turns = (count: number): Turn[] =>
  Array.from({ length: count }, (_, at) =>
    turnOf(`Fact ${at} is decided.`, 'y'.repeat(70), {
      turnId: `t${at}`,
      labels: at === 0 ? ['everyone', 'finance'] : ['everyone'],
    }),
  );

const setUp = (extend: ExtendSummary = createSummariser({ countTokens, scrub: (text) => text })) => {
  const notes = new Map<string, JsonObject>();
  const logger = createMemoryLogger();
  let all: readonly Turn[] = turns(4);
  const keeper = createSummaryKeeper({
    store: {
      readNote: async (conversationId, name) => notes.get(`${conversationId}/${name}`),
      putNote: async (conversationId, name, value) => void notes.set(`${conversationId}/${name}`, value),
    },
    readTurns: async () => all,
    extend,
    roomTokens: 500,
    countTokens,
    logger,
  });
  return { keeper, notes, logger, say: (next: readonly Turn[]) => void (all = next) };
};

test('nothing is summarised while the turns fit, and the oldest are once they do not', async () => {
  const { keeper, say } = setUp();
  await keeper.update('c', signal);
  assert.equal(await keeper.read('c', ['everyone', 'finance']), undefined);
  say(turns(6));
  await keeper.update('c', signal);
  const summary = await keeper.read('c', ['everyone', 'finance']);
  assert.equal(summary?.throughTurnId, 't3');
  assert.ok(summary.sentences.some(({ text }) => text === 'Ada: Fact 0 is decided.'));
});

test('a sentence is shown to those alone who hold every label of its turns', async () => {
  const { keeper, say } = setUp();
  say(turns(6));
  await keeper.update('c', signal);
  const shown = (await keeper.read('c', ['everyone']))?.sentences.map(({ text }) => text) ?? [];
  assert.ok(shown.includes('Ada: Fact 1 is decided.'));
  assert.ok(!shown.some((text) => text.includes('Fact 0')));
});

test('a failed summary keeps the one before, is logged, and the next turn tries again', async () => {
  let fails = true;
  const extractive = createSummariser({ countTokens, scrub: (text) => text });
  const { keeper, say, logger } = setUp((...input) => (fails ? Promise.reject(new Error('down')) : extractive(...input)));
  say(turns(6));
  await keeper.update('c', signal);
  assert.equal(await keeper.read('c', ['everyone']), undefined);
  assert.deepEqual(
    logger.lines.map(({ event }) => event),
    ['summary_failed'],
  );
  fails = false;
  await keeper.update('c', signal);
  assert.equal((await keeper.read('c', ['everyone']))?.throughTurnId, 't3');
});

test('a turn that is forgotten while the summary is written does not come back through it', async () => {
  const extractive = createSummariser({ countTokens, scrub: (text) => text });
  const bench = setUp(async (...input) => {
    bench.say(turns(6).map((turn, at) => (at === 1 ? { ...turn, question: '' } : turn)));
    return extractive(...input);
  });
  bench.say(turns(6));
  await bench.keeper.update('c', signal);
  assert.equal(bench.notes.size, 0);
});

test('updates of one conversation follow one another, and take each turn in once', async () => {
  const { keeper, say } = setUp();
  say(turns(6));
  await Promise.all([keeper.update('c', signal), keeper.update('c', signal), keeper.update('c', signal)]);
  const texts = (await keeper.read('c', ['everyone', 'finance']))?.sentences.map(({ text }) => text) ?? [];
  assert.equal(
    new Set(texts.filter((text) => text.startsWith('Ada'))).size,
    texts.filter((text) => text.startsWith('Ada')).length,
  );
});

test('what was stored in another form counts as no summary', async () => {
  const { keeper, notes } = setUp();
  notes.set('c/summary', { throughTurnId: 7 });
  assert.equal(await keeper.read('c', ['everyone']), undefined);
});
