import type { Answer, Citation, InboundMessage } from '../../agent/conversation.ts';
import type { AcceptOutcome, AskedTurn, Channel, FeedbackInput, Gateway } from '../../agent/ports/channel.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { createDiscordChannel, type DiscordChannelOptions } from '../../bots/discord/discord.ts';
import type { DiscordSimulatorOptions } from '../../simulator/discord.ts';
import { openDiscord, type SampleDiscord } from '../simulator/discord-kit.ts';

export interface FakeGateway extends Gateway {
  readonly accepted: InboundMessage[];
  readonly edits: (readonly [string, string])[];
  readonly deletions: string[];
  readonly feedback: FeedbackInput[];
  /** What `readTurn` finds. */
  readonly turns: Map<string, AskedTurn>;
  /** What the next `accept` does. */
  outcome: AcceptOutcome | Error;
  /** How long it takes, as a promise. */
  delay: Promise<void>;
}

/** Remembers what it was handed. A conversation is subscribed once something of it was accepted. */
export const createFakeGateway = (subscribed: readonly string[] = []): FakeGateway => {
  const gateway: FakeGateway = {
    accepted: [],
    edits: [],
    deletions: [],
    feedback: [],
    turns: new Map(),
    outcome: 'accepted',
    delay: Promise.resolve(),
    async accept(message) {
      await gateway.delay;
      if (gateway.outcome instanceof Error) throw gateway.outcome;
      if (gateway.accepted.some(({ deliveryId }) => deliveryId === message.deliveryId)) return 'duplicate';
      if (gateway.outcome === 'accepted') gateway.accepted.push(message);
      return gateway.outcome;
    },
    refusalFor: () => undefined,
    isSubscribed: async (id) => subscribed.includes(id) || gateway.accepted.some(({ scope }) => scope.conversationId === id),
    editQuestion: async (_channel, id, text) => void gateway.edits.push([id, text]),
    deleteQuestion: async (_channel, id) => void gateway.deletions.push(id),
    cancel: async () => false,
    stopTurn: async () => 'over',
    decideApproval: () => Promise.resolve('over'),
    readApproval: () => Promise.resolve(undefined),
    recordFeedback: async (feedback) => void gateway.feedback.push(feedback),
    readTurn: async (turnId) => gateway.turns.get(turnId),
  };
  return gateway;
};

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: unknown;
}

export const createMemoryLogger = (): Logger & { readonly lines: LogLine[] } => {
  const lines: LogLine[] = [];
  const log =
    (level: string) =>
    (event: string, fields?: unknown): void =>
      void lines.push({ level, event, fields });
  const logger = { lines, debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error'), with: () => logger };
  return logger;
};

export interface Rig {
  readonly sim: SampleDiscord;
  readonly gateway: FakeGateway;
  readonly channel: Channel;
  readonly logger: ReturnType<typeof createMemoryLogger>;
  readonly accepted: (count: number) => Promise<readonly InboundMessage[]>;
}

export interface RigOptions {
  readonly simulator?: Partial<DiscordSimulatorOptions>;
  readonly channel?: Partial<DiscordChannelOptions>;
  /** The simulated Discord of an earlier rig: the process was restarted. */
  readonly sim?: SampleDiscord;
  /** Conversations that it takes part in from before. */
  readonly subscribed?: readonly string[];
}

/** The channel on the real discord.js, connected to a simulator, with a gateway that remembers. */
export const withRig = async (options: RigOptions, run: (rig: Rig) => Promise<void>): Promise<void> => {
  const sim = options.sim ?? (await openDiscord(options.simulator));
  // Discord takes one new session in five seconds.
  if (options.sim !== undefined) sim.clock.advance(6_000);
  const logger = createMemoryLogger();
  const gateway = createFakeGateway(options.subscribed);
  const channel = createDiscordChannel({
    token: sim.token,
    apiUrl: sim.apiUrl,
    messageContent: options.simulator?.messageContent ?? true,
    clock: sim.clock,
    logger,
    editIntervalMs: 0,
    ...options.channel,
  });
  try {
    await channel.start(gateway);
    const accepted = (count: number): Promise<readonly InboundMessage[]> =>
      sim.waitFor(() => (gateway.accepted.length >= count ? gateway.accepted : undefined));
    await run({ sim, gateway, channel, logger, accepted });
  } finally {
    await channel.close();
    if (options.sim === undefined) await sim.close();
  }
};

export const quiet = (ms = 80): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const sampleAnswer = (text: string, more: Partial<Answer> = {}): Answer => ({
  text,
  citations: [],
  answered: true,
  stopReason: 'answered',
  allowedLinks: [],
  fallback: false,
  ...more,
});

export const sampleCitation: Citation = {
  n: 1,
  title: 'Warranty',
  source: 'warranty.md',
  quote: 'Lamps are covered for two years.',
  chunkId: 'c1',
  headingPath: ['Warranty'],
  location: '',
  date: null,
};
