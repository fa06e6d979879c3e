/** Cards through the real Bolt and the real discord.js, against the simulators. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChannelName } from '../../agent/conversation.ts';
import type { Channel } from '../../agent/ports/channel.ts';
import { textsFor } from '../../agent/texts.ts';
import { createAccess } from '../../bots/access.ts';
import { VALID_MS } from '../../bots/approvals.ts';
import { cardPart } from '../../bots/approvals-card.ts';
import { createDiscordChannel } from '../../bots/discord/discord.ts';
import { createGateway } from '../../bots/gateway.ts';
import { createSlackChannel } from '../../bots/slack/slack.ts';
import { createSlackSimulator } from '../../simulator/slack.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createMemoryLogger, OPEN_HOUSE } from '../fakes/gateway-bench.ts';
import { createShiftClock, openDiscord, type ShiftClock } from '../simulator/discord-kit.ts';
import { createFiling } from './approvals-kit.ts';
import { withRig } from './discord-kit.ts';
import { pause, until } from './slack-harness.ts';

const en = textsFor('en').approval;

interface Message {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly string[];
}

interface Platform {
  readonly name: ChannelName;
  readonly clock: ShiftClock;
  /** An administrator, as the configuration names them. */
  readonly boss: string;
  createChannel(): Channel;
  /** Ada asks in the common channel; where the answers stand. */
  mention(text: string): string;
  messages(thread: string): readonly Message[];
  /** What the person is told. */
  click(thread: string, message: string, by: 'boss' | 'ada', label: string): Promise<string>;
  close(): Promise<void>;
}

const openSlack = async (): Promise<Platform> => {
  const clock = createShiftClock();
  const slack = await createSlackSimulator({ clock, limits: false });
  const people = { ada: slack.addUser({ displayName: 'Ada' }).id, boss: slack.addUser({ displayName: 'Boss' }).id };
  const room = slack.addChannel({ name: 'support', members: [slack.botUserId, people.ada, people.boss] }).id;
  const { botToken, appToken, apiUrl } = slack;
  return {
    name: 'slack',
    clock,
    boss: `slack:${people.boss}`,
    createChannel: () =>
      createSlackChannel({ botToken, appToken, apiUrl, mode: 'socket', clock, logger: createMemoryLogger(), editIntervalMs: 0 }),
    mention: (text) => slack.mention(room, people.ada, text),
    messages: (thread) =>
      slack
        .messages(room, thread)
        .filter(({ isBot }) => isBot)
        .map(({ ts, text, buttons }) => ({ id: ts, text, buttons: buttons.map(({ label }) => label) })),
    click: async (thread, message, by, label) => {
      const seen = () => slack.visible(room, people[by], thread).filter(({ onlyFor }) => onlyFor !== undefined);
      const before = seen().length;
      const button = slack
        .messages(room, thread)
        .find(({ ts }) => ts === message)
        ?.buttons.find((one) => one.label === label);
      await slack.click(room, message, people[by], button?.actionId ?? '');
      await until(() => seen().length > before, 'an answer to the click');
      await pause(label === en.showAll ? 300 : 0);
      return seen()
        .slice(before)
        .map(({ text }) => text)
        .join('');
    },
    close: () => slack.close(),
  };
};

const openDiscordPlatform = async (): Promise<Platform> => {
  const sim = await openDiscord();
  const { clock, token, apiUrl } = sim;
  const people = { ada: sim.ada, boss: sim.ben };
  return {
    name: 'discord',
    clock,
    boss: `discord:${people.boss}`,
    createChannel: () =>
      createDiscordChannel({ token, apiUrl, messageContent: true, clock, logger: createMemoryLogger(), editIntervalMs: 0 }),
    mention: (text) => sim.mention(sim.general, people.ada, text),
    messages: (thread) =>
      sim.world().channels.has(thread)
        ? sim
            .messages(thread)
            .filter(({ isBot }) => isBot)
            .map(({ id, text, buttons }) => ({ id, text, buttons: buttons.map(({ label }) => label) }))
        : [],
    click: async (thread, message, by, label) => {
      const seen = () => sim.messages(thread, people[by]).filter(({ isEphemeral }) => isEphemeral);
      const before = seen().length;
      sim.click(thread, message, people[by], label);
      await until(() => seen().length > before && seen().at(-1)?.isThinking === false, 'an answer to the click');
      // What is longer comes in several messages.
      await pause(label === en.showAll ? 300 : 0);
      return seen()
        .slice(before)
        .map(({ text }) => text.replace(/^```\n|\n```$/g, ''))
        .join('');
    },
    close: () => sim.close(),
  };
};

const answerIn = (messages: readonly Message[]): string => messages[0]?.text ?? '';
const cardIn = (messages: readonly Message[]): Message | undefined =>
  messages.find(({ text }) => text.includes('Approve this call'));

