/** A ticket's card in Slack. What people and models wrote is escaped: nothing in it is read as markup, and nobody is notified but its assignee. */
import type { ActionsBlock, KnownBlock, PlainTextElement, PlainTextOption } from '@slack/types';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import type { BoardMessage, TicketButton, TicketCard } from '../../agent/ports/ticket-board.ts';
import { escapeSlack } from '../markdown-slack.ts';
import { cutText } from '../question.ts';
import { cutShort } from '../ticket-actions.ts';
import { personTexts } from '../ticket-person.ts';

export const TRIAGE_COMMAND = '/triage';
/** The shortcut of a message. */
export const TICKET_SHORTCUT = 'threadwise_ticket';
/** Before the button's name; the ticket's id stands in the block's. */
export const TICKET_ACTION = 'threadwise_ticket_';
export const TICKET_BLOCK = 'threadwise_ticket:';

const MAX_FIELD = 1_900;
const MAX_LINES = 2_800;
/** https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
const MAX_OPTIONS = 100;
const MAX_OPTION = 75;

const MOODS: Readonly<Record<TicketCard['mood'], string>> = { calm: '🎫', attention: '⚠️', late: '⏰', done: '✅' };
const PRIORITIES = ['urgent', 'high', 'normal', 'low'];
const SNOOZES: readonly (readonly [label: string, minutes: number])[] = [
  ['1 hour', 60],
  ['4 hours', 240],
  ['1 day', 1_440],
  ['3 days', 4_320],
  ['1 week', 10_080],
];

const plain = (text: string): PlainTextElement => ({ type: 'plain_text', text: cutText(text, MAX_OPTION), emoji: true });
const option = (label: string, value: string): PlainTextOption => ({ text: plain(label), value });

/** `slack:U1` as Slack names people; everything else as it is. */
const shown = (value: string): string => {
  const person = /^slack:([UW][A-Z0-9]+)$/u.exec(value);
  return person === null ? escapeSlack(cutText(value, MAX_FIELD)) : `<@${person[1]}>`;
};

const PRIMARY: ReadonlySet<TicketButton> = new Set(['draft_send', 'article_approve']);

type Elements = ActionsBlock['elements'][number];

const elementOf = (card: TicketCard, { id, label, draftId, otherId }: TicketCard['buttons'][number]): Elements | undefined => {
  const action_id = `${TICKET_ACTION}${id}`;
  const select = (options: readonly PlainTextOption[]): Elements | undefined =>
    options.length === 0
      ? undefined
      : { type: 'static_select', action_id, placeholder: plain(label), options: options.slice(0, MAX_OPTIONS) };
  switch (id) {
    case 'assign':
      return { type: 'users_select', action_id, placeholder: plain(label) };
    case 'snooze':
      return select(SNOOZES.map(([text, minutes]) => option(text, String(minutes))));
    case 'set_priority':
      return select(PRIORITIES.map((priority) => option(priority, priority)));
    case 'set_category':
    case 'article_audience':
      return select(card.categories.map((category) => option(category.name, category.id)));
    default:
      return {
        type: 'button',
        action_id,
        text: plain(label),
        accessibility_label: cutText(`${label}: ${card.ticketId}`, MAX_OPTION),
        ...((draftId ?? otherId) === undefined ? {} : { value: draftId ?? otherId }),
        ...(PRIMARY.has(id) ? { style: 'primary' as const } : {}),
      };
  }
};

/** A link to the thread, for who reads the card elsewhere. */
const titleOf = ({ title, origin }: TicketCard): string => {
  const words = escapeSlack(title.replaceAll('*', ''));
  return origin?.url === undefined ? words : `<${origin.url}|${words.replaceAll('|', '¦')}>`;
};

export const ticketBlocks = (card: TicketCard): KnownBlock[] => {
  const fields = card.fields.map(({ name, value }) => ({
    type: 'mrkdwn' as const,
    text: `*${escapeSlack(name)}*\n${shown(value)}`,
    verbatim: true,
  }));
  const whole = card.lines.map((line) => escapeSlack(line)).join('\n');
  const { buttons, why } = whole.length > MAX_LINES ? cutShort(card) : { buttons: card.buttons, why: '' };
  const lines = `${cutText(whole, MAX_LINES)}${why}`;
  const elements = buttons.flatMap((button) => elementOf(card, button) ?? []);
  return [
    {
      type: 'section',
      text: { type: 'mrkdwn', text: `${MOODS[card.mood]} *${titleOf(card)}*`, verbatim: true },
    },
    // A section has room for ten.
    ...(fields.length === 0 ? [] : [{ type: 'section' as const, fields: fields.slice(0, 10) }]),
    ...(lines === '' ? [] : [{ type: 'section' as const, expand: true, text: { type: 'plain_text' as const, text: lines } }]),
    ...(elements.length === 0
      ? []
      : [{ type: 'actions' as const, block_id: `${TICKET_BLOCK}${card.ticketId}:${card.version}`, elements }]),
  ];
};

const solvedButtons = (question: string): TicketCard['buttons'] => {
  const { solved, unsolved } = personTexts(question);
  return [
    { id: 'close', label: `✅ ${solved}` },
    { id: 'reopen', label: `↩️ ${unsolved}` },
  ];
};

/** A line in the thread; under a question whether it is solved stand the two answers to it. */
export const noteBlocks = ({ ticketId, text, asksSolved, episode }: Extract<BoardMessage, { kind: 'note' }>): KnownBlock[] => [
  { type: 'section', expand: true, text: { type: 'plain_text', text: cutText(text, MAX_LINES) } },
  ...(asksSolved
    ? [
        {
          type: 'actions' as const,
          block_id: `${TICKET_BLOCK}${ticketId}:note${episode === undefined ? '' : `:${episode}`}`,
          elements: solvedButtons(text).map(({ id, label }) => ({
            type: 'button' as const,
            action_id: `${TICKET_ACTION}${id}`,
            text: plain(label),
          })),
        },
      ]
    : []),
];

/** Cards and notes; answers are rendered as every answer is. */
export const ticketPart = (message: Exclude<BoardMessage, { kind: 'answer' }>): OutboundPart =>
  message.kind === 'card'
    ? {
        text: [message.card.title, ...message.card.fields.map(({ name, value }) => `${name}: ${value}`)].join('\n'),
        withFeedback: false,
        ticket: message,
      }
    : { text: message.text, withFeedback: false, ticket: message };

/** People's ids in a sentence of ours as Slack names them; everything else in it is text. */
export const withPeople = (text: string): string => escapeSlack(text).replaceAll(/\bslack:([UW][A-Z0-9]+)\b/gu, '<@$1>');

export interface TicketClick {
  readonly ticketId: string;
  readonly button: TicketButton;
  /** Of the card; undefined under a note. */
  readonly seenVersion: number | undefined;
  /** Of the note. */
  readonly seenEpisode: number | undefined;
}

const numberOf = (digits: string): number | undefined => (/^\d+$/u.test(digits) ? Number(digits) : undefined);

/** Undefined for what is no button of a ticket. */
export const readTicketClick = (actionId: string, blockId: string): TicketClick | undefined => {
  if (!blockId.startsWith(TICKET_BLOCK) || !actionId.startsWith(TICKET_ACTION)) return undefined;
  const [ticketId = '', version = '', episode = ''] = blockId.slice(TICKET_BLOCK.length).split(':');
  if (ticketId === '') return undefined;
  return {
    ticketId,
    button: actionId.slice(TICKET_ACTION.length) as TicketButton,
    seenVersion: numberOf(version),
    seenEpisode: numberOf(episode),
  };
};
