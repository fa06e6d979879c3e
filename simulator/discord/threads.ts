import type { z } from 'zod';
import { apiError, formError } from './api-error.ts';
import type { threadBody, threadFromMessageBody } from './bodies.ts';
import type { SimEvents } from './events.ts';
import type { Messages } from './messages.ts';
import { demand, PERMISSION } from './permissions.ts';
import { CHANNEL, newChannel, type SimChannel, type SimMessage, type World } from './world.ts';

/** topics/threads: a thread that starts at a message has that message's id. */
export const createThreads = (world: World, events: SimEvents, messages: Messages) => {
  const open = (
    parent: SimChannel,
    id: string,
    body: { readonly name: string; readonly auto_archive_duration?: number | null | undefined },
    ownerId: string,
    type: number,
    appliedTags: readonly string[] = [],
  ): SimChannel => {
    const guild = world.guilds.get(parent.guildId ?? '');
    const active = [...world.channels.values()].filter(
      (each) => each.guildId === parent.guildId && each.thread?.archived === false,
    );
    if (guild !== undefined && active.length >= guild.maxActiveThreads) throw apiError(160006);
    const thread = newChannel({
      id,
      type,
      guildId: parent.guildId,
      name: body.name,
      parentId: parent.id,
      thread: {
        ownerId,
        createdAt: world.clock.now(),
        autoArchiveMinutes: body.auto_archive_duration ?? 4320,
        memberIds: new Set([ownerId]),
        appliedTags,
        archived: false,
        locked: false,
      },
    });
    world.channels.set(id, thread);
    return thread;
  };

  const fromMessage = (
    channel: SimChannel,
    message: SimMessage,
    body: z.infer<typeof threadFromMessageBody>,
    byId: string,
  ): SimChannel => {
    if (byId === world.botId) demand(world, channel, PERMISSION.createPublicThreads);
    if (channel.type !== CHANNEL.text && channel.type !== CHANNEL.announcement) throw apiError(50024);
    if (world.channels.has(message.id)) throw apiError(160004);
    const thread = open(channel, message.id, body, byId, channel.type === CHANNEL.announcement ? 10 : CHANNEL.publicThread);
    thread.thread?.memberIds.add(message.authorId);
    events.threadCreated(thread);
    events.messageUpdated(message);
    return thread;
  };

  /** A forum post with its first message, or a thread without one. */
  const create = (
    parent: SimChannel,
    body: z.infer<typeof threadBody>,
    byId: string,
  ): { thread: SimChannel; first: SimMessage | null } => {
    const isForum = parent.type === CHANNEL.forum;
    if (byId === world.botId) demand(world, parent, isForum ? PERMISSION.sendMessages : PERMISSION.createPublicThreads);
    if (!isForum && parent.type !== CHANNEL.text) throw apiError(50024);
    const tags = body.applied_tags ?? [];
    if (isForum) {
      if (body.message === undefined) throw formError(['message'], 'BASE_TYPE_REQUIRED', 'This field is required');
      if (parent.requireTag && tags.length === 0) {
        throw formError(['applied_tags'], 'BASE_TYPE_REQUIRED', 'A tag is required to create a forum post in this channel');
      }
      const unknown = tags.findIndex((id) => !parent.tags.some((tag) => tag.id === id));
      if (unknown >= 0) throw formError(['applied_tags', unknown], 'BASE_TYPE_CHOICES', 'Unknown tag');
    }
    const type = isForum || body.type === CHANNEL.publicThread ? CHANNEL.publicThread : CHANNEL.privateThread;
    const thread = open(parent, world.nextId(), body, byId, type, tags);
    events.threadCreated(thread);
    const first =
      body.message === undefined
        ? null
        : messages.create(thread, body.message, { id: thread.id, authorId: byId, byPerson: byId !== world.botId });
    return { thread, first };
  };

  return { fromMessage, create };
};

export type Threads = ReturnType<typeof createThreads>;
