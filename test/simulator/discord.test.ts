import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  type Interaction,
  type Message,
  MessageFlags,
  ModalBuilder,
  Partials,
  Routes,
  type TextChannel,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { PERMISSION } from '../../simulator/discord/permissions.ts';
import { CHANNEL } from '../../simulator/discord/world.ts';
import type { DiscordSimulatorOptions } from '../../simulator/discord.ts';
import { openDiscord, type SampleDiscord } from './discord-kit.ts';

const ALL = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];

interface Setup {
  readonly simulator?: Partial<DiscordSimulatorOptions>;
  readonly intents?: readonly GatewayIntentBits[];
  readonly retries?: number;
  readonly rejectOnRateLimit?: boolean;
}

/** The unmodified discord.js, logged in to a simulator of its own. */
const connect = async (setup: Setup = {}): Promise<{ sim: SampleDiscord; client: Client<true>; close: () => Promise<void> }> => {
  const sim = await openDiscord(setup.simulator);
  const client = new Client({
    intents: [...(setup.intents ?? ALL)],
    partials: [Partials.Channel, Partials.Message],
    rest: {
      api: sim.apiUrl,
      version: '10',
      retries: setup.retries ?? 0,
      timeout: 5_000,
      ...(setup.rejectOnRateLimit === true ? { rejectOnRateLimit: () => true } : {}),
    },
  });
  const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
  await client.login(sim.token);
  await ready;
  return {
    sim,
    client: client as Client<true>,
    close: async () => {
      await client.destroy();
      await sim.close();
    },
  };
};

const next = <T>(subscribe: (listener: (value: T) => void) => unknown): Promise<T> =>
  new Promise((resolve) => subscribe(resolve));
const nextMessage = (client: Client): Promise<Message> => next((listener) => client.once(Events.MessageCreate, listener));
const nextInteraction = (client: Client): Promise<Interaction> =>
  next((listener) => client.once(Events.InteractionCreate, listener));
const textChannel = (client: Client, id: string): TextChannel => client.channels.cache.get(id) as TextChannel;
const codeOf = async (promise: Promise<unknown>): Promise<number | string> => {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof DiscordAPIError, String(error));
    return error.code;
  }
  throw new Error('nothing was refused');
};

const scenario = (
  title: string,
  setup: Setup,
  run: (parts: { sim: SampleDiscord; client: Client<true> }) => Promise<void>,
): void => {
  it(title, async () => {
    const parts = await connect(setup);
    try {
      await run(parts);
      assert.deepEqual(parts.sim.violations, []);
    } finally {
      await parts.close();
    }
  });
};

