/**
 * What makes a ticket in Slack (a command, a shortcut, an emoji, a channel, the wish for a person), and what is written in its thread.
 * A message is one delivery, whichever of these ways it comes.
 */
import type { WebClient } from '@slack/web-api';
import type { InboundMessage } from '../../agent/conversation.ts';
import { hasCode } from '../../agent/errors.ts';
import type { Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { ArriveOutcome, TicketDesk } from '../../agent/ports/ticket-desk.ts';
import { languageOf, textsFor } from '../../agent/texts.ts';
import type { ArrivalWay, TicketArrival, TicketPerson } from '../../agent/ticket.ts';
import { arrivedText, NOTHING_ASKED, PERSONS_ONLY } from '../ticket-actions.ts';
import { arrivalOf as arrivalOfQuestion, handOver } from '../ticket-person.ts';
import { conversationId, deliveryId, personId, placeOf, readAddress, type SlackAddress, scopeOf, toAddress } from './address.ts';
import type { Channels } from './channels.ts';
import type { Identity } from './intake.ts';
import type { People } from './people.ts';
import { mentionedUsers, plainText } from './text.ts';
import { createTicketClicks, type TicketClicks } from './ticket-clicks.ts';
import { callSlack } from './web-client.ts';
import { createWhisper } from './whisper.ts';

export interface SlackTicketSettings {
  /** Once the channel starts. */
  readonly desk: () => TicketDesk;
  /** Its name without colons. */
  readonly emoji: string;
  /** Place ids in which each message that begins a thread is a ticket. */
  readonly channels: ReadonlySet<string>;
}

/** A message as the ways to a ticket know it. */
export interface SourceMessage {
  readonly channelId: string;
  readonly ts: string;
  readonly threadTs: string | undefined;
  readonly userId: string;
  readonly text: string;
}

export interface SlackTickets extends TicketClicks {
  /** Resolves when the ticket is durable. Throws what the store throws. */
  arrive(message: SourceMessage, how: ArrivalWay): Promise<ArriveOutcome['kind']>;
  /** A question that is none for the assistant: the asker wants a person. */
  escalate(message: InboundMessage): Promise<void>;
  /** The same of a command, whose root message the app has posted. */
  arriveWith(message: InboundMessage, how: ArrivalWay): Promise<void>;
  /** As in `TicketDesk`; of a conversation. */
  isWithPerson(conversationId: string): Promise<boolean>;
  /** Whatever is written in channels: begins a ticket where each message is one, belongs to the one of its thread. */
  hear(message: SourceMessage): Promise<void>;
  /** Whoever put it there is told alone why there is no ticket. */
  onReaction(reaction: {
    readonly userId: string;
    readonly name: string;
    readonly channelId: string;
    readonly ts: string;
  }): Promise<void>;
  /** Whoever used it is told what came of it. `userId` of the message: empty where no person wrote it. */
  onShortcut(message: SourceMessage, userId: string): Promise<void>;
}

export interface SlackTicketOptions {
  readonly settings: SlackTicketSettings;
  readonly gateway: Gateway;
  readonly client: WebClient;
  readonly people: People;
  readonly channels: Channels;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const createSlackTickets = ({
  settings,
  gateway,
  client,
  people,
  channels,
  identity,
  clock,
  logger,
}: SlackTicketOptions): SlackTickets => {
  const { teamId, botUserId } = identity;
  const desk = settings.desk();
  const whisper = createWhisper({ client, logger });

  const toText = async (raw: string): Promise<string> => {
    const names = await people.namesOf(mentionedUsers(raw).filter((userId) => userId !== botUserId));
    return plainText(raw, { botUserId, nameOf: (userId) => names.get(userId) });
  };

  const addressOf = ({ channelId, ts, threadTs, userId }: SourceMessage): SlackAddress => {
    const isDirect = channelId.startsWith('D');
    return { channel: channelId, thread: threadTs ?? (isDirect ? '' : ts), question: ts, user: userId };
  };

  const authorOf = async (userId: string): Promise<TicketPerson> => ({
    id: personId(userId),
    displayName: (await people.describe(userId)).displayName,
  });

  const arrivalOf = async (message: SourceMessage, how: ArrivalWay): Promise<TicketArrival> => {
    const { channelId, ts, userId } = message;
    const isDirect = channelId.startsWith('D');
    const address = addressOf(message);
    return {
      deliveryId: deliveryId(teamId, channelId, ts),
      threadId: conversationId(teamId, address),
      how,
      author: await authorOf(userId),
      place: placeOf(channelId, isDirect),
      isPrivate: await channels.isPrivate(channelId),
      address: toAddress(address),
      external: null,
      subject: '',
      text: await toText(message.text),
      receivedAt: clock.now(),
      fields: {},
    };
  };

  const arrivalWith = async (message: InboundMessage, how: ArrivalWay): Promise<TicketArrival> =>
    arrivalOfQuestion(message, how, await channels.isPrivate(readAddress(message.address).channel));

  const mayAsk = async (userId: string, message: SourceMessage): Promise<boolean> => {
    const author = await people.describe(userId);
    if (author.kind === 'bot') return false;
    const address = { ...addressOf(message), user: userId };
    const place = placeOf(message.channelId, message.channelId.startsWith('D'));
    return (
      gateway.refusalFor({ author: { id: personId(userId), ...author }, scope: scopeOf(teamId, address), place }) === undefined
    );
  };

  const isPersons = async ({ userId }: SourceMessage): Promise<boolean> =>
    userId !== '' && (await people.describe(userId)).kind !== 'bot';

  /** In words, why somebody gets no ticket of a message. */
  const refusalOf = async (message: SourceMessage, wantedBy: string): Promise<string | undefined> => {
    if (!(await isPersons(message))) return PERSONS_ONLY;
    return (await mayAsk(wantedBy, message)) ? undefined : textsFor(languageOf(message.text)).notAllowed;
  };

  const arrive = async (message: SourceMessage, how: ArrivalWay): Promise<ArriveOutcome['kind']> => {
    const { kind } = await desk.arrive(await arrivalOf(message, how));
    logger.info('slack_ticket', { how, outcome: kind });
    return kind;
  };

  /** The one message at that time, in a thread or not; without a `userId` where no person wrote it. Undefined where the app cannot see it. */
  const readMessage = async (channelId: string, ts: string): Promise<SourceMessage | undefined> => {
    const { messages = [] } = await callSlack('conversations.replies', () =>
      client.conversations.replies({ channel: channelId, ts, oldest: ts, latest: ts, inclusive: true, limit: 2 }),
    );
    const found = messages.find((message) => message.ts === ts);
    if (found === undefined) return undefined;
    const userId = found.bot_id === undefined ? (found.user ?? '') : '';
    return { channelId, ts, threadTs: found.thread_ts, userId, text: found.text ?? '' };
  };

  return {
    arrive,
    isWithPerson: (conversation) => desk.isWithPerson(conversation),
    arriveWith: async (message, how) => {
      await desk.arrive(await arrivalWith(message, how));
    },
    escalate: async (message) => {
      const arrival = await arrivalWith(message, 'escalation');
      await handOver(desk, { arrival, userId: message.author.id, source: 'slack', key: message.deliveryId });
    },
    hear: async (message) => {
      const { channelId, ts, threadTs, userId } = message;
      const isDirect = channelId.startsWith('D');
      if (!isDirect && (threadTs === undefined || threadTs === ts)) {
        if (settings.channels.has(`slack:${channelId}`) && (await mayAsk(userId, message))) await arrive(message, 'channel');
        return;
      }
      const threadId = conversationId(teamId, addressOf(message));
      const ticket = await desk.findByThread(threadId);
      if (ticket === undefined) return;
      await desk.hear({
        deliveryId: deliveryId(teamId, channelId, ts),
        threadId,
        author: await authorOf(userId),
        text: await toText(message.text),
        isPrivate: ticket.isThreadPrivate || (await channels.hasBecomePrivate(channelId)),
        at: clock.now(),
        source: 'slack',
      });
    },
    onReaction: async ({ userId, name, channelId, ts }) => {
      if (name.split('::')[0] !== settings.emoji) return;
      const message = await readMessage(channelId, ts).catch((error: unknown) => {
        // A scope or a membership that is missing: no later delivery of the event changes that.
        if (!hasCode(error, 'channel_rejected')) throw error;
        logger.error('slack_message_unreadable', { channelId, error });
      });
      if (message === undefined || (await people.describe(userId)).kind === 'bot') return;
      const to = { channelId, userId, threadTs: message.threadTs };
      const why = await refusalOf(message, userId);
      if (why !== undefined) return void (await whisper(to, why));
      if ((await arrive(message, 'emoji')) === 'not_a_ticket') await whisper(to, NOTHING_ASKED);
    },
    onShortcut: async (message, userId) => {
      const to = { channelId: message.channelId, userId, threadTs: message.threadTs };
      const why = await refusalOf(message, userId);
      await whisper(to, why ?? arrivedText(await desk.arrive(await arrivalOf(message, 'shortcut'))));
    },
    ...createTicketClicks({ desk, client, whisper, clock, logger }),
  };
};
