import assert from 'node:assert/strict';
import test from 'node:test';
import { AppError } from '../../agent/errors.ts';
import { textsFor } from '../../agent/texts.ts';
import { messageOf, setUpGateway } from '../fakes/gateway-bench.ts';
import { answerOf } from '../fakes/scripted-agent.ts';

const en = textsFor('en');

test('a question is answered once, in its thread, in the message that held its place', async () => {
  const { gateway, channel, clock, ask, store } = setUpGateway();
  gateway.start();
  await ask('How long is the warranty?');
  await clock.advance(10);
  assert.deepEqual(
    channel.calls.map((call) => call.replace(/ \w+:0 /, ' ')),
    [`post ${en.placeholder}`, 'update answer to How long is the warranty?'],
  );
  assert.deepEqual(channel.textsIn('t1'), ['answer to How long is the warranty?']);
  assert.deepEqual(await store.countStates(), { waiting: 0, running: 0, answered: 0, done: 1 });
  await gateway.close();
  assert.equal(clock.pending(), 0, 'a timer was left behind');
});

test('accept resolves after the question is stored and before anything is done about it', async () => {
  const { gateway, channel, ask, store } = setUpGateway();
  const { outcome } = await ask('kept?');
  assert.equal(outcome, 'accepted');
  assert.equal((await store.countStates()).waiting, 1);
  assert.deepEqual(channel.calls, []);
  await gateway.close();
});

test('accept throws when the store cannot take the question', async () => {
  const { store: whole, restart, clock } = setUpGateway();
  const store = { ...whole, accept: () => Promise.reject(new AppError('store_full', 'the disk is full')) };
  await assert.rejects(restart({ store }).accept(messageOf(clock, 'kept?')), { code: 'store_full' });
});

test('the placeholder stands while a slow run works, and the run does not wait for a slow placeholder', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway();
  const platform = Promise.withResolvers<void>();
  const model = Promise.withResolvers<string>();
  channel.beforePost = () => platform.promise;
  agent.play = () => model.promise;
  gateway.start();
  await ask('slow?');
  await clock.advance(1);
  assert.equal(agent.runs.length, 1);
  assert.deepEqual(channel.textsIn('t1'), []);
  platform.resolve();
  await clock.advance(1);
  assert.deepEqual(channel.textsIn('t1'), [en.placeholder]);
  model.resolve('done');
  await clock.advance(1);
  assert.deepEqual(channel.textsIn('t1'), ['done']);
  await gateway.close();
});

test('an answer that is ready before the placeholder was sent is posted in its stead', async () => {
  const { channel, clock, store: whole, restart, ask } = setUpGateway();
  const marked = Promise.withResolvers<void>();
  let marks = 0;
  const store = {
    ...whole,
    markSending: async (...args: Parameters<typeof whole.markSending>) => {
      marks += 1;
      if (marks === 1) await marked.promise;
      return whole.markSending(...args);
    },
    finishTurn: async (...args: Parameters<typeof whole.finishTurn>) => {
      await whole.finishTurn(...args);
      clock.after(5, marked.resolve);
    },
  };
  const gateway = restart({ store });
  await ask('quick?');
  gateway.start();
  await clock.advance(20);
  assert.deepEqual(
    channel.calls.map((call) => call.replace(/ \w+:0 /, ' ')),
    ['post answer to quick?'],
  );
  await gateway.close();
});

test('a placeholder that cannot be posted does not hold up the answer', async () => {
  const { gateway, channel, clock, ask } = setUpGateway();
  channel.faults.post.push({ retryAfterMs: 15_000 });
  gateway.start();
  await ask('busy?');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), ['answer to busy?']);
  await gateway.close();
});

