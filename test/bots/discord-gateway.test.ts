import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChannelName } from '../../agent/conversation.ts';
import type { Channel } from '../../agent/ports/channel.ts';
import type { Agent, RunInput } from '../../agent/run.ts';
import { textsFor } from '../../agent/texts.ts';
import { type AccessOptions, createAccess } from '../../bots/access.ts';
import { createDiscordChannel } from '../../bots/discord/discord.ts';
import { createGateway, type RunningGateway } from '../../bots/gateway.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createScriptedAgent } from '../fakes/scripted-agent.ts';
import { openDiscord, type SampleDiscord } from '../simulator/discord-kit.ts';
import { createMemoryLogger, quiet, sampleAnswer } from './discord-kit.ts';

const en = textsFor('en');

/** Answers with the question, its speaker and how many turns went before. */
const echoAgent: Agent = {
  async run(input: RunInput) {
    input.onEvent?.({ type: 'text_delta', step: 1, delta: 'You asked', turnId: input.turnId, at: 0 });
    return {
      answer: sampleAnswer(`${input.speaker}: ${input.question} (${input.history.length} before)`),
      steps: 1,
      tools: [],
      files: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      model: 'echo',
      durationMs: 1,
    };
  },
};

interface Whole {
  readonly sim: SampleDiscord;
  readonly gateway: RunningGateway;
  readonly channel: Channel;
}

const whole = async (
  people: Partial<AccessOptions['people']>,
  run: (parts: Whole) => Promise<void>,
  agent: Agent = echoAgent,
): Promise<void> => {
  const sim = await openDiscord();
  const { clock } = sim;
  const logger = createMemoryLogger();
  const { store, close } = openSqliteStore({ folder: ':memory:', clock });
  const channel = createDiscordChannel({
    token: sim.token,
    apiUrl: sim.apiUrl,
    messageContent: true,
    clock,
    logger,
    editIntervalMs: 0,
  });
  const rules = {
    owners: [],
    admins: [],
    allow: [],
    allowChannels: [],
    guests: false,
    external: false,
    questionsPerMinute: 60,
    ...people,
  };
  const gateway = createGateway({
    store,
    agent,
    channels: new Map<ChannelName, Channel>([['discord', channel]]),
    access: createAccess({ people: rules, audiences: {} }),
    clock,
    logger,
    graceMs: 50,
    leaseMs: 5_000,
  });
  try {
    await channel.start(gateway);
    gateway.start();
    await run({ sim, gateway, channel });
    assert.deepEqual(sim.violations, []);
  } finally {
    await channel.stopIntake();
    await gateway.close();
    await channel.close();
    await close();
    await sim.close();
  }
};

const answers = (sim: SampleDiscord, channelId: string): readonly string[] =>
  sim.messages(channelId).flatMap(({ isBot, text }) => (isBot ? [text] : []));
const answered = (sim: SampleDiscord, channelId: string, text: string): Promise<boolean> =>
  sim.waitFor(() => sim.world().channels.has(channelId) && answers(sim, channelId).at(-1) === text);

