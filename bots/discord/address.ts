/** Where an answer goes, as the inbox keeps it, and how a message of an answer is known again. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ReplyAddress } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';
import type { MessageRef } from '../../agent/ports/channel.ts';

const id = z.string().regex(/^\d{1,20}$/);

const address = z.discriminatedUnion('kind', [
  /** In the thread that starts at the question, which is made when it is missing. Its id is the question's. */
  z.object({ kind: z.literal('thread'), channel: id, message: id, name: z.string() }),
  /** Where the question stands, as a reply to it. */
  z.object({ kind: z.literal('reply'), channel: id, message: id }),
  /** The answer to a command; its token is good for 15 minutes. */
  z.object({ kind: z.literal('command'), channel: id, interaction: id, application: id, token: z.string(), user: id }),
  /** In a channel, to nobody's message. */
  z.object({ kind: z.literal('place'), channel: id }),
]);
export type DiscordAddress = z.infer<typeof address>;

const ref = z.object({ channel: id, message: id, via: z.enum(['command']).optional() });
export type DiscordRef = z.infer<typeof ref>;

export const toReplyAddress = (value: DiscordAddress): ReplyAddress => value;
export const toMessageRef = ({ channel, message, via }: DiscordRef): MessageRef => ({
  channel,
  message,
  ...(via === undefined ? {} : { via }),
});

const read = <T>(schema: z.ZodType<T>, value: unknown, what: string): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError('channel_rejected', `the stored ${what} is not one of Discord's`, { cause: parsed.error });
};
export const readAddress = (value: ReplyAddress): DiscordAddress => read(address, value, 'address');
export const readRef = (value: MessageRef): DiscordRef => read(ref, value, 'place of the message');

/** A nonce has room for 25 characters: resources/message. The same key gives the same nonce in every process. */
export const nonceOf = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, 25);

/** A key is `<turn id>:<number of the message>`. */
export const splitKey = (key: string): { readonly turnId: string; readonly index: number } => {
  const match = /^(.+):(\d+)$/.exec(key);
  if (match?.[1] === undefined)
    throw new AppError('internal', `expected a message key such as turn:0, got ${key.length} characters`);
  return { turnId: match[1], index: Number(match[2]) };
};

const DISCORD_EPOCH_MS = 1_420_070_400_000;
/** When a snowflake was made, in milliseconds since the epoch. */
export const timeOf = (snowflake: string): number => Number(BigInt(snowflake) >> 22n) + DISCORD_EPOCH_MS;

/** The least snowflake of a time. */
export const snowflakeAt = (time: number): string => String(BigInt(Math.max(time - DISCORD_EPOCH_MS, 0)) << 22n);

export const personId = (userId: string): string => `discord:${userId}`;
export const placeId = (channelId: string): string => `discord:${channelId}`;
export const conversationIn = (guildId: string, rootId: string): string => `discord:${guildId}:${rootId}`;
export const conversationOfDm = (channelId: string): string => `discord:dm:${channelId}`;
