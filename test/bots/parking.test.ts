/** A model that asks for a long pause, behind the gateway: with a fake platform here, and once through Bolt and discord.js. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ChannelName } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';
import { DEFAULT_LIMITS } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { Channel } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { ModelProvider } from '../../agent/ports/model-provider.ts';
import type { Agent } from '../../agent/run.ts';
import { textsFor } from '../../agent/texts.ts';
import { createAccess } from '../../bots/access.ts';
import { createDiscordChannel } from '../../bots/discord/discord.ts';
import { createGateway } from '../../bots/gateway.ts';
import { createSlackChannel } from '../../bots/slack/slack.ts';
import { fitWindow } from '../../memory/window.ts';
import { createSlackSimulator } from '../../simulator/slack.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createMemoryLogger, OPEN_HOUSE, setUpGateway } from '../fakes/gateway-bench.ts';
import { createShiftClock, openDiscord, type ShiftClock } from '../simulator/discord-kit.ts';
import { pause, until } from './slack-harness.ts';

const en = textsFor('en');
const PAUSE_MS = 120_000;

/** Asks for the pause until that is over, then answers. */
const createTiredModel = (clock: Clock): ModelProvider & { calls: number } => {
  const restedAt = clock.now() + PAUSE_MS;
  const model = {
    id: 'tired',
    calls: 0,
    ask: () => {
      model.calls += 1;
      if (clock.now() < restedAt) {
        return Promise.reject(new AppError('model_rate_limited', 'too many', { retryAfterMs: restedAt - clock.now() }));
      }
      return Promise.resolve({
        text: 'Rested.',
        toolCalls: [],
        finishReason: 'stop' as const,
        usage: { inputTokens: 1, outputTokens: 1 },
        model: 'tired',
      });
    },
  };
  return model;
};

const createTiredAgent = (clock: Clock) => {
  const model = createTiredModel(clock);
  const logger = createMemoryLogger();
  const agent = createAgent({
    model,
    tools: [],
    clock,
    logger,
    limits: DEFAULT_LIMITS,
    windowTokens: 4_000,
    fitWindow,
    countTokens: (text) => text.length,
  });
  return { model, agent };
};

const setUpTired = () => {
  const tired = Promise.withResolvers<Agent>();
  const bench = setUpGateway({ agent: { run: async (input) => (await tired.promise).run(input) } });
  const { agent, model } = createTiredAgent(bench.clock);
  tired.resolve(agent);
  return { ...bench, model };
};

test('a run that its model asks to pause tells the person, gives its conversation back, and goes on after the pause', async () => {
  const { gateway, clock, store, channel, ask, model } = setUpTired();
  gateway.start();
  const { message } = await ask('how long?');
  await clock.advance(1_000);
  assert.deepEqual(channel.textsIn('t1'), [en.parked]);
  const { conversationId } = message.scope;
  const lent = await store.holdUndue(conversationId, 'somebody else', clock.now(), 1_000);
  assert.ok(lent, 'nobody holds it');
  assert.ok(lent.dueAt - clock.now() >= PAUSE_MS - 1_000 && lent.dueAt - clock.now() <= PAUSE_MS);
  await store.release(lent.lease, lent.dueAt);
  await clock.advance(PAUSE_MS - 2_000);
  assert.deepEqual([channel.textsIn('t1'), model.calls], [[en.parked], 1]);
  await clock.advance(3_000);
  assert.deepEqual([channel.textsIn('t1'), model.calls], [['Rested.'], 2]);
  assert.equal(channel.messages.length, 1);
  await gateway.close();
});

test('a parked run is taken up by another process, and parking does not count toward the tries of a poisoned question', async () => {
  const { clock, store, channel, ask, restart, model } = setUpTired();
  await ask('how long?');
  for (let life = 0; life < 5; life += 1) {
    const gateway = restart({ workerId: `life ${life}` });
    await store.expireLeases();
    gateway.start();
    await clock.advance(PAUSE_MS / 4);
    await gateway.close();
  }
  assert.deepEqual([channel.textsIn('t1'), model.calls], [['Rested.'], 2]);
});

