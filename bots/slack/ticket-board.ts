/** Where tickets are shown in Slack: by the channel's own delivery, which knows how to post once and to find again. */
import type { WebClient } from '@slack/web-api';
import type { ReplyAddress } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import type { BoardMessage, TicketBoard } from '../../agent/ports/ticket-board.ts';
import type { PostTarget } from '../../agent/ports/ticket-store.ts';
import { languageOf } from '../../agent/texts.ts';
import { readAddress, toAddress } from './address.ts';
import { renderAnswer } from './blocks.ts';
import type { SlackDelivery } from './delivery.ts';
import { ticketPart } from './ticket-blocks.ts';
import { callSlack } from './web-client.ts';

const MAX_PERMALINKS = 2_000;

/** At least one; a long answer is several. */
const partsOf = (message: BoardMessage): readonly OutboundPart[] => {
  if (message.kind !== 'answer') return [ticketPart(message)];
  const { text, citations } = message;
  const answer = { text, citations, answered: true, stopReason: 'answered', allowedLinks: [], fallback: false } as const;
  return renderAnswer(answer, languageOf(text)).map((part) => ({ ...part, withFeedback: false }));
};

export const createSlackBoard = (delivery: Pick<SlackDelivery, 'post' | 'find' | 'update'>, client: WebClient): TicketBoard => {
  const addressOf = async (target: PostTarget) => {
    if (target.kind === 'thread') return target.address;
    if (target.kind === 'channel')
      return toAddress({ channel: target.placeId.replace(/^slack:/u, ''), thread: '', question: '', user: '' });
    const { channel } = await callSlack('conversations.open', () =>
      client.conversations.open({ users: target.userId.replace(/^slack:/u, '') }),
    );
    if (channel?.id === undefined) throw new AppError('channel_rejected', 'Slack opened no direct message with the person');
    return toAddress({ channel: channel.id, thread: '', question: '', user: '' });
  };
  const permalinks = new Map<string, string>();

  /** Asked once for a thread. Without it the card stands all the same. */
  const permalinkOf = async (address: ReplyAddress): Promise<string | undefined> => {
    const { channel, thread, question } = readAddress(address);
    const ts = thread === '' ? question : thread;
    const known = permalinks.get(`${channel}:${ts}`);
    if (known !== undefined || ts === '') return known;
    try {
      const { permalink } = await callSlack('chat.getPermalink', () => client.chat.getPermalink({ channel, message_ts: ts }));
      if (permalink !== undefined) permalinks.set(`${channel}:${ts}`, permalink);
      const oldest = permalinks.keys().next();
      if (permalinks.size > MAX_PERMALINKS && oldest.done !== true) permalinks.delete(oldest.value);
      return permalink;
    } catch {
      return undefined;
    }
  };

  const withLink = async (message: BoardMessage): Promise<BoardMessage> => {
    const origin = message.kind === 'card' ? message.card.origin : undefined;
    if (message.kind !== 'card' || origin?.threadId.startsWith('slack:') !== true) return message;
    const url = await permalinkOf(origin.address);
    return url === undefined ? message : { ...message, card: { ...message.card, origin: { ...origin, url } } };
  };

  return {
    channel: 'slack',
    post: async (target, message, key) => {
      const address = await addressOf(target);
      const parts = partsOf(await withLink(message));
      // The last part has the key: until it stands, those before it are looked for.
      for (const [n, part] of parts.slice(0, -1).entries())
        if ((await delivery.find(address, `${key}/${n}`)) === undefined) await delivery.post(address, part, `${key}/${n}`);
      return delivery.post(address, parts.at(-1) ?? { text: '', withFeedback: false }, key);
    },
    find: async (target, key) => delivery.find(await addressOf(target), key),
    update: async (target, ref, message, key) => {
      const part = partsOf(await withLink(message)).at(-1) ?? { text: '', withFeedback: false };
      await delivery.update(await addressOf(target), ref, part, key);
    },
  };
};
