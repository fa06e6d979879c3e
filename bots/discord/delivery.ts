/**
 * Puts the messages of an answer where they belong. A post is idempotent by its nonce for some minutes; later a message is
 * known again by the question it replies to and by its place among the answer's messages.
 */

import { Routes } from 'discord.js';
import type { ReplyAddress } from '../../agent/conversation.ts';
import { AppError, hasCode } from '../../agent/errors.ts';
import type { MessageRef, OutboundPart } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { isCardIndex } from '../approvals-card.ts';
import { safePartial } from '../egress.ts';
import { toDiscordMarkdown } from '../markdown-discord.ts';
import { type DiscordAddress, type DiscordRef, nonceOf, readAddress, readRef, splitKey, toMessageRef } from './address.ts';
import { isCard, isCardOf } from './approvals.ts';
import { createCommandAnswers } from './command-answer.ts';
import { messageBody } from './components.ts';
import { createChannelBudgets, pauseOn } from './edit-budgets.ts';
import { asNoFiles, filesOf, type Listed, listed, type MessageContent, posted, remember, type SendMessage } from './messages.ts';
import { CODE, type DiscordRest, hasDiscordCode } from './rest.ts';

export interface DiscordDelivery {
  post(address: ReplyAddress, part: OutboundPart, key: string, bytes?: Uint8Array): Promise<MessageRef>;
  find(address: ReplyAddress, key: string): Promise<MessageRef | undefined>;
  update(address: ReplyAddress, ref: MessageRef, part: OutboundPart, key: string): Promise<void>;
  progress(address: ReplyAddress, ref: MessageRef, text: string, key: string): void;
  /** The gateway announced a message of the bot's own: it stands, whatever became of the request. */
  noteOwn(message: { readonly nonce: string; readonly channelId: string; readonly id: string }): void;
  stop(): void;
}

export interface DiscordDeliveryOptions {
  readonly rest: DiscordRest;
  readonly botId: () => string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** One edit per this time in one channel: Discord takes about five in five seconds. */
  readonly editIntervalMs: number;
}

/** A post with all that belongs to it ends within this time, so that a later search sees what it did. */
const POST_TIMEOUT_MS = 8_000;
/** For the gateway to say who the bot is. */
const LOGIN_WAIT_MS = 1_000;
const AUTO_ARCHIVE_MINUTES = 1440;
const MAX_THREADS = 2_000;
const MAX_PROGRESS_UNITS = 1_900;
const PAGE_SIZE = 100;
const MAX_PAGES = 5;
const unknownBot = (): AppError =>
  new AppError('channel_unavailable', 'Discord has not said yet who this bot is', { retryAfterMs: LOGIN_WAIT_MS });

