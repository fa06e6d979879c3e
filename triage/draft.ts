/** When a draft may go out without a person, and how one is written by whoever answers questions. */
import type { Citation } from '../agent/conversation.ts';
import type { TicketReader } from '../agent/ports/ticket-reader.ts';
import type { Ticket } from '../agent/ticket.ts';
import type { ReadingNote } from '../agent/ticket-reading.ts';
import type { WriteDraft } from './upkeep.ts';

export interface SendingPolicy {
  /** Categories whose drafts may be sent alone. */
  readonly categories: ReadonlySet<string>;
  /** As sure must the category be. */
  readonly minConfidence: number;
}

/** Signs that a reading is not to be trusted with an answer. */
const DOUBTS: ReadonlySet<ReadingNote> = new Set([
  'unreadable',
  'instructions',
  'personal_data',
  'too_few_examples',
  'models_disagree',
  'model_unusable',
]);

/** Never for a category that is sensitive, unknown or unsure, for a ticket that says too little, nor for one that speaks to software. */
export const createSendingPolicy =
  ({ categories, minConfidence }: SendingPolicy, reader: Pick<TicketReader, 'categoryOf'> | undefined) =>
  ({ category, reading, handOff, incidentId }: Ticket): boolean => {
    if (reader === undefined || reading === null || category === null || !categories.has(category)) return false;
    const known = reader.categoryOf(reading);
    return (
      known.state === 'known' &&
      known.category.id === category &&
      !known.category.sensitive &&
      reading.category.confidence >= minConfidence &&
      reading.missing.length === 0 &&
      reading.sentiment.value !== 'negative' &&
      handOff === null &&
      incidentId === null &&
      !reading.notes.some((note) => DOUBTS.has(note))
    );
  };

export interface DraftAnswer {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly answered: boolean;
}

/** How often an answer with a source is right is not known of these documents. */
const CONFIDENCE = 0.5;

/** `answer` asks the documents that everyone may read. Without a source there is no draft. */
export const createDraftWriter =
  (answer: (ticket: Ticket, text: string, signal: AbortSignal) => Promise<DraftAnswer>): WriteDraft =>
  async (ticket, text, signal) => {
    const question = ticket.subject === '' ? text : `${ticket.subject}\n${text}`;
    const { text: words, citations, answered } = await answer(ticket, question, signal);
    if (!answered || citations.length === 0) return undefined;
    return {
      id: `d${ticket.version}`,
      text: words,
      citations,
      confidence: CONFIDENCE,
      language: ticket.reading?.language.value ?? null,
    };
  };
