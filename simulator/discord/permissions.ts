import { apiError } from './api-error.ts';
import { CHANNEL, type SimChannel, type World } from './world.ts';

/** The bits of topics/permissions that a chat assistant meets. */
export const PERMISSION = {
  addReactions: 1n << 6n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  manageMessages: 1n << 13n,
  embedLinks: 1n << 14n,
  attachFiles: 1n << 15n,
  readMessageHistory: 1n << 16n,
  mentionEveryone: 1n << 17n,
  useApplicationCommands: 1n << 31n,
  manageThreads: 1n << 34n,
  createPublicThreads: 1n << 35n,
  sendMessagesInThreads: 1n << 38n,
} as const;

/** What a new server lets @everyone do. */
export const DEFAULT_EVERYONE =
  PERMISSION.addReactions |
  PERMISSION.viewChannel |
  PERMISSION.sendMessages |
  PERMISSION.embedLinks |
  PERMISSION.attachFiles |
  PERMISSION.readMessageHistory |
  PERMISSION.mentionEveryone |
  PERMISSION.useApplicationCommands |
  PERMISSION.createPublicThreads |
  PERMISSION.sendMessagesInThreads;

export const isThread = (channel: SimChannel): boolean => channel.thread !== null;

/** A thread has its parent's overwrites. */
export const permissionsOf = (world: World, channel: SimChannel): bigint => {
  if (channel.guildId === null) return DEFAULT_EVERYONE;
  const parent = channel.parentId === null ? channel : (world.channels.get(channel.parentId) ?? channel);
  const everyone = world.guilds.get(channel.guildId)?.everyone ?? 0n;
  return everyone & ~parent.denied & ~channel.denied;
};

export const may = (world: World, channel: SimChannel, permission: bigint): boolean =>
  (permissionsOf(world, channel) & permission) === permission;

/** 50001 when the channel cannot be seen, 50013 when it can and the right is missing. */
export const demand = (world: World, channel: SimChannel, permission = 0n): void => {
  if (!may(world, channel, PERMISSION.viewChannel)) throw apiError(50001);
  if (!may(world, channel, permission)) throw apiError(50013);
};

export const demandSend = (world: World, channel: SimChannel): void => {
  if (channel.type === CHANNEL.dm) {
    const closed = channel.recipientIds.some((id) => world.users.get(id)?.dmClosed === true);
    if (closed) throw apiError(50007);
    return;
  }
  demand(world, channel, isThread(channel) ? PERMISSION.sendMessagesInThreads : PERMISSION.sendMessages);
  if (channel.type === CHANNEL.forum) throw apiError(50008);
};
