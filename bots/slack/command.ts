/**
 * The slash command. It has no message of its own, so the question is posted in its asker's name first and answered there; where
 * the app is no member, that happens in a direct message.
 */
import type { WebClient } from '@slack/web-api';
import { hasCode } from '../../agent/errors.ts';
import type { Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { languageOf, textsFor } from '../../agent/texts.ts';
import { cutText, normaliseName, normaliseText } from '../question.ts';
import { refusalText } from '../refusal.ts';
import { deliveryId, personId, placeOf, type SlackAddress, scopeOf, toAddress } from './address.ts';
import type { Identity } from './intake.ts';
import type { People } from './people.ts';
import { mentionedUsers, plainText } from './text.ts';
import { callSlack, isRefusal } from './web-client.ts';

export interface CommandInput {
  readonly command: string;
  readonly text: string;
  readonly channelId: string;
  readonly userId: string;
}

export interface CommandOptions {
  readonly gateway: Pick<Gateway, 'accept' | 'refusalFor'>;
  readonly client: WebClient;
  readonly people: People;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Why nothing is made of this text, in words; told to the person alone, and nothing is posted. */
  readonly refusalOfText?: (text: string) => string | undefined;
}

/** Answers what the person alone is shown at once; undefined for nothing. Never throws. */
export type AskCommand = (input: CommandInput) => Promise<string | undefined>;

/** Of a longer question the beginning is shown; the whole is asked. */
const MAX_QUOTED_CHARACTERS = 2500;

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const quoteLines = (text: string): string =>
  escape(text)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

/** As much of the question as a section holds: escapes and line marks make it longer than it was. */
const quote = (text: string): string => {
  let shown = cutText(text, MAX_QUOTED_CHARACTERS);
  while (quoteLines(shown).length > MAX_QUOTED_CHARACTERS) shown = cutText(shown, Math.floor(shown.length * 0.8));
  return quoteLines(shown === text ? text : `${shown} …`);
};

export const createAskCommand = ({
  gateway,
  client,
  people,
  identity,
  clock,
  logger,
  refusalOfText,
}: CommandOptions): AskCommand => {
  const { teamId, botUserId } = identity;

  const postQuestion = async (channel: string, name: string, question: string): Promise<{ channel: string; ts: string }> => {
    const text = `*${escape(textsFor(languageOf(question)).askedBy(normaliseName(name)).replaceAll('*', ''))}*\n${quote(question)}`;
    const sent = await callSlack('chat.postMessage', () =>
      client.chat.postMessage({
        channel,
        text,
        blocks: [{ type: 'section', expand: true, text: { type: 'mrkdwn', text, verbatim: true } }],
        unfurl_links: false,
        unfurl_media: false,
        link_names: false,
      }),
    );
    return { channel: sent.channel ?? channel, ts: sent.ts ?? '' };
  };

  const openDirect = async (userId: string): Promise<string> => {
    const { channel } = await callSlack('conversations.open', () => client.conversations.open({ users: userId }));
    return channel?.id ?? userId;
  };

  const ask = async ({ command, text: raw, channelId, userId }: CommandInput): Promise<string | undefined> => {
    const names = await people.namesOf(mentionedUsers(raw).filter((id) => id !== botUserId));
    const text = normaliseText(plainText(raw, { botUserId, nameOf: (id) => names.get(id) }));
    const texts = textsFor(languageOf(text));
    if (text === '') return texts.commandUsage(command);
    const author = await people.describe(userId);
    let isDirect = channelId.startsWith('D');
    const refusal = gateway.refusalFor({
      author: { id: personId(userId), ...author },
      scope: scopeOf(teamId, { channel: channelId, thread: '', question: '', user: userId }),
      place: placeOf(channelId, isDirect),
    });
    // Told to the person alone, before anything is posted for everyone.
    if (refusal !== undefined) return refusalText(refusal, texts);
    const why = refusalOfText?.(text);
    if (why !== undefined) return why;
    let notice: string | undefined;
    let root: { channel: string; ts: string };
    try {
      root = await postQuestion(channelId, author.displayName, text);
    } catch (error) {
      if (!isRefusal(error, 'not_in_channel', 'channel_not_found', 'is_archived', 'restricted_action')) throw error;
      root = await postQuestion(await openDirect(userId), author.displayName, text);
      isDirect = true;
      notice = texts.answeredInDirect;
    }
    const address: SlackAddress = {
      channel: root.channel,
      thread: isDirect ? '' : root.ts,
      question: root.ts,
      user: userId,
    };
    const outcome = await gateway.accept({
      deliveryId: deliveryId(teamId, root.channel, root.ts),
      scope: scopeOf(teamId, address),
      author: { id: personId(userId), ...author },
      place: placeOf(root.channel, isDirect),
      trigger: 'command',
      text,
      sourceMessageId: null,
      address: toAddress(address),
      receivedAt: clock.now(),
    });
    // The gateway has said why before and says no more in the thread.
    return outcome === 'refused' ? texts.notAllowed : notice;
  };

  return async (input) => {
    try {
      return await ask(input);
    } catch (error) {
      // Slack sends a command once; the person is told to ask again.
      logger.warn('slack_command_failed', { error: error as Error });
      const texts = textsFor(languageOf(input.text));
      return hasCode(error, 'channel_rejected') ? texts.notAllowed : texts.tryAgain;
    }
  };
};
