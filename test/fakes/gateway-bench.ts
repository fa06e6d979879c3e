/** A gateway over a throw-away SQLite store, a fake platform, a scripted agent and a fake clock. */

import type { InboundMessage } from '../../agent/conversation.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { type AccessOptions, createAccess, type PeopleRules } from '../../bots/access.ts';
import { createGateway, type GatewayOptions } from '../../bots/gateway.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { createFakeChannel } from './fake-channel.ts';
import { createScriptedAgent } from './scripted-agent.ts';

export const OPEN_HOUSE: PeopleRules = {
  owners: [],
  admins: [],
  allow: [],
  allowChannels: [],
  guests: false,
  external: false,
  questionsPerMinute: 1_000,
};

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const createMemoryLogger = (): Logger & { readonly lines: LogLine[] } => {
  const lines: LogLine[] = [];
  const at =
    (level: string) =>
    (event: string, fields: object = {}) =>
      void lines.push({ level, event, fields: { ...fields } });
  const logger = { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), with: () => logger };
  return logger;
};

let asked = 0;

/** A question in a channel's thread, asked at the clock's time. */
export const messageOf = (
  clock: FakeClock,
  text: string,
  { thread = 't1', user = 'slack:U1', ...over }: Partial<InboundMessage> & { thread?: string; user?: string } = {},
): InboundMessage => {
  asked += 1;
  return {
    deliveryId: `slack:T1:C1:${asked}`,
    scope: { tenantId: 'slack:T1', channel: 'slack', conversationId: `slack:T1:C1:${thread}`, userId: user },
    author: { id: user, displayName: 'Ada', kind: 'person' },
    place: { kind: 'channel', id: 'slack:C1' },
    trigger: 'mention',
    text,
    sourceMessageId: `m${asked}`,
    address: { channel: 'C1', thread },
    receivedAt: clock.now(),
    ...over,
  };
};

export const setUpGateway = ({
  people = {},
  audiences = {},
  ...options
}: Partial<Omit<GatewayOptions, 'clock'>> & {
  people?: Partial<PeopleRules>;
  audiences?: AccessOptions['audiences'];
} = {}) => {
  const clock = createFakeClock();
  const opened = openSqliteStore({ folder: ':memory:', clock });
  const channel = createFakeChannel();
  const agent = createScriptedAgent();
  const logger = createMemoryLogger();
  const fixed = {
    store: opened.store,
    agent,
    channels: new Map([['slack', channel] as const]),
    access: createAccess({ people: { ...OPEN_HOUSE, ...people }, audiences }),
    clock,
    logger,
    random: () => 1,
    ...options,
  };
  const gateway = createGateway(fixed);
  /** A second process on the same store and platform. */
  const restart = (over: Partial<GatewayOptions> = {}) => createGateway({ ...fixed, ...over });
  const ask = (text: string, over: Parameters<typeof messageOf>[2] = {}) => {
    const message = messageOf(clock, text, over);
    return gateway.accept(message).then((outcome) => ({ message, outcome }));
  };
  /** Closes a gateway whose runs may never end by themselves. */
  const shut = async (running = gateway) => {
    const closing = running.close();
    await clock.advance(5_000);
    await closing;
  };
  return { shut, clock, store: fixed.store, channel, agent, logger, gateway, restart, ask, close: opened.close };
};
