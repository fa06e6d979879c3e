/**
 * Whether somebody who writes in a direct message belongs to a server that the bot is in: a direct message does not say. An app that
 * people install for themselves gets messages from anybody.
 */

import { type Client, DiscordAPIError } from 'discord.js';
import type { Clock } from '../../agent/ports/clock.ts';
import { CODE, toAppError } from './rest.ts';

export interface Members {
  /** Asks Discord, and remembers a yes for a while. Throws `AppError('channel_unavailable')` when it cannot say now. */
  has(userId: string): Promise<boolean>;
}

/** Who left all servers is known as such after so long. */
const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 5_000;
/** Of a bot in more servers, the members of the first ones are known. */
const MAX_GUILDS = 50;

const isUnknown = (error: unknown): boolean =>
  error instanceof DiscordAPIError && (error.code === CODE.unknownMember || error.code === CODE.unknownUser);

export const createMembers = (client: Pick<Client, 'guilds'>, clock: Clock): Members => {
  const known = new Map<string, number>();

  const ask = async (userId: string): Promise<boolean> => {
    for (const guild of [...client.guilds.cache.values()].slice(0, MAX_GUILDS)) {
      try {
        await guild.members.fetch({ user: userId, force: true, cache: false });
        return true;
      } catch (error) {
        if (!isUnknown(error)) throw toAppError(error, 'a look for a member');
      }
    }
    return false;
  };

  return {
    has: async (userId) => {
      if ((known.get(userId) ?? Number.NEGATIVE_INFINITY) > clock.monotonic()) return true;
      known.delete(userId);
      if (!(await ask(userId))) return false;
      known.set(userId, clock.monotonic() + REMEMBERED_MS);
      const oldest = known.size > MAX_REMEMBERED ? known.keys().next() : undefined;
      if (oldest?.done === false) known.delete(oldest.value);
      return true;
    },
  };
};
