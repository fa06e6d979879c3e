/**
 * One claimed turn, from the placeholder to the answer that stands. Whatever kills it on the way, the next worker finds in
 * the store how far it came: journaled steps are reused, posted messages are updated, a stored answer is only delivered.
 */

import { isBuiltOn } from '../agent/answer.ts';
import type { Answer, InboundMessage, Turn } from '../agent/conversation.ts';
import { AppError, hasCode } from '../agent/errors.ts';
import type { Channel } from '../agent/ports/channel.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Memory } from '../agent/ports/memory.ts';
import type { Claim, JournalEntry, Store } from '../agent/ports/store.ts';
import type { Agent, ArrivedMessage, RunResult } from '../agent/run.ts';
import { arrivedIn, withArrived } from '../agent/steering.ts';
import { type Language, languageOf, type Texts, textsFor } from '../agent/texts.ts';
import { abortLater, raceAbort } from './abort.ts';
import type { Access } from './access.ts';
import { createTurnApprovals, type TurnApprovals } from './approvals.ts';
import type { ApprovalPolicy } from './approvals-policy.ts';
import { createDelivery, type Delivery, type DeliveryOutcome } from './delivery.ts';
import { fileParts } from './file-parts.ts';
import { asArrived, foldedMessage, pickFolded } from './fold.ts';
import type { HeldLease } from './lease.ts';
import { createLiveView } from './live-view.ts';
import { hasQuestion } from './question.ts';
import { refusalText, stopReasonOf } from './refusal.ts';
import { createRunLog } from './run-log.ts';
import type { RunSlots } from './run-slots.ts';
import { fixedAnswer, turnRecord, withoutRun } from './turn-record.ts';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

export interface WorkerOptions {
  readonly store: Store;
  readonly agent: Agent;
  /** Learns from answered turns, and answers wishes to itself in place of a run. */
  readonly memory?: Pick<Memory, 'learn' | 'announce' | 'command'> | undefined;
  readonly access: Access;
  readonly policy: ApprovalPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly slots: RunSlots;
  /** A run that takes longer gets a placeholder; 0 sends it at once. */
  readonly placeholderDelayMs: number;
  readonly random: () => number;
  readonly graceMs: number;
  readonly liveIntervalMs: number;
  /** How many earlier turns a run is given at most; its window chooses among them. */
  readonly historyTurns: number;
}

export interface TurnWork {
  readonly claim: Claim;
  readonly channel: Channel;
  readonly held: HeldLease;
  /** Aborted with `CANCELLED` when the person wants no answer any more. */
  readonly cancelled: AbortSignal;
  /** Has the listener called whenever another question of the conversation is taken in. */
  onArrived(listener: () => void): void;
}

export type TurnOutcome = DeliveryOutcome | 'dropped';

/** A claimed turn that is to be run. */
interface Job {
  readonly work: TurnWork;
  readonly language: Language;
  readonly labels: readonly string[];
  readonly journal: readonly JournalEntry[];
  readonly delivery: Delivery;
  readonly approvals: TurnApprovals;
  readonly line: WaitingLine;
  /** What was folded in so far. */
  readonly arrived: ArrivedMessage[];
  readonly logger: Logger;
}

/** The gateway's own entries in a turn's journal; a run does not see them. */
const OWN = 'gateway:';
const RUN_BEGAN = `${OWN}run:`;
const RUN_PARKED = `${OWN}parked:`;
/** A turn whose runs ended so often without a word killed the process: it is not run again. */
const MAX_RUNS = 3;
/** The same for a turn that never came as far as its run. Those whose run was parked do not count. */
const MAX_CLAIMS = 12;
/** How long a cancelled run may take to end by itself. */
const CANCEL_GRACE_MS = 700;

const countKeys = (journal: readonly JournalEntry[], prefix: string): number =>
  journal.filter(({ key }) => key.startsWith(prefix)).length;

/** The labels under which the turn's runs searched: what they found is in the journal and in the answer. */
const journaledLabels = (journal: readonly JournalEntry[]): readonly string[] =>
  journal
    .filter(({ key }) => key.startsWith(RUN_BEGAN))
    .flatMap(({ value }) => (Array.isArray(value) ? value.filter((label) => typeof label === 'string') : []));

const isWithin = (labels: readonly (string | undefined)[], held: readonly string[]): boolean =>
  labels.every((label) => label === undefined || held.includes(label));

const citedLabels = (answer: Answer) => answer.citations.map(({ label }) => label);

