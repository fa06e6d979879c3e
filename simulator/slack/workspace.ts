/**
 * What a Slack workspace holds: people, places, messages. Changes are announced to whoever watches; nothing here knows HTTP.
 */

import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';

export interface SimulatedUser {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly teamId: string;
  readonly isBot: boolean;
  /** A guest of several channels. */
  readonly isRestricted: boolean;
  /** A guest of a single channel. */
  readonly isUltraRestricted: boolean;
  /** Somebody of another workspace, seen through a shared channel. */
  readonly isStranger: boolean;
}

/** `im` a direct message, `mpim` a direct message of several, `group` a private channel. */
export type ChannelKind = 'channel' | 'group' | 'im' | 'mpim';

export interface SimulatedChannel {
  readonly id: string;
  readonly name: string;
  readonly kind: ChannelKind;
  readonly members: Set<string>;
  isArchived: boolean;
}

/** A message as the Web API returns it, with what only the simulator knows beside it. */
export interface SimulatedMessage {
  readonly ts: string;
  readonly channelId: string;
  readonly threadTs: string | undefined;
  readonly userId: string;
  readonly botId: string | undefined;
  readonly subtype: string | undefined;
  text: string;
  blocks: readonly JsonObject[];
  attachments: readonly JsonObject[];
  readonly files: readonly JsonObject[];
  metadata: JsonObject | undefined;
  edited: { readonly user: string; readonly ts: string } | undefined;
  /** Set while a message is being streamed, and what it was when the stream ended. */
  streaming: 'in_progress' | 'completed' | undefined;
  /** How often its text changed after it was posted. */
  revisions: number;
  readonly reactions: Map<string, Set<string>>;
  isTombstone: boolean;
}

export interface EphemeralMessage {
  readonly ts: string;
  readonly channelId: string;
  readonly threadTs: string | undefined;
  readonly userId: string;
  readonly text: string;
  readonly blocks: readonly JsonObject[];
}

export type WorkspaceChange =
  | { readonly type: 'posted'; readonly message: SimulatedMessage }
  | { readonly type: 'changed'; readonly message: SimulatedMessage; readonly before: JsonObject; readonly hidden: boolean }
  | { readonly type: 'deleted'; readonly message: SimulatedMessage; readonly before: JsonObject };

export interface NewMessage {
  readonly channelId: string;
  readonly userId: string;
  readonly text: string;
  readonly threadTs?: string | undefined;
  readonly botId?: string | undefined;
  readonly subtype?: string | undefined;
  readonly blocks?: readonly JsonObject[];
  readonly attachments?: readonly JsonObject[];
  readonly files?: readonly JsonObject[];
  readonly metadata?: JsonObject | undefined;
  readonly streaming?: 'in_progress';
}

export interface Workspace {
  readonly teamId: string;
  readonly domain: string;
  readonly appId: string;
  readonly botUserId: string;
  readonly botId: string;
  readonly users: ReadonlyMap<string, SimulatedUser>;
  readonly channels: ReadonlyMap<string, SimulatedChannel>;
  readonly ephemerals: readonly EphemeralMessage[];
  addUser(user?: Partial<SimulatedUser>): SimulatedUser;
  addChannel(channel?: {
    readonly id?: string;
    readonly name?: string;
    readonly kind?: ChannelKind;
    readonly members?: readonly string[];
  }): SimulatedChannel;
  /** The direct message between the app and a person, opened when there is none. */
  openDirect(userId: string): SimulatedChannel;
  /** Oldest first; all messages, or those of one thread with its root. */
  list(channelId: string, threadTs?: string): readonly SimulatedMessage[];
  find(channelId: string, ts: string): SimulatedMessage | undefined;
  post(message: NewMessage): SimulatedMessage;
  change(message: SimulatedMessage, change: Partial<SimulatedMessage>, options?: { readonly hidden?: boolean }): void;
  remove(message: SimulatedMessage): void;
  addEphemeral(message: Omit<EphemeralMessage, 'ts'>): EphemeralMessage;
  nextTs(): string;
  nextId(prefix: string): string;
  watch(onChange: (change: WorkspaceChange) => void): void;
  /** The message as the Web API shows it. */
  toJson(message: SimulatedMessage, options?: { readonly withMetadata?: boolean }): JsonObject;
}

const withoutUndefined = (value: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(value).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));

