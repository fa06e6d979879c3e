/**
 * A ticket's card in Discord: an embed with buttons. What needs a choice opens a menu that the clicker alone sees, since a card has no
 * room for its options. What people and models wrote is escaped, and nobody is pinged.
 */
import {
  type APIActionRowComponent,
  type APIComponentInMessageActionRow,
  type APIEmbed,
  type APISelectMenuOption,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import type { BoardMessage, TicketButton, TicketCard } from '../../agent/ports/ticket-board.ts';
import { escapeDiscord } from '../markdown-discord.ts';
import { cutText } from '../question.ts';
import { cutShort } from '../ticket-actions.ts';
import { personTexts } from '../ticket-person.ts';
import { MAX_CUSTOM_ID } from './custom-id.ts';

type Row = APIActionRowComponent<APIComponentInMessageActionRow>;

/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits : 6,000 characters in all. */
const MAX_TITLE = 256;
const MAX_DESCRIPTION = 4_096;
const MAX_EMBED = 6_000;
/** Of what is said where the lines were cut. */
const RESERVED = 100;
const MAX_FIELDS = 10;
const MAX_FIELD = 300;
/** https://docs.discord.com/developers/components/reference */
const MAX_IN_ROW = 5;
const MAX_ROWS = 5;
const MAX_OPTIONS = 25;
const MAX_OPTION = 100;
const MAX_LABEL = 80;

const MOODS: Readonly<Record<TicketCard['mood'], readonly [mark: string, colour: number]>> = {
  calm: ['🎫', 0x5865f2],
  attention: ['⚠️', 0xf0b232],
  late: ['⏰', 0xda373c],
  done: ['✅', 0x248046],
};
const PRIORITIES = ['urgent', 'high', 'normal', 'low'];
const SNOOZES: readonly (readonly [label: string, minutes: number])[] = [
  ['1 hour', 60],
  ['4 hours', 240],
  ['1 day', 1_440],
  ['3 days', 4_320],
  ['1 week', 10_080],
];
/** Each asks for something before it acts. */
const CHOICES: ReadonlySet<TicketButton> = new Set(['assign', 'snooze', 'set_category', 'set_priority', 'article_audience']);
const PRIMARY: ReadonlySet<TicketButton> = new Set(['draft_send', 'article_approve']);

export const asksForChoice = (button: TicketButton): boolean => CHOICES.has(button);

export interface TicketControl {
  readonly button: TicketButton;
  readonly ticketId: string;
  /** A draft's id, the ticket that it is merged into, the number of a menu, or a note's episode; empty where the button has none. */
  readonly detail: string;
  /** The ticket's version on the card that was clicked; undefined under a note, and on cards of earlier versions. */
  readonly seenVersion?: number;
}

export const controlId = (
  button: TicketButton,
  { ticketId, detail = '', seenVersion }: Omit<TicketControl, 'button' | 'detail'> & { readonly detail?: string },
): string => `tk:${button}:${ticketId}${seenVersion === undefined ? '' : `@${seenVersion}`}:${detail}`;

/** Undefined for what is no control of a ticket. */
export const readControlId = (customId: string): TicketControl | undefined => {
  const match = /^tk:([a-z_]+):(T\d+)(?:@(\d+))?:(.*)$/su.exec(customId);
  if (match === null) return undefined;
  const [, button = '', ticketId = '', version, detail = ''] = match;
  const control = { button: button as TicketButton, ticketId, detail };
  return version === undefined ? control : { ...control, seenVersion: Number(version) };
};

const inRows = (components: readonly APIComponentInMessageActionRow[]): Row[] =>
  Array.from({ length: Math.ceil(components.length / MAX_IN_ROW) }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: components.slice(row * MAX_IN_ROW, (row + 1) * MAX_IN_ROW),
  }));

const buttonRows = ({ ticketId, version, buttons }: TicketCard): Row[] =>
  inRows(
    buttons
      .map(({ id, label, draftId, otherId }) => ({
        type: ComponentType.Button as const,
        style: PRIMARY.has(id) ? (ButtonStyle.Primary as const) : (ButtonStyle.Secondary as const),
        custom_id: controlId(id, { ticketId, detail: draftId ?? otherId ?? '', seenVersion: version }),
        label: cutText(label, MAX_LABEL),
      }))
      // An id that does not fit cannot be told again from a click.
      .filter(({ custom_id }) => custom_id.length <= MAX_CUSTOM_ID),
  );

/** `discord:1` as Discord names people; everything else as it is. */
const shown = (value: string): string => {
  const person = /^discord:(\d+)$/u.exec(value);
  return person === null ? cutText(escapeDiscord(value), MAX_FIELD) : `<@${person[1]}>`;
};

