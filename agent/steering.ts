/**
 * What happens to a message that arrives while its conversation's run is under way, decided here and nowhere else: a word of
 * stopping stops it; anything else waits for its own turn, unless the run's owner hands it in to be folded in.
 */

import type { StepJournal } from './journal.ts';
import { cleanQuestion, hasWords } from './question.ts';
import type { RunInput } from './run.ts';

export type Arrival = 'stop' | 'fold' | 'queue';

const STOP_WORDS = new Set(['stop', 'cancel', 'abort', '停', '停止', '取消']);

/** `foldIn`: the owner can give a run more to read. */
export const decideArrival = (text: string, foldIn = false): Arrival => {
  const bare = cleanQuestion(text)
    .toLowerCase()
    .replaceAll(/[\p{P}\s]+/gu, '');
  if (STOP_WORDS.has(bare)) return 'stop';
  return foldIn ? 'fold' : 'queue';
};

/** The texts to fold in before this step, journaled before they are used: a resumed run reads the same at the same place. */
export const takeArrived = async (
  input: Pick<RunInput, 'takeArrived'>,
  journal: StepJournal,
  step: number,
): Promise<readonly string[]> => {
  const kept = journal.findArrived(step);
  if (kept !== undefined || input.takeArrived === undefined) return kept ?? [];
  const texts = input.takeArrived().map(cleanQuestion).filter(hasWords);
  if (texts.length > 0) await journal.putArrived(step, texts);
  return texts;
};
