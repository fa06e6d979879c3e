/** What is remembered, as it is kept: observations with their words and vectors, pins, notes of conversations, linked people. */
import type { Place, Turn } from '../conversation.ts';
import type { JsonObject } from '../json.ts';
import type { MemoryPlace, ObservationKind, RetainedKind } from './memory.ts';
import type { VectorStore } from './vector-store.ts';

export interface ObservationRecord {
  readonly id: string;
  /** Who may read it: one of the audiences of memory/audience.ts, such as `person:slack:U1` or `place:slack:C1`. */
  readonly audience: string;
  readonly kind: ObservationKind;
  /** The derived, self-contained form. */
  readonly text: string;
  /** The words it was derived from. */
  readonly quote: string;
  /** The short turn before, which says what the words answer; may be empty. */
  readonly before: string;
  /** The turn that `before` was said in, or null. */
  readonly beforeTurnId: string | null;
  readonly role: 'user' | 'assistant' | 'tool';
  /** The person whose turn it was made from. */
  readonly authorId: string;
  /** Who said it, as shown then. */
  readonly speaker: string;
  readonly turnId: string;
  readonly conversationId: string;
  readonly place: Place;
  /** The audience labels of the knowledge it was made from: it is shown only where each of them is held. */
  readonly labels: readonly string[];
  /** Epoch milliseconds, as all times here. */
  readonly observedAt: number;
  /** Since when a newer one says otherwise, or null. */
  readonly validUntil: number | null;
  readonly replacedBy: string | null;
  /** 0 to 1. */
  readonly significance: number;
  /** Somebody asked for it to be remembered. */
  readonly explicit: boolean;
}

/** What the indexes hold of one. Words are made by the same function as those of queries. */
export interface ObservationTerms {
  readonly words: string;
  readonly context: string;
  readonly date: string;
  readonly bigrams: string;
  /** What its vector is made of. */
  readonly embedded: string;
}

export interface IndexedObservation extends ObservationRecord {
  readonly terms: ObservationTerms;
}

/** Who will read: what lies outside of it is neither shown nor counted, and takes no place among what is. */
export interface Reader {
  readonly audiences: readonly string[];
  /** The labels that everyone who reads holds. */
  readonly labels: readonly string[];
}

export interface ObservationFilter {
  /** Made from turns of one of these people. Default anyone's. */
  readonly authorIds?: readonly string[];
  /** Also those that a newer one replaced. Default false. */
  readonly withReplaced?: boolean;
  readonly limit: number;
}

export interface PinRecord {
  readonly id: string;
  readonly audience: string;
  readonly text: string;
  /** A proposed one stands in no window until a person says yes. */
  readonly state: 'proposed' | 'active';
  readonly authorId: string;
  readonly turnId: string;
  readonly pinnedAt: number;
}

/** What one turn leaves behind. */
export interface LearntTurn {
  readonly turnId: string;
  readonly observations: readonly IndexedObservation[];
  /** Older ones that it contradicts or repeats. */
  readonly replaced: readonly { readonly id: string; readonly validUntil: number; readonly replacedBy: string }[];
  readonly pins: readonly PinRecord[];
}

/** What is wiped out, in the database file as well. Notes of the conversations concerned go as well, since they may repeat it. */
export interface Oblivion {
  readonly observationIds: readonly string[];
  /** Their question and answer are emptied, in the transcript and in what was sent; pins and answers' observations go with them. */
  readonly turnIds: readonly string[];
  readonly pinIds: readonly string[];
  /** Observations that stood behind an emptied turn: what the indexes hold of them without it. */
  readonly bereft: readonly { readonly id: string; readonly terms: ObservationTerms }[];
}

export interface Forgotten {
  readonly observations: number;
  readonly turns: number;
  readonly pins: number;
  readonly notes: number;
}

/** `unknown`: no such code, or it expired or was used. `same_channel`: one account of each platform, no more. */
export type LinkOutcome = 'linked' | 'unknown' | 'same_channel';

/**
 * Each method is one transaction, durable when it resolves; throws `AppError('store_*')`. A `Reader` filters inside every query,
 * before its limit. Vectors carry the observation's shelf as their label; replaced observations have none.
 */
export interface MemoryStore extends VectorStore {
  /** False, with nothing changed, when the turn was learnt before. */
  learnTurn(learnt: LearntTurn): Promise<boolean>;
  /** Turns answered since then from which nothing was learnt yet, oldest first. */
  listUnlearnt(since: number, limit: number): Promise<readonly { readonly turn: Turn; readonly at: MemoryPlace }[]>;

  /** Best first; the statistics are those of what the reader may read of these roles. Replaced ones are left out. */
  searchWords(
    terms: { readonly words: readonly string[]; readonly bigrams: readonly string[] },
    roles: readonly ObservationRecord['role'][],
    reader: Reader,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly score: number }[]>;
  /** The labels under which a vector index holds what the reader may read. */
  listShelves(reader: Reader): Promise<readonly string[]>;
  /** In the order of the ids; what the reader may not read is left out. */
  readObservations(ids: readonly string[], reader: Reader): Promise<readonly ObservationRecord[]>;
  /** Newest first. */
  listObservations(reader: Reader, filter: ObservationFilter): Promise<readonly ObservationRecord[]>;
  /** Gives it another text, whose vector is made anew. Nothing when it is gone. */
  editObservation(id: string, text: string, terms: ObservationTerms): Promise<void>;
  /** Without what stood before it, which was said for the other audience; `terms` are those without it. */
  moveObservation(id: string, audience: string, terms: ObservationTerms): Promise<void>;

  /** The audiences for which something of these people is kept. */
  listAudiencesOf(authorIds: readonly string[]): Promise<readonly string[]>;
  /** Whoever may read them: to be changed with what they stood behind, and shown to nobody. */
  listBehind(turnIds: readonly string[]): Promise<readonly ObservationRecord[]>;

  forget(what: Oblivion): Promise<Forgotten>;
  /** The people's answered turns, newest first; of one place, or of all. */
  listTurnsOf(userIds: readonly string[], placeId?: string): Promise<readonly Turn[]>;
  /**
   * Removes the kind's observations of before then, pins of before then, or summaries of conversations in which nobody spoke since.
   * Resolves with how many.
   */
  purge(kind: RetainedKind, before: number): Promise<number>;

  putPin(pin: PinRecord): Promise<void>;
  /** Oldest first. */
  listPins(audiences: readonly string[]): Promise<readonly PinRecord[]>;
  activatePin(id: string): Promise<void>;

  /** Small documents about one conversation: `summary`, `entities`. */
  readNote(conversationId: string, name: string): Promise<JsonObject | undefined>;
  putNote(conversationId: string, name: string, value: JsonObject): Promise<void>;
  removeNotes(conversationId: string): Promise<void>;

  /** A later code of the same person replaces an earlier one. `codeHash`: the code itself is kept nowhere. */
  putLinkCode(codeHash: string, userId: string, expiresAt: number): Promise<void>;
  /** Uses the code up and links its person with this one. */
  redeemLinkCode(codeHash: string, userId: string, now: number): Promise<LinkOutcome>;
  /** The person's accounts, this one included. */
  listAccounts(userId: string): Promise<readonly string[]>;
  unlink(userId: string): Promise<void>;
}
