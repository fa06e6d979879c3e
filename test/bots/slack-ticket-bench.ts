/** Tickets in Slack as a whole: real Bolt against the simulator, triage on a store in memory. */
import type { TicketStore } from '../../agent/ports/ticket-store.ts';
import type { Ticket } from '../../agent/ticket.ts';
import type { SlackChannel } from '../../bots/slack/slack.ts';
import { systemClock } from '../../ops/clock.ts';
import type { VisibleMessage } from '../../simulator/slack/people.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Triage, TriageOptions } from '../../triage/triage.ts';
import { event } from '../fakes/tickets.ts';
import { createTeamTriage } from '../fakes/triage-bench.ts';
import { type Harness, startHarness, until } from './slack-harness.ts';

export interface TicketBench extends AsyncDisposable {
  readonly harness: Harness;
  readonly triage: Triage;
  readonly tickets: TicketStore;
  /** A member of the team; both are in the harness's room. */
  readonly helper: string;
  /** The team's channel. */
  readonly desk: string;
  /** Each message in it is a ticket. */
  readonly auto: string;
  /** The places of which that is so. */
  readonly listed: Set<string>;
  latest(): Promise<Ticket>;
  /** The card of a ticket in a channel or a thread of it, once it says so. */
  cardIn(channelId: string, id: string, words: RegExp, threadTs?: string): Promise<VisibleMessage>;
  /** What one person alone was told there. */
  whispers(channelId: string, userId: string): readonly string[];
  /** Proposes a draft for the ticket. */
  propose(ticket: Ticket, draftId: string, text: string): Promise<void>;
}

export const openTicketBench = async (over: Partial<TriageOptions> = {}): Promise<TicketBench> => {
  const opened = openSqliteStore({ folder: ':memory:', clock: systemClock });
  const { tickets } = opened;
  const listed = new Set<string>();
  const harness = await startHarness({
    mode: 'socket',
    isStarted: false,
    channel: {
      tickets: { desk: () => triage.desk, emoji: 'ticket', channels: listed },
    },
  });
  const { slack, channel, asker, gateway, room } = harness;
  const helper = slack.addUser({ displayName: 'Ben' }).id;
  const desk = slack.addChannel({ name: 'billing-team', members: [slack.botUserId, helper] }).id;
  const auto = slack.addChannel({ name: 'help', members: [slack.botUserId, asker, helper] }).id;
  listed.add(`slack:${auto}`);
  slack.workspace.channels.get(room)?.members.add(helper);
  const { board } = channel as SlackChannel;
  const people = { channelId: `slack:${desk}`, members: [`slack:${helper}`] };
  const triage = createTeamTriage({ store: tickets, board, ...people }, { levels: { normal: { first_answer: 60 } }, ...over });
  await channel.start(gateway);
  triage.start();
  const latest = async (): Promise<Ticket> => {
    const [ticket] = await tickets.listTickets({ limit: 1 });
    if (ticket === undefined) throw new Error('no ticket');
    return ticket;
  };
  return {
    harness,
    triage,
    tickets,
    helper,
    desk,
    auto,
    listed,
    latest,
    cardIn: (channelId, id, words, threadTs) =>
      until(
        () =>
          slack
            .messages(channelId, threadTs)
            .find(({ isBot, text, buttons }) => isBot && buttons.length > 0 && text.includes(`${id} ·`) && words.test(text)),
        `the card of ${id} with ${words}`,
      ),
    whispers: (channelId, userId) =>
      slack
        .visible(channelId, userId)
        .filter(({ onlyFor }) => onlyFor === userId)
        .map(({ text }) => text),
    propose: async ({ id }, draftId, text) => {
      const draft = { id: draftId, text, citations: [], confidence: 0.8, language: 'en' };
      const { version = 0 } = (await tickets.readTicket(id)) ?? {};
      await tickets.append([{ ticketId: id, expectedVersion: version, events: [event({ kind: 'draft_proposed', draft })] }]);
      await triage.settle(new AbortController().signal);
    },
    [Symbol.asyncDispose]: async () => {
      await triage.stop();
      await harness[Symbol.asyncDispose]();
      await opened.close();
    },
  };
};
