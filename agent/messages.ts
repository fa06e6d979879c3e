/** The history as a model sees it. Converted to a provider's form only in models/. */

export interface ToolCall {
  /** Unique within a run: `call_<n>`. The provider's own id does not leave models/. */
  readonly id: string;
  readonly name: string;
  /** The raw argument text. Parsed strictly before use; stored as canonical JSON of an object. */
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  /** `name` is the speaker in a conversation of several people. */
  | { readonly role: 'user'; readonly content: string; readonly name?: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls: readonly ToolCall[];
      /** The turn's reasoning, for providers that want it back. */
      readonly reasoning?: string;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly content: string };
