import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import { NOTHING_RECALLED } from '../../agent/ports/memory.ts';
import type { MemoryOptions } from '../../memory/memory.ts';
import { createFakeEmbedder } from '../knowledge/setup.ts';
import { DAY_MS, direct, inChannel, openMemoryKit } from './memory-kit.ts';
import { turnOf } from './turns.ts';

const open = (t: TestContext, over: Partial<MemoryOptions> = {}) => {
  const kit = openMemoryKit(over);
  t.after(() => kit.close());
  return kit;
};
const ada = direct('slack:U1');
const texts = (memory: { observations: readonly { text: string }[] }) => memory.observations.map(({ text }) => text);

test('what a person says is recalled for the same person, with who said it, when and where', async (t) => {
  const { say, recall, clock } = open(t);
  await say(ada, 'We decided to use Postgres for the billing service.');
  const { observations } = await recall(
    { ...ada, scope: { ...ada.scope, conversationId: 'dm:later' } },
    'Which database does billing use?',
  );
  assert.deepEqual(
    observations.map(({ text, kind, speaker, role, source, observedAt }) => ({ text, kind, speaker, role, source, observedAt })),
    [
      {
        text: 'We decided to use Postgres for the billing service.',
        kind: 'decision',
        speaker: 'Name of slack:U1',
        role: 'user',
        source: 'direct message',
        observedAt: clock.now(),
      },
    ],
  );
});

test('a private memory stays out of channels, and what a channel heard stays out of other places', async (t) => {
  const { say, recall } = open(t);
  await say(ada, 'We decided to use Postgres for the billing service.');
  await say(inChannel('slack:U1', 'C1'), 'We decided to use Redis for the billing cache.');
  assert.deepEqual(texts(await recall(inChannel('slack:U1', 'C1', 't2'), 'What does billing use?')), [
    'We decided to use Redis for the billing cache.',
  ]);
  assert.deepEqual(texts(await recall(inChannel('slack:U1', 'C2'), 'What does billing use?')), []);
  assert.deepEqual(texts(await recall(ada, 'What does billing use?')), ['We decided to use Postgres for the billing service.']);
  assert.deepEqual(texts(await recall(direct('slack:U2'), 'What does billing use?')), []);
});

test('a private thread has an audience of its own', async (t) => {
  const { say, recall } = open(t);
  const spot = inChannel('slack:U1', 'C1', 'secret');
  const thread = { ...spot, place: { ...spot.place, isPrivateThread: true as const } };
  await say(thread, 'We decided to use Postgres for the billing service.');
  assert.deepEqual(texts(await recall(inChannel('slack:U1', 'C1'), 'What does billing use?')), []);
  assert.equal(texts(await recall(thread, 'What does billing use?')).length, 1);
});

test('a newer statement closes the one that it contradicts', async (t) => {
  const { say, recall, memories } = open(t);
  await say(ada, 'The deadline of the Orion project is 3 May 2026.');
  await say(ada, 'The deadline of the Orion project is 9 June 2026.');
  assert.deepEqual(texts(await recall(ada, 'When is the deadline of Orion?')), [
    'The deadline of the Orion project is 9 June 2026.',
  ]);
  const all = await memories.listObservations({ audiences: ['person:slack:U1'], labels: [] }, { withReplaced: true, limit: 9 });
  assert.deepEqual(
    all.map(({ text, validUntil, replacedBy }) => [text.includes('June'), validUntil === null, replacedBy === null]),
    [
      [true, true, true],
      [false, false, false],
    ],
  );
});

test('the same said again is kept once, and a turn is learnt from once', async (t) => {
  const { say, memory, memories } = open(t);
  const turn = await say(ada, 'We decided to use Postgres for the billing service.');
  await memory.learn(turn, ada);
  await say(ada, 'We decided to use Postgres for the billing service.');
  assert.equal((await memories.listObservations({ audiences: ['person:slack:U1'], labels: [] }, { limit: 9 })).length, 1);
});

test('what a document said is nobody’s word, and what the assistant promised is seen where its labels are held', async (t) => {
  const { say, recall } = open(t);
  await say(ada, 'What is the plan?', {
    answer: { text: 'We decided to use Postgres for the billing service [1].' },
    labels: ['everyone', 'board'],
  });
  await say(ada, 'Can you help with the billing report?', {
    answer: { text: 'I will send you the billing report by Friday, 5 June 2026.' },
    labels: ['everyone', 'board'],
  });
  assert.deepEqual(texts(await recall(ada, 'billing Postgres report', ['everyone'])), []);
  assert.deepEqual(texts(await recall(ada, 'billing Postgres report', ['everyone', 'board'])), [
    'I will send you the billing report by Friday, 5 June 2026.',
  ]);
});