describe('the gateway', () => {
  scenario('logs discord.js in with a guild and its channels', {}, async ({ sim, client }) => {
    assert.equal(client.user.id, sim.botId);
    assert.equal(((await client.rest.get(Routes.user())) as { id: string }).id, sim.botId);
    assert.equal(((await client.rest.get(Routes.currentApplication())) as { id: string }).id, sim.applicationId);
    assert.equal((await client.guilds.cache.get(sim.guildId)?.members.fetch(sim.ada))?.displayName, 'Ada');
    assert.equal(((await client.rest.get(Routes.gateway())) as { url: string }).url.startsWith('ws://127.0.0.1:'), true);
    assert.equal(client.guilds.cache.get(sim.guildId)?.name, 'Bright Lamps');
    assert.equal(textChannel(client, sim.general).name, 'general');
    assert.equal(sim.gateway.sessionStarts.remaining, 999);
  });

  scenario('resumes after op 7 at the resume address and replays what was missed', {}, async ({ sim, client }) => {
    const resumed = next<number>((listener) => client.once(Events.ShardResume, listener));
    sim.gateway.requestReconnect();
    await sim.waitFor(() => sim.gateway.connections === 0);
    const message = nextMessage(client);
    sim.say(sim.general, sim.ada, 'said while away');
    assert.equal((await message).content, 'said while away');
    await resumed;
    assert.equal(sim.gateway.resumes, 1);
    assert.equal(sim.gateway.identifies, 1);
  });

  scenario('lets a client identify again after op 9 false', {}, async ({ sim, client }) => {
    const ready = next<number>((listener) => client.once(Events.ShardReady, listener));
    sim.gateway.invalidate(false);
    await ready;
    assert.equal(sim.gateway.identifies, 2);
  });

  scenario('answers a refused resume with op 9 and the client identifies', {}, async ({ sim, client }) => {
    const ready = next<number>((listener) => client.once(Events.ShardReady, listener));
    sim.gateway.refuseNextResume();
    sim.gateway.drop();
    await ready;
    assert.equal(sim.gateway.identifies, 2);
    assert.equal(sim.gateway.resumes, 0);
  });

  scenario(
    'is taken for a zombie when heartbeats get no answer, and resumed',
    { simulator: { heartbeatIntervalMs: 300 } },
    async ({ sim, client }) => {
      const resumed = next<number>((listener) => client.once(Events.ShardResume, listener));
      sim.gateway.mute(true);
      await sim.waitFor(() => sim.gateway.connections === 0, 3_000);
      sim.gateway.mute(false);
      await resumed;
      assert.equal(sim.gateway.identifies, 1);
    },
  );

  scenario('asks for a heartbeat by op 1', {}, async ({ sim, client }) => {
    const acked = next<string>((listener) =>
      client.on(Events.Debug, (line) => {
        if (line.includes('Heartbeat acknowledged')) listener(line);
      }),
    );
    sim.gateway.requestHeartbeat();
    assert.match(await acked, /acknowledged/);
  });

  for (const [code, text] of [
    [4004, 'Authentication failed'],
    [4014, 'Used disallowed intents'],
  ] as const) {
    it(`closes with ${code} at identify and login rejects: ${text}`, async () => {
      const sim = await openDiscord({ messageContent: code !== 4014 });
      const client = new Client({ intents: ALL, rest: { api: sim.apiUrl, version: '10', retries: 0 } });
      if (code === 4004) sim.gateway.sessionStarts.remaining = 1;
      try {
        if (code === 4014) await assert.rejects(client.login(sim.token), { message: new RegExp(text, 'i') });
        else await assert.rejects(client.login('another-token'), /TokenInvalid|invalid token/);
      } finally {
        await client.destroy();
        await sim.close();
      }
    });
  }

  it('has no sessions left and login rejects with the reset time', async () => {
    const sim = await openDiscord();
    sim.gateway.sessionStarts.remaining = 0;
    const client = new Client({ intents: ALL, rest: { api: sim.apiUrl, version: '10', retries: 0 } });
    await assert.rejects(client.login(sim.token), /Not enough sessions remaining/);
    await client.destroy();
    await sim.close();
  });

  scenario(
    'blanks the content of messages without the intent, but for mentions, direct messages and own ones',
    {
      intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
    },
    async ({ sim, client }) => {
      const seen: string[] = [];
      client.on(Events.MessageCreate, (message) => seen.push(message.content));
      sim.say(sim.general, sim.ada, 'not for the bot');
      sim.mention(sim.general, sim.ada, 'for the bot');
      sim.say(sim.openDm(sim.ada), sim.ada, 'in private');
      await textChannel(client, sim.general).send('own words');
      await sim.waitFor(() => seen.length >= 4, 2_000);
      assert.deepEqual(seen.toSorted(), ['', `<@${sim.botId}> for the bot`, 'in private', 'own words'].toSorted());
    },
  );
});

