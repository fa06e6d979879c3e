/** Messages in: which of them are meant for the assistant, in which conversation they stand, and where their answer goes. */

import { ChannelType, type Client, type Message, MessageReferenceType, MessageType } from 'discord.js';
import type { Author, InboundMessage, Trigger } from '../../agent/conversation.ts';
import type { Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { languageOf, textsFor } from '../../agent/texts.ts';
import { isStop } from '../question.ts';
import { asksForPerson } from '../ticket-words.ts';
import { conversationIn, conversationOfDm, type DiscordAddress, personId, placeId, toReplyAddress } from './address.ts';
import type { Places } from './backfill.ts';
import type { Members } from './members.ts';
import { hasMention, readText, threadName } from './text.ts';
import { type DiscordTickets, isPrivatePlace } from './tickets.ts';

export interface IntakeOptions {
  readonly client: Client<true>;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly places: Places;
  readonly members: Members;
  /** The Message Content intent is on: follow-ups in a thread need no mention. */
  readonly hasMessageContent: boolean;
  /** Undefined where tickets are not set up. */
  readonly tickets?: DiscordTickets | undefined;
}

/** A message as it was when it came: discord.js changes the object itself when an edit follows. */
export interface Seen {
  readonly message: Message;
  readonly text: string;
  readonly isMentioned: boolean;
  /** Without the Message Content intent most messages come without their text. */
  readonly isReadable: boolean;
}

export interface Intake {
  see(message: Message): Seen;
  onMessage(seen: Seen): Promise<void>;
  onEdit(before: { readonly partial: boolean; readonly content: string | null }, after: Message): Promise<void>;
  onDelete(messageId: string): Promise<void>;
}

/** A chain of replies is followed this far back. */
const MAX_HOPS = 8;
const MAX_ROOTS = 5_000;

export const textOf = (message: Message): string => {
  const { mentions } = message;
  const forwarded = message.messageSnapshots.map((snapshot) => snapshot.content).filter((content) => content !== '');
  return readText({
    content: [message.content, ...forwarded].join('\n'),
    botId: message.client.user?.id ?? '',
    people: new Map(mentions.users.map((user) => [user.id, mentions.members?.get(user.id)?.displayName ?? user.displayName])),
    channels: new Map(
      mentions.channels.map((channel) => [channel.id, 'name' in channel ? (channel.name ?? 'channel') : 'channel']),
    ),
    roles: new Map(mentions.roles.map((role) => [role.id, role.name])),
  });
};

const isWritten = (message: Message): boolean => message.type === MessageType.Default || message.type === MessageType.Reply;
const repliedTo = (message: Message): string | undefined =>
  message.reference !== null && message.reference.type !== MessageReferenceType.Forward ? message.reference.messageId : undefined;

export const createIntake = ({ client, gateway, clock, places, members, hasMessageContent, tickets }: IntakeOptions): Intake => {
  const botId = client.user.id;
  /** The conversation that a message outside a thread belongs to. */
  const roots = new Map<string, string>();
  const remember = (messageId: string, conversationId: string): void => {
    roots.set(messageId, conversationId);
    const oldest = roots.size > MAX_ROOTS ? roots.keys().next() : undefined;
    if (oldest?.done === false) roots.delete(oldest.value);
  };

  const fetchIn = async (message: Message, id: string): Promise<Message | undefined> => {
    try {
      return await message.channel.messages.fetch(id);
    } catch {
      // Gone, or out of reach: the chain of replies ends here.
      return undefined;
    }
  };

  /** The command or the question at the start of a chain of replies. */
  const rootOf = async (message: Message, guildId: string): Promise<string> => {
    let current = message;
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const known = roots.get(current.id);
      if (known !== undefined) return known;
      if (current.interactionMetadata !== null) return conversationIn(guildId, current.interactionMetadata.id);
      const before = repliedTo(current);
      const earlier = before === undefined ? undefined : await fetchIn(message, before);
      if (earlier === undefined) return conversationIn(guildId, before ?? current.id);
      current = earlier;
    }
    return conversationIn(guildId, current.id);
  };

  interface Meant {
    readonly trigger: Trigger;
    readonly conversationId: string;
    readonly address: DiscordAddress;
    readonly placeChannelId: string;
  }

  const reply = (message: Message): DiscordAddress => ({ kind: 'reply', channel: message.channelId, message: message.id });

  const meantInThread = async ({ message, isMentioned, isReadable }: Seen, guildId: string): Promise<Meant | undefined> => {
    const conversationId = conversationIn(guildId, message.channelId);
    const parentId = message.channel.isThread() ? message.channel.parentId : null;
    const meant = { conversationId, address: reply(message), placeChannelId: parentId ?? message.channelId };
    if (isMentioned) return { ...meant, trigger: 'mention' };
    const { mentions } = message;
    if (mentions.repliedUser?.id === botId) return { ...meant, trigger: 'follow_up' };
    // What is said to somebody else, or to everybody, is not said to the assistant.
    const isForOthers = mentions.everyone || mentions.users.some((user) => user.id !== botId) || mentions.roles.size > 0;
    if (isForOthers || !hasMessageContent || !isReadable) return undefined;
    return (await gateway.isSubscribed(conversationId)) ? { ...meant, trigger: 'follow_up' } : undefined;
  };

  const meantInChannel = async ({ message, text, isMentioned }: Seen, guildId: string): Promise<Meant | undefined> => {
    const before = repliedTo(message);
    const isReplyToBot = before !== undefined && message.mentions.repliedUser?.id === botId;
    if (isReplyToBot) {
      const answer = await fetchIn(message, before);
      const conversationId = answer === undefined ? conversationIn(guildId, before) : await rootOf(answer, guildId);
      remember(message.id, conversationId);
      return {
        trigger: isMentioned ? 'mention' : 'follow_up',
        conversationId,
        address: reply(message),
        placeChannelId: message.channelId,
      };
    }
    if (!isMentioned) return undefined;
    const canThread = message.channel.type === ChannelType.GuildText || message.channel.type === ChannelType.GuildAnnouncement;
    const name = threadName(text, textsFor(languageOf(text)).untitled);
    return {
      trigger: 'mention',
      conversationId: conversationIn(guildId, message.id),
      address: canThread ? { kind: 'thread', channel: message.channelId, message: message.id, name } : reply(message),
      placeChannelId: message.channelId,
    };
  };

  const meant = async (seen: Seen): Promise<Meant | undefined> => {
    const { message } = seen;
    const { guildId, channelId } = message;
    if (guildId === null) {
      return {
        trigger: 'direct',
        conversationId: conversationOfDm(channelId),
        address: reply(message),
        placeChannelId: channelId,
      };
    }
    return message.channel.isThread() ? meantInThread(seen, guildId) : meantInChannel(seen, guildId);
  };

  const kindOf = async ({ author, guildId, webhookId }: Message): Promise<Author['kind']> => {
    if (author.bot || webhookId !== null) return 'bot';
    return guildId !== null || (await members.has(author.id)) ? 'person' : 'external';
  };

  /** The run that stops says so in its own message. */
  const stop = async (message: Message, { scope, text }: InboundMessage): Promise<void> => {
    if (await gateway.cancel(scope)) return;
    await message.reply({
      content: textsFor(languageOf(text)).noRunToStop,
      failIfNotExists: false,
      allowedMentions: { parse: [], repliedUser: false },
    });
  };

  const watch = (message: Message, address: DiscordAddress): void => {
    places.touch(message.channelId, message.id);
    // The thread that the answer opens has its question's id.
    if (address.kind === 'thread') places.touch(message.id, message.id);
  };

  return {
    see: (message) => ({
      message,
      text: textOf(message),
      isMentioned: message.mentions.users.has(botId) && hasMention(message.content, botId),
      isReadable: message.content !== '' || message.messageSnapshots.size > 0,
    }),
    async onMessage(seen) {
      const { message } = seen;
      if (message.author.id === botId || !isWritten(message)) return;
      const found = await meant(seen);
      const goesOn = message.channel.isThread() || message.guildId === null || message.reference !== null;
      if (found === undefined) {
        // What the store did not take is fetched again after a restart.
        if ((await tickets?.hear(seen)) === true) {
          places.touch(message.channelId, message.id);
          // The first message of a forum's post: those after it are still to come.
          if (message.channel.isThread() && message.channel.parent?.isThreadOnly() === true && message.id === message.channelId)
            places.touch(message.channel.parent.id, message.id);
        }
        return;
      }
      try {
        if (goesOn) await tickets?.hear(seen, found.conversationId);
        const kind = await kindOf(message);
        const inbound: InboundMessage = {
          deliveryId: `discord:${message.id}`,
          scope: {
            tenantId: `discord:${message.guildId ?? 'dm'}`,
            channel: 'discord',
            conversationId: found.conversationId,
            userId: personId(message.author.id),
          },
          author: {
            id: personId(message.author.id),
            displayName: message.member?.displayName ?? message.author.displayName,
            kind,
          },
          place: {
            kind: message.guildId === null ? 'direct' : 'channel',
            id: placeId(found.placeChannelId),
            ...(message.channel.type === ChannelType.PrivateThread ? { isPrivateThread: true } : {}),
          },
          trigger: found.trigger,
          text: seen.text,
          sourceMessageId: message.id,
          address: toReplyAddress(found.address),
          receivedAt: clock.now(),
        };
        const wantsPerson = tickets !== undefined && asksForPerson(seen.text) && gateway.refusalFor(inbound) === undefined;
        if (isStop(seen.text) && inbound.author.kind !== 'bot') await stop(message, inbound);
        else if (wantsPerson) await tickets.escalate(inbound, isPrivatePlace(message.channel));
        // A person has it: who wants the assistant there says its name.
        else if (seen.isMentioned || (await tickets?.isWithPerson(message, found.conversationId)) !== true)
          await gateway.accept(inbound);
      } catch (error) {
        // Discord does not send it again.
        const content = textsFor(languageOf(seen.text)).tryAgain;
        await message.reply({ content, allowedMentions: { parse: [], repliedUser: false } }).catch(() => undefined);
        throw error;
      }
      // Only now: what the store did not take is fetched again after a restart.
      watch(message, found.address);
    },
    async onEdit(before, after) {
      if (after.author.id === botId || !isWritten(after)) return;
      // A link's preview arrives as an update without an edit time; blanked content is no edit.
      const isSame = !before.partial && before.content === after.content;
      if (isSame || after.editedTimestamp === null || after.content === '') return;
      await gateway.editQuestion('discord', after.id, textOf(after));
    },
    onDelete: (messageId) => gateway.deleteQuestion('discord', messageId),
  };
};
