import { z } from 'zod';
import { apiError, formError } from './api-error.ts';
import { attachmentsOf } from './attachments.ts';
import { type AllowedMentions, checkEmbeds, type MessageBody } from './bodies.ts';
import type { SimEvents } from './events.ts';
import { demand, demandSend, isThread, may, PERMISSION } from './permissions.ts';
import { CHANNEL, FLAG, type SimChannel, type SimInteractionOrigin, type SimMessage, type World } from './world.ts';

/** resources/message: creating, editing and deleting, with the checks that Discord makes. */

const MAX_CONTENT = 2000;
const MAX_NONCE = 25;
/** "The past few minutes", as the documentation has it. */
const NONCE_WINDOW_MS = 180_000;
const OLD_MESSAGE_MS = 3_600_000;
const OLD_MESSAGE_EDITS = 30;

export interface Pings {
  readonly userIds: readonly string[];
  readonly roleIds: readonly string[];
  readonly everyone: boolean;
}

/** Who is pinged by a text. Without `allowed` everything is parsed, in an interaction's answer users only. */
export const resolvePings = (
  world: World,
  channel: SimChannel,
  content: string,
  allowed: AllowedMentions | null | undefined,
  usersOnly: boolean,
): Pings => {
  const guild = channel.guildId === null ? undefined : world.guilds.get(channel.guildId);
  const parse = allowed == null ? (usersOnly ? ['users'] : ['users', 'roles', 'everyone']) : (allowed.parse ?? []);
  const mentioned = (pattern: RegExp): string[] => [...new Set([...content.matchAll(pattern)].map((match) => match[1] ?? ''))];
  const userIds = mentioned(/<@!?(\d+)>/g).filter(
    (id) => world.users.has(id) && (parse.includes('users') || allowed?.users?.includes(id) === true),
  );
  const roleIds = mentioned(/<@&(\d+)>/g).filter(
    (id) =>
      guild?.roles.some((role) => role.id === id) === true && (parse.includes('roles') || allowed?.roles?.includes(id) === true),
  );
  const everyone =
    guild !== undefined &&
    parse.includes('everyone') &&
    /@(everyone|here)\b/.test(content) &&
    may(world, channel, PERMISSION.mentionEveryone);
  return { userIds, roleIds, everyone };
};

