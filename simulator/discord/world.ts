import type { Clock } from '../../agent/ports/clock.ts';
import { apiError } from './api-error.ts';
import type { SimAttachment } from './attachments.ts';

/** What the simulated Discord holds: people, servers, channels, messages. Ids are snowflakes in the order of creation. */

export interface SimUser {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly bot: boolean;
  /** The person takes no direct messages from servers: 50007. */
  dmClosed: boolean;
  readonly isStranger: boolean;
}

export interface SimRole {
  readonly id: string;
  readonly name: string;
  readonly mentionable: boolean;
}

export interface SimGuild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly memberIds: Set<string>;
  readonly roles: SimRole[];
  /** What @everyone may, the bot included. */
  everyone: bigint;
  maxActiveThreads: number;
  blockedWords: string[];
}

export const CHANNEL = { text: 0, dm: 1, voice: 2, announcement: 5, publicThread: 11, privateThread: 12, forum: 15 } as const;

export interface SimThread {
  readonly ownerId: string;
  readonly createdAt: number;
  readonly autoArchiveMinutes: number;
  readonly memberIds: Set<string>;
  readonly appliedTags: readonly string[];
  archived: boolean;
  locked: boolean;
}

export interface SimChannel {
  readonly id: string;
  readonly type: number;
  readonly guildId: string | null;
  readonly name: string;
  readonly parentId: string | null;
  readonly recipientIds: readonly string[];
  readonly thread: SimThread | null;
  readonly messages: SimMessage[];
  readonly tags: { readonly id: string; readonly name: string }[];
  /** Denied to the bot here, whatever @everyone may. */
  denied: bigint;
  slowmodeSeconds: number;
  requireTag: boolean;
}

export interface SimInteractionOrigin {
  readonly id: string;
  readonly type: 2 | 3 | 5;
  readonly name: string;
  readonly userId: string;
  readonly interactedMessageId: string | null;
}

export interface SimMessage {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly webhookId: string | null;
  readonly createdAt: number;
  readonly type: number;
  readonly reference: { readonly messageId: string; readonly channelId: string } | null;
  readonly nonce: string | number | null;
  readonly origin: SimInteractionOrigin | null;
  /** Only this person sees it, and no channel read returns it. */
  readonly ephemeralFor: string | null;
  content: string;
  editedAt: number | null;
  edits: number;
  flags: number;
  components: readonly unknown[];
  embeds: readonly unknown[];
  readonly attachments: readonly SimAttachment[];
  mentionIds: readonly string[];
  mentionRoleIds: readonly string[];
  mentionEveryone: boolean;
}

export const FLAG = { suppressEmbeds: 4, ephemeral: 64, loading: 128, componentsV2: 32768 } as const;

const DISCORD_EPOCH = 1_420_070_400_000n;

export interface World {
  readonly clock: Clock;
  readonly users: Map<string, SimUser>;
  readonly guilds: Map<string, SimGuild>;
  readonly channels: Map<string, SimChannel>;
  readonly botId: string;
  readonly applicationId: string;
  nextId(): string;
  user(id: string): SimUser;
  /** Throws 10003. */
  channel(id: string): SimChannel;
  /** Throws 10008; ephemeral messages are not found. */
  message(channel: SimChannel, id: string): SimMessage;
}

export const createWorld = (clock: Clock): World => {
  let last = 0n;
  const nextId = (): string => {
    const fromTime = (BigInt(Math.floor(clock.now())) - DISCORD_EPOCH) << 22n;
    last = fromTime > last ? fromTime : last + 1n;
    return String(last);
  };
  const users = new Map<string, SimUser>();
  const guilds = new Map<string, SimGuild>();
  const channels = new Map<string, SimChannel>();
  // An application made since 2016 shares its id with its bot user.
  const botId = nextId();
  users.set(botId, {
    id: botId,
    username: 'threadwise',
    displayName: 'Threadwise',
    bot: true,
    dmClosed: false,
    isStranger: false,
  });
  return {
    clock,
    users,
    guilds,
    channels,
    botId,
    applicationId: botId,
    nextId,
    user(id) {
      const user = users.get(id);
      if (user === undefined) throw apiError(10013);
      return user;
    },
    channel(id) {
      const channel = channels.get(id);
      if (channel === undefined) throw apiError(10003);
      return channel;
    },
    message(channel, id) {
      const message = channel.messages.find((candidate) => candidate.id === id && candidate.ephemeralFor === null);
      if (message === undefined) throw apiError(10008);
      return message;
    },
  };
};

export const newChannel = (
  fields: Pick<SimChannel, 'id' | 'type' | 'guildId' | 'name'> &
    Partial<Pick<SimChannel, 'parentId' | 'recipientIds' | 'thread'>>,
): SimChannel => ({
  parentId: null,
  recipientIds: [],
  thread: null,
  messages: [],
  tags: [],
  denied: 0n,
  slowmodeSeconds: 0,
  requireTag: false,
  ...fields,
});
