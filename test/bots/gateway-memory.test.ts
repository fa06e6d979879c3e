import assert from 'node:assert/strict';
import test from 'node:test';
import type { Turn } from '../../agent/conversation.ts';
import type { MemoryPlace, Wisher } from '../../agent/ports/memory.ts';
import { setUpGateway } from '../fakes/gateway-bench.ts';

const createFakeMemory = () => {
  const learnt: [Turn, MemoryPlace][] = [];
  const wishers: Wisher[] = [];
  return {
    learnt,
    wishers,
    gate: Promise.resolve(),
    async learn(turn: Turn, at: MemoryPlace) {
      learnt.push([turn, at]);
      await this.gate;
    },
    announce: async ({ question }: Turn) => (question === 'It is 21 degrees.' ? 'Noted.' : ''),
    command: async (text: string, by: Wisher) => {
      wishers.push(by);
      return text === 'memory list' ? { text: 'I remember nothing.', links: ['https://example.com/a'] } : undefined;
    },
  };
};

test('a wish to memory is answered without a run, in its thread, with the labels of the place', async () => {
  const memory = createFakeMemory();
  const audiences = { finance: { people: [], places: ['slack:C1'] } };
  const { gateway, channel, clock, ask, agent, store } = setUpGateway({ memory, audiences, people: { admins: ['slack:U2'] } });
  gateway.start();
  const { message } = await ask('memory list');
  await clock.advance(10);
  assert.deepEqual(channel.textsIn('t1'), ['I remember nothing.']);
  assert.equal(agent.runs.length, 0);
  const [turn] = await store.readTranscript(message.scope.conversationId, 5);
  assert.deepEqual([turn?.steps, turn?.answer.answered, turn?.answer.allowedLinks], [0, true, ['https://example.com/a']]);
  assert.deepEqual([...(turn?.labels ?? [])].sort(), ['everyone', 'finance']);
  const { scope, place } = message;
  const wisher = { scope, place, turnId: turn?.turnId, speaker: 'Ada', isAdmin: false, labels: ['everyone', 'finance'] };
  assert.deepEqual(memory.wishers, [wisher]);
  await ask('memory list', { user: 'slack:U2' });
  await clock.advance(10);
  assert.equal(memory.wishers[1]?.isAdmin, true);
  await gateway.close();
});

test('a turn is learnt from once its answer stands, and nobody waits for that', async () => {
  const memory = createFakeMemory();
  memory.gate = new Promise(() => {});
  const { gateway, channel, clock, ask } = setUpGateway({ memory });
  gateway.start();
  const { message } = await ask('How long is the warranty?');
  await ask('And after that?');
  await clock.advance(20);
  assert.deepEqual(channel.textsIn('t1'), ['answer to How long is the warranty?', 'answer to And after that?']);
  assert.deepEqual(
    memory.learnt.map(([turn, at]) => [turn.question, at]),
    [
      ['How long is the warranty?', { scope: message.scope, place: message.place }],
      ['And after that?', { scope: message.scope, place: message.place }],
    ],
  );
  await gateway.close();
});

test('what a turn leaves in memory is said under its answer, where memory says anything', async () => {
  const memory = createFakeMemory();
  const { gateway, channel, clock, ask } = setUpGateway({ memory });
  gateway.start();
  await ask('It is 21 degrees.');
  await ask('Is it cold?');
  await clock.advance(20);
  assert.deepEqual(channel.textsIn('t1'), ['answer to It is 21 degrees.\n\nNoted.', 'answer to Is it cold?']);
  await gateway.close();
});

test('a refused message and an empty one are no wishes to memory', async () => {
  const memory = createFakeMemory();
  const { gateway, clock, ask } = setUpGateway({ memory, people: { allow: ['slack:U9'] } });
  gateway.start();
  await ask('memory list');
  await ask('…', { user: 'slack:U9' });
  await clock.advance(10);
  assert.deepEqual(memory.wishers, []);
  await gateway.close();
});
