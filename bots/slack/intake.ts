/** What Slack announces, as questions for the gateway: one per message, however many events speak of it. */
import type { WebClient } from '@slack/web-api';
import type { InboundMessage, Trigger } from '../../agent/conversation.ts';
import type { Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { languageOf, textsFor } from '../../agent/texts.ts';
import { createLines } from '../lines.ts';
import { isStop } from '../question.ts';
import { asksForPerson } from '../ticket-words.ts';
import { conversationId, deliveryId, messageId, personId, placeOf, type SlackAddress, scopeOf, toAddress } from './address.ts';
import type { People } from './people.ts';
import { leadingMention, type MessageContent, mentionedUsers, mentionsUser, plainText, rawText } from './text.ts';
import type { SlackTickets } from './tickets.ts';

export interface Identity {
  readonly teamId: string;
  readonly botUserId: string;
  readonly botId: string;
}

/** A `message` or `app_mention` event. Everything in it comes from outside. */
export interface SlackMessageEvent extends MessageContent {
  readonly type: string;
  readonly subtype?: string | undefined;
  readonly channel: string;
  readonly channel_type?: string | undefined;
  readonly user?: string | undefined;
  readonly bot_id?: string | undefined;
  readonly ts: string;
  readonly thread_ts?: string | undefined;
  readonly edited?: unknown;
  readonly message?: unknown;
  readonly previous_message?: unknown;
  readonly deleted_ts?: string | undefined;
}

export interface Intake {
  /** Resolves when the gateway has the message for good, or when it is of no concern. Throws what the gateway throws. */
  onMessage(event: SlackMessageEvent): Promise<void>;
}

export interface IntakeOptions {
  readonly gateway: Gateway;
  readonly client: WebClient;
  readonly people: People;
  readonly identity: Identity;
  readonly tickets?: SlackTickets | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Written by people. All other subtypes are Slack's own notes, or apps. */
const WRITTEN = new Set<string | undefined>([undefined, 'file_share', 'thread_broadcast', 'me_message']);
const MAX_STOPPED = 200;

interface ChangedMessage extends MessageContent {
  readonly ts: string;
  readonly subtype?: string;
  readonly bot_id?: string;
}

const readChanged = (value: unknown): ChangedMessage | undefined =>
  typeof value === 'object' && value !== null && 'ts' in value && typeof value.ts === 'string'
    ? (value as ChangedMessage)
    : undefined;

export const createIntake = ({ gateway, client, people, identity, tickets, clock, logger }: IntakeOptions): Intake => {
  const { teamId, botUserId } = identity;
  /** Messages that asked to stop: a mention comes as two events, and the second would find nothing running. */
  const stopped = new Set<string>();
  /** Questions on their way to the gateway: what is said about one comes after it. */
  const underWay = new Map<string, Promise<void>>();
  /** The messages of one conversation are taken in the order they came, however long it takes to look up who is in them. */
  const lines = createLines();

  const toText = async (raw: string): Promise<string> => {
    const names = await people.namesOf(mentionedUsers(raw).filter((userId) => userId !== botUserId));
    return plainText(raw, { botUserId, nameOf: (userId) => names.get(userId) });
  };

  const onChanged = async (event: SlackMessageEvent): Promise<void> => {
    const after = readChanged(event.message);
    if (after === undefined || after.bot_id !== undefined) return;
    const id = messageId(teamId, event.channel, after.ts);
    await underWay.get(id)?.catch(() => undefined);
    // A deleted message that has replies is announced as a change.
    if (after.subtype === 'tombstone') return await gateway.deleteQuestion('slack', id);
    const before = readChanged(event.previous_message);
    if (before === undefined) return;
    const [oldText, newText] = [rawText(before), rawText(after)];
    // Previews, reactions of integrations and the like change a message without changing what was asked.
    if (newText === '' || newText === oldText) return;
    await gateway.editQuestion('slack', id, await toText(newText));
  };

  /** How the message reached the assistant, or undefined when it is not for it. */
  const triggerOf = async (event: SlackMessageEvent, raw: string, address: SlackAddress): Promise<Trigger | undefined> => {
    if (event.channel_type === 'im') return 'direct';
    if (event.type === 'app_mention' || mentionsUser(raw, botUserId)) return 'mention';
    if (address.thread === event.ts || raw === '') return undefined;
    if (leadingMention(raw) !== undefined) return undefined;
    return (await gateway.isSubscribed(conversationId(teamId, address))) ? 'follow_up' : undefined;
  };

  const stop = async (address: SlackAddress, text: string): Promise<void> => {
    const id = messageId(teamId, address.channel, address.question);
    if (stopped.has(id)) return;
    stopped.add(id);
    const oldest = stopped.values().next();
    if (stopped.size > MAX_STOPPED && oldest.done !== true) stopped.delete(oldest.value);
    // The run that stops says so in its own message.
    if (await gateway.cancel(scopeOf(teamId, address))) return;
    try {
      await client.chat.postEphemeral({
        channel: address.channel,
        user: address.user,
        text: textsFor(languageOf(text)).noRunToStop,
        ...(address.thread === '' ? {} : { thread_ts: address.thread }),
      });
    } catch (error) {
      logger.warn('slack_notice_failed', { error: error as Error });
    }
  };

  const onWritten = async (event: SlackMessageEvent): Promise<void> => {
    // A mention that was added by an edit is announced anew; edits start nothing.
    if (!WRITTEN.has(event.subtype) || event.edited !== undefined) return;
    if (event.bot_id !== undefined || event.user === undefined || event.user === botUserId) return;

    const isDirect = event.channel_type === 'im';
    const address: SlackAddress = {
      channel: event.channel,
      thread: event.thread_ts ?? (isDirect ? '' : event.ts),
      question: event.ts,
      user: event.user,
    };
    await lines.run(conversationId(teamId, address), () => take(event, address, isDirect));
  };

  const take = async (event: SlackMessageEvent, address: SlackAddress, isDirect: boolean): Promise<void> => {
    const raw = rawText(event);
    const trigger = await triggerOf(event, raw, address);
    // A mention is announced twice; a ticket hears each message once by its id.
    if (tickets !== undefined && (trigger === undefined || address.thread !== event.ts)) {
      const { channel: channelId, user: userId } = address;
      await tickets.hear({ channelId, ts: event.ts, threadTs: event.thread_ts, userId, text: raw });
    }
    if (trigger === undefined) return;
    const author = await people.describe(address.user);
    if (author.kind === 'bot') return;
    const text = await toText(raw);
    if (isStop(text)) return await stop(address, text);
    const message: InboundMessage = {
      deliveryId: deliveryId(teamId, event.channel, event.ts),
      scope: scopeOf(teamId, address),
      author: { id: personId(address.user), ...author },
      place: placeOf(event.channel, isDirect),
      trigger,
      text,
      sourceMessageId: messageId(teamId, event.channel, event.ts),
      address: toAddress(address),
      receivedAt: clock.now(),
    };
    if (tickets !== undefined && asksForPerson(text) && gateway.refusalFor(message) === undefined)
      return await tickets.escalate(message);
    // A person has it: who wants the assistant there says its name.
    const isByName = trigger === 'mention' || mentionsUser(raw, botUserId);
    if (tickets !== undefined && !isByName && (await tickets.isWithPerson(message.scope.conversationId))) return;
    const outcome = await gateway.accept(message);
    logger.debug('slack_message', { trigger, outcome });
  };

  const onDeleted = async (channelId: string, ts: string): Promise<void> => {
    const id = messageId(teamId, channelId, ts);
    await underWay.get(id)?.catch(() => undefined);
    await gateway.deleteQuestion('slack', id);
  };

  return {
    onMessage: async (event) => {
      if (event.subtype === 'message_changed') return await onChanged(event);
      if (event.subtype === 'message_deleted') {
        return event.deleted_ts === undefined ? undefined : await onDeleted(event.channel, event.deleted_ts);
      }
      const id = messageId(teamId, event.channel, event.ts);
      const work = onWritten(event);
      underWay.set(id, work);
      try {
        await work;
      } finally {
        if (underWay.get(id) === work) underWay.delete(id);
      }
    },
  };
};
