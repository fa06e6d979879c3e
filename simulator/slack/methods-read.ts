/** Everything of the Web API that is not chat.*: who, where, history, dialogs, reactions, the assistant's thread. */
import type { JsonObject } from '../../agent/json.ts';
import { checkView, isJsonObject } from './blocks.ts';
import { asText, type Method, type MethodArguments, SlackApiError } from './method.ts';
import type { SimulatedChannel, SimulatedMessage, Workspace } from './workspace.ts';

export interface ReadOptions {
  readonly workspace: Workspace;
  /** A fresh single-use address of a socket. */
  readonly openTicket: () => string;
  /** The person who holds the trigger, or undefined when it expired or is unknown. */
  readonly takeTrigger: (triggerId: string) => { readonly userId: string } | undefined;
  readonly onView: (userId: string, view: JsonObject) => JsonObject;
  readonly onStatus: (channelId: string, threadTs: string, status: string) => void;
  readonly maxPageSize: number;
}

const HISTORY_SCOPES = { channel: 'channels:history', group: 'groups:history', im: 'im:history', mpim: 'mpim:history' } as const;
const READ_SCOPES = { channel: 'channels:read', group: 'groups:read', im: 'im:read', mpim: 'mpim:read' } as const;

const PAGING = {
  cursor: 'string',
  limit: 'number',
  oldest: 'string',
  latest: 'string',
  inclusive: 'boolean',
  include_all_metadata: 'boolean',
} as const;

