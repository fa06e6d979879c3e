/** Messages as they are sent to Discord and read from it, files included. */
import type { RawFile } from 'discord.js';
import { z } from 'zod';
import { AppError } from '../../agent/errors.ts';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import type { DiscordRef } from './address.ts';
import { CODE, hasDiscordCode } from './rest.ts';

export const posted = z.object({ id: z.string(), channel_id: z.string() });
export const listed = z.array(
  z.object({
    id: z.string(),
    author: z.object({ id: z.string() }),
    content: z.string(),
    message_reference: z.object({ message_id: z.string().optional() }).optional(),
    interaction_metadata: z.object({ id: z.string() }).optional(),
  }),
);
export type Listed = z.infer<typeof listed>[number];

export interface MessageContent {
  readonly part: OutboundPart;
  /** Of the part's file. */
  readonly bytes?: Uint8Array | undefined;
}

export type SendMessage = (
  channel: string,
  content: MessageContent,
  key: string,
  signal: AbortSignal,
  replyTo: string | undefined,
  nonce?: string,
) => Promise<DiscordRef>;

export const filesOf = ({ file }: OutboundPart, bytes: Uint8Array | undefined): { readonly files?: RawFile[] } =>
  file === undefined || bytes === undefined
    ? {}
    : { files: [{ name: file.name, data: Buffer.from(bytes), contentType: file.mediaType }] };

/** Where the answer's text could be posted, what a file lacks is the right to attach it. */
export const asNoFiles = (error: unknown): unknown =>
  error instanceof AppError && hasDiscordCode(error, CODE.missingPermissions)
    ? new AppError('channel_no_files', 'Discord takes no file from the bot there: give it the permission Attach Files', {
        cause: error.cause,
      })
    : error;

const MAX_NOTED = 2_000;

/** The oldest is forgotten where there are many. */
export const remember = <K, V>(map: Map<K, V>, key: K, value: V): void => {
  map.set(key, value);
  const oldest = map.size > MAX_NOTED ? map.keys().next() : undefined;
  if (oldest?.done === false) map.delete(oldest.value);
};
