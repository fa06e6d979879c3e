/**
 * A Slack on loopback that the unmodified @slack/bolt works against: Web API, Socket Mode, signed HTTP events, and the people
 * of a workspace. Strict: an unknown method or argument is an error. It is a double for tests and trials; a workspace's data
 * lives in memory and is gone with it.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AssistantThreadStartedEvent } from '@slack/types';
import type { JsonObject } from '../agent/json.ts';
import type { Clock } from '../agent/ports/clock.ts';
import { type AttemptOutcome, createDispatcher, type Delivery, type Retry } from './slack/delivery.ts';
import { type EventSubscription, eventCallback, eventsOf } from './slack/events.ts';
import { createFaultPlan, type FaultPlan, type PlannedFault } from './slack/faults.ts';
import { renderThread } from './slack/html.ts';
import { createHttpTransport } from './slack/http-events.ts';
import { createRateLimits } from './slack/limits.ts';
import { createChatMethods } from './slack/methods-chat.ts';
import { createFiles, type UploadedFile } from './slack/methods-files.ts';
import { createReadMethods } from './slack/methods-read.ts';
import { createPeople, type People } from './slack/people.ts';
import { createSockets, type Sockets } from './slack/sockets.ts';
import { type ApiCall, createWebApi, readBody, readBytes } from './slack/web-api.ts';
import { createWorkspace, type SimulatedChannel, type SimulatedUser, type Workspace } from './slack/workspace.ts';

/** Every scope the simulated methods ask for. */
const ALL_SCOPES = [
  'chat:write',
  'channels:history',
  'groups:history',
  'im:history',
  'mpim:history',
  'channels:read',
  'groups:read',
  'im:read',
  'mpim:read',
  'im:write',
  'users:read',
  'reactions:read',
  'reactions:write',
  'files:write',
  'assistant:write',
  'commands',
  'app_mentions:read',
] as const;

const ALL_EVENTS: readonly EventSubscription[] = [
  'app_mention',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
  'reaction_added',
];

export interface SlackSimulatorOptions {
  readonly clock: Clock;
  /** Whether the Web API's rate limits hold. */
  readonly limits: boolean;
  readonly faults?: readonly PlannedFault[];
  readonly scopes?: readonly string[];
  readonly events?: readonly EventSubscription[];
  /** How long the app may take to acknowledge; Slack gives 3 s. */
  readonly ackTimeoutMs?: number;
  /** Waits before each resend of an event; Slack sends again at once, after a minute, after five. */
  readonly retryDelaysMs?: readonly number[];
  readonly channelBurst?: number;
  /** Holds the app to the lower limits of history methods for apps sold outside the Marketplace. */
  readonly isDistributed?: boolean;
  /** Events an hour before `app_rate_limited` comes instead; Slack has 30,000. */
  readonly eventsPerHour?: number;
  /** A stream without an append for so long is over; Slack ends them after some five minutes. */
  readonly streamIdleMs?: number;
  readonly pageSize?: number;
}

