import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Budgets, NO_BUDGETS } from '../../agent/budget.ts';
import { AppError } from '../../agent/errors.ts';
import type { JournalEntry } from '../../agent/ports/store.ts';
import { callTurn, createMemoryJournal, createScriptedModel, turnOf } from './fakes.ts';
import { search, setUp, toolOf } from './harness.ts';

const SEARCH = callTurn('search_knowledge', { query: 'x' });
const FINE = turnOf({ text: 'Fine.' });

/** Writes down what is asked of the store at one moment, before any of it resolves. */
const watchStore = () => {
  const commits: string[][] = [];
  let open: string[] | undefined;
  const write = (what: string): Promise<void> => {
    if (open === undefined) {
      open = [];
      commits.push(open);
      process.nextTick(() => {
        open = undefined;
      });
    }
    open.push(what);
    return new Promise((resolve) => process.nextTick(resolve));
  };
  const kept = createMemoryJournal();
  const journal = {
    read: kept.read,
    write: async (entry: JournalEntry) => {
      await write(entry.key);
      await kept.write(entry);
    },
  };
  const budgets: Budgets = {
    ...NO_BUDGETS,
    person: { tokens: 1_000_000 },
    ledger: {
      charge: async (_day, _accounts, _settled, reserved) => {
        await write(reserved.modelCalls > 0 ? 'reserve' : 'settle');
        return undefined;
      },
    },
  };
  return { commits, journal, budgets };
};

test('a step waits for the disk twice: with its model turn, and with its results and the next reservation together', async () => {
  const { commits, journal, budgets } = watchStore();
  const two = turnOf({ toolCalls: [...SEARCH.toolCalls, { name: 'search_knowledge', arguments: '{"query":"returns"}' }] });
  await setUp(createScriptedModel(two, SEARCH, FINE), { input: { journal }, deps: { budgets } }).run();
  assert.deepEqual(commits, [
    ['reserve'],
    ['model:1'],
    ['tool:1:0', 'tool:1:1', 'reserve'],
    ['model:2'],
    ['tool:2:0', 'reserve'],
    ['model:3', 'settle'],
  ]);
});

test('a run that ends without an answer settles what is open', async () => {
  const { commits, journal, budgets } = watchStore();
  const { answer } = await setUp(createScriptedModel(SEARCH), {
    limits: { steps: 1 },
    input: { journal },
    deps: { budgets },
  }).run();
  assert.equal(answer.stopReason, 'step_limit');
  assert.deepEqual(commits.slice(2), [['tool:1:0', 'reserve'], ['model:2'], ['settle']]);
});

test('no model is told a result that could not be journaled, and no write runs after one', async () => {
  const lost = new AppError('lease_lost', 'another worker took it over');
  const failing = () => ({
    read: async () => [],
    write: async ({ key }: JournalEntry) => {
      if (key.startsWith('tool:')) throw lost;
    },
  });
  const model = createScriptedModel(SEARCH, FINE);
  await assert.rejects(setUp(model, { input: { journal: failing() } }).run(), lost);
  assert.equal(model.requests.length, 1);

  let mails = 0;
  const mail = toolOf('mail', async () => void (mails += 1) as never, { effect: 'write' });
  const both = turnOf({ toolCalls: [...SEARCH.toolCalls, { name: 'mail', arguments: '{}' }] });
  await assert.rejects(
    setUp(createScriptedModel(both), { tools: [search as never, mail], input: { journal: failing() } }).run(),
    lost,
  );
  assert.equal(mails, 0);
});