for (const open of [openSlack, openDiscordPlatform]) {
  describe(`through ${open === openSlack ? 'Bolt' : 'discord.js'}`, () => {
    const setUp = async (text?: string) => {
      const platform = await open();
      const { clock } = platform;
      const { store, close } = openSqliteStore({ folder: ':memory:', clock });
      const filing = createFiling(clock, text === undefined ? {} : { text });
      let lives = 0;
      const live = async (run: () => Promise<void>): Promise<void> => {
        lives += 1;
        // Discord takes one new session in five seconds.
        if (lives > 1) clock.advance(6_000);
        const channel = platform.createChannel();
        const gateway = createGateway({
          store,
          agent: filing.agent,
          channels: new Map([[channel.name, channel]]),
          access: createAccess({ people: { ...OPEN_HOUSE, admins: [platform.boss] }, audiences: {} }),
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
      const askFor = async (question: string) => {
        const thread = platform.mention(question);
        const card = await until(() => cardIn(platform.messages(thread)), 'the card');
        await until(() => answerIn(platform.messages(thread)) === en.waiting, 'the state');
        return { thread, card };
      };
      const settled = (thread: string, expected: string) =>
        until(() => {
          const messages = platform.messages(thread);
          return answerIn(messages) === expected && cardIn(messages)?.buttons.length === 0 && messages;
        }, `${expected} and a closed card`);
      const end = async (): Promise<void> => {
        await close();
        await platform.close();
      };
      return { ...filing, platform, live, askFor, settled, end };
    };

    test('others may not decide, an administrator approves, a second click is answered, and the card stands without buttons', async () => {
      const { platform, live, askFor, settled, filed, end } = await setUp();
      try {
        await live(async () => {
          const { thread, card } = await askFor('file a');
          assert.deepEqual(card.buttons, [en.approve, en.deny]);
          for (const part of ['file_note', 'Files the note a.', 'name: "a"', 'text: "Dear all"', en.admins]) {
            assert.ok(card.text.replaceAll('\\', '').includes(part), `${part} in ${card.text}`);
          }
          assert.equal(await platform.click(thread, card.id, 'ada', en.approve), en.notYours);
          assert.deepEqual(filed, []);
          const clicks = [1, 2].map(() => platform.click(thread, card.id, 'boss', en.approve));
          const said = (await Promise.all(clicks)).join(' ');
          assert.ok(said.includes(en.approved) || said.includes(en.alreadyApproved), said);
          const messages = await settled(thread, 'In the end: filed a.');
          assert.deepEqual(filed, [{ name: 'a', text: 'Dear all' }]);
          const closed = cardIn(messages);
          assert.match(closed?.text ?? '', /Approved by <@\w+>\./);
          assert.equal(closed?.id, card.id);
          assert.equal(messages.length, 2);
        });
      } finally {
        await end();
      }
    });

    test('a denial is answered, told to the model, and nothing is written', async () => {
      const { platform, live, askFor, settled, filed, end } = await setUp();
      try {
        await live(async () => {
          const { thread, card } = await askFor('file a');
          assert.equal(await platform.click(thread, card.id, 'boss', en.deny), en.denied);
          await settled(thread, 'In the end: refused.');
          assert.deepEqual(filed, []);
        });
      } finally {
        await end();
      }
    });

    test('the process is restarted between the card and the click: one card, one write', async () => {
      const { platform, live, askFor, settled, filed, end } = await setUp();
      let asked: Awaited<ReturnType<typeof askFor>> | undefined;
      try {
        await live(async () => {
          asked = await askFor('file a');
          await pause(50);
        });
        const { thread, card } = asked ?? assert.fail('nothing was asked');
        await live(async () => {
          assert.equal(await platform.click(thread, card.id, 'boss', en.approve), en.approved);
          assert.equal((await settled(thread, 'In the end: filed a.')).length, 2);
        });
        assert.equal(filed.length, 1);
      } finally {
        await end();
      }
    });

    test('after ten minutes the card says that nobody decided', async () => {
      const { platform, live, askFor, settled, filed, end } = await setUp();
      let thread = '';
      try {
        await live(async () => {
          ({ thread } = await askFor('file a'));
          await pause(50);
        });
        platform.clock.advance(VALID_MS);
        await live(async () => {
          const messages = await settled(thread, 'In the end: too late.');
          assert.ok(cardIn(messages)?.text.includes(en.expired));
        });
        assert.deepEqual(filed, []);
      } finally {
        await end();
      }
    });

    test('a long text is cut on the card and shown in full to whoever asks; it is read as no markup', async () => {
      const text = `<!channel> @everyone <@U1> \`\`\` **x** ${'long '.repeat(1_500)}the end`;
      const { platform, live, askFor, filed, end } = await setUp(text);
      try {
        await live(async () => {
          const { thread, card } = await askFor('file a');
          assert.deepEqual(card.buttons, [en.approve, en.deny, en.showAll]);
          assert.ok(!card.text.includes('the end'));
          assert.match(card.text, /and \d+ more characters/);
          const shown = (await platform.click(thread, card.id, 'ada', en.showAll)).replaceAll('\\u{60}', '`');
          assert.equal(shown.replaceAll('\n', ''), `name: "a"text: ${JSON.stringify(text)}`);
          assert.deepEqual(filed, []);
        });
      } finally {
        await end();
      }
    });
  });
}

test('in Discord a process that remembers nothing tells a card from the messages of an answer', async () => {
  const sim = await openDiscord();
  const card = cardPart({
    id: 'approval1',
    language: 'en',
    tool: 'send_email',
    words: 'Sends a mail.',
    details: 'to: "ops@example.com"',
    approvers: ['admins'],
    expiresAt: 0,
    outcome: null,
    decidedBy: null,
  });
  const parts = new Map([
    ['turn1:0', { text: 'first', withFeedback: false }],
    ['turn1:1000', card],
    ['turn1:1', { text: 'second', withFeedback: true }],
  ]);
  let address = {};
  const refs = new Map<string, unknown>();
  await withRig({ sim }, async ({ channel, accepted }) => {
    sim.mention(sim.general, sim.ada, 'file a');
    ({ address } = (await accepted(1))[0] ?? assert.fail());
    for (const [key, part] of parts) refs.set(key, await channel.post(address, part, key));
  });
  await withRig({ sim }, async ({ channel }) => {
    for (const key of parts.keys()) assert.deepEqual(await channel.find(address, key), refs.get(key), key);
    assert.equal(await channel.find(address, 'turn1:2'), undefined);
    assert.equal(await channel.find(address, 'turn1:1001'), undefined);
  });
  await sim.close();
});
