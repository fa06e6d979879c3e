/** Posting, finding again and changing the assistant's messages. Each carries its outbox key in its metadata. */
import type { MessageMetadata } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { ReplyAddress } from '../../agent/conversation.ts';
import { AppError, hasCode } from '../../agent/errors.ts';
import type { MessageRef, OutboundPart } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { EditBudget } from '../edit-budget.ts';
import { readAddress, type SlackAddress } from './address.ts';
import { renderProgress, toMessage } from './blocks.ts';
import { createSlackFiles, isKeyed } from './files.ts';
import { callSlack, isRefusal } from './web-client.ts';

export interface SlackDelivery {
  post(address: ReplyAddress, part: OutboundPart, key: string, bytes?: Uint8Array): Promise<MessageRef>;
  find(address: ReplyAddress, key: string): Promise<MessageRef | undefined>;
  update(address: ReplyAddress, ref: MessageRef, part: OutboundPart, key: string): Promise<void>;
  progress(address: ReplyAddress, ref: MessageRef, text: string, key: string): void;
}

export interface SlackDeliveryOptions {
  readonly client: WebClient;
  /** The app's own ids, once they are known. */
  readonly identity: () => { readonly botId: string; readonly botUserId: string } | undefined;
  readonly budget: EditBudget;
  readonly clock: Clock;
  readonly logger: Logger;
}

const METADATA_TYPE = 'threadwise_answer';
const PAGE_SIZE = 200;
const MAX_PAGES = 50;
const BUSY_WAIT_MS = 300;
/** Keys whose final text was given; a late status must not follow it. */
const MAX_FINISHED_KEYS = 2000;

/** No link of an answer is fetched by Slack's servers, and no bare name notifies anybody. */
const QUIET = { unfurl_links: false, unfurl_media: false, link_names: false } as const;

const metadataOf = (key: string): MessageMetadata => ({ event_type: METADATA_TYPE, event_payload: { key } });

interface FoundMessage {
  readonly ts?: string | undefined;
  readonly bot_id?: string | undefined;
  readonly user?: string | undefined;
  readonly files?: readonly { readonly name?: string | null | undefined }[] | undefined;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: unknown } | undefined;
}

const keyOf = ({ metadata }: FoundMessage): unknown => {
  if (metadata?.event_type !== METADATA_TYPE) return undefined;
  const payload = metadata.event_payload;
  return typeof payload === 'object' && payload !== null && 'key' in payload ? payload.key : undefined;
};

export const createSlackDelivery = ({ client, identity, budget, clock, logger }: SlackDeliveryOptions): SlackDelivery => {
  const files = createSlackFiles({ client, clock });
  const posting = new Set<string>();
  const finished = new Set<string>();

  const remember = (key: string): void => {
    finished.add(key);
    const oldest = finished.values().next();
    if (finished.size > MAX_FINISHED_KEYS && oldest.done !== true) finished.delete(oldest.value);
  };

  const post: SlackDelivery['post'] = async (address, part, key, bytes) => {
    const to = readAddress(address);
    const { channel, thread } = to;
    const place = `${channel}:${thread}`;
    // Two posts under way to one thread could overtake each other. The later one did not begin, and says so.
    if (posting.has(place)) {
      throw new AppError('channel_unavailable', 'another message is on its way to this conversation', {
        retryAfterMs: BUSY_WAIT_MS,
      });
    }
    posting.add(place);
    try {
      if (part.file !== undefined && bytes !== undefined) return await files.post(to, { ...part.file, bytes }, key);
      const sent = await callSlack('chat.postMessage', () =>
        client.chat.postMessage({
          channel,
          ...(thread === '' ? {} : { thread_ts: thread }),
          ...toMessage(part, key),
          metadata: metadataOf(key),
          ...QUIET,
        }),
      );
      if (sent.ts === undefined)
        throw new AppError('channel_unavailable', 'Slack took a message but did not say where it stands');
      return { channel: sent.channel ?? channel, ts: sent.ts };
    } finally {
      posting.delete(place);
    }
  };

  /** One page: threads come oldest first, a direct message newest first; both hold only what is newer than the question. */
  const readPage = async ({ channel, thread, question }: SlackAddress, cursor: string | undefined) => {
    const window = {
      channel,
      limit: PAGE_SIZE,
      include_all_metadata: true,
      ...(question === '' ? {} : { oldest: question }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const page =
      thread === ''
        ? await callSlack('conversations.history', () => client.conversations.history(window))
        : await callSlack('conversations.replies', () => client.conversations.replies({ ...window, ts: thread }));
    const messages: readonly FoundMessage[] = page.messages ?? [];
    return { messages, next: page.response_metadata?.next_cursor || undefined };
  };

  const find: SlackDelivery['find'] = async (address, key) => {
    const own = identity();
    if (own === undefined)
      throw new AppError('channel_unavailable', 'Slack has not said yet who this app is', { retryAfterMs: 1000 });
    const place = readAddress(address);
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const { messages, next } = await readPage(place, cursor);
      // Anybody can write metadata; only the app's own messages count.
      const found = messages.find(
        (message) =>
          (message.bot_id === own.botId || message.user === own.botUserId) &&
          (keyOf(message) === key || message.files?.some(({ name }) => isKeyed(name, key)) === true),
      );
      if (found?.ts !== undefined) return { channel: place.channel, ts: found.ts };
      if (next === undefined) return undefined;
      cursor = next;
    }
    return undefined;
  };

  const change = (ref: MessageRef, part: OutboundPart, key: string): Promise<unknown> => {
    const edit = {
      channel: ref['channel'] ?? '',
      ts: ref['ts'] ?? '',
      ...toMessage(part, key),
      metadata: metadataOf(key),
      ...QUIET,
    };
    return callSlack('chat.update', () => client.chat.update(edit));
  };

  const pauseOn = (error: unknown): void => {
    if (hasCode(error, 'channel_unavailable') && error.retryAfterMs !== undefined) budget.pause(error.retryAfterMs);
  };

  /** Somebody deleted the message, or the workspace forbids edits: the answer is posted anew in its thread, once. */
  const replace = async (address: ReplyAddress, ref: MessageRef, part: OutboundPart, key: string): Promise<void> => {
    const found = await find(address, key);
    if (found !== undefined && found['ts'] !== ref['ts']) await change(found, part, key);
    else await post(address, part, key);
  };

  return {
    post,
    find,
    update: async (address, ref, part, key) => {
      remember(key);
      try {
        await budget.final(key, async () => {
          try {
            await change(ref, part, key);
          } catch (error) {
            pauseOn(error);
            if (!isRefusal(error, 'message_not_found', 'edit_window_closed')) throw error;
            await replace(address, ref, part, key);
          }
        });
      } finally {
        budget.close(key);
      }
    },
    progress: (_address, ref, text, key) => {
      if (finished.has(key)) return;
      budget.open(key);
      const askedAt = clock.monotonic();
      budget.offer(key, async () => {
        try {
          await change(ref, renderProgress(text), key);
        } catch (error) {
          pauseOn(error);
          logger.debug('slack_progress_failed', {
            ageMs: clock.monotonic() - askedAt,
            error: error instanceof Error ? error : undefined,
          });
        }
      });
    },
  };
};
