import { apiError, formError } from './api-error.ts';
import * as bodies from './bodies.ts';
import type { SimEvents } from './events.ts';
import type { SimGateway } from './gateway.ts';
import type { Interactions } from './interactions.ts';
import type { Messages } from './messages.ts';
import { demand, demandSend, may, PERMISSION } from './permissions.ts';
import { channelJson, isLoading, memberJson, messageJson, userJson } from './serialize.ts';
import type { Threads } from './threads.ts';
import { CHANNEL, FLAG, newChannel, type SimChannel, type World } from './world.ts';

/** The REST routes, version 10. A route that is not here answers 404 and is reported. */

export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface RouteAnswer {
  readonly status: number;
  /** Undefined: no body and no content type, as Discord answers 204. */
  readonly body?: unknown;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As the specification writes it. */
  readonly path: string;
  /** Interaction tokens stand for the bot's token. */
  readonly isOpen?: boolean;
  readonly handle: (request: RouteRequest) => RouteAnswer;
}

export interface RouteParts {
  readonly world: World;
  readonly gateway: SimGateway;
  readonly gatewayUrl: () => string;
  readonly events: SimEvents;
  readonly messages: Messages;
  readonly threads: Threads;
  readonly interactions: Interactions;
  readonly applicationFlags: number;
  readonly onTyping: (channelId: string) => void;
  readonly report: (problem: string) => void;
}

