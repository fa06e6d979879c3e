import type { TicketReading } from '../ticket-reading.ts';

/** What is read. `subject` may be empty. */
export interface TicketText {
  readonly subject: string;
  readonly text: string;
  /** ISO 639-1, where the sender's platform tells it: taken over the guess from the text. */
  readonly language?: string;
}

/** What a category's tickets have to tell. */
export interface RequiredInformation {
  readonly id: string;
  /** What to ask when it is missing, in the team's words. */
  readonly question: string;
}

export interface TicketCategory {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The team that its tickets go to, by its name in the taxonomy; null where a rule or a person decides. */
  readonly team: string | null;
  /** Never answered without a person. */
  readonly sensitive: boolean;
  readonly required: readonly RequiredInformation[];
}

/** A text with the category that a person gave it. */
export interface LabelledExample {
  /** The same id replaces the earlier example: a ticket corrected twice is one example. */
  readonly id: string;
  readonly text: string;
  readonly category: string;
}

/** A reading's category as it is known today. */
export type KnownCategory =
  | { readonly state: 'none' }
  | { readonly state: 'known'; readonly category: TicketCategory }
  /** The taxonomy has changed since: show the id as removed, and read the ticket again. */
  | { readonly state: 'removed'; readonly id: string };

/**
 * Reads tickets within the team's taxonomy. Everything it returns is of the taxonomy, whatever the ticket or a language model says.
 */
export interface TicketReader {
  /** Changes with the taxonomy. */
  readonly taxonomyId: string;
  readonly categories: readonly TicketCategory[];
  readonly teams: readonly string[];
  readonly products: readonly string[];
  /**
   * Never throws but the signal's reason: a part that fails is missing from the reading and a note says so. May be called
   * concurrently; the same ticket may be read again. Long or odd text is read as far as it can be.
   */
  read(ticket: TicketText, signal: AbortSignal): Promise<TicketReading>;
  /**
   * A person's word on a ticket: counts in the next reading at once, and in the trained classifier after the next training. Replaces
   * what was learnt under the same id. Keeps nothing over a restart: the store's corrections are handed in again at the start. An
   * example of a category that the taxonomy does not have teaches nothing.
   */
  learn(examples: readonly LabelledExample[]): Promise<void>;
  /** What the reading's category is today. A reading of an older taxonomy may name one that is gone. */
  categoryOf(reading: TicketReading): KnownCategory;
  /** Ends what runs for it; a reading after it has no category. Callable twice. */
  close(): Promise<void>;
}
