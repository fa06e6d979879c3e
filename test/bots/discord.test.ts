import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import { textsFor } from '../../agent/texts.ts';
import { createDiscordChannel } from '../../bots/discord/discord.ts';
import { PERMISSION } from '../../simulator/discord/permissions.ts';
import { CHANNEL } from '../../simulator/discord/world.ts';
import { createShiftClock, openDiscord } from '../simulator/discord-kit.ts';
import {
  createFakeGateway,
  createMemoryLogger,
  quiet,
  type Rig,
  type RigOptions,
  sampleAnswer,
  sampleCitation,
  withRig,
} from './discord-kit.ts';

const scenario = (title: string, options: RigOptions, run: (rig: Rig) => Promise<void>): void => {
  it(title, () =>
    withRig(options, async (rig) => {
      await run(rig);
      assert.deepEqual(rig.sim.violations, []);
    }),
  );
};
const part = (text: string, withFeedback = false) => ({ text, withFeedback });
const texts = (rig: Rig, channelId: string, viewer?: string): readonly string[] =>
  rig.sim.messages(channelId, viewer).map(({ text }) => text);

describe('a mention in a channel', () => {
  scenario('is a question whose conversation is the thread to come', {}, async (rig) => {
    const { sim } = rig;
    const id = sim.mention(sim.general, sim.ada, 'How long is the <@1> warranty?');
    const [message] = await rig.accepted(1);
    assert.deepEqual(message, {
      deliveryId: `discord:${id}`,
      scope: {
        tenantId: `discord:${sim.guildId}`,
        channel: 'discord',
        conversationId: `discord:${sim.guildId}:${id}`,
        userId: `discord:${sim.ada}`,
      },
      author: { id: `discord:${sim.ada}`, displayName: 'Ada', kind: 'person' },
      place: { kind: 'channel', id: `discord:${sim.general}` },
      trigger: 'mention',
      text: 'How long is the @someone warranty?',
      sourceMessageId: id,
      address: { kind: 'thread', channel: sim.general, message: id, name: 'How long is the @someone warranty?' },
      receivedAt: message?.receivedAt,
    });
  });

  scenario('is answered in a thread named after the question, cut to what Discord takes', {}, async (rig) => {
    const { sim, channel } = rig;
    const id = sim.mention(sim.general, sim.ada, `Why ${'so '.repeat(60)}dark?`);
    const [message] = await rig.accepted(1);
    assert.ok(message);
    const ref = await channel.post(message.address, part('Looking …'), 't1:0');
    await channel.update(message.address, ref, part('Because **night**.', true), 't1:0');
    await channel.post(message.address, part('And more.'), 't1:1');
    assert.deepEqual(texts(rig, id), ['Because **night**.', 'And more.']);
    assert.equal(texts(rig, sim.general).length, 1);
    const { name } = sim.channel(id);
    assert.ok(name.length <= 100 && name.startsWith('Why so so') && name.endsWith('…'), name);
    assert.deepEqual(
      sim.messages(id)[0]?.buttons.map(({ label }) => label),
      ['👍 Helpful', '👎 Not helpful'],
    );
    assert.equal(sim.channel(id).messages[0]?.flags, 4);
  });

  for (const [kind, type, expected] of [
    ['announcement', CHANNEL.announcement, 'thread'],
    ['voice', CHANNEL.voice, 'reply'],
  ] as const) {
    scenario(`of the ${kind} kind is answered by a ${expected}`, {}, async (rig) => {
      const { sim, channel } = rig;
      const place = sim.addChannel(sim.guildId, kind, type);
      // discord.js learns of a channel from the server's creation or from its own event; here the message announces it.
      const id = sim.mention(place, sim.ada, 'Why?');
      const [message] = await rig.accepted(1);
      assert.equal(message?.address['kind'], expected);
      assert.ok(message);
      await channel.post(message.address, part('Because.'), 't1:0');
      assert.equal(texts(rig, expected === 'thread' ? id : place).at(-1), 'Because.');
    });
  }

  scenario('uses the thread that somebody else has opened on it', {}, async (rig) => {
    const { sim, channel } = rig;
    const id = sim.mention(sim.general, sim.ada, 'Why?');
    const [message] = await rig.accepted(1);
    sim.startThread(sim.general, id, sim.ben, 'a thread of his own');
    assert.ok(message);
    await channel.post(message.address, part('Because.'), 't1:0');
    assert.deepEqual(texts(rig, id), ['Because.']);
  });

  for (const [what, denied] of [
    ['make threads', PERMISSION.createPublicThreads],
    ['write in threads', PERMISSION.sendMessagesInThreads],
  ] as const) {
    scenario(`is answered by a reply in the channel where the bot may not ${what}`, {}, async (rig) => {
      const { sim, channel, logger } = rig;
      sim.deny(sim.general, denied);
      const id = sim.mention(sim.general, sim.ada, 'Why?');
      const [message] = await rig.accepted(1);
      assert.ok(message);
      const ref = await channel.post(message.address, part('Because.'), 't1:0');
      const answer = sim.messages(sim.general).at(-1);
      assert.deepEqual([answer?.text, answer?.replyTo, answer?.pinged], ['Because.', id, []]);
      assert.deepEqual(await channel.find(message.address, 't1:0'), ref);
      assert.ok(logger.lines.some(({ level }) => level === 'warn'));
    });
  }

  scenario('names itself when it asks nothing', {}, async (rig) => {
    const { sim } = rig;
    sim.mention(sim.general, sim.ada, '');
    const [message] = await rig.accepted(1);
    assert.deepEqual([message?.text, message?.address['name']], ['', 'A question']);
  });
});

