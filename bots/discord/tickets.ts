/**
 * What makes a ticket in Discord (a command, a message's menu, an emoji, a channel, a forum, the wish for a person), and what is
 * written in its thread. A message is one delivery, whichever of these ways it comes.
 */
import {
  type ButtonInteraction,
  ChannelType,
  type ChatInputCommandInteraction,
  type Message,
  PermissionFlagsBits,
  type User,
} from 'discord.js';
import type { Author, InboundMessage, Place } from '../../agent/conversation.ts';
import type { Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { ArriveOutcome, TicketDesk } from '../../agent/ports/ticket-desk.ts';
import { languageOf, textsFor } from '../../agent/texts.ts';
import type { ArrivalWay, TicketArrival } from '../../agent/ticket.ts';
import { NOTHING_ASKED, PERSONS_ONLY } from '../ticket-actions.ts';
import { arrivalOf, createPersonClick, handOver } from '../ticket-person.ts';
import {
  conversationIn,
  conversationOfDm,
  type DiscordAddress,
  personId,
  placeId,
  readAddress,
  toReplyAddress,
} from './address.ts';
import type { Members } from './members.ts';
import { threadName } from './text.ts';

export interface DiscordTicketSettings {
  /** Once the channel starts. */
  readonly desk: () => TicketDesk;
  /** By its name in Slack, without colons; or that of one of the server's own. */
  readonly emoji: string;
  /** Place ids: in a channel each message that begins something is a ticket, in a forum each post. */
  readonly channels: ReadonlySet<string>;
}

/** A message with its text as a person reads it. */
export interface WrittenMessage {
  readonly message: Message;
  readonly text: string;
}

export interface DiscordTickets {
  readonly desk: TicketDesk;
  /** Undefined where the one who wants it may not, or a bot wrote the message. Throws what the store throws. */
  arrive(written: WrittenMessage, how: ArrivalWay, wantedBy: User): Promise<ArriveOutcome | undefined>;
  /** `/triage`: its ticket's thread begins at the command's own answer, whose id is `answerId`. */
  arriveWith(interaction: ChatInputCommandInteraction, text: string, answerId: string): Promise<ArriveOutcome | undefined>;
  /** A question that is none for the assistant: the asker wants a person. */
  escalate(message: InboundMessage, isPrivate: boolean): Promise<void>;
  /** The button under an answer. Resolves with what the clicker is told, undefined for a bot. Never throws. */
  onAskPerson(interaction: ButtonInteraction, turnId: string): Promise<string | undefined>;
  /**
   * Whatever a person writes: begins a ticket where each message is one, belongs to the one of its thread, or of the conversation
   * with the assistant that it continues. True where it has one.
   */
  hear(written: WrittenMessage, conversationId?: string): Promise<boolean>;
  isTicketEmoji(name: string | null): boolean;
  /** Whoever put the emoji there is told in a direct message why there is no ticket. */
  onReaction(written: WrittenMessage, by: User): Promise<void>;
  /** As in `TicketDesk`: of the thread that the message belongs to. */
  isWithPerson(message: Message, conversationId: string): Promise<boolean>;
}

export interface DiscordTicketOptions {
  readonly settings: DiscordTicketSettings;
  readonly gateway: Pick<Gateway, 'refusalFor' | 'readTurn'>;
  readonly members: Members;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Slack names them, Discord sends the character. */
const EMOJI: Readonly<Record<string, string>> = {
  ticket: '🎫',
  admission_tickets: '🎟',
  sos: '🆘',
  question: '❓',
  raising_hand: '🙋',
  rotating_light: '🚨',
  warning: '⚠',
  bug: '🐛',
  wrench: '🔧',
  fire: '🔥',
};

type AnyChannel = Message['channel'];
type Spoken = Pick<Message, 'channel' | 'channelId' | 'guildId'>;

/** Fewer than the whole server read it. */
export const isPrivatePlace = (channel: AnyChannel | null): boolean => {
  if (channel === null || channel.isDMBased() || channel.type === ChannelType.PrivateThread) return true;
  const everyone = channel.guild.roles.everyone;
  // Of a thread whose channel is not known nobody can tell.
  return channel.permissionsFor(everyone)?.has(PermissionFlagsBits.ViewChannel) !== true;
};

const placeOf = ({ channel, channelId, guildId }: Spoken): Place => ({
  kind: guildId === null ? 'direct' : 'channel',
  id: placeId(channel.isThread() ? (channel.parentId ?? channelId) : channelId),
  ...(channel.type === ChannelType.PrivateThread ? { isPrivateThread: true } : {}),
});

/** Where a ticket that begins at this message goes on. */
const threadOf = ({ channel, channelId, guildId }: Spoken, messageId: string): string =>
  guildId === null ? conversationOfDm(channelId) : conversationIn(guildId, channel.isThread() ? channelId : messageId);

const addressOf = ({ channel, channelId }: Spoken, messageId: string, text: string): DiscordAddress =>
  channel.type === ChannelType.GuildText || channel.type === ChannelType.GuildAnnouncement
    ? { kind: 'thread', channel: channelId, message: messageId, name: threadName(text, textsFor(languageOf(text)).untitled) }
    : { kind: 'reply', channel: channelId, message: messageId };

/** The first message of a forum's post has the post's id. */
const forumOf = ({ channel, id }: Message) => {
  if (!channel.isThread() || channel.id !== id) return undefined;
  const { parent } = channel;
  return parent?.type === ChannelType.GuildForum || parent?.type === ChannelType.GuildMedia ? parent : undefined;
};

const subjectOf = (message: Message): Pick<TicketArrival, 'subject' | 'fields'> => {
  const forum = forumOf(message);
  if (forum === undefined || !message.channel.isThread()) return { subject: '', fields: {} };
  const { name, appliedTags } = message.channel;
  const tags = forum.availableTags.filter(({ id }) => appliedTags.includes(id)).map((tag) => tag.name);
  return { subject: name, fields: tags.length === 0 ? {} : { tags: tags.join(', ') } };
};

const nameOf = ({ author, member }: Message): string => member?.displayName ?? author.displayName;

export const createDiscordTickets = ({ settings, gateway, members, clock, logger }: DiscordTicketOptions): DiscordTickets => {
  const desk = settings.desk();
  const passOn = createPersonClick({ gateway, desk, source: 'discord', logger });
  const character = EMOJI[settings.emoji] ?? settings.emoji;

  const arrivalAt = ({ message, text }: WrittenMessage, how: ArrivalWay): TicketArrival => ({
    deliveryId: `discord:${message.id}`,
    threadId: threadOf(message, message.id),
    how,
    author: { id: personId(message.author.id), displayName: nameOf(message) },
    place: placeOf(message),
    isPrivate: isPrivatePlace(message.channel),
    address: toReplyAddress(addressOf(message, message.id, text)),
    external: null,
    ...subjectOf(message),
    text,
    receivedAt: clock.now(),
  });

  const kindOf = async (user: User, guildId: string | null): Promise<Author['kind']> => {
    if (user.bot) return 'bot';
    return guildId !== null || (await members.has(user.id)) ? 'person' : 'external';
  };

  const mayAsk = async (user: User, where: Spoken): Promise<boolean> => {
    const { guildId, channelId } = where;
    const kind = await kindOf(user, guildId);
    if (kind === 'bot') return false;
    const scope = {
      tenantId: `discord:${guildId ?? 'dm'}`,
      channel: 'discord',
      conversationId: threadOf(where, channelId),
      userId: personId(user.id),
    } as const;
    const author = { id: personId(user.id), displayName: user.displayName, kind };
    return gateway.refusalFor({ author, scope, place: placeOf(where) }) === undefined;
  };

  const arrive: DiscordTickets['arrive'] = async (written, how, wantedBy) => {
    const { message } = written;
    if (message.author.bot || message.webhookId !== null || !(await mayAsk(wantedBy, message))) return undefined;
    return desk.arrive(arrivalAt(written, how));
  };

  /** The thread of its own ticket that a message belongs to, or else the conversation with the assistant that it continues. */
  const threadAt = async (message: Message, conversationId?: string): Promise<string> => {
    const { channel, guildId, reference } = message;
    const begins = channel.isThread() || guildId === null ? message.id : (reference?.messageId ?? message.id);
    const own = threadOf(message, begins);
    return conversationId === undefined || (await desk.findByThread(own)) !== undefined ? own : conversationId;
  };

  return {
    desk,
    arrive,
    async onReaction(written, by) {
      if (by.bot) return;
      const { message, text } = written;
      const outcome = await arrive(written, 'emoji', by);
      if (outcome !== undefined && outcome.kind !== 'not_a_ticket') return;
      const isPersons = !message.author.bot && message.webhookId === null;
      const refusal = isPersons ? textsFor(languageOf(text)).notAllowed : PERSONS_ONLY;
      const why = outcome === undefined ? refusal : NOTHING_ASKED;
      // A reaction has no answer that one person alone sees.
      await by.send({ content: `${message.url}\n${why}`, allowedMentions: { parse: [] } }).catch((error: unknown) => {
        logger.info('discord_notice_failed', { error: error as Error });
      });
    },
    isWithPerson: async (message, conversationId) => desk.isWithPerson(await threadAt(message, conversationId)),
    async arriveWith(interaction, text, answerId) {
      const { channel, channelId, guildId, user, id } = interaction;
      if (channel === null || !(await mayAsk(user, { channel, channelId, guildId }))) return undefined;
      const where = { channel, channelId, guildId };
      const member = interaction.inCachedGuild() ? interaction.member : undefined;
      return desk.arrive({
        deliveryId: `discord:${id}`,
        threadId: threadOf(where, answerId),
        how: 'command',
        author: { id: personId(user.id), displayName: member?.displayName ?? user.displayName },
        place: placeOf(where),
        isPrivate: isPrivatePlace(channel),
        address: toReplyAddress(addressOf(where, answerId, text)),
        external: null,
        subject: '',
        text,
        receivedAt: clock.now(),
        fields: {},
      });
    },
    async escalate(message, isPrivate) {
      const arrival = arrivalOf(message, 'escalation', isPrivate);
      await handOver(desk, { arrival, userId: message.author.id, source: 'discord', key: message.deliveryId });
    },
    async onAskPerson(interaction, turnId) {
      const { channel, message: answer, user, guildId } = interaction;
      return passOn({
        turnId,
        clicker: { id: personId(user.id), displayName: user.displayName, kind: await kindOf(user, guildId) },
        isPrivate: isPrivatePlace(channel),
        // A command's own address is good for a quarter of an hour.
        addressFor: (address) =>
          readAddress(address).kind === 'command'
            ? toReplyAddress({ kind: 'reply', channel: answer.channelId, message: answer.id })
            : address,
      });
    },
    async hear(written, conversationId) {
      const { message, text } = written;
      const { author, reference, guildId, channel } = message;
      if (author.bot || message.webhookId !== null) return false;
      const forum = forumOf(message);
      const isRoot = guildId !== null && !channel.isThread() && reference === null;
      const isListed = settings.channels.has(placeId(forum?.id ?? message.channelId));
      if (isRoot || forum !== undefined) {
        if (!isListed) return false;
        const outcome = await arrive(written, forum === undefined ? 'channel' : 'forum', author);
        return outcome !== undefined && outcome.kind !== 'not_a_ticket';
      }
      const { kind } = await desk.hear({
        deliveryId: `discord:${message.id}`,
        threadId: await threadAt(message, conversationId),
        author: { id: personId(author.id), displayName: nameOf(message) },
        text,
        isPrivate: isPrivatePlace(channel),
        at: clock.now(),
        source: 'discord',
      });
      return kind !== 'no_ticket' && kind !== 'not_a_ticket';
    },
    // Some characters come with a mark that asks for colour.
    isTicketEmoji: (name) => name?.replace(/\u{fe0f}$/u, '') === character || name === settings.emoji,
  };
};
