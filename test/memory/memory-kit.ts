/** A memory over a throw-away SQLite store, with people who say things in places. */
import type { Answer, InboundMessage, Place, Scope, Turn } from '../../agent/conversation.ts';
import type { RecalledMemory, Wisher } from '../../agent/ports/memory.ts';
import type { MemoryStore } from '../../agent/ports/memory-store.ts';
import type { Store } from '../../agent/ports/store.ts';
import { languageOf } from '../../agent/texts.ts';
import { createExactIndex } from '../../memory/exact.ts';
import { createMemory, type MemoryOptions, type RunningMemory } from '../../memory/memory.ts';
import { RULES } from '../../memory/significance-rules.ts';
import { createSummariser } from '../../memory/summary.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { createMemoryLogger } from '../fakes/gateway-bench.ts';
import { answerOf } from '../fakes/scripted-agent.ts';

export interface Spot {
  readonly scope: Scope;
  readonly place: Place;
}

export const direct = (user: string, tenant = 'T1'): Spot => ({
  scope: {
    tenantId: `${user.split(':')[0]}:${tenant}`,
    channel: user.startsWith('discord') ? 'discord' : 'slack',
    conversationId: `dm:${user}`,
    userId: user,
  },
  place: { kind: 'direct', id: `${user.split(':')[0]}:D-${user}` },
});

export const inChannel = (user: string, channel: string, thread = 't1', tenant = 'T1'): Spot => ({
  scope: { tenantId: `slack:${tenant}`, channel: 'slack', conversationId: `slack:${tenant}:${channel}:${thread}`, userId: user },
  place: { kind: 'channel', id: `slack:${channel}` },
});

export interface MemoryKit {
  readonly memory: RunningMemory;
  readonly store: Store;
  readonly memories: MemoryStore;
  readonly clock: FakeClock;
  readonly logger: ReturnType<typeof createMemoryLogger>;
  /** Asks and is answered, without learning from it. */
  answer(spot: Spot, text: string, options?: { answer?: Partial<Answer>; labels?: readonly string[] }): Promise<Turn>;
  /** Asks, is answered, and is learnt from. */
  say(spot: Spot, text: string, options?: { answer?: Partial<Answer>; labels?: readonly string[] }): Promise<Turn>;
  recall(spot: Spot, question: string, labels?: readonly string[]): Promise<RecalledMemory>;
  /** The reply to a wish. Fails when it was none. */
  wish(spot: Spot, text: string, over?: Partial<Wisher>): Promise<string>;
  /** Another memory on the same store, as after a restart. */
  restart(over?: Partial<MemoryOptions>): RunningMemory;
}

export const DAY_MS = 24 * 3_600_000;

export const openMemoryKit = (over: Partial<MemoryOptions> = {}): MemoryKit & { close(): Promise<void> } => {
  const clock = createFakeClock();
  const opened = openSqliteStore({ folder: ':memory:', clock });
  const logger = createMemoryLogger();
  const countTokens = (text: string): number => Math.ceil(text.length / 4);
  let codes = 0;
  const options: MemoryOptions = {
    store: opened.memory,
    readTurns: (conversationId) => opened.store.readTranscript(conversationId, 50),
    embedder: undefined,
    createIndex: async (dimensions) => createExactIndex({ dimensions }),
    significance: RULES,
    extendSummary: createSummariser({ countTokens, scrub: RULES.scrubSecrets }),
    countTokens,
    recallTokens: 800,
    roomTokens: 2_000,
    retentionDays: {
      decision: 0,
      preference: 0,
      fact: 0,
      commitment: 0,
      correction: 0,
      opinion: 0,
      result: 0,
      pin: 0,
      summary: 0,
    },
    clock,
    logger,
    newCode: () => {
      codes += 1;
      return `CODE${String(codes).padStart(8, '0')}`;
    },
    ...over,
  };
  const memory = createMemory(options);
  let delivered = 0;

  const answer: MemoryKit['answer'] = async ({ scope, place }, text, { answer: said = {}, labels = ['everyone'] } = {}) => {
    delivered += 1;
    await clock.advance(1_000);
    const message: InboundMessage = {
      deliveryId: `delivery ${delivered}`,
      scope,
      place,
      author: { id: scope.userId, displayName: `Name of ${scope.userId}`, kind: 'person' },
      trigger: 'mention',
      text,
      sourceMessageId: null,
      address: {},
      receivedAt: clock.now(),
    };
    await opened.store.accept(message);
    const claim = await opened.store.claim('worker', clock.now(), 60_000);
    if (claim === undefined) throw new Error('nothing to claim');
    const turn: Turn = {
      turnId: claim.turnId,
      conversationId: scope.conversationId,
      userId: scope.userId,
      speaker: message.author.displayName,
      question: text,
      answer: answerOf(`I see.`, said),
      labels,
      steps: 1,
      tools: [],
      usage: { inputTokens: 1, outputTokens: 1 },
      model: 'scripted',
      askedAt: clock.now(),
      answeredAt: clock.now(),
    };
    await opened.store.finishTurn(claim.lease, turn, []);
    await opened.store.completeTurn(claim.lease, claim.turnId);
    await opened.store.release(claim.lease);
    return turn;
  };

  return {
    memory,
    store: opened.store,
    memories: opened.memory,
    clock,
    logger,
    answer,
    say: async (spot, text, more) => {
      const turn = await answer(spot, text, more);
      await memory.learn(turn, spot);
      return turn;
    },
    recall: (spot, question, labels = ['everyone']) =>
      memory.recall({ ...spot, question, labels, history: [], signal: new AbortController().signal }),
    wish: async (spot, text, wisher = {}) => {
      const by = { ...spot, turnId: `wish ${text}`, speaker: 'Somebody', isAdmin: false, labels: ['everyone'], ...wisher };
      const reply = await memory.command(text, by, languageOf(text));
      if (reply === undefined) throw new Error(`no wish: ${text}`);
      return reply.text;
    },
    restart: (more = {}) => createMemory({ ...options, ...more }),
    close: async () => {
      await memory.close();
      await opened.close();
    },
  };
};
