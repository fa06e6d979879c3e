/** The connection to Discord's gateway: its client, what a failed login means, and whether it stands. */

import { Client, type ClientOptions, Events, GatewayIntentBits, Options, Partials, SimpleShardingStrategy } from 'discord.js';
import { AppError } from '../../agent/errors.ts';
import type { ChannelStatus } from '../../agent/ports/channel.ts';
import type { Logger } from '../../agent/ports/logger.ts';

/** An answer that takes longer counts as lost; it is under the time within which a post must be known. */
const REST_TIMEOUT_MS = 9_000;
const CACHED_MESSAGES = 200;
const GLOBAL_WAIT_MS = 2_000;

export interface ConnectionOptions {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly hasMessageContent: boolean;
  /** An emoji under a message means something. */
  readonly hasReactions: boolean;
  readonly requestsPerSecond: number;
  readonly logger: Logger;
}

export interface Connection {
  /** A new one after a login that failed: discord.js cannot use one again. */
  client(): Client;
  /** Resolves when events flow; `onReady` is called before the first of them is handed out. Throws `AppError`, see `toLoginError`. */
  login(onReady: (client: Client<true>) => void): Promise<void>;
  status(): ChannelStatus;
  close(): Promise<void>;
}

/** Says what to do about a login that Discord refused. */
export const toLoginError = (error: unknown): AppError => {
  const message = error instanceof Error ? error.message : String(error);
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (code === 'TokenInvalid' || /Authentication failed/i.test(message)) {
    return new AppError(
      'channel_auth',
      'Discord refused DISCORD_TOKEN: copy the bot token again (Developer Portal, Bot, Reset Token)',
      {
        cause: error,
      },
    );
  }
  if (/disallowed intents/i.test(message)) {
    return new AppError(
      'channel_auth',
      'Discord refused the Message Content intent: switch it on (Developer Portal, Bot, Privileged Gateway Intents), or set DISCORD_MESSAGE_CONTENT=false',
      { cause: error },
    );
  }
  if (/Not enough sessions remaining/i.test(message)) {
    const resets = /resets at ([^)\s]+)/i.exec(message)?.[1];
    const when = resets === undefined ? '' : ` until ${resets.replace(/[.,;]+$/, '')}`;
    return new AppError(
      'channel_unavailable',
      `Discord takes no more connections of this bot${when}: it has connected too often today`,
      {
        cause: error,
      },
    );
  }
  return new AppError('channel_unavailable', 'Discord cannot be reached: check the network and the address of its interface', {
    cause: error,
  });
};

export const createConnection = ({
  token,
  apiUrl,
  hasMessageContent,
  hasReactions,
  requestsPerSecond,
  logger,
}: ConnectionOptions): Connection => {
  const rest: ClientOptions['rest'] = {
    version: '10',
    retries: 0,
    timeout: REST_TIMEOUT_MS,
    globalRequestsPerSecond: requestsPerSecond,
    // Waiting is the gateway's, which knows what is worth it; but for the moment that the limit over all requests asks for.
    rejectOnRateLimit: ({ global, retryAfter, timeToReset }) => !global || Math.max(retryAfter, timeToReset) > GLOBAL_WAIT_MS,
    ...(apiUrl === undefined ? {} : { api: apiUrl }),
  };
  let parkReconnects = (): void => {};
  const ws: NonNullable<ClientOptions['ws']> = {
    buildStrategy(manager) {
      // A client that is destroyed between two tries to reconnect goes on trying for ever: the next try is made to wait.
      parkReconnects = () => {
        manager.options.retrieveSessionInfo = () => new Promise(() => undefined);
      };
      return new SimpleShardingStrategy(manager);
    },
  };
  let isClosed = false;
  let state: ChannelStatus = { connected: false, detail: 'not connected yet' };
  const lost = (detail: string): void => {
    // Discord.js announces a reconnect also after it was closed.
    if (isClosed) return;
    const isNews = state.connected || state.detail !== detail;
    state = { connected: false, detail };
    if (isNews) logger.warn('discord_disconnected', { detail });
  };
  const createClient = (): Client => {
    const made = new Client({
      ws,
      intents: [
        GatewayIntentBits.Guilds,
        GatewayIntentBits.GuildMessages,
        GatewayIntentBits.DirectMessages,
        ...(hasReactions ? [GatewayIntentBits.GuildMessageReactions, GatewayIntentBits.DirectMessageReactions] : []),
        ...(hasMessageContent ? [GatewayIntentBits.MessageContent] : []),
      ],
      // Direct messages come in channels, edits and deletions to messages, that are not in the cache.
      partials: [Partials.Channel, Partials.Message, ...(hasReactions ? [Partials.Reaction, Partials.User] : [])],
      allowedMentions: { parse: [] },
      enforceNonce: true,
      rest,
      makeCache: Options.cacheWithLimits({
        ...Options.DefaultMakeCacheSettings,
        MessageManager: CACHED_MESSAGES,
        ReactionManager: 0,
      }),
    });
    const connected = (): void => {
      state = { connected: true, detail: `connected as ${made.user?.username ?? 'the bot'}` };
      logger.info('discord_connected');
    };
    // Answers are delivered also while no events flow.
    made.rest.setToken(token);
    made.on(Events.ShardReady, connected);
    made.on(Events.ShardResume, connected);
    made.on(Events.ShardReconnecting, () => lost('the connection was lost, a new one is being made'));
    made.on(Events.ShardDisconnect, ({ code }) =>
      lost(`Discord closed the connection for good, code ${code}: restart after mending it`),
    );
    made.on(Events.Invalidated, () => lost('Discord ended the session'));
    made.on(Events.ShardError, (error) => logger.warn('discord_socket_failed', { error }));
    made.on(Events.Error, (error) => logger.warn('discord_client_failed', { error }));
    made.on(Events.Warn, (detail) => logger.debug('discord_warning', { detail }));
    return made;
  };
  let client = createClient();

  return {
    client: () => client,
    async login(onReady) {
      const mine = client;
      const ready = new Promise<void>((resolve) => {
        mine.once(Events.ClientReady, (it) => {
          onReady(it);
          resolve();
        });
      });
      try {
        await mine.login(token);
      } catch (error) {
        parkReconnects();
        if (!isClosed) client = createClient();
        await mine.destroy();
        const refusal = toLoginError(error);
        lost(refusal.message);
        throw refusal;
      }
      await ready;
    },
    status: () => state,
    async close() {
      isClosed = true;
      state = { connected: false, detail: 'closed' };
      parkReconnects();
      await client.destroy();
    },
  };
};
