/** The answer to a slash command: an edit of Discord's own first message while the command's token lives, a message of the bot later. */
import { Routes } from 'discord.js';
import type { Clock } from '../../agent/ports/clock.ts';
import { type DiscordAddress, type DiscordRef, splitKey, timeOf } from './address.ts';
import { messageBody } from './components.ts';
import { filesOf, type Listed, type MessageContent, posted, remember, type SendMessage } from './messages.ts';
import { CODE, type DiscordRest, hasDiscordCode } from './rest.ts';

type Command = Extract<DiscordAddress, { kind: 'command' }>;

export interface CommandAnswers {
  /** Undefined where Discord no longer takes it. */
  edit(address: Command, body: object, signal?: AbortSignal): Promise<DiscordRef | undefined>;
  /** The command's first answer in the channel, where the bot may look there. */
  find(address: Command): Promise<string | undefined>;
  /** The first message is the command's own answer; what Discord no longer takes there goes to the channel. */
  post(address: Command, content: MessageContent, key: string, signal: AbortSignal): Promise<DiscordRef>;
}

const TOKEN_LIFE_MS = 15 * 60_000 - 5_000;
/** The token is spent, or Discord never took the command's first answer. */
const TOKEN_GONE = [CODE.unknownWebhook, CODE.unknownInteraction, CODE.invalidWebhookToken, CODE.unknownMessage] as const;

export const createCommandAnswers = ({
  rest,
  clock,
  listAfter,
  send,
}: {
  readonly rest: DiscordRest;
  readonly clock: Clock;
  readonly listAfter: (channel: string, after: string) => Promise<readonly Listed[]>;
  readonly send: SendMessage;
}): CommandAnswers => {
  /** The first answer of a command, by interaction. */
  const originals = new Map<string, string>();
  const isTokenLive = (address: Command): boolean => clock.now() - timeOf(address.interaction) < TOKEN_LIFE_MS;
  const originalRoute = (address: Command): `/${string}` =>
    Routes.webhookMessage(address.application, address.token, '@original');

  const edit: CommandAnswers['edit'] = async (address, body, signal) => {
    if (!isTokenLive(address)) return undefined;
    try {
      const options = { body, isOpen: true, ...(signal === undefined ? {} : { signal }) };
      const message = posted.parse(await rest.call('PATCH', originalRoute(address), 'an answer to a command', options));
      remember(originals, address.interaction, message.id);
      return { channel: message.channel_id, message: message.id, via: 'command' };
    } catch (error) {
      if (hasDiscordCode(error, ...TOKEN_GONE)) return undefined;
      throw error;
    }
  };

  const find: CommandAnswers['find'] = async (address) => {
    const known = originals.get(address.interaction);
    if (known !== undefined) return known;
    try {
      const messages = await listAfter(address.channel, address.interaction);
      const found = messages.find((message) => message.interaction_metadata?.id === address.interaction);
      if (found !== undefined) remember(originals, address.interaction, found.id);
      return found?.id;
    } catch (error) {
      if (hasDiscordCode(error, CODE.missingAccess, CODE.missingPermissions, CODE.unknownChannel)) return undefined;
      throw error;
    }
  };

  const post: CommandAnswers['post'] = async (address, content, key, signal) => {
    const { part } = content;
    const { index } = splitKey(key);
    if (index === 0) {
      const edited = await edit(address, messageBody(part, key), signal);
      if (edited !== undefined) return edited;
    }
    const original = await find(address);
    if (index === 0 && original !== undefined) {
      await rest.call('PATCH', Routes.channelMessage(address.channel, original), 'an edit', {
        body: messageBody(part, key),
        signal,
      });
      return { channel: address.channel, message: original };
    }
    // Where nothing shows the question, its asker is named; nobody is pinged.
    const text = original === undefined && index === 0 ? `<@${address.user}>\n${part.text}` : part.text;
    try {
      return await send(address.channel, { ...content, part: { ...part, text } }, key, signal, original);
    } catch (error) {
      if (!hasDiscordCode(error, CODE.missingAccess, CODE.missingPermissions) || !isTokenLive(address)) throw error;
      const options = {
        body: messageBody(part, key),
        query: { wait: 'true' },
        isOpen: true,
        signal,
        ...filesOf(part, content.bytes),
      };
      const route = Routes.webhook(address.application, address.token);
      const message = posted.parse(await rest.call('POST', route, 'a follow-up to a command', options));
      return { channel: message.channel_id, message: message.id };
    }
  };

  return { edit, find, post };
};
