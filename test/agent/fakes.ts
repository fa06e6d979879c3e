import type { Passage } from '../../agent/conversation.ts';
import type { AgentEvent } from '../../agent/events.ts';
import type { JsonValue } from '../../agent/json.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { ModelCallOptions, ModelProvider, ModelRequest, ModelTurn } from '../../agent/ports/model-provider.ts';
import type { JournalEntry } from '../../agent/ports/store.ts';
import type { RunInput, RunJournal } from '../../agent/run.ts';

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
};

export const turnOf = (parts: Partial<ModelTurn>): ModelTurn => ({
  text: '',
  toolCalls: [],
  finishReason: (parts.toolCalls?.length ?? 0) > 0 ? 'tool_calls' : 'stop',
  usage: { inputTokens: 10, outputTokens: 2 },
  model: 'fake-model',
  ...parts,
});

export const callTurn = (name: string, args: unknown, text = ''): ModelTurn =>
  turnOf({ text, toolCalls: [{ name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }] });

export type ScriptedTurn = ModelTurn | Error | ((request: ModelRequest, options: ModelCallOptions) => Promise<ModelTurn>);

export interface ScriptedModel extends ModelProvider {
  readonly requests: ModelRequest[];
}

/** Says what the script says, in order; the last entry again and again. Text is streamed word by word. */
export const createScriptedModel = (...script: readonly ScriptedTurn[]): ScriptedModel => {
  const requests: ModelRequest[] = [];
  return {
    id: 'fake:model',
    requests,
    ask: async (request, options) => {
      const next = script[Math.min(requests.length, script.length - 1)] as ScriptedTurn;
      requests.push({ messages: [...request.messages], tools: request.tools });
      if (typeof next === 'function') return next(request, options);
      if (next instanceof Error) throw next;
      for (const part of next.text.match(/\S+\s*/gu) ?? []) options.onText?.(part);
      return next;
    },
  };
};

export const createMemoryJournal = (entries: readonly JournalEntry[] = []): RunJournal & { readonly entries: JournalEntry[] } => {
  const kept = [...entries];
  return {
    entries: kept,
    read: async () => kept.map((entry) => structuredClone(entry)),
    write: async (entry) => void kept.push({ key: entry.key, value: JSON.parse(JSON.stringify(entry.value)) as JsonValue }),
  };
};

export const passageOf = (chunkId: string, text: string, parts: Partial<Passage> = {}): Passage => ({
  chunkId,
  documentId: `doc-${chunkId}`,
  title: `Title ${chunkId}`,
  headingPath: ['Guide'],
  source: `${chunkId}.md`,
  location: '',
  text,
  date: null,
  label: 'everyone',
  score: 1,
  ...parts,
});

export const runInput = (parts: Partial<RunInput> = {}): RunInput & { readonly events: AgentEvent[] } => {
  const events: AgentEvent[] = [];
  return {
    turnId: 'turn-1',
    scope: { tenantId: 'local', channel: 'terminal', conversationId: 'terminal:local:1', userId: 'terminal:local' },
    labels: ['everyone'],
    question: 'How long is the warranty?',
    speaker: 'Ada',
    history: [],
    language: 'en',
    journal: createMemoryJournal(),
    signal: new AbortController().signal,
    onEvent: (event) => void events.push(event),
    events,
    ...parts,
  };
};
