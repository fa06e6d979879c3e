/** What the scripted model says, and everything that can go wrong on the wire while it says it. */

export interface ScriptedCall {
  readonly name: string;
  /** Raw text, valid or not. */
  readonly arguments: string;
  /** A fresh id when left out. */
  readonly id?: string;
}

/** `afterChunks` counts the events sent before the fault strikes. */
export type WireFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly error?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'cut'; readonly afterChunks: number }
  | { readonly kind: 'end_early'; readonly afterChunks: number }
  | { readonly kind: 'stall'; readonly afterChunks: number }
  | { readonly kind: 'half_line'; readonly afterChunks: number }
  | { readonly kind: 'error_event'; readonly afterChunks: number; readonly error: unknown }
  | { readonly kind: 'huge_line'; readonly bytes: number }
  | { readonly kind: 'no_answer' }
  | { readonly kind: 'html' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'done_only' }
  /** All calls under index 0. */
  | { readonly kind: 'same_index' }
  | { readonly kind: 'no_index' }
  | { readonly kind: 'repeated_name' }
  /** One completion object though a stream was asked for. */
  | { readonly kind: 'whole' }
  /** Content as an array of parts. */
  | { readonly kind: 'content_parts' };

export interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly refusal?: string;
  /** Sent as `reasoning_content`, before everything else. */
  readonly reasoning?: string;
  /** By default `tool_calls` with calls and `stop` without. */
  readonly finishReason?: string;
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly fault?: WireFault;
  /** Before the first byte. */
  readonly delayMs?: number;
  /** The same in every reply, where a server does that. */
  readonly responseId?: string;
}

export interface WireReply {
  readonly id: string;
  readonly model: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly finishReason: string;
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number };
}

const slices = (text: string): string[] => text.match(/[\s\S]{1,8}/gu) ?? [];

/** The reply as one completion object. */
export const toWire = (reply: ScriptedReply, model: string, newId: () => string): WireReply => {
  const calls = (reply.calls ?? []).map((call) => ({
    id: call.id ?? `call_${newId()}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  const usage = reply.usage ?? { prompt_tokens: 100, completion_tokens: 20 };
  return {
    id: reply.responseId ?? `chatcmpl-${newId()}`,
    model,
    message: {
      role: 'assistant',
      content: reply.text ?? null,
      refusal: reply.refusal ?? null,
      ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    finishReason: reply.finishReason ?? (calls.length === 0 ? 'stop' : 'tool_calls'),
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
};

type Delta = Readonly<Record<string, unknown>>;

const callDeltas = (calls: readonly unknown[], fault: WireFault | undefined): Delta[] =>
  (calls as { id: string; function: { name: string; arguments: string } }[]).flatMap((call, position) => {
    const index = fault?.kind === 'no_index' ? {} : { index: fault?.kind === 'same_index' ? 0 : position };
    const name = fault?.kind === 'repeated_name' ? { name: call.function.name } : {};
    return [
      { tool_calls: [{ ...index, id: call.id, type: 'function', function: { name: call.function.name, arguments: '' } }] },
      ...slices(call.function.arguments).map((part) => ({ tool_calls: [{ ...index, function: { ...name, arguments: part } }] })),
    ];
  });

/** The events of a streamed reply, without the final `[DONE]`. */
export const toChunks = (wire: WireReply, fault: WireFault | undefined, withUsage: boolean): unknown[] => {
  const base = { id: wire.id, object: 'chat.completion.chunk', created: 1, model: wire.model };
  const { content, refusal, reasoning_content: reasoning, tool_calls: calls } = wire.message;
  const asContent = (part: string): Delta => ({
    content: fault?.kind === 'content_parts' ? [{ type: 'text', text: part }] : part,
  });
  const deltas: Delta[] = [
    { role: 'assistant', content: content === null ? null : '' },
    ...slices(typeof reasoning === 'string' ? reasoning : '').map((part) => ({ reasoning_content: part })),
    ...slices(typeof content === 'string' ? content : '').map(asContent),
    ...slices(typeof refusal === 'string' ? refusal : '').map((part) => ({ refusal: part })),
    ...callDeltas(Array.isArray(calls) ? calls : [], fault),
  ];
  const chunks: unknown[] = deltas.map((delta) => ({ ...base, choices: [{ index: 0, delta, finish_reason: null }] }));
  chunks.push({ ...base, choices: [{ index: 0, delta: {}, finish_reason: wire.finishReason }] });
  if (withUsage) chunks.push({ ...base, choices: [], usage: wire.usage });
  return chunks;
};