test('two questions of one conversation are answered one after the other, in order', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway();
  let running = 0;
  agent.play = async ({ question }) => {
    running += 1;
    assert.equal(running, 1);
    await clock.sleep(question === 'first?' ? 500 : 10);
    running -= 1;
    return `answer to ${question}`;
  };
  gateway.start();
  for (const question of ['first?', 'second?', 'third?']) await ask(question);
  await clock.advance(2_000);
  assert.deepEqual(channel.textsIn('t1'), ['answer to first?', 'answer to second?', 'answer to third?']);
  await gateway.close();
});

test('different conversations run side by side up to the number of workers, and the rest get their placeholder', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway({ workers: 2 });
  const hold = Promise.withResolvers<string>();
  agent.play = () => hold.promise;
  gateway.start();
  for (const thread of ['t1', 't2', 't3']) await ask(`in ${thread}`, { thread });
  await clock.advance(10);
  assert.deepEqual(
    agent.runs.map(({ question }) => question),
    ['in t1', 'in t2'],
  );
  assert.deepEqual(
    channel.messages.map(({ thread, text }) => [thread, text]),
    ['t1', 't2', 't3'].map((thread) => [thread, en.placeholder]),
  );
  hold.resolve('done');
  await clock.advance(10);
  assert.deepEqual(
    ['t1', 't2', 't3'].map((thread) => channel.textsIn(thread)),
    [['done'], ['done'], ['done']],
  );
  await gateway.close();
});

test('a repeated delivery is a duplicate and is not answered again', async () => {
  const { gateway, channel, clock, ask } = setUpGateway();
  gateway.start();
  const { message } = await ask('again?');
  assert.equal(await gateway.accept(message), 'duplicate');
  await clock.advance(10);
  assert.equal(await gateway.accept(message), 'duplicate');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), ['answer to again?']);
  await gateway.close();
});

test('a bot is refused without a word', async () => {
  const { gateway, channel, clock, ask, store } = setUpGateway();
  gateway.start();
  const { outcome } = await ask('beep?', { author: { id: 'B1', displayName: 'Bot', kind: 'bot' } });
  await clock.advance(10);
  assert.equal(outcome, 'refused');
  assert.deepEqual(channel.calls, []);
  assert.deepEqual(await store.countStates(), { waiting: 0, running: 0, answered: 0, done: 0 });
  await gateway.close();
});

test('a guest is told once in each place, then refused in silence', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway();
  gateway.start();
  const author = { id: 'slack:U9', displayName: 'Guest', kind: 'guest' } as const;
  const outcomes: string[] = [];
  for (const place of ['slack:C1', 'slack:C1', 'slack:C2']) {
    const { outcome } = await ask('may I?', { author, user: 'slack:U9', place: { kind: 'channel', id: place } });
    outcomes.push(outcome);
  }
  await clock.advance(10);
  assert.deepEqual(outcomes, ['accepted', 'refused', 'accepted']);
  assert.deepEqual(channel.textsIn('t1'), [en.guestsRefused, en.guestsRefused]);
  assert.equal(agent.runs.length, 0);
  await gateway.close();
});

test('what is said once is not lost when the store fails to take it', async () => {
  const { gateway, clock, channel, store, restart } = setUpGateway();
  await gateway.close();
  let isFull = true;
  const accept: typeof store.accept = (...args) =>
    isFull ? Promise.reject(new AppError('store_full', 'no space')) : store.accept(...args);
  const failing = restart({ store: { ...store, accept } });
  failing.start();
  const author = { id: 'slack:U9', displayName: 'Guest', kind: 'guest' } as const;
  const message = messageOf(clock, 'may I?', { author, user: 'slack:U9' });
  await assert.rejects(failing.accept(message), { code: 'store_full' });
  isFull = false;
  assert.equal(await failing.accept(message), 'accepted');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), [en.guestsRefused]);
  await failing.close();
});