describe('what does not wake the assistant', () => {
  scenario('everyone, roles, other people, look-alikes, code, its own words and plain talk', {}, async (rig) => {
    const { sim, gateway } = rig;
    const role = sim.addRole(sim.guildId, 'helpers');
    const bot = `<@${sim.botId}>`;
    for (const text of [
      '@everyone hello',
      `<@&${role}> hello`,
      `<@${sim.ben}> hello`,
      '@Threadwise hello',
      'mail ada@threadwise.example',
      `\`${bot}\``,
      `\`\`\`\n${bot}\n\`\`\``,
    ]) {
      sim.say(sim.general, sim.ada, text);
    }
    sim.say(sim.general, sim.botId, `${bot} to myself`);
    await quiet();
    assert.deepEqual(gateway.accepted, []);
  });

  scenario('a reply to somebody else, although Discord lists the replied-to person as mentioned', {}, async (rig) => {
    const { sim, gateway } = rig;
    const hers = sim.say(sim.general, sim.ada, 'plain talk');
    sim.say(sim.general, sim.ben, 'a reply', { replyTo: hers });
    await quiet();
    assert.deepEqual(gateway.accepted, []);
  });

  scenario('edits and link previews start nothing; a real edit and a deletion are passed on', {}, async (rig) => {
    const { sim, gateway } = rig;
    const id = sim.mention(sim.general, sim.ada, 'Why?');
    await rig.accepted(1);
    sim.unfurl(sim.general, id);
    await quiet();
    assert.deepEqual(gateway.edits, []);
    sim.edit(sim.general, id, `<@${sim.botId}> Why not?`);
    await sim.waitFor(() => gateway.edits.length === 1);
    assert.deepEqual(gateway.edits, [[id, 'Why not?']]);
    const plain = sim.say(sim.general, sim.ada, 'plain');
    sim.edit(sim.general, plain, `<@${sim.botId}> now a mention`);
    sim.delete(sim.general, id);
    await sim.waitFor(() => gateway.deletions.length === 1);
    assert.deepEqual([gateway.deletions, gateway.accepted.length], [[id], 1]);
  });

  scenario('bots and webhooks are handed over as bots', {}, async (rig) => {
    const { sim } = rig;
    const other = sim.addUser('Relay', { bot: true });
    sim.mention(sim.general, other, 'ping');
    sim.mention(sim.general, sim.ada, 'hook', { asWebhook: true });
    assert.deepEqual(
      (await rig.accepted(2)).map(({ author }) => author.kind),
      ['bot', 'bot'],
    );
  });
});

