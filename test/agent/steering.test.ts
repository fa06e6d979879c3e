import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '../../agent/json.ts';
import type { ArrivedMessage, RunInput, RunJournal } from '../../agent/run.ts';
import { arrivedIn, withArrived } from '../../agent/steering.ts';
import { callTurn, createMemoryJournal, createScriptedModel, type ScriptedModel, turnOf } from './fakes.ts';
import { search, setUp } from './harness.ts';

const FINE = turnOf({ text: 'Two years, see https://example.com/kettles.' });
const SEARCH = callTurn('search_knowledge', { query: 'x' });

/** A queue as a gateway keeps it: what is taken is in the journal at the same moment. */
const queueOf = (journal: RunJournal, waiting: ArrivedMessage[], isDue: () => boolean) => {
  const keys: string[] = [];
  const takeArrived: RunInput['takeArrived'] = async (key) => {
    keys.push(key);
    const taken = isDue() ? waiting.splice(0) : [];
    if (taken.length > 0) await journal.write({ key, value: taken as unknown as JsonValue });
    return taken;
  };
  return { keys, takeArrived };
};

const usersOf = (model: ScriptedModel, request: number) =>
  model.requests[request]?.messages.filter(({ role }) => role === 'user');

test('what is written meanwhile is read before the next step, under the name of its speaker', async () => {
  const model = createScriptedModel(SEARCH, FINE);
  const journal = createMemoryJournal();
  const waiting = [
    { speaker: 'Ada', text: 'Only for kettles.\u202e' },
    { speaker: 'Ada', text: '🙂' },
    { speaker: 'Grace', text: 'And grinders: https://example.com/kettles' },
  ];
  const { keys, takeArrived } = queueOf(journal, waiting, () => model.requests.length === 1);
  const set = setUp(model, { input: { journal, takeArrived } });
  const { answer } = await set.run();

  assert.deepEqual(keys, ['arrived:1', 'arrived:2']);
  assert.equal(usersOf(model, 0)?.length, 1);
  assert.deepEqual(model.requests[1]?.messages.slice(-2), [
    { role: 'user', content: 'Only for kettles.', name: 'Ada' },
    { role: 'user', content: 'And grinders: https://example.com/kettles', name: 'Grace' },
  ]);
  assert.deepEqual(
    set.input.events
      .filter(({ type }) => type === 'messages_folded')
      .map(({ type: _type, turnId: _id, at: _at, ...rest }) => rest),
    [{ step: 2, count: 2 }],
  );
  assert.ok(answer.allowedLinks.includes('https://example.com/kettles'), 'a folded message is part of the question');
});

test('what came before the first step stands in the question itself, and no history is repaired for it', async () => {
  const model = createScriptedModel(FINE);
  const journal = createMemoryJournal();
  const { takeArrived } = queueOf(journal, [{ speaker: 'Ada', text: 'Only for kettles.' }], () => true);
  const set = setUp(model, { input: { journal, takeArrived } });
  await set.run();
  assert.deepEqual(usersOf(model, 0), [{ role: 'user', content: 'How long is the warranty?\n\nOnly for kettles.', name: 'Ada' }]);
  assert.equal(set.input.events.filter(({ type }) => type === 'guard_acted').length, 0);
});

test('a run taken up again reads the folded messages from its journal, at the same place', async () => {
  const model = createScriptedModel(SEARCH, new Error('the process ends here'), FINE);
  const journal = createMemoryJournal();
  const { keys, takeArrived } = queueOf(
    journal,
    [{ speaker: 'Ada', text: 'Only for kettles.' }],
    () => model.requests.length === 1,
  );
  await setUp(model, { input: { journal, takeArrived } }).run();
  await setUp(model, { input: { journal, takeArrived } }).run();
  assert.deepEqual(model.requests[2]?.messages, model.requests[1]?.messages);
  assert.deepEqual(keys, ['arrived:1', 'arrived:2'], 'neither step asks again');
});

test('a step whose model turn is in the journal takes nothing more, since the model would never see it', async () => {
  const model = createScriptedModel(FINE);
  const journal = createMemoryJournal();
  await journal.write({ key: 'model:1', value: FINE as unknown as JsonValue });
  const waiting = [{ speaker: 'Ada', text: 'Only for kettles.' }];
  await setUp(model, { input: { journal, takeArrived: queueOf(journal, waiting, () => true).takeArrived } }).run();
  assert.deepEqual([model.requests.length, waiting.length], [0, 1]);
});

test('what arrives before the step without tools waits for its own turn', async () => {
  const model = createScriptedModel(SEARCH, FINE);
  const journal = createMemoryJournal();
  const waiting = [{ speaker: 'Ada', text: 'Only for kettles.' }];
  const { keys, takeArrived } = queueOf(journal, waiting, () => model.requests.length === 1);
  await setUp(model, { limits: { steps: 1 }, input: { journal, takeArrived }, tools: [search as never] }).run();
  assert.deepEqual([keys, waiting.length, model.requests.length], [['arrived:1'], 1, 2]);
});

test('a transcript keeps the question with all that was folded in, whatever the run ended with', () => {
  const journal = [
    { key: 'model:1', value: {} },
    { key: 'arrived:1', value: [{ speaker: 'Ada', text: 'Only for kettles.' }] },
    { key: 'arrived:3', value: [{ speaker: 'Grace', text: 'And grinders?' }] },
    { key: 'arrived:4', value: 'of another version' },
  ];
  const question = withArrived('How long is the warranty?', 'Ada', arrivedIn(journal));
  assert.equal(question, 'How long is the warranty?\n\nOnly for kettles.\n\nGrace: And grinders?');
});