test('the limit of questions a minute holds over a restart', async () => {
  const { gateway, clock, ask, restart } = setUpGateway({ people: { questionsPerMinute: 2 } });
  await ask('one?');
  await clock.advance(20_000);
  await ask('two?');
  await ask('three?');
  await gateway.close();
  await clock.advance(10_000);
  const next = restart();
  const { author, scope, place } = messageOf(clock, 'four?');
  assert.equal(await next.accept(messageOf(clock, 'four?')), 'accepted');
  assert.deepEqual(next.refusalFor({ author, scope, place }), {
    reason: 'rate_limited',
    waitSeconds: 30,
    questionsPerMinute: 2,
  });
  await clock.advance(30_000);
  assert.equal(next.refusalFor({ author, scope, place }), undefined);
  await next.close();
});

test('a person who asks too often is told how long to wait, and that answer does not lengthen the wait', async () => {
  const { gateway, channel, clock, ask } = setUpGateway({ people: { questionsPerMinute: 2 } });
  gateway.start();
  await ask('one?');
  await clock.advance(20_000);
  await ask('two?');
  await clock.advance(20_000);
  await ask('three?');
  await ask('four?', { user: 'slack:U2' });
  await clock.advance(20_000);
  await ask('five?');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), [
    'answer to one?',
    'answer to two?',
    en.rateLimited(20, 2),
    'answer to four?',
    'answer to five?',
  ]);
  await gateway.close();
});

test('of a flood no more questions are told how long to wait than may be asked, and of those each', async () => {
  const { gateway, channel, clock } = setUpGateway({ people: { questionsPerMinute: 3 } });
  gateway.start();
  const outcomes: string[] = [];
  for (let n = 0; n < 20; n += 1) {
    const message = messageOf(clock, `question ${n}`, { thread: `t${n}` });
    outcomes.push(await gateway.accept(message));
    // The same message is announced by two events.
    if (outcomes.at(-1) === 'accepted') assert.notEqual(await gateway.accept(message), 'accepted');
  }
  await clock.advance(10);
  assert.deepEqual([outcomes.slice(0, 6).every((it) => it === 'accepted'), outcomes.slice(6)], [true, Array(14).fill('refused')]);
  assert.equal(channel.messages.length, 6);
  assert.deepEqual(channel.textsIn('t5'), [en.rateLimited(60, 3)]);
  await clock.advance(60_000);
  assert.equal(await gateway.accept(messageOf(clock, 'again', { thread: 't9' })), 'accepted');
  await gateway.close();
});

test('a repeated delivery does not count toward the limit of questions', async () => {
  const { gateway, channel, clock, ask } = setUpGateway({ people: { questionsPerMinute: 2 } });
  gateway.start();
  const { message } = await ask('one?');
  for (let n = 0; n < 5; n += 1) await gateway.accept(message);
  await ask('two?');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), ['answer to one?', 'answer to two?']);
  await gateway.close();
});

test('what holds no question gets an answer that says so', async () => {
  const nothing = ['', '  \n', '🙂🙂', '1️⃣', ':tada: <:party:123>', '@Ada', '‮⁦ ​', '?!', '\ud800'];
  const { gateway, channel, agent, clock, ask } = setUpGateway();
  gateway.start();
  for (const text of nothing) await ask(text);
  await clock.advance(10);
  assert.deepEqual(
    channel.textsIn('t1'),
    nothing.map(() => en.emptyQuestion),
  );
  assert.equal(agent.runs.length, 0);
  await gateway.close();
});

test('control, direction and half characters are taken out before a question is stored', async () => {
  const { gateway, agent, clock, ask } = setUpGateway();
  gateway.start();
  await ask('How\u0000 lo\u202eng\ud800 is\r\nit? 👩‍👧 保修', {
    author: { id: 'slack:U1', displayName: ' A\u202eda\n\ud83d', kind: 'person' },
  });
  await clock.advance(10);
  assert.deepEqual(
    agent.runs.map(({ question, speaker }) => [question, speaker]),
    [['How long is\nit? 👩‍👧 保修', 'Ada']],
  );
  await gateway.close();
});

