/** A simulated Slack with the real channel connected to it, and a gateway that only remembers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, InboundMessage, Scope } from '../../agent/conversation.ts';
import type { AcceptOutcome, AskedTurn, Channel, FeedbackInput, Gateway, StopOutcome } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { createSlackChannel, type SlackChannelOptions } from '../../bots/slack/slack.ts';
import { systemClock } from '../../ops/clock.ts';
import { createSlackSimulator, type SlackSimulator, type SlackSimulatorOptions } from '../../simulator/slack.ts';

export interface FakeGateway extends Gateway {
  readonly accepted: InboundMessage[];
  readonly edits: { readonly id: string; readonly text: string }[];
  readonly deletions: string[];
  readonly cancels: Scope[];
  readonly feedback: FeedbackInput[];
  /** What `readTurn` finds. */
  readonly turns: Map<string, AskedTurn>;
  readonly subscribed: Set<string>;
  /** What `accept` throws from now on, or nothing. */
  failWith: Error | undefined;
  readonly stops: { readonly turnId: string; readonly userId: string }[];
  stopOutcome: StopOutcome;
  /** Whether `cancel` finds a run. */
  hasRun: boolean;
  beforeAccept: () => Promise<void>;
}

export const createFakeGateway = (): FakeGateway => {
  const seen = new Set<string>();
  const gateway: FakeGateway = {
    accepted: [],
    edits: [],
    deletions: [],
    cancels: [],
    feedback: [],
    turns: new Map(),
    subscribed: new Set(),
    failWith: undefined,
    hasRun: false,
    stops: [],
    stopOutcome: 'stopped',
    beforeAccept: () => Promise.resolve(),
    accept: async (message): Promise<AcceptOutcome> => {
      await gateway.beforeAccept();
      if (gateway.failWith !== undefined) throw gateway.failWith;
      if (seen.has(message.deliveryId)) return 'duplicate';
      seen.add(message.deliveryId);
      gateway.accepted.push(message);
      gateway.subscribed.add(message.scope.conversationId);
      return 'accepted';
    },
    refusalFor: () => undefined,
    isSubscribed: (id) => Promise.resolve(gateway.subscribed.has(id)),
    editQuestion: (_channel, id, text) => Promise.resolve(void gateway.edits.push({ id, text })),
    deleteQuestion: (_channel, id) => Promise.resolve(void gateway.deletions.push(id)),
    cancel: (scope) => {
      gateway.cancels.push(scope);
      return Promise.resolve(gateway.hasRun);
    },
    stopTurn: (turnId, userId) => {
      gateway.stops.push({ turnId, userId });
      return gateway.failWith === undefined ? Promise.resolve(gateway.stopOutcome) : Promise.reject(gateway.failWith);
    },
    decideApproval: () => Promise.resolve('over'),
    readApproval: () => Promise.resolve(undefined),
    recordFeedback: (feedback) => Promise.resolve(void gateway.feedback.push(feedback)),
    readTurn: (turnId) => Promise.resolve(gateway.turns.get(turnId)),
  };
  return gateway;
};

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: unknown;
}

export const createMemoryLogger = (lines: LogLine[] = []): Logger & { readonly lines: LogLine[] } => {
  const at = (level: string) => (event: string, fields?: unknown) => void lines.push({ level, event, fields });
  const logger = {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: () => logger,
  };
  return logger;
};

/** Waits for something that happens over real sockets. */
export const until = async <T>(read: () => T | undefined | false, what = 'a condition', timeoutMs = 15_000): Promise<T> => {
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    const value = read();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > endsAt) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface Harness extends AsyncDisposable {
  readonly slack: SlackSimulator;
  readonly channel: Channel;
  readonly gateway: FakeGateway;
  readonly log: readonly LogLine[];
  /** A person and a channel in which the app is a member. */
  readonly asker: string;
  readonly room: string;
  /** The address of the events in HTTP mode. */
  readonly eventsUrl: string;
}

export interface HarnessOptions {
  readonly mode: 'socket' | 'http';
  /** Makes the gateway that the channel hands to; a fake one otherwise. */
  readonly makeGateway?: (channel: Channel) => Gateway;
  readonly clock?: Clock;
  readonly slack?: Partial<SlackSimulatorOptions>;
  readonly channel?: Partial<SlackChannelOptions>;
  readonly isStarted?: boolean;
  readonly beforeStart?: (slack: SlackSimulator) => void;
}

export const startHarness = async (options: HarnessOptions): Promise<Harness> => {
  const slack = await createSlackSimulator({
    clock: systemClock,
    limits: false,
    retryDelaysMs: [0, 50, 100],
    ...options.slack,
  });
  const gateway = createFakeGateway();
  const logger = createMemoryLogger();
  const handlers = new Map<string, Parameters<NonNullable<SlackChannelOptions['mount']>>[1]>();
  const server = createServer((request, response) => {
    const handler = handlers.get(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (handler === undefined) {
      response.writeHead(404);
      response.end();
    } else handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const eventsUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  if (options.mode === 'http') slack.useHttp(eventsUrl);
  const channel = createSlackChannel({
    botToken: slack.botToken,
    appToken: slack.appToken,
    signingSecret: slack.signingSecret,
    mode: options.mode,
    apiUrl: slack.apiUrl,
    clock: options.clock ?? systemClock,
    logger,
    mount: (path, handler) => void handlers.set(path, handler),
    editIntervalMs: 0,
    random: () => 0,
    ...options.channel,
  });
  options.beforeStart?.(slack);
  if (options.isStarted !== false) await channel.start(options.makeGateway?.(channel) ?? gateway);
  const asker = slack.addUser({ displayName: 'Ada' }).id;
  const room = slack.addChannel({ name: 'support', members: [slack.botUserId, asker] }).id;
  return {
    slack,
    channel,
    gateway,
    log: logger.lines,
    asker,
    room,
    eventsUrl,
    [Symbol.asyncDispose]: async () => {
      await channel.close();
      await slack.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

export const answerOf = (text: string, change: Partial<Answer> = {}): Answer => ({
  text,
  citations: [],
  answered: true,
  stopReason: 'answered',
  allowedLinks: [],
  fallback: false,
  ...change,
});
