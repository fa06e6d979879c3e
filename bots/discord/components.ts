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
import { splitKey } from './address.ts';

export type ButtonAction = 'up' | 'down' | 'why' | 'stop';

const PREFIX = 'tw';
const MAX_CUSTOM_ID = 100;
export const REASON_INPUT = 'reason';

const customId = (action: ButtonAction, language: Language, turnId: string): string =>
  `${PREFIX}:${action}:${language}:${turnId}`;

export const readCustomId = (
  value: string,
): { readonly action: ButtonAction; readonly language: Language; readonly turnId: string } | undefined => {
  const match = /^tw:(up|down|why|stop):(en|zh):(.+)$/.exec(value);
  if (match?.[3] === undefined) return undefined;
  return { action: match[1] as ButtonAction, language: match[2] as Language, turnId: match[3] };
};

/** The buttons under a message. */
const buttonsOf = (part: OutboundPart, turnId: string): APIActionRowComponent<APIComponentInMessageActionRow>[] => {
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
  const components = part.withStop === true ? [button('stop', texts.stop), ...feedback] : feedback;
  return components.length === 0 ? [] : [{ type: ComponentType.ActionRow, components }];
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

/** What every message of the bot carries: nobody is pinged, no link is unfurled. */
export const messageBody = (part: OutboundPart, key: string) => ({
  content: part.text,
  allowed_mentions: { parse: [] as never[], replied_user: false },
  flags: MessageFlags.SuppressEmbeds,
  components: buttonsOf(part, splitKey(key).turnId),
});
