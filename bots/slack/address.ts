/** The ids of Slack's places as the rest of the product knows them. */
import type { Place, ReplyAddress, Scope } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';

/** Where an answer goes. */
export interface SlackAddress {
  readonly channel: string;
  /** The thread's root; empty in a direct message outside threads. */
  readonly thread: string;
  /** The question's `ts`: everything that answers it is newer. */
  readonly question: string;
  readonly user: string;
}

export const toAddress = (address: SlackAddress): ReplyAddress => ({ ...address });

export const readAddress = (address: ReplyAddress): SlackAddress => {
  const { channel, thread = '', question = '', user = '' } = address;
  if (channel === undefined || channel === '')
    throw new AppError('internal', 'a Slack address must name its channel; this one does not');
  return { channel, thread, question, user };
};

export const conversationId = (teamId: string, address: Pick<SlackAddress, 'channel' | 'thread'>): string =>
  `slack:${teamId}:${address.channel}${address.thread === '' ? '' : `:${address.thread}`}`;

export const messageId = (teamId: string, channelId: string, ts: string): string => `${teamId}:${channelId}:${ts}`;

/** One delivery for one message, whichever and however many events announce it. */
export const deliveryId = (teamId: string, channelId: string, ts: string): string => `slack:${messageId(teamId, channelId, ts)}`;

export const personId = (userId: string): string => `slack:${userId}`;

export const scopeOf = (teamId: string, address: SlackAddress): Scope => ({
  tenantId: `slack:${teamId}`,
  channel: 'slack',
  conversationId: conversationId(teamId, address),
  userId: personId(address.user),
});

export const placeOf = (channelId: string, isDirect: boolean): Place => ({
  kind: isDirect ? 'direct' : 'channel',
  id: `slack:${channelId}`,
});
