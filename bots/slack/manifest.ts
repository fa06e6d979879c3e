/**
 * The app manifest for the features that are switched on, to be pasted at https://api.slack.com/apps?new_app=1.
 * Reference: https://docs.slack.dev/reference/app-manifest
 */
import type { JsonObject } from '../../agent/json.ts';
import { EVENTS_PATH } from './http.ts';
import { TICKET_SHORTCUT, TRIAGE_COMMAND } from './ticket-blocks.ts';

export interface SlackManifestOptions {
  readonly mode: 'socket' | 'http';
  /** The web server's public address, for `http`: `https://assistant.example.com`. */
  readonly publicUrl?: string | undefined;
  /** Default `Threadwise`. */
  readonly name?: string;
  /** The slash command with its slash; an empty text leaves it out. Default `/ask`. */
  readonly command?: string;
  /** Answer mentions and follow-ups in public channels. Default true. */
  readonly channels?: boolean;
  /** The same in private channels. Default true. */
  readonly privateChannels?: boolean;
  /** The same in direct messages of several people. Default true. */
  readonly groupDirects?: boolean;
  /** Answer direct messages. Default true. */
  readonly directs?: boolean;
  /** Tickets by `/triage`, a shortcut and an emoji. Default true. */
  readonly tickets?: boolean;
}

/** What each place needs to be heard and answered in. */
const PLACES = {
  channels: { scope: 'channels:history', event: 'message.channels', kindScope: 'channels:read' },
  privateChannels: { scope: 'groups:history', event: 'message.groups', kindScope: 'groups:read' },
  groupDirects: { scope: 'mpim:history', event: 'message.mpim', kindScope: 'mpim:read' },
  directs: { scope: 'im:history', event: 'message.im', kindScope: undefined },
} as const;

type PlaceName = keyof typeof PLACES;

export const createSlackManifest = (options: SlackManifestOptions): JsonObject => {
  const { mode, publicUrl, name = 'Threadwise', command = '/ask', tickets = true } = options;
  const places = (Object.keys(PLACES) as PlaceName[]).filter((place) => options[place] ?? true);
  const hasMentions = places.some((place) => place !== 'directs');
  const requestUrl = `${(publicUrl ?? 'https://your-host.example').replace(/\/+$/, '')}${EVENTS_PATH}`;
  const byHttp = mode === 'http';

  const commands = [
    ...(command === '' ? [] : [{ command, description: 'Ask the knowledge base', usage_hint: 'your question' }]),
    ...(tickets ? [{ command: TRIAGE_COMMAND, description: 'Ask the support team', usage_hint: 'what is wrong' }] : []),
  ].map((one) => ({ ...one, should_escape: true, ...(byHttp ? { url: requestUrl } : {}) }));

  // `im:write` opens the direct message in which a command is answered where the app is no member.
  const scopes = [
    'chat:write',
    // Tables and charts that go with an answer.
    'files:write',
    'users:read',
    ...(hasMentions ? ['app_mentions:read'] : []),
    ...(commands.length === 0 ? [] : ['commands', 'im:write']),
    // Whether a channel is private, and with it what is reported there.
    ...(tickets ? ['reactions:read', ...places.flatMap((place) => PLACES[place].kindScope ?? [])] : []),
    ...new Set([...places.map((place) => PLACES[place].scope), ...(commands.length === 0 ? [] : ['im:history'])]),
  ];

  return {
    display_information: { name, description: 'Answers questions from your documents, with citations, in the thread.' },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: name, always_online: true },
      ...(commands.length === 0 ? {} : { slash_commands: commands }),
      ...(tickets
        ? {
            shortcuts: [
              {
                name: 'Make a ticket',
                type: 'message',
                callback_id: TICKET_SHORTCUT,
                description: 'Hands the message to the support team',
              },
            ],
          }
        : {}),
    },
    oauth_config: { scopes: { bot: scopes.toSorted() } },
    settings: {
      event_subscriptions: {
        ...(byHttp ? { request_url: requestUrl } : {}),
        bot_events: [
          ...(tickets ? ['reaction_added'] : []),
          ...(hasMentions ? ['app_mention'] : []),
          ...places.map((place) => PLACES[place].event),
        ].toSorted(),
      },
      interactivity: { is_enabled: true, ...(byHttp ? { request_url: requestUrl } : {}) },
      org_deploy_enabled: false,
      socket_mode_enabled: !byHttp,
      token_rotation_enabled: false,
    },
  };
};
