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
import { FIRST_CARD } from '../../bots/approvals-card.ts';
import { createGateway } from '../../bots/gateway.ts';
import { fitWindow } from '../../memory/window.ts';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { OPEN_HOUSE } from '../fakes/gateway-bench.ts';
import { type NameTurn, wrapChannel, wrapStore } from './boundaries.ts';
import { type Note, sendNote } from './fake-platform.ts';

export const KINDS = ['plain', 'one_tool', 'parallel_tools', 'streaming'] as const;
/**
 * `waiting`: a second question of the thread waits behind the first, whose run ends when that was told. `folding`: an addition comes
 * before the second of two steps. `approving`: the answer needs a write, which the asker approves. `filing`: two files go with it.
 */
export type Kind = (typeof KINDS)[number] | 'waiting' | 'folding' | 'approving' | 'filing';

export interface LifeOptions {
  readonly folder: string;
  readonly platformUrl: string;
  readonly connection: Readonly<Record<string, string>>;
  readonly kind: Kind;
  /** How many paragraphs a streamed answer has besides its first line. */
  readonly paragraphs: number;
  /** How far this life's clock is ahead, so that the leases of the life before have run out without a wait. */
  readonly shiftMs: number;
  /** The trial that the life before left unfinished; 0 for none. */
  readonly resume: number;
  /** The next trial. */
  readonly trial: number;
  /** The boundary of the trial at which this life ends, by number or by name; 0 for none. */
  readonly killAt: number | string;
  /** False takes the look at the platform away: a defect on purpose. */
  readonly readBack: boolean;
}

/** What a life says last on its standard output: where it killed itself, or the boundaries of the trial that came through. */
export type LifeReport = { readonly killedAt: string } | { readonly boundaries: readonly string[] };

const LEASE_MS = 30_000;
const GRACE_MS = 5_000;

export const answerText = (kind: Kind, trial: number, paragraphs = 0): string =>
  kind === 'streaming'
    ? [
        `Answer ${trial} needs two messages, each of which must stand exactly once.`,
        ...Array.from({ length: paragraphs }, (_, n) => `Paragraph ${n + 1} of ${trial}: ${'it goes on '.repeat(30).trim()}.`),
      ].join('\n\n')
    : kind === 'folding'
      ? `Answer ${trial}, dealers included.`
      : `Answer ${trial}.`;

/** What the model says when it is told that nobody knows whether its write happened. */
export const unknownText = (trial: number): string => `Answer ${trial}, perhaps.`;

export const secondAnswerText = (trial: number): string => `Second answer ${trial}.`;

export const questionText = (trial: number): string => `question ${trial}?`;
export const secondQuestionText = (trial: number): string => `second question ${trial}?`;

export const additionText = (trial: number): string => `also for dealers, in question ${trial}`;
const isAddition = (text: string): boolean => text.startsWith('also ');

const trialOf = (question: string): number => Number(/question (\d+)/.exec(question)?.[1] ?? 0);
const isSecond = (question: string): boolean => question.startsWith('second ');

/** Tells the parent to have the questions asked. */
export const sayAsk = (trial: number): void => void writeSync(1, `${JSON.stringify({ ask: trial })}\n`);

export const trialMessage = (trial: number, now: number, text = questionText(trial)): InboundMessage => ({
  deliveryId: `slack:T1:C1:${text}`,
  scope: { tenantId: 'slack:T1', channel: 'slack', conversationId: `slack:T1:C1:t${trial}`, userId: 'slack:U1' },
  author: { id: 'slack:U1', displayName: 'Ada', kind: 'person' },
  place: { kind: 'channel', id: 'slack:C1' },
  trigger: 'mention',
  text,
  sourceMessageId: `m${text}`,
  address: { thread: `t${trial}` },
  receivedAt: now,
});

export const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (event, fields) => writeSync(2, `${event} ${String(fields?.['error'] ?? '')}\n`),
  with: () => quiet,
};

