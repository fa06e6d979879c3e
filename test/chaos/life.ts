/**
 * One life of a process: it takes up what the life before left, then asks the next question and kills itself at a numbered
 * boundary of it. The composition is the product's: SQLite store, gateway, agent; the model is played, and the channel is the
 * caller's.
 */

import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { InboundMessage } from '../../agent/conversation.ts';
import { DEFAULT_LIMITS } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { Channel, Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { ModelProvider, ModelTurn, RawToolCall } from '../../agent/ports/model-provider.ts';
import type { Store } from '../../agent/ports/store.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { createAccess } from '../../bots/access.ts';
import { createGateway } from '../../bots/gateway.ts';
import { fitWindow } from '../../memory/window.ts';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { OPEN_HOUSE } from '../fakes/gateway-bench.ts';
import { wrapChannel, wrapStore } from './boundaries.ts';
import { type Note, sendNote } from './fake-platform.ts';

export type Kind = 'plain' | 'one_tool' | 'parallel_tools' | 'streaming';

export interface LifeOptions {
  readonly folder: string;
  readonly platformUrl: string;
  readonly kind: Kind;
  /** How many lives came before: each begins when the leases of the one before have run out. */
  readonly life: number;
  /** The trial that the life before left unfinished; 0 for none. */
  readonly resume: number;
  /** The next trial, killed at the boundary of the same number. */
  readonly trial: number;
  /** False takes the look at the platform away: a defect on purpose. */
  readonly readBack: boolean;
}

/** What a life says on its standard output, a line each: where it killed itself, or that it came through. */
export type LifeReport = { readonly killedAt: string } | { readonly boundaries: number };

const LEASE_MS = 30_000;
const GRACE_MS = 5_000;

export const answerText = (kind: Kind, trial: number): string =>
  kind === 'streaming' ? `Answer ${trial} needs two messages, each of which must stand exactly once.` : `Answer ${trial}.`;

export const trialMessage = (trial: number, now: number): InboundMessage => ({
  deliveryId: `slack:T1:C1:${trial}`,
  scope: { tenantId: 'slack:T1', channel: 'slack', conversationId: `slack:T1:C1:t${trial}`, userId: 'slack:U1' },
  author: { id: 'slack:U1', displayName: 'Ada', kind: 'person' },
  place: { kind: 'channel', id: 'slack:C1' },
  trigger: 'mention',
  text: `question ${trial}?`,
  sourceMessageId: `m${trial}`,
  address: { thread: `t${trial}` },
  receivedAt: now,
});

const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (event, fields) => writeSync(2, `${event} ${String(fields?.['error'] ?? '')}\n`),
  with: () => quiet,
};

const toolCalls = (kind: Kind): readonly RawToolCall[] => {
  if (kind === 'plain' || kind === 'streaming') return [];
  const call = (topic: string): RawToolCall => ({ name: 'look_up', arguments: JSON.stringify({ topic }) });
  return kind === 'one_tool' ? [call('a')] : [call('a'), call('b')];
};

const createModel = (kind: Kind, note: (note: Note['note'], trial: string, key: string) => Promise<void>): ModelProvider => ({
  id: 'played',
  ask: async ({ messages }, { onText }): Promise<ModelTurn> => {
    const trial = /question (\d+)\?/.exec(messages.findLast(({ role }) => role === 'user')?.content ?? '')?.[1] ?? '?';
    const calls = messages.some(({ role }) => role === 'tool') ? [] : toolCalls(kind);
    const text = calls.length > 0 ? '' : answerText(kind, Number(trial));
    await note('asked', trial, `model:${calls.length === 0 && toolCalls(kind).length > 0 ? 2 : 1}`);
    if (kind === 'streaming') {
      for (const word of text.match(/\S+\s*/g) ?? []) {
        onText?.(word);
        await delay(1);
      }
    }
    return {
      text,
      toolCalls: calls,
      finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
      usage: { inputTokens: 1, outputTokens: 1 },
      model: 'played',
    };
  },
});

const lookUp: Tool<{ topic: string }> = {
  name: 'look_up',
  description: 'Looks a topic up.',
  parameters: z.object({ topic: z.string() }),
  effect: 'read',
  timeoutMs: 1_000,
  run: ({ topic }) => Promise.resolve({ found: topic }),
};

export interface LifeChannel {
  readonly channel: Channel;
  /** Has the platform deliver the trial's question; called again for the trial that the life before left unfinished. */
  ask(gateway: Gateway, trial: number): Promise<void>;
}

export const runLife = async (options: LifeOptions, openChannel: (clock: Clock) => LifeChannel): Promise<void> => {
  const { folder, kind, life, platformUrl } = options;
  // Each life begins a lease after the one before, without the wait.
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + life * LEASE_MS };
  let count = 0;
  let killAt = 0;
  const claims = new Set<string>();
  let releases = 0;
  const at = (name: string): void => {
    if (name === 'after release') releases += 1;
    if (killAt === 0) return;
    count += 1;
    if (count < killAt) return;
    writeSync(1, `${JSON.stringify({ killedAt: name } satisfies LifeReport)}\n`);
    process.kill(process.pid, 'SIGKILL');
  };

  const opened = openSqliteStore({ folder, clock });
  const note = (what: Note['note'], trial: string, key: string) => sendNote(platformUrl, { note: what, trial, key });
  const noting: Store = {
    ...opened.store,
    claim: async (...args) => {
      const claim = await opened.store.claim(...args);
      if (claim !== undefined) claims.add(`${claim.turnId} ${claim.lease.fence}`);
      return claim;
    },
    writeJournal: async (lease, turnId, entry) => {
      await opened.store.writeJournal(lease, turnId, entry);
      if (entry.key.startsWith('model:')) await note('journaled', lease.conversationId.split(':t')[1] ?? '', entry.key);
    },
  };
  const store = wrapStore(noting, at);
  const played = openChannel(clock);
  const channel = wrapChannel(played.channel, at, () => delay(10));
  const gateway = createGateway({
    store,
    agent: createAgent({
      model: createModel(kind, note),
      tools: [lookUp as Tool],
      clock,
      logger: quiet,
      limits: DEFAULT_LIMITS,
      windowTokens: 4_000,
      fitWindow,
      countTokens: (text) => text.length,
    }),
    channels: new Map([[channel.name, options.readBack ? channel : { ...channel, find: () => Promise.resolve(undefined) }]]),
    access: createAccess({ people: OPEN_HOUSE, audiences: {} }),
    clock,
    logger: quiet,
    leaseMs: LEASE_MS,
    graceMs: GRACE_MS,
  });
  gateway.start();
  await channel.start(gateway);

  const seeThrough = async (trial: number): Promise<void> => {
    await played.ask(gateway, trial);
    for (;;) {
      const { done, ...open } = await opened.store.countStates();
      if (done >= trial && Object.values(open).every((count) => count === 0) && releases >= claims.size) return;
      await delay(5);
    }
  };
  if (options.resume > 0) await seeThrough(options.resume);
  killAt = options.trial;
  await seeThrough(options.trial);
  await gateway.close();
  await channel.close();
  await opened.close();
  writeSync(1, `${JSON.stringify({ boundaries: count } satisfies LifeReport)}\n`);
};
