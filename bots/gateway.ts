/**
 * The gateway behind every channel: a question is in the inbox before its delivery is acknowledged, repeats are dropped, and
 * each accepted question is answered exactly once, in its thread, for those who may read it.
 */

import { randomUUID } from 'node:crypto';
import type { ChannelName, InboundMessage, Refusal } from '../agent/conversation.ts';
import { AppError } from '../agent/errors.ts';
import type { Channel, Gateway } from '../agent/ports/channel.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Memory } from '../agent/ports/memory.ts';
import type { Store } from '../agent/ports/store.ts';
import type { Agent } from '../agent/run.ts';
import type { Access } from './access.ts';
import { createDecisions } from './approvals.ts';
import { type ApprovalRules, createApprovalPolicy, SAFE_RULES } from './approvals-policy.ts';
import { createDispatcher } from './dispatch.ts';
import { cutText, MAX_QUESTION_CHARACTERS, normaliseName, normaliseQuestion, normaliseText } from './question.ts';
import { createRateLimit, type RateLimit, WINDOW_MS } from './rate-limit.ts';
import { createRunSlots } from './run-slots.ts';
import { createWaitingLine } from './waiting-line.ts';
import { createTurnHandler } from './worker.ts';

export interface GatewayOptions {
  readonly store: Store;
  readonly agent: Agent;
  readonly memory?: Pick<Memory, 'learn' | 'announce' | 'command'> | undefined;
  readonly channels: ReadonlyMap<ChannelName, Channel>;
  readonly access: Access;
  /** Who may decide about calls that change something. Default: the asker in private, administrators in channels. */
  readonly approvals?: ApprovalRules;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How many runs work at once. Default 16; 32 times as many conversations get their placeholder meanwhile. */
  readonly workers?: number;
  /** After this time without a heartbeat another worker takes a conversation over. Default 30,000. */
  readonly leaseMs?: number;
  /**
   * The longest time a message can be under way to its platform before a search there finds it: channels give up waiting for a
   * post within it. Default 10,000; at most a third of `leaseMs`.
   */
  readonly graceMs?: number;
  /** A status is shown at most once per this time. Default 150. */
  readonly liveIntervalMs?: number;
  /** A run that takes longer gets a placeholder in its thread. Default 0: at once. */
  readonly placeholderDelayMs?: number;
  /** Earlier turns handed to a run at most. Default 50. */
  readonly historyTurns?: number;
  /** Unique among the processes that share the store. Default a random one. */
  readonly workerId?: string;
  /** 0 to 1, for jitter. */
  readonly random?: () => number;
}

/** Since the gateway was made. */
export interface GatewayCounts {
  readonly accepted: number;
  readonly duplicates: number;
  readonly refused: number;
  readonly delivered: number;
  /** Answers that the platform would not take. */
  readonly rejected: number;
  readonly dropped: number;
  readonly postponed: number;
}

export interface RunningGateway extends Gateway {
  /** Starts to work on what is in the inbox. */
  start(): void;
  /**
   * Takes up no further turn. Those under way have so long to finish; what is left is aborted and given back, to be resumed
   * after the restart. Questions are still accepted.
   */
  drain(timeoutMs: number): Promise<void>;
  /** `drain(0)`. The store and the channels are closed by whoever opened them. */
  close(): Promise<void>;
  counts(): GatewayCounts;
}

const MAX_REASON_UNITS = 2_000;

interface Verdict {
  readonly refusal?: Refusal;
  /** Names what is said once. */
  readonly notice?: string;
  /** What the message counts toward, unless it turns out to be a repeat. */
  readonly counted?: RateLimit;
}

