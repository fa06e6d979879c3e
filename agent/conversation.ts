/**
 * The words for where a question came from, who asked it and what was answered. Plain readonly data that every layer
 * shares; it can be stored as JSON without loss.
 */

export const CHANNEL_NAMES = ['slack', 'discord', 'web', 'terminal'] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

/** Who asks, and where. Every read and every write carries one. */
export interface Scope {
  /** The workspace, server or installation: `slack:T1`, `discord:G1`, `local`. */
  readonly tenantId: string;
  readonly channel: ChannelName;
  /** A thread, a direct message or a web thread, unique over all channels: `slack:T1:C1:1700.1`. */
  readonly conversationId: string;
  /** The person's platform id with its channel: `slack:U1`, `discord:42`, `web:ab12`, `terminal:local`. */
  readonly userId: string;
}

/** Where an answer will be seen. `id` is what the configuration lists: `slack:C1`, `discord:123`, `web`, `terminal`. */
export interface Place {
  /** `direct`: the asker alone reads it. `channel`: whoever may read the channel. `local`: the owner of this machine. */
  readonly kind: 'direct' | 'channel' | 'local';
  readonly id: string;
  /** Set where fewer read the conversation than the channel with this id. */
  readonly isPrivateThread?: true;
}

export interface Author {
  readonly id: string;
  /** Data from outside: shown, never trusted. */
  readonly displayName: string;
  readonly kind: 'person' | 'guest' | 'external' | 'bot';
}

/** What the channel needs to answer in the same thread. Opaque to everyone but the channel that made it. */
export type ReplyAddress = Readonly<Record<string, string>>;

/** How a question reached the assistant. */
export type Trigger = 'mention' | 'follow_up' | 'direct' | 'command' | 'typed';

/** Why a question is answered by a fixed text. Decided when it is accepted, so that a restart does not decide anew. */
export type Refusal =
  | { readonly reason: 'not_allowed' | 'members_only' }
  | { readonly reason: 'rate_limited'; readonly waitSeconds: number; readonly questionsPerMinute: number }
  /** The stored text is cut; `length` is what was sent, in characters. */
  | { readonly reason: 'too_long'; readonly length: number; readonly limit: number };

/** One question as a channel hands it to the gateway, which writes it to the inbox. */
export interface InboundMessage {
  /** Unique for one message of a platform whichever events announce it, prefixed with the channel: `slack:T1:C1:1700.1`. */
  readonly deliveryId: string;
  readonly scope: Scope;
  readonly author: Author;
  readonly place: Place;
  readonly trigger: Trigger;
  /** Plain text: the assistant's own mention removed, entities decoded, other mentions as `@name`. May be empty. */
  readonly text: string;
  /** The platform's id of the message that was written, to match a later edit or deletion. */
  readonly sourceMessageId: string | null;
  readonly address: ReplyAddress;
  /** Milliseconds since the epoch, by the injected clock. */
  readonly receivedAt: number;
  /** Set by the gateway alone. */
  readonly refusal?: Refusal;
}

/** A passage of the knowledge base as a search returned it. */
export interface Passage {
  readonly chunkId: string;
  readonly documentId: string;
  readonly title: string;
  /** From the outermost heading to the one the text stands under. */
  readonly headingPath: readonly string[];
  /** Where a person finds it: a path relative to its folder, or an address. */
  readonly source: string;
  /** `page 3`, `row 12`, or empty. */
  readonly location: string;
  readonly text: string;
  /** ISO date of the document's last change, or null when unknown. */
  readonly date: string | null;
  /** The audience label that whoever reads it must hold. */
  readonly label: string;
  /** 0 to 1, comparable within one search only. */
  readonly score: number;
}

/** A passage with the number under which this run cites it. */
export interface Evidence extends Passage {
  readonly n: number;
}

export interface Citation {
  readonly n: number;
  readonly title: string;
  readonly source: string;
  /** Occurs word for word in the passage. */
  readonly quote: string;
  readonly chunkId: string;
  readonly headingPath: readonly string[];
  readonly location: string;
  readonly date: string | null;
  /** The passage's audience label: checked once more before the answer is posted. */
  readonly label?: string;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Why a run ended. Each of them comes with a non-empty answer. */
export type StopReason =
  | 'answered'
  | 'not_known'
  | 'empty_question'
  | 'question_too_long'
  | 'step_limit'
  | 'time_limit'
  | 'budget_limit'
  | 'cancelled'
  | 'model_unavailable'
  | 'model_refused'
  | 'rate_limited'
  | 'not_allowed'
  /** The message added to a question under way, whose answer takes it in. */
  | 'folded_in'
  | 'failed';

/** What a run ends with. `text` is Markdown with `[n]` markers that point into `citations`; never empty. */
export interface Answer {
  readonly text: string;
  readonly citations: readonly Citation[];
  /** False when the assistant says that it does not know. */
  readonly answered: boolean;
  readonly stopReason: StopReason;
  /** Links that may stand in the text: those of retrieved, permitted passages and of the asker's own message. */
  readonly allowedLinks: readonly string[];
  /** Set where a fallback model wrote the answer because the configured one was down. */
  readonly fallback: boolean;
}

/** One turn of a conversation's transcript: a question with everything up to its answer. */
export interface Turn {
  readonly turnId: string;
  readonly conversationId: string;
  readonly userId: string;
  /** The asker's display name when it was asked: data, never instructions. */
  readonly speaker: string;
  readonly question: string;
  readonly answer: Answer;
  /** The audience labels under which the answer was searched for; absent in turns of earlier versions. */
  readonly labels?: readonly string[];
  readonly steps: number;
  readonly tools: readonly string[];
  readonly usage: Usage;
  readonly model: string;
  readonly askedAt: number;
  readonly answeredAt: number;
}