describe('a conversation goes on', () => {
  scenario('in its thread without a mention, unless others are spoken to', {}, async (rig) => {
    const { sim, channel, gateway } = rig;
    const id = sim.mention(sim.general, sim.ada, 'Why?');
    const [first] = await rig.accepted(1);
    assert.ok(first);
    await channel.post(first.address, part('Because.'), 't1:0');
    const followUp = sim.say(id, sim.ben, 'And for dealers?');
    const [, second] = await rig.accepted(2);
    assert.deepEqual(
      [second?.trigger, second?.scope.conversationId, second?.place.id, second?.address],
      ['follow_up', first.scope.conversationId, `discord:${sim.general}`, { kind: 'reply', channel: id, message: followUp }],
    );
    sim.say(id, sim.ben, `<@${sim.ada}> what do you think?`);
    sim.say(id, sim.ben, '@everyone look');
    const ada = sim.say(id, sim.ada, `<@${sim.botId}> and for me?`);
    await rig.accepted(3);
    assert.deepEqual(
      gateway.accepted.map(({ trigger }) => trigger),
      ['mention', 'follow_up', 'mention'],
    );
    assert.ok(second);
    await channel.post(second.address, part('Dealers: one year.'), 't2:0');
    assert.equal(sim.messages(id).at(-1)?.replyTo, followUp);
    assert.equal(gateway.accepted[2]?.sourceMessageId, ada);
  });

  scenario('not in a thread that it takes no part in', {}, async (rig) => {
    const { sim, gateway } = rig;
    const id = sim.startThread(sim.general, sim.say(sim.general, sim.ada, 'ours'), sim.ada, 'ours');
    sim.say(id, sim.ada, 'only between us');
    await quiet();
    assert.deepEqual(gateway.accepted, []);
    sim.mention(id, sim.ada, 'join us');
    const [message] = await rig.accepted(1);
    assert.equal(message?.scope.conversationId, `discord:${sim.guildId}:${id}`);
  });

  scenario(
    'without the Message Content intent by mention or reply only',
    { simulator: { messageContent: false } },
    async (rig) => {
      const { sim, channel, gateway } = rig;
      const id = sim.mention(sim.general, sim.ada, 'Why?');
      const [first] = await rig.accepted(1);
      assert.ok(first);
      assert.equal(first.text, 'Why?');
      const ref = await channel.post(first.address, part('Because.'), 't1:0');
      sim.say(id, sim.ada, 'unreadable');
      sim.say(id, sim.ada, 'readable', { replyTo: ref['message'] ?? '' });
      const all = await rig.accepted(2);
      assert.deepEqual(
        all.map(({ text }) => text),
        ['Why?', 'readable'],
      );
      await quiet();
      assert.equal(gateway.accepted.length, 2);
    },
  );

  scenario('in a forum post', {}, async (rig) => {
    const { sim, channel } = rig;
    const forum = sim.addChannel(sim.guildId, 'help', CHANNEL.forum);
    const id = sim.postInForum(forum, sim.ada, 'Dark', `<@${sim.botId}> my lamp is dark`);
    const [message] = await rig.accepted(1);
    assert.deepEqual([message?.scope.conversationId, message?.place.id], [`discord:${sim.guildId}:${id}`, `discord:${forum}`]);
    assert.ok(message);
    await channel.post(message.address, part('Change the bulb.'), 't1:0');
    assert.deepEqual(texts(rig, id), [`<@${sim.botId}> my lamp is dark`, 'Change the bulb.']);
  });

  scenario('in a direct message', {}, async (rig) => {
    const { sim, channel } = rig;
    const dm = sim.openDm(sim.ada);
    const id = sim.say(dm, sim.ada, 'between us');
    const [message] = await rig.accepted(1);
    assert.deepEqual(
      [message?.trigger, message?.scope.conversationId, message?.place, message?.text],
      ['direct', `discord:dm:${dm}`, { kind: 'direct', id: `discord:${dm}` }, 'between us'],
    );
    assert.ok(message);
    await channel.post(message.address, part('Yes.'), 't1:0');
    assert.deepEqual(
      sim.messages(dm).map(({ text, replyTo }) => [text, replyTo]),
      [
        ['between us', null],
        ['Yes.', id],
      ],
    );
  });

  scenario('by replies to an answer in the channel, over several turns', {}, async (rig) => {
    const { sim, channel, gateway } = rig;
    sim.slash(sim.general, sim.ada, 'ask', { question: 'Why?' });
    const [asked] = await rig.accepted(1);
    assert.ok(asked);
    let ref = await channel.post(asked.address, part('Because.'), 't0:0');
    for (const turn of [1, 2, 3]) {
      sim.say(sim.general, sim.ben, `reply ${turn}`, { replyTo: ref['message'] ?? '' });
      const message = (await rig.accepted(turn + 1))[turn];
      assert.ok(message);
      assert.equal(message.trigger, 'follow_up');
      ref = await channel.post(message.address, part(`answer ${turn}`), `t${turn}:0`);
    }
    assert.deepEqual([...new Set(gateway.accepted.map(({ scope }) => scope.conversationId))], [asked.scope.conversationId]);
  });
});

