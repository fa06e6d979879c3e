import { z } from 'zod';
import { apiError } from './api-error.ts';
import type { SimAttachment } from './attachments.ts';
import type { SimEvents } from './events.ts';
import type { Interactions, ModalView, SimInteraction } from './interactions.ts';
import type { Messages } from './messages.ts';
import { DEFAULT_EVERYONE } from './permissions.ts';
import { isLoading, memberJson, messageJson, userJson } from './serialize.ts';
import type { Threads } from './threads.ts';
import { CHANNEL, newChannel, type SimChannel, type SimGuild, type SimMessage, type SimUser, type World } from './world.ts';

/** What people do in the simulated Discord, and what they see. */

export interface SeenButton {
  readonly customId: string;
  readonly label: string;
  /** As in the platform's documentation: 1 is the one that stands out. */
  readonly style: number;
}

export interface SeenEmbed {
  readonly title: string;
  /** Where a click on the title leads; empty for nowhere. */
  readonly url: string;
  readonly description: string;
  readonly color: number | null;
  readonly fields: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
}

export interface SeenMenu {
  readonly customId: string;
  readonly label: string;
  readonly isOfPeople: boolean;
  readonly options: readonly { readonly label: string; readonly value: string }[];
}

export interface SeenMessage {
  readonly id: string;
  readonly author: string;
  readonly authorId: string;
  readonly isBot: boolean;
  /** `Threadwise is thinking …` while a deferred answer is awaited. */
  readonly text: string;
  readonly isThinking: boolean;
  readonly isEdited: boolean;
  readonly isEphemeral: boolean;
  readonly replyTo: string | null;
  readonly buttons: readonly SeenButton[];
  readonly menus: readonly SeenMenu[];
  /** One line of buttons after the other. */
  readonly rows: readonly (readonly SeenButton[])[];
  /** The words of each embed, one line a part. */
  readonly embeds: readonly string[];
  readonly cards: readonly SeenEmbed[];
  /** The thread that starts here. */
  readonly threadId: string | null;
  /** Who was pinged: user ids, role ids, and `everyone`. */
  readonly pinged: readonly string[];
  readonly at: number;
  readonly files: readonly Pick<SimAttachment, 'filename' | 'description' | 'bytes'>[];
}

export interface SayOptions {
  readonly replyTo?: string;
  /** A reply without the ping. */
  readonly silent?: boolean;
  readonly asWebhook?: boolean;
}

const buttonsOf = (components: readonly unknown[]): SeenButton[] =>
  components.flatMap((component): SeenButton[] => {
    if (typeof component !== 'object' || component === null) return [];
    const inner: unknown = Reflect.get(component, 'components');
    if (Array.isArray(inner)) return buttonsOf(inner);
    const customId: unknown = Reflect.get(component, 'custom_id');
    const label: unknown = Reflect.get(component, 'label');
    const emoji: unknown = Reflect.get(component, 'emoji');
    const name: unknown = typeof emoji === 'object' && emoji !== null ? Reflect.get(emoji, 'name') : undefined;
    const shown = [name, label].filter((part) => typeof part === 'string').join(' ');
    return typeof customId === 'string' && Reflect.get(component, 'type') === 2
      ? [{ customId, label: shown, style: Number(Reflect.get(component, 'style')) }]
      : [];
  });

const menuShape = z.object({
  type: z.literal([3, 5]),
  custom_id: z.string(),
  placeholder: z.string().default(''),
  options: z.array(z.object({ label: z.string(), value: z.string() })).default([]),
});
const rowShape = z.object({ components: z.array(z.unknown()) });

const menusOf = (components: readonly unknown[]): SeenMenu[] =>
  components.flatMap((row) =>
    (rowShape.safeParse(row).data?.components ?? []).flatMap((component): SeenMenu[] => {
      const menu = menuShape.safeParse(component).data;
      if (menu === undefined) return [];
      const { custom_id: customId, placeholder: label, options, type } = menu;
      return [{ customId, label, options, isOfPeople: type === 5 }];
    }),
  );

const embedShape = z.object({
  title: z.string().default(''),
  url: z.string().default(''),
  description: z.string().default(''),
  color: z.number().nullable().default(null),
  fields: z.array(z.object({ name: z.string(), value: z.string(), inline: z.boolean().default(false) })).default([]),
});

const embedOf = (embed: unknown): SeenEmbed => embedShape.parse(embed);

const embedText = ({ title, description, fields }: SeenEmbed): string =>
  [title, ...fields.map(({ name, value }) => `${name}: ${value}`), description].filter((part) => part !== '').join('\n');

export interface DriverParts {
  readonly world: World;
  readonly events: SimEvents;
  readonly messages: Messages;
  readonly threads: Threads;
  readonly interactions: Interactions;
}