test('a secret is not kept', async (t) => {
  const { say, memories } = open(t);
  await say(ada, 'Remember that the password of the billing database is hunter2-Zebra-99.');
  await say(ada, 'We decided to use the key sk-live-4242424242424242424242 for the billing service.');
  const all = await memories.listObservations({ audiences: ['person:slack:U1'], labels: [] }, { limit: 9 });
  assert.doesNotMatch(JSON.stringify(all), /hunter2|sk-live-42/);
  assert.doesNotMatch(JSON.stringify(await memories.listPins(['person:slack:U1'])), /hunter2/);
});

test('a wish for every answer becomes a pin: at once in private, on a yes in a channel', async (t) => {
  const { say, recall } = open(t);
  await say(ada, 'Always answer in German.');
  assert.deepEqual(
    (await recall(ada, 'anything')).pins.map(({ text }) => text),
    ['Always answer in German.'],
  );
  const channel = inChannel('slack:U1', 'C1');
  await say(channel, 'Always answer in French.');
  assert.deepEqual((await recall(channel, 'anything')).pins, []);
});

test('what stands in the window anyway is not recalled, and the rest keeps to its budget', async (t) => {
  const { say, memory, recall } = open(t, { recallTokens: 66 });
  const turn = await say(ada, 'We decided to use Postgres for the billing service.');
  const request = { ...ada, question: 'billing?', labels: ['everyone'], signal: new AbortController().signal };
  assert.deepEqual((await memory.recall({ ...request, history: [turn] })).observations, []);
  assert.equal((await memory.recall({ ...request, history: [] })).observations.length, 1);
  await say(ada, 'We decided to move the billing meeting to 9 o’clock on Tuesdays.');
  await say(ada, 'We decided to pay the billing contractor 40 euros an hour.');
  assert.equal((await recall(ada, 'billing')).observations.length, 2);
});

test('vectors are made in the background and find what words do not', async (t) => {
  const { say, recall, memories } = open(t, { embedder: createFakeEmbedder() });
  await say(ada, 'We decided that the holiday ends on 4 May 2026.');
  for (let tries = 0; (await memories.countUnembedded()).size > 0 && tries < 100; tries += 1) await new Promise(setImmediate);
  assert.deepEqual(texts(await recall(ada, 'vacation')), ['We decided that the holiday ends on 4 May 2026.']);
});

test('a failing store or embedder leaves an answer without memory, and a line in the log', async (t) => {
  const kit = open(t);
  await kit.say(ada, 'We decided to use Postgres for the billing service.');
  const request = { ...ada, question: 'billing?', labels: [], history: [], signal: new AbortController().signal };
  const fail = () => Promise.reject(new AppError('store_unavailable', 'down'));
  const down = kit.restart({ store: { ...kit.memories, listAccounts: fail } });
  assert.deepEqual(await down.recall(request), NOTHING_RECALLED);
  const half = kit.restart({ store: { ...kit.memories, listPins: fail } });
  assert.equal((await half.recall(request)).observations.length, 1);
  const deaf = kit.restart({ store: { ...kit.memories, learnTurn: fail } });
  await deaf.learn(await kit.answer(ada, 'We decided to use Redis for the billing cache.'), ada);
  assert.deepEqual(
    kit.logger.lines.filter(({ level }) => level === 'warn').map(({ event, fields }) => [event, fields['part']]),
    [
      ['memory_recall_failed', 'reader'],
      ['memory_recall_failed', 'pins'],
      ['turn_not_learnt', undefined],
    ],
  );
  const abort = new AbortController();
  abort.abort(new Error('stop'));
  await assert.rejects(kit.memory.recall({ ...request, signal: abort.signal }), /stop/);
});

test('a turn that a crash left unlearnt is learnt at the next start', async (t) => {
  const kit = open(t);
  await kit.answer(ada, 'We decided to use Postgres for the billing service.');
  assert.deepEqual(texts(await kit.recall(ada, 'billing?')), []);
  const next = kit.restart();
  next.start();
  await next.learn(await kit.answer(ada, 'Thanks!'), ada);
  for (let tries = 0; tries < 100 && texts(await kit.recall(ada, 'billing?')).length === 0; tries += 1)
    await new Promise(setImmediate);
  assert.equal(texts(await kit.recall(ada, 'billing?')).length, 1);
  await next.close();
  assert.equal(kit.clock.pending(), 0, 'a timer was left behind');
});

