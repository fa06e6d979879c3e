/** Who reads a channel, asked once and remembered for a while. */
import type { WebClient } from '@slack/web-api';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { callSlack } from './web-client.ts';

export interface Channels {
  /** Fewer than the workspace's members may read it: a direct message, one of several people, a private channel, or what Slack does not tell of. */
  isPrivate(channelId: string): Promise<boolean>;
  /** The same, of a channel that was not private: as long as Slack does not tell of it, it is taken to be as it was. */
  hasBecomePrivate(channelId: string): Promise<boolean>;
}

export interface ChannelsOptions {
  readonly client: WebClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A channel that was made private is known as such after so long. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 5000;

export const createChannels = ({ client, clock, logger }: ChannelsOptions): Channels => {
  const known = new Map<string, { readonly isPrivate: boolean; readonly until: number }>();

  /** Of `conversations.info`: a public channel alone has `is_channel` and is neither private nor a direct message. */
  const ask = async (channelId: string): Promise<boolean> => {
    const { channel } = await callSlack('conversations.info', () => client.conversations.info({ channel: channelId }));
    return channel?.is_private !== false || channel.is_mpim === true || channel.is_im === true;
  };

  /** Undefined where Slack does not tell. */
  const read = async (channelId: string): Promise<boolean | undefined> => {
    if (channelId.startsWith('D')) return true;
    const entry = known.get(channelId);
    if (entry !== undefined && entry.until > clock.monotonic()) return entry.isPrivate;
    known.delete(channelId);
    try {
      const isPrivate = await ask(channelId);
      known.set(channelId, { isPrivate, until: clock.monotonic() + REMEMBERED_MS });
      const oldest = known.keys().next();
      if (known.size > MAX_REMEMBERED && oldest.done !== true) known.delete(oldest.value);
      return isPrivate;
    } catch (error) {
      logger.error('slack_channel_unknown', { channelId, error: error as Error });
      return undefined;
    }
  };

  return {
    isPrivate: async (channelId) => (await read(channelId)) ?? true,
    hasBecomePrivate: async (channelId) => (await read(channelId)) ?? false,
  };
};