test('a question of 100,000 characters is answered with its length and is not stored whole', async () => {
  const { gateway, channel, agent, clock, ask, store } = setUpGateway();
  gateway.start();
  await ask('a'.repeat(20_000), { thread: 'longest' });
  const { message } = await ask('😀a'.repeat(50_000));
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), [en.questionTooLong(100_000, 20_000)]);
  assert.equal(agent.runs.length, 1);
  const [turn] = await store.listTurns(message.scope.conversationId);
  assert.ok(JSON.stringify(turn).length < 3_000);
  await gateway.close();
});

test('a Chinese question gets the fixed texts in Chinese', async () => {
  const { shut, gateway, channel, agent, clock, ask } = setUpGateway();
  agent.play = () => new Promise(() => undefined);
  gateway.start();
  await ask('保修期是多久？');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), [textsFor('zh').placeholder]);
  await shut();
});

test('a question edited while it waits is answered as it reads now; an edit alone starts nothing', async () => {
  const { gateway, channel, clock, ask } = setUpGateway();
  const { message } = await ask('old?');
  await gateway.editQuestion('slack', message.sourceMessageId ?? '', ' new\u0000? ');
  gateway.start();
  await clock.advance(10);
  await gateway.editQuestion('slack', message.sourceMessageId ?? '', 'newer?');
  await gateway.editQuestion('slack', 'unknown', 'who?');
  await clock.advance(10_000);
  assert.deepEqual(channel.textsIn('t1'), ['answer to new?']);
  await gateway.close();
});

test('a question that was too long and is shortened while it waits is answered; a refused one stays refused', async () => {
  const { gateway, channel, clock, ask } = setUpGateway();
  const long = await ask('x'.repeat(30_000));
  const guest = await ask('may I?', { thread: 't2', author: { id: 'slack:U7', displayName: 'Guest', kind: 'guest' } });
  for (const { message } of [long, guest]) await gateway.editQuestion('slack', message.sourceMessageId ?? '', 'How long?');
  gateway.start();
  await clock.advance(10);
  assert.deepEqual([channel.textsIn('t1'), channel.textsIn('t2')], [['answer to How long?'], [en.guestsRefused]]);
  await gateway.close();
});

test('a question deleted while it waits is dropped without a word', async () => {
  const { gateway, channel, agent, clock, ask, store } = setUpGateway();
  const { message } = await ask('gone?');
  await ask('still here?');
  await gateway.deleteQuestion('slack', message.sourceMessageId ?? '');
  gateway.start();
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), ['answer to still here?']);
  assert.equal(agent.runs.length, 1);
  assert.equal((await store.countStates()).done, 2);
  await gateway.close();
});

test('a question deleted while its run works stops the run, and its placeholder says so', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway();
  agent.play = () => new Promise(() => undefined);
  gateway.start();
  const { message } = await ask('gone?');
  await clock.advance(10);
  await gateway.deleteQuestion('slack', message.sourceMessageId ?? '');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), [en.cancelled]);
  await gateway.close();
});

test('cancel stops the run of its conversation alone and tells whether there was one', async () => {
  const { shut, gateway, channel, agent, clock, ask } = setUpGateway();
  agent.play = () => new Promise(() => undefined);
  gateway.start();
  const { message } = await ask('stop me', { thread: 't1' });
  await ask('go on', { thread: 't2' });
  await clock.advance(10);
  assert.equal(await gateway.cancel({ ...message.scope, conversationId: 'slack:T1:C1:t9' }), false);
  assert.equal(await gateway.cancel(message.scope), true);
  await clock.advance(10);
  assert.equal(await gateway.cancel(message.scope), false);
  assert.deepEqual([channel.textsIn('t1'), channel.textsIn('t2')], [[en.cancelled], [en.placeholder]]);
  await shut();
});

