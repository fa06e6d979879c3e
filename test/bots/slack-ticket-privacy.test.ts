/** A ticket is as private as the place it was made in: real Bolt against the simulator, the desk on a store in memory. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Ticket } from '../../agent/ticket.ts';
import type { SlackChannel } from '../../bots/slack/slack.ts';
import { systemClock } from '../../ops/clock.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createTriage, type Triage } from '../../triage/triage.ts';
import { arrival } from '../fakes/tickets.ts';
import { ALWAYS, createFakeReader, hurriedClock, team } from '../fakes/triage-bench.ts';
import { type Harness, startHarness, until } from './slack-harness.ts';

const signal = new AbortController().signal;

describe('the privacy of tickets in slack', () => {
  const opened = openSqliteStore({ folder: ':memory:', clock: systemClock });
  const { tickets } = opened;
  const autoChannels = new Set<string>();
  let harness: Harness;
  let triage: Triage;
  let helper: string;
  let desk: string;

  before(async () => {
    harness = await startHarness({
      mode: 'socket',
      isStarted: false,
      channel: { tickets: { desk: () => triage.desk, emoji: 'ticket', channels: autoChannels } },
    });
    const { slack, channel, gateway } = harness;
    helper = slack.addUser({ displayName: 'Ben' }).id;
    desk = slack.addChannel({ name: 'billing-team', members: [slack.botUserId, helper] }).id;
    triage = createTriage({
      store: tickets,
      reader: createFakeReader(),
      teams: new Map([['billing', team('billing', { channel: `slack:${desk}`, members: [`slack:${helper}`] })]]),
      defaultTeam: 'billing',
      rules: [],
      people: { isAdmin: () => false },
      calendar: ALWAYS,
      levels: {},
      burstMs: 0,
      followUpMs: null,
      closeMs: null,
      boards: [(channel as SlackChannel).board],
      clock: hurriedClock,
      logger: silentLogger,
      random: () => 0,
    });
    await channel.start(gateway);
    triage.start();
  });
  after(async () => {
    await triage.stop();
    await harness[Symbol.asyncDispose]();
    await opened.close();
  });

  const latest = async (): Promise<Ticket> => {
    const [ticket] = await tickets.listTickets({ limit: 1 });
    assert.ok(ticket !== undefined);
    return ticket;
  };

  /** Every way to a ticket, each with words that stand nowhere else. */
  const ways = {
    emoji: async (place: string, words: string) => {
      const { slack, asker } = harness;
      const ts = slack.say(place, asker, words);
      slack.react(place, ts, asker, 'ticket');
      await slack.settle();
    },
    shortcut: async (place: string, words: string) => {
      const { slack, asker } = harness;
      await slack.shortcut(place, slack.say(place, asker, words), asker, 'threadwise_ticket');
    },
    command: async (place: string, words: string) => {
      await harness.slack.slash(place, harness.asker, '/triage', words);
    },
    channel: async (place: string, words: string) => {
      autoChannels.add(`slack:${place}`);
      harness.slack.say(place, harness.asker, words);
      await harness.slack.settle();
      autoChannels.delete(`slack:${place}`);
    },
    escalation: async (place: string, words: string) => {
      harness.slack.mention(place, harness.asker, `can I talk to a human about ${words}`);
      await harness.slack.settle();
    },
  } as const;

  for (const [kind, isPrivate] of [
    ['channel', false],
    ['group', true],
    ['mpim', true],
  ] as const) {
    for (const [how, make] of Object.entries(ways)) {
      it(`by ${how} in a ${kind} it is ${isPrivate ? 'private, and its words stand nowhere else' : 'public'}`, async () => {
        const { slack, asker } = harness;
        const place = slack.addChannel({ kind, members: [slack.botUserId, asker, helper] }).id;
        const canary = `canary-${kind}-${how}`;
        await make(place, canary);
        const ticket = await latest();
        assert.deepEqual([ticket.how, ticket.isPrivate, ticket.isThreadPrivate], [how, isPrivate, isPrivate]);
        assert.ok(ticket.text.includes(canary));
        const showing = () =>
          [...slack.workspace.channels.keys()].filter((id) =>
            [undefined, ...slack.messages(id).map(({ ts }) => ts)].some((ts) =>
              slack.messages(id, ts).some(({ isBot, buttons, text }) => isBot && buttons.length > 0 && text.includes(canary)),
            ),
          );
        await until(() => showing().includes(isPrivate ? place : desk));
        await triage.settle(signal);
        assert.deepEqual(showing().toSorted(), (isPrivate ? [place] : [place, desk]).toSorted());
      });
    }
  }

  it('becomes private with its channel, with the next word in its thread', async () => {
    const { slack, asker } = harness;
    const place = slack.addChannel({ members: [slack.botUserId, asker] }).id;
    const threadTs = slack.say(place, asker, 'canary-later');
    const threadId = `${(await latest()).threadId.split(':').slice(0, 2).join(':')}:${place}:${threadTs}`;
    const outcome = await triage.desk.arrive({
      ...arrival(1),
      deliveryId: threadId,
      threadId,
      place: { kind: 'channel', id: `slack:${place}` },
    });
    assert.ok('ticket' in outcome && !outcome.ticket.isPrivate);
    const { id } = outcome.ticket;
    const word = async (text: string) => {
      slack.say(place, asker, text, { threadTs });
      await slack.settle();
      const ticket = await tickets.readTicket(id);
      return [ticket?.messageCount, ticket?.isPrivate, ticket?.isThreadPrivate];
    };
    slack.faults.add({ method: 'conversations.info', fault: { kind: 'error', error: 'missing_scope' } });
    assert.deepEqual(await word('more'), [2, false, false], 'what Slack does not tell of is as it was');
    Object.assign(slack.workspace.channels.get(place) ?? {}, { kind: 'group' });
    assert.deepEqual(await word('among us'), [3, true, true]);
  });

  it('where Slack does not tell what a channel is, its ticket is private', async () => {
    const { slack, asker } = harness;
    const place = slack.addChannel({ members: [slack.botUserId, asker] }).id;
    slack.faults.add({ method: 'conversations.info', fault: { kind: 'error', error: 'missing_scope' } });
    await ways.channel(place, 'canary-unknown');
    assert.equal((await latest()).isPrivate, true);
  });
});
