import assert from 'node:assert/strict';
import test from 'node:test';
import { textsFor } from '../../agent/texts.ts';
import { setUpGateway } from '../fakes/gateway-bench.ts';

const en = textsFor('en');
const LONG = `${'one '.repeat(250)}${'two '.repeat(250)}three`;
const PARTS = ['one '.repeat(250), 'two '.repeat(250), 'three'];

const kindsOf = (calls: readonly string[]) => calls.map((call) => call.replace(/^(\w+) \w+:(\d+).*$/s, '$1 $2'));

test('a question that waits is told so in a message of its own, which becomes its answer after that of the one before', async () => {
  const { gateway, clock, channel, agent, ask } = setUpGateway();
  gateway.start();
  agent.play = async ({ question }) => {
    await clock.sleep(1_000);
    return question === 'first?' ? LONG : 'short';
  };
  await ask('first?');
  await ask('second?');
  await clock.advance(100);
  assert.deepEqual(channel.textsIn('t1'), [en.placeholder]);
  await clock.advance(100);
  assert.deepEqual(channel.textsIn('t1'), [en.placeholder, en.queued]);
  await clock.advance(1_000);
  assert.deepEqual(channel.textsIn('t1'), [PARTS[0], en.placeholder, ...PARTS.slice(1)]);
  await clock.advance(1_000);
  assert.deepEqual(channel.textsIn('t1'), [PARTS[0], 'short', ...PARTS.slice(1)]);
  assert.equal(channel.calls.filter((call) => call.startsWith('post')).length, PARTS.length + 1);
  await gateway.close();
});

test('who waits for less than the delay gets the answer alone', async () => {
  const { gateway, clock, channel, agent, ask } = setUpGateway({ placeholderDelayMs: 150 });
  gateway.start();
  agent.play = async ({ question }) => {
    await clock.sleep(100);
    return `answer to ${question}`;
  };
  await ask('first?');
  await ask('second?');
  await clock.advance(1_000);
  assert.deepEqual(
    channel.calls.map((call) => call.replace(/ \w+:0 /, ' ')),
    ['post answer to first?', 'post answer to second?'],
  );
  await gateway.close();
});

test('a refusal is told while the question waits, and stands as it was told', async () => {
  const { gateway, clock, channel, agent, ask } = setUpGateway({ people: { questionsPerMinute: 1 } });
  gateway.start();
  agent.play = async () => {
    await clock.sleep(1_000);
    return 'done';
  };
  await ask('first?');
  await ask('second?');
  await clock.advance(500);
  const refused = en.rateLimited(60, 1);
  assert.deepEqual(channel.textsIn('t1'), [en.placeholder, refused]);
  await clock.advance(1_000);
  assert.deepEqual(channel.textsIn('t1'), ['done', refused]);
  await gateway.close();
});

test('a message to somebody who waits that is on its way at the end of the turn before is not sent again', async () => {
  const { gateway, clock, channel, agent, ask } = setUpGateway();
  gateway.start();
  agent.play = async () => {
    await clock.sleep(1_000);
    return 'done';
  };
  await ask('first?');
  await clock.advance(800);
  channel.beforePost = () => clock.sleep(2_000);
  await ask('second?');
  await clock.advance(10_000);
  assert.deepEqual(channel.textsIn('t1'), ['done', 'done']);
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'post 0', 'update 0', 'progress 0', 'update 0']);
  await gateway.close();
});

test('a platform that is busy when somebody waits is asked again when the turn comes, and nothing is looked up', async () => {
  const { gateway, clock, channel, agent, ask } = setUpGateway();
  gateway.start();
  agent.play = async () => {
    await clock.sleep(1_000);
    return 'done';
  };
  await ask('first?');
  await clock.advance(100);
  channel.faults.post.push({ retryAfterMs: 3_000 });
  await ask('second?');
  await clock.advance(2_500);
  assert.deepEqual(channel.textsIn('t1'), ['done', 'done']);
  assert.deepEqual(kindsOf(channel.calls), ['post 0', 'post 0', 'update 0', 'post 0', 'update 0']);
  await gateway.close();
});

test('a question deleted while it waits, after that was told, says so when its turn comes', async () => {
  const { gateway, clock, channel, agent, ask } = setUpGateway();
  gateway.start();
  agent.play = async () => {
    await clock.sleep(1_000);
    return 'done';
  };
  await ask('first?');
  const { message } = await ask('second?');
  await clock.advance(500);
  await gateway.deleteQuestion('slack', message.sourceMessageId ?? '');
  await clock.advance(1_000);
  assert.deepEqual(channel.textsIn('t1'), ['done', en.cancelled]);
  assert.equal(agent.runs.length, 1);
  await gateway.close();
});