describe('/ask', () => {
  scenario('is deferred before the inbox answers, and answered in place', {}, async (rig) => {
    const { sim, channel, gateway } = rig;
    let store = (): void => {};
    gateway.delay = new Promise((resolve) => {
      store = resolve;
    });
    const asked = sim.slash(sim.general, sim.ada, 'ask', { question: 'How long is the warranty?' });
    await sim.waitFor(() => sim.messages(sim.general)[0]?.isThinking === true);
    assert.equal(gateway.accepted.length, 0);
    store();
    const [message] = await rig.accepted(1);
    assert.deepEqual(
      [message?.deliveryId, message?.scope.conversationId, message?.trigger, message?.text, message?.sourceMessageId],
      [`discord:${asked.id}`, `discord:${sim.guildId}:${asked.id}`, 'command', 'How long is the warranty?', null],
    );
    assert.ok(message);
    const ref = await channel.post(message.address, part('Looking …'), 't1:0');
    channel.progress(message.address, ref, 'Searching …', 't1:0');
    await channel.update(message.address, ref, part('Two years.', true), 't1:0');
    await channel.post(message.address, part('More of it.'), 't1:1');
    const seen = sim.messages(sim.general);
    assert.deepEqual(
      seen.map(({ text }) => text),
      ['Two years.', 'More of it.'],
    );
    assert.equal(seen[1]?.replyTo, seen[0]?.id);
    assert.ok(!sim.requests.some(({ route, method }) => method === 'POST' && route === '/webhooks/:/:'));
  });

  scenario('in a thread or a direct message belongs to it', {}, async (rig) => {
    const { sim, channel } = rig;
    const thread = sim.startThread(sim.general, sim.say(sim.general, sim.ada, 'ours'), sim.ada, 'ours');
    const dm = sim.openDm(sim.ada);
    sim.slash(thread, sim.ada, 'ask', { question: 'Why?' });
    await rig.accepted(1);
    sim.slash(dm, sim.ada, 'ask', { question: 'Why?' });
    const all = await rig.accepted(2);
    assert.deepEqual(
      all.map(({ scope, place }) => [scope.conversationId, place]),
      [
        [`discord:${sim.guildId}:${thread}`, { kind: 'channel', id: `discord:${sim.general}` }],
        [`discord:dm:${dm}`, { kind: 'direct', id: `discord:${dm}` }],
      ],
    );
    for (const [index, { address }] of all.entries()) await channel.post(address, part(`answer ${index}`), `t${index}:0`);
    assert.deepEqual([texts(rig, thread), texts(rig, dm)], [['answer 0'], ['answer 1']]);
  });

  scenario('after 15 minutes edits its answer as an ordinary message', {}, async (rig) => {
    const { sim, channel } = rig;
    sim.slash(sim.general, sim.ada, 'ask', { question: 'Why?' });
    const [message] = await rig.accepted(1);
    assert.ok(message);
    sim.clock.advance(16 * 60_000);
    const ref = await channel.post(message.address, part('Late.'), 't1:0');
    await channel.update(message.address, ref, part('Late, and final.'), 't1:0');
    assert.deepEqual(texts(rig, sim.general), ['Late, and final.']);
  });

  scenario('whose defer came too late is answered in the channel, once', {}, async (rig) => {
    const { sim, channel } = rig;
    sim.fail({
      method: 'POST',
      route: '/interactions/:/:/callback',
      fault: { kind: 'error', status: 404, code: 10062, message: 'Unknown interaction' },
    });
    sim.slash(sim.general, sim.ada, 'ask', { question: 'Why?' });
    const [message] = await rig.accepted(1);
    assert.ok(message);
    const first = await channel.post(message.address, part('Because.'), 't1:0');
    const again = await channel.post(message.address, part('Because.'), 't1:0');
    assert.deepEqual(again, first);
    assert.deepEqual(texts(rig, sim.general), [`<@${sim.ada}>\nBecause.`]);
    assert.deepEqual(sim.messages(sim.general)[0]?.pinged, []);
  });

  scenario('goes on through its token where the bot may not write', {}, async (rig) => {
    const { sim, channel } = rig;
    sim.deny(sim.general, PERMISSION.sendMessages);
    sim.slash(sim.general, sim.ada, 'ask', { question: 'Why?' });
    const [message] = await rig.accepted(1);
    assert.ok(message);
    await channel.post(message.address, part('Because.'), 't1:0');
    await channel.post(message.address, part('And so.'), 't1:1');
    assert.deepEqual(texts(rig, sim.general), ['Because.', 'And so.']);
  });

  scenario('that is refused without a word says so instead of thinking for ever', {}, async (rig) => {
    const { sim, gateway } = rig;
    gateway.outcome = 'refused';
    sim.slash(sim.general, sim.ada, 'ask', { question: 'Why?' });
    await sim.waitFor(() => texts(rig, sim.general)[0] === textsFor('en').notAllowed);
  });

  scenario('that could not be stored asks to try again, in the language of the question', {}, async (rig) => {
    const { sim, gateway } = rig;
    gateway.outcome = new AppError('store_full', 'the disk is full');
    sim.slash(sim.general, sim.ada, 'ask', { question: '保修期是多久？' });
    await sim.waitFor(() => texts(rig, sim.general)[0] === textsFor('zh').tryAgain);
  });

  scenario('and any other command get an answer also while the channel stops', {}, async (rig) => {
    const { sim, channel, gateway } = rig;
    sim.slash(sim.general, sim.ada, 'older', {});
    await sim.waitFor(() => texts(rig, sim.general, sim.ada).length === 1);
    await channel.stopIntake();
    sim.slash(sim.general, sim.ada, 'ask', { question: 'Why?' });
    await sim.waitFor(() => texts(rig, sim.general, sim.ada).at(-1) === textsFor('en').tryAgain);
    assert.deepEqual([texts(rig, sim.general, sim.ben), gateway.accepted], [[], []]);
  });
});

describe('direct messages', () => {
  scenario('of somebody who is in no server of the bot come from outside', {}, async (rig) => {
    const { sim } = rig;
    const stranger = sim.addUser('Eve', { isStranger: true });
    const dm = sim.openDm(stranger);
    sim.say(dm, stranger, 'Let me in?');
    sim.slash(dm, stranger, 'ask', { question: 'By command?' });
    sim.say(sim.openDm(sim.ada), sim.ada, 'And me?');
    const kinds = new Map((await rig.accepted(3)).map(({ text, author }) => [text, author.kind]));
    assert.deepEqual(
      [kinds.get('Let me in?'), kinds.get('By command?'), kinds.get('And me?')],
      ['external', 'external', 'person'],
    );
  });
});

