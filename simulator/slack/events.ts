/** The workspace's changes as the events that Slack sends for them, typed by Slack's own package. */
import type { AppMentionEvent, GenericMessageEvent, MessageChangedEvent, MessageDeletedEvent } from '@slack/types';
import type { JsonObject } from '../../agent/json.ts';
import { isJsonObject, readableText } from './blocks.ts';
import type { SimulatedChannel, SimulatedMessage, Workspace, WorkspaceChange } from './workspace.ts';

/** What the app may subscribe to; a change is announced only to who asked for it. */
export type EventSubscription =
  | 'app_mention'
  | 'message.channels'
  | 'message.groups'
  | 'message.im'
  | 'message.mpim'
  | 'reaction_added'
  | 'assistant_thread_started'
  | 'assistant_thread_context_changed';

const MESSAGE_SUBSCRIPTIONS = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
} as const satisfies Record<SimulatedChannel['kind'], EventSubscription>;

/** Drops what is undefined, as JSON does. */
const toPayload = (value: object): JsonObject => {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  return isJsonObject(parsed as JsonObject) ? (parsed as JsonObject) : {};
};

const mentions = (message: SimulatedMessage, userId: string): boolean => {
  const text = `${message.text}\n${readableText(message.text, message.blocks)}`;
  return text.includes(`<@${userId}>`) || text.includes(`<@${userId}|`);
};

const messageEvent = (workspace: Workspace, channel: SimulatedChannel, message: SimulatedMessage): JsonObject => {
  const core = {
    type: 'message',
    subtype: undefined,
    channel: channel.id,
    channel_type: channel.kind,
    user: message.userId,
    text: message.text,
    ts: message.ts,
    event_ts: message.ts,
    team: workspace.teamId,
    ...(message.botId === undefined ? { client_msg_id: `msg-${message.ts}` } : { bot_id: message.botId }),
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
  } satisfies GenericMessageEvent;
  // A new message carries no counts of replies yet.
  const { reply_count: _count, latest_reply: _latest, ...shown } = workspace.toJson(message);
  const { user, ...unsigned } = { ...toPayload(core), ...shown };
  // An app's message of the old kind names no person.
  return message.subtype === 'bot_message' || user === undefined ? unsigned : { ...unsigned, user };
};

const mentionEvent = (workspace: Workspace, channel: SimulatedChannel, message: SimulatedMessage): JsonObject => {
  const core = {
    type: 'app_mention',
    user: message.userId,
    text: message.text,
    ts: message.ts,
    channel: channel.id,
    event_ts: message.ts,
    team: workspace.teamId,
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
  } satisfies AppMentionEvent;
  const { subtype: _subtype, ...shown } = workspace.toJson(message);
  return { ...toPayload(core), ...shown, type: 'app_mention' };
};

const changedEvent = (
  workspace: Workspace,
  channel: SimulatedChannel,
  change: Extract<WorkspaceChange, { type: 'changed' }>,
): JsonObject => {
  const eventTs = workspace.nextTs();
  const core: Omit<MessageChangedEvent, 'message' | 'previous_message'> = {
    type: 'message',
    subtype: 'message_changed',
    channel: channel.id,
    channel_type: channel.kind,
    ts: eventTs,
    event_ts: eventTs,
    hidden: true,
  };
  return { ...toPayload(core), message: workspace.toJson(change.message), previous_message: change.before };
};

const deletedEvent = (
  workspace: Workspace,
  channel: SimulatedChannel,
  change: Extract<WorkspaceChange, { type: 'deleted' }>,
): JsonObject => {
  const eventTs = workspace.nextTs();
  const core: Omit<MessageDeletedEvent, 'previous_message'> = {
    type: 'message',
    subtype: 'message_deleted',
    channel: channel.id,
    channel_type: channel.kind,
    ts: eventTs,
    event_ts: eventTs,
    deleted_ts: change.message.ts,
    hidden: true,
  };
  return { ...toPayload(core), previous_message: change.before };
};

/** The events of one change, in the order in which they are sent. */
export const eventsOf = (
  workspace: Workspace,
  change: WorkspaceChange,
  subscriptions: ReadonlySet<EventSubscription>,
): readonly JsonObject[] => {
  const channel = workspace.channels.get(change.message.channelId);
  if (channel === undefined || !channel.members.has(workspace.botUserId)) return [];
  const events: JsonObject[] = [];
  if (subscriptions.has(MESSAGE_SUBSCRIPTIONS[channel.kind])) {
    if (change.type === 'posted') events.push(messageEvent(workspace, channel, change.message));
    if (change.type === 'changed') events.push(changedEvent(workspace, channel, change));
    if (change.type === 'deleted') events.push(deletedEvent(workspace, channel, change));
  }
  const wakes =
    subscriptions.has('app_mention') &&
    channel.kind !== 'im' &&
    change.message.userId !== workspace.botUserId &&
    mentions(change.message, workspace.botUserId);
  // An edit that carries a mention announces it again, marked `edited`; an unfurl does not.
  const isTextEdit = change.type === 'changed' && !change.hidden;
  if (wakes && (change.type === 'posted' || isTextEdit)) events.push(mentionEvent(workspace, channel, change.message));
  return events;
};

/** The envelope of an event. https://docs.slack.dev/apis/events-api/#callback-field */
export const eventCallback = (workspace: Workspace, event: JsonObject, eventId: string, timeS: number): JsonObject => ({
  token: 'simulated',
  team_id: workspace.teamId,
  api_app_id: workspace.appId,
  type: 'event_callback',
  event_id: eventId,
  event_time: timeS,
  authorizations: [
    { enterprise_id: null, team_id: workspace.teamId, user_id: workspace.botUserId, is_bot: true, is_enterprise_install: false },
  ],
  is_ext_shared_channel: false,
  event,
});