export const createDriver = ({ world, events, messages, threads, interactions }: DriverParts) => {
  const guildOf = (id: string): SimGuild => {
    const guild = world.guilds.get(id);
    if (guild === undefined) throw apiError(10004);
    return guild;
  };
  const findMessage = (channelId: string, messageId: string): SimMessage => {
    const found = world.channel(channelId).messages.find((message) => message.id === messageId);
    if (found === undefined) throw apiError(10008);
    return found;
  };

  const say = (channelId: string, userId: string, text: string, options: SayOptions = {}): string => {
    const channel = world.channel(channelId);
    const body = {
      content: text,
      ...(options.replyTo === undefined ? {} : { message_reference: { message_id: options.replyTo, fail_if_not_exists: true } }),
      ...(options.silent === true
        ? { allowed_mentions: { parse: ['users', 'roles', 'everyone'] as const, replied_user: false } }
        : {}),
    };
    return messages.create(
      channel,
      {
        ...body,
        allowed_mentions:
          body.allowed_mentions === undefined ? undefined : { ...body.allowed_mentions, parse: [...body.allowed_mentions.parse] },
      },
      {
        authorId: userId,
        byPerson: true,
        ...(options.asWebhook === true ? { webhookId: world.nextId() } : {}),
      },
    ).id;
  };

  const see = (message: SimMessage): SeenMessage => {
    const author = world.user(message.authorId);
    return {
      id: message.id,
      author: author.displayName,
      authorId: author.id,
      isBot: author.bot,
      text: isLoading(message) ? `${author.displayName} is thinking …` : message.content,
      isThinking: isLoading(message),
      isEdited: message.editedAt !== null && message.origin === null,
      isEphemeral: message.ephemeralFor !== null,
      replyTo: message.reference?.messageId ?? null,
      buttons: buttonsOf(message.components),
      menus: menusOf(message.components),
      rows: message.components.map((row) => buttonsOf([row])).filter((row) => row.length > 0),
      embeds: message.embeds.map((embed) => embedText(embedOf(embed))),
      cards: message.embeds.map(embedOf),
      threadId: world.channels.get(message.id)?.thread == null ? null : message.id,
      pinged: [...message.mentionIds, ...message.mentionRoleIds, ...(message.mentionEveryone ? ['everyone'] : [])],
      at: message.createdAt,
      files: message.attachments,
    };
  };

  return {
    /** A stranger is a member of no server. */
    addUser(name: string, options: { readonly bot?: boolean; readonly isStranger?: boolean } = {}): string {
      const user: SimUser = {
        id: world.nextId(),
        username: name.toLowerCase().replaceAll(/[^a-z0-9_.]/g, '_'),
        displayName: name,
        bot: options.bot === true,
        dmClosed: false,
        isStranger: options.isStranger === true,
      };
      world.users.set(user.id, user);
      return user.id;
    },
    addGuild(name: string, options: { readonly withBot?: boolean } = {}): string {
      const id = world.nextId();
      world.guilds.set(id, {
        id,
        name,
        ownerId: world.botId,
        memberIds: new Set(options.withBot === false ? [] : [world.botId]),
        roles: [],
        everyone: DEFAULT_EVERYONE,
        maxActiveThreads: 1000,
        blockedWords: [],
      });
      return id;
    },
    addRole(guildId: string, name: string): string {
      const role = { id: world.nextId(), name, mentionable: true };
      guildOf(guildId).roles.push(role);
      return role.id;
    },
    addChannel(guildId: string, name: string, type: number = CHANNEL.text): string {
      const channel = newChannel({ id: world.nextId(), type, guildId: guildOf(guildId).id, name });
      world.channels.set(channel.id, channel);
      return channel.id;
    },
    addTag(channelId: string, name: string): string {
      const tag = { id: world.nextId(), name };
      world.channel(channelId).tags.push(tag);
      return tag.id;
    },
    channel: (channelId: string): SimChannel => world.channel(channelId),
    guild: guildOf,
    user: (userId: string): SimUser => world.user(userId),
    /** Takes rights from the bot in one channel: bits of topics/permissions. */
    deny(channelId: string, permissions: bigint): void {
      world.channel(channelId).denied = permissions;
    },
    openDm(userId: string): string {
      const existing = [...world.channels.values()].find(
        (channel) => channel.type === CHANNEL.dm && channel.recipientIds.includes(userId),
      );
      if (existing !== undefined) return existing.id;
      const channel = newChannel({
        id: world.nextId(),
        type: CHANNEL.dm,
        guildId: null,
        name: world.user(userId).username,
        recipientIds: [userId],
      });
      world.channels.set(channel.id, channel);
      return channel.id;
    },
    say,
    mention: (channelId: string, userId: string, text: string, options: SayOptions = {}): string =>
      say(channelId, userId, `<@${world.botId}> ${text}`, options),
    edit(channelId: string, messageId: string, text: string): void {
      messages.edit(world.channel(channelId), findMessage(channelId, messageId), { content: text }, null);
    },
    /** What Discord does to a message when a link's preview arrives: the same text, no edit time. */
    unfurl(channelId: string, messageId: string): void {
      const message = findMessage(channelId, messageId);
      message.embeds = [{ type: 'link', url: 'https://example.com/' }];
      events.messageUpdated(message);
    },
    delete(channelId: string, messageId: string): void {
      messages.remove(world.channel(channelId), findMessage(channelId, messageId));
    },
    startThread(channelId: string, messageId: string, userId: string, name: string): string {
      return threads.fromMessage(world.channel(channelId), findMessage(channelId, messageId), { name }, userId).id;
    },
    /** A person's forum post; its id is the thread's. */
    postInForum(channelId: string, userId: string, title: string, text: string, tags: readonly string[] = []): string {
      return threads.create(
        world.channel(channelId),
        { name: title, message: { content: text }, applied_tags: [...tags] },
        userId,
      ).thread.id;
    },
    slash(
      channelId: string,
      userId: string,
      name: string,
      options: Readonly<Record<string, string | number | boolean>> = {},
      more: { readonly locale?: string; readonly autocomplete?: string } = {},
    ): SimInteraction {
      const kinds = { string: 3, number: 10, boolean: 5 } as const;
      const listed = Object.entries(options).map(([key, value]) => ({
        name: key,
        type: kinds[typeof value as keyof typeof kinds],
        value,
        ...(more.autocomplete === key ? { focused: true } : {}),
      }));
      const channel = world.channel(channelId);
      return interactions.start({
        type: more.autocomplete === undefined ? 2 : 4,
        channel,
        userId,
        name,
        data: {
          id: world.nextId(),
          name,
          type: 1,
          options: listed,
          ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
        },
        ...(more.locale === undefined ? {} : { locale: more.locale }),
      });
    },
    /** Clicks the button whose custom id or label is given. */
    click(channelId: string, messageId: string, userId: string, button: string): SimInteraction {
      const channel = world.channel(channelId);
      const message = findMessage(channelId, messageId);
      const found = buttonsOf(message.components).find((each) => each.customId === button || each.label.includes(button));
      if (found === undefined) throw new Error(`The message has no button ${button}.`);
      return interactions.start({
        type: 3,
        channel,
        userId,
        name: '',
        message,
        data: { custom_id: found.customId, component_type: 2, id: 2 },
      });
    },
    /** Chooses in the menu whose custom id or placeholder is given: a value that it offers, or a person. */
    choose(channelId: string, messageId: string, userId: string, menu: string, value: string): SimInteraction {
      const message = findMessage(channelId, messageId);
      const found = menusOf(message.components).find((each) => each.customId === menu || each.label.includes(menu));
      if (found === undefined) throw new Error(`The message has no menu ${menu}.`);
      const isOffered = found.isOfPeople ? world.users.has(value) : found.options.some((option) => option.value === value);
      if (!isOffered) throw new Error(`The menu ${menu} has no ${value}.`);
      return interactions.start({
        type: 3,
        channel: world.channel(channelId),
        userId,
        name: '',
        message,
        data: {
          custom_id: found.customId,
          component_type: found.isOfPeople ? 5 : 3,
          id: 2,
          values: [value],
          ...(found.isOfPeople
            ? { resolved: { users: { [value]: userJson(world.user(value)) }, members: { [value]: memberJson() } } }
            : {}),
        },
      });
    },
    /** Runs a command of the menu that opens on a message. */
    messageCommand(channelId: string, messageId: string, userId: string, name: string): SimInteraction {
      const channel = world.channel(channelId);
      const message = findMessage(channelId, messageId);
      return interactions.start({
        type: 2,
        channel,
        userId,
        name,
        data: {
          id: world.nextId(),
          name,
          type: 3,
          target_id: message.id,
          resolved: { messages: { [message.id]: messageJson(world, message) } },
          ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
        },
      });
    },
    /** Puts an emoji under a message: the character itself, or the name of one of the server's own. */
    react(channelId: string, messageId: string, userId: string, emoji: string): void {
      events.reactionAdded(findMessage(channelId, messageId), userId, emoji);
    },
    /** Submits the modal that an interaction was answered with. */
    submitModal(opened: SimInteraction, values: Readonly<Record<string, string>> | string): SimInteraction {
      const modal: ModalView | null = opened.modal;
      if (modal === null) throw new Error('This interaction opened no modal.');
      const given = typeof values === 'string' ? { [modal.inputs[0] ?? '']: values } : values;
      return interactions.start({
        type: 5,
        channel: world.channel(opened.channelId),
        userId: opened.userId,
        name: '',
        data: {
          custom_id: modal.customId,
          components: Object.entries(given).map(([customId, value], index) => ({
            type: 1,
            id: index * 2 + 1,
            components: [{ type: 4, id: index * 2 + 2, custom_id: customId, value }],
          })),
        },
        ...(opened.message === null ? {} : { message: opened.message }),
      });
    },
    /** A channel as a person sees it, oldest first. */
    messages(channelId: string, viewerId?: string): readonly SeenMessage[] {
      return world
        .channel(channelId)
        .messages.filter((message) => message.ephemeralFor === null || message.ephemeralFor === viewerId)
        .map(see);
    },
    interactions: (): readonly SimInteraction[] => interactions.list(),
  };
};

export type DiscordDriver = ReturnType<typeof createDriver>;
