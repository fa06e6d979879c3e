/** Long-term memory: learns in the background from what was said, and recalls what the readers of an answer may read. */

import type { Turn } from '../agent/conversation.ts';
import { createEmbedding } from '../agent/embedding.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { Logger } from '../agent/ports/logger.ts';
import {
  type Memory,
  type MemoryPlace,
  NOTHING_RECALLED,
  RETAINED_KINDS,
  type RecalledMemory,
  type RecallRequest,
  type RetainedKind,
} from '../agent/ports/memory.ts';
import type { MemoryStore, Reader } from '../agent/ports/memory-store.ts';
import type { VectorIndex } from '../agent/ports/vector-index.ts';
import type { CountTokens } from '../agent/ports/window.ts';
import { type Language, textsFor } from '../agent/texts.ts';
import { createVectorSearch } from '../agent/vector-search.ts';
import { AUDIENCE_RULES, type AudienceRules } from './audience.ts';
import { createCommands } from './commands.ts';
import { entitiesOf } from './entities.ts';
import { createLearn, type Significance } from './learn.ts';
import { createRanking, fitRecalled } from './recall.ts';
import { createSummaryKeeper } from './rolling-summary.ts';
import type { ObservationDraft, TurnText } from './significance.ts';
import { type ExtendSummary, turnsToLeave } from './summary.ts';

export interface MemoryOptions {
  readonly store: MemoryStore;
  /** The conversation's latest turns as a window would be given them, oldest first. */
  readonly readTurns: (conversationId: string) => Promise<readonly Turn[]>;
  /** Without one, search is by words alone. */
  readonly embedder: Embedder | undefined;
  readonly createIndex: (dimensions: number) => Promise<VectorIndex>;
  readonly significance: Significance;
  readonly countTokens: CountTokens;
  /** Tokens of the recalled observations together. */
  readonly recallTokens: number;
  /** Tokens that the turns of a window may cost before some leave it for the summary. */
  readonly roomTokens: number;
  readonly extendSummary: ExtendSummary;
  /** Picks out of a message what is worth remembering, by a language model. Absent: the rules do. */
  readonly extract?: (message: TurnText, signal: AbortSignal) => Promise<readonly ObservationDraft[]>;
  /** How many days each kind is kept; 0 is for ever. */
  readonly retentionDays: Readonly<Record<RetainedKind, number>>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A fresh secret of at least 40 bits, in letters and digits. */
  readonly newCode: () => string;
  /** For tests. */
  readonly rules?: AudienceRules;
}

export interface RunningMemory extends Memory {
  /** Learns what a crash left unlearnt, makes missing vectors, and removes what is kept no longer, now and every day. */
  start(): void;
}

const DAY_MS = 24 * 3_600_000;
const MISSED_TURNS = 200;
/** With more turns to learn from, a model is not waited for: the rules decide. */
const MAX_WAITING = 8;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