export const createReadMethods = (options: ReadOptions): Readonly<Record<string, Method>> => {
  const { workspace } = options;

  const memberChannel = (args: MethodArguments): SimulatedChannel => {
    const channel = workspace.channels.get(asText(args['channel']));
    if (channel === undefined) throw new SlackApiError('channel_not_found');
    if (!channel.members.has(workspace.botUserId)) {
      throw new SlackApiError(channel.kind === 'channel' ? 'not_in_channel' : 'channel_not_found');
    }
    return channel;
  };

  const scopeBy = (scopes: Readonly<Record<SimulatedChannel['kind'], string>>) => (args: MethodArguments) => {
    const channel = workspace.channels.get(asText(args['channel']));
    return channel === undefined ? undefined : scopes[channel.kind];
  };

  const isWithin = (args: MethodArguments) => (message: SimulatedMessage) => {
    const oldest = asText(args['oldest']);
    const latest = asText(args['latest']);
    const inclusive = args['inclusive'] === true;
    const afterOldest = oldest === '' || Number(message.ts) > Number(oldest) || (inclusive && message.ts === oldest);
    const beforeLatest = latest === '' || Number(message.ts) < Number(latest) || (inclusive && message.ts === latest);
    return afterOldest && beforeLatest;
  };

  const page = (args: MethodArguments, messages: readonly SimulatedMessage[]): JsonObject => {
    const limit = Math.min(typeof args['limit'] === 'number' ? args['limit'] : options.maxPageSize, options.maxPageSize);
    if (limit < 1) throw new SlackApiError('invalid_limit');
    const start = asText(args['cursor']) === '' ? 0 : Number(Buffer.from(asText(args['cursor']), 'base64').toString());
    if (!Number.isInteger(start)) throw new SlackApiError('invalid_cursor');
    const end = start + limit;
    const hasMore = end < messages.length;
    const withMetadata = args['include_all_metadata'] === true;
    return {
      messages: messages.slice(start, end).map((message) => workspace.toJson(message, { withMetadata })),
      has_more: hasMore,
      response_metadata: { next_cursor: hasMore ? Buffer.from(String(end)).toString('base64') : '' },
    };
  };

  const reactionTarget = (args: MethodArguments): SimulatedMessage => {
    const message = workspace.find(memberChannel(args).id, asText(args['timestamp']));
    if (message === undefined) throw new SlackApiError('message_not_found');
    return message;
  };

  return {
    'auth.test': {
      run: () => ({
        url: `https://${workspace.domain}.slack.com/`,
        team: workspace.domain,
        user: 'threadwise',
        team_id: workspace.teamId,
        user_id: workspace.botUserId,
        bot_id: workspace.botId,
        is_enterprise_install: false,
      }),
    },
    'apps.connections.open': { scope: 'connections:write', run: () => ({ url: options.openTicket() }) },
    'conversations.replies': {
      scope: scopeBy(HISTORY_SCOPES),
      required: { channel: 'string', ts: 'string' },
      optional: PAGING,
      run: (args) => {
        const channel = memberChannel(args);
        const root = workspace.find(channel.id, asText(args['ts']));
        if (root === undefined) throw new SlackApiError('thread_not_found');
        const rootTs = root.threadTs ?? root.ts;
        const within = isWithin(args);
        // The root comes with every window.
        return page(
          args,
          workspace.list(channel.id, rootTs).filter((message) => message.ts === rootTs || within(message)),
        );
      },
    },
    'conversations.history': {
      scope: scopeBy(HISTORY_SCOPES),
      required: { channel: 'string' },
      optional: PAGING,
      run: (args) => {
        const channel = memberChannel(args);
        const roots = workspace.list(channel.id).filter((message) => message.threadTs === undefined && isWithin(args)(message));
        return page(args, roots.toReversed());
      },
    },
    'conversations.info': {
      scope: scopeBy(READ_SCOPES),
      required: { channel: 'string' },
      optional: { include_locale: 'boolean', include_num_members: 'boolean' },
      run: (args) => {
        const channel = workspace.channels.get(asText(args['channel']));
        const isMember = channel?.members.has(workspace.botUserId) === true;
        if (channel === undefined || (channel.kind !== 'channel' && !isMember)) throw new SlackApiError('channel_not_found');
        return {
          channel: {
            id: channel.id,
            name: channel.name,
            is_channel: channel.kind === 'channel',
            is_group: channel.kind === 'group',
            is_im: channel.kind === 'im',
            is_mpim: channel.kind === 'mpim',
            is_private: channel.kind !== 'channel',
            is_archived: channel.isArchived,
            is_member: isMember,
          },
        };
      },
    },
    // https://docs.slack.dev/reference/methods/chat.getPermalink: no scope.
    'chat.getPermalink': {
      required: { channel: 'string', message_ts: 'string' },
      optional: {},
      run: (args) => {
        const channel = memberChannel(args);
        const ts = asText(args['message_ts']);
        if (!workspace.list(channel.id).some((message) => message.ts === ts)) throw new SlackApiError('message_not_found');
        const permalink = `https://simulated.slack.com/archives/${channel.id}/p${ts.replace('.', '')}`;
        return { channel: channel.id, permalink };
      },
    },
    'conversations.open': {
      scope: 'im:write',
      required: { users: 'string' },
      optional: { return_im: 'boolean', prevent_creation: 'boolean' },
      run: (args) => {
        const userId = asText(args['users']);
        if (!workspace.users.has(userId) || userId === workspace.botUserId) throw new SlackApiError('user_not_found');
        return { channel: { id: workspace.openDirect(userId).id } };
      },
    },
    'users.info': {
      scope: 'users:read',
      required: { user: 'string' },
      optional: { include_locale: 'boolean' },
      run: (args) => {
        const user = workspace.users.get(asText(args['user']));
        if (user === undefined) throw new SlackApiError('user_not_found');
        return {
          user: {
            id: user.id,
            team_id: user.teamId,
            name: user.name,
            deleted: false,
            real_name: user.displayName,
            profile: { real_name: user.displayName, display_name: user.displayName, team: user.teamId },
            is_bot: user.isBot,
            is_app_user: false,
            ...(user.isStranger ? { is_stranger: true } : {}),
            ...(user.isRestricted || user.isUltraRestricted ? { is_restricted: true } : { is_restricted: false }),
            is_ultra_restricted: user.isUltraRestricted,
          },
        };
      },
    },
    'views.open': {
      required: { trigger_id: 'string', view: 'json' },
      run: (args) => {
        const view = args['view'];
        if (!isJsonObject(view) || view['type'] !== 'modal' || !isJsonObject(view['title']) || !Array.isArray(view['blocks'])) {
          throw new SlackApiError('invalid_arguments', { response_metadata: { messages: ['[ERROR] view'] } });
        }
        if (asText(view['title']['text']).length > 24) {
          throw new SlackApiError('invalid_arguments', { response_metadata: { messages: ['[ERROR] title over 24 characters'] } });
        }
        if (asText(view['private_metadata']).length > 3000) throw new SlackApiError('invalid_arguments');
        const fault = checkView(view);
        if (fault !== undefined)
          throw new SlackApiError('invalid_arguments', { response_metadata: { messages: [`[ERROR] ${fault}`] } });
        const trigger = options.takeTrigger(asText(args['trigger_id']));
        if (trigger === undefined) throw new SlackApiError('expired_trigger_id');
        return { view: options.onView(trigger.userId, view) };
      },
    },
    'reactions.add': {
      scope: 'reactions:write',
      required: { channel: 'string', timestamp: 'string', name: 'string' },
      run: (args) => {
        const by = reactionTarget(args).reactions;
        const users = by.get(asText(args['name'])) ?? new Set<string>();
        if (users.has(workspace.botUserId)) throw new SlackApiError('already_reacted');
        by.set(asText(args['name']), users.add(workspace.botUserId));
        return {};
      },
    },
    'reactions.remove': {
      scope: 'reactions:write',
      required: { channel: 'string', timestamp: 'string', name: 'string' },
      run: (args) => {
        if (reactionTarget(args).reactions.get(asText(args['name']))?.delete(workspace.botUserId) !== true) {
          throw new SlackApiError('no_reaction');
        }
        return {};
      },
    },
    'assistant.threads.setStatus': {
      scope: 'assistant:write',
      required: { channel_id: 'string', thread_ts: 'string' },
      optional: { status: 'string', loading_messages: 'json' },
      run: (args) => {
        memberChannel({ channel: args['channel_id'] });
        options.onStatus(asText(args['channel_id']), asText(args['thread_ts']), asText(args['status']));
        return {};
      },
    },
    'assistant.threads.setTitle': {
      scope: 'assistant:write',
      required: { channel_id: 'string', thread_ts: 'string', title: 'string' },
      run: () => ({}),
    },
    'assistant.threads.setSuggestedPrompts': {
      scope: 'assistant:write',
      required: { channel_id: 'string', prompts: 'json' },
      optional: { thread_ts: 'string', title: 'string' },
      run: () => ({}),
    },
  };
};
