/**
 * An answer's message in Slack's blocks. Limits: https://docs.slack.dev/reference/block-kit/blocks/section-block (3,000
 * characters a section); more than some 11,000 characters of blocks in one message were refused without being documented.
 */
import type { ActionsBlock, Button, KnownBlock, SectionBlock } from '@slack/types';
import type { Answer } from '../../agent/conversation.ts';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import { type Language, languageOf, textsFor } from '../../agent/texts.ts';
import { cutInto } from '../approvals-card.ts';
import { safePartial, sanitiseAnswer } from '../egress.ts';
import { withSources } from '../egress-sources.ts';
import { type Block, withBlocks } from '../markdown.ts';
import { escapeSlack, toSlackMrkdwn } from '../markdown-slack.ts';
import { cutText } from '../question.ts';
import { splitBlocks } from '../split.ts';
import { personTexts } from '../ticket-person.ts';
import { cardBlocks } from './approvals.ts';
import { noteBlocks, ticketBlocks } from './ticket-blocks.ts';

export const ACTION_UP = 'threadwise_up';
export const ACTION_DOWN = 'threadwise_down';
export const ACTION_STOP = 'threadwise_stop';
export const ACTION_PERSON = 'threadwise_person';
const FEEDBACK_BLOCK = 'threadwise_feedback';
const STOP_BLOCK = 'threadwise_run';

const MAX_SECTION_CHARACTERS = 3000;
const SECTIONS_A_MESSAGE = 3;
/** `chat.update` was seen to refuse a longer `text`. */
const MAX_PREVIEW_CHARACTERS = 3500;

/** Between the sections of a part. No text holds it: egress removes control characters. */
const SECTION_BREAK = '\u001e';

const sectionsOf = (text: string): readonly string[] =>
  text.split(SECTION_BREAK).flatMap((section) => cutInto(section, MAX_SECTION_CHARACTERS));

/** Slack knows a quote only at a line's start, so a list without bullets is laid flat. */
const unlist = (block: Block): readonly Block[] =>
  block.type === 'list' && block.kind === 'plain' ? block.items.flatMap(({ children }) => children) : [block];

/** The answer as messages of up to three sections each; the buttons stand under the last. */
export const renderAnswer = (answer: Answer, language: Language): readonly OutboundPart[] => {
  const tree = withSources(sanitiseAnswer(answer), { language, withQuotes: true });
  const sections = splitBlocks(withBlocks(tree, tree.blocks.flatMap(unlist)), MAX_SECTION_CHARACTERS, toSlackMrkdwn);
  const messages: string[] = [];
  for (let index = 0; index < sections.length; index += SECTIONS_A_MESSAGE) {
    messages.push(sections.slice(index, index + SECTIONS_A_MESSAGE).join(SECTION_BREAK));
  }
  const hasFeedback = answer.stopReason === 'answered' || answer.stopReason === 'not_known';
  return messages.map((text, index) => ({ text, withFeedback: hasFeedback && index === messages.length - 1 }));
};

/** A run's state: text of a model that may be unfinished, in one section. */
export const renderProgress = (text: string): OutboundPart => ({
  text: cutText(toSlackMrkdwn(safePartial(text)), MAX_SECTION_CHARACTERS) || '…',
  withFeedback: false,
  withStop: true,
});

/** What notifications and screen readers read. Cut at a word, outside of a link. */
const previewOf = (sections: readonly string[]): string => {
  const text = sections.join('\n\n');
  if (text.length <= MAX_PREVIEW_CHARACTERS) return text;
  const cut = cutText(text, MAX_PREVIEW_CHARACTERS - 2).replace(/\s\S*$/, '');
  const opened = cut.lastIndexOf('<');
  return `${opened > cut.lastIndexOf('>') ? cut.slice(0, opened) : cut} …`;
};

/** `value` is the outbox key: `<turn id>:<part>`. */
const button = (actionId: string, key: string, label: string): Button => ({
  type: 'button',
  action_id: actionId,
  value: key,
  text: { type: 'plain_text', text: label, emoji: true },
  accessibility_label: label,
});

/** What the reader of an answer can say to it. */
const answerBlock = ({ text, withFeedback, withPerson }: OutboundPart, key: string): ActionsBlock => {
  const texts = textsFor(languageOf(text));
  const feedback = [button(ACTION_UP, key, `👍 ${texts.helpful}`), button(ACTION_DOWN, key, `👎 ${texts.notHelpful}`)];
  const person = button(ACTION_PERSON, key, `🙋 ${personTexts(text).ask}`);
  return {
    type: 'actions',
    block_id: FEEDBACK_BLOCK,
    elements: [...(withFeedback ? feedback : []), ...(withPerson === true ? [person] : [])],
  };
};

const stopBlock = (key: string, language: Language): ActionsBlock => ({
  type: 'actions',
  block_id: STOP_BLOCK,
  elements: [button(ACTION_STOP, key, textsFor(language).stop)],
});

export interface SlackMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

export const toMessage = (part: OutboundPart, key: string): SlackMessage => {
  if (part.card !== undefined) return { text: previewOf([escapeSlack(part.text)]), blocks: cardBlocks(part.card) };
  if (part.ticket !== undefined) {
    const { ticket } = part;
    const blocks = ticket.kind === 'card' ? ticketBlocks(ticket.card) : noteBlocks(ticket);
    return { text: previewOf([escapeSlack(part.text)]), blocks };
  }
  const sections = sectionsOf(part.text === '' ? '…' : part.text);
  const blocks: KnownBlock[] = sections.map(
    (text): SectionBlock => ({ type: 'section', expand: true, text: { type: 'mrkdwn', text, verbatim: true } }),
  );
  if (part.withFeedback || part.withPerson === true) blocks.push(answerBlock(part, key));
  if (part.withStop === true) blocks.push(stopBlock(key, languageOf(part.text)));
  return { text: previewOf(sections), blocks };
};

/** The turn of an outbox key that came back in a button. Undefined for what is no such key. */
export const turnOfKey = (key: unknown): string | undefined =>
  typeof key === 'string' ? /^(.+):\d+$/.exec(key)?.[1] : undefined;
