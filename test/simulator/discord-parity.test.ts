/**
 * The same scenario against our simulator and against discord-digital-twin, an independent one. Where they differ, the
 * difference is written down here and checked on both sides, with what Discord's documentation says.
 */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  type APIMessage,
  type APIThreadChannel,
  Client,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  type Interaction,
  type Message,
  MessageFlags,
  Partials,
  Routes,
} from 'discord.js';
import { DigitalDiscord } from 'discord-digital-twin';
import { openDiscord } from './discord-kit.ts';

/** What the scenario needs of a Discord. */
interface Stage {
  readonly apiUrl: string;
  readonly token: string;
  readonly botId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  say(channelId: string, text: string): Promise<string>;
  edit(channelId: string, messageId: string, text: string): Promise<void>;
  remove(channelId: string, messageId: string): Promise<void>;
  slash(name: string, question: string): Promise<void>;
  click(messageId: string, customId: string): Promise<void>;
  texts(channelId: string): Promise<readonly string[]>;
  /** A second session must wait for five seconds. */
  readonly isThrottled: boolean;
  close(): Promise<void>;
}

const openOurs = async (): Promise<Stage> => {
  const sim = await openDiscord();
  return {
    apiUrl: sim.apiUrl,
    token: sim.token,
    botId: sim.botId,
    guildId: sim.guildId,
    channelId: sim.general,
    userId: sim.ada,
    say: async (channelId, text) => sim.say(channelId, sim.ada, text),
    edit: async (channelId, messageId, text) => sim.edit(channelId, messageId, text),
    remove: async (channelId, messageId) => sim.delete(channelId, messageId),
    slash: async (name, question) => void sim.slash(sim.general, sim.ada, name, { question }),
    click: async (messageId, customId) => void sim.click(sim.general, messageId, sim.ada, customId),
    texts: async (channelId) => sim.messages(channelId, sim.ada).map(({ text }) => text),
    isThrottled: true,
    async close() {
      assert.deepEqual(sim.violations, []);
      await sim.close();
    },
  };
};

const openTwin = async (): Promise<Stage> => {
  // In memory all twins of a process are one.
  const folder = await mkdtemp(join(tmpdir(), 'discord-twin-'));
  const twin = new DigitalDiscord({
    dbUrl: `file:${join(folder, 'twin.db')}`,
    guild: { name: 'Bright Lamps' },
    channels: [{ name: 'general', type: 0 }],
    users: [{ username: 'ada' }],
  });
  await twin.start();
  const userId = (await twin.getFirstNonBotUserId()) ?? '';
  const channelId = (await twin.prisma.channel.findMany())[0]?.id ?? '';
  const by = (channel: string) => twin.channel(channel).user(userId);
  return {
    apiUrl: twin.restUrl,
    token: twin.botToken,
    botId: twin.botUserId,
    guildId: twin.guildId,
    channelId,
    userId,
    say: async (channel, content) => (await by(channel).sendMessage({ content })).id,
    edit: async (channel, messageId, content) => void (await by(channel).editMessage({ messageId, content })),
    remove: (channel, messageId) => by(channel).deleteMessage({ messageId }),
    slash: async (name, question) =>
      void (await by(channelId).runSlashCommand({ name, options: [{ name: 'question', type: 3, value: question }] })),
    click: async (messageId, customId) => void (await by(channelId).clickButton({ messageId, customId })),
    texts: async (channel) => (await twin.channel(channel).getMessages()).map(({ content }) => content),
    isThrottled: false,
    async close() {
      await twin.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const STAGES = { ours: openOurs, twin: openTwin } as const;
type StageName = keyof typeof STAGES;

const connect = async (stage: Stage): Promise<Client<true>> => {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent],
    partials: [Partials.Message, Partials.Channel],
    rest: { api: stage.apiUrl, version: '10', retries: 0, timeout: 5_000 },
  });
  const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
  await client.login(stage.token);
  await ready;
  return client as Client<true>;
};

const once = <T>(subscribe: (listener: (value: T) => void) => unknown): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no event within 5 s')), 5_000);
    subscribe((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });

const onStage = async (name: StageName, run: (stage: Stage, client: Client<true>) => Promise<void>): Promise<void> => {
  const stage = await STAGES[name]();
  const client = await connect(stage);
  try {
    await run(stage, client);
  } finally {
    await client.destroy();
    await stage.close();
  }
};

/** Both stages behave the same. */
const same = (title: string, run: (stage: Stage, client: Client<true>) => Promise<void>): void => {
  for (const name of ['ours', 'twin'] as const) it(`${name}: ${title}`, () => onStage(name, run));
};

/** The stages differ; each has its own expectation. */
const differs = <T>(
  title: string,
  expected: Readonly<Record<StageName, T>>,
  run: (stage: Stage, client: Client<true>) => Promise<T>,
): void => {
  for (const name of ['ours', 'twin'] as const) {
    it(`${name} differs: ${title}`, () =>
      onStage(name, async (stage, client) => assert.deepEqual(await run(stage, client), expected[name])));
  }
};

const post = async (client: Client, channelId: string, body: object): Promise<APIMessage> =>
  (await client.rest.post(Routes.channelMessages(channelId), { body })) as APIMessage;
const refusal = async (promise: Promise<unknown>): Promise<number | string> => {
  try {
    await promise;
    return 'taken';
  } catch (error) {
    return error instanceof DiscordAPIError ? error.code : (error as Error).name;
  }
};
const nextInteraction = (client: Client): Promise<Interaction> =>
  once((listener) => client.once(Events.InteractionCreate, listener));