export const createMemory = (options: MemoryOptions): RunningMemory => {
  const { store, readTurns, embedder, createIndex, countTokens, recallTokens, roomTokens, clock, logger } = options;
  const { rules = AUDIENCE_RULES, retentionDays } = options;
  const vectors =
    embedder && createVectorSearch({ store, embedder, createIndex, mend: 'none: made anew by itself', clock, logger });
  const embedding = embedder && createEmbedding({ store, embedder, clock, logger });
  const rank = createRanking({ store, vectors, clock });
  const learnFrom = createLearn({ store, rules, significance: options.significance, readTurns });
  const summaries = createSummaryKeeper({ store, readTurns, extend: options.extendSummary, roomTokens, countTokens, logger });
  const closing = new AbortController();
  let stopTimer = (): void => {};
  let filling: Promise<void> | undefined;
  let isFillDue = false;
  /** One turn after the other: each is compared with what is remembered already. */
  let learning: Promise<void> = Promise.resolve();
  let waiting = 0;

  const readerAt = async (at: MemoryPlace, labels: readonly string[]): Promise<Reader> => ({
    audiences: rules.readableAt(at, await store.listAccounts(at.scope.userId)),
    labels,
  });

  const fillOnce = async (): Promise<void> => {
    try {
      await embedding?.rebuild();
      await embedding?.fill({ signal: closing.signal });
    } catch (error) {
      if (!closing.signal.aborted) logger.warn('memory_not_embedded', { error: asError(error) });
    }
  };

  const fillAll = async (): Promise<void> => {
    while (isFillDue && !closing.signal.aborted) {
      isFillDue = false;
      await fillOnce();
    }
    // At once: a wish that comes now would find neither this work nor begin its own.
    filling = undefined;
  };

  /** What changes while vectors are made may have come too late for them: they are looked for once more. */
  const fill = (): Promise<void> => {
    isFillDue = true;
    filling ??= fillAll();
    return filling;
  };

  const learnOne = async (turn: Turn, at: MemoryPlace): Promise<void> => {
    try {
      const { extract } = options;
      const isHurried = extract === undefined || waiting > MAX_WAITING;
      const learnt = await learnFrom(turn, at, isHurried ? undefined : (message) => extract(message, closing.signal));
      if (!(await store.learnTurn(learnt))) return;
      logger.debug('turn_learnt', { turnId: turn.turnId, observations: learnt.observations.length, pins: learnt.pins.length });
      if (learnt.observations.length > 0) void fill();
      await summaries.update(turn.conversationId, closing.signal);
    } catch (error) {
      if (!closing.signal.aborted) logger.warn('turn_not_learnt', { turnId: turn.turnId, error: asError(error) });
    }
  };

  const learn = (turn: Turn, at: MemoryPlace): Promise<void> => {
    waiting += 1;
    learning = learning
      .then(() => (closing.signal.aborted ? undefined : learnOne(turn, at)))
      .finally(() => {
        waiting -= 1;
      });
    return learning;
  };

  const learnMissed = async (): Promise<void> => {
    for (const { turn, at } of await store.listUnlearnt(clock.now() - DAY_MS, MISSED_TURNS)) await learn(turn, at);
  };

  const purge = async (): Promise<void> => {
    for (const kind of RETAINED_KINDS) {
      const days = retentionDays[kind];
      if (days === 0) continue;
      const removed = await store.purge(kind, clock.now() - days * DAY_MS);
      if (removed > 0) logger.info('memory_purged', { kind, removed });
    }
  };

  /** Once a day from now on. */
  const keepHouse = (): void => {
    stopTimer = clock.after(DAY_MS, keepHouse);
    void purge().catch((error: unknown) => logger.warn('memory_not_purged', { error: asError(error) }));
  };

  /** A part that fails is missing, and the others stand. */
  const orElse = async <T>(part: string, work: Promise<T>, otherwise: T, signal: AbortSignal): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      signal.throwIfAborted();
      logger.warn('memory_recall_failed', { part, error: asError(error) });
      return otherwise;
    }
  };

  const recallObservations = async (request: RecallRequest, reader: Reader): Promise<RecalledMemory['observations']> => {
    const { question, history, signal, scope } = request;
    const ranked = await rank({ question, reader, signal });
    const shown = new Set(history.slice(turnsToLeave(history, roomTokens, countTokens).length).map(({ turnId }) => turnId));
    return fitRecalled(ranked, { here: scope.conversationId, shown, budgetTokens: recallTokens, countTokens });
  };

  const recall = async (request: RecallRequest): Promise<RecalledMemory> => {
    const { signal, labels, scope, history } = request;
    signal.throwIfAborted();
    const reader = await orElse('reader', readerAt(request, labels), undefined, signal);
    if (reader === undefined) return NOTHING_RECALLED;
    const [pins, summary, observations] = await Promise.all([
      orElse('pins', store.listPins(reader.audiences), [], signal),
      orElse('summary', summaries.read(scope.conversationId, labels), undefined, signal),
      orElse('observations', recallObservations(request, reader), [], signal),
    ]);
    return {
      pins: pins.filter(({ state }) => state === 'active').map(({ id, text, pinnedAt }) => ({ id, text, pinnedAt })),
      summary,
      entities: entitiesOf(history),
      observations,
    };
  };

  const announce = async (turn: Turn, at: MemoryPlace, language: Language): Promise<string> => {
    const texts = textsFor(language).memory;
    try {
      const { observations, pins } = await learnFrom(turn, at);
      // Under an answer it would only disturb; where the documents say nothing, it is the answer. A model decides later what is kept.
      const isNoted = options.extract === undefined && !turn.answer.answered && observations.some(({ role }) => role === 'user');
      return [
        ...(isNoted ? [texts.noted] : []),
        ...pins.map(({ id, text, state }) => (state === 'active' ? texts.pinned(id, text) : texts.proposed(id, text))),
      ].join('\n');
    } catch (error) {
      logger.warn('memory_not_announced', { turnId: turn.turnId, error: asError(error) });
      return '';
    }
  };

  return {
    recall,
    learn,
    announce,
    command: createCommands({
      store,
      readTurns,
      rules,
      rank,
      significance: options.significance,
      clock,
      newCode: options.newCode,
      fill,
    }),
    start: () => {
      keepHouse();
      void learnMissed()
        .catch((error: unknown) => logger.warn('memory_not_caught_up', { error: asError(error) }))
        .then(fill);
    },
    close: async () => {
      closing.abort();
      stopTimer();
      await learning;
      await filling;
      await vectors?.close();
    },
  };
};
