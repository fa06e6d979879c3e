import { permissionsOf } from './permissions.ts';
import { CHANNEL, FLAG, type SimChannel, type SimGuild, type SimMessage, type SimUser, type World } from './world.ts';

/** Discord's JSON of what the world holds. Checked field by field against the published specification in the tests. */

const iso = (at: number): string => new Date(at).toISOString();

export const userJson = (user: SimUser) => ({
  id: user.id,
  username: user.username,
  avatar: null,
  discriminator: '0',
  public_flags: 0,
  flags: 0,
  ...(user.bot ? { bot: true } : {}),
  banner: null,
  accent_color: null,
  global_name: user.displayName,
  avatar_decoration_data: null,
  collectibles: null,
  primary_guild: null,
});

export const memberJson = () => ({
  avatar: null,
  banner: null,
  communication_disabled_until: null,
  flags: 0,
  joined_at: '2026-01-01T00:00:00.000Z',
  nick: null,
  pending: false,
  premium_since: null,
  roles: [] as string[],
  mute: false,
  deaf: false,
});

const lastMessageId = (channel: SimChannel): string | null =>
  channel.messages.findLast((message) => message.ephemeralFor === null)?.id ?? null;

const threadMemberJson = (channel: SimChannel, userId: string) => ({
  id: channel.id,
  user_id: userId,
  join_timestamp: iso(channel.thread?.createdAt ?? 0),
  flags: 1,
});

export const channelJson = (world: World, channel: SimChannel) => {
  if (channel.type === CHANNEL.dm) {
    return {
      id: channel.id,
      type: CHANNEL.dm,
      last_message_id: lastMessageId(channel),
      flags: 0,
      recipients: channel.recipientIds.map((id) => userJson(world.user(id))),
    };
  }
  const { thread } = channel;
  if (thread !== null) {
    return {
      id: channel.id,
      type: channel.type,
      last_message_id: lastMessageId(channel),
      flags: 0,
      guild_id: channel.guildId ?? '',
      name: channel.name,
      parent_id: channel.parentId,
      rate_limit_per_user: channel.slowmodeSeconds,
      owner_id: thread.ownerId,
      thread_metadata: {
        archived: thread.archived,
        archive_timestamp: iso(thread.createdAt),
        auto_archive_duration: thread.autoArchiveMinutes,
        locked: thread.locked,
        create_timestamp: iso(thread.createdAt),
      },
      message_count: channel.messages.length,
      member_count: thread.memberIds.size,
      total_message_sent: channel.messages.length,
      ...(thread.appliedTags.length === 0 ? {} : { applied_tags: thread.appliedTags }),
      ...(thread.memberIds.has(world.botId) ? { member: threadMemberJson(channel, world.botId) } : {}),
    };
  }
  return {
    id: channel.id,
    type: channel.type,
    last_message_id: lastMessageId(channel),
    flags: channel.requireTag ? 16 : 0,
    guild_id: channel.guildId ?? '',
    name: channel.name,
    parent_id: null,
    rate_limit_per_user: channel.slowmodeSeconds,
    topic: null,
    position: 0,
    permission_overwrites: channel.denied === 0n ? [] : [{ id: world.botId, type: 1, allow: '0', deny: String(channel.denied) }],
    nsfw: false,
    ...(channel.type === CHANNEL.forum
      ? {
          available_tags: channel.tags.map(({ id, name }) => ({
            id,
            name,
            moderated: false,
            emoji_id: null,
            emoji_name: null,
          })),
          default_forum_layout: 0,
          default_sort_order: null,
          default_reaction_emoji: null,
        }
      : {}),
  };
};

const withComponentIds = (components: readonly unknown[]): readonly unknown[] => {
  let id = 0;
  const number = (component: unknown): unknown => {
    if (typeof component !== 'object' || component === null) return component;
    id += 1;
    const isMenu = 'options' in component || Reflect.get(component, 'type') === 5;
    const numbered: Record<string, unknown> = { id, ...(isMenu ? { min_values: 1, max_values: 1 } : {}), ...component };
    if (Array.isArray(numbered['components'])) numbered['components'] = numbered['components'].map(number);
    return numbered;
  };
  return components.map(number);
};

export interface MessageView {
  /** A copy inside another message: no reference of its own. */
  readonly nested?: boolean;
  /** Shown to the one who created it and to the gateway; a channel read does not return it. */
  readonly withNonce?: boolean;
}

