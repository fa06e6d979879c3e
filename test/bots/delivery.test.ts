import assert from 'node:assert/strict';
import test from 'node:test';
import { textsFor } from '../../agent/texts.ts';
import { createFakeChannel, type Fault } from '../fakes/fake-channel.ts';
import { setUpGateway } from '../fakes/gateway-bench.ts';

const en = textsFor('en');
const LONG = `${'one '.repeat(250)}${'two '.repeat(250)}three`;
const PARTS = ['one '.repeat(250), 'two '.repeat(250), 'three'];

const kindsOf = (calls: readonly string[]) => calls.map((call) => call.replace(/^(\w+) \w+:(\d+).*$/s, '$1 $2'));

test('an answer of several messages stands in order, feedback under the last', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway();
  agent.play = () => Promise.resolve(LONG);
  gateway.start();
  await ask('long?');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), PARTS);
  assert.deepEqual(
    channel.messages.map(({ withFeedback }) => withFeedback),
    [false, false, true],
  );
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'update 0', 'post 1', 'post 2']);
  await gateway.close();
});

test('a send whose reply was lost is looked up after the grace, and not repeated', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway();
  agent.play = () => Promise.resolve(LONG);
  channel.faults.post.push('pass', 'reply_lost');
  gateway.start();
  await ask('long?');
  await clock.advance(9_000);
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'update 0', 'post 1']);
  await clock.advance(2_000);
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'update 0', 'post 1', 'find 1', 'post 2']);
  assert.deepEqual(channel.textsIn('t1'), PARTS);
  await gateway.close();
});

test('a placeholder whose reply was lost becomes the answer all the same', async () => {
  const { gateway, channel, clock, ask } = setUpGateway();
  channel.faults.post.push('reply_lost');
  gateway.start();
  await ask('there?');
  await clock.advance(11_000);
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'find 0', 'update 0']);
  assert.deepEqual(channel.textsIn('t1'), ['answer to there?']);
  await gateway.close();
});

test('a send that never arrived is repeated under the same key', async () => {
  const { gateway, channel, clock, ask } = setUpGateway();
  channel.faults.post.push('lost');
  gateway.start();
  await ask('there?');
  await clock.advance(11_000);
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'find 0', 'post 0']);
  assert.equal(new Set(channel.calls.map((call) => call.split(' ')[1])).size, 1);
  assert.deepEqual(channel.textsIn('t1'), ['answer to there?']);
  await gateway.close();
});

test('a platform that names a time is not asked before it, and was not asked in vain: nothing is looked up', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway();
  agent.play = () => Promise.resolve(LONG);
  channel.faults.post.push('pass', { retryAfterMs: 7_000 });
  gateway.start();
  await ask('busy?');
  await clock.advance(6_999);
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'update 0', 'post 1']);
  await clock.advance(1);
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'update 0', 'post 1', 'post 1', 'post 2']);
  await gateway.close();
});

test('an absurd time named by a platform is cut to five minutes, and one that is none is none', async () => {
  const { gateway, channel, clock, ask } = setUpGateway();
  channel.faults.update.push({ retryAfterMs: 1e12 }, { retryAfterMs: -1 }, { retryAfterMs: Number.NaN });
  gateway.start();
  await ask('absurd?');
  await clock.advance(299_000);
  assert.deepEqual(channel.textsIn('t1'), [en.placeholder]);
  await clock.advance(5_000);
  assert.deepEqual(channel.textsIn('t1'), ['answer to absurd?']);
  await gateway.close();
});

test('a platform that is away for an hour gets the answer when it is back, without the run being repeated', async () => {
  const { gateway, channel, agent, clock, ask } = setUpGateway();
  gateway.start();
  agent.play = async () => {
    await clock.sleep(1_000);
    channel.faults.update.push(...Array.from<Fault>({ length: 100_000 }).fill('lost'));
    return 'patient answer';
  };
  await ask('away?');
  await clock.advance(3_600_000);
  const tries = channel.calls.length;
  assert.ok(tries > 20 && tries < 120, `${tries} calls in an hour`);
  channel.faults.update.length = 0;
  await clock.advance(301_000);
  assert.deepEqual(channel.textsIn('t1'), ['patient answer']);
  assert.equal(agent.runs.length, 1);
  await gateway.close();
});

test('an answer that must wait gives its place free, and holds up no other conversation', async () => {
  const { gateway, channel, clock, ask } = setUpGateway({ workers: 1 });
  gateway.start();
  channel.faults.update.push({ retryAfterMs: 60_000 });
  await ask('first?', { thread: 't1' });
  await clock.advance(10);
  await ask('second?', { thread: 't2' });
  await clock.advance(10);
  assert.deepEqual([channel.textsIn('t1'), channel.textsIn('t2')], [[en.placeholder], ['answer to second?']]);
  await clock.advance(60_000);
  assert.deepEqual(channel.textsIn('t1'), ['answer to first?']);
  await gateway.close();
});

