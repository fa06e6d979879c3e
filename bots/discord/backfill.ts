/** What was said while the bot was away: the places it works in, each with the last message it took, survive a restart. */

import type { Client, Message, ThreadOnlyChannel } from 'discord.js';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { snowflakeAt, timeOf } from './address.ts';
import { CODE, hasDiscordCode } from './rest.ts';

/** Where the places are kept. `write` replaces what was there. */
export interface DiscordCursor {
  read(): Promise<Readonly<Record<string, string>>>;
  write(lastMessageIds: Readonly<Record<string, string>>): Promise<void>;
}

export interface Places {
  /** The message of the channel was taken; later ones are still to come. */
  touch(channelId: string, messageId: string): void;
  entries(): readonly (readonly [channelId: string, lastMessageId: string])[];
  forget(channelId: string): void;
  load(): Promise<void>;
  flush(): Promise<void>;
}

const MAX_PLACES = 200;
const WRITE_DELAY_MS = 1_000;
const MAX_AGE_MS = 24 * 3_600_000;
const PAGE_SIZE = 100;
const MAX_PAGES = 5;

export const createPlaces = (cursor: DiscordCursor | undefined, clock: Clock, logger: Logger): Places => {
  const places = new Map<string, string>();
  let cancelWrite: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = (): void => {
    cancelWrite = undefined;
    writing = writing
      .then(() => cursor?.write(Object.fromEntries(places)))
      .catch((error: unknown) => logger.warn('discord_cursor_failed', { error: error as Error }));
  };
  const changed = (): void => {
    cancelWrite ??= clock.after(WRITE_DELAY_MS, write);
  };

  return {
    touch(channelId, messageId) {
      const known = places.get(channelId);
      places.delete(channelId);
      places.set(channelId, known !== undefined && BigInt(known) > BigInt(messageId) ? known : messageId);
      const oldest = places.size > MAX_PLACES ? places.keys().next() : undefined;
      if (oldest?.done === false) places.delete(oldest.value);
      changed();
    },
    entries: () => [...places],
    forget(channelId) {
      places.delete(channelId);
      changed();
    },
    async load() {
      for (const [channelId, messageId] of Object.entries((await cursor?.read()) ?? {})) {
        if (/^\d+$/.test(channelId) && /^\d+$/.test(messageId)) places.set(channelId, messageId);
      }
    },
    async flush() {
      if (cancelWrite !== undefined) {
        cancelWrite();
        write();
      }
      await writing;
    },
  };
};

export interface BackfillOptions {
  readonly client: Client<true>;
  readonly places: Places;
  /** Whether each message that begins something there is a ticket, mention or not. */
  readonly isOfTickets: (channelId: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hand: (message: Message) => Promise<void>;
}

/** For a restart: longer ago, a mention in a place that was never used is no longer worth an answer. */
const MENTION_AGE_MS = 15 * 60_000;
const MAX_MENTION_CHANNELS = 50;

/** What each post of a forum begins with, of the open posts after that one, oldest first. A new session tells which there are. */
const postsAfter = async (forum: ThreadOnlyChannel, after: string): Promise<readonly Message[]> => {
  const posts = [...forum.threads.cache.values()].filter(({ id }) => BigInt(id) > BigInt(after));
  const inOrder = posts.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)).slice(-PAGE_SIZE);
  const first = await Promise.all(inOrder.map((post) => post.fetchStarterMessage().catch(() => null)));
  return first.filter((message) => message !== null);
};

/**
 * Hands over mentions in channels that are none of the places, and what is a ticket there. Only a channel whose newest message is young enough is looked into,
 * the liveliest first, with one request each.
 */
export const backfillMentions = async ({ client, places, isOfTickets, clock, logger, hand }: BackfillOptions): Promise<void> => {
  const known = new Set(places.entries().map(([channelId]) => channelId));
  const since = clock.now() - MENTION_AGE_MS;
  const lively = [...client.channels.cache.values()]
    .filter((channel) => channel.isTextBased() && !channel.isDMBased() && !known.has(channel.id))
    .flatMap((channel) =>
      'lastMessageId' in channel && channel.lastMessageId ? [{ channel, newest: channel.lastMessageId }] : [],
    )
    .filter(({ newest }) => timeOf(newest) > since)
    .toSorted((a, b) => timeOf(b.newest) - timeOf(a.newest));
  for (const channel of client.channels.cache.values()) {
    const isForum = channel.isThreadOnly() && isOfTickets(channel.id) && !known.has(channel.id);
    if (isForum) for (const message of await postsAfter(channel, snowflakeAt(since))) await hand(message);
  }
  for (const { channel } of lively.slice(0, MAX_MENTION_CHANNELS)) {
    if (!channel.isTextBased()) continue;
    try {
      const messages = await channel.messages.fetch({ after: snowflakeAt(since), limit: PAGE_SIZE });
      const inOrder = [...messages.values()].toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
      for (const message of inOrder)
        if (isOfTickets(channel.id) || message.mentions.users.has(client.user.id)) await hand(message);
    } catch (error) {
      if (!hasDiscordCode(error, CODE.unknownChannel, CODE.missingAccess)) {
        logger.warn('discord_backfill_failed', { channel: channel.id, error: error as Error });
      }
    }
  }
};

/** Hands over, oldest first, what each place got since its last message. What was taken before is dropped by the inbox. */
export const backfill = async (options: BackfillOptions): Promise<void> => {
  const { client, places, clock, logger, hand } = options;
  for (const [channelId, lastMessageId] of places.entries()) {
    try {
      const channel = await client.channels.fetch(channelId);
      if (channel?.isThreadOnly() === true)
        for (const message of await postsAfter(channel, lastMessageId))
          if (clock.now() - timeOf(message.id) < MAX_AGE_MS) await hand(message);
      if (channel?.isTextBased() !== true) continue;
      let after = lastMessageId;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const messages = await channel.messages.fetch({ after, limit: PAGE_SIZE });
        const inOrder = [...messages.values()].toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
        for (const message of inOrder) if (clock.now() - timeOf(message.id) < MAX_AGE_MS) await hand(message);
        after = inOrder.at(-1)?.id ?? after;
        if (inOrder.length < PAGE_SIZE) break;
      }
    } catch (error) {
      if (hasDiscordCode(error, CODE.unknownChannel, CODE.missingAccess)) places.forget(channelId);
      else logger.warn('discord_backfill_failed', { channel: channelId, error: error as Error });
    }
  }
};
