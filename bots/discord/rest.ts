/**
 * Discord's REST interface as the channel uses it: one try each, since retrying is the gateway's; failures in the product's
 * words, with what to do about a refusal.
 */

import { DiscordAPIError, RateLimitError, type RawFile, type REST } from 'discord.js';
import { AppError } from '../../agent/errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface RestCall {
  readonly body?: object;
  readonly files?: RawFile[];
  readonly query?: Readonly<Record<string, string>>;
  /** An interaction's own token stands in the route. */
  readonly isOpen?: boolean;
  readonly signal?: AbortSignal;
}

/** The JSON error codes that the channel knows what to do about: topics/opcodes-and-status-codes. */
export const CODE = {
  unknownChannel: 10003,
  unknownMember: 10007,
  unknownMessage: 10008,
  unknownUser: 10013,
  unknownWebhook: 10015,
  unknownInteraction: 10062,
  missingAccess: 50001,
  closedDirectMessages: 50007,
  missingPermissions: 50013,
  wrongChannelType: 50024,
  invalidWebhookToken: 50027,
  threadExists: 160004,
  threadLocked: 160005,
  tooManyThreads: 160006,
} as const;

const REMEDIES: Readonly<Record<number, string>> = {
  [CODE.unknownChannel]: 'the channel is gone',
  [CODE.unknownMessage]: 'the message is gone',
  [CODE.missingAccess]: 'the bot cannot see the channel: give it View Channel there',
  [CODE.closedDirectMessages]: 'the person takes no direct messages from this server',
  [CODE.missingPermissions]:
    'the bot lacks a permission there: it needs Send Messages, Send Messages in Threads and Read Message History',
  [CODE.threadLocked]: 'the thread is locked',
  50006: 'the message is empty',
  50035: 'Discord found a field of the message invalid',
  50083: 'the thread is archived',
  160002: 'the bot may not reply there: give it Read Message History',
  200000: "the server's automatic moderation blocked the text",
};

/** Discord's JSON code behind a failure, if it gave one. */
export const codeOf = (error: unknown): number | undefined => {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof DiscordAPIError && typeof cause.code === 'number' ? cause.code : undefined;
};

export const hasDiscordCode = (error: unknown, ...codes: readonly number[]): boolean => codes.includes(codeOf(error) ?? -1);

/** `channel_rejected`: no, for good. `channel_unavailable`: not now, or nobody knows. */
export const toAppError = (error: unknown, what: string): AppError => {
  if (error instanceof AppError) return error;
  if (error instanceof RateLimitError) {
    const retryAfterMs = Math.ceil(Math.max(error.retryAfter, error.timeToReset, error.sublimitTimeout, 1));
    return new AppError('channel_unavailable', `Discord asks to wait before it takes ${what}`, { cause: error, retryAfterMs });
  }
  if (error instanceof DiscordAPIError && error.status !== 401 && error.status < 500) {
    const remedy = REMEDIES[Number(error.code)] ?? 'see the code in the documentation of Discord';
    return new AppError('channel_rejected', `Discord refused ${what}, code ${error.code}: ${remedy}`, { cause: error });
  }
  if (error instanceof DiscordAPIError && error.status === 401 && error.code === CODE.invalidWebhookToken) {
    return new AppError('channel_rejected', `Discord refused ${what}: the command is older than 15 minutes`, { cause: error });
  }
  return new AppError('channel_unavailable', `Discord did not say whether it took ${what}`, { cause: error });
};

export interface DiscordRest {
  /** Throws `AppError` with a `channel_*` code and Discord's own error as its cause. */
  call(method: Method, route: `/${string}`, what: string, call?: RestCall): Promise<unknown>;
}

export const createDiscordRest = (rest: Pick<REST, 'request'>): DiscordRest => ({
  async call(method, route, what, { body, files, query, isOpen, signal } = {}) {
    try {
      return await rest.request({
        method: method as Parameters<REST['request']>[0]['method'],
        fullRoute: route,
        ...(body === undefined ? {} : { body }),
        ...(files === undefined ? {} : { files }),
        ...(query === undefined ? {} : { query: new URLSearchParams(query) }),
        ...(isOpen === true ? { auth: false } : {}),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      throw toAppError(error, what);
    }
  },
});
