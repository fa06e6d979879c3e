/** When a draft may go out without a person, and how one is written by whoever answers questions. */
import type { Citation } from '../agent/conversation.ts';
import type { TicketReader } from '../agent/ports/ticket-reader.ts';
import type { Ticket } from '../agent/ticket.ts';
import { isSetByPeople } from '../agent/ticket-events.ts';
import type { ReadingNote } from '../agent/ticket-reading.ts';
import type { WriteDraft } from './upkeep.ts';

/** How sure the category must be, 0 to 1; null for never. */
export interface DraftThresholds {
  /** Below it a draft is only shown: a person edits it before it can be sent. */
  readonly suggest: number | null;
  /** From it on a draft is sent without a person. */
  readonly send: number | null;
}

export interface DraftPolicy {
  maySendAlone(ticket: Ticket): boolean;
  isOnlyShown(ticket: Ticket): boolean;
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

/**
 * By category, null for a ticket without one. Nothing is sent alone that is sensitive, unknown or unsure, says too little, is angry, with a
 * person, part of an incident, of an unverified sender, or speaks to software.
 */
export const createDraftPolicy = (
  thresholdsOf: (category: string | null) => DraftThresholds,
  reader: Pick<TicketReader, 'categoryOf'> | undefined,
): DraftPolicy => ({
  maySendAlone: ({ category, reading, handOff, incidentId, fields }) => {
    const { send } = thresholdsOf(category);
    if (send === null || reader === undefined || reading === null || category === null) return false;
    const known = reader.categoryOf(reading);
    return (
      known.state === 'known' &&
      known.category.id === category &&
      !known.category.sensitive &&
      reading.category.confidence >= send &&
      reading.missing.length === 0 &&
      reading.sentiment.value !== 'negative' &&
      handOff === null &&
      incidentId === null &&
      // An answer would go to whoever a mail claims to be from.
      fields['sender'] !== 'unverified' &&
      !reading.notes.some((note) => DOUBTS.has(note))
    );
  },
  isOnlyShown: ({ category, categorySetBy, reading }) => {
    const { suggest } = thresholdsOf(category);
    if (suggest === null) return true;
    const confidence = isSetByPeople(categorySetBy) ? 1 : category === null ? 0 : (reading?.category.confidence ?? 0);
    return confidence < suggest;
  },
});

export interface DraftAnswer {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly answered: boolean;
}

/** How often an answer with a source is right is not known of these documents. */
const CONFIDENCE = 0.5;
/** What is longer is a model that does not come to an end, and no answer. */
const MAX_DRAFT_CHARS = 10_000;

/** `answer` asks the documents that everyone may read. Without a source there is no draft. */
export const createDraftWriter =
  (answer: (ticket: Ticket, text: string, signal: AbortSignal) => Promise<DraftAnswer>): WriteDraft =>
  async (ticket, text, signal) => {
    const question = ticket.subject === '' ? text : `${ticket.subject}\n${text}`;
    const { text: words, citations, answered } = await answer(ticket, question, signal);
    if (!answered || citations.length === 0 || words.length > MAX_DRAFT_CHARS) return undefined;
    return {
      id: `d${ticket.version}`,
      text: words,
      citations,
      confidence: CONFIDENCE,
      language: ticket.reading?.language.value ?? null,
    };
  };
