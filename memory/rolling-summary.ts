/** Keeps each conversation's summary in step with what left its window, and shows of it what the readers may read. */
import { z } from 'zod';
import type { Turn } from '../agent/conversation.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { RollingSummary } from '../agent/ports/memory.ts';
import type { MemoryStore } from '../agent/ports/memory-store.ts';
import type { CountTokens } from '../agent/ports/window.ts';
import { type ExtendSummary, turnsToLeave } from './summary.ts';

export interface SummaryKeeper {
  /** The sentences all of whose labels are held; undefined where there is none. */
  read(conversationId: string, labels: readonly string[]): Promise<RollingSummary | undefined>;
  /**
   * After a turn: takes in what has to leave the window. One at a time for a conversation. Never throws: a failure is logged, the
   * earlier summary and the turns stay, and the next turn tries again.
   */
  update(conversationId: string, signal: AbortSignal): Promise<void>;
}

export interface SummaryKeeperOptions {
  readonly store: Pick<MemoryStore, 'readNote' | 'putNote'>;
  /** The conversation's latest turns as a window would be given them, oldest first. */
  readonly readTurns: (conversationId: string) => Promise<readonly Turn[]>;
  readonly extend: ExtendSummary;
  /** Tokens that the turns of a window may cost before some leave. */
  readonly roomTokens: number;
  readonly countTokens: CountTokens;
  readonly logger: Logger;
}

const NOTE = 'summary';

const stored = z.object({
  throughTurnId: z.string(),
  sentences: z.array(z.object({ text: z.string(), turnIds: z.array(z.string()), labels: z.array(z.string()) })),
});

export const createSummaryKeeper = (options: SummaryKeeperOptions): SummaryKeeper => {
  const { store, readTurns, extend, roomTokens, countTokens, logger } = options;
  const underWay = new Map<string, Promise<void>>();

  const readAll = async (conversationId: string): Promise<RollingSummary | undefined> =>
    stored.safeParse(await store.readNote(conversationId, NOTE)).data;

  /** The turns with which a summary was made must still be there when it is kept: some may have been forgotten meanwhile. */
  const stillStand = async (conversationId: string, turns: readonly Turn[]): Promise<boolean> => {
    const now = new Map((await readTurns(conversationId)).map((turn) => [turn.turnId, turn.question]));
    return turns.every(({ turnId, question }) => now.get(turnId) === question);
  };

  const bringUp = async (conversationId: string, signal: AbortSignal): Promise<void> => {
    const previous = await readAll(conversationId);
    const turns = await readTurns(conversationId);
    const after = turns.slice(turns.findLastIndex(({ turnId }) => turnId === previous?.throughTurnId) + 1);
    const leaving = turnsToLeave(after, roomTokens, countTokens);
    if (leaving.length === 0) return;
    const next = await extend(previous, leaving, signal);
    if (next === undefined || !(await stillStand(conversationId, leaving))) return;
    const unchanged = (await readAll(conversationId))?.throughTurnId === previous?.throughTurnId;
    if (unchanged) await store.putNote(conversationId, NOTE, JSON.parse(JSON.stringify(next)));
  };

  return {
    read: async (conversationId, labels) => {
      const summary = await readAll(conversationId);
      if (summary === undefined) return undefined;
      return {
        ...summary,
        sentences: summary.sentences.filter((sentence) => sentence.labels.every((label) => labels.includes(label))),
      };
    },
    update: (conversationId, signal) => {
      const before = underWay.get(conversationId) ?? Promise.resolve();
      const update = before
        .then(() => bringUp(conversationId, signal))
        .catch((error: unknown) => {
          if (!signal.aborted)
            logger.warn('summary_failed', { conversationId, error: error instanceof Error ? error : new Error(String(error)) });
        })
        .finally(() => {
          if (underWay.get(conversationId) === update) underWay.delete(conversationId);
        });
      underWay.set(conversationId, update);
      return update;
    },
  };
};