test('a refused answer is tried once as short plain text without buttons', async () => {
  const { gateway, channel, clock, ask } = setUpGateway();
  channel.faults.update.push('rejected');
  gateway.start();
  await ask('fancy?');
  await clock.advance(10);
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'update 0', 'update 0']);
  assert.deepEqual(channel.textsIn('t1'), ['answer to fancy?']);
  assert.equal(channel.messages[0]?.withFeedback, false);
  assert.equal(gateway.counts().delivered, 1);
  await gateway.close();
});

test('an answer that is refused as plain text too is given up, counted and logged, and the conversation goes on', async () => {
  const { gateway, channel, clock, ask, logger, store } = setUpGateway();
  channel.faults.update.push('rejected', 'rejected');
  gateway.start();
  await ask('refused?');
  await ask('next?');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), [en.placeholder, 'answer to next?']);
  assert.deepEqual([gateway.counts().rejected, gateway.counts().delivered], [1, 1]);
  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'error').map(({ event }) => event),
    ['answer_rejected'],
  );
  assert.equal((await store.countStates()).done, 2);
  await gateway.close();
});

test('a message that a dead process left on its way is waited for before it is looked up', async () => {
  const { clock, store, channel, ask, restart } = setUpGateway();
  const { message } = await ask('resumed?');
  // The process before began to post the placeholder and died; the message lands nine seconds later.
  const claim = await store.claim('dead', clock.now(), 1, ['slack']);
  assert.ok(claim);
  await store.markSending(claim.lease, claim.turnId, 0, clock.now());
  clock.after(
    9_000,
    () => void channel.post(message.address, { text: en.placeholder, withFeedback: false }, `${claim.turnId}:0`),
  );
  await clock.advance(1);
  const gateway = restart();
  gateway.start();
  await clock.advance(20_000);
  assert.deepEqual(channel.textsIn('t1'), ['answer to resumed?']);
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'find 0', 'update 0']);
  await gateway.close();
});

test('a system clock that was put back does not lengthen the wait before a look', async () => {
  const { clock, store, channel, ask, restart } = setUpGateway();
  await ask('resumed?');
  const claim = await store.claim('dead', clock.now() - 10, 1, ['slack']);
  assert.ok(claim);
  await store.markSending(claim.lease, claim.turnId, 0, clock.now() + 86_400_000);
  const gateway = restart();
  gateway.start();
  await clock.advance(10_100);
  assert.deepEqual(channel.textsIn('t1'), ['answer to resumed?']);
  await gateway.close();
});

test('a stored answer is delivered after a restart without a run', async () => {
  const { gateway, clock, channel, agent, ask, restart } = setUpGateway();
  gateway.start();
  channel.faults.update.push(...Array.from<Fault>({ length: 4 }).fill('lost'));
  await ask('kept?');
  await clock.advance(1);
  await gateway.close();
  const next = restart();
  next.start();
  await clock.advance(20_000);
  assert.deepEqual(channel.textsIn('t1'), ['answer to kept?']);
  assert.equal(agent.runs.length, 1);
  await next.close();
});

test('an answer whose readers lost a label meanwhile is withheld, and so are its later parts', async () => {
  const channel = createFakeChannel();
  let labels = ['everyone', 'finance'];
  const { gateway, clock, agent, ask } = setUpGateway({
    channels: new Map([['slack', channel] as const]),
    access: {
      questionsPerMinute: 100,
      hasAdmins: false,
      decide: () => ({ kind: 'allowed' }),
      labelsFor: () => labels,
      roleOf: () => 'user',
    },
  });
  gateway.start();
  agent.play = async () => {
    await clock.sleep(1_000);
    return LONG;
  };
  await ask('salaries?');
  await clock.advance(500);
  labels = ['everyone'];
  await clock.advance(1_000);
  assert.deepEqual(channel.textsIn('t1'), [en.notAllowed]);
  await gateway.close();
});

test('an answer found under a label that its readers lost does not come back by way of the history', async () => {
  let labels = ['everyone', 'finance'];
  const { gateway, clock, agent, ask } = setUpGateway({
    access: {
      questionsPerMinute: 100,
      hasAdmins: false,
      decide: () => ({ kind: 'allowed' }),
      labelsFor: () => labels,
      roleOf: () => 'user',
    },
  });
  gateway.start();
  await ask('salaries?');
  await clock.advance(10);
  labels = ['everyone'];
  await ask('holidays?');
  await clock.advance(10);
  await ask('and then?');
  await clock.advance(10);
  assert.deepEqual(
    agent.runs.map(({ history }) => history.map(({ question }) => question)),
    [[], [], ['holidays?']],
  );
  await gateway.close();
});

