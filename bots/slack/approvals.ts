/** The card of an approval in Slack, and the answers to its buttons. What a model wrote stands in plain text: nothing in it is read as markup. */
import type { KnownBlock, PlainTextElement } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { ApprovalCard, Gateway } from '../../agent/ports/channel.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { languageOf, textsFor } from '../../agent/texts.ts';
import { cardFoot, cutInto, decisionText } from '../approvals-card.ts';
import { cutText } from '../question.ts';
import { personId } from './address.ts';
import type { Click } from './feedback.ts';

export const ACTION_APPROVE = 'threadwise_approve';
export const ACTION_DENY = 'threadwise_deny';
export const ACTION_SHOW = 'threadwise_show';
const APPROVAL_BLOCK = 'threadwise_approval';

const MAX_SECTION_CHARACTERS = 2_900;
/** All blocks of one message hold about 13,000 characters. */
const SECTIONS_A_MESSAGE = 4;

const plain = (text: string): PlainTextElement => ({ type: 'plain_text', text, emoji: false });

const nameOf = (userId: string): string => `<@${userId.replace(/^slack:/, '')}>`;

const timeOf = (at: number): string => `<!date^${Math.floor(at / 1_000)}^{time}|${new Date(at).toISOString().slice(11, 16)} UTC>`;

const button = (actionId: string, id: string, label: string, style?: 'primary' | 'danger') =>
  ({
    type: 'button',
    action_id: actionId,
    value: id,
    text: plain(label),
    accessibility_label: label,
    ...(style === undefined ? {} : { style }),
  }) as const;

export const cardBlocks = (card: ApprovalCard): KnownBlock[] => {
  const texts = textsFor(card.language).approval;
  const shown = cutText(card.details, MAX_SECTION_CHARACTERS);
  const isCut = shown.length < card.details.length;
  const blocks: KnownBlock[] = [
    { type: 'section', text: { type: 'mrkdwn', text: `*${texts.title(card.tool)}*`, verbatim: true } },
    { type: 'section', expand: true, text: plain(card.words) },
    { type: 'section', expand: true, text: plain(shown) },
  ];
  if (isCut) blocks.push({ type: 'context', elements: [plain(texts.more(card.details.length - shown.length))] });
  const foot = cardFoot(card, { person: nameOf, time: timeOf });
  blocks.push({ type: 'context', elements: [{ type: 'mrkdwn', text: foot, verbatim: true }] });
  const decide = [button(ACTION_APPROVE, card.id, texts.approve, 'primary'), button(ACTION_DENY, card.id, texts.deny, 'danger')];
  const show = isCut ? [button(ACTION_SHOW, card.id, texts.showAll)] : [];
  if (card.outcome === null) blocks.push({ type: 'actions', block_id: APPROVAL_BLOCK, elements: [...decide, ...show] });
  return blocks;
};

/** Throws only when the store is out of reach: then the click must not be acknowledged. */
export const createApprovalClick = (options: {
  readonly gateway: Gateway;
  readonly client: WebClient;
  readonly logger: Logger;
}): ((click: Click) => Promise<void>) => {
  const { gateway, client, logger } = options;

  const tell = async ({ channelId, userId, threadTs }: Click, texts: readonly string[]): Promise<void> => {
    try {
      for (let at = 0; at < texts.length; at += SECTIONS_A_MESSAGE) {
        const sections = texts.slice(at, at + SECTIONS_A_MESSAGE);
        await client.chat.postEphemeral({
          channel: channelId,
          user: userId,
          text: cutText(sections.join('\n'), MAX_SECTION_CHARACTERS),
          blocks: sections.map((text) => ({ type: 'section' as const, expand: true, text: plain(text) })),
          ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
        });
      }
    } catch (error) {
      logger.warn('slack_notice_failed', { error: error as Error });
    }
  };

  return async (click) => {
    const { actionId, value } = click;
    if (typeof value !== 'string') return;
    const card = await gateway.readApproval(value);
    const texts = textsFor(card?.language ?? languageOf(click.messageText)).approval;
    if (actionId === ACTION_SHOW)
      return tell(click, card === undefined ? [texts.over] : cutInto(card.details, MAX_SECTION_CHARACTERS));
    const decision = actionId === ACTION_APPROVE ? 'approved' : 'denied';
    const outcome = await gateway.decideApproval(value, personId(click.userId), decision);
    await tell(click, [decisionText(outcome, texts)]);
  };
};