const toolCalls = (kind: Kind): readonly RawToolCall[] => {
  if (kind === 'plain' || kind === 'streaming' || kind === 'waiting') return [];
  const call = (topic: string): RawToolCall => ({ name: 'look_up', arguments: JSON.stringify({ topic }) });
  if (kind === 'filing') return [{ name: 'attach_rows', arguments: '{}' }];
  if (kind === 'approving') return [{ name: 'write_down', arguments: '{}' }];
  return kind !== 'parallel_tools' ? [call('a')] : [call('a'), call('b')];
};

type TakeNote = (note: Note['note'], question: string, key: string) => Promise<void>;

const PIECES = 20;

const createModel = (
  { kind, paragraphs }: LifeOptions,
  note: TakeNote,
  untilNext: (state: 'waits' | 'is_told', signal: AbortSignal) => Promise<void>,
): ModelProvider => ({
  id: 'played',
  ask: async ({ messages }, { onText, signal }): Promise<ModelTurn> => {
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    const question = said.findLast((text) => !isAddition(text)) ?? '';
    const trial = trialOf(question);
    const calls = messages.some(({ role }) => role === 'tool') ? [] : toolCalls(kind);
    const isUnknown = messages.some(({ role, content }) => role === 'tool' && content.includes('"did_it_happen":"unknown"'));
    const answer = isUnknown
      ? unknownText(trial)
      : isSecond(question)
        ? secondAnswerText(trial)
        : answerText(kind, trial, paragraphs);
    const hasHeard = said.some((text) => text.includes(additionText(trial)));
    const text = calls.length > 0 ? '' : kind === 'folding' && !hasHeard ? 'The addition is missing.' : answer;
    await note('asked', question, `model:${calls.length === 0 && toolCalls(kind).length > 0 ? 2 : 1}`);
    if (kind === 'waiting' && !isSecond(question)) await untilNext('is_told', signal);
    if (kind === 'folding' && calls.length > 0 && !hasHeard) await untilNext('waits', signal);
    if (kind === 'streaming') {
      const length = Math.ceil(text.length / PIECES);
      for (let at = 0; at < text.length; at += length) {
        onText?.(text.slice(at, at + length));
        await delay(2);
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

export const fileText = (number: number): string => `Rows ${number}.`;

const attachRows: Tool<object> = {
  name: 'attach_rows',
  description: 'Attaches two files.',
  parameters: z.object({}),
  effect: 'read',
  timeoutMs: 1_000,
  run: (_, { attach }) => {
    for (const number of [1, 2]) {
      const bytes = Buffer.from(fileText(number));
      attach?.({ name: `rows-${number}.csv`, mediaType: 'text/csv', description: fileText(number), bytes });
    }
    return Promise.resolve('attached');
  },
};

/** `note` tells the world; the two boundaries are before it knows and after. */
const createWriteDown = (at: (name: string) => void, note: () => Promise<void>): Tool<object> => ({
  name: 'write_down',
  description: 'Writes something down.',
  parameters: z.object({}),
  effect: 'write',
  timeoutMs: 5_000,
  run: async () => {
    at('before the write');
    await note();
    at('after the write');
    return 'written';
  },
});

export interface LifeChannel {
  readonly channel: Channel;
  /** Has the platform deliver the trial's question; called again for the trial that the life before left unfinished. */
  ask(gateway: Gateway, trial: number): Promise<void>;
}

export type OpenChannel = (parts: {
  readonly clock: Clock;
  readonly store: Store;
  readonly at: (name: string) => void;
}) => LifeChannel;

export const runLife = async (options: LifeOptions, openChannel: OpenChannel): Promise<void> => {
  const { folder, platformUrl, shiftMs, killAt } = options;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + shiftMs };
  const boundaries: string[] = [];
  let isCounting = false;
  const claims = new Set<string>();
  let releases = 0;
  const at = (name: string): void => {
    if (name === 'after release') releases += 1;
    if (!isCounting) return;
    boundaries.push(name);
    if (boundaries.length !== killAt && name !== killAt) return;
    writeSync(1, `${JSON.stringify({ killedAt: name } satisfies LifeReport)}\n`);
    process.kill(process.pid, 'SIGKILL');
  };

  const opened = openSqliteStore({ folder, clock });
  const note: TakeNote = (what, question, key) =>
    sendNote(platformUrl, {
      note: what,
      trial: String(trialOf(question)),
      key: isSecond(question) ? `second ${key}` : key,
    });
  const claimed = new Map<string, { readonly question: string; readonly conversationId: string }>();
  const nameTurn: NameTurn = (turnId) => (claimed.has(turnId) ? '' : ' while it waits');
  const perTrial = options.kind === 'waiting' || options.kind === 'folding' ? 2 : 1;
  const untilNext = async (state: 'waits' | 'is_told', signal: AbortSignal): Promise<void> => {
    const conversationId = [...claimed.values()].at(-1)?.conversationId ?? '';
    for (;;) {
      signal.throwIfAborted();
      const [next] = await opened.store.listWaiting(conversationId);
      if (next !== undefined && state === 'waits') return;
      if (next !== undefined && (await opened.store.readOutbox(next.turnId))[0]?.state === 'posted') return;
      await delay(5);
    }
  };
  const noting: Store = {
    ...opened.store,
    claim: async (...args) => {
      const claim = await opened.store.claim(...args);
      if (claim !== undefined) {
        claims.add(`${claim.turnId} ${claim.lease.fence}`);
        claimed.set(claim.turnId, { question: claim.message.text, conversationId: claim.message.scope.conversationId });
      }
      return claim;
    },
    writeJournal: async (lease, turnId, entry) => {
      await opened.store.writeJournal(lease, turnId, entry);
      if (entry.key.startsWith('model:')) await note('journaled', claimed.get(turnId)?.question ?? '', entry.key);
    },
  };
  const numbered = wrapStore(noting, at, nameTurn);
  const store: Store = {
    ...numbered,
    // What a platform delivers again of earlier trials is not of this one.
    accept: (message) => (trialOf(message.text) === options.trial ? numbered : noting).accept(message),
  };
  const played = openChannel({ clock, store: opened.store, at });
  const channel = wrapChannel(played.channel, at, () => delay(10), nameTurn);
  const gateway = createGateway({
    store,
    agent: createAgent({
      model: createModel(options, note, untilNext),
      tools: [
        lookUp as Tool,
        attachRows as Tool,
        createWriteDown(at, () => note('wrote', [...claimed.values()].at(-1)?.question ?? '', 'write')) as Tool,
      ],
      clock,
      logger: quiet,
      limits: DEFAULT_LIMITS,
      windowTokens: 4_000,
      fitWindow,
      countTokens: (text) => text.length,
    }),
    channels: new Map([[channel.name, options.readBack ? channel : { ...channel, find: () => Promise.resolve(undefined) }]]),
    access: createAccess({ people: OPEN_HOUSE, audiences: {} }),
    approvals: { direct: ['asker'], channels: ['asker'], tools: {} },
    clock,
    logger: quiet,
    leaseMs: LEASE_MS,
    graceMs: GRACE_MS,
  });
  gateway.start();
  await channel.start(gateway);

  /** The asker clicks on every card that stands, until that is acknowledged. */
  const approveAll = async (trial: number): Promise<void> => {
    for (const { turnId } of await opened.store.listTurns(`slack:T1:C1:t${trial}`)) {
      const [asked] = await opened.store.listApprovals(turnId);
      const isPosted = (await opened.store.readOutbox(turnId)).some(
        ({ index, state }) => index >= FIRST_CARD && state === 'posted',
      );
      if (asked?.outcome === null && isPosted) await gateway.decideApproval(asked.id, 'slack:U1', 'approved');
    }
  };

  const seeThrough = async (trial: number): Promise<void> => {
    await played.ask(gateway, trial);
    for (;;) {
      const { done, ...open } = await opened.store.countStates();
      if (options.kind === 'approving') await approveAll(trial);
      if (done >= trial * perTrial && Object.values(open).every((count) => count === 0) && releases >= claims.size) return;
      await delay(5);
    }
  };
  if (options.resume > 0) await seeThrough(options.resume);
  isCounting = true;
  await seeThrough(options.trial);
  isCounting = false;
  await channel.stopIntake();
  await gateway.close();
  await channel.close();
  await opened.close();
  writeSync(1, `${JSON.stringify({ boundaries } satisfies LifeReport)}\n`);
};
