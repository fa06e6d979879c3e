/** Where tickets are shown in Discord. The channel's own delivery posts once and finds again by the last line of a message. */
import { Routes } from 'discord.js';
import { z } from 'zod';
import type { ReplyAddress } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import type { BoardMessage, TicketBoard } from '../../agent/ports/ticket-board.ts';
import type { PostTarget } from '../../agent/ports/ticket-store.ts';
import { languageOf } from '../../agent/texts.ts';
import { FIRST_CARD } from '../approvals-card.ts';
import { toReplyAddress } from './address.ts';
import { markOf } from './approvals.ts';
import type { DiscordDelivery } from './delivery.ts';
import { renderAnswer } from './render.ts';
import type { DiscordRest } from './rest.ts';

export interface DiscordBoardOptions {
  readonly delivery: Pick<DiscordDelivery, 'post' | 'find' | 'update'>;
  readonly rest: DiscordRest;
}

const opened = z.object({ id: z.string() });

/** Numbered as cards are: no message of an answer, and found by its key. */
const messageKey = (key: string, index = 0): string => `${key}:${FIRST_CARD + index}`;

/** The last part bears the key: when that stands, all of them do. */
const answerParts = ({ text, citations }: Extract<BoardMessage, { kind: 'answer' }>): readonly string[] => {
  const answer = { text, citations, answered: true, stopReason: 'answered', allowedLinks: [], fallback: false } as const;
  const parts = renderAnswer(answer, languageOf(text)).map((part) => part.text);
  return parts.length === 0 ? [text] : parts;
};

const plain = (text: string, key: string): OutboundPart => ({
  text: `${text}\n${markOf(key)}`,
  withFeedback: false,
  isPlain: true,
});

export const createDiscordBoard = ({ delivery, rest }: DiscordBoardOptions): TicketBoard => {
  const addressOf = async (target: PostTarget): Promise<ReplyAddress> => {
    if (target.kind === 'thread') return target.address;
    if (target.kind === 'channel') return toReplyAddress({ kind: 'place', channel: target.placeId.replace(/^discord:/u, '') });
    const body = { recipient_id: target.userId.replace(/^discord:/u, '') };
    const channel = await rest.call('POST', Routes.userChannels(), 'a direct message', { body });
    return toReplyAddress({ kind: 'place', channel: opened.parse(channel).id });
  };

  const partOf = (message: BoardMessage, key: string): OutboundPart => {
    if (message.kind === 'answer') return plain(answerParts(message).at(-1) ?? '', key);
    return { text: message.kind === 'card' ? message.card.title : message.text, withFeedback: false, ticket: message };
  };

  return {
    channel: 'discord',
    async post(target, message, key) {
      const address = await addressOf(target);
      if (message.kind === 'answer') {
        const before = answerParts(message).slice(0, -1);
        for (const [index, text] of before.entries()) {
          const partKey = messageKey(key, index + 1);
          await delivery.post(address, plain(text, partKey), partKey);
        }
      }
      const last = messageKey(key);
      return delivery.post(address, partOf(message, last), last);
    },
    find: async (target, key) => delivery.find(await addressOf(target), messageKey(key)),
    async update(target, ref, message, key) {
      if (message.kind === 'answer') throw new AppError('internal', 'expected a card or a note to edit, got an answer');
      const last = messageKey(key);
      await delivery.update(await addressOf(target), ref, partOf(message, last), last);
    },
  };
};
