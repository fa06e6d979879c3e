/** Our loop as the product runs it: inbox, lease, journal and transcript on a durable store, the window, events, citations. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { InboundMessage, Passage } from '../../agent/conversation.ts';
import { DEFAULT_LIMITS } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { createTokenCounter } from '../../memory/tokens.ts';
import { fitWindow } from '../../memory/window.ts';
import { createOpenAIProvider, DEFAULT_OPENAI_LIMITS } from '../../models/openai.ts';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { CreatePeer } from './measure.ts';
import { DOCUMENT, MODEL, SUM } from './workload.ts';

const LEASE_MS = 60_000;
const HISTORY_TURNS = 20;

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silent,
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

export const createPeer: CreatePeer = async (baseUrl) => {
  const folder = await mkdtemp(join(tmpdir(), 'threadwise-turns-'));
  const { store, close } = openSqliteStore({ folder, clock: systemClock });
  const agent = createAgent({
    model: createOpenAIProvider({
      baseUrl,
      apiKey: '',
      model: MODEL,
      limits: DEFAULT_OPENAI_LIMITS,
      clock: systemClock,
      logger: silent,
    }),
    tools: [search as Tool, calc as Tool],
    clock: systemClock,
    logger: silent,
    limits: DEFAULT_LIMITS,
    windowTokens: 16_000,
    fitWindow,
    countTokens: createTokenCounter().count,
  });
  let serial = 0;
  let streamed = 0;

  const run = async (question: string): Promise<string> => {
    serial += 1;
    const conversationId = `terminal:bench:${serial}`;
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
    const { turnId, lease } = claim;
    const { scope, text } = claim.message;
    const askedAt = systemClock.now();
    const { answer, steps, tools, usage, model } = await agent.run({
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
    const answeredAt = systemClock.now();
    await store.finishTurn(
      lease,
      {
        turnId,
        conversationId: scope.conversationId,
        userId: scope.userId,
        speaker: 'Local',
        question: text,
        answer,
        steps,
        tools,
        usage,
        model,
        askedAt,
        answeredAt,
      },
      [{ text: answer.text, withFeedback: true }],
    );
    await store.completeTurn(lease, turnId);
    await store.release(lease);
    if (streamed === 0 || answer.citations.length !== 1) throw new Error('not streamed, or not cited');
    return answer.text;
  };
  return {
    run,
    close: async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