export const createDiscordDelivery = ({
  rest,
  botId,
  clock,
  logger,
  editIntervalMs,
}: DiscordDeliveryOptions): DiscordDelivery => {
  const ownByNonce = new Map<string, DiscordRef>();
  const threads = new Set<string>();
  const budgets = createChannelBudgets({ intervalMs: editIntervalMs, clock });
  let isStopped = false;

  const within = async <T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const abort = new AbortController();
    const stop = clock.after(POST_TIMEOUT_MS, () => abort.abort());
    try {
      return await run(abort.signal);
    } finally {
      stop();
    }
  };

  const send: SendMessage = async (channel, { part, bytes }, key, signal, replyTo, nonce = nonceOf(key)) => {
    const body = {
      ...messageBody(part, key),
      nonce,
      enforce_nonce: true,
      ...(replyTo === undefined ? {} : { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
    };
    try {
      const options = { body, signal, ...filesOf(part, bytes) };
      const message = posted.parse(await rest.call('POST', Routes.channelMessages(channel), 'a message', options));
      return { channel: message.channel_id, message: message.id };
    } catch (error) {
      throw part.file === undefined ? error : asNoFiles(error);
    }
  };

  /** Makes sure that the question has its thread. False where there can be none. */
  const openThread = async (address: Extract<DiscordAddress, { kind: 'thread' }>, signal: AbortSignal): Promise<boolean> => {
    if (threads.has(address.message)) return true;
    try {
      const body = { name: address.name, auto_archive_duration: AUTO_ARCHIVE_MINUTES };
      await rest.call('POST', Routes.threads(address.channel, address.message), 'a thread', { body, signal });
    } catch (error) {
      if (
        hasDiscordCode(
          error,
          CODE.missingPermissions,
          CODE.missingAccess,
          CODE.wrongChannelType,
          CODE.tooManyThreads,
          CODE.unknownMessage,
        )
      ) {
        logger.warn('discord_no_thread', { channel: address.channel, error: error as Error });
        return false;
      }
      if (!hasDiscordCode(error, CODE.threadExists)) throw error;
    }
    threads.add(address.message);
    if (threads.size > MAX_THREADS) threads.clear();
    return true;
  };

  const listAfter = async (channel: string, after: string): Promise<readonly Listed[]> => {
    const all: Listed[] = [];
    let cursor = after;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = { after: cursor, limit: String(PAGE_SIZE) };
      const messages = listed.parse(await rest.call('GET', Routes.channelMessages(channel), 'a look at the messages', { query }));
      all.push(...messages.toReversed());
      const newest = messages[0];
      if (messages.length < PAGE_SIZE || newest === undefined) break;
      cursor = newest.id;
    }
    return all;
  };

  const listLatest = async (channel: string): Promise<readonly Listed[]> => {
    const all: Listed[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const before = all.at(-1)?.id;
      const query = { limit: String(PAGE_SIZE), ...(before === undefined ? {} : { before }) };
      const messages = listed.parse(await rest.call('GET', Routes.channelMessages(channel), 'a look at the messages', { query }));
      all.push(...messages);
      if (messages.length < PAGE_SIZE) break;
    }
    return all;
  };

  const findAmong = async (
    channel: string,
    after: string,
    index: number,
    belongs: (message: Listed) => boolean,
  ): Promise<DiscordRef | undefined> => {
    const id = botId();
    // Not knowing its own messages it would find none, and post the answer again.
    if (id === undefined) {
      throw unknownBot();
    }
    const own = (await listAfter(channel, after)).filter(
      (message) => message.author.id === id && !isCard(message.content) && belongs(message),
    );
    const found = own[index];
    return found === undefined ? undefined : { channel, message: found.id };
  };

  const isReplyTo =
    (messageId: string) =>
    (message: Listed): boolean =>
      message.message_reference?.message_id === messageId;

  const commands = createCommandAnswers({ rest, clock, listAfter, send });

  const post = async (address: DiscordAddress, content: MessageContent, key: string): Promise<DiscordRef> =>
    within(async (signal) => {
      if (address.kind === 'command') return commands.post(address, content, key, signal);
      if (address.kind === 'reply') return send(address.channel, content, key, signal, address.message);
      if (address.kind === 'place') return send(address.channel, content, key, signal, undefined);
      if (await openThread(address, signal)) {
        try {
          return await send(address.message, content, key, signal, undefined);
        } catch (error) {
          if (hasDiscordCode(error, CODE.unknownChannel)) threads.delete(address.message);
          if (hasCode(error, 'channel_no_files') || !hasDiscordCode(error, CODE.missingPermissions)) throw error;
          logger.warn('discord_no_answer_in_thread', { channel: address.channel, error: error as Error });
        }
      }
      return send(address.channel, content, key, signal, address.message);
    });

  const findCard = async (address: DiscordAddress, key: string): Promise<DiscordRef | undefined> => {
    const id = botId();
    if (id === undefined) throw unknownBot();
    // Where no question stands before it, it is looked for among the latest.
    const after = address.kind === 'command' ? address.interaction : address.kind === 'place' ? undefined : address.message;
    const places = address.kind === 'thread' ? [address.message, address.channel] : [address.channel];
    for (const channel of places) {
      try {
        const messages = after === undefined ? await listLatest(channel) : await listAfter(channel, after);
        const found = messages.find((message) => message.author.id === id && isCardOf(message.content, key));
        if (found !== undefined) return { channel, message: found.id };
      } catch (error) {
        if (!hasDiscordCode(error, CODE.unknownChannel, CODE.missingAccess)) throw error;
      }
    }
    return undefined;
  };

  const find = async (address: DiscordAddress, key: string): Promise<DiscordRef | undefined> => {
    const noted = ownByNonce.get(nonceOf(key));
    if (noted !== undefined) return noted;
    const { index } = splitKey(key);
    if (isCardIndex(index) || address.kind === 'place') return findCard(address, key);
    if (address.kind === 'reply') return findAmong(address.channel, address.message, index, isReplyTo(address.message));
    if (address.kind === 'command') {
      // The first answer is an edit, which may be made again.
      const original = index === 0 ? undefined : await commands.find(address);
      return original === undefined ? undefined : findAmong(address.channel, original, index - 1, isReplyTo(original));
    }
    try {
      // Later turns in the thread reply to their question; the first one cannot, since its question stands outside.
      const inThread = await findAmong(
        address.message,
        address.message,
        index,
        (message) => message.message_reference === undefined && message.interaction_metadata === undefined,
      );
      if (inThread !== undefined) return inThread;
    } catch (error) {
      if (!hasDiscordCode(error, CODE.unknownChannel, CODE.missingAccess)) throw error;
    }
    return findAmong(address.channel, address.message, index, isReplyTo(address.message));
  };

  const edit = async (address: DiscordAddress, ref: DiscordRef, body: object): Promise<boolean> => {
    if (ref.via === 'command' && address.kind === 'command' && (await commands.edit(address, body)) !== undefined) return true;
    try {
      await rest.call('PATCH', Routes.channelMessage(ref.channel, ref.message), 'an edit', { body });
      return true;
    } catch (error) {
      // Somebody removed it, or only the spent token could reach it.
      const isGone = hasDiscordCode(error, CODE.unknownMessage);
      const isOutOfReach = ref.via === 'command' && hasDiscordCode(error, CODE.missingAccess, CODE.missingPermissions);
      if (isGone || isOutOfReach) return false;
      throw error;
    }
  };

  return {
    async post(address, part, key, bytes) {
      const ref = await post(readAddress(address), { part, bytes }, key);
      return toMessageRef(ref);
    },
    async find(address, key) {
      const ref = await find(readAddress(address), key);
      return ref === undefined ? undefined : toMessageRef(ref);
    },
    async update(address, ref, part, key) {
      const to = readAddress(address);
      const place = readRef(ref);
      const budget = budgets.take(place.channel, key);
      try {
        await budget.final(key, async () => {
          if (await edit(to, place, messageBody(part, key))) return;
          logger.warn('discord_message_gone', { channel: place.channel });
          // It is edited many times: one that somebody removed would come back each time.
          if (part.ticket !== undefined) throw new AppError('channel_rejected', 'the card of the ticket was removed');
          const replyTo = to.kind === 'reply' ? to.message : undefined;
          await within((signal) => send(place.channel, { part }, key, signal, replyTo, nonceOf(`${key}:again`)));
        });
      } catch (error) {
        pauseOn(budget, error);
        throw error;
      } finally {
        budgets.letGo(place.channel, key);
      }
    },
    progress(address, ref, text, key) {
      if (isStopped) return;
      const place = readRef(ref);
      const to = readAddress(address);
      const budget = budgets.take(place.channel, key);
      budget.open(key);
      budget.offer(key, async () => {
        try {
          const shown = toDiscordMarkdown(safePartial(text));
          if (shown === '') return;
          const cut = shown.length <= MAX_PROGRESS_UNITS ? shown : `${shown.slice(0, MAX_PROGRESS_UNITS).toWellFormed()} …`;
          await edit(to, place, messageBody({ text: cut, withFeedback: false, withStop: true }, key));
        } catch (error) {
          pauseOn(budget, error);
          logger.debug('discord_progress_failed', { error: error as Error });
        }
      });
    },
    noteOwn({ nonce, channelId, id }) {
      remember(ownByNonce, nonce, { channel: channelId, message: id });
    },
    stop() {
      isStopped = true;
      budgets.stop();
    },
  };
};
