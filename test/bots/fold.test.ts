import assert from 'node:assert/strict';
import test from 'node:test';
import type { InboundMessage, Turn } from '../../agent/conversation.ts';
import { textsFor } from '../../agent/texts.ts';
import { isAddition, pickFolded } from '../../bots/fold.ts';
import { createFakeClock } from '../fake-clock.ts';
import { messageOf, setUpGateway } from '../fakes/gateway-bench.ts';

const en = textsFor('en');

test('what makes sense with the question before it alone is an addition', () => {
  for (const text of [
    'also for Berlin',
    'Also for Berlin, please.',
    'and for dealers',
    'I meant 2025',
    'sorry, I meant 2025?',
    'Oops, typo: 2025',
    '*Berlin',
    'no, not the red one',
    'only the kettles',
    'in 2024',
    'without VAT',
    '另外，北京的也要',
    '还有经销商的',
    '我是说2025年',
    '抱歉，应该是上海？',
    '不含税',
  ]) {
    assert.equal(isAddition(text), true, text);
  }
});

test('what is a question, a request or a remark of its own is none', () => {
  for (const text of [
    'How long is the warranty?',
    'and how long is it for dealers',
    'also, who signs it?',
    'and what about grinders?',
    'in which city is the office',
    'thanks',
    'Berlin',
    'tell me more',
    'and tell me more',
    'and remember that Berlin is closed',
    'information on returns',
    `also ${'for Berlin '.repeat(40)}`,
    '另外，保修期是多久',
    '还有什么要注意的',
    '谢谢',
    '',
  ]) {
    assert.equal(isAddition(text), false, text);
  }
});

test('a run is given the additions of its own asker, up to the first message that is not one', () => {
  const clock = createFakeClock();
  const asked = messageOf(clock, 'How long is the warranty?');
  const waiting = (text: string, over: Partial<InboundMessage> & { user?: string } = {}) => ({
    turnId: text,
    message: messageOf(clock, text, over),
  });
  const picked = (...turns: ReturnType<typeof waiting>[]) => pickFolded(asked, turns).map(({ turnId }) => turnId);
  assert.deepEqual(
    picked(waiting('for Berlin', { user: 'slack:U2' }), waiting('also for Rome'), waiting('I meant 2025'), waiting('Why?')),
    ['also for Rome', 'I meant 2025'],
  );
  assert.deepEqual(picked(waiting('Why?'), waiting('also for Rome')), [], 'it adds to the question before it');
  assert.deepEqual(picked(waiting('also for Rome', { trigger: 'command' })), []);
  assert.deepEqual(picked(waiting('also for Rome', { refusal: { reason: 'not_allowed' } })), []);
});

/** A run of two steps, the second of which begins when it is told to. */
const setUpRun = () => {
  const bench = setUpGateway();
  const step = Promise.withResolvers<void>();
  bench.agent.play = async ({ question, takeArrived }) => {
    if (question !== 'how long?') return `answer to ${question}`;
    await step.promise;
    const arrived = (await takeArrived?.('arrived:2')) ?? [];
    await bench.clock.sleep(1_000);
    return ['two years', ...arrived.map(({ speaker, text }) => `${speaker}: ${text}`)].join(', ');
  };
  bench.gateway.start();
  return { ...bench, step };
};

test('an addition is taken into the run under way, says so in its place, and has no run of its own', async () => {
  const { gateway, store, channel, agent, clock, ask, step } = setUpRun();
  const { message } = await ask('how long?');
  await ask('also for Berlin');
  await ask('who signs?');
  await clock.advance(500);
  assert.deepEqual(channel.textsIn('t1'), [en.placeholder, en.queued, en.queued]);
  step.resolve();
  await clock.advance(500);
  assert.deepEqual(channel.textsIn('t1'), [en.placeholder, en.foldedIn, en.queued]);
  await clock.advance(2_000);
  assert.deepEqual(channel.textsIn('t1'), ['two years, Ada: also for Berlin', en.foldedIn, 'answer to who signs?']);
  assert.deepEqual(
    agent.runs.map(({ question }) => question),
    ['how long?', 'who signs?'],
  );
  assert.equal((await store.countStates()).done, 3);
  const history = (agent.runs[1]?.history ?? []).map(({ question }: Turn) => question);
  assert.deepEqual(history, ['how long?\n\nalso for Berlin']);
  assert.equal((await store.listTurns(message.scope.conversationId))[1]?.turn?.answer.stopReason, 'folded_in');
  await gateway.close();
});

test('an addition that was not told yet that it waits gets one message', async () => {
  const { gateway, channel, clock, ask, step } = setUpRun();
  await ask('how long?');
  await clock.advance(10);
  await ask('also for Berlin');
  step.resolve();
  await clock.advance(2_000);
  assert.deepEqual(channel.textsIn('t1'), ['two years, Ada: also for Berlin', en.foldedIn]);
  assert.equal(channel.calls.filter((call) => call.startsWith('post')).length, 2);
  await gateway.close();
});

test('an addition that comes when the last step has begun, or that was deleted, is not folded in', async () => {
  const { gateway, channel, clock, ask, step } = setUpRun();
  await ask('how long?');
  const { message } = await ask('also for Rome');
  await gateway.deleteQuestion('slack', message.sourceMessageId ?? '');
  step.resolve();
  await clock.advance(100);
  await ask('also for Berlin');
  await clock.advance(2_000);
  assert.deepEqual(channel.textsIn('t1'), ['two years', 'answer to also for Berlin']);
  await gateway.close();
});

test('a word that a platform would not take is delivered by the next claim, and not run', async () => {
  const { gateway, channel, agent, clock, ask, step } = setUpRun();
  await ask('how long?');
  await clock.advance(10);
  channel.faults.post.push({ retryAfterMs: 60_000 });
  await ask('also for Berlin');
  step.resolve();
  await clock.advance(100);
  assert.deepEqual(channel.textsIn('t1'), [en.placeholder]);
  await clock.advance(2_000);
  assert.deepEqual(channel.textsIn('t1'), ['two years, Ada: also for Berlin', en.foldedIn]);
  assert.equal(agent.runs.length, 1);
  await gateway.close();
});
