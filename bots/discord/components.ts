/** The buttons under an answer and under a run's placeholder, the dialog for a reason, and the bodies of messages. */

import {
  type APIActionRowComponent,
  type APIComponentInMessageActionRow,
  type APIModalInteractionResponseCallbackData,
  ButtonStyle,
  ComponentType,
  MessageFlags,
  TextInputStyle,
} from 'discord.js';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import { type Language, languageOf, textsFor } from '../../agent/texts.ts';
import { escapeDiscord } from '../markdown-discord.ts';
import { cutText } from '../question.ts';
import { personTexts } from '../ticket-person.ts';
import { splitKey } from './address.ts';
import { cardButtons, cardContent, markOf } from './approvals.ts';
import { type ButtonAction, customId, MAX_CUSTOM_ID } from './custom-id.ts';
import { cardHead, solvedRow, ticketEmbeds } from './ticket-card.ts';

export const REASON_INPUT = 'reason';
/** https://docs.discord.com/developers/resources/message#allowed-mentions-object */
const MAX_PINGED = 100;
/** Escaped, it is at most twice as long. */
const MAX_NOTE_UNITS = 900;

/** The buttons under a message. */
const buttonsOf = (part: OutboundPart, turnId: string): APIActionRowComponent<APIComponentInMessageActionRow>[] => {
  const inRow = (components: APIComponentInMessageActionRow[]): APIActionRowComponent<APIComponentInMessageActionRow>[] =>
    components.length === 0 ? [] : [{ type: ComponentType.ActionRow, components }];
  if (part.card !== undefined) return inRow(cardButtons(part.card));
  if (part.ticket !== undefined) return part.ticket.kind === 'note' && part.ticket.asksSolved ? [solvedRow(part.ticket)] : [];
  const language = languageOf(part.text);
  const texts = textsFor(language);
  // A turn id that does not fit cannot be told again from a click.
  if (part.isPlain === true || customId('down', language, turnId).length > MAX_CUSTOM_ID) return [];
  const button = (action: ButtonAction, label: string, emoji?: string): APIComponentInMessageActionRow => ({
    type: ComponentType.Button,
    style: ButtonStyle.Secondary,
    custom_id: customId(action, language, turnId),
    label,
    ...(emoji === undefined ? {} : { emoji: { name: emoji } }),
  });
  const feedback = part.withFeedback ? [button('up', texts.helpful, '👍'), button('down', texts.notHelpful, '👎')] : [];
  const person = part.withPerson === true ? [button('person', personTexts(part.text).ask, '🙋')] : [];
  const stop = part.withStop === true ? [button('stop', texts.stop)] : [];
  return inRow([...stop, ...feedback, ...person]);
};

export const reasonDialog = (turnId: string, language: Language): APIModalInteractionResponseCallbackData => {
  const texts = textsFor(language);
  return {
    custom_id: customId('why', language, turnId),
    title: texts.notHelpful,
    components: [
      {
        type: ComponentType.ActionRow,
        components: [
          {
            type: ComponentType.TextInput,
            custom_id: REASON_INPUT,
            label: texts.feedbackWhy,
            placeholder: texts.feedbackWhyHint,
            style: TextInputStyle.Paragraph,
            max_length: 1000,
            required: false,
          },
        ],
      },
    ],
  };
};

/** Who may decide about a call is told so. */
const pinged = ({ card }: OutboundPart): string[] =>
  card?.outcome === null ? card.approvers.flatMap((name) => /^discord:(\d+)$/.exec(name)?.[1] ?? []).slice(0, MAX_PINGED) : [];

const contentOf = ({ card, file, ticket, text }: OutboundPart, key: string): string => {
  if (card !== undefined) return cardContent(card, key);
  if (ticket?.kind === 'card') return `${cardHead(ticket.card)}\n${markOf(key)}`;
  if (ticket !== undefined) return `${escapeDiscord(cutText(text, MAX_NOTE_UNITS))}\n${markOf(key)}`;
  return file === undefined ? text : escapeDiscord(text);
};

/** What every message of the bot carries: nobody else is pinged, no link is unfurled. */
export const messageBody = (part: OutboundPart, key: string) => ({
  content: contentOf(part, key),
  allowed_mentions: { parse: [] as never[], users: pinged(part), replied_user: false },
  flags: MessageFlags.SuppressEmbeds as number,
  components: buttonsOf(part, splitKey(key).turnId),
  ...(part.ticket?.kind === 'card' ? { ...ticketEmbeds(part.ticket.card), flags: 0 } : {}),
  ...(part.file === undefined
    ? {}
    : { attachments: [{ id: '0', filename: part.file.name, description: part.file.description }] }),
});
