/** What one person alone is told: beside what they did, or in a direct message where the app cannot speak there. */
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Logger } from '../../agent/ports/logger.ts';
import { callSlack, isRefusal } from './web-client.ts';

export interface Whispered {
  readonly channelId: string;
  readonly userId: string;
  readonly threadTs: string | undefined;
}

/** Resolves with where it stands now; undefined where Slack took it nowhere. Never throws. */
export type Whisper = (to: Whispered, text: string, blocks?: KnownBlock[]) => Promise<'there' | 'direct' | undefined>;

type Shown = { readonly text: string; readonly blocks?: KnownBlock[] };

/** The app is no member there, or the person is none, or nobody may write any more. */
const CANNOT_SPEAK = ['not_in_channel', 'channel_not_found', 'user_not_in_channel', 'is_archived', 'restricted_action'];

export const createWhisper = ({ client, logger }: { readonly client: WebClient; readonly logger: Logger }): Whisper => {
  const sayThere = async ({ channelId, userId, threadTs }: Whispered, shown: Shown): Promise<boolean> => {
    if (channelId === '') return false;
    const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
    try {
      await callSlack('chat.postEphemeral', () =>
        client.chat.postEphemeral({ channel: channelId, user: userId, ...shown, ...thread }),
      );
      return true;
    } catch (error) {
      if (isRefusal(error, ...CANNOT_SPEAK)) return false;
      throw error;
    }
  };
  const sayDirect = async (userId: string, shown: Shown): Promise<void> => {
    const { channel } = await callSlack('conversations.open', () => client.conversations.open({ users: userId }));
    await callSlack('chat.postMessage', () =>
      client.chat.postMessage({ channel: channel?.id ?? userId, ...shown, unfurl_links: false, unfurl_media: false }),
    );
  };
  return async (to, text, blocks) => {
    const shown = blocks === undefined ? { text } : { text, blocks };
    try {
      if (await sayThere(to, shown)) return 'there';
      await sayDirect(to.userId, shown);
      return 'direct';
    } catch (error) {
      logger.warn('slack_notice_failed', { error: error as Error });
      return undefined;
    }
  };
};
