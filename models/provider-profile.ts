/** Where endpoints that call themselves compatible want different things. Every setting has a default that most accept. */
export interface ProviderProfile {
  /** What stands for the text of a turn that only called tools: some refuse null, some the empty string, some either. */
  readonly emptyContent: 'json_null' | 'empty' | 'omit';
  /** Sends a turn's reasoning back with the results of its calls: models that think between calls refuse to go on without it. */
  readonly echoReasoning: boolean;
}

export const DEFAULT_PROFILE: ProviderProfile = { emptyContent: 'json_null', echoReasoning: true };
