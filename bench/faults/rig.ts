/**
 * What a fault is shown on: the scripted server, the product's own provider and loop on a clock that waits for nobody, and small tools that
 * write down when they run. Every question asked here must end with words, and no request may be refused by the linter.
 */
import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Budgets } from '../../agent/budget.ts';
import type { Answer, Turn } from '../../agent/conversation.ts';
import type { AgentEvent } from '../../agent/events.ts';
import type { JsonValue } from '../../agent/json.ts';
import { DEFAULT_LIMITS, type RunLimits } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { ModelProvider } from '../../agent/ports/model-provider.ts';
import type { JournalEntry } from '../../agent/ports/store.ts';
import type { Tool, ToolContext } from '../../agent/ports/tool.ts';
import type { RunInput, RunJournal, RunResult } from '../../agent/run.ts';
import { estimateTokens } from '../../memory/tokens.ts';
import { fitWindow } from '../../memory/window.ts';
import { createOpenAIProvider, DEFAULT_OPENAI_LIMITS } from '../../models/openai.ts';
import { DEFAULT_PROFILE, type ProviderProfile } from '../../models/provider-profile.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { createModelSimulator, type ModelSimulator } from '../../simulator/model.ts';
import type { ScriptedCall, ScriptedReply } from '../../simulator/model-script.ts';
import { createIdleClock } from './idle-clock.ts';

/** The longest that a case may take, on the rig's clock. */
const CASE_LIMIT_MS = 600_000;

/** A message of a request, as it stood on the wire. */
export interface WireMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly reasoning_content?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export interface WireRequest {
  readonly at: number;
  readonly bytes: number;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly unknown[];
}

export interface AskOptions {
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<RunLimits>;
  readonly windowTokens?: number;
  readonly model?: ModelProvider;
  readonly budgets?: Budgets;
  readonly input?: Partial<RunInput>;
}

export interface Asked {
  readonly answer: Answer;
  readonly result: RunResult;
  readonly events: readonly AgentEvent[];
  /** Of this question alone. */
  readonly requests: readonly WireRequest[];
  /** What the tools ran with, in order. */
  readonly ran: readonly string[];
  readonly tookMs: number;
}

export interface Rig {
  readonly clock: Clock;
  readonly simulator: ModelSimulator;
  readonly provider: ModelProvider;
  /** The same for a server that wants something else. */
  providerWith(profile: Partial<ProviderProfile>): ModelProvider;
  readonly ran: string[];
  /** A read with one text argument; what it returns or throws is the case's. */
  tool(name: string, run?: (x: string, context: ToolContext) => unknown, parts?: Partial<Tool>): Tool;
  /** A read without arguments. */
  plainTool(name: string): Tool;
  requests(): readonly WireRequest[];
  ask(replies: readonly ScriptedReply[], options?: AskOptions): Promise<Asked>;
}

/** One fault: resolves when the outcome is right, rejects with what came instead. */
export interface FaultCase {
  readonly id: string;
  readonly what: string;
  run(rig: Rig): Promise<void>;
}

export const DONE: ScriptedReply = { text: 'Done.' };
export const call = (name: string, args: unknown, id?: string): ScriptedCall => ({
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
  ...(id === undefined ? {} : { id }),
});
export const calls = (...list: readonly ScriptedCall[]): ScriptedReply => ({ calls: list });
export const note = (x: string, id?: string): ScriptedReply => calls(call('note', { x }, id));

/** The texts of the tool results in a request, in order. */
export const resultsIn = (request: WireRequest | undefined): readonly string[] =>
  (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content));

/** The envelope of a failed call, read back as a model would. */
export const failureIn = (request: WireRequest | undefined, index = 0): Readonly<Record<string, unknown>> => {
  const text = resultsIn(request)[index];
  assert.ok(text !== undefined, 'a tool result was expected in the request');
  const value = JSON.parse(text) as Readonly<Record<string, unknown>>;
  assert.equal(value['ok'], false, `a failure was expected, the model read ${text.slice(0, 200)}`);
  return value;
};

/** A stored turn of the conversation. */
export const pastTurn = (n: number, question: string, text: string): Turn => ({
  turnId: `past-${n}`,
  conversationId: 'terminal:local:1',
  userId: 'terminal:local',
  speaker: 'Local',
  question,
  answer: { text, citations: [], answered: true, stopReason: 'answered', allowedLinks: [], fallback: false },
  steps: 1,
  tools: [],
  usage: { inputTokens: 10, outputTokens: 2 },
  model: 'm',
  askedAt: n,
  answeredAt: n,
});