describe('feedback', () => {
  scenario('thanks for a good verdict and asks why for a bad one', {}, async (rig) => {
    const { sim, channel, gateway } = rig;
    const id = sim.mention(sim.general, sim.ada, 'Why?');
    const [message] = await rig.accepted(1);
    assert.ok(message);
    const ref = await channel.post(message.address, part('Because.', true), 'turn-7:0');
    const answer = ref['message'] ?? '';
    sim.click(id, answer, sim.ada, '👍');
    await sim.waitFor(() => texts(rig, id, sim.ada).at(-1) === textsFor('en').feedbackThanks);
    const opened = sim.click(id, answer, sim.ben, '👎');
    await sim.waitFor(() => opened.modal !== null);
    sim.submitModal(opened, 'It is out of date.');
    await sim.waitFor(() => texts(rig, id, sim.ben).at(-1) === textsFor('en').feedbackThanks);
    assert.deepEqual(gateway.feedback, [
      { turnId: 'turn-7', userId: `discord:${sim.ada}`, verdict: 'up', reason: '' },
      { turnId: 'turn-7', userId: `discord:${sim.ben}`, verdict: 'down', reason: '' },
      { turnId: 'turn-7', userId: `discord:${sim.ben}`, verdict: 'down', reason: 'It is out of date.' },
    ]);
    assert.ok(sim.interactions().every(({ failed, answeredWith }) => !failed && answeredWith !== null));
  });
});

