/** Where tickets are shown in Slack: by the channel's own delivery, which knows how to post once and to find again. */
import type { WebClient } from '@slack/web-api';
import { AppError } from '../../agent/errors.ts';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import type { BoardMessage, TicketBoard } from '../../agent/ports/ticket-board.ts';
import type { PostTarget } from '../../agent/ports/ticket-store.ts';
import { languageOf } from '../../agent/texts.ts';
import { toAddress } from './address.ts';
import { renderAnswer } from './blocks.ts';
import type { SlackDelivery } from './delivery.ts';
import { ticketPart } from './ticket-blocks.ts';
import { callSlack } from './web-client.ts';

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
  return {
    channel: 'slack',
    post: async (target, message, key) => {
      const address = await addressOf(target);
      const parts = partsOf(message);
      // The last part has the key: until it stands, those before it are looked for.
      for (const [n, part] of parts.slice(0, -1).entries())
        if ((await delivery.find(address, `${key}/${n}`)) === undefined) await delivery.post(address, part, `${key}/${n}`);
      return delivery.post(address, parts.at(-1) ?? { text: '', withFeedback: false }, key);
    },
    find: async (target, key) => delivery.find(await addressOf(target), key),
    update: async (target, ref, message, key) =>
      delivery.update(await addressOf(target), ref, partsOf(message).at(-1) ?? { text: '', withFeedback: false }, key),
  };
};