describe('raw gateway sockets', () => {
  let sim: SampleDiscord;
  after(() => sim.close());

  const closeCode = async (path: string, frames: readonly (object | string)[]): Promise<number> => {
    sim ??= await openDiscord({ heartbeatIntervalMs: 41_250 });
    const url = sim.apiUrl.replace('http', 'ws').replace('/api', path);
    const socket = new WebSocket(url);
    return await new Promise((resolve) => {
      socket.addEventListener('close', (event) => resolve(event.code));
      let sent = false;
      socket.addEventListener('message', () => {
        if (sent) return;
        sent = true;
        for (const frame of frames) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
      });
    });
  };
  const identify = (more: object) => ({
    op: 2,
    d: { token: sim.token, properties: { os: 'x', browser: 'x', device: 'x' }, intents: 1, ...more },
  });
  const OPEN = '/?v=10&encoding=json';

  it('closes with the documented code for each mistake', async () => {
    sim ??= await openDiscord({ heartbeatIntervalMs: 41_250 });
    assert.equal(await closeCode('/?v=9&encoding=json', []), 4012);
    assert.equal(await closeCode(OPEN, ['{']), 4002);
    assert.equal(await closeCode(OPEN, [{ op: 3, d: {} }]), 4003);
    assert.equal(await closeCode(OPEN, [identify({ token: 'x' })]), 4004);
    assert.equal(await closeCode(OPEN, [identify({ shard: [2, 1] })]), 4010);
    assert.equal(await closeCode(OPEN, [identify({ intents: 1 << 30 })]), 4013);
    assert.equal(await closeCode(OPEN, [{ op: 2, d: { token: 'x'.repeat(5_000) } }]), 4002);
    assert.equal(await closeCode(OPEN, [identify({}), identify({})]), 4005);
    assert.equal(await closeCode(OPEN, [{ op: 6, d: { token: 'x', session_id: 'x', seq: 1 } }]), 4004);
    assert.equal(
      await closeCode(
        OPEN,
        Array.from({ length: 121 }, () => ({ op: 1, d: null })),
      ),
      4008,
    );
    sim.clock.advance(6_000);
    assert.equal(await closeCode(OPEN, [identify({}), { op: 99 }]), 4001);
  });

  it('closes a connection that never beats with 4009', async () => {
    sim ??= await openDiscord({ heartbeatIntervalMs: 41_250 });
    const code = closeCode(OPEN, []);
    await new Promise((resolve) => setTimeout(resolve, 50));
    sim.clock.advance(100_000);
    assert.equal(await code, 4009);
  });
});