export const createMemoryJournal = (): RunJournal & { readonly entries: JournalEntry[] } => {
  const entries: JournalEntry[] = [];
  return {
    entries,
    read: async () => structuredClone(entries),
    write: async ({ key, value }) => void entries.push({ key, value: JSON.parse(JSON.stringify(value)) as JsonValue }),
  };
};

const withTimeLimit = async <Value>(clock: Clock, work: Promise<Value>): Promise<Value> => {
  const done = new AbortController();
  const late = clock.sleep(CASE_LIMIT_MS, done.signal).then(
    () => assert.fail(`the run did not end within ${CASE_LIMIT_MS / 1000} s`),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
};

export const createRig = async (): Promise<Rig & { close(): Promise<void> }> => {
  const clock = createIdleClock();
  const simulator = await createModelSimulator({ clock });
  const ran: string[] = [];
  const providerWith: Rig['providerWith'] = (profile) =>
    createOpenAIProvider({
      baseUrl: simulator.url,
      apiKey: '',
      model: 'm',
      limits: DEFAULT_OPENAI_LIMITS,
      profile: { ...DEFAULT_PROFILE, ...profile },
      clock,
      logger: silentLogger,
    });
  const provider = providerWith({});

  const tool: Rig['tool'] = (name, run = (x) => `noted ${x}`, parts = {}) => ({
    name,
    description: `Use ${name} for what it is named after.`,
    parameters: z.object({ x: z.string() }) as unknown as Tool['parameters'],
    effect: 'read',
    timeoutMs: 5_000,
    run: async (args, context) => {
      const { x } = args as { readonly x: string };
      ran.push(`${name} ${x}`);
      return (await run(x, context)) as JsonValue;
    },
    ...parts,
  });
  const plainTool: Rig['plainTool'] = (name) => ({
    name,
    description: `Use ${name} for what it is named after.`,
    parameters: z.object({}) as unknown as Tool['parameters'],
    effect: 'read',
    timeoutMs: 5_000,
    run: async () => {
      ran.push(name);
      return `${name} ok`;
    },
  });

  const requests = (): WireRequest[] =>
    simulator.requests.map(({ body, receivedAt }) => {
      const { messages, tools = [] } = body as { messages: WireMessage[]; tools?: unknown[] };
      return { at: receivedAt, bytes: Buffer.byteLength(JSON.stringify(body)), messages, tools };
    });

  let asked = 0;
  const ask: Rig['ask'] = async (replies, options = {}) => {
    asked += 1;
    simulator.push(...replies);
    const [requestsBefore, ranBefore] = [simulator.requests.length, ran.length];
    const events: AgentEvent[] = [];
    const agent = createAgent({
      model: options.model ?? provider,
      tools: options.tools ?? [tool('note'), plainTool('ping')],
      clock,
      logger: silentLogger,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      windowTokens: options.windowTokens ?? 16_000,
      fitWindow,
      countTokens: estimateTokens,
      // The faults are others than a person who is not there.
      freeTools: options.tools?.map(({ name }) => name) ?? [],
      ...(options.budgets === undefined ? {} : { budgets: options.budgets }),
    });
    const startedAt = clock.monotonic();
    const result = await withTimeLimit(
      clock,
      agent.run({
        turnId: `turn-${asked}`,
        scope: { tenantId: 'local', channel: 'terminal', conversationId: 'terminal:local:1', userId: 'terminal:local' },
        labels: ['everyone'],
        question: 'How long is the warranty?',
        speaker: 'Local',
        history: [],
        language: 'en',
        journal: createMemoryJournal(),
        signal: new AbortController().signal,
        onEvent: (event) => void events.push(event),
        ...options.input,
      }),
    );
    assert.notEqual(result.answer.text.trim(), '', 'the answer is empty');
    return {
      answer: result.answer,
      result,
      events,
      requests: requests().slice(requestsBefore),
      ran: ran.slice(ranBefore),
      tookMs: clock.monotonic() - startedAt,
    };
  };

  return { clock, simulator, provider, providerWith, ran, tool, plainTool, requests, ask, close: () => simulator.close() };
};

/** Undefined when the outcome is right, otherwise what was wrong with it. The request linter decides with the case. */
export const runCase = async (fault: FaultCase): Promise<string | undefined> => {
  const rig = await createRig();
  try {
    await fault.run(rig);
    assert.deepEqual(rig.simulator.violations, [], 'a strict endpoint would have refused a request');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rig.close();
  }
};