describe('delivery', () => {
  const asked = async (rig: Rig) => {
    const id = rig.sim.mention(rig.sim.general, rig.sim.ada, 'Why?');
    const message = (await rig.accepted(1)).at(-1);
    assert.ok(message);
    return { id, address: message.address };
  };

  scenario('of a message whose outcome was lost is found, and posting again makes no second one', {}, async (rig) => {
    const { sim, channel } = rig;
    const { id, address } = await asked(rig);
    sim.fail({ method: 'POST', route: '/channels/:/messages', fault: { kind: 'drop', when: 'after' } });
    await assert.rejects(channel.post(address, part('Once.'), 't1:0'), { code: 'channel_unavailable' });
    const found = await channel.find(address, 't1:0');
    assert.equal(found?.['message'], sim.messages(id)[0]?.id);
    await channel.post(address, part('Once.'), 't1:0');
    assert.deepEqual(texts(rig, id), ['Once.']);
  });

  it('finds each message again in another process, long after its nonce was forgotten', async () => {
    const sim = await openDiscord();
    const addresses: Readonly<Record<string, string>>[] = [];
    const refs: unknown[] = [];
    await withRig({ sim }, async (rig) => {
      const id = sim.mention(sim.general, sim.ada, 'Why?');
      await rig.accepted(1);
      sim.say(sim.openDm(sim.ada), sim.ada, 'private');
      sim.slash(sim.general, sim.ben, 'ask', { question: 'What?' });
      await rig.accepted(3);
      const thread = rig.gateway.accepted.find(({ sourceMessageId }) => sourceMessageId === id);
      assert.ok(thread);
      await rig.channel.post(thread.address, part('first'), 't0:0');
      sim.say(id, sim.ben, 'Follow-up?');
      sim.say(id, sim.ada, 'Another?');
      for (const [turn, { address }] of (await rig.accepted(5)).entries()) {
        addresses.push(address);
        for (const index of [0, 1]) refs.push(await rig.channel.post(address, part(`${turn}.${index}`), `t${turn}:${index}`));
      }
    });
    sim.clock.advance(3_600_000);
    await withRig({ sim }, async ({ channel }) => {
      const found: unknown[] = [];
      for (const [turn, address] of addresses.entries()) {
        for (const index of [0, 1])
          found.push(
            (await channel.find(address, `t${turn}:${index}`)) ??
              (await channel.post(address, part('again'), `t${turn}:${index}`)),
          );
        assert.equal(await channel.find(address, `t${turn}:2`), undefined);
      }
      const ids = (list: readonly unknown[]) => list.map((ref) => (ref as { message: string }).message);
      assert.deepEqual(ids(found), ids(refs));
    });
    await sim.close();
  });

  scenario('says what Discord asks for: wait, try later, or never', {}, async (rig) => {
    const { sim, channel } = rig;
    const { address } = await asked(rig);
    const post = { method: 'POST', route: '/channels/:/messages' };
    sim.fail({ ...post, fault: { kind: 'limited', retryAfterMs: 700, scope: 'user' } });
    await assert.rejects(
      channel.post(address, part('x'), 't1:0'),
      (error) => error instanceof AppError && error.code === 'channel_unavailable' && (error.retryAfterMs ?? 0) >= 700,
    );
    await quiet(1_100);
    sim.fail({ ...post, fault: { kind: 'status', status: 502 } });
    await assert.rejects(channel.post(address, part('x'), 't1:0'), { code: 'channel_unavailable', retryAfterMs: undefined });
    sim.fail({ ...post, fault: { kind: 'drop', when: 'before' } });
    await assert.rejects(channel.post(address, part('x'), 't1:0'), { code: 'channel_unavailable' });
    sim.deny(sim.general, PERMISSION.sendMessages | PERMISSION.sendMessagesInThreads);
    await assert.rejects(channel.post(address, part('x'), 't1:0'), { code: 'channel_rejected', message: /Send Messages/ });
    sim.deny(sim.general, PERMISSION.viewChannel);
    await assert.rejects(channel.post(address, part('x'), 't1:0'), { code: 'channel_rejected', message: /View Channel/ });
    sim.deny(sim.general, 0n);
    await assert.rejects(channel.post(address, part('x'.repeat(2_001)), 't1:0'), { code: 'channel_rejected', message: /50035/ });
    assert.equal(sim.requests.filter(({ route, status }) => route === '/channels/:/messages' && status >= 500).length, 1);
  });

  scenario('waits out a short limit over all requests by itself', {}, async (rig) => {
    const { sim, channel } = rig;
    const { id, address } = await asked(rig);
    sim.fail({ method: 'POST', route: '/channels/:/messages', fault: { kind: 'limited', retryAfterMs: 300, scope: 'global' } });
    await channel.post(address, part('Because.'), 't1:0');
    assert.deepEqual(texts(rig, id), ['Because.']);
  });

  scenario('gives up a slow post before the gateway looks for it', {}, async (rig) => {
    const { sim, channel } = rig;
    const { address } = await asked(rig);
    sim.fail({ method: 'POST', route: '/channels/:/messages', fault: { kind: 'slow', ms: 60_000 } });
    const posting = channel.post(address, part('slow'), 't1:0');
    const refused = assert.rejects(posting, { code: 'channel_unavailable' });
    await sim.waitFor(() => sim.messages(address['message'] ?? '').length === 1).catch(() => undefined);
    sim.clock.advance(9_100);
    await refused;
  });

  scenario('of an answer whose placeholder was removed makes a new message', {}, async (rig) => {
    const { sim, channel } = rig;
    const { id, address } = await asked(rig);
    const ref = await channel.post(address, part('Looking …'), 't1:0');
    sim.delete(id, ref['message'] ?? '');
    await channel.update(address, ref, part('Because.', true), 't1:0');
    await channel.update(address, ref, part('Because.', true), 't1:0');
    assert.deepEqual(texts(rig, id), ['Because.']);
    assert.match(sim.messages(id)[0]?.buttons[0]?.customId ?? '', /:t1$/);
  });

  scenario('shows progress, never after the final text', { channel: { editIntervalMs: 30 } }, async (rig) => {
    const { sim, channel } = rig;
    const { id, address } = await asked(rig);
    const ref = await channel.post(address, part('Looking …'), 't1:0');
    for (let step = 0; step < 20; step += 1) channel.progress(address, ref, `step ${step}`, 't1:0');
    await sim.waitFor(() => texts(rig, id)[0] === 'step 19');
    channel.progress(address, ref, 'unsafe @everyone [here](https://evil.example/x) and on', 't1:0');
    await sim.waitFor(() => texts(rig, id)[0]?.startsWith('unsafe'));
    assert.doesNotMatch(texts(rig, id)[0] ?? '', /@everyone|https:\/\/evil\.example/);
    channel.progress(address, ref, 'x'.repeat(5_000), 't1:0');
    await channel.update(address, ref, part('Final.'), 't1:0');
    await quiet();
    assert.deepEqual(texts(rig, id), ['Final.']);
    assert.ok(sim.requests.filter(({ method }) => method === 'PATCH').length <= 6);
  });

  scenario(
    'keeps within the limits of a channel with one edit in 1.2 s',
    { simulator: { limits: true }, channel: { editIntervalMs: 1_200 } },
    async (rig) => {
      const { sim, channel } = rig;
      const { address } = await asked(rig);
      const ref = await channel.post(address, part('Looking …'), 't1:0');
      for (let step = 0; step < 40; step += 1) {
        channel.progress(address, ref, `step ${step}`, 't1:0');
        await quiet(50);
      }
      await channel.update(address, ref, part('Final.'), 't1:0');
      assert.equal(sim.refusals, 0);
    },
  );
});

