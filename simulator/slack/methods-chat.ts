/** chat.*: posting, changing, streaming. Errors as https://docs.slack.dev/reference/methods lists them. */

import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { checkMessage, isJsonObject, readableText } from './blocks.ts';
import { asText, type Method, type MethodArguments, SlackApiError } from './method.ts';
import type { SimulatedChannel, SimulatedMessage, Workspace } from './workspace.ts';

export interface ChatOptions {
  readonly workspace: Workspace;
  readonly clock: Clock;
  /** After so long without an append a stream is over. */
  readonly streamIdleMs: number;
}

const objects = (value: JsonValue | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

const CONTENT = {
  text: 'string',
  blocks: 'json',
  attachments: 'json',
  markdown_text: 'string',
  metadata: 'json',
  link_names: 'boolean',
  parse: 'string',
  unfurl_links: 'boolean',
  unfurl_media: 'boolean',
  as_user: 'boolean',
} as const;

const URL_IN_TEXT = /https?:\/\/[^\s<>|)]+/;

export const createChatMethods = ({ workspace, clock, streamIdleMs }: ChatOptions): Readonly<Record<string, Method>> => {
  const lastAppendAt = new Map<SimulatedMessage, number>();

  const channelFor = (args: MethodArguments): SimulatedChannel => {
    const id = asText(args['channel']);
    const channel =
      workspace.channels.get(id) ??
      (workspace.users.has(id) && id !== workspace.botUserId ? workspace.openDirect(id) : undefined);
    if (channel === undefined) throw new SlackApiError('channel_not_found');
    if (channel.isArchived) throw new SlackApiError('is_archived');
    if (!channel.members.has(workspace.botUserId)) {
      // A private place that the app is not in does not exist for it.
      throw new SlackApiError(channel.kind === 'channel' ? 'not_in_channel' : 'channel_not_found');
    }
    return channel;
  };

  const check = (args: MethodArguments, isUpdate: boolean): void => {
    const fault = checkMessage(asText(args['text']), args['blocks'], asText(args['markdown_text']), isUpdate);
    if (fault !== undefined)
      throw new SlackApiError(fault.error, { response_metadata: { messages: [`[ERROR] ${fault.detail}`] } });
    const metadata = args['metadata'];
    if (metadata === undefined) return;
    if (!isJsonObject(metadata) || typeof metadata['event_type'] !== 'string' || !isJsonObject(metadata['event_payload'])) {
      throw new SlackApiError('invalid_metadata_format');
    }
  };

  const threadOf = (channel: SimulatedChannel, args: MethodArguments): string | undefined => {
    const threadTs = asText(args['thread_ts']);
    if (threadTs === '') return undefined;
    const root = workspace.find(channel.id, threadTs);
    if (root === undefined) throw new SlackApiError('thread_not_found');
    return root.threadTs ?? root.ts;
  };

  const unfurl = (message: SimulatedMessage, args: MethodArguments): void => {
    const url = URL_IN_TEXT.exec(readableText(message.text, message.blocks))?.[0];
    if (url === undefined || args['unfurl_links'] === false) return;
    workspace.change(message, { attachments: [{ from_url: url, title: 'preview', fallback: url, id: 1 }] }, { hidden: true });
  };

  const ownMessage = (channel: SimulatedChannel, args: MethodArguments): SimulatedMessage => {
    const message = workspace.find(channel.id, asText(args['ts']));
    if (message === undefined || message.isTombstone) throw new SlackApiError('message_not_found');
    return message;
  };

  const streamOf = (channel: SimulatedChannel, args: MethodArguments): SimulatedMessage => {
    const message = ownMessage(channel, args);
    const isStale = clock.monotonic() - (lastAppendAt.get(message) ?? 0) > streamIdleMs;
    if (message.streaming !== 'in_progress' || isStale) throw new SlackApiError('message_not_in_streaming_state');
    return message;
  };

  const streamedText = (args: MethodArguments): string => {
    const text =
      asText(args['markdown_text']) +
      objects(args['chunks'])
        .filter((chunk) => chunk['type'] === 'markdown_text')
        .map((chunk) => asText(chunk['text']))
        .join('');
    if (text.length > 12_000) throw new SlackApiError('msg_too_long');
    return text;
  };

  return {
    'chat.postMessage': {
      scope: 'chat:write',
      required: { channel: 'string' },
      optional: { ...CONTENT, thread_ts: 'string', reply_broadcast: 'boolean', mrkdwn: 'boolean', client_msg_id: 'string' },
      run: (args) => {
        const channel = channelFor(args);
        check(args, false);
        const message = workspace.post({
          channelId: channel.id,
          userId: workspace.botUserId,
          botId: workspace.botId,
          text: asText(args['text']) || asText(args['markdown_text']),
          threadTs: threadOf(channel, args),
          blocks: objects(args['blocks']),
          attachments: objects(args['attachments']),
          metadata: isJsonObject(args['metadata']) ? args['metadata'] : undefined,
        });
        unfurl(message, args);
        return { channel: channel.id, ts: message.ts, message: workspace.toJson(message) };
      },
    },
    'chat.update': {
      scope: 'chat:write',
      required: { channel: 'string', ts: 'string' },
      optional: { ...CONTENT, reply_broadcast: 'boolean', file_ids: 'json' },
      run: (args) => {
        const channel = channelFor(args);
        const message = ownMessage(channel, args);
        if (message.botId !== workspace.botId) throw new SlackApiError('cant_update_message');
        if (message.streaming === 'in_progress') throw new SlackApiError('streaming_state_conflict');
        check(args, true);
        workspace.change(message, {
          text: asText(args['text']) || asText(args['markdown_text']),
          blocks: objects(args['blocks']),
          edited: { user: workspace.botUserId, ts: workspace.nextTs() },
          ...(isJsonObject(args['metadata']) ? { metadata: args['metadata'] } : {}),
        });
        unfurl(message, args);
        return { channel: channel.id, ts: message.ts, text: message.text, message: workspace.toJson(message) };
      },
    },
    'chat.delete': {
      scope: 'chat:write',
      required: { channel: 'string', ts: 'string' },
      optional: { as_user: 'boolean' },
      run: (args) => {
        const channel = channelFor(args);
        const message = ownMessage(channel, args);
        if (message.botId !== workspace.botId) throw new SlackApiError('cant_delete_message');
        workspace.remove(message);
        return { channel: channel.id, ts: message.ts };
      },
    },
    'chat.postEphemeral': {
      scope: 'chat:write',
      required: { channel: 'string', user: 'string' },
      optional: { ...CONTENT, thread_ts: 'string' },
      run: (args) => {
        const channel = channelFor(args);
        check(args, false);
        const userId = asText(args['user']);
        if (!channel.members.has(userId)) throw new SlackApiError('user_not_in_channel');
        const ephemeral = workspace.addEphemeral({
          channelId: channel.id,
          threadTs: threadOf(channel, args),
          userId,
          text: asText(args['text']),
          blocks: objects(args['blocks']),
        });
        return { message_ts: ephemeral.ts };
      },
    },
    'chat.startStream': {
      scope: 'chat:write',
      required: { channel: 'string', thread_ts: 'string' },
      optional: {
        recipient_user_id: 'string',
        recipient_team_id: 'string',
        markdown_text: 'string',
        chunks: 'json',
        task_display_mode: 'string',
      },
      run: (args) => {
        const channel = channelFor(args);
        if (channel.kind !== 'im') {
          if (asText(args['recipient_team_id']) === '') throw new SlackApiError('missing_recipient_team_id');
          if (asText(args['recipient_user_id']) === '') throw new SlackApiError('missing_recipient_user_id');
        }
        const message = workspace.post({
          channelId: channel.id,
          userId: workspace.botUserId,
          botId: workspace.botId,
          threadTs: threadOf(channel, args),
          text: streamedText(args),
          streaming: 'in_progress',
        });
        lastAppendAt.set(message, clock.monotonic());
        return { channel: channel.id, ts: message.ts };
      },
    },
    'chat.appendStream': {
      scope: 'chat:write',
      required: { channel: 'string', ts: 'string' },
      optional: { markdown_text: 'string', chunks: 'json' },
      run: (args) => {
        const channel = channelFor(args);
        const message = streamOf(channel, args);
        const added = streamedText(args);
        if (added === '') throw new SlackApiError('no_text');
        lastAppendAt.set(message, clock.monotonic());
        message.text += added;
        return { channel: channel.id, ts: message.ts };
      },
    },
    'chat.stopStream': {
      scope: 'chat:write',
      required: { channel: 'string', ts: 'string' },
      optional: { markdown_text: 'string', chunks: 'json', blocks: 'json', metadata: 'json' },
      run: (args) => {
        const channel = channelFor(args);
        const message = streamOf(channel, args);
        workspace.change(message, {
          text: message.text + streamedText(args),
          blocks: objects(args['blocks']),
          streaming: 'completed',
          ...(isJsonObject(args['metadata']) ? { metadata: args['metadata'] } : {}),
        });
        return { channel: channel.id, ts: message.ts, message: workspace.toJson(message) };
      },
    },
  };
};
