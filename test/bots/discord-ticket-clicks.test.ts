/** Clicks on tickets' cards in Discord that come from the wrong person, too late, or with more than a dialog holds. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Ticket } from '../../agent/ticket.ts';
import { createDiscordChannel, type DiscordChannel } from '../../bots/discord/discord.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import type { SeenMessage } from '../../simulator/discord/driver.ts';
import type { SimInteraction } from '../../simulator/discord/interactions.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Triage } from '../../triage/triage.ts';
import { createStoreFault } from '../fakes/store-fault.ts';
import { event } from '../fakes/tickets.ts';
import { createTeamTriage } from '../fakes/triage-bench.ts';
import { openDiscord, type SampleDiscord } from '../simulator/discord-kit.ts';
import { createFakeGateway, quiet } from './discord-kit.ts';

const signal = new AbortController().signal;

describe('clicks on tickets in discord', () => {
  let sim: SampleDiscord;
  let opened: ReturnType<typeof openSqliteStore>;
  let channel: DiscordChannel;
  let triage: Triage;
  let desk: string;
  /** In its place, with a team that names nobody. */
  let unnamed: Triage | undefined;
  before(async () => {
    sim = await openDiscord();
    desk = sim.addChannel(sim.guildId, 'billing-team');
    opened = openSqliteStore({ folder: ':memory:', clock: sim.clock });
    channel = createDiscordChannel({
      token: sim.token,
      apiUrl: sim.apiUrl,
      messageContent: true,
      clock: sim.clock,
      logger: silentLogger,
      editIntervalMs: 0,
      requestsPerSecond: Number.POSITIVE_INFINITY,
      tickets: {
        desk: () => ({
          ...triage.desk,
          view: (...asked) => triage.desk.view(...asked),
          refusalOf: (request) => (unnamed ?? triage).desk.refusalOf(request),
          act: (request) => (unnamed ?? triage).desk.act(request),
        }),
        emoji: 'ticket',
        channels: new Set(),
      },
    });
    triage = triageOf([`discord:${sim.ben}`]);
    await channel.start(createFakeGateway());
    triage.start();
  });
  const triageOf = (members: readonly string[]): Triage =>
    createTeamTriage({ store: opened.tickets, board: channel.board, channelId: `discord:${desk}`, members });
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
  const cardOf = (id: string, words: RegExp): Promise<SeenMessage> =>
    until(
      () =>
        sim
          .messages(desk)
          .find(({ isBot, embeds }) => isBot && embeds.some((text) => text.startsWith(`${id} ·`) && words.test(text))),
      `the card of ${id} with ${words}`,
    );
  const open = async (words: string): Promise<{ readonly ticket: Ticket; readonly card: SeenMessage }> => {
    sim.react(sim.general, sim.say(sim.general, sim.ada, words), sim.ben, '🎫');
    const ticket = await until(
      async () => (await opened.tickets.listTickets({})).find(({ text }) => text === words),
      `the ticket of ${words}`,
    );
    return { ticket, card: await cardOf(ticket.id, /open/) };
  };
  const propose = async (id: string, draftId: string, text: string): Promise<SeenMessage> => {
    const ticket = (await opened.tickets.readTicket(id)) as Ticket;
    const draft = { id: draftId, text, citations: [], confidence: 0.8, language: 'en' };
    await opened.tickets.append([
      {
        ticketId: id,
        expectedVersion: ticket.version,
        events: [event({ kind: 'draft_proposed', draft }, { at: sim.clock.now() })],
      },
    ]);
    await triage.settle(signal);
    return cardOf(id, /Draft proposed/);
  };
  /** What the clicker alone is told after it. */
  const toldAfter = async (userId: string, act: () => SimInteraction, count = 1): Promise<readonly string[]> => {
    const before = new Set(sim.messages(desk, userId).map(({ id }) => id));
    const interaction = act();
    return until(() => {
      const told = sim
        .messages(desk, userId)
        .filter(({ id, isEphemeral, isThinking }) => isEphemeral && !isThinking && !before.has(id));
      return interaction.answeredWith !== null && told.length >= count && told.map(({ text }) => text);
    }, 'a word to the clicker');
  };
  const opening = async (card: SeenMessage, button: string): Promise<SimInteraction> => {
    const interaction = sim.click(desk, card.id, sim.ben, button);
    await until(() => interaction.modal !== null, 'the dialog');
    return interaction;
  };

  it('show a draft’s text to nobody who may not edit it, and open no menu and no dialog for them', async () => {
    const { ticket } = await open('my refund is late');
    const card = await propose(ticket.id, 'd1', 'Secret words.');
    for (const button of ['Edit draft', 'Priority', 'Category', 'Snooze', 'Assign', 'Take it']) {
      if (!card.buttons.some(({ label }) => label.includes(button))) continue;
      const told = await toldAfter(sim.ada, () => sim.click(desk, card.id, sim.ada, button));
      assert.deepEqual(told, ['This may be done by the members of billing and administrators.'], button);
      assert.deepEqual(
        sim.messages(desk, sim.ada).flatMap(({ menus }) => menus),
        [],
        button,
      );
    }
    assert.ok(sim.interactions().every(({ modal }) => modal === null));
  });

  it('open menus for whoever is in the channel of a team that names nobody', async () => {
    const { ticket, card } = await open('my refund is gone');
    unnamed = triageOf([]);
    try {
      const interaction = sim.click(desk, card.id, sim.ben, 'Priority');
      const menu = await until(
        () => sim.messages(desk, sim.ben).find(({ text, menus }) => text.includes(ticket.id) && menus.length > 0),
        'the menu',
      );
      assert.ok(interaction.answeredWith !== null);
      sim.choose(desk, menu.id, sim.ben, menu.menus[0]?.customId ?? '', 'urgent');
      await until(async () => (await opened.tickets.readTicket(ticket.id))?.priority === 'urgent', 'the priority');
    } finally {
      unnamed = undefined;
    }
  });

  it('show a long draft whole, in several fields, and put it together again as it was', async () => {
    const { ticket } = await open('where is my refund');
    const text = Array.from({ length: 90 }, (_, n) => `Step ${n}: ${'turn the small wheel. '.repeat(6).trim()}`).join('\n\n');
    const card = await propose(ticket.id, 'd2', text);
    const dialog = await opening(card, 'Edit draft');
    const values = dialog.modal?.values ?? {};
    assert.equal(Object.keys(values).length, 4);
    assert.deepEqual(await toldAfter(sim.ben, () => sim.submitModal(dialog, values)), ['Kept; the card shows it.']);
    const { draft } = (await opened.tickets.readTicket(ticket.id)) as Ticket;
    assert.deepEqual([draft?.state, draft?.text === text], ['edited', true]);
    const huge = await propose((await open('refund of the lamp')).ticket.id, 'd3', text.repeat(2));
    const told = await toldAfter(sim.ben, () => sim.click(desk, huge.id, sim.ben, 'Edit draft'));
    assert.deepEqual(told, [
      `The draft is longer than a dialog holds (${text.length * 2} characters): send it, or drop it and answer in the thread.`,
    ]);
  });

  it('give back what was written in a dialog and could not be taken', async () => {
    const { ticket } = await open('refund for the chair');
    const card = await propose(ticket.id, 'd4', 'First words.');
    const dialog = await opening(card, 'Edit draft');
    await opened.tickets.append([
      {
        ticketId: ticket.id,
        expectedVersion: ((await opened.tickets.readTicket(ticket.id)) as Ticket).version,
        events: [event({ kind: 'draft_dropped', draftId: 'd4' }, { at: sim.clock.now() })],
      },
    ]);
    const mine = 'My words with ``` in them.';
    const told = await toldAfter(sim.ben, () => sim.submitModal(dialog, mine), 2);
    assert.match(told[0] ?? '', /^Not possible: [\s\S]*What you wrote was not taken\./);
    assert.equal(told[1], '```\nMy words with \\u{60}\\u{60}\\u{60} in them.\n```');
  });

  it('send an answer once whose keeping ended unknown, also when the dialog is sent again with other words', async () => {
    const words = 'the refund of the stove';
    await triage.desk.arrive({
      deliveryId: 'mail:1',
      threadId: 'mail:1',
      how: 'mail',
      author: { id: 'mail:ada@example.org', displayName: 'Ada' },
      place: null,
      isPrivate: false,
      address: { to: 'ada@example.org' },
      external: null,
      subject: '',
      text: words,
      receivedAt: sim.clock.now(),
      fields: {},
    });
    const ticket = await until(
      async () => (await opened.tickets.listTickets({})).find(({ text }) => text === words),
      'the ticket of the mail',
    );
    const dialog = await opening(await cardOf(ticket.id, /open/), 'Answer');
    const fault = createStoreFault(opened.tickets);
    fault.failAfter('commented', 2);
    const unknown = await toldAfter(sim.ben, () => sim.submitModal(dialog, 'Press the red button.'), 2);
    assert.match(unknown[0] ?? '', /^It is not known whether this was kept/);
    const changed = await toldAfter(sim.ben, () => sim.submitModal(dialog, 'Press the green button.'), 2);
    assert.match(changed[0] ?? '', /^What you wrote first was taken, and what you changed since was not/);
    assert.deepEqual(await toldAfter(sim.ben, () => sim.submitModal(dialog, 'Press the red button.')), [
      'On its way to the asker.',
    ]);
    const second = await opening(await cardOf(ticket.id, /open|waiting/), 'Answer');
    fault.failAfter('commented');
    assert.deepEqual(await toldAfter(sim.ben, () => sim.submitModal(second, 'And then wait.')), ['On its way to the asker.']);
    const said = (await opened.tickets.readEvents(ticket.id)).flatMap(({ change }) =>
      change.kind === 'commented' ? [change.text] : [],
    );
    assert.deepEqual(said, ['Press the red button.', 'And then wait.']);
  });

  it('do nothing to a later episode where an earlier one was asked after', async () => {
    const { ticket } = await open('refund for the lamp');
    const { id, address } = ticket;
    const body = { kind: 'note', text: 'Is this solved, at last?', asksSolved: true, episode: 1 } as const;
    const target = { channel: 'discord', isPrivate: false, kind: 'thread', address: address ?? {} } as const;
    await opened.tickets.planPosts(id, [{ slot: 'asked', target, body }]);
    await triage.settle(signal);
    const thread = ticket.threadId.split(':').at(-1) ?? '';
    const asked = await until(() => sim.messages(thread).find(({ text }) => text.includes('at last?')), 'the question');
    const act = (key: string, action: Parameters<typeof triage.desk.act>[0]['action']) =>
      triage.desk.act({ ticketId: id, action, actor: { kind: 'person', id: `discord:${sim.ben}` }, source: 'test', key });
    await act(`${id} solve`, { kind: 'solve', resolution: '' });
    await act(`${id} reopen`, { kind: 'reopen', reason: '' });
    sim.click(thread, asked.id, sim.ada, 'Solved');
    const told = await until(
      () => sim.messages(thread, sim.ada).find(({ isEphemeral, text }) => isEphemeral && text !== ''),
      'a word to the clicker',
    );
    assert.match(told.text, /^Not possible: T\d+ was opened again since this was asked/);
    const now = await opened.tickets.readTicket(id);
    assert.deepEqual([now?.status, now?.episode], ['open', 2]);
  });

  it('on a card that the ticket has moved on from do nothing else than it said', async () => {
    const { ticket, card } = await open('refund for the table');
    const button = card.buttons.find(({ label }) => label === 'Solve');
    assert.match(button?.customId ?? '', new RegExp(`^tk:solve:${ticket.id}@\\d+:$`));
    const actor = { kind: 'person', id: `discord:${sim.ben}` } as const;
    await triage.desk.act({ ticketId: ticket.id, action: { kind: 'assign', to: actor.id }, actor, source: 'cli', key: 'a' });
    // The card of before still stands in somebody's window.
    const body = {
      components: [{ type: 1, components: [{ type: 2, style: 2, label: 'Take it', custom_id: `tk:assign_me:${ticket.id}@1:` }] }],
    };
    const stale = sim
      .world()
      .channel(desk)
      .messages.find(({ id }) => id === card.id);
    assert.ok(stale !== undefined);
    await cardOf(ticket.id, new RegExp(`Assignee: <@${sim.ben}>`));
    Object.assign(stale, body);
    const other = `discord:${sim.ben}`;
    const told = await toldAfter(sim.ben, () => sim.click(desk, card.id, sim.ben, 'Take it'));
    assert.match(told.join(), /^Not possible: T\d+ has changed since you looked: /);
    assert.equal((await opened.tickets.readTicket(ticket.id))?.assignee, other);
  });

  it('that fail on our side are told so', async () => {
    const { card } = await open('refund for the sofa');
    const { view } = triage.desk;
    Object.assign(triage.desk, { view: () => Promise.reject(new Error('out of reach')) });
    try {
      for (const button of ['Priority', 'Category']) {
        const told = await toldAfter(sim.ben, () => sim.click(desk, card.id, sim.ben, button));
        assert.match(told.join(), /^I could not take your question just now\./);
      }
    } finally {
      Object.assign(triage.desk, { view });
    }
  });
});