test('in a shared thread a run is stopped by its asker, an admin or an owner, and by nobody else', async () => {
  const { shut, gateway, channel, agent, clock, ask } = setUpGateway({ people: { admins: ['slack:U8'], owners: ['slack:U9'] } });
  agent.play = () => new Promise(() => undefined);
  gateway.start();
  for (const [thread, by] of [
    ['t1', 'slack:U1'],
    ['t2', 'slack:U8'],
    ['t3', 'slack:U9'],
  ] as const) {
    const { message } = await ask('long?', { thread });
    await ask('waits?', { thread, user: 'slack:U2' });
    await clock.advance(10);
    assert.equal(await gateway.cancel({ ...message.scope, userId: 'slack:U2' }), false);
    await clock.advance(10);
    assert.deepEqual(channel.textsIn(thread), [en.placeholder]);
    assert.equal(await gateway.cancel({ ...message.scope, userId: by }), true);
    await clock.advance(10);
    assert.equal(channel.textsIn(thread)[0], en.cancelled);
  }
  await shut();
});

test('a run that does not heed its cancellation is left alone', async () => {
  const { channel, clock, ask, restart } = setUpGateway();
  const gateway = restart({ agent: { run: () => new Promise(() => undefined) } });
  const { message } = await ask('stop me');
  gateway.start();
  await clock.advance(10);
  await gateway.cancel(message.scope);
  await clock.advance(2_000);
  assert.deepEqual(channel.textsIn('t1'), [en.cancelled]);
  await gateway.close();
});

test('a conversation is subscribed from its first accepted question on', async () => {
  const { gateway, ask } = setUpGateway();
  assert.equal(await gateway.isSubscribed('slack:T1:C1:t1'), false);
  await ask('here?');
  assert.equal(await gateway.isSubscribed('slack:T1:C1:t1'), true);
  await gateway.close();
});

test('feedback is stored with its reason made clean', async () => {
  const { gateway, ask, store, clock } = setUpGateway();
  gateway.start();
  await ask('good?');
  await clock.advance(10);
  const [turn] = await store.listTurns('slack:T1:C1:t1');
  const turnId = turn?.turnId ?? '';
  await gateway.recordFeedback({ turnId, userId: 'slack:U1', verdict: 'down', reason: ` out\u202e of date${'!'.repeat(5_000)}` });
  const [feedback] = await store.listFeedback(turnId);
  assert.equal(feedback?.reason.length, 2_000);
  assert.ok(feedback?.reason.startsWith('out of date!'));
  await gateway.close();
});

test('a follow-up run is given the answered turns before it, and none of the refusals', async () => {
  const { gateway, agent, clock, ask } = setUpGateway();
  gateway.start();
  for (const text of ['first?', '🙂', 'second?']) await ask(text);
  await clock.advance(10);
  assert.deepEqual(
    agent.runs.map(({ history }) => history.map(({ question }) => question)),
    [[], ['first?']],
  );
  await gateway.close();
});

test('while a run works its state is shown, then its text, and nothing after the answer', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway();
  agent.play = async ({ turnId, onEvent }) => {
    const base = { turnId, at: 0, step: 1 };
    await clock.sleep(1_000);
    onEvent?.({ ...base, type: 'tool_started', callId: 'call_1', name: 'search_knowledge' });
    await clock.sleep(1_000);
    onEvent?.({ ...base, type: 'tool_started', callId: 'call_2', name: 'calculator' });
    await clock.sleep(1_000);
    onEvent?.({ ...base, type: 'step_started', step: 2 });
    await clock.sleep(1_000);
    for (const delta of ['Two ', 'years ', 'for @all']) onEvent?.({ ...base, type: 'text_delta', delta });
    await clock.sleep(1_000);
    onEvent?.({ ...base, type: 'text_delta', delta: ' and more' });
    onEvent?.({ ...base, type: 'text_delta', delta: ' that came too late to be shown' });
    return 'Two years.';
  };
  gateway.start();
  await ask('how long?');
  await clock.advance(10_000);
  assert.deepEqual(
    channel.calls.map((call) => call.replace(/ \w+:0 /, ' ')),
    [
      `post ${en.placeholder}`,
      `progress ${en.searching}`,
      `progress ${en.calculating}`,
      `progress ${en.writing}`,
      'progress Two ',
      'progress Two years for @all',
      'progress Two years for @all and more',
      'update Two years.',
    ],
  );
  await gateway.close();
});