test('a question behind a parked run is told so at once, and both are answered in order after the pause', async () => {
  const { gateway, clock, channel, ask } = setUpTired();
  gateway.start();
  await ask('first?');
  await clock.advance(1_000);
  await Promise.all([ask('second?'), ask('third?')]);
  await clock.advance(100);
  assert.deepEqual(channel.textsIn('t1'), [en.parked, en.queued, en.queued]);
  await clock.advance(PAUSE_MS - 10_000);
  assert.deepEqual(channel.textsIn('t1'), [en.parked, en.queued, en.queued]);
  await clock.advance(20_000);
  assert.deepEqual(channel.textsIn('t1'), ['Rested.', 'Rested.', 'Rested.']);
  assert.equal(channel.messages.length, 3);
  await gateway.close();
});

test('a parked run is stopped at once, also while somebody behind it is told that they wait', async () => {
  const { gateway, clock, store, channel, ask, model } = setUpTired();
  gateway.start();
  const { message } = await ask('first?');
  await clock.advance(1_000);
  channel.beforePost = () => clock.sleep(300);
  await ask('second?');
  await clock.advance(100);
  const [parked] = await store.listTurns(message.scope.conversationId);
  assert.equal(await gateway.stopTurn(parked?.turnId ?? '', message.scope.userId), 'stopped');
  await clock.advance(900);
  assert.equal(channel.textsIn('t1')[0], en.cancelled);
  assert.equal(model.calls, 2, 'the second has its turn');
  await gateway.close();
});

interface Platform {
  readonly name: ChannelName;
  readonly clock: ShiftClock;
  createChannel(): Channel;
  mention(text: string): string;
  answers(thread: string): readonly string[];
  close(): Promise<void>;
}

const openPlatforms: readonly (() => Promise<Platform>)[] = [
  async () => {
    const clock = createShiftClock();
    const slack = await createSlackSimulator({ clock, limits: false });
    const asker = slack.addUser({ displayName: 'Ada' }).id;
    const room = slack.addChannel({ name: 'support', members: [slack.botUserId, asker] }).id;
    const { botToken, appToken, apiUrl } = slack;
    return {
      name: 'slack',
      clock,
      createChannel: () =>
        createSlackChannel({
          botToken,
          appToken,
          apiUrl,
          mode: 'socket',
          clock,
          logger: createMemoryLogger(),
          editIntervalMs: 0,
        }),
      mention: (text) => slack.mention(room, asker, text),
      answers: (thread) => slack.messages(room, thread).flatMap(({ isBot, text }) => (isBot ? [text] : [])),
      close: () => slack.close(),
    };
  },
  async () => {
    const sim = await openDiscord();
    const { clock, token, apiUrl } = sim;
    return {
      name: 'discord',
      clock,
      createChannel: () =>
        createDiscordChannel({ token, apiUrl, messageContent: true, clock, logger: createMemoryLogger(), editIntervalMs: 0 }),
      mention: (text) => sim.mention(sim.general, sim.ada, text),
      answers: (thread) =>
        sim.world().channels.has(thread) ? sim.messages(thread).flatMap(({ isBot, text }) => (isBot ? [text] : [])) : [],
      close: () => sim.close(),
    };
  },
];

for (const [index, open] of openPlatforms.entries()) {
  test(`through ${['Bolt', 'discord.js'][index]} a run is parked, and answered after the pause by the process that comes next`, async () => {
    const platform = await open();
    const { clock } = platform;
    const { store, close } = openSqliteStore({ folder: ':memory:', clock });
    const { agent, model } = createTiredAgent(clock);
    const live = async (run: () => Promise<void>): Promise<void> => {
      const channel = platform.createChannel();
      const gateway = createGateway({
        store,
        agent,
        channels: new Map([[channel.name, channel]]),
        access: createAccess({ people: OPEN_HOUSE, audiences: {} }),
        clock,
        logger: createMemoryLogger(),
        graceMs: 500,
      });
      await store.expireLeases();
      await channel.start(gateway);
      gateway.start();
      try {
        await run();
      } finally {
        await channel.stopIntake();
        await gateway.close();
        await channel.close();
      }
    };
    let thread = '';
    try {
      await live(async () => {
        thread = platform.mention('how long?');
        await until(() => platform.answers(thread)[0] === en.parked, 'the person to be told');
        await pause(50);
      });
      clock.advance(PAUSE_MS);
      await live(async () => void (await until(() => platform.answers(thread)[0] === 'Rested.', 'the answer')));
      assert.deepEqual([platform.answers(thread), model.calls], [['Rested.'], 2]);
    } finally {
      await close();
      await platform.close();
    }
  });
}
