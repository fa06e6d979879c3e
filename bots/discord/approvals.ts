/** The card of an approval in Discord: its text within one message, and how it is known again. */
import { type APIComponentInMessageActionRow, ButtonStyle, ComponentType } from 'discord.js';
import type { ApprovalCard } from '../../agent/ports/channel.ts';
import { textsFor } from '../../agent/texts.ts';
import { cardFoot } from '../approvals-card.ts';
import { escapeDiscord } from '../markdown-discord.ts';
import { cutText } from '../question.ts';
import { type ButtonAction, customId } from './custom-id.ts';

const MAX_DETAILS_UNITS = 1_000;
const MAX_WORDS_UNITS = 200;

export const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``;

/** Discord knows no other fence, and nothing escapes it: what would end it is spelled out. */
export const fenceable = ({ details }: Pick<ApprovalCard, 'details'>): string =>
  details.replace(/`{3,}/gu, (run) => '\\u{60}'.repeat(run.length));

/** The last line of a card, by which it is found again and told from the messages of an answer. */
export const markOf = (key: string): string => `-# ${key}`;

export const isCard = (content: string): boolean => /\n-# \S+:\d+$/.test(content);

export const isCardOf = (content: string, key: string): boolean => content.endsWith(`\n${markOf(key)}`);

const isCut = (card: ApprovalCard): boolean => fenceable(card).length > MAX_DETAILS_UNITS;

export const cardContent = (card: ApprovalCard, key: string): string => {
  const texts = textsFor(card.language).approval;
  const whole = fenceable(card);
  const shown = cutText(whole, MAX_DETAILS_UNITS);
  const foot = cardFoot(card, {
    person: (userId) => `<@${userId.replace(/^discord:/, '')}>`,
    time: (at) => `<t:${Math.floor(at / 1_000)}:t>`,
  });
  return [
    `**${escapeDiscord(texts.title(card.tool))}**`,
    escapeDiscord(cutText(card.words, MAX_WORDS_UNITS)),
    fenced(shown),
    ...(isCut(card) ? [texts.more(whole.length - shown.length)] : []),
    foot,
    markOf(key),
  ].join('\n');
};

export const cardButtons = (card: ApprovalCard): APIComponentInMessageActionRow[] => {
  if (card.outcome !== null) return [];
  const texts = textsFor(card.language).approval;
  const button = (
    action: ButtonAction,
    label: string,
    style: ButtonStyle.Success | ButtonStyle.Danger | ButtonStyle.Secondary,
  ): APIComponentInMessageActionRow => ({
    type: ComponentType.Button,
    style,
    custom_id: customId(action, card.language, card.id),
    label,
  });
  return [
    button('approve', texts.approve, ButtonStyle.Success),
    button('deny', texts.deny, ButtonStyle.Danger),
    ...(isCut(card) ? [button('show', texts.showAll, ButtonStyle.Secondary)] : []),
  ];
};