describe('Discord through the whole gateway', () => {
  it('answers a mention, its follow-ups and /ask once each, in their places', async () => {
    await whole({}, async ({ sim, gateway }) => {
      const thread = sim.mention(sim.general, sim.ada, 'Why?');
      await answered(sim, thread, 'Ada: Why? (0 before)');
      sim.say(thread, sim.ben, 'And for dealers?');
      await answered(sim, thread, 'Ben: And for dealers? (1 before)');
      sim.slash(sim.general, sim.ben, 'ask', { question: 'What?' });
      await answered(sim, sim.general, 'Ben: What? (0 before)');
      const answer = sim.messages(sim.general).at(-1);
      sim.say(sim.general, sim.ada, 'Really?', { replyTo: answer?.id ?? '' });
      await answered(sim, sim.general, 'Ada: Really? (1 before)');
      const dm = sim.openDm(sim.ada);
      sim.say(dm, sim.ada, 'Psst?');
      await answered(sim, dm, 'Ada: Psst? (0 before)');
      await quiet();
      assert.deepEqual(answers(sim, thread), ['Ada: Why? (0 before)', 'Ben: And for dealers? (1 before)']);
      assert.deepEqual([gateway.counts().accepted, gateway.counts().delivered], [5, 5]);
    });
  });

  it('tells a question that waits in a thread so within two seconds, in the message that becomes its answer', async () => {
    const agent = createScriptedAgent();
    const first = Promise.withResolvers<string>();
    agent.play = ({ question }) => (question === 'first?' ? first.promise : Promise.resolve(`answer to ${question}`));
    await whole(
      {},
      async ({ sim }) => {
        const thread = sim.mention(sim.general, sim.ada, 'first?');
        await answered(sim, thread, en.placeholder);
        const askedAt = performance.now();
        sim.say(thread, sim.ada, 'second?');
        await answered(sim, thread, en.queued);
        assert.ok(performance.now() - askedAt < 2_000);
        const shown = sim.messages(thread).at(-1)?.id;
        first.resolve('done');
        await answered(sim, thread, 'answer to second?');
        assert.deepEqual(answers(sim, thread), ['done', 'answer to second?']);
        assert.equal(sim.messages(thread).at(-1)?.id, shown);
      },
      agent,
    );
  });

  it('stops a run by the button under its placeholder for its asker, and tells others that it is not theirs', async () => {
    const agent = createScriptedAgent();
    agent.play = ({ onEvent, turnId }) => {
      onEvent?.({ type: 'text_delta', step: 1, delta: 'It begins', turnId, at: 0 });
      return new Promise(() => undefined);
    };
    await whole(
      {},
      async ({ sim, gateway }) => {
        const stopAs = async (channelId: string, userId: string) => {
          const message = sim.messages(channelId).findLast(({ isBot }) => isBot);
          const click = sim.click(channelId, message?.id ?? '', userId, en.stop);
          const reply = () => sim.messages(channelId, userId).findLast(({ isEphemeral }) => isEphemeral);
          await sim.waitFor(() => click.answeredWith !== null && reply()?.isThinking === false);
          return reply()?.text;
        };
        const thread = sim.mention(sim.general, sim.ada, 'never?');
        await answered(sim, thread, 'It begins');
        assert.equal(await stopAs(thread, sim.ben), en.notYoursToStop);
        const clickedAt = performance.now();
        assert.equal(await stopAs(thread, sim.ada), en.cancelled);
        await answered(sim, thread, en.cancelled);
        assert.ok(performance.now() - clickedAt < 1_000);
        assert.deepEqual(sim.messages(thread)[0]?.buttons, []);
        assert.equal(await gateway.stopTurn(agent.runs[0]?.turnId ?? '', `discord:${sim.ada}`), 'over');
      },
      agent,
    );
  });

  it('delivers once through lost answers, 500s and limits', async () => {
    await whole({}, async ({ sim }) => {
      const route = { method: 'POST', route: '/channels/:/messages' };
      const faults = [
        { kind: 'drop', when: 'after' },
        { kind: 'drop', when: 'before' },
        { kind: 'status', status: 502 },
        { kind: 'limited', retryAfterMs: 20, scope: 'user' },
      ] as const;
      for (const [index, fault] of faults.entries()) {
        sim.fail({ ...route, fault });
        const thread = sim.mention(sim.general, sim.ada, `Question ${index}?`);
        await sim.waitFor(
          () => sim.world().channels.has(thread) && answers(sim, thread).at(-1)?.startsWith('Ada: Question'),
          15_000,
        );
        assert.deepEqual(answers(sim, thread), [`Ada: Question ${index}? (0 before)`]);
      }
    });
  });

  it('never answers a bot, and tells a person who may not ask once', async () => {
    await whole({ allow: ['discord:1'] }, async ({ sim, gateway }) => {
      sim.mention(sim.general, sim.addUser('Relay', { bot: true }), 'ping');
      const thread = sim.mention(sim.general, sim.ada, 'Why?');
      await answered(sim, thread, en.notAllowed);
      sim.mention(sim.general, sim.ada, 'Why not?');
      await quiet(150);
      assert.deepEqual([gateway.counts().accepted, gateway.counts().refused], [1, 2]);
    });
  });

  it('does not answer a question that was deleted before its turn', async () => {
    await whole({}, async ({ sim, gateway }) => {
      const first = sim.mention(sim.general, sim.ada, 'Why?');
      await answered(sim, first, 'Ada: Why? (0 before)');
      const id = sim.mention(sim.general, sim.ada, 'Delete me');
      sim.delete(sim.general, id);
      await quiet(200);
      const said = [...sim.world().channels.values()].flatMap(({ messages }) => messages.map(({ content }) => content));
      assert.equal(said.filter((text) => text.includes('Delete me (')).length, 0);
      assert.ok(gateway.counts().accepted >= 1);
    });
  });
});
