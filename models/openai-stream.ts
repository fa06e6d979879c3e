/**
 * Chunks of a chat completion stream put together into one turn. Nothing is repaired: arguments stay the raw text that came,
 * and a stream without a finish reason is `interrupted`.
 */
import type { FinishReason, ModelTurn, RawToolCall } from '../agent/ports/model-provider.ts';

/** What of a chunk is read. Compatible servers leave fields out, repeat them or send null; so nothing is taken for granted. */
export interface StreamChunk {
  readonly model?: string | null;
  readonly choices?: readonly StreamChoice[] | null;
  readonly usage?: { readonly prompt_tokens?: number | null; readonly completion_tokens?: number | null } | null;
}

interface StreamChoice {
  readonly delta?: StreamDelta | null;
  readonly finish_reason?: string | null;
}

interface StreamDelta {
  readonly content?: unknown;
  readonly refusal?: string | null;
  /** What the model thinks aloud; endpoints name it one way or the other. */
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: readonly ToolCallDelta[] | null;
}

interface ToolCallDelta {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
}

interface Slot {
  readonly id: string;
  name: string;
  arguments: string;
}

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content_filter'],
]);

const isWholeObject = (text: string): boolean => {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Some servers send content as parts, and arguments as an object. */
const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => textOf((part as { text?: unknown } | null)?.text)).join('');
};

const argumentsOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

export interface TurnBuilder {
  /** Takes one chunk in; returns the text it added. */
  add(chunk: StreamChunk): string;
  /** False when no chunk with a choice came at all. */
  readonly hasChoices: boolean;
  build(fallbackModel: string): ModelTurn;
}

export const createTurnBuilder = (): TurnBuilder => {
  const slots: Slot[] = [];
  const byIndex = new Map<number, Slot>();
  let text = '';
  let refusal = '';
  let reasoning = '';
  let finish: string | undefined;
  let model: string | undefined;
  let hasChoices = false;
  let usage = { inputTokens: 0, outputTokens: 0 };

  const open = (id: string, index: number | undefined): Slot => {
    const slot = { id, name: '', arguments: '' };
    slots.push(slot);
    if (index !== undefined) byIndex.set(index, slot);
    return slot;
  };

  /** The call that a delta goes on with. An index alone is not enough: servers give two calls one index, or none at all. */
  const slotOf = (id: string, index: number | undefined, name: string, args: string): Slot => {
    const current = index === undefined ? slots.at(-1) : byIndex.get(index);
    if (current === undefined) return open(id, index);
    if (id !== '' && current.id !== '' && id !== current.id) {
      const known = index === undefined ? slots.find((slot) => slot.id === id) : undefined;
      return known ?? open(id, index);
    }
    // Without an id, a name and arguments behind a whole call begin another one.
    if (id === '' && name !== '' && args !== '' && isWholeObject(current.arguments)) return open(id, index);
    return current;
  };

  const addCall = (delta: ToolCallDelta): void => {
    const name = delta.function?.name ?? '';
    const args = argumentsOf(delta.function?.arguments);
    const slot = slotOf(delta.id ?? '', delta.index ?? undefined, name, args);
    // Servers repeat the whole name with each delta.
    if (slot.name === '') slot.name = name;
    slot.arguments += args;
  };

  const finishReason = (): FinishReason => {
    if (refusal !== '') return 'refusal';
    if (finish === undefined) return 'interrupted';
    return FINISH_REASONS.get(finish) ?? 'stop';
  };

  return {
    get hasChoices() {
      return hasChoices;
    },
    add: (chunk) => {
      if (typeof chunk.model === 'string' && chunk.model !== '') model = chunk.model;
      if (chunk.usage) {
        usage = { inputTokens: chunk.usage.prompt_tokens ?? 0, outputTokens: chunk.usage.completion_tokens ?? 0 };
      }
      const choice = chunk.choices?.[0];
      if (choice === undefined) return '';
      hasChoices = true;
      if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') finish = choice.finish_reason;
      const { delta } = choice;
      if (!delta) return '';
      if (typeof delta.refusal === 'string') refusal += delta.refusal;
      const thought = delta.reasoning_content ?? delta.reasoning;
      if (typeof thought === 'string') reasoning += thought;
      for (const call of delta.tool_calls ?? []) addCall(call);
      const added = textOf(delta.content);
      text += added;
      return added;
    },
    build: (fallbackModel) => ({
      text: refusal === '' ? text : refusal,
      toolCalls: slots.map((slot): RawToolCall => ({ name: slot.name, arguments: slot.arguments })),
      finishReason: finishReason(),
      usage,
      ...(reasoning !== '' && slots.length > 0 ? { reasoning: reasoning.toWellFormed() } : {}),
      model: model ?? fallbackModel,
    }),
  };
};