export interface SlackSimulator extends People {
  /** What the clients get as `slackApiUrl`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly teamId: string;
  readonly botUserId: string;
  readonly workspace: Workspace;
  readonly faults: FaultPlan;
  readonly sockets: Sockets;
  /** Every call of the Web API, oldest first. */
  readonly calls: readonly ApiCall[];
  readonly deliveries: readonly Delivery[];
  /** Every upload that was begun, oldest first. */
  readonly uploads: readonly UploadedFile[];
  /** States set by `assistant.threads.setStatus`, oldest first. */
  readonly statuses: readonly { readonly channelId: string; readonly threadTs: string; readonly status: string }[];
  addUser(user?: Partial<SimulatedUser>): SimulatedUser;
  addChannel: Workspace['addChannel'];
  openDirect(userId: string): SimulatedChannel;
  /** Sends deliveries to this address as signed requests from now on, instead of over sockets. */
  useHttp(url: string): void;
  /** A person opens the assistant's pane: a thread in their direct message, announced when it is subscribed to. */
  openAssistant(userId: string, fromChannelId?: string): { readonly channelId: string; readonly threadTs: string };
  /** Any event, as it is. */
  pushEvent(event: JsonObject): Delivery;
  /** Any delivery, as it is. */
  pushBody(body: JsonObject): Delivery;
  /** The last event again, as a late retry. */
  resend(delivery: Delivery, retry: Retry): Promise<AttemptOutcome>;
  /** Announces that the workspace sends too many events. */
  pushRateLimited(): Delivery;
  /** Resolves when no delivery is under way. */
  settle(): Promise<void>;
  renderThreadHtml(channelId: string, threadTs: string): string;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;

export const createSlackSimulator = async (options: SlackSimulatorOptions): Promise<SlackSimulator> => {
  const { clock } = options;
  const tokens = { bot: 'xoxb-simulated-bot-token', app: 'xapp-simulated-app-token' };
  const signingSecret = 'simulated-signing-secret';
  const ackTimeoutMs = options.ackTimeoutMs ?? 3000;
  const subscriptions = new Set(options.events ?? ALL_EVENTS);
  const workspace = createWorkspace(clock);
  const faults = createFaultPlan(options.faults);
  const statuses: { channelId: string; threadTs: string; status: string }[] = [];
  let baseUrl = '';

  const sockets = createSockets({ clock, baseUrl: () => baseUrl, appId: workspace.appId, ackTimeoutMs });
  let transport = sockets.transport;
  const dispatcher = createDispatcher({
    clock,
    transport: () => transport,
    retryDelaysMs: options.retryDelaysMs ?? [0, 60_000, 300_000],
  });
  const files = createFiles({ workspace, baseUrl: () => baseUrl });
  const people = createPeople({
    workspace,
    dispatcher,
    clock,
    baseUrl: () => baseUrl,
    push: (event) => {
      if (subscriptions.has(event['type'] as EventSubscription)) pushEvent(event);
    },
  });

  const nowS = (): number => Math.floor(clock.now() / 1000);
  const pushBody = (body: JsonObject): Delivery => dispatcher.send('events_api', body);
  const pushEvent = (event: JsonObject): Delivery => pushBody(eventCallback(workspace, event, workspace.nextId('Ev'), nowS()));
  const pushRateLimited = (): Delivery =>
    pushBody({
      token: 'simulated',
      type: 'app_rate_limited',
      team_id: workspace.teamId,
      minute_rate_limited: Math.floor(nowS() / 60) * 60,
      api_app_id: workspace.appId,
    });

  const hour = { startedAt: clock.monotonic(), events: 0, toldMinute: -1 };
  const announce = (event: JsonObject): void => {
    if (clock.monotonic() - hour.startedAt >= HOUR_MS) Object.assign(hour, { startedAt: clock.monotonic(), events: 0 });
    hour.events += 1;
    if (hour.events <= (options.eventsPerHour ?? 30_000)) {
      pushEvent(event);
      return;
    }
    const minute = Math.floor(nowS() / 60);
    if (minute === hour.toldMinute) return;
    hour.toldMinute = minute;
    pushRateLimited();
  };
  workspace.watch((change) => {
    for (const event of eventsOf(workspace, change, subscriptions)) announce(event);
  });

  const webApi = createWebApi({
    clock,
    faults,
    tokens,
    scopes: new Set(options.scopes ?? ALL_SCOPES),
    limits: options.limits
      ? createRateLimits({ clock, channelBurst: options.channelBurst ?? 1, isDistributed: options.isDistributed ?? false })
      : undefined,
    methods: {
      ...files.methods,
      ...createChatMethods({ workspace, clock, streamIdleMs: options.streamIdleMs ?? 300_000 }),
      ...createReadMethods({
        workspace,
        openTicket: sockets.openTicket,
        takeTrigger: people.takeTrigger,
        onView: people.openView,
        onStatus: (channelId, threadTs, status) => void statuses.push({ channelId, threadTs, status }),
        maxPageSize: options.isDistributed === true ? 15 : (options.pageSize ?? 1000),
      }),
    },
  });

  const respond = async (id: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, text } = people.respond(id, JSON.parse(await readBody(request)) as JsonObject);
    response.writeHead(status, { 'content-type': 'text/plain' });
    response.end(text);
  };

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const [, area, name = ''] = pathname.split('/');
    if (area === 'api') return await webApi.handle(name, request, response);
    if (area === 'response') return await respond(name, request, response);
    if (area === 'upload') {
      const fault = faults.next('upload');
      if (fault?.kind === 'drop') {
        response.destroy();
        return;
      }
      const status = fault?.kind === 'status' ? fault.status : files.receive(name, await readBytes(request));
      response.writeHead(status, { 'content-type': 'text/plain' });
      response.end(status === 200 ? 'OK' : 'refused');
      return;
    }
    response.writeHead(404);
    response.end();
  };

  const server = createServer((request, response) => {
    route(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  server.on('upgrade', sockets.upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const nameOf = (userId: string): string => workspace.users.get(userId)?.displayName ?? userId;

  return {
    ...people,
    apiUrl: `${baseUrl}/api/`,
    botToken: tokens.bot,
    appToken: tokens.app,
    signingSecret,
    teamId: workspace.teamId,
    botUserId: workspace.botUserId,
    workspace,
    faults,
    sockets,
    calls: webApi.calls,
    deliveries: dispatcher.deliveries,
    uploads: files.uploads,
    statuses,
    addUser: workspace.addUser,
    addChannel: workspace.addChannel,
    openDirect: workspace.openDirect,
    useHttp: (url) => {
      transport = createHttpTransport({ clock, url, signingSecret, ackTimeoutMs });
    },
    openAssistant: (userId, fromChannelId) => {
      const channelId = workspace.openDirect(userId).id;
      const root = workspace.post({
        channelId,
        userId: workspace.botUserId,
        botId: workspace.botId,
        text: 'New assistant thread',
        subtype: 'assistant_app_thread',
      });
      const core = {
        type: 'assistant_thread_started',
        assistant_thread: { user_id: userId, channel_id: channelId, thread_ts: root.ts, context: {} },
        event_ts: root.ts,
      } satisfies AssistantThreadStartedEvent;
      const context: JsonObject =
        fromChannelId === undefined ? {} : { channel_id: fromChannelId, team_id: workspace.teamId, enterprise_id: null };
      const event = { ...core, assistant_thread: { ...core.assistant_thread, context } };
      if (subscriptions.has('assistant_thread_started')) pushEvent(event);
      return { channelId, threadTs: root.ts };
    },
    pushEvent,
    pushBody,
    resend: (delivery, retry) => dispatcher.resend(delivery.body, retry),
    pushRateLimited,
    settle: dispatcher.settle,
    renderThreadHtml: (channelId, threadTs) =>
      renderThread(`#${workspace.channels.get(channelId)?.name ?? channelId}`, people.messages(channelId, threadTs), nameOf),
    close: async () => {
      dispatcher.stop();
      sockets.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