describe('both simulators', () => {
  same('hand on what people say, edit and delete', async (stage, client) => {
    const created = once<Message>((listener) => client.once(Events.MessageCreate, listener));
    const id = await stage.say(stage.channelId, 'a question');
    const message = await created;
    assert.deepEqual(
      [message.id, message.content, message.author.id, message.guildId],
      [id, 'a question', stage.userId, stage.guildId],
    );
    const updated = once<string | null>((listener) =>
      client.once(Events.MessageUpdate, (_before, after) => listener(after.content)),
    );
    await stage.edit(stage.channelId, id, 'another question');
    assert.equal(await updated, 'another question');
    const deleted = once<string>((listener) => client.once(Events.MessageDelete, (gone) => listener(gone.id)));
    await stage.remove(stage.channelId, id);
    assert.equal(await deleted, id);
  });

  same('start a thread at a message and take the answer there', async (stage, client) => {
    const id = await stage.say(stage.channelId, 'a question');
    const thread = (await client.rest.post(Routes.threads(stage.channelId, id), {
      body: { name: 'a question' },
    })) as APIThreadChannel;
    assert.deepEqual([thread.type, thread.parent_id], [11, stage.channelId]);
    const draft = await post(client, thread.id, { content: 'draft' });
    await client.rest.patch(Routes.channelMessage(thread.id, draft.id), { body: { content: 'answer' } });
    assert.equal((await stage.texts(thread.id)).at(-1), 'answer');
  });

  same('list messages newest first', async (stage, client) => {
    const ids = [await stage.say(stage.channelId, 'one'), await stage.say(stage.channelId, 'two')];
    const listed = (await client.rest.get(Routes.channelMessages(stage.channelId))) as APIMessage[];
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids.toReversed(),
    );
  });

  same('take a deferred command with its answer through @original and a follow-up', async (stage, client) => {
    const coming = nextInteraction(client);
    await stage.slash('ask', 'why?');
    const interaction = await coming;
    assert.ok(interaction.isChatInputCommand());
    assert.equal(interaction.options.getString('question'), 'why?');
    await interaction.deferReply();
    await interaction.editReply('because');
    await interaction.followUp('and more');
    assert.deepEqual(await stage.texts(stage.channelId), ['because', 'and more']);
  });

  same('hand on a click', async (stage, client) => {
    const components = [{ type: 1, components: [{ type: 2, style: 2, label: 'Helpful', custom_id: 'up' }] }];
    const message = await post(client, stage.channelId, { content: 'an answer', components });
    const coming = nextInteraction(client);
    await stage.click(message.id, 'up');
    const click = await coming;
    assert.ok(click.isButton());
    assert.deepEqual([click.customId, click.message.id], ['up', message.id]);
    await click.reply({ content: 'noted', flags: MessageFlags.Ephemeral });
  });
});

describe('known differences', () => {
  differs('a mention is listed in mentions (resources/message)', { ours: 1, twin: 0 }, async (stage, client) => {
    const created = once<Message>((listener) => client.once(Events.MessageCreate, listener));
    await stage.say(stage.channelId, `<@${stage.botId}> why?`);
    return (await created).mentions.users.size;
  });

  differs('an enforced nonce makes no second message (resources/message)', { ours: 1, twin: 2 }, async (stage, client) => {
    for (let times = 0; times < 2; times += 1)
      await post(client, stage.channelId, { content: 'once', nonce: 'n1', enforce_nonce: true });
    return (await stage.texts(stage.channelId)).length;
  });

  differs<number | string>(
    'content over 2,000 characters is refused (resources/message)',
    { ours: 50035, twin: 'taken' },
    (stage, client) => refusal(post(client, stage.channelId, { content: 'x'.repeat(2_001) })),
  );

  differs<number | string>('an empty message is refused (status codes)', { ours: 50006, twin: 'taken' }, (stage, client) =>
    refusal(post(client, stage.channelId, { content: '' })),
  );

  differs('a session is resumed by op 6 (events/gateway)', { ours: 'RESUMED', twin: 'nothing' }, async (stage) => {
    const { url } = (await (
      await fetch(`${stage.apiUrl}/v10/gateway/bot`, { headers: { authorization: `Bot ${stage.token}` } })
    ).json()) as { url: string };
    const talk = (
      frame: object,
      look: (event: { t?: string; d?: { session_id?: string } }) => string | undefined,
    ): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${url}/?v=10&encoding=json`);
        const finish = (found: string): void => {
          clearTimeout(timer);
          socket.close(4200);
          resolve(found);
        };
        const timer = setTimeout(() => finish('nothing'), 1_000);
        socket.addEventListener('open', () => socket.send(JSON.stringify(frame)));
        socket.addEventListener('message', ({ data }) => {
          const found = look(JSON.parse(String(data)) as object);
          if (found !== undefined) finish(found);
        });
      });
    // The client that the stage was connected with has a session of its own.
    await new Promise((resolve) => setTimeout(resolve, stage.isThrottled ? 4_600 : 0));
    const identify = { token: stage.token, intents: 1, properties: { os: 'linux', browser: 'test', device: 'test' } };
    const session = await talk({ op: 2, d: identify }, (event) => (event.t === 'READY' ? event.d?.session_id : undefined));
    return talk({ op: 6, d: { token: stage.token, session_id: session, seq: 1 } }, (event) =>
      event.t === 'RESUMED' ? event.t : undefined,
    );
  });

  differs('a thread has the id of its message (topics/threads)', { ours: true, twin: false }, async (stage, client) => {
    const id = await stage.say(stage.channelId, 'a question');
    const thread = (await client.rest.post(Routes.threads(stage.channelId, id), {
      body: { name: 'a question' },
    })) as APIThreadChannel;
    return thread.id === id;
  });
});