describe('messages', () => {
  scenario('are found again by their nonce for some minutes, once it is enforced', {}, async ({ sim, client }) => {
    const channel = textChannel(client, sim.general);
    const send = (content: string) => channel.send({ content, nonce: 'n1', enforceNonce: true });
    const [first, second] = [await send('once'), await send('twice')];
    assert.equal(second.id, first.id);
    assert.equal(first.nonce, 'n1');
    const [read] = (await client.rest.get(Routes.channelMessages(sim.general))) as { nonce?: string }[];
    assert.equal(read?.nonce, undefined);
    sim.clock.advance(240_000);
    assert.notEqual((await send('later')).id, first.id);
  });

  scenario('are refused with the path of the field', {}, async ({ sim, client }) => {
    const post = (body: object) => codeOf(client.rest.post(Routes.channelMessages(sim.general), { body }));
    assert.equal(await post({ content: '' }), 50006);
    assert.equal(await post({ content: 'x'.repeat(2_001) }), 50035);
    assert.equal(await post({ content: 'x', nonce: 'x'.repeat(26) }), 50035);
    assert.equal(await post({ embeds: [{ title: 'x'.repeat(257) }] }), 50035);
    assert.equal(await post({ embeds: Array.from({ length: 2 }, () => ({ description: 'x'.repeat(4_000) })) }), 50035);
    assert.equal(await post({ content: 'x', message_reference: { message_id: '1' } }), 50035);
    assert.equal(await post({ content: 'x', flags: 32_768 }), 50035);
    await assert.rejects(
      client.rest.post(Routes.channelMessages(sim.general), { body: { content: 'x'.repeat(2_001) } }),
      /content\[BASE_TYPE_MAX_LENGTH\]/,
    );
    await textChannel(client, sim.general).send('x'.repeat(2_000));
  });

  scenario('ping whom allowed_mentions lets them', {}, async ({ sim, client }) => {
    const role = sim.addRole(sim.guildId, 'helpers');
    const content = `<@${sim.ada}> <@&${role}> @everyone`;
    const pinged = async (allowedMentions?: object) => {
      const { id } = await textChannel(client, sim.general).send({
        content,
        ...(allowedMentions === undefined ? {} : { allowedMentions }),
      });
      return sim.messages(sim.general).find((message) => message.id === id)?.pinged;
    };
    assert.deepEqual(await pinged(), [sim.ada, role, 'everyone']);
    assert.deepEqual(await pinged({ parse: [] }), []);
    assert.deepEqual(await pinged({ users: [sim.ada] }), [sim.ada]);
    assert.deepEqual(await pinged({ parse: ['roles'] }), [role]);
  });

  scenario('are edited and deleted by their author only; typing shows', {}, async ({ sim, client }) => {
    const channel = textChannel(client, sim.general);
    const own = await channel.send('draft');
    await own.edit('final');
    const foreign = sim.say(sim.general, sim.ada, 'hers');
    assert.equal(await codeOf(client.rest.patch(Routes.channelMessage(sim.general, foreign), { body: { content: 'x' } })), 50005);
    assert.equal(await codeOf(client.rest.delete(Routes.channelMessage(sim.general, foreign))), 50013);
    assert.equal(await codeOf(client.rest.patch(Routes.channelMessage(sim.general, '1'), { body: { content: 'x' } })), 10008);
    const [seen] = sim.messages(sim.general);
    assert.deepEqual([seen?.text, seen?.isEdited], ['final', true]);
    await own.delete();
    await channel.sendTyping();
    assert.deepEqual(
      sim.messages(sim.general).map(({ id }) => id),
      [foreign],
    );
    assert.deepEqual(sim.typing, [sim.general]);
  });

  scenario('older than an hour take 30 edits', { rejectOnRateLimit: true }, async ({ sim, client }) => {
    const message = await textChannel(client, sim.general).send('0');
    sim.clock.advance(3_700_000);
    for (let edit = 1; edit <= 30; edit += 1) await message.edit(String(edit));
    await assert.rejects(message.edit('31'), { name: /RateLimitError/ });
    assert.equal(sim.requests.at(-1)?.status, 429);
  });

  scenario(
    'obey permissions, closed direct messages, slow mode and automatic moderation',
    { rejectOnRateLimit: true },
    async ({ sim, client }) => {
      const post = (channel: string, content = 'x') => client.rest.post(Routes.channelMessages(channel), { body: { content } });
      sim.deny(sim.general, PERMISSION.sendMessages);
      assert.equal(await codeOf(post(sim.general)), 50013);
      sim.deny(sim.general, PERMISSION.viewChannel);
      assert.equal(await codeOf(post(sim.general)), 50001);
      sim.deny(sim.general, 0n);
      const dm = await client.users.createDM(sim.ada);
      await dm.send('hello');
      sim.user(sim.ada).dmClosed = true;
      assert.equal(await codeOf(post(dm.id)), 50007);
      sim.guild(sim.guildId).blockedWords.push('forbidden');
      assert.equal(await codeOf(post(sim.general, 'a forbidden word')), 200000);
      assert.equal(await codeOf(post('1')), 10003);
      sim.channel(sim.general).slowmodeSeconds = 10;
      await post(sim.general);
      await assert.rejects(post(sim.general), { name: /RateLimitError|DiscordAPIError/ });
    },
  );

  scenario('come newest first, in pages, and without ephemeral ones', {}, async ({ sim, client }) => {
    const ids = ['a', 'b', 'c'].map((text) => sim.say(sim.general, sim.ada, text));
    const list = (await client.rest.get(Routes.channelMessages(sim.general), {
      query: new URLSearchParams({ after: ids[0] ?? '', limit: '1' }),
    })) as { id: string }[];
    assert.deepEqual(
      list.map(({ id }) => id),
      [ids[1]],
    );
    const all = (await client.rest.get(Routes.channelMessages(sim.general))) as { id: string }[];
    assert.deepEqual(
      all.map(({ id }) => id),
      ids.toReversed(),
    );
    sim.deny(sim.general, PERMISSION.readMessageHistory);
    assert.deepEqual(await client.rest.get(Routes.channelMessages(sim.general)), []);
  });

  scenario(
    'are read without their text where the Message Content intent is off',
    { simulator: { messageContent: false }, intents: [GatewayIntentBits.Guilds] },
    async ({ sim, client }) => {
      sim.say(sim.general, sim.ada, 'not for the bot');
      sim.mention(sim.general, sim.ada, 'for the bot');
      const listed = (await client.rest.get(Routes.channelMessages(sim.general))) as { content: string }[];
      assert.deepEqual(
        listed.map(({ content }) => content),
        [`<@${sim.botId}> for the bot`, ''],
      );
    },
  );
});

