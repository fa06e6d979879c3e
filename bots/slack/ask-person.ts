/** The button under an answer that hands the question to a person. The thread says so; the clicker is told the ticket's number alone. */
import type { WebClient } from '@slack/web-api';
import type { Gateway } from '../../agent/ports/channel.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { TicketDesk } from '../../agent/ports/ticket-desk.ts';
import { NO_TICKETS } from '../ticket-actions.ts';
import { createPersonClick } from '../ticket-person.ts';
import { personId } from './address.ts';
import { turnOfKey } from './blocks.ts';
import type { Channels } from './channels.ts';
import type { Click } from './feedback.ts';
import type { People } from './people.ts';

export interface AskPersonOptions {
  readonly gateway: Gateway;
  /** Undefined where tickets are not set up any more. */
  readonly desk: TicketDesk | undefined;
  readonly client: WebClient;
  readonly people: People;
  readonly channels: Channels;
  readonly logger: Logger;
}

/** Never throws. */
export const createAskPerson = ({ gateway, desk, client, people, channels, logger }: AskPersonOptions) => {
  const passOn = desk && createPersonClick({ gateway, desk, source: 'slack', logger });
  return async ({ value, userId, channelId, threadTs }: Click): Promise<void> => {
    const turnId = turnOfKey(value);
    if (turnId === undefined) return;
    try {
      const clicker = { id: personId(userId), ...(await people.describe(userId)) };
      const isPrivate = await channels.isPrivate(channelId);
      const text = passOn === undefined ? NO_TICKETS : await passOn({ turnId, clicker, isPrivate });
      if (text === undefined) return;
      const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
      await client.chat.postEphemeral({ channel: channelId, user: userId, text, ...thread });
    } catch (error) {
      logger.warn('slack_notice_failed', { error: error as Error });
    }
  };
};