const ok = (body: unknown): RouteAnswer => ({ status: 200, body });
/** interactions/application-commands, "Application Command Naming". */
const TYPED_NAME = /^[-_'\p{L}\p{N}]{1,32}$/u;
const NO_CONTENT: RouteAnswer = { status: 204 };

export const createRoutes = (parts: RouteParts): readonly Route[] => {
  const { world, messages, interactions } = parts;
  const commands = new Map<string, readonly Record<string, unknown>[]>();
  const read = <T>(schema: Parameters<typeof bodies.parseBody<T>>[0], body: unknown): T =>
    bodies.parseBody(schema, body, parts.report);
  const param = (request: RouteRequest, name: string): string => request.params[name] ?? '';
  const channelOf = (request: RouteRequest): SimChannel => world.channel(param(request, 'channel_id'));
  const own = { withNonce: true };

  const putCommands = (request: RouteRequest): RouteAnswer => {
    if (param(request, 'application_id') !== world.applicationId) throw apiError(50001);
    const guildId = request.params['guild_id'];
    if (guildId !== undefined && !world.guilds.has(guildId)) throw apiError(50001);
    const wanted = read(bodies.commandsBody, request.body);
    const names = wanted.map((command) => `${command.type ?? 1}:${command.name}`);
    const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (twice >= 0) {
      throw formError([twice, 'name'], 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
    }
    const stored = wanted.map((command, index) => {
      const { description, ...rest } = command;
      const isTyped = (command.type ?? 1) === 1;
      if (isTyped && (!TYPED_NAME.test(command.name) || command.name !== command.name.toLowerCase())) {
        throw formError([index, 'name'], 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
      }
      if (!isTyped && (description ?? '') !== '') {
        throw formError([index, 'description'], 'APPLICATION_COMMAND_INVALID_DESCRIPTION', 'A command of a menu has none');
      }
      if (isTyped && description === undefined) {
        throw formError([index, 'description'], 'BASE_TYPE_REQUIRED', 'This field is required');
      }
      return {
        id: world.nextId(),
        application_id: world.applicationId,
        version: world.nextId(),
        default_member_permissions: null,
        type: 1,
        description: description ?? '',
        nsfw: false,
        ...(guildId === undefined ? { contexts: null, integration_types: [0] } : { guild_id: guildId }),
        ...rest,
      };
    });
    commands.set(guildId ?? '', stored);
    return ok(stored);
  };
  const getCommands = (request: RouteRequest): RouteAnswer => ok(commands.get(request.params['guild_id'] ?? '') ?? []);

  const listMessages = (request: RouteRequest): RouteAnswer => {
    const channel = channelOf(request);
    if (channel.guildId !== null) {
      demand(world, channel);
      if (!may(world, channel, PERMISSION.readMessageHistory)) return ok([]);
    }
    const limit = Number(request.query.get('limit') ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
      throw formError(['limit'], 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.');
    }
    const visible = channel.messages.filter((message) => message.ephemeralFor === null);
    const after = request.query.get('after');
    const before = request.query.get('before');
    // `after` gives the oldest ones after it; every page comes newest first.
    const page =
      after !== null
        ? visible.filter((message) => BigInt(message.id) > BigInt(after)).slice(0, limit)
        : visible.filter((message) => before === null || BigInt(message.id) < BigInt(before)).slice(-limit);
    return ok(page.toReversed().map((message) => readable(channel, messageJson(world, message))));
  };

  /** Reads obey the Message Content intent like events do. */
  const readable = (channel: SimChannel, json: Record<string, unknown>): Record<string, unknown> => {
    const mayRead = parts.applicationFlags !== 0 || channel.guildId === null;
    const message = channel.messages.find((candidate) => candidate.id === json['id']);
    if (mayRead || message?.authorId === world.botId || message?.mentionIds.includes(world.botId) === true) return json;
    return { ...json, content: '', embeds: [], attachments: [], components: [] };
  };

  const dmWith = (recipientId: string): SimChannel => {
    const user = world.user(recipientId);
    const existing = [...world.channels.values()].find(
      (channel) => channel.type === CHANNEL.dm && channel.recipientIds.includes(user.id),
    );
    if (existing !== undefined) return existing;
    const channel = newChannel({
      id: world.nextId(),
      type: CHANNEL.dm,
      guildId: null,
      name: user.username,
      recipientIds: [user.id],
    });
    world.channels.set(channel.id, channel);
    return channel;
  };

  const webhookMessage = '/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}';
  const webhookOf = (request: RouteRequest) =>
    interactions.byWebhook(param(request, 'webhook_id'), param(request, 'webhook_token'));

  return [
    {
      method: 'GET',
      path: '/gateway/bot',
      handle: () => {
        const { total, remaining, resetAfterMs } = parts.gateway.sessionStarts;
        return ok({
          url: parts.gatewayUrl(),
          shards: 1,
          session_start_limit: { total, remaining, reset_after: resetAfterMs, max_concurrency: 1 },
        });
      },
    },
    { method: 'GET', path: '/gateway', handle: () => ok({ url: parts.gatewayUrl() }) },
    {
      method: 'GET',
      path: '/users/@me',
      handle: () =>
        ok({
          ...userJson(world.user(world.botId)),
          mfa_enabled: false,
          locale: 'en-US',
          premium_type: 0,
          email: null,
          verified: true,
        }),
    },
    {
      method: 'GET',
      path: '/users/@me/guilds',
      handle: () =>
        ok(
          [...world.guilds.values()].map(({ id, name, everyone }) => ({
            id,
            name,
            icon: null,
            banner: null,
            owner: false,
            permissions: String(everyone),
            features: [],
          })),
        ),
    },
    {
      method: 'GET',
      path: '/applications/@me',
      handle: () =>
        ok({
          id: world.applicationId,
          name: world.user(world.botId).displayName,
          icon: null,
          description: '',
          type: null,
          flags: parts.applicationFlags === 0 ? 0 : 1 << 19,
          flags_new: String(parts.applicationFlags === 0 ? 0 : 1 << 19),
          bot: userJson(world.user(world.botId)),
          verify_key: '0'.repeat(64),
          redirect_uris: [],
          interactions_endpoint_url: null,
          role_connections_verification_url: null,
          owner: userJson(world.user(world.botId)),
          approximate_guild_count: world.guilds.size,
          approximate_user_install_count: 0,
          approximate_user_authorization_count: 0,
          explicit_content_filter: 0,
          team: null,
          eligible_oauth2_scopes: [],
        }),
    },
    { method: 'PUT', path: '/applications/{application_id}/commands', handle: putCommands },
    { method: 'PUT', path: '/applications/{application_id}/guilds/{guild_id}/commands', handle: putCommands },
    { method: 'GET', path: '/applications/{application_id}/commands', handle: getCommands },
    { method: 'GET', path: '/applications/{application_id}/guilds/{guild_id}/commands', handle: getCommands },
    {
      method: 'GET',
      path: '/guilds/{guild_id}/members/{user_id}',
      handle: (request) => {
        const guild = world.guilds.get(param(request, 'guild_id'));
        if (guild === undefined) throw apiError(10004);
        const user = world.user(param(request, 'user_id'));
        if (user.isStranger) throw apiError(10007);
        return ok({ ...memberJson(), user: userJson(user) });
      },
    },
    {
      method: 'GET',
      path: '/channels/{channel_id}',
      handle: (request) => {
        const channel = channelOf(request);
        if (channel.guildId !== null) demand(world, channel);
        return ok(channelJson(world, channel));
      },
    },
    {
      method: 'PATCH',
      path: '/channels/{channel_id}',
      handle: (request) => {
        const channel = channelOf(request);
        const body = read(bodies.channelPatchBody, request.body);
        if (channel.thread === null) throw apiError(50024);
        demand(world, channel, body.locked === undefined ? 0n : PERMISSION.manageThreads);
        if (body.archived !== undefined) channel.thread.archived = body.archived;
        if (body.locked !== undefined) channel.thread.locked = body.locked;
        parts.events.threadUpdated(channel);
        return ok(channelJson(world, channel));
      },
    },
    {
      method: 'POST',
      path: '/users/@me/channels',
      handle: (request) => ok(channelJson(world, dmWith(read(bodies.privateChannelBody, request.body).recipient_id))),
    },
    { method: 'GET', path: '/channels/{channel_id}/messages', handle: listMessages },
    {
      method: 'GET',
      path: '/channels/{channel_id}/messages/{message_id}',
      handle: (request) => {
        const channel = channelOf(request);
        if (channel.guildId !== null) demand(world, channel, PERMISSION.readMessageHistory);
        return ok(readable(channel, messageJson(world, world.message(channel, param(request, 'message_id')))));
      },
    },
    {
      method: 'POST',
      path: '/channels/{channel_id}/messages',
      handle: (request) => {
        const body = read(bodies.messageBody, request.body);
        return ok(messageJson(world, messages.create(channelOf(request), body, { authorId: world.botId }), own));
      },
    },
    {
      method: 'PATCH',
      path: '/channels/{channel_id}/messages/{message_id}',
      handle: (request) => {
        const channel = channelOf(request);
        const body = read(bodies.messageBody, request.body);
        return ok(
          messageJson(world, messages.edit(channel, world.message(channel, param(request, 'message_id')), body, world.botId)),
        );
      },
    },
    {
      method: 'DELETE',
      path: '/channels/{channel_id}/messages/{message_id}',
      handle: (request) => {
        const channel = channelOf(request);
        const message = world.message(channel, param(request, 'message_id'));
        if (message.authorId !== world.botId) demand(world, channel, PERMISSION.manageMessages);
        messages.remove(channel, message);
        return NO_CONTENT;
      },
    },
    {
      method: 'POST',
      path: '/channels/{channel_id}/typing',
      handle: (request) => {
        const channel = channelOf(request);
        demandSend(world, channel);
        parts.onTyping(channel.id);
        return NO_CONTENT;
      },
    },
    {
      method: 'POST',
      path: '/channels/{channel_id}/messages/{message_id}/threads',
      handle: (request) => {
        const channel = channelOf(request);
        const body = read(bodies.threadFromMessageBody, request.body);
        const message = world.message(channel, param(request, 'message_id'));
        return { status: 201, body: channelJson(world, parts.threads.fromMessage(channel, message, body, world.botId)) };
      },
    },
    {
      method: 'POST',
      path: '/channels/{channel_id}/threads',
      handle: (request) => {
        const { thread, first } = parts.threads.create(channelOf(request), read(bodies.threadBody, request.body), world.botId);
        return {
          status: 201,
          body: { ...channelJson(world, thread), ...(first === null ? {} : { message: messageJson(world, first, own) }) },
        };
      },
    },
    {
      method: 'POST',
      path: '/interactions/{interaction_id}/{interaction_token}/callback',
      isOpen: true,
      handle: (request) => {
        const body = read(bodies.callbackBody, request.body);
        const interaction = interactions.callback(param(request, 'interaction_id'), param(request, 'interaction_token'), body);
        if (request.query.get('with_response') !== 'true') return NO_CONTENT;
        const message =
          interaction.originalId === null
            ? undefined
            : world.channel(interaction.channelId).messages.find((each) => each.id === interaction.originalId);
        return ok({
          interaction: {
            id: interaction.id,
            type: interaction.type,
            channel_id: interaction.channelId,
            ...(message === undefined
              ? {}
              : {
                  response_message_id: message.id,
                  response_message_loading: isLoading(message),
                  response_message_ephemeral: (message.flags & FLAG.ephemeral) !== 0,
                }),
          },
          ...(message === undefined || (body.type !== 4 && body.type !== 7)
            ? {}
            : { resource: { type: body.type, message: messageJson(world, message) } }),
        });
      },
    },
    {
      method: 'POST',
      path: '/webhooks/{webhook_id}/{webhook_token}',
      isOpen: true,
      handle: (request) => {
        const message = interactions.followUp(webhookOf(request), read(bodies.messageBody, request.body));
        return request.query.get('wait') === 'false' ? NO_CONTENT : ok(messageJson(world, message));
      },
    },
    {
      method: 'GET',
      path: webhookMessage,
      isOpen: true,
      handle: (request) => ok(messageJson(world, interactions.target(webhookOf(request), param(request, 'message_id')))),
    },
    {
      method: 'PATCH',
      path: webhookMessage,
      isOpen: true,
      handle: (request) =>
        ok(
          messageJson(
            world,
            interactions.edit(webhookOf(request), param(request, 'message_id'), read(bodies.messageBody, request.body)),
          ),
        ),
    },
    {
      method: 'DELETE',
      path: webhookMessage,
      isOpen: true,
      handle: (request) => {
        interactions.remove(webhookOf(request), param(request, 'message_id'));
        return NO_CONTENT;
      },
    },
  ];
};