describe('threads', () => {
  scenario('have the id of the message they start at, once', {}, async ({ sim, client }) => {
    const messageId = sim.say(sim.general, sim.ada, 'a question');
    const create = (body: object = { name: 'a question' }) => client.rest.post(Routes.threads(sim.general, messageId), { body });
    const thread = (await create()) as { id: string };
    assert.equal(thread.id, messageId);
    assert.equal(sim.requests.at(-1)?.status, 201);
    assert.equal(await codeOf(create()), 160004);
    assert.equal(await codeOf(create({ name: 'x'.repeat(101) })), 50035);
    await client.rest.post(Routes.channelMessages(thread.id), { body: { content: 'in it' } });
    assert.deepEqual(
      sim.messages(thread.id).map(({ text }) => text),
      ['in it'],
    );
    await sim.waitFor(() => client.channels.cache.get(thread.id)?.isThread() === true || undefined, 1_000);
  });

  scenario('need rights, room and the right kind of channel', {}, async ({ sim, client }) => {
    const voice = sim.addChannel(sim.guildId, 'voice', CHANNEL.voice);
    const create = (channel: string) =>
      client.rest.post(Routes.threads(channel, sim.say(channel, sim.ada, 'q')), { body: { name: 'q' } });
    assert.equal(await codeOf(create(voice)), 50024);
    sim.deny(sim.general, PERMISSION.createPublicThreads);
    assert.equal(await codeOf(create(sim.general)), 50013);
    sim.deny(sim.general, PERMISSION.sendMessagesInThreads);
    const thread = (await create(sim.general)) as { id: string };
    assert.equal(await codeOf(client.rest.post(Routes.channelMessages(thread.id), { body: { content: 'x' } })), 50013);
    sim.deny(sim.general, 0n);
    sim.guild(sim.guildId).maxActiveThreads = 1;
    assert.equal(await codeOf(create(sim.general)), 160006);
  });

  scenario('wake up by a message unless they are locked; an edit in an archived one is refused', {}, async ({ sim, client }) => {
    const id = sim.startThread(sim.general, sim.say(sim.general, sim.ada, 'q'), sim.ada, 'q');
    const post = () => client.rest.post(Routes.channelMessages(id), { body: { content: 'x' } });
    const message = (await post()) as { id: string };
    const { thread } = sim.channel(id);
    assert.ok(thread);
    thread.archived = true;
    assert.equal(await codeOf(client.rest.patch(Routes.channelMessage(id, message.id), { body: { content: 'y' } })), 50083);
    await post();
    assert.equal(thread.archived, false);
    Object.assign(thread, { archived: true, locked: true });
    assert.equal(await codeOf(post()), 160005);
    assert.equal(await codeOf(client.rest.patch(Routes.channel(id), { body: { locked: false } })), 50013);
    assert.equal(await codeOf(client.rest.patch(Routes.channel(sim.general), { body: { archived: true } })), 50024);
    await client.rest.patch(Routes.channel(id), { body: { archived: false } });
    assert.equal(thread.archived, false);
    await client.rest.get(Routes.channel(id));
  });

  scenario('are the posts of a forum, with tags', {}, async ({ sim, client }) => {
    const forum = sim.addChannel(sim.guildId, 'help', CHANNEL.forum);
    const tag = sim.addTag(forum, 'lamps');
    sim.channel(forum).requireTag = true;
    const create = (body: object) => client.rest.post(Routes.threads(forum), { body });
    assert.equal(await codeOf(client.rest.post(Routes.channelMessages(forum), { body: { content: 'x' } })), 50008);
    assert.equal(await codeOf(create({ name: 'n', message: { content: 'first' } })), 50035);
    assert.equal(await codeOf(create({ name: 'n', message: { content: 'first' }, applied_tags: ['7'] })), 50035);
    const made = (await create({ name: 'n', message: { content: 'first' }, applied_tags: [tag] })) as {
      id: string;
      message: { id: string };
    };
    assert.equal(made.message.id, made.id);
    const theirs = sim.postInForum(forum, sim.ada, 'Dark', 'My lamp is dark', [tag]);
    assert.deepEqual(
      sim.messages(theirs).map(({ text }) => text),
      ['My lamp is dark'],
    );
  });
});