export const createWorkspace = (clock: Clock): Workspace => {
  const teamId = 'T0SIM0001';
  const appId = 'A0SIM0001';
  const botUserId = 'U0SIMBOT1';
  const botId = 'B0SIMBOT1';
  const users = new Map<string, SimulatedUser>();
  const channels = new Map<string, SimulatedChannel>();
  const messages = new Map<string, SimulatedMessage[]>();
  const ephemerals: EphemeralMessage[] = [];
  const watchers: ((change: WorkspaceChange) => void)[] = [];
  let idCount = 0;
  let lastMicros = 0;

  const nextId = (prefix: string): string => `${prefix}0${String(++idCount).padStart(7, '0')}`;

  const nextTs = (): string => {
    lastMicros = Math.max(lastMicros + 1, Math.floor(clock.now() * 1000));
    return `${Math.floor(lastMicros / 1_000_000)}.${String(lastMicros % 1_000_000).padStart(6, '0')}`;
  };

  const announce = (change: WorkspaceChange): void => {
    for (const watcher of watchers) watcher(change);
  };

  const list = (channelId: string, threadTs?: string): readonly SimulatedMessage[] => {
    const all = messages.get(channelId) ?? [];
    return threadTs === undefined ? all : all.filter((message) => message.ts === threadTs || message.threadTs === threadTs);
  };

  const find = (channelId: string, ts: string) => messages.get(channelId)?.find((message) => message.ts === ts);

  const toJson: Workspace['toJson'] = (message, options = {}) => {
    const replies = list(message.channelId, message.ts).filter((reply) => reply.ts !== message.ts);
    return withoutUndefined({
      type: 'message',
      subtype: message.isTombstone ? 'tombstone' : message.subtype,
      user: message.subtype === 'bot_message' ? undefined : message.userId,
      bot_id: message.botId,
      app_id: message.botId === botId ? appId : undefined,
      bot_profile:
        message.botId === undefined
          ? undefined
          : { id: message.botId, app_id: appId, name: 'app', deleted: false, updated: 0, team_id: teamId, icons: {} },
      ts: message.ts,
      text: message.text,
      team: teamId,
      thread_ts: message.threadTs ?? (replies.length > 0 ? message.ts : undefined),
      parent_user_id: message.threadTs === undefined ? undefined : find(message.channelId, message.threadTs)?.userId,
      reply_count: replies.length > 0 ? replies.length : undefined,
      latest_reply: replies.at(-1)?.ts,
      blocks: message.blocks.length > 0 ? message.blocks : undefined,
      attachments: message.attachments.length > 0 ? message.attachments : undefined,
      files: message.files.length > 0 ? message.files : undefined,
      edited: message.edited,
      streaming_state: message.streaming,
      metadata: options.withMetadata === true ? message.metadata : undefined,
      reactions:
        message.reactions.size > 0
          ? [...message.reactions].map(([name, by]) => ({ name, count: by.size, users: [...by] }))
          : undefined,
    });
  };

  const addUser: Workspace['addUser'] = (user = {}) => {
    const id = user.id ?? nextId('U');
    const added = {
      id,
      name: user.name ?? id.toLowerCase(),
      displayName: user.displayName ?? `Person ${id.slice(-2)}`,
      teamId: user.teamId ?? teamId,
      isBot: user.isBot ?? false,
      isRestricted: user.isRestricted ?? false,
      isUltraRestricted: user.isUltraRestricted ?? false,
      isStranger: user.isStranger ?? false,
    };
    users.set(id, added);
    return added;
  };

  const addChannel: Workspace['addChannel'] = (channel = {}) => {
    const kind = channel.kind ?? 'channel';
    const id = channel.id ?? nextId({ channel: 'C', group: 'G', mpim: 'G', im: 'D' }[kind]);
    const added = {
      id,
      name: channel.name ?? id.toLowerCase(),
      kind,
      members: new Set(channel.members ?? [botUserId]),
      isArchived: false,
    };
    channels.set(id, added);
    messages.set(id, []);
    return added;
  };

  addUser({ id: botUserId, name: 'threadwise', displayName: 'Threadwise', isBot: true });

  return {
    teamId,
    domain: 'simulated',
    appId,
    botUserId,
    botId,
    users,
    channels,
    ephemerals,
    addUser,
    addChannel,
    openDirect: (userId) =>
      [...channels.values()].find(({ kind, members }) => kind === 'im' && members.has(userId) && members.has(botUserId)) ??
      addChannel({ kind: 'im', members: [userId, botUserId] }),
    list,
    find,
    post: (input) => {
      const message: SimulatedMessage = {
        ts: nextTs(),
        channelId: input.channelId,
        threadTs: input.threadTs,
        userId: input.userId,
        botId: input.botId,
        subtype: input.subtype,
        text: input.text,
        blocks: input.blocks ?? [],
        attachments: input.attachments ?? [],
        files: input.files ?? [],
        metadata: input.metadata,
        edited: undefined,
        streaming: input.streaming,
        revisions: 0,
        reactions: new Map(),
        isTombstone: false,
      };
      messages.get(input.channelId)?.push(message);
      announce({ type: 'posted', message });
      return message;
    },
    change: (message, change, options = {}) => {
      const before = toJson(message);
      Object.assign(message, change);
      message.revisions += 1;
      announce({ type: 'changed', message, before, hidden: options.hidden === true });
    },
    remove: (message) => {
      const before = toJson(message);
      const all = messages.get(message.channelId) ?? [];
      // A deleted root that has replies stays as a tombstone, and Slack announces a change instead of a deletion.
      if (all.some((other) => other.threadTs === message.ts)) {
        Object.assign(message, { isTombstone: true, text: 'This message was deleted.', blocks: [], attachments: [] });
        announce({ type: 'changed', message, before, hidden: true });
        return;
      }
      all.splice(all.indexOf(message), 1);
      announce({ type: 'deleted', message, before });
    },
    addEphemeral: (message) => {
      const added = { ...message, ts: nextTs() };
      ephemerals.push(added);
      return added;
    },
    nextTs,
    nextId,
    watch: (onChange) => void watchers.push(onChange),
    toJson,
  };
};