const checkText = (content: string): void => {
  if (content.length > MAX_CONTENT) {
    throw formError(['content'], 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_CONTENT} or fewer in length.`);
  }
};

const menu = z.object({ type: z.literal([3, 5, 6, 7, 8]), placeholder: z.string().max(150).optional() });
const options = z
  .array(z.object({ label: z.string().min(1).max(100), value: z.string().min(1).max(100) }))
  .min(1)
  .max(25);

/** components/reference: a menu fills its row; one of strings has 1 to 25 options. */
const checkMenu = (component: unknown, path: PropertyKey[], inRow: number): void => {
  const type: unknown = typeof component === 'object' && component !== null ? Reflect.get(component, 'type') : undefined;
  if (typeof type !== 'number' || type < 3 || type === 4 || type > 8) return;
  if (inRow > 1) throw formError(path, 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width');
  if (!menu.safeParse(component).success) throw formError(path, 'BASE_TYPE_INVALID', 'Not a menu.');
  const offered: unknown = Reflect.get(component as object, 'options');
  if (type !== 3) return;
  const parsed = options.safeParse(offered);
  if (!parsed.success) throw formError([...path, 'options'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 25 in length.');
  if (new Set(parsed.data.map(({ value }) => value)).size < parsed.data.length)
    throw formError(
      [...path, 'options'],
      'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
      'The specified option value is already used',
    );
};

const checkComponents = (components: readonly unknown[], flags: number, content: string, embeds: number): void => {
  if ((flags & FLAG.componentsV2) !== 0 && (content !== '' || embeds > 0)) {
    throw formError(['content'], 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', 'The content field cannot be used.');
  }
  if ((flags & FLAG.componentsV2) === 0 && components.length > 5) {
    throw formError(['components'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 0 and 5 in length.');
  }
  const seen = new Set<string>();
  for (const [row, component] of components.entries()) {
    const inner: unknown = typeof component === 'object' && component !== null ? Reflect.get(component, 'components') : undefined;
    if (!Array.isArray(inner)) continue;
    if (inner.length < 1 || inner.length > 5) {
      throw formError(['components', row, 'components'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
    }
    for (const [index, each] of inner.entries()) {
      checkMenu(each, ['components', row, 'components', index], inner.length);
      const id: unknown = typeof each === 'object' && each !== null ? Reflect.get(each, 'custom_id') : undefined;
      if (id === undefined) continue;
      const path = ['components', row, 'components', index, 'custom_id'];
      if (typeof id !== 'string' || id.length < 1 || id.length > 100) {
        throw formError(path, 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
      }
      if (seen.has(id)) throw formError(path, 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
      seen.add(id);
    }
  }
};

export interface MessageOrigin {
  readonly authorId: string;
  readonly webhookId?: string;
  readonly origin?: SimInteractionOrigin;
  readonly ephemeralFor?: string;
  readonly extraFlags?: number;
  /** A forum post's first message has its thread's id. */
  readonly id?: string;
  /** A person's message: no bot limits apply. */
  readonly byPerson?: boolean;
}

export const createMessages = (world: World, events: SimEvents) => {
  const lastSentAt = new Map<string, number>();

  const findByNonce = (authorId: string, nonce: string | number): SimMessage | undefined => {
    for (const channel of world.channels.values()) {
      const found = channel.messages.find(
        (message) =>
          message.authorId === authorId && message.nonce === nonce && world.clock.now() - message.createdAt <= NONCE_WINDOW_MS,
      );
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const referenceOf = (channel: SimChannel, body: MessageBody): SimMessage['reference'] => {
    const wanted = body.message_reference;
    if (wanted == null) return null;
    if (channel.guildId !== null && !may(world, channel, PERMISSION.readMessageHistory)) throw apiError(160002);
    const target = channel.messages.find((message) => message.id === wanted.message_id && message.ephemeralFor === null);
    if (target !== undefined) return { messageId: target.id, channelId: channel.id };
    if (wanted.fail_if_not_exists === false) return null;
    throw formError(['message_reference'], 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE', 'Unknown message');
  };

  const unarchive = (channel: SimChannel): void => {
    const { thread } = channel;
    if (thread?.archived !== true) return;
    if (thread.locked && !may(world, channel, PERMISSION.manageThreads)) throw apiError(160005);
    thread.archived = false;
    events.threadUpdated(channel);
  };

  /** A message of the bot, its webhook or a person, after every check. */
  const create = (channel: SimChannel, body: MessageBody, by: MessageOrigin): SimMessage => {
    const content = body.content ?? '';
    const embeds = body.embeds ?? [];
    const components = body.components ?? [];
    const flags = (body.flags ?? 0) | (by.extraFlags ?? 0);
    const isLoading = (flags & FLAG.loading) !== 0;
    if (by.byPerson !== true && by.origin === undefined) demandSend(world, channel);
    if (channel.type === CHANNEL.forum) throw apiError(50008);
    const attachments = attachmentsOf(body.attachments, world.nextId);
    // The answer to an interaction may hold files wherever it was given.
    if (attachments.length > 0 && by.origin === undefined && by.byPerson !== true) demand(world, channel, PERMISSION.attachFiles);
    if (embeds.length > 0 && by.origin === undefined && by.byPerson !== true && channel.guildId !== null)
      demand(world, channel, PERMISSION.embedLinks);
    checkText(content);
    checkEmbeds(embeds);
    checkComponents(components, flags, content, embeds.length);
    if (
      content.trim() === '' &&
      embeds.length === 0 &&
      components.length === 0 &&
      attachments.length === 0 &&
      !isLoading &&
      by.byPerson !== true
    ) {
      throw apiError(50006);
    }
    const guild = channel.guildId === null ? undefined : world.guilds.get(channel.guildId);
    if (guild?.blockedWords.some((word) => content.includes(word)) === true) throw apiError(200000);
    if (typeof body.nonce === 'string' && body.nonce.length > MAX_NONCE) {
      throw formError(['nonce'], 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_NONCE} or fewer in length.`);
    }
    if (body.enforce_nonce === true && body.nonce != null) {
      const existing = findByNonce(by.authorId, body.nonce);
      if (existing !== undefined) return existing;
    }
    if (channel.slowmodeSeconds > 0 && by.byPerson !== true && !may(world, channel, PERMISSION.manageMessages)) {
      const key = `${channel.id}:${by.authorId}`;
      const waitMs = (lastSentAt.get(key) ?? Number.NEGATIVE_INFINITY) + channel.slowmodeSeconds * 1000 - world.clock.now();
      if (waitMs > 0) throw apiError(20016, { retry_after: waitMs / 1000 });
      lastSentAt.set(key, world.clock.now());
    }
    const reference = referenceOf(channel, body);
    unarchive(channel);
    const pings = resolvePings(
      world,
      channel,
      content,
      body.allowed_mentions,
      by.origin !== undefined || by.webhookId !== undefined,
    );
    const replied = reference === null ? undefined : channel.messages.find((message) => message.id === reference.messageId);
    const pingsReplied = replied !== undefined && (body.allowed_mentions == null || body.allowed_mentions.replied_user === true);
    const message: SimMessage = {
      id: by.id ?? world.nextId(),
      channelId: channel.id,
      authorId: by.authorId,
      webhookId: by.webhookId ?? null,
      createdAt: world.clock.now(),
      type: by.origin?.type === 2 ? 20 : reference === null ? 0 : 19,
      reference,
      nonce: body.nonce ?? null,
      origin: by.origin ?? null,
      ephemeralFor: by.ephemeralFor ?? null,
      content,
      editedAt: null,
      edits: 0,
      flags: flags & (FLAG.suppressEmbeds | FLAG.ephemeral | FLAG.loading | FLAG.componentsV2),
      components,
      embeds: (flags & FLAG.suppressEmbeds) === 0 ? embeds : [],
      attachments,
      mentionIds: [...new Set(pingsReplied ? [...pings.userIds, replied.authorId] : pings.userIds)],
      mentionRoleIds: pings.roleIds,
      mentionEveryone: pings.everyone,
    };
    channel.messages.push(message);
    if (isThread(channel)) channel.thread?.memberIds.add(by.authorId);
    events.messageCreated(message);
    return message;
  };

  /** `by` null edits through an interaction's token, which asks for no permission. */
  const edit = (channel: SimChannel, message: SimMessage, body: MessageBody, by: string | null): SimMessage => {
    if (by !== null) {
      if (channel.guildId !== null) demand(world, channel);
      if (message.authorId !== by) throw apiError(50005);
      if (channel.thread?.archived === true) throw apiError(50083);
    }
    if (body.content != null) checkText(body.content);
    if (body.embeds != null) checkEmbeds(body.embeds);
    const content = body.content === undefined ? message.content : (body.content ?? '');
    const components = body.components ?? message.components;
    const embeds = body.embeds ?? message.embeds;
    checkComponents(components, message.flags, content, embeds.length);
    if (content.trim() === '' && embeds.length === 0 && components.length === 0) throw apiError(50006);
    if (world.clock.now() - message.createdAt > OLD_MESSAGE_MS && message.edits >= OLD_MESSAGE_EDITS) throw apiError(30046);
    message.content = content;
    message.components = components;
    message.embeds = embeds;
    if (body.flags != null) message.flags = (message.flags & ~FLAG.suppressEmbeds) | (body.flags & FLAG.suppressEmbeds);
    message.flags &= ~FLAG.loading;
    message.mentionIds = resolvePings(world, channel, content, body.allowed_mentions, true).userIds;
    message.editedAt = world.clock.now();
    message.edits += 1;
    events.messageUpdated(message);
    return message;
  };

  const remove = (channel: SimChannel, message: SimMessage): void => {
    const index = channel.messages.indexOf(message);
    if (index >= 0) channel.messages.splice(index, 1);
    events.messageDeleted(message);
  };

  return { create, edit, remove };
};

export type Messages = ReturnType<typeof createMessages>;
