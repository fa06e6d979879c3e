/**
 * What happens to a message that arrives while its conversation's run is under way, decided here and nowhere else: it is folded
 * into the run before the next step where that can still act on it, and else waits for its own turn. (A word of stopping never
 * comes so far.)
 */
import type { InboundMessage } from './conversation.ts';
import { ARRIVED, readArrived, type StepJournal } from './journal.ts';
import type { JournalEntry } from './ports/store.ts';
import { cleanQuestion, hasWords } from './question.ts';
import type { ArrivedMessage, RunInput } from './run.ts';

/**
 * Whether a waiting message belongs to the run of `asked`. Another person's does not: what they may read and may spend is their own.
 * Nor does a command, which is answered where it was given, nor what is refused or holds no words: these have answers of their own.
 */
export const isFoldedIn = (asked: InboundMessage, arrived: InboundMessage): boolean =>
  arrived.scope.conversationId === asked.scope.conversationId &&
  arrived.scope.userId === asked.scope.userId &&
  arrived.trigger !== 'command' &&
  arrived.refusal === undefined &&
  hasWords(cleanQuestion(arrived.text));

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
