import type { Usage } from '../conversation.ts';
import type { JsonObject } from '../json.ts';
import type { ChatMessage } from '../messages.ts';

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON schema of an object. */
  readonly parameters: JsonObject;
}

export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  /** Empty when the model must answer now. */
  readonly tools: readonly ToolSpec[];
}

/** A tool call as the model wrote it. `arguments` is raw text that nobody has repaired. */
export interface RawToolCall {
  readonly name: string;
  readonly arguments: string;
  /** Set where the call could not be read at all: what was wrong with its form, told to the model in place of a result. */
  readonly problem?: string;
}

/**
 * `interrupted`: the stream ended without a finish reason. Text of an interrupted, `length` or `content_filter` turn is
 * what had arrived; tools of such a turn never run.
 */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'refusal' | 'interrupted';

export interface ModelTurn {
  readonly text: string;
  readonly toolCalls: readonly RawToolCall[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** What the model thought aloud, where its provider wants it back with the results of the turn's calls. */
  readonly reasoning?: string;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /** Set when a provider other than the configured one answered. */
  readonly fallback?: boolean;
  /** Set by a provider that knows it: false says that the knowledge base does not hold the answer. */
  readonly answered?: boolean;
}

export interface ModelCallOptions {
  readonly signal: AbortSignal;
  /** The text so far has grown by `delta`. Called in order, never after the promise settled. */
  readonly onText?: (delta: string) => void;
  /** The text so far is void: what comes from here on is another model's turn. Under the same rules. */
  readonly onReset?: () => void;
}

/**
 * One way to ask a model. `ask` may be called concurrently. It throws `AppError` with a `model_*` code, or the signal's
 * reason when aborted; it never retries: retrying is the loop's.
 */
export interface ModelProvider {
  /** `extractive`, `openai:gpt-…`. Shown in logs and answers. */
  readonly id: string;
  ask(request: ModelRequest, options: ModelCallOptions): Promise<ModelTurn>;
}
