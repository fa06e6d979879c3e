/**
 * Messages that arrive while a run is under way and that its owner hands to it: read before the next step, and kept in its journal
 * and in the transcript. Which they are is the owner's to decide.
 */
import { ARRIVED, readArrived, type StepJournal } from './journal.ts';
import type { JournalEntry } from './ports/store.ts';
import { cleanQuestion, hasWords } from './question.ts';
import type { ArrivedMessage, RunInput } from './run.ts';

const cleaned = (messages: readonly ArrivedMessage[]): readonly ArrivedMessage[] =>
  messages.map(({ speaker, text }) => ({ speaker, text: cleanQuestion(text) })).filter(({ text }) => hasWords(text));

/**
 * The messages to fold in before this step. They are in the journal before they are used, so a resumed run reads the same at the same
 * place; a step whose model turn is in the journal as well has been taken without any others.
 */
export const takeArrived = async (
  input: Pick<RunInput, 'takeArrived'>,
  journal: StepJournal,
  step: number,
): Promise<readonly ArrivedMessage[]> => {
  const kept = journal.findArrived(step);
  if (kept !== undefined) return cleaned(kept);
  if (input.takeArrived === undefined || journal.findModel(step) !== undefined) return [];
  return cleaned(await input.takeArrived(`${ARRIVED}:${step}`));
};

/** What was folded into a run by the entries of its journal, whatever the run ended with. */
export const arrivedIn = (entries: readonly JournalEntry[]): readonly ArrivedMessage[] =>
  cleaned(entries.flatMap((entry) => readArrived(entry) ?? []));

/** The question with what was folded in below it: what a transcript keeps of the turn. */
export const withArrived = (question: string, asker: string, arrived: readonly ArrivedMessage[]): string =>
  [question, ...arrived.map(({ speaker, text }) => (speaker === asker ? text : `${speaker}: ${text}`))].join('\n\n');