test('what a kind is kept for no longer is removed at the start and every day', async (t) => {
  const kit = open(t);
  await kit.say(ada, 'We decided to use Postgres for the billing service.');
  const retentionDays = {
    decision: 2,
    preference: 0,
    fact: 0,
    commitment: 0,
    correction: 0,
    opinion: 0,
    result: 0,
    pin: 0,
    summary: 0,
  };
  const next = kit.restart({ retentionDays });
  next.start();
  await kit.clock.advance(DAY_MS);
  assert.equal(texts(await kit.recall(ada, 'billing?')).length, 1);
  await kit.clock.advance(2 * DAY_MS);
  assert.equal(texts(await kit.recall(ada, 'billing?')).length, 0);
  await next.close();
});

test('pins and summaries are kept no longer than is set for them; a summary counts from what was said last', async (t) => {
  const kit = open(t);
  await kit.say(ada, 'Always answer in German.');
  const conversationId = ada.scope.conversationId;
  await kit.memories.putNote(conversationId, 'summary', { throughTurnId: 't', sentences: [] });
  const none = { decision: 0, preference: 0, fact: 0, commitment: 0, correction: 0, opinion: 0, result: 0 };
  const next = kit.restart({ retentionDays: { ...none, pin: 3, summary: 2 } });
  const held = async () => [
    (await kit.recall(ada, 'x')).pins.length,
    (await kit.memories.readNote(conversationId, 'summary')) === undefined ? 0 : 1,
  ];
  next.start();
  await kit.clock.advance(DAY_MS);
  await kit.say(ada, 'Where do we meet?');
  await kit.clock.advance(DAY_MS);
  assert.deepEqual(await held(), [1, 1]);
  await kit.clock.advance(2 * DAY_MS);
  assert.deepEqual(await held(), [0, 0]);
  await next.close();
});

test('linked accounts share what was said in private, until they part', async (t) => {
  const { say, recall, wish } = open(t);
  await say(ada, 'We decided to use Postgres for the billing service.');
  const there = direct('discord:7');
  assert.deepEqual(texts(await recall(there, 'billing?')), []);
  const code = /`memory link (\w+)`/.exec(await wish(ada, 'memory link'))?.[1];
  assert.match(await wish(there, `memory link ${code}`), /^Linked/);
  assert.equal(texts(await recall(there, 'billing?')).length, 1);
  assert.match(await wish(there, `memory link ${code}`), /do not know this code/);
  await wish(ada, 'memory unlink');
  assert.deepEqual(texts(await recall(there, 'billing?')), []);
});

test('an answer that knew nothing says that the statement was noted; one that knew says nothing of it', async (t) => {
  const { memory } = open(t);
  const spoken = turnOf('We decided to use Postgres for billing.', 'The knowledge base does not answer this.', { turnId: 'n1' });
  const unknown = { ...spoken, answer: { ...spoken.answer, answered: false } };
  assert.equal(await memory.announce(unknown, ada, 'en'), 'I have noted what you said. `memory list` shows it.');
  assert.equal(await memory.announce(spoken, ada, 'en'), '');
  const asked = { ...unknown, question: 'When does the fiscal year start?' };
  assert.equal(await memory.announce(asked, ada, 'en'), '');
});

test('a standing wish said in a channel waits for a yes, which the answer asks for under the id that takes it', async (t) => {
  const { memory, recall, wish } = open(t);
  const place = inChannel('slack:U1', 'C1');
  const wished = turnOf('Please always answer in German.', 'Gern.', { turnId: 'w1', userId: 'slack:U1' });
  const news = await memory.announce(wished, place, 'en');
  const id = /memory pin yes ([0-9a-f]+)/.exec(news)?.[1] ?? '';
  assert.match(news, /^Shall I keep this in mind for every answer here: “/);
  await memory.learn(wished, place);
  assert.equal((await recall(place, 'Hello?')).pins.length, 0);
  await wish(place, `memory pin yes ${id}`);
  assert.equal((await recall(place, 'Hello?')).pins.length, 1);
});

test('with a model what it picks out is kept in place of what the rules would', async (t) => {
  const quote = 'the blue one is for guests';
  const { say, recall } = open(t, {
    extract: async ({ text }) =>
      text.includes(quote)
        ? [{ kind: 'fact', text: 'The blue badge is for guests.', quote, significance: 0.9, explicit: false }]
        : [],
  });
  await say(ada, 'About badges: the blue one is for guests, as we decided in May 2026.');
  assert.deepEqual(
    texts(await recall({ ...ada, scope: { ...ada.scope, conversationId: 'dm:later' } }, 'Which badge for guests?')),
    ['The blue badge is for guests.'],
  );
});

test('where a model decides later what is kept, nothing is said to be noted', async (t) => {
  const { memory } = open(t, { extract: async () => [] });
  const spoken = turnOf('We decided to use Postgres for billing.', 'I do not know.', { turnId: 'n2' });
  assert.equal(await memory.announce({ ...spoken, answer: { ...spoken.answer, answered: false } }, ada, 'en'), '');
});