export const createGateway = ({
  store,
  agent,
  memory,
  channels,
  access,
  approvals = SAFE_RULES,
  clock,
  logger,
  workers = 16,
  leaseMs = 30_000,
  graceMs = 10_000,
  liveIntervalMs = 150,
  placeholderDelayMs = 0,
  historyTurns = 50,
  workerId = randomUUID(),
  random = Math.random,
}: GatewayOptions): RunningGateway => {
  if (graceMs * 3 > leaseMs) {
    throw new AppError('internal', `graceMs may be at most a third of leaseMs; got ${graceMs} and ${leaseMs}`);
  }
  const counts = { accepted: 0, duplicates: 0, refused: 0, delivered: 0, rejected: 0, dropped: 0, postponed: 0 };
  const questions = createRateLimit({ perMinute: access.questionsPerMinute, clock });
  /** A flood of questions must not become a flood of notices, which delays everybody's answers. */
  const notices = createRateLimit({ perMinute: access.questionsPerMinute, clock });
  const slots = createRunSlots(workers);
  const policy = createApprovalPolicy(approvals, access);
  const dispatcher = createDispatcher({
    store,
    channels,
    handle: createTurnHandler({
      store,
      agent,
      memory,
      access,
      policy,
      clock,
      logger,
      slots,
      random,
      graceMs,
      liveIntervalMs,
      placeholderDelayMs,
      historyTurns,
    }),
    tellWaiting: async (channel, held) => {
      const line = createWaitingLine({ channel, held, store, clock, logger, random, graceMs });
      await line.tellNow();
      await line.end();
    },
    slots,
    clock,
    logger,
    workerId,
    leaseMs,
    maxHeld: workers * 32,
    random,
    onOutcome: (outcome) => {
      counts[outcome] += 1;
    },
  });

  const tooMany = (waitMs: number): Refusal => ({
    reason: 'rate_limited',
    waitSeconds: Math.ceil(waitMs / 1_000),
    questionsPerMinute: access.questionsPerMinute,
  });

  const refusalFor: Gateway['refusalFor'] = (message) => {
    const decision = access.decide(message);
    if (decision.kind !== 'allowed') return decision.kind === 'refused' ? decision.refusal : { reason: 'not_allowed' };
    const waitMs = message.place.kind === 'local' ? 0 : questions.peek(message.scope.userId);
    return waitMs === 0 ? undefined : tooMany(waitMs);
  };

  /** Undefined when not a word is to be said (any more). */
  const judge = async (message: InboundMessage): Promise<Verdict | undefined> => {
    const decision = access.decide(message);
    if (decision.kind === 'ignored') return undefined;
    if (decision.kind === 'refused') {
      const notice = `${decision.refusal.reason}:${message.place.id}:${message.scope.userId}`;
      return { refusal: decision.refusal, notice };
    }
    if (message.place.kind === 'local') return {};
    if (!questions.knows(message.scope.userId)) {
      const now = clock.now();
      const times = await store.questionTimes(message.scope.userId, now - WINDOW_MS);
      questions.restore(
        message.scope.userId,
        times.map((time) => now - time),
      );
    }
    const waitMs = questions.take(message.scope.userId);
    if (waitMs === 0) return { counted: questions };
    if (notices.take(message.scope.userId) > 0) return undefined;
    return { refusal: tooMany(waitMs), counted: notices };
  };

  const refuse = (message: InboundMessage): 'refused' => {
    counts.refused += 1;
    logger.debug('message_refused', { channel: message.scope.channel, author: message.author.kind });
    return 'refused';
  };

  const accept: Gateway['accept'] = async (raw) => {
    const verdict = await judge(raw);
    if (verdict === undefined) return refuse(raw);
    const question = normaliseQuestion(raw.text);
    const refusal: Refusal | undefined =
      verdict.refusal ??
      (question.isTooLong ? { reason: 'too_long', length: question.length, limit: MAX_QUESTION_CHARACTERS } : undefined);
    const message: InboundMessage = {
      ...raw,
      author: { ...raw.author, displayName: normaliseName(raw.author.displayName) },
      text: question.text,
      ...(refusal === undefined ? {} : { refusal }),
    };
    let outcome: 'accepted' | 'duplicate' | 'said_before' | undefined;
    try {
      ({ outcome } = await store.accept(message, verdict.notice));
    } finally {
      if (outcome !== 'accepted') verdict.counted?.giveBack(raw.scope.userId);
    }
    if (outcome === 'said_before') return refuse(raw);
    counts[outcome === 'accepted' ? 'accepted' : 'duplicates'] += 1;
    if (outcome === 'accepted') dispatcher.arrived(message.scope);
    return outcome;
  };

  const stopTurn: Gateway['stopTurn'] = async (turnId, userId) => {
    const asked = await store.readTurn(turnId);
    if (asked === undefined || asked.state === 'answered' || asked.state === 'done') return 'over';
    // In a shared thread others may not take an answer away from its asker.
    if (asked.message.scope.userId !== userId && access.roleOf(userId) === 'user') return 'not_yours';
    if (!(await store.cancelTurn(turnId))) return 'over';
    dispatcher.cancel(turnId);
    dispatcher.wake();
    return 'stopped';
  };

  return {
    accept,
    refusalFor,
    isSubscribed: (conversationId) => store.hasTurns(conversationId),
    editQuestion: async (channel, sourceMessageId, text) => {
      const question = normaliseQuestion(text);
      // The question as it was first asked is the better one to answer.
      if (question.isTooLong) logger.info('edit_ignored', { channel, length: question.length });
      else await store.editWaiting(channel, sourceMessageId, question.text);
    },
    deleteQuestion: async (channel, sourceMessageId) => {
      const turnId = await store.cancelBySource(channel, sourceMessageId);
      if (turnId === undefined) return;
      dispatcher.cancel(turnId);
      dispatcher.wake();
    },
    cancel: async (scope) => {
      const running = (await store.listTurns(scope.conversationId)).find(({ state }) => state === 'running');
      return running !== undefined && (await stopTurn(running.turnId, scope.userId)) === 'stopped';
    },
    stopTurn,
    ...createDecisions({ store, policy, clock, logger, wake: () => dispatcher.wake() }),
    recordFeedback: async (feedback) => {
      await store.putFeedback({ ...feedback, reason: cutText(normaliseText(feedback.reason), MAX_REASON_UNITS) }, clock.now());
    },
    readTurn: async (turnId) => {
      const found = await store.readTurn(turnId);
      return found && { message: found.message, answer: found.turn?.answer ?? null };
    },
    start: () => dispatcher.start(),
    drain: (timeoutMs) => dispatcher.drain(timeoutMs),
    close: () => dispatcher.drain(0),
    counts: () => ({ ...counts }),
  };
};
