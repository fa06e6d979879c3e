/**
 * Long-term memory as the loop and the gateway see it. What is remembered carries one audience: those who could read the place
 * where it was said. It is recalled only where everyone who will read the answer belongs to that audience.
 */
import type { Answer, Place, Scope, Turn } from '../conversation.ts';
import type { Language } from '../texts.ts';

/** Where something is said or asked, and by whom. */
export interface MemoryPlace {
  readonly scope: Scope;
  readonly place: Place;
}

/** What an observation is about. `result` is a tool's answer worth keeping. */
export const OBSERVATION_KINDS = ['decision', 'preference', 'fact', 'commitment', 'correction', 'opinion', 'result'] as const;
export type ObservationKind = (typeof OBSERVATION_KINDS)[number];

/** What a retention time can be set for. */
export const RETAINED_KINDS = [...OBSERVATION_KINDS, 'pin', 'summary'] as const;
export type RetainedKind = (typeof RETAINED_KINDS)[number];

/** A fact or a wish that a person locked: it stands in every window where its audience holds, and is never searched for. */
export interface Pin {
  readonly id: string;
  readonly text: string;
  readonly pinnedAt: number;
}

/** One sentence of the rolling summary and the turns it was made from. */
export interface SummarySentence {
  readonly text: string;
  readonly turnIds: readonly string[];
  /** The audience labels under which those turns were answered: the sentence is left out where one is not held. */
  readonly labels: readonly string[];
}

export interface RollingSummary {
  readonly sentences: readonly SummarySentence[];
  /** The latest turn that it covers: the window shows the turns after this one. */
  readonly throughTurnId: string;
}

/** Who or what the conversation is about: `product: Alpha 300`. */
export interface Entity {
  readonly kind: 'person' | 'organisation' | 'product' | 'place' | 'identifier' | 'date';
  readonly name: string;
}

export interface RecalledObservation {
  readonly id: string;
  readonly kind: ObservationKind;
  /** The derived, self-contained form. */
  readonly text: string;
  /** Who said it, as shown then: data, never trusted. */
  readonly speaker: string;
  readonly role: 'user' | 'assistant' | 'tool';
  /** Epoch milliseconds. */
  readonly observedAt: number;
  /** Where it was said, for people: `this conversation`, `slack:C1`, `direct message`. */
  readonly source: string;
  /** 0 to 1, comparable within one recall only. */
  readonly score: number;
}

export interface RecalledMemory {
  /** Oldest first, so that a new one leaves the bytes before it as they were. */
  readonly pins: readonly Pin[];
  readonly summary: RollingSummary | undefined;
  readonly entities: readonly Entity[];
  /** Best first; together within the request's token budget. */
  readonly observations: readonly RecalledObservation[];
}

export const NOTHING_RECALLED: RecalledMemory = { pins: [], summary: undefined, entities: [], observations: [] };

export interface RecallRequest extends MemoryPlace {
  readonly question: string;
  /** The audience labels that everyone who will read the answer holds. */
  readonly labels: readonly string[];
  /** The conversation's earlier turns, oldest first: what stands in the window anyway is not recalled. */
  readonly history: readonly Turn[];
  readonly signal: AbortSignal;
}

/** Who wishes something of memory itself, and who will read the reply. */
export interface Wisher extends MemoryPlace {
  readonly turnId: string;
  /** As shown: data, never trusted. */
  readonly speaker: string;
  /** May change what everyone sees. */
  readonly isAdmin: boolean;
  /** The audience labels that everyone who will read the reply holds. */
  readonly labels: readonly string[];
}

/** The fixed reply to a message that is a wish to memory itself (`memory list`, `forget …`), instead of a run. */
export interface MemoryReply {
  readonly text: string;
  readonly links?: Answer['allowedLinks'];
}

/**
 * `recall` never throws but the signal's reason: a part that fails is logged and missing. `learn` is called once a turn is answered,
 * again after a crash, and keeps the same turn once; it never throws, and what fails is learnt at the next start. `command` answers a wish to memory, or
 * resolves with undefined for anything else; doing the same twice does no harm. It throws `AppError('store_*')`.
 */
export interface Memory {
  recall(request: RecallRequest): Promise<RecalledMemory>;
  learn(turn: Turn, at: MemoryPlace): Promise<void>;
  /** What an answer adds about what the turn leaves in memory: that it was noted, what waits for a yes. Empty for most. Never throws. */
  announce(turn: Turn, at: MemoryPlace, language: Language): Promise<string>;
  command(text: string, by: Wisher, language: Language): Promise<MemoryReply | undefined>;
  close(): Promise<void>;
}
