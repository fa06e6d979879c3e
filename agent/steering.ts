/**
 * What happens to a message that arrives while its conversation's run is under way, decided here and nowhere else: it waits for
 * its own turn, unless the run's owner hands it in; then it is read before the next step. (A word of stopping never comes so far.)
 */
import type { StepJournal } from './journal.ts';
import { cleanQuestion, hasWords } from './question.ts';
import type { RunInput } from './run.ts';

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