test('an answer that is quicker than the placeholder comes alone, a slower one replaces it', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway({ placeholderDelayMs: 250 });
  let workMs = 200;
  agent.play = async () => {
    await clock.sleep(workMs);
    return `Two years, after ${workMs} ms.`;
  };
  gateway.start();
  await ask('how long?');
  await clock.advance(1_000);
  workMs = 300;
  await ask('and now?');
  await clock.advance(1_000);
  assert.deepEqual(
    channel.calls.map((call) => call.replace(/ \w+:0 /, ' ')),
    ['post Two years, after 200 ms.', `post ${en.placeholder}`, 'update Two years, after 300 ms.'],
  );
  await gateway.close();
});

test('a question that waits for its run gets its placeholder at once', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway({ placeholderDelayMs: 250, workers: 1 });
  agent.play = async () => {
    await clock.sleep(1_000);
    return 'done';
  };
  gateway.start();
  await ask('first?', { thread: 't1' });
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), []);
  await ask('second?', { thread: 't2' });
  await clock.advance(10);
  assert.deepEqual([channel.textsIn('t1'), channel.textsIn('t2')], [[], [en.placeholder]]);
  await clock.advance(5_000);
  assert.deepEqual([channel.textsIn('t1'), channel.textsIn('t2')], [['done'], ['done']]);
  await gateway.close();
});

test('what a question would be refused with is told without counting it', async () => {
  const { gateway, clock, ask } = setUpGateway({ people: { questionsPerMinute: 1 } });
  const { author, scope, place } = messageOf(clock, 'how long?');
  assert.deepEqual(gateway.refusalFor({ author: { ...author, kind: 'guest' }, scope, place }), { reason: 'members_only' });
  assert.deepEqual(gateway.refusalFor({ author: { ...author, kind: 'bot' }, scope, place }), { reason: 'not_allowed' });
  for (let look = 0; look < 3; look += 1) assert.equal(gateway.refusalFor({ author, scope, place }), undefined);
  await ask('how long?');
  await clock.advance(20_000);
  const refusal = { reason: 'rate_limited', waitSeconds: 40, questionsPerMinute: 1 };
  for (let look = 0; look < 3; look += 1) assert.deepEqual(gateway.refusalFor({ author, scope, place }), refusal);
  await clock.advance(40_000);
  assert.equal(gateway.refusalFor({ author, scope, place }), undefined);
  await gateway.close();
});

test('the journal of a run holds its own entries and none of the gateway', async () => {
  const { gateway, agent, clock, ask } = setUpGateway();
  agent.play = async ({ journal }) => {
    await journal.write({ key: 'model:1', value: 'x' });
    return JSON.stringify(await journal.read());
  };
  gateway.start();
  await ask('what?');
  await clock.advance(10);
  assert.deepEqual((await agent.runs[0]?.journal.read()) ?? [], [], 'the journal is dropped with the turn');
  await gateway.close();
});

test('a lease is kept alive through a run that lasts longer than it', async () => {
  const { gateway, channel, agent, clock, ask, restart } = setUpGateway();
  agent.play = async () => {
    await clock.sleep(300_000);
    return 'at last';
  };
  const other = restart();
  gateway.start();
  other.start();
  await ask('long?');
  await clock.advance(301_000);
  assert.deepEqual(channel.textsIn('t1'), ['at last']);
  assert.equal(agent.runs.length, 1);
  await Promise.all([gateway.close(), other.close()]);
});

test('an idle gateway keeps no timer and asks nothing', async () => {
  const { gateway, clock, store } = setUpGateway();
  gateway.start();
  await clock.advance(60_000);
  assert.equal(clock.pending(), 0);
  assert.equal(await store.nextDueAt(clock.now()), undefined);
  await gateway.close();
});