describe('an answer as messages', () => {
  it('is split under the limit with buttons under the last, its sources named, nobody pinged', async () => {
    const sim = await openDiscord();
    const channel = createDiscordChannel({
      token: sim.token,
      apiUrl: sim.apiUrl,
      messageContent: true,
      clock: sim.clock,
      logger: createMemoryLogger(),
    });
    const text = `Two years [1]. @everyone\n\n\`\`\`\n${'code line\n'.repeat(300)}\`\`\``;
    const parts = channel.render(sampleAnswer(text, { citations: [sampleCitation] }), 't1', 'en');
    assert.ok(parts.length > 1 && parts.every((each) => each.text.length <= 2_000));
    assert.deepEqual(
      parts.map(({ withFeedback }) => withFeedback),
      parts.map((_, index) => index === parts.length - 1),
    );
    assert.ok(parts.every((each) => (each.text.match(/```/g)?.length ?? 0) % 2 === 0));
    const all = parts.map((each) => each.text).join('\n');
    assert.match(all, /Sources[\s\S]*Warranty[\s\S]*warranty\.md/);
    assert.doesNotMatch(all, /@everyone/);
    assert.deepEqual(channel.render(sampleAnswer('Stopped.', { stopReason: 'cancelled' }), 't1', 'en'), [
      { text: 'Stopped.', withFeedback: false },
    ]);
    await channel.close();
    await sim.close();
  });
});

describe('a message that the store does not take', () => {
  scenario('is answered with the request to ask again', {}, async (rig) => {
    const { sim, gateway } = rig;
    gateway.outcome = new AppError('store_full', 'the disk is full');
    const id = sim.mention(sim.general, sim.ada, 'How long is the warranty?');
    const message = await sim.waitFor(() => sim.messages(sim.general).find(({ replyTo }) => replyTo === id));
    assert.deepEqual([message.text, message.pinged], [textsFor('en').tryAgain, []]);
    sim.say(sim.general, sim.ada, 'not for the assistant');
    await quiet();
    assert.equal(sim.messages(sim.general).filter(({ text }) => text === textsFor('en').tryAgain).length, 1);
  });
});

describe('the connection', () => {
  it('says which setting is wrong', async () => {
    const cases = [
      {
        setup: { messageContent: false },
        channel: {},
        code: 'channel_auth',
        message: /Message Content.*DISCORD_MESSAGE_CONTENT=false/,
      },
      { setup: {}, channel: { token: 'wrong' }, code: 'channel_auth', message: /DISCORD_TOKEN/ },
    ];
    for (const { setup, channel: more, code, message } of cases) {
      const sim = await openDiscord(setup);
      const options = {
        token: sim.token,
        apiUrl: sim.apiUrl,
        messageContent: true,
        clock: sim.clock,
        logger: createMemoryLogger(),
        ...more,
      };
      const channel = createDiscordChannel(options);
      await assert.rejects(channel.start(createFakeGateway()), { name: 'AppError', code, message });
      await channel.close();
      await sim.close();
    }
  });

  it('holds no start up while Discord is out of reach, says so, and comes to stand when it answers', async () => {
    const sim = await openDiscord();
    sim.gateway.sessionStarts.remaining = 0;
    const gateway = createFakeGateway();
    const logger = createMemoryLogger();
    const channel = createDiscordChannel({
      token: sim.token,
      apiUrl: sim.apiUrl,
      messageContent: true,
      clock: sim.clock,
      logger,
    });
    const started = channel.start(gateway);
    await sim.waitFor(() => logger.lines.some(({ event }) => event === 'discord_start_failed'));
    sim.clock.advance(10_000);
    await started;
    assert.equal(channel.status().connected, false);
    assert.match(channel.status().detail, /until \d{4}-.*too often today/);
    const id = sim.mention(sim.general, sim.ada, 'asked later');
    sim.gateway.sessionStarts.remaining = 5;
    await sim.waitFor(() => {
      sim.clock.advance(1_000);
      return channel.status().connected;
    });
    const again = sim.mention(sim.general, sim.ada, 'asked now');
    await sim.waitFor(() => gateway.accepted.length > 0);
    assert.deepEqual(
      gateway.accepted.map(({ sourceMessageId, text }) => [sourceMessageId, text]),
      [[again, 'asked now']],
      `${id} was said before the bot was there`,
    );
    await channel.close();
    await sim.close();
  });

  it('that is closed while Discord does not answer tries no more', async () => {
    const logger = createMemoryLogger();
    const clock = createShiftClock();
    const channel = createDiscordChannel({
      token: 'a.b.c',
      apiUrl: 'http://127.0.0.1:9/api',
      messageContent: true,
      clock,
      logger,
    });
    const started = channel.start(createFakeGateway());
    while (!logger.lines.some(({ event }) => event === 'discord_start_failed')) await quiet(5);
    assert.match(channel.status().detail, /cannot be reached/);
    await channel.close();
    await started;
    const tries = logger.lines.length;
    clock.advance(120_000);
    await quiet(50);
    assert.equal(logger.lines.length, tries);
    assert.deepEqual(channel.status(), { connected: false, detail: 'closed' });
  });

  scenario('resumes by itself and shows whether it stands', {}, async (rig) => {
    const { sim, channel } = rig;
    assert.deepEqual(channel.status(), { connected: true, detail: 'connected as threadwise' });
    sim.gateway.requestReconnect();
    await sim.waitFor(() => !channel.status().connected);
    sim.mention(sim.general, sim.ada, 'while away');
    assert.equal((await rig.accepted(1))[0]?.text, 'while away');
    await sim.waitFor(() => channel.status().connected);
  });

  scenario('that Discord ends for good says so', {}, async ({ sim, channel }) => {
    sim.gateway.closeAll(4004);
    await sim.waitFor(() => !channel.status().connected);
    assert.match(channel.status().detail, /for good, code 4004/);
  });

  it('stays closed when it was closed between two tries to reconnect', async () => {
    const sim = await openDiscord();
    const channel = createDiscordChannel({
      token: sim.token,
      apiUrl: sim.apiUrl,
      messageContent: true,
      clock: sim.clock,
      logger: createMemoryLogger(),
    });
    await channel.start(createFakeGateway());
    sim.gateway.refuseConnections(true);
    sim.gateway.drop();
    await sim.waitFor(() => !channel.status().connected);
    await channel.close();
    sim.gateway.refuseConnections(false);
    await quiet(1_500);
    assert.deepEqual([sim.gateway.connections, sim.gateway.identifies, sim.gateway.resumes], [0, 1, 0]);
    assert.deepEqual(channel.status(), { connected: false, detail: 'closed' });
    await sim.close();
  });

  scenario('that got a new session fetches what was said in its places meanwhile', {}, async (rig) => {
    const { sim, gateway } = rig;
    sim.mention(sim.general, sim.ada, 'before');
    await rig.accepted(1);
    sim.gateway.refuseConnections(true);
    sim.gateway.refuseNextResume();
    sim.gateway.invalidate(false);
    await sim.waitFor(() => sim.gateway.connections === 0);
    sim.mention(sim.general, sim.ada, 'in between');
    sim.gateway.refuseConnections(false);
    await sim.waitFor(() => gateway.accepted.length === 2, 15_000);
    assert.deepEqual(
      gateway.accepted.map(({ text }) => text),
      ['before', 'in between'],
    );
  });

  it('fetches after a restart what was said, once and in order, threads and direct messages too', async () => {
    const sim = await openDiscord();
    let kept: Readonly<Record<string, string>> = {};
    const cursor = {
      read: async () => kept,
      write: async (places: Readonly<Record<string, string>>) => {
        kept = places;
      },
    };
    let thread = '';
    const dm = sim.openDm(sim.ben);
    await withRig({ sim, channel: { cursor } }, async (rig) => {
      thread = sim.mention(sim.general, sim.ada, 'one');
      sim.say(dm, sim.ben, 'private');
      const all = await rig.accepted(2);
      const address = all.find(({ trigger }) => trigger === 'mention')?.address;
      assert.ok(address);
      await rig.channel.post(address, part('answer'), 't1:0');
    });
    sim.mention(sim.general, sim.ada, 'two');
    sim.mention(sim.general, sim.ben, 'three');
    sim.say(thread, sim.ada, 'more');
    sim.say(dm, sim.ben, 'private too');
    await withRig({ sim, channel: { cursor }, subscribed: [`discord:${sim.guildId}:${thread}`] }, async (rig) => {
      const all = await rig.accepted(4);
      await quiet();
      assert.deepEqual(all.map(({ text }) => text).toSorted(), ['more', 'private too', 'three', 'two']);
      const inGeneral = all.filter(({ address }) => address['channel'] === sim.general).map(({ text }) => text);
      assert.deepEqual(inGeneral, ['two', 'three']);
    });
    await sim.close();
  });

  it('fetches after a restart the mentions of the last quarter of an hour in channels that it never worked in', async () => {
    const sim = await openDiscord();
    const quietRoom = sim.addChannel(sim.guildId, 'quiet');
    const busyRoom = sim.addChannel(sim.guildId, 'busy');
    let kept: Readonly<Record<string, string>> = {};
    const cursor = { read: async () => kept, write: async (places: Readonly<Record<string, string>>) => void (kept = places) };
    await withRig({ sim, channel: { cursor } }, async () => undefined);
    sim.mention(quietRoom, sim.ada, 'long ago');
    sim.mention(busyRoom, sim.ada, 'long ago as well');
    sim.clock.advance(16 * 60_000);
    sim.say(busyRoom, sim.ada, 'to nobody');
    sim.mention(busyRoom, sim.ada, 'first');
    sim.mention(busyRoom, sim.ben, 'second');
    await withRig({ sim, channel: { cursor } }, async (rig) => {
      const all = await rig.accepted(2);
      await quiet();
      assert.deepEqual(
        all.map(({ text }) => text),
        ['first', 'second'],
      );
    });
    await withRig({ sim, channel: {} }, async (rig) => {
      await quiet();
      assert.deepEqual(rig.gateway.accepted, [], 'without a cursor nothing is fetched');
    });
    await sim.close();
  });

  it('keeps what the store did not take for the next start', async () => {
    const sim = await openDiscord();
    let kept: Readonly<Record<string, string>> = {};
    const cursor = { read: async () => kept, write: async (places: Readonly<Record<string, string>>) => void (kept = places) };
    await withRig({ sim, channel: { cursor } }, async (rig) => {
      sim.mention(sim.general, sim.ada, 'taken');
      await rig.accepted(1);
      rig.gateway.outcome = new AppError('store_full', 'the disk is full');
      sim.mention(sim.general, sim.ada, 'not taken');
      await sim.waitFor(() => rig.logger.lines.some(({ level }) => level === 'error'));
    });
    await withRig({ sim, channel: { cursor } }, async (rig) => {
      assert.deepEqual(
        (await rig.accepted(1)).map(({ text }) => text),
        ['not taken'],
      );
    });
    await sim.close();
  });
});
