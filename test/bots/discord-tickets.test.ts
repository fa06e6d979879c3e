/** Tickets in Discord, from the outside: the real discord.js against the simulator, the desk on a store in memory. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Ticket } from '../../agent/ticket.ts';
import { createDiscordChannel, type DiscordChannel } from '../../bots/discord/discord.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import type { SimInteraction } from '../../simulator/discord/interactions.ts';
import { CHANNEL } from '../../simulator/discord/world.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Triage } from '../../triage/triage.ts';
import { event } from '../fakes/tickets.ts';
import { createTeamTriage } from '../fakes/triage-bench.ts';
import { openDiscord, type SampleDiscord } from '../simulator/discord-kit.ts';
import { createFakeGateway, quiet } from './discord-kit.ts';

const signal = new AbortController().signal;

describe('tickets in discord', () => {
  const gateway = createFakeGateway();
  const listed = new Set<string>();
  let sim: SampleDiscord;
  let opened: ReturnType<typeof openSqliteStore>;
  let channel: DiscordChannel;
  let triage: Triage;
  let desk: string;
  let help: string;
  let forum: string;
  let hardware: string;

  before(async () => {
    sim = await openDiscord();
    desk = sim.addChannel(sim.guildId, 'billing-team');
    help = sim.addChannel(sim.guildId, 'help');
    forum = sim.addChannel(sim.guildId, 'support', CHANNEL.forum);
    hardware = sim.addTag(forum, 'Hardware');
    for (const id of [help, forum]) listed.add(`discord:${id}`);
    opened = openSqliteStore({ folder: ':memory:', clock: sim.clock });
    channel = createDiscordChannel({
      token: sim.token,
      apiUrl: sim.apiUrl,
      messageContent: true,
      clock: sim.clock,
      logger: silentLogger,
      editIntervalMs: 0,
      tickets: { desk: () => triage.desk, emoji: 'ticket', channels: listed },
    });
    triage = createTeamTriage(
      { store: opened.tickets, board: channel.board, channelId: `discord:${desk}`, members: [`discord:${sim.ben}`] },
      { levels: { normal: { first_answer: 60 } }, clock: sim.clock },
    );
    await channel.start(gateway);
    triage.start();
  });
  after(async () => {
    await triage.stop();
    await channel.close();
    await sim.close();
    await opened.close();
    assert.deepEqual(sim.violations, []);
  });

  const until = async <T>(look: () => Promise<T | undefined | false> | T | undefined | false, what: string): Promise<T> => {
    for (let tries = 0; tries < 250; tries += 1) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      await quiet(20);
    }
    assert.fail(`waited in vain for ${what}`);
  };
  const ticketOf = (words: string): Promise<Ticket> =>
    until(async () => (await opened.tickets.listTickets({})).find(({ text }) => text === words), `the ticket of ${words}`);
  const scopeOf = ({ threadId }: Ticket) => ({ conversationId: threadId });
  const count = async (): Promise<number> => (await opened.tickets.listTickets({})).length;
  /** The card of a ticket in a place, once it says so. */
  const cardIn = (channelId: string, id: string, words: RegExp) =>
    until(() => {
      // Edits of one place are paced.
      sim.clock.advance(100);
      return (
        sim.world().channels.has(channelId) &&
        sim
          .messages(channelId)
          .find(({ isBot, embeds }) => isBot && embeds.some((text) => text.startsWith(`${id} ·`) && words.test(text)))
      );
    }, `the card of ${id} with ${words}`);
  const whispers = (channelId: string, userId: string): readonly string[] =>
    sim
      .messages(channelId, userId)
      .filter(({ isEphemeral }) => isEphemeral)
      .map(({ text }) => text);
  const answered = (interaction: SimInteraction): Promise<unknown> =>
    until(() => interaction.answeredWith !== null, 'an answer to the interaction');
  /** Opens the menu behind a button, chooses, and waits for what is said of it. */
  const chooseFrom = async (channelId: string, messageId: string, button: string, value: string): Promise<string> => {
    const before = new Set(sim.messages(channelId, sim.ben).map(({ id }) => id));
    sim.click(channelId, messageId, sim.ben, button);
    const menu = await until(
      () =>
        sim.messages(channelId, sim.ben).find(({ id, isEphemeral, menus }) => !before.has(id) && isEphemeral && menus.length > 0),
      `the menu of ${button}`,
    );
    sim.choose(channelId, menu.id, sim.ben, menu.menus[0]?.customId ?? '', value);
    return until(
      () => sim.messages(channelId, sim.ben).find(({ id, menus }) => id === menu.id && menus.length === 0)?.text,
      'an answer in place of the menu',
    );
  };

  it('an emoji makes one ticket of a message, however many put it there, with a card in its thread and one at the team', async () => {
    const said = 'My *refund* is late <@&1> @everyone';
    const id = sim.say(sim.general, sim.ada, said);
    sim.react(sim.general, id, sim.ben, '👀');
    sim.react(sim.general, id, sim.ben, '🎫');
    sim.react(sim.general, id, sim.ada, '🎫');
    const ticket = await until(async () => (await opened.tickets.listTickets({}))[0], 'the ticket');
    assert.deepEqual([ticket.id, ticket.how, ticket.author.id, ticket.isPrivate], ['T1', 'emoji', `discord:${sim.ada}`, false]);
    const card = await cardIn(desk, 'T1', /Category: Refund \(90 % sure\)/);
    assert.match(card.embeds.join(), /^T1 · My \\\*refund\\\* is late/);
    assert.match(card.embeds.join(), /\nPriority: normal \(90 % sure\)\n/);
    assert.deepEqual(card.pinged, []);
    assert.match(card.embeds.join(), /\nAsker: Ada\n/);
    assert.equal(card.cards[0]?.url, `https://discord.com/channels/${sim.guildId}/${sim.general}/${id}`);
    assert.equal((await cardIn(id, 'T1', /Refund/)).cards[0]?.url, '', 'in the thread itself it leads nowhere');
    assert.deepEqual(gateway.accepted, [], 'it is no question to the assistant');
    await triage.settle(signal);
    assert.equal(await count(), 1);
    assert.equal(sim.messages(desk).length, 1);
  });

  it('a click counts once and every card shows it; who may not is told so alone', async () => {
    const [{ threadId } = { threadId: '' }] = await opened.tickets.listTickets({});
    const thread = threadId.split(':').at(-1) ?? '';
    const own = await cardIn(thread, 'T1', /Assignee: nobody/);
    await answered(sim.click(thread, own.id, sim.ada, 'Take it'));
    await until(() => whispers(thread, sim.ada).length > 0, 'the refusal');
    assert.deepEqual(whispers(thread, sim.ada), ['This may be done by the members of billing and administrators.']);
    assert.deepEqual(whispers(thread, sim.ben), []);
    const card = await cardIn(desk, 'T1', /nobody/);
    await answered(sim.click(desk, card.id, sim.ben, 'Take it'));
    await cardIn(desk, 'T1', new RegExp(`Assignee: <@${sim.ben}>`));
    await cardIn(thread, 'T1', new RegExp(`Assignee: <@${sim.ben}>`));
    assert.equal(await chooseFrom(desk, card.id, 'Priority', 'urgent'), 'Done.');
    assert.equal(await chooseFrom(desk, card.id, 'Category', 'login'), 'Done.');
    await cardIn(desk, 'T1', /Category: Login\nPriority: urgent\n/);
    assert.equal(await chooseFrom(desk, card.id, 'Snooze', '60'), 'Done.');
    await cardIn(desk, 'T1', /snoozed until/);
    assert.equal(await chooseFrom(desk, card.id, 'Assign', sim.ada), 'Done.');
    await cardIn(desk, 'T1', new RegExp(`Assignee: <@${sim.ada}>`));
    assert.equal(sim.messages(desk).length, 1, 'one card, edited');
  });

  it('what is written in the thread belongs to the ticket, and the team’s word is the first answer', async () => {
    const ticket = (await opened.tickets.readTicket('T1')) as Ticket;
    const thread = ticket.threadId.split(':').at(-1) ?? '';
    sim.say(thread, sim.ada, 'It is order 7.');
    sim.say(thread, sim.ben, 'We are on it.');
    await until(async () => (await opened.tickets.readTicket('T1'))?.messageCount === 3, 'both messages');
    const { status, firstAnsweredAt } = (await opened.tickets.readTicket('T1')) as Ticket;
    assert.deepEqual([status, firstAnsweredAt !== null], ['waiting', true]);
    assert.equal(await count(), 1);
  });

  it('a draft is edited in a dialog and sent once, in the thread, its long text in several messages', async () => {
    const ticket = (await opened.tickets.readTicket('T1')) as Ticket;
    const thread = ticket.threadId.split(':').at(-1) ?? '';
    const draft = { id: 'd1', text: 'First words.', citations: [], confidence: 0.8, language: 'en' };
    await opened.tickets.append([
      {
        ticketId: 'T1',
        expectedVersion: ticket.version,
        events: [event({ kind: 'draft_proposed', draft }, { at: sim.clock.now() })],
      },
    ]);
    await triage.settle(signal);
    const card = await cardIn(desk, 'T1', /Draft proposed: First words\./);
    const opening = sim.click(desk, card.id, sim.ben, 'Edit draft');
    await answered(opening);
    assert.deepEqual(opening.modal?.inputs, ['draft']);
    const long = `Better words. ${'All of them matter. '.repeat(150)}The end.`;
    await answered(sim.submitModal(opening, long));
    await cardIn(desk, 'T1', /Draft edited: Better words\./);
    await answered(sim.click(desk, card.id, sim.ben, 'Send draft'));
    await until(() => sim.messages(thread).some(({ text }) => /The end\.\n-# \S+$/.test(text)), 'the answer');
    await triage.settle(signal);
    const all = sim.messages(thread).filter(({ isBot, text }) => isBot && /Better|matter/.test(text));
    assert.equal(all.filter(({ text }) => text.startsWith('Better words.')).length, 1);
    assert.equal(
      all.reduce((sum, { text }) => sum + text.split('All of them matter.').length - 1, 0),
      150,
    );
    assert.ok(all.length > 1);
  });

  it('a message’s menu and a command make one ticket each, and say which', async () => {
    const id = sim.say(sim.general, sim.ada, 'login fails');
    await answered(sim.messageCommand(sim.general, id, sim.ben, 'Make a ticket'));
    const second = await ticketOf('login fails');
    assert.deepEqual([second.how, second.author.id], ['shortcut', `discord:${sim.ada}`]);
    await until(() => whispers(sim.general, sim.ben).includes('🎫 **T2**'), 'the number');
    sim.react(sim.general, id, sim.ben, '🎫');
    await quiet();
    assert.equal(await count(), 2, 'the same message is the same ticket');

    sim.slash(sim.general, sim.ada, 'triage', { text: 'the printer is on fire' });
    const third = await ticketOf('the printer is on fire');
    assert.deepEqual([third.id, third.how, third.author.id], ['T3', 'command', `discord:${sim.ada}`]);
    const root = await until(
      () => sim.messages(sim.general).find(({ text }) => text === '> the printer is on fire\n🎫 **T3**'),
      'the words of the asker in the channel',
    );
    await cardIn(root.id, 'T3', /open/);

    sim.slash(sim.general, sim.ada, 'triage', { text: 'thanks!' });
    const none = 'Nothing in it asks for help: no ticket was made.';
    await until(() => whispers(sim.general, sim.ada).includes(none), 'the reason');
    assert.ok(sim.messages(sim.general).every(({ text }) => !text.includes('thanks')));
    const dm = sim.openDm(sim.ben);
    const thanked = sim.say(sim.general, sim.ada, 'thank you all');
    sim.react(sim.general, thanked, sim.ben, '🎫');
    const where = `https://discord.com/channels/${sim.guildId}/${sim.general}`;
    await until(() => sim.messages(dm).some(({ text }) => text === `${where}/${thanked}\n${none}`), 'the reason, in private');
    const card = sim.messages(desk)[0]?.id ?? '';
    sim.react(desk, card, sim.ben, '🎫');
    const persons = 'Only what a person wrote can become a ticket.';
    await until(() => sim.messages(dm).some(({ text }) => text.endsWith(`${card}\n${persons}`)), 'the other reason');
    assert.equal(await count(), 3);
  });

  it('a click merges a ticket into the one that its button names', async () => {
    const ref = await channel.board.post(
      { channel: 'discord', isPrivate: false, kind: 'channel', placeId: `discord:${desk}` },
      {
        kind: 'card',
        card: {
          ticketId: 'T3',
          version: 1,
          title: 'T3 · copy',
          mood: 'calm',
          fields: [],
          lines: [],
          categories: [],
          buttons: [{ id: 'merge', label: 'Merge into T2', otherId: 'T2' }],
        },
      },
      'a1b2',
    );
    await answered(sim.click(desk, String(ref['message']), sim.ben, 'Merge into T2'));
    const merged = async () => (await opened.tickets.readTicket('T3'))?.mergedInto;
    assert.equal(await until(merged, 'the merge'), 'T2');
  });

  it('each message of a channel of tickets is one, replies and thanks are none, other channels are left alone', async () => {
    const id = sim.say(help, sim.ada, 'no light');
    const ticket = await ticketOf('no light');
    assert.deepEqual([ticket.how, ticket.threadId], ['channel', `discord:${sim.guildId}:${id}`]);
    const before = await count();
    sim.say(help, sim.ada, 'thanks!');
    sim.say(sim.general, sim.ada, 'lunch, anyone?');
    sim.say(help, sim.ben, 'Is the lamp plugged in?', { replyTo: id });
    await until(async () => (await opened.tickets.readTicket(ticket.id))?.messageCount === 2, 'the reply');
    assert.equal(await count(), before);
  });

  it('a post in a forum of tickets is one, with its title and tags; what follows in it belongs to it', async () => {
    const post = sim.postInForum(forum, sim.ada, 'Dark since Monday', 'The lamp is dark.', [hardware]);
    const ticket = await ticketOf('The lamp is dark.');
    assert.deepEqual(
      [ticket.how, ticket.subject, ticket.threadId, ticket.place?.id, ticket.fields],
      ['forum', 'Dark since Monday', `discord:${sim.guildId}:${post}`, `discord:${forum}`, { tags: 'Hardware' }],
    );
    await cardIn(post, ticket.id, /Dark since Monday/);
    sim.say(post, sim.ada, 'Still dark.');
    await until(async () => (await opened.tickets.readTicket(ticket.id))?.messageCount === 2, 'the second message');
  });

  it('who asks for a person gets one, is told so in the thread, and the assistant keeps quiet', async () => {
    const accepted = gateway.accepted.length;
    const id = sim.mention(sim.general, sim.ada, 'can I talk to a human please?');
    const ticket = await ticketOf('can I talk to a human please?');
    assert.deepEqual([ticket.how, ticket.author.id], ['escalation', `discord:${sim.ada}`]);
    await until(
      () =>
        sim.world().channels.has(id) &&
        sim.messages(id).some(({ isBot, text }) => isBot && text.startsWith('I have passed this on to ')),
      'the confirmation',
    );
    await until(async () => (await opened.tickets.readTicket(ticket.id))?.handOff?.isConfirmed === true, 'its record');
    assert.equal(gateway.accepted.length, accepted);

    const answeredNow = () => gateway.accepted.slice(accepted).map(({ text }) => text);
    const messages = async () => (await opened.tickets.readTicket(ticket.id))?.messageCount;
    await gateway.accept({ ...gateway.accepted[0], deliveryId: 'x', text: 'unicorn', scope: scopeOf(ticket) } as never);
    sim.say(id, sim.ada, 'it is the green one');
    await until(async () => (await messages()) === 2, 'what was said in the thread');
    sim.mention(id, sim.ada, 'what does it cost?');
    await until(() => answeredNow().includes('what does it cost?'), 'the question by name');
    assert.deepEqual(answeredNow(), ['unicorn', 'what does it cost?'], 'a person has it');
    const actor = { kind: 'person', id: `discord:${sim.ben}` } as const;
    const action = { kind: 'solve', resolution: '' } as const;
    await triage.desk.act({ ticketId: ticket.id, action, actor, source: 'discord', key: 'over' });
    sim.say(id, sim.ada, 'and what does it eat?');
    await until(() => answeredNow().includes('and what does it eat?'), 'the question after it was over');
  });

  it('a direct message’s ticket is private: the team is told no more than that it waits', async () => {
    const dm = sim.openDm(sim.ada);
    sim.say(dm, sim.ada, 'I want to speak with someone about my refund');
    const ticket = await ticketOf('I want to speak with someone about my refund');
    assert.deepEqual([ticket.how, ticket.isPrivate], ['escalation', true]);
    await until(
      () => sim.messages(dm).some(({ text }) => text.startsWith('I have told billing that something private')),
      'the confirmation',
    );
    await triage.settle(signal);
    const notice = await cardIn(desk, ticket.id, /private/);
    assert.doesNotMatch(JSON.stringify(notice), /refund/i);
  });

  it('a card whose post’s answer was lost is found again and stands once', async () => {
    sim.fail({ method: 'POST', route: '/channels/:/messages', times: 1, fault: { kind: 'drop', when: 'after' } });
    const id = sim.say(sim.general, sim.ada, 'the switch sparks');
    sim.react(sim.general, id, sim.ben, '🎫');
    const ticket = await ticketOf('the switch sparks');
    await quiet(200);
    // Longer than Discord remembers a nonce.
    sim.clock.advance(400_000);
    await cardIn(desk, ticket.id, /sparks/);
    await cardIn(id, ticket.id, /sparks/);
    await triage.settle(signal);
    assert.equal(sim.messages(desk).filter(({ embeds }) => embeds.some((text) => text.startsWith(`${ticket.id} ·`))).length, 1);
    assert.equal(sim.messages(id).filter(({ embeds }) => embeds.length > 0).length, 1);
  });

  it('a burst of alike tickets is one incident: one card at the team, one text in every thread', async () => {
    const threads: string[] = [];
    for (const name of ['Cara', 'Dan', 'Eva']) {
      const words = `login fails for ${name}`;
      sim.say(help, sim.addUser(name), words);
      threads.push((await ticketOf(words)).threadId.split(':').at(-1) ?? '');
      await triage.settle(signal);
    }
    await until(async () => (await opened.tickets.listTickets({ authorId: 'incident' })).length === 1, 'the incident');
    const [incident] = await opened.tickets.listTickets({ authorId: 'incident' });
    assert.ok(incident !== undefined);
    const areTold = (text: string) =>
      until(() => {
        sim.clock.advance(100);
        return threads.every(
          (thread) =>
            sim.world().channels.has(thread) &&
            sim.messages(thread).filter((message) => message.isBot && message.text.includes(text)).length === 1,
        );
      }, `a note in each thread: ${text}`);
    await areTold('Others report this as well.');
    const card = await cardIn(desk, incident.id, /Incident: login fails/);
    const opening = sim.click(desk, card.id, sim.ben, 'Tell all …');
    await answered(opening);
    await answered(sim.submitModal(opening, 'Fixed by eleven.'));
    await areTold('Fixed by eleven.');
  });
});