export const messageJson = (world: World, message: SimMessage, view: MessageView = {}): Record<string, unknown> => {
  const channel = world.channels.get(message.channelId);
  const { origin, reference } = message;
  const referenced =
    reference === null
      ? undefined
      : world.channels.get(reference.channelId)?.messages.find((candidate) => candidate.id === reference.messageId);
  const startedThread = world.channels.get(message.id);
  return {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    content: message.content,
    author: userJson(world.user(message.authorId)),
    mentions: message.mentionIds.map((id) => userJson(world.user(id))),
    mention_roles: message.mentionRoleIds,
    mention_everyone: message.mentionEveryone,
    attachments: message.attachments.map(({ id, filename, description, contentType, bytes }) => ({
      id,
      filename,
      ...(description === null ? {} : { description }),
      content_type: contentType,
      size: bytes.length,
      url: `https://cdn.discordapp.com/attachments/${message.channelId}/${id}/${filename}`,
      proxy_url: `https://media.discordapp.net/attachments/${message.channelId}/${id}/${filename}`,
    })),
    embeds: message.embeds.map((embed) => ({ type: 'rich', ...(embed as object) })),
    components: withComponentIds(message.components),
    timestamp: iso(message.createdAt),
    edited_timestamp: message.editedAt === null ? null : iso(message.editedAt),
    flags: message.flags,
    pinned: false,
    tts: false,
    ...(view.withNonce === true && message.nonce !== null ? { nonce: message.nonce } : {}),
    ...(message.webhookId === null ? {} : { webhook_id: message.webhookId }),
    ...(origin === null ? {} : { application_id: world.applicationId, ...originJson(world, message, channel) }),
    ...(reference === null
      ? {}
      : {
          message_reference: {
            type: 0,
            channel_id: reference.channelId,
            message_id: reference.messageId,
            ...(channel?.guildId == null ? {} : { guild_id: channel.guildId }),
          },
        }),
    ...(reference === null || view.nested === true
      ? {}
      : { referenced_message: referenced === undefined ? null : messageJson(world, referenced, { nested: true }) }),
    ...(startedThread?.thread == null ? {} : { thread: channelJson(world, startedThread) }),
  };
};

const originJson = (world: World, message: SimMessage, channel: SimChannel | undefined) => {
  const { origin } = message;
  if (origin === null) return {};
  const user = userJson(world.user(origin.userId));
  return {
    ...(origin.type === 2 ? { interaction: { id: origin.id, type: origin.type, name: origin.name, user } } : {}),
    interaction_metadata: {
      id: origin.id,
      type: origin.type,
      user,
      authorizing_integration_owners: channel?.guildId == null ? { '1': origin.userId } : { '0': channel.guildId },
      ...(origin.type === 3 && origin.interactedMessageId !== null ? { interacted_message_id: origin.interactedMessageId } : {}),
      ...(origin.type === 5
        ? {
            triggering_interaction_metadata: {
              id: origin.id,
              type: 3,
              user,
              authorizing_integration_owners: {},
              interacted_message_id: origin.interactedMessageId ?? message.id,
            },
          }
        : {}),
    },
  };
};

export const guildJson = (world: World, guild: SimGuild) => {
  const inGuild = [...world.channels.values()].filter((channel) => channel.guildId === guild.id);
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    owner_id: guild.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    roles: [{ id: guild.id, name: '@everyone', mentionable: false }, ...guild.roles].map((role, position) => ({
      ...role,
      color: 0,
      colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
      hoist: false,
      icon: null,
      unicode_emoji: null,
      position,
      permissions: String(guild.everyone),
      managed: false,
      flags: 0,
    })),
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    vanity_url_code: null,
    description: null,
    banner: null,
    premium_tier: 0,
    preferred_locale: 'en-US',
    public_updates_channel_id: null,
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    safety_alerts_channel_id: null,
    joined_at: '2026-01-01T00:00:00.000Z',
    large: false,
    unavailable: false,
    member_count: guild.memberIds.size,
    voice_states: [],
    // Without the members intent Discord sends the bot's own member only.
    members: [{ ...memberJson(), user: userJson(world.user(world.botId)) }],
    channels: inGuild.filter((channel) => channel.thread === null).map((channel) => channelJson(world, channel)),
    threads: inGuild
      .filter((channel) => channel.thread !== null && !channel.thread.archived)
      .map((channel) => channelJson(world, channel)),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
};

export const isLoading = (message: SimMessage): boolean => (message.flags & FLAG.loading) !== 0;

export const appPermissions = (world: World, channel: SimChannel): string => String(permissionsOf(world, channel));