const onOneLine = (text: string): string => escapeDiscord(text.replaceAll(/\s+/gu, ' '));

/** The message at which the thread begins; undefined for what is none of Discord's. */
const originUrl = ({ origin }: TicketCard): string | undefined => {
  const guild = /^discord:(\d+):/u.exec(origin?.threadId ?? '')?.[1];
  const { channel = '', message = '' } = origin?.address ?? {};
  return guild !== undefined && /^\d+$/u.test(channel) && /^\d+$/u.test(message)
    ? `https://discord.com/channels/${guild}/${channel}/${message}`
    : undefined;
};

/** With the buttons that its lines allow. */
const embedOf = (card: TicketCard): { readonly embed: APIEmbed; readonly buttons: TicketCard['buttons'] } => {
  const { mood, lines } = card;
  const url = originUrl(card);
  const title = cutText(onOneLine(card.title), MAX_TITLE);
  const fields = card.fields
    .slice(0, MAX_FIELDS)
    .map(({ name, value }) => ({ name: onOneLine(name), value: shown(value) || '–', inline: true }));
  const taken = fields.reduce((sum, { name, value }) => sum + name.length + value.length, title.length);
  const room = Math.min(MAX_DESCRIPTION, MAX_EMBED - taken) - RESERVED;
  const whole = lines.map(onOneLine).join('\n');
  const { buttons, why } = whole.length > room ? cutShort(card) : { buttons: card.buttons, why: '' };
  const embed = {
    title,
    ...(url === undefined ? {} : { url }),
    color: MOODS[mood][1],
    ...(lines.length === 0 ? {} : { description: `${cutText(whole, room)}${why}` }),
    fields,
  };
  return { embed, buttons };
};

export const cardHead = ({ mood, ticketId }: TicketCard): string => `${MOODS[mood][0]} **${ticketId}**`;

export const ticketEmbeds = (card: TicketCard) => {
  const { embed, buttons } = embedOf(card);
  return { embeds: [embed], components: buttonRows({ ...card, buttons }) };
};

const EPISODE = 'episode=';

/** Undefined where the control stands on no note, or on one of an earlier version. */
export const seenEpisodeOf = ({ detail }: Pick<TicketControl, 'detail'>): number | undefined =>
  /^episode=\d+$/u.test(detail) ? Number(detail.slice(EPISODE.length)) : undefined;

/** Under the question whether it is solved, in its language. */
export const solvedRow = ({ ticketId, text, episode }: Extract<BoardMessage, { kind: 'note' }>): Row => {
  const { solved, unsolved } = personTexts(text);
  const answers = [
    ['close', '✅', solved],
    ['reopen', '↩️', unsolved],
  ] as const;
  return {
    type: ComponentType.ActionRow,
    components: answers.map(([button, name, label]) => ({
      type: ComponentType.Button,
      style: ButtonStyle.Secondary,
      custom_id: controlId(button, { ticketId, detail: episode === undefined ? '' : `${EPISODE}${episode}` }),
      emoji: { name },
      label,
    })),
  };
};

/** What a button that asks for a choice opens: one menu a row, of the options that fit. */
export const choiceRows = ({ button, ...control }: TicketControl, { categories, buttons }: TicketCard): Row[] => {
  const placeholder = buttons.find(({ id }) => id === button)?.label ?? '…';
  if (button === 'assign') {
    const menu = {
      type: ComponentType.UserSelect as const,
      custom_id: controlId(button, { ...control, detail: '0' }),
      placeholder,
    };
    return [{ type: ComponentType.ActionRow, components: [menu] }];
  }
  const option = (label: string, value: string): APISelectMenuOption => ({ label: cutText(label, MAX_OPTION), value });
  const options =
    button === 'snooze'
      ? SNOOZES.map(([label, minutes]) => option(label, String(minutes)))
      : button === 'set_priority'
        ? PRIORITIES.map((priority) => option(priority, priority))
        : categories.filter(({ id }) => id.length <= MAX_OPTION).map(({ id, name }) => option(name, id));
  const count = Math.min(MAX_ROWS, Math.ceil(options.length / MAX_OPTIONS));
  return Array.from({ length: count }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: [
      {
        type: ComponentType.StringSelect,
        custom_id: controlId(button, { ...control, detail: String(row) }),
        placeholder: count === 1 ? placeholder : `${placeholder} ${row + 1}/${count}`,
        options: options.slice(row * MAX_OPTIONS, (row + 1) * MAX_OPTIONS),
      },
    ],
  }));
};