describe('interactions', () => {
  scenario('are deferred, then edited through @original, then followed up', {}, async ({ sim, client }) => {
    const coming = nextInteraction(client);
    sim.slash(sim.general, sim.ada, 'ask', { question: 'why?' });
    const interaction = await coming;
    assert.ok(interaction.isChatInputCommand());
    assert.equal(interaction.options.getString('question'), 'why?');
    await interaction.deferReply();
    assert.deepEqual([sim.requests.at(-1)?.status, sim.messages(sim.general)[0]?.isThinking], [204, true]);
    await interaction.editReply('because');
    assert.match(sim.requests.at(-1)?.url ?? '', /messages\/%40original/);
    await interaction.followUp('and more');
    assert.deepEqual(
      sim.messages(sim.general).map(({ text }) => text),
      ['because', 'and more'],
    );
  });

  scenario('that were deferred take the first follow-up as their answer', {}, async ({ sim, client }) => {
    const coming = nextInteraction(client);
    sim.slash(sim.general, sim.ada, 'ask', { question: 'why?' });
    const interaction = await coming;
    assert.ok(interaction.isChatInputCommand());
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await interaction.followUp('because');
    assert.deepEqual(
      sim.messages(sim.general, sim.ada).map(({ text, isEphemeral }) => [text, isEphemeral]),
      [['because', true]],
    );
    assert.deepEqual(sim.messages(sim.general, sim.ben), []);
    assert.deepEqual(await client.rest.get(Routes.channelMessages(sim.general)), []);
  });

  scenario('expire: 10062 after 3 s, 40060 the second time, 50027 after 15 min', {}, async ({ sim, client }) => {
    const start = async () => {
      const coming = nextInteraction(client);
      const started = sim.slash(sim.general, sim.ada, 'ask', { question: 'why?' });
      const interaction = await coming;
      assert.ok(interaction.isChatInputCommand());
      return { started, interaction };
    };
    const late = await start();
    sim.clock.advance(3_100);
    assert.equal(late.started.failed, true);
    assert.equal(await codeOf(late.interaction.deferReply()), 10062);
    const twice = await start();
    await twice.interaction.deferReply();
    assert.equal(
      await codeOf(
        client.rest.post(Routes.interactionCallback(twice.started.id, twice.started.token), { body: { type: 5 }, auth: false }),
      ),
      40060,
    );
    sim.clock.advance(899_000);
    await twice.interaction.editReply('in time');
    sim.clock.advance(2_000);
    assert.equal(await codeOf(twice.interaction.editReply('too late')), 50027);
  });

  scenario('complete as one types, up to 25 choices', {}, async ({ sim, client }) => {
    const coming = nextInteraction(client);
    const typed = sim.slash(sim.general, sim.ada, 'ask', { question: 'wa' }, { autocomplete: 'question' });
    const interaction = await coming;
    assert.ok(interaction.isAutocomplete());
    assert.equal(interaction.options.getFocused(), 'wa');
    await interaction.respond([{ name: 'warranty', value: 'warranty' }]);
    assert.deepEqual(typed.choices, [{ name: 'warranty', value: 'warranty' }]);
    const again = nextInteraction(client);
    sim.slash(sim.general, sim.ada, 'ask', { question: 'x' }, { autocomplete: 'question' });
    const second = await again;
    assert.ok(second.isAutocomplete());
    const many = Array.from({ length: 26 }, (_, index) => ({ name: String(index), value: String(index) }));
    assert.equal(await codeOf(second.respond(many)), 50035);
  });

  scenario('come from buttons, open a modal and take what was written', {}, async ({ sim, client }) => {
    const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
      new ButtonBuilder().setCustomId('down').setLabel('Not helpful').setStyle(ButtonStyle.Secondary),
    );
    const message = await textChannel(client, sim.general).send({ content: 'an answer', components: [row] });
    const clicked = nextInteraction(client);
    const opened = sim.click(sim.general, message.id, sim.ada, 'Not helpful');
    const click = await clicked;
    assert.ok(click.isButton());
    const input = new TextInputBuilder().setCustomId('why').setLabel('Why?').setStyle(TextInputStyle.Short);
    await click.showModal(
      new ModalBuilder()
        .setCustomId('m')
        .setTitle('Why?')
        .addComponents(new ActionRowBuilder<TextInputBuilder>().addComponents(input)),
    );
    const submitted = nextInteraction(client);
    sim.submitModal(opened, 'out of date');
    const modal = await submitted;
    assert.ok(modal.isModalSubmit());
    assert.equal(modal.fields.getTextInputValue('why'), 'out of date');
    await modal.reply({ content: 'noted', flags: MessageFlags.Ephemeral });
    assert.deepEqual(
      sim.messages(sim.general, sim.ada).map(({ text }) => text),
      ['an answer', 'noted'],
    );
  });

  scenario('answer with the message when asked to', {}, async ({ sim, client }) => {
    const coming = nextInteraction(client);
    sim.slash(sim.general, sim.ada, 'ask', { question: 'why?' });
    const interaction = await coming;
    assert.ok(interaction.isChatInputCommand());
    const { resource } = await interaction.reply({ content: 'because', withResponse: true });
    assert.equal(resource?.message?.content, 'because');
    assert.equal(resource?.message?.interactionMetadata?.id, interaction.id);
  });

  scenario('have their commands registered by one PUT', {}, async ({ sim, client }) => {
    const put = (body: object) => client.rest.put(Routes.applicationGuildCommands(sim.applicationId, sim.guildId), { body });
    await put([{ name: 'ask', description: 'Ask' }]);
    assert.equal(
      await codeOf(
        put([
          { name: 'ask', description: 'x' },
          { name: 'ask', description: 'x' },
        ]),
      ),
      50035,
    );
    assert.equal(await codeOf(put([{ name: 'Ask me', description: 'x' }])), 50035);
    const listed = (await client.rest.get(Routes.applicationGuildCommands(sim.applicationId, sim.guildId))) as { name: string }[];
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['ask'],
    );
  });
});

