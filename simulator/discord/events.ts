import { INTENT, type SimGateway } from './gateway.ts';
import { channelJson, memberJson, messageJson, userJson } from './serialize.ts';
import type { SimChannel, SimMessage, World } from './world.ts';

/** Tells the gateway what happened, to whom the intents allow. */
export interface SimEvents {
  messageCreated(message: SimMessage): void;
  messageUpdated(message: SimMessage): void;
  messageDeleted(message: SimMessage): void;
  /** `emoji`: the character itself, or the name of one of the server's own. */
  reactionAdded(message: SimMessage, userId: string, emoji: string): void;
  threadCreated(thread: SimChannel): void;
  threadUpdated(thread: SimChannel): void;
  interactionCreated(interaction: object): void;
}

export const createSimEvents = (world: World, gateway: SimGateway): SimEvents => {
  const messageIntent = (channel: SimChannel): number =>
    channel.guildId === null ? INTENT.directMessages : INTENT.guildMessages;

  const emitMessage = (event: string, message: SimMessage): void => {
    if (message.ephemeralFor !== null) return;
    const channel = world.channel(message.channelId);
    const guild = channel.guildId === null ? undefined : world.guilds.get(channel.guildId);
    const full = {
      ...messageJson(world, message, { withNonce: message.authorId === world.botId }),
      channel_type: channel.type,
      ...(guild === undefined
        ? {}
        : {
            guild_id: guild.id,
            // A webhook's message has no member.
            ...(message.webhookId === null ? { member: memberJson() } : {}),
          }),
    };
    // Content stays for the bot's own messages, direct messages and messages that mention it.
    const isReadable = channel.guildId === null || message.authorId === world.botId || message.mentionIds.includes(world.botId);
    const blank = { ...full, content: '', embeds: [], attachments: [], components: [] };
    gateway.dispatch(event, (intents) => {
      if ((intents & messageIntent(channel)) === 0) return undefined;
      return isReadable || (intents & INTENT.messageContent) !== 0 ? full : blank;
    });
  };
  const guildEvent = (event: string, data: unknown): void =>
    gateway.dispatch(event, (intents) => ((intents & INTENT.guilds) === 0 ? undefined : data));

  return {
    messageCreated: (message) => emitMessage('MESSAGE_CREATE', message),
    messageUpdated: (message) => emitMessage('MESSAGE_UPDATE', message),
    messageDeleted(message) {
      if (message.ephemeralFor !== null) return;
      const channel = world.channel(message.channelId);
      const data = {
        id: message.id,
        channel_id: channel.id,
        ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
      };
      gateway.dispatch('MESSAGE_DELETE', (intents) => ((intents & messageIntent(channel)) === 0 ? undefined : data));
    },
    reactionAdded(message, userId, emoji) {
      const channel = world.channel(message.channelId);
      const isDirect = channel.guildId === null;
      const data = {
        user_id: userId,
        channel_id: channel.id,
        message_id: message.id,
        emoji: { id: /^\w+$/u.test(emoji) ? world.nextId() : null, name: emoji },
        burst: false,
        type: 0,
        message_author_id: message.authorId,
        ...(isDirect ? {} : { guild_id: channel.guildId, member: { ...memberJson(), user: userJson(world.user(userId)) } }),
      };
      const intent = isDirect ? INTENT.directMessageReactions : INTENT.guildMessageReactions;
      gateway.dispatch('MESSAGE_REACTION_ADD', (intents) => ((intents & intent) === 0 ? undefined : data));
    },
    threadCreated(thread) {
      guildEvent('THREAD_CREATE', { ...channelJson(world, thread), newly_created: true });
      guildEvent('THREAD_MEMBERS_UPDATE', {
        id: thread.id,
        guild_id: thread.guildId,
        member_count: thread.thread?.memberIds.size ?? 0,
        added_members: [...(thread.thread?.memberIds ?? [])].map((userId) => ({
          id: thread.id,
          user_id: userId,
          join_timestamp: new Date(thread.thread?.createdAt ?? 0).toISOString(),
          flags: 0,
        })),
        removed_member_ids: [],
      });
    },
    threadUpdated: (thread) => guildEvent('THREAD_UPDATE', channelJson(world, thread)),
    interactionCreated: (interaction) => gateway.dispatch('INTERACTION_CREATE', () => interaction),
  };
};