test('a citation that its readers may not read withholds the answer', async () => {
  const { gateway, channel, clock, agent, ask } = setUpGateway();
  gateway.start();
  agent.play = () =>
    Promise.resolve({
      text: 'The salary is 5 [1].',
      citations: [
        {
          n: 1,
          title: 'Pay',
          source: 'pay.md',
          quote: '5',
          chunkId: 'c',
          headingPath: [],
          location: '',
          date: null,
          label: 'finance',
        },
      ],
      answered: true,
      stopReason: 'answered' as const,
      allowedLinks: [],
      fallback: false,
    });
  await ask('salaries?');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), [en.notAllowed]);
  await gateway.close();
});

test('a stored answer is checked once more when it is delivered after a restart', async () => {
  const { gateway, clock, channel, ask, restart } = setUpGateway({
    audiences: { finance: { people: [], places: ['slack:C1'] } },
  });
  gateway.start();
  channel.faults.update.push(...Array.from<Fault>({ length: 4 }).fill('lost'));
  await ask('salaries?');
  await clock.advance(1);
  await gateway.close();
  const next = restart({
    access: {
      questionsPerMinute: 100,
      hasAdmins: false,
      decide: () => ({ kind: 'allowed' }),
      labelsFor: () => ['everyone'],
      roleOf: () => 'user',
    },
  });
  next.start();
  await clock.advance(20_000);
  assert.deepEqual(channel.textsIn('t1'), [en.notAllowed]);
  await next.close();
});

test('drain lets runs finish within its time and takes up nothing new', async () => {
  const { gateway, clock, channel, agent, ask, store } = setUpGateway();
  gateway.start();
  agent.play = async ({ question }) => {
    await clock.sleep(5_000);
    return `answer to ${question}`;
  };
  await ask('under way?');
  await clock.advance(10);
  const drained = gateway.drain(25_000);
  await ask('too late?', { thread: 't2' });
  await clock.advance(5_000);
  await drained;
  assert.deepEqual([channel.textsIn('t1'), channel.textsIn('t2')], [['answer to under way?'], []]);
  assert.deepEqual(await store.countStates(), { waiting: 1, running: 0, answered: 0, done: 1 });
  assert.equal(clock.pending(), 0);
});

test('drain under load parks what does not finish, and the restart answers all of it once', async () => {
  const { gateway, clock, channel, agent, ask, restart } = setUpGateway({ workers: 4 });
  gateway.start();
  let slow = true;
  agent.play = async ({ question, signal }) => {
    if (slow) await clock.sleep(60_000, signal);
    return `answer to ${question}`;
  };
  const threads = Array.from({ length: 20 }, (_, n) => `t${n}`);
  for (const thread of threads) await ask(`in ${thread}?`, { thread });
  await clock.advance(100);
  const drained = gateway.drain(1_000);
  await clock.advance(1_000);
  await drained;
  slow = false;
  const next = restart();
  next.start();
  await clock.advance(10);
  for (const thread of threads) assert.deepEqual(channel.textsIn(thread), [`answer to in ${thread}?`]);
  await next.close();
  assert.equal(clock.pending(), 0);
});

test('a turn that was parked by one restart after another is not taken for a poisoned one', async () => {
  const { clock, channel, agent, ask, restart, gateway } = setUpGateway();
  agent.play = async ({ question, signal }) => {
    if (agent.runs.length < 6) await clock.sleep(60_000, signal);
    return `answer to ${question}`;
  };
  await ask('unlucky?');
  for (let n = 0; n < 6; n += 1) {
    const life = restart();
    life.start();
    await clock.advance(10);
    await life.close();
  }
  assert.deepEqual(channel.textsIn('t1'), ['answer to unlucky?']);
  await gateway.close();
});

test('repeats of many deliveries in any order are answered once each, in order of their first arrival', async () => {
  const { gateway, clock, channel, ask } = setUpGateway();
  gateway.start();
  const messages = [];
  for (let n = 0; n < 20; n += 1) messages.push((await ask(`question ${n}?`, { thread: `t${n % 4}` })).message);
  const repeats = messages.flatMap((message) => [message, message, message, message]);
  for (const [index] of repeats.entries()) {
    const repeat = repeats[(index * 37) % repeats.length];
    assert.ok(repeat);
    assert.equal(await gateway.accept(repeat), 'duplicate');
    if (index % 10 === 0) await clock.advance(1);
  }
  await clock.advance(100);
  for (let thread = 0; thread < 4; thread += 1) {
    assert.deepEqual(
      channel.textsIn(`t${thread}`),
      [0, 1, 2, 3, 4].map((n) => `answer to question ${n * 4 + thread}?`),
    );
  }
  await gateway.close();
});
