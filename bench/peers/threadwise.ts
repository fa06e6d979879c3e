/** Our loop as the product runs it: inbox, lease, journal and transcript on a durable store, the window, budgets, events, citations. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Budgets } from '../../agent/budget.ts';
import type { Answer, InboundMessage, Passage, Turn } from '../../agent/conversation.ts';
import { DEFAULT_LIMITS, type RunLimits } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { Claim } from '../../agent/ports/store.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import type { RunResult } from '../../agent/run.ts';
import { createTokenCounter } from '../../memory/tokens.ts';
import { fitWindow } from '../../memory/window.ts';
import { createOpenAIProvider, DEFAULT_OPENAI_LIMITS } from '../../models/openai.ts';
import { systemClock } from '../../ops/clock.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { CreatePeer } from './measure.ts';
import { DOCUMENT, MODEL, SUM } from './workload.ts';

const LEASE_MS = 60_000;
const HISTORY_TURNS = 20;

/** Limits that no turn here reaches; each call is reserved and settled all the same. */
const BUDGETS: Budgets = {
  run: { modelCalls: 50, toolCalls: 50, tokens: 1_000_000, microUsd: 10_000_000 },
  person: { tokens: 1_000_000_000 },
  channel: { tokens: 1_000_000_000 },
  day: { microUsd: 1_000_000_000_000 },
  prices: { inputUsd: 1, outputUsd: 4 },
};

const PASSAGE: Passage = {
  chunkId: 'refunds#0',
  documentId: 'refunds',
  title: 'Refunds',
  headingPath: ['Refunds'],
  source: 'refunds.md',
  location: '',
  text: DOCUMENT,
  date: null,
  label: 'everyone',
  score: 1,
};

const search: Tool<{ query: string }> = {
  name: 'search',
  description: 's',
  parameters: z.object({ query: z.string() }),
  effect: 'read',
  timeoutMs: 10_000,
  run: async (_args, { cite }) => ({ passages: cite([PASSAGE]).map(({ n, text }) => ({ n, text })) }),
};

const calc: Tool<{ expression: string }> = {
  name: 'calc',
  description: 'c',
  parameters: z.object({ expression: z.string() }),
  effect: 'read',
  timeoutMs: 1_000,
  run: async () => SUM,
};

export interface Threadwise {
  /** From the inbox to the answer in the outbox. */
  ask(conversationId: string, question: string): Promise<string>;
  /** Stores turns as if they had been asked and answered. */
  fill(conversationId: string, turns: number): Promise<void>;
  close(): Promise<void>;
}

export interface ThreadwiseOptions {
  readonly limits?: Partial<RunLimits>;
  /** The accounts of a day, kept in the store. Default: on. */
  readonly dayBudgets?: boolean;
}

export const createThreadwise = async (baseUrl: string, options: ThreadwiseOptions = {}): Promise<Threadwise> => {
  const { limits = {}, dayBudgets = true } = options;
  const folder = await mkdtemp(join(tmpdir(), 'threadwise-turns-'));
  const { store, ledger, close } = openSqliteStore({ folder, clock: systemClock });
  const agent = createAgent({
    model: createOpenAIProvider({
      baseUrl,
      apiKey: '',
      model: MODEL,
      limits: DEFAULT_OPENAI_LIMITS,
      clock: systemClock,
      logger: silentLogger,
    }),
    tools: [search as Tool, calc as Tool],
    clock: systemClock,
    logger: silentLogger,
    limits: { ...DEFAULT_LIMITS, ...limits },
    budgets: dayBudgets ? { ...BUDGETS, ledger } : BUDGETS,
    windowTokens: 16_000,
    fitWindow,
    countTokens: createTokenCounter().count,
  });
  let serial = 0;
  let streamed = 0;

  const claimNext = async (conversationId: string, question: string): Promise<Claim> => {
    serial += 1;
    const message: InboundMessage = {
      deliveryId: `terminal:bench:${serial}`,
      scope: { tenantId: 'local', channel: 'terminal', conversationId, userId: 'terminal:local' },
      author: { id: 'terminal:local', displayName: 'Local', kind: 'person' },
      place: { kind: 'local', id: 'terminal' },
      trigger: 'typed',
      text: question,
      sourceMessageId: null,
      address: {},
      receivedAt: systemClock.now(),
    };
    await store.accept(message);
    const claim = await store.claim('bench', systemClock.now(), LEASE_MS);
    if (claim === undefined) throw new Error('nothing to claim');
    return claim;
  };

  const finish = async (
    { turnId, lease, message }: Claim,
    result: Omit<RunResult, 'durationMs'>,
    askedAt: number,
  ): Promise<void> => {
    const turn: Turn = {
      turnId,
      conversationId: message.scope.conversationId,
      userId: message.scope.userId,
      speaker: 'Local',
      question: message.text,
      answer: result.answer,
      steps: result.steps,
      tools: result.tools,
      usage: result.usage,
      model: result.model,
      askedAt,
      answeredAt: systemClock.now(),
    };
    await store.finishTurn(lease, turn, [{ text: result.answer.text, withFeedback: true }]);
    await store.completeTurn(lease, turnId);
    await store.release(lease);
  };

  const ask = async (conversationId: string, question: string): Promise<string> => {
    const claim = await claimNext(conversationId, question);
    const { turnId, lease } = claim;
    const { scope, text } = claim.message;
    const askedAt = systemClock.now();
    const result = await agent.run({
      turnId,
      scope,
      labels: ['everyone'],
      question: text,
      speaker: 'Local',
      history: await store.readTranscript(scope.conversationId, HISTORY_TURNS),
      language: 'en',
      journal: {
        read: () => store.readJournal(turnId),
        write: (entry) => store.writeJournal(lease, turnId, entry),
      },
      signal: new AbortController().signal,
      onEvent: (event) => {
        if (event.type === 'text_delta') streamed += event.delta.length;
      },
    });
    await finish(claim, result, askedAt);
    const { answer } = result;
    if (streamed === 0 || answer.citations.length !== 1) throw new Error('not streamed, or not cited');
    return answer.text;
  };

  const fill = async (conversationId: string, turns: number): Promise<void> => {
    for (let turn = 1; turn <= turns; turn += 1) {
      const claim = await claimNext(conversationId, `what is the refund window of part ${turn}?`);
      const answer: Answer = {
        text: 'The refund window is 30 days.',
        citations: [],
        answered: true,
        stopReason: 'answered',
        allowedLinks: [],
        fallback: false,
      };
      const usage = { inputTokens: 100, outputTokens: 20 };
      await finish(claim, { answer, steps: 1, tools: [], files: [], usage, model: MODEL }, systemClock.now());
    }
  };

  return {
    ask,
    fill,
    close: async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export const createPeerWith = async (baseUrl: string, options: ThreadwiseOptions): ReturnType<CreatePeer> => {
  const { ask, close } = await createThreadwise(baseUrl, options);
  let conversations = 0;
  const run = (question: string): Promise<string> => {
    conversations += 1;
    return ask(`terminal:bench:${conversations}`, question);
  };
  return { run, close };
};

export const createPeer: CreatePeer = (baseUrl) => createPeerWith(baseUrl, {});
