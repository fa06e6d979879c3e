/** The button under the placeholder of a run. Every click gets an answer: the message itself says that it was stopped, or the clicker is told why not. */
import type { WebClient } from '@slack/web-api';
import type { Gateway } from '../../agent/ports/channel.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { languageOf, textsFor } from '../../agent/texts.ts';
import { personId } from './address.ts';
import { turnOfKey } from './blocks.ts';
import type { Click } from './feedback.ts';

/** Throws only when the store is out of reach: then the click must not be acknowledged. */
export type StopClick = (click: Click) => Promise<void>;

export const createStopClick = (options: {
  readonly gateway: Gateway;
  readonly client: WebClient;
  readonly logger: Logger;
}): StopClick => {
  const { gateway, client, logger } = options;
  return async ({ value, userId, channelId, threadTs, messageText }) => {
    const turnId = turnOfKey(value);
    if (turnId === undefined) return;
    const outcome = await gateway.stopTurn(turnId, personId(userId));
    if (outcome === 'stopped') return;
    const texts = textsFor(languageOf(messageText));
    try {
      await client.chat.postEphemeral({
        channel: channelId,
        user: userId,
        text: outcome === 'not_yours' ? texts.notYoursToStop : texts.noRunToStop,
        ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      });
    } catch (error) {
      logger.warn('slack_notice_failed', { error: error as Error });
    }
  };
};