describe('limits and faults', () => {
  scenario(
    'five messages go to a channel in five seconds, then 429 with the bucket',
    { simulator: { limits: true }, rejectOnRateLimit: true },
    async ({ sim, client }) => {
      const post = () => client.rest.post(Routes.channelMessages(sim.general), { body: { content: 'x' } });
      const answers = await Promise.all(
        Array.from({ length: 6 }, () =>
          fetch(`${sim.apiUrl}/v10/channels/${sim.general}/messages`, {
            method: 'POST',
            headers: { authorization: `Bot ${sim.token}`, 'content-type': 'application/json' },
            body: JSON.stringify({ content: 'x' }),
          }),
        ),
      );
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 200, 200, 200, 200, 429],
      );
      const refused = answers.find(({ status }) => status === 429);
      assert.ok(refused);
      assert.equal(refused.headers.get('x-ratelimit-limit'), '5');
      assert.equal(refused.headers.get('x-ratelimit-scope'), 'user');
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
      assert.equal(((await refused.json()) as { global: boolean }).global, false);
      await assert.rejects(post(), { name: /RateLimitError/ });
      sim.clock.advance(6_000);
      assert.equal(sim.refusals, 2);
    },
  );

  scenario(
    'fifty requests go through in a second, interaction callbacks aside',
    { simulator: { limits: true } },
    async ({ sim }) => {
      const get = () => fetch(`${sim.apiUrl}/v10/users/@me`, { headers: { authorization: `Bot ${sim.token}` } });
      const ids = Array.from({ length: 60 }, () => sim.addChannel(sim.guildId, 'c'));
      const answers = await Promise.all(
        ids.map((id) => fetch(`${sim.apiUrl}/v10/channels/${id}`, { headers: { authorization: `Bot ${sim.token}` } })),
      );
      assert.ok(answers.some((answer) => answer.headers.get('x-ratelimit-scope') === 'global'));
      assert.equal((await get()).status, 429);
      sim.clock.advance(1_100);
      assert.equal((await get()).status, 200);
    },
  );

  it('too many invalid requests shut the client out, without JSON', async () => {
    const sim = await openDiscord({ limits: true, invalidRequestLimit: 3 });
    const get = () => fetch(`${sim.apiUrl}/v10/users/@me`, { headers: { authorization: 'Bot wrong' } });
    for (let times = 0; times < 3; times += 1) assert.equal((await get()).status, 401);
    const refused = await get();
    assert.deepEqual([refused.status, refused.headers.get('content-type')], [429, 'text/plain']);
    await sim.close();
  });

  scenario(
    'play the fault plan: 429 by scope, 500, drop before and after, slow',
    { rejectOnRateLimit: true },
    async ({ sim, client }) => {
      const post = (content: string) => client.rest.post(Routes.channelMessages(sim.general), { body: { content } });
      const route = { method: 'POST', route: '/channels/:/messages' };
      for (const scope of ['shared', 'global', 'user'] as const) {
        sim.fail({ ...route, fault: { kind: 'limited', retryAfterMs: 10, scope } });
        await assert.rejects(post(scope), { name: /RateLimitError/ });
        await new Promise((resolve) => setTimeout(resolve, 1_100));
      }
      sim.fail({ ...route, fault: { kind: 'status', status: 500 } });
      await assert.rejects(post('500'), { status: 500 });
      sim.fail({ ...route, fault: { kind: 'drop', when: 'before' } });
      await assert.rejects(post('lost'));
      sim.fail({ ...route, fault: { kind: 'drop', when: 'after' } });
      await assert.rejects(post('kept'));
      sim.fail({ ...route, fault: { kind: 'slow', ms: 30 } });
      await post('slow');
      assert.deepEqual(
        sim.messages(sim.general).map(({ text }) => text),
        ['kept', 'slow'],
      );
    },
  );

  it('tells of routes and fields that Discord does not have', async () => {
    const sim = await openDiscord();
    const send = (path: string, body: object) =>
      fetch(`${sim.apiUrl}/v10${path}`, {
        method: 'POST',
        headers: { authorization: `Bot ${sim.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    assert.equal((await send('/nowhere', {})).status, 404);
    assert.equal((await send(`/channels/${sim.general}/messages`, { content: 'x', thread_ts: '1' })).status, 400);
    assert.deepEqual(sim.violations, ['unknown route POST /api/v10/nowhere', 'unknown field thread_ts']);
    await sim.close();
  });

  it('tells of every change until it is asked no more', async () => {
    const sim = await openDiscord();
    let changes = 0;
    const stop = sim.onChange(() => {
      changes += 1;
    });
    sim.say(sim.general, sim.ada, 'one');
    stop();
    sim.say(sim.general, sim.ada, 'two');
    assert.equal(changes, 1);
    await sim.close();
  });

  it('draws a thread as a page without letting text become markup', async () => {
    const sim = await openDiscord();
    const id = sim.startThread(sim.general, sim.say(sim.general, sim.ada, 'What is <b>bold</b>?'), sim.ada, 'bold');
    sim.say(id, sim.ben, '**this** and `code`');
    const html = sim.renderThreadHtml(id);
    assert.match(html, /What is &lt;b&gt;bold&lt;\/b&gt;\?/);
    assert.match(html, /<b>this<\/b> and <code>code<\/code>/);
    await sim.close();
  });
});