test('a store that fails to hand out work is asked again, and nothing is lost', async () => {
  const { store: whole, restart, ask, clock, channel, logger } = setUpGateway();
  let failures = 3;
  const claim: typeof whole.claim = (...args) => {
    failures -= 1;
    return failures >= 0 ? Promise.reject(new AppError('store_unavailable', 'gone')) : whole.claim(...args);
  };
  const gateway = restart({ store: { ...whole, claim } });
  await ask('still there?');
  gateway.start();
  await clock.advance(5_000);
  assert.deepEqual(channel.textsIn('t1'), ['answer to still there?']);
  assert.ok(logger.lines.some(({ event }) => event === 'claim_failed'));
  await gateway.close();
});

test('a run that throws is tried again from its journal, and after three such runs the person is told', async () => {
  const { gateway, channel, agent, clock, ask, logger } = setUpGateway();
  agent.play = () => Promise.reject(new TypeError('a defect'));
  gateway.start();
  await ask('poison?');
  await ask('neighbour?', { thread: 't2' });
  await clock.advance(60_000);
  assert.deepEqual(channel.textsIn('t1'), [en.failed]);
  assert.equal(agent.runs.filter(({ question }) => question === 'poison?').length, 3);
  assert.ok(logger.lines.some(({ event }) => event === 'turn_given_up'));
  await gateway.close();
});

test('a run that ends because the store was out of reach does not count as one that killed the process', async () => {
  const { store: whole, restart, channel, agent, clock, ask } = setUpGateway();
  let failures = 5;
  const writeJournal: typeof whole.writeJournal = (lease, turnId, entry) => {
    if (entry.key !== 'model:1' || failures === 0) return whole.writeJournal(lease, turnId, entry);
    failures -= 1;
    return Promise.reject(new AppError('store_full', 'the disk is full'));
  };
  agent.play = async ({ journal }) => {
    await journal.write({ key: 'model:1', value: 'kept' });
    return 'two years';
  };
  const gateway = restart({ store: { ...whole, writeJournal } });
  await ask('How long?');
  gateway.start();
  await clock.advance(120_000);
  assert.deepEqual(channel.textsIn('t1'), ['two years']);
  await gateway.close();
});

test('a turn that waits for its platform is not forgotten when the system clock is set back', async () => {
  const { gateway, channel, clock, ask } = setUpGateway();
  channel.faults.post.push(...Array.from({ length: 4 }, () => ({ retryAfterMs: 30_000 })));
  gateway.start();
  await ask('still there?');
  await clock.advance(1_000);
  clock.jump(-24 * 3_600_000);
  await clock.advance(10 * 60_000);
  assert.deepEqual(channel.textsIn('t1'), ['answer to still there?']);
  await gateway.close();
});

test('a thread in which somebody was only refused is none where the assistant takes part', async () => {
  const { gateway, channel, clock, ask } = setUpGateway();
  gateway.start();
  const { message } = await ask('may I?', { author: { id: 'slack:U7', displayName: 'Guest', kind: 'guest' }, user: 'slack:U7' });
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), [en.guestsRefused]);
  assert.equal(await gateway.isSubscribed(message.scope.conversationId), false);
  await ask('and I?');
  assert.equal(await gateway.isSubscribed(message.scope.conversationId), true);
  await gateway.close();
});

test('no text of a question or an answer is logged', async () => {
  const { gateway, agent, clock, ask, logger, channel } = setUpGateway();
  agent.play = () => Promise.resolve(answerOf('classified answer'));
  channel.faults.update.push('bug', 'lost', 'rejected', 'rejected');
  gateway.start();
  await ask('classified question');
  await clock.advance(120_000);
  assert.ok(logger.lines.length > 0);
  assert.doesNotMatch(JSON.stringify(logger.lines), /classified/);
  await gateway.close();
});
