/** A ticket is as private as the place it was made in: real Bolt against the simulator, the desk on a store in memory. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { arrival } from '../fakes/tickets.ts';
import { until } from './slack-harness.ts';
import { openTicketBench, type TicketBench } from './slack-ticket-bench.ts';

const signal = new AbortController().signal;

describe('the privacy of tickets in slack', () => {
  let bench: TicketBench;
  before(async () => {
    bench = await openTicketBench();
  });
  after(() => bench[Symbol.asyncDispose]());

  /** Every way to a ticket, each with words that stand nowhere else. */
  const ways = {
    emoji: async (place: string, words: string) => {
      const { slack, asker } = bench.harness;
      const ts = slack.say(place, asker, words);
      slack.react(place, ts, asker, 'ticket');
      await slack.settle();
    },
    shortcut: async (place: string, words: string) => {
      const { slack, asker } = bench.harness;
      await slack.shortcut(place, slack.say(place, asker, words), asker, 'threadwise_ticket');
    },
    command: async (place: string, words: string) => {
      await bench.harness.slack.slash(place, bench.harness.asker, '/triage', words);
    },
    channel: async (place: string, words: string) => {
      bench.listed.add(`slack:${place}`);
      bench.harness.slack.say(place, bench.harness.asker, words);
      await bench.harness.slack.settle();
      bench.listed.delete(`slack:${place}`);
    },
    escalation: async (place: string, words: string) => {
      bench.harness.slack.mention(place, bench.harness.asker, `can I talk to a human about ${words}`);
      await bench.harness.slack.settle();
    },
  } as const;

  for (const [kind, isPrivate] of [
    ['channel', false],
    ['group', true],
    ['mpim', true],
  ] as const) {
    for (const [how, make] of Object.entries(ways)) {
      it(`by ${how} in a ${kind} it is ${isPrivate ? 'private, and its words stand nowhere else' : 'public'}`, async () => {
        const { slack, asker } = bench.harness;
        const place = slack.addChannel({ kind, members: [slack.botUserId, asker, bench.helper] }).id;
        const canary = `canary-${kind}-${how}`;
        await make(place, canary);
        const ticket = await bench.latest();
        assert.deepEqual([ticket.how, ticket.isPrivate, ticket.isThreadPrivate], [how, isPrivate, isPrivate]);
        assert.ok(ticket.text.includes(canary));
        const showing = () =>
          [...slack.workspace.channels.keys()].filter((id) =>
            [undefined, ...slack.messages(id).map(({ ts }) => ts)].some((ts) =>
              slack.messages(id, ts).some(({ isBot, buttons, text }) => isBot && buttons.length > 0 && text.includes(canary)),
            ),
          );
        await until(() => showing().includes(isPrivate ? place : bench.desk));
        await bench.triage.settle(signal);
        assert.deepEqual(showing().toSorted(), (isPrivate ? [place] : [place, bench.desk]).toSorted());
      });
    }
  }

  it('becomes private with its channel, with the next word in its thread', async () => {
    const { slack, asker } = bench.harness;
    const place = slack.addChannel({ members: [slack.botUserId, asker] }).id;
    const threadTs = slack.say(place, asker, 'canary-later');
    const threadId = `${(await bench.latest()).threadId.split(':').slice(0, 2).join(':')}:${place}:${threadTs}`;
    const outcome = await bench.triage.desk.arrive({
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
      const ticket = await bench.tickets.readTicket(id);
      return [ticket?.messageCount, ticket?.isPrivate, ticket?.isThreadPrivate];
    };
    slack.faults.add({ method: 'conversations.info', fault: { kind: 'error', error: 'missing_scope' } });
    assert.deepEqual(await word('more'), [2, false, false], 'what Slack does not tell of is as it was');
    Object.assign(slack.workspace.channels.get(place) ?? {}, { kind: 'group' });
    assert.deepEqual(await word('among us'), [3, true, true]);
  });

  it('where Slack does not tell what a channel is, its ticket is private', async () => {
    const { slack, asker } = bench.harness;
    const place = slack.addChannel({ members: [slack.botUserId, asker] }).id;
    slack.faults.add({ method: 'conversations.info', fault: { kind: 'error', error: 'missing_scope' } });
    await ways.channel(place, 'canary-unknown');
    assert.equal((await bench.latest()).isPrivate, true);
  });
});