/** Handles a claimed turn. Throws what must be tried again later; the lease is the caller's to give back. */
export const createTurnHandler = (options: WorkerOptions): ((work: TurnWork) => Promise<TurnOutcome>) => {
  const {
    store,
    agent,
    memory,
    access,
    policy,
    clock,
    slots,
    random,
    graceMs,
    placeholderDelayMs,
    liveIntervalMs,
    historyTurns,
  } = options;

  const labelsOf = ({ place, scope }: InboundMessage) => access.labelsFor(place, scope.userId);

  /** Computed anew each time: rights may have changed while the question waited. */
  const mayBeRead = (message: InboundMessage, searched: readonly string[], answer: Answer): boolean =>
    isWithin([...searched, ...citedLabels(answer)], labelsOf(message));

  /** Cited passages that may no longer be read here must not come back by way of the history. */
  const readHistory = async (message: InboundMessage, labels: readonly string[]): Promise<readonly Turn[]> => {
    const turns = await store.readTranscript(message.scope.conversationId, historyTurns);
    return turns.filter(({ answer, labels: searched }) => isBuiltOn(answer) && isWithin(searched ?? citedLabels(answer), labels));
  };

  /** Takes what belongs to the run out of the queue; each message says so in its place. */
  const takeArrived = async ({ work, line, arrived }: Job, key: string): Promise<readonly ArrivedMessage[]> => {
    const { message, turnId, lease } = work.claim;
    const picked = pickFolded(message, await store.listWaiting(message.scope.conversationId));
    if (picked.length === 0) return [];
    const messages = picked.map((turn) => foldedMessage(turn, work.channel, clock.now()));
    const folded = new Set(await store.foldWaiting(lease, turnId, key, messages));
    const taken = picked.filter((turn) => folded.has(turn.turnId));
    line.deliver(taken);
    const heard = taken.map(asArrived);
    arrived.push(...heard);
    return heard;
  };

  const runAgent = async (job: Job): Promise<RunResult> => {
    const { language, labels, journal, delivery, approvals, logger } = job;
    const { claim, held, cancelled } = job.work;
    const { message, turnId, lease, attempts } = claim;
    const texts = textsFor(language);
    const signal = AbortSignal.any([held.signal, cancelled]);
    const overdue = abortLater(signal, { graceMs: CANCEL_GRACE_MS, clock });
    const log = createRunLog(logger);
    const live = createLiveView({ texts, show: delivery.showProgress, intervalMs: liveIntervalMs, clock });
    const startPlaceholder = (): void => delivery.startPlaceholder(texts.placeholder, live.refresh);
    // An answer that is quicker needs no placeholder: one message instead of two calls and a flicker. One that waits is not.
    const delayMs = slots.isFull() ? 0 : placeholderDelayMs;
    const cancelPlaceholder = delayMs === 0 ? startPlaceholder() : clock.after(delayMs, startPlaceholder);
    let releaseSlot: (() => void) | undefined;
    let began = false;
    try {
      releaseSlot = await slots.acquire(countKeys(journal, RUN_BEGAN) - countKeys(journal, RUN_PARKED), signal);
      await store.writeJournal(lease, turnId, { key: `${RUN_BEGAN}${attempts}`, value: labels });
      began = true;
      const run = agent.run({
        turnId,
        scope: message.scope,
        labels,
        question: message.text,
        speaker: message.author.displayName,
        place: message.place,
        canPark: true,
        history: await readHistory(message, labels),
        language,
        journal: {
          read: async () => (await store.readJournal(turnId)).filter(({ key }) => !key.startsWith(OWN)),
          write: (entry) => store.writeJournal(lease, turnId, entry),
        },
        takeArrived: (key) => takeArrived(job, key),
        approve: approvals.ask,
        signal,
        onEvent: (event) => {
          log(event);
          live.onEvent(event);
        },
      });
      const result = await raceAbort(run, overdue.signal);
      return cancelled.aborted ? { ...result, answer: fixedAnswer(texts.cancelled, 'cancelled'), files: [] } : result;
    } catch (error) {
      if (!held.signal.aborted && cancelled.aborted) return withoutRun(fixedAnswer(texts.cancelled, 'cancelled'));
      const rests = hasCode(error, 'run_parked') || hasCode(error, 'approval_pending');
      if (rests) {
        cancelPlaceholder?.();
        live.end();
        await delivery.rest(error.code === 'run_parked' ? texts.parked : texts.approval.waiting);
      }
      const isParked = held.signal.aborted && !hasCode(held.signal.reason, 'lease_lost');
      if (began && (isParked || (error instanceof AppError && error.retryable))) {
        // A run that is parked on purpose, or that a full disk ended, is not one that killed the process.
        await store.writeJournal(lease, turnId, { key: `${RUN_PARKED}${attempts}`, value: true });
      }
      if (hasCode(error, 'approval_pending')) await approvals.post(delivery);
      throw error;
    } finally {
      cancelPlaceholder?.();
      live.end();
      overdue.end();
      releaseSlot?.();
    }
  };

  /** The answer of a turn that is not run, if it is such a one. */
  const answerWithoutRun = ({ message, attempts }: Claim, journal: readonly JournalEntry[], texts: Texts): Answer | undefined => {
    if (message.refusal !== undefined) return fixedAnswer(refusalText(message.refusal, texts), stopReasonOf(message.refusal));
    if (!hasQuestion(message.text)) return fixedAnswer(texts.emptyQuestion, 'empty_question');
    const parked = countKeys(journal, RUN_PARKED);
    if (countKeys(journal, RUN_BEGAN) - parked >= MAX_RUNS || attempts - parked > MAX_CLAIMS)
      return fixedAnswer(texts.failed, 'failed');
    return undefined;
  };

  /** Beside the answer, which stands already. */
  const learnFrom = async ({ turnId, message: { scope, place } }: Claim): Promise<void> => {
    const turn = memory && (await store.readTurn(turnId).catch(() => undefined))?.turn;
    if (turn) await memory?.learn(turn, { scope, place });
  };

  /** Under the answer: what the turn leaves in memory, where a person should know. */
  const withNews = async (turn: Turn, at: InboundMessage, language: Language): Promise<Turn> => {
    const news = (await memory?.announce(turn, at, language)) ?? '';
    return news === '' ? turn : { ...turn, answer: { ...turn.answer, text: `${turn.answer.text}\n\n${news}` } };
  };

  const answerFromMemory = async ({ turnId, message }: Claim, labels: readonly string[], language: Language) => {
    const { scope, place, author, text } = message;
    const isAdmin = access.roleOf(scope.userId) !== 'user';
    const wisher = { scope, place, turnId, speaker: author.displayName, isAdmin, labels };
    const reply = await memory?.command(text, wisher, language);
    return reply && { ...fixedAnswer(reply.text, 'answered'), answered: true, allowedLinks: reply.links ?? [] };
  };

  const handle = async (work: TurnWork, line: WaitingLine, logger: Logger): Promise<TurnOutcome> => {
    const { claim, channel, held } = work;
    const { turnId, message, lease } = claim;
    const language = languageOf(message.text);
    const texts = textsFor(language);
    const { address } = message;
    const delivery = createDelivery({ turnId, address, channel, held, store, clock, logger, random, graceMs });
    const approvals = createTurnApprovals({ claim, store, policy, clock, logger });
    const journal = await store.readJournal(turnId);
    // So that a decision shows at once; what fails is made good at the end.
    const closing = approvals
      .close(delivery, false)
      .catch((error: unknown) => logger.warn('card_not_closed', { error: error as Error }));

    let replacement: ReturnType<Channel['render']> | undefined;
    if (claim.state === 'running') {
      if (claim.cancelled && (await store.readOutbox(turnId)).every(({ state }) => state === 'planned')) {
        await store.dropTurn(lease, turnId);
        return 'dropped';
      }
      const labels = labelsOf(message);
      const fixed = claim.cancelled ? fixedAnswer(texts.cancelled, 'cancelled') : answerWithoutRun(claim, journal, texts);
      const ready = fixed ?? (await answerFromMemory(claim, labels, language));
      if (ready?.stopReason === 'failed') logger.error('turn_given_up', { attempts: claim.attempts });
      const arrived = [...arrivedIn(journal)];
      const job: Job = { work, language, labels, journal, delivery, approvals, line, arrived, logger };
      let result = ready === undefined ? await runAgent(job) : withoutRun(ready);
      const searched = fixed === undefined ? [...labels, ...journaledLabels(journal)] : [];
      if (ready === undefined && !mayBeRead(message, searched, result.answer)) {
        logger.warn('answer_withheld', { reason: 'audience' });
        result = { ...result, answer: fixedAnswer(texts.notAllowed, 'not_allowed'), files: [] };
      }
      held.signal.throwIfAborted();
      const question = withArrived(message.text, message.author.displayName, arrived);
      const record = turnRecord(turnId, message, { result, labels: searched, question, answeredAt: clock.now() });
      const turn = ready === undefined ? await withNews(record, message, language) : record;
      const parts = [...channel.render(turn.answer, turnId, language), ...fileParts(result.files, language)];
      await store.finishTurn(lease, turn, parts, result.files);
    } else {
      const answer = (await store.readTurn(turnId))?.turn?.answer;
      if (answer === undefined) throw new AppError('internal', 'an answered turn has no answer in the store');
      if (!mayBeRead(message, journaledLabels(journal), answer)) {
        logger.warn('answer_withheld', { reason: 'audience' });
        replacement = channel.render(fixedAnswer(texts.notAllowed, 'not_allowed'), turnId, language);
      }
    }
    const outcome = await delivery.deliver(replacement);
    await closing;
    await approvals.close(delivery, true);
    await store.completeTurn(lease, turnId, channel.keepsFiles === true && replacement === undefined);
    void learnFrom(claim);
    return outcome;
  };

  return async (work) => {
    const { channel, held, claim } = work;
    const logger = options.logger.with({ turnId: claim.turnId, channel: channel.name });
    const line = createWaitingLine({ channel, held, store, clock, logger, random, graceMs });
    work.onArrived(line.look);
    line.look();
    try {
      return await handle(work, line, logger);
    } finally {
      await line.end();
    }
  };
};
