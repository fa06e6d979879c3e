/** A run on a scripted model and a clock that stands still, with every request checked as a strict provider would. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import type { AgentEvent } from '../../agent/events.ts';
import { DEFAULT_LIMITS, type RunLimits } from '../../agent/limits.ts';
import { type AgentDeps, createAgent } from '../../agent/loop.ts';
import type { ModelProvider } from '../../agent/ports/model-provider.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import type { RunInput, RunResult } from '../../agent/run.ts';
import { toApiMessages } from '../../models/openai-messages.ts';
import { lintRequest } from '../../simulator/model-linter.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { passageOf, runInput, type ScriptedModel, silentLogger } from './fakes.ts';

const WARRANTY = passageOf('warranty', 'Our devices are sturdy. The warranty is two years. See https://example.com/warranty.');
const RETURNS = passageOf('returns', 'Returns are free. They take 30 days.');

export const search: Tool<{ query: string }> = {
  name: 'search_knowledge',
  description: 'Searches.',
  parameters: z.object({ query: z.string() }),
  effect: 'read',
  timeoutMs: 1_000,
  run: async ({ query }, { cite }) => ({
    passages: cite(query.includes('return') ? [RETURNS] : [WARRANTY]).map(({ n, text }) => ({ n, text })),
  }),
};

export const toolOf = (name: string, run: Tool['run'], parts: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  parameters: z.object({}).loose(),
  effect: 'read',
  timeoutMs: 1_000,
  run,
  ...parts,
});

/** Moves the fake clock as long as the run waits for nothing else. */
export const settle = async <Value>(clock: FakeClock, run: Promise<Value>): Promise<Value> => {
  let done = false;
  const watched = run.finally(() => {
    done = true;
  });
  watched.catch(() => undefined);
  while (!done) if (!(await clock.advanceToNext())) await new Promise((resolve) => setImmediate(resolve));
  return watched;
};

export const assertValid = (model: ScriptedModel): void => {
  for (const { messages } of model.requests) assert.deepEqual(lintRequest({ messages: toApiMessages(messages) }), []);
};

export const setUp = (
  model: ModelProvider & Partial<ScriptedModel>,
  parts: {
    tools?: readonly Tool[];
    limits?: Partial<RunLimits>;
    input?: Partial<RunInput>;
    deps?: Partial<AgentDeps>;
    clock?: FakeClock;
  } = {},
): { run: () => Promise<RunResult>; input: RunInput & { events: AgentEvent[] }; clock: FakeClock; deps: AgentDeps } => {
  const clock = parts.clock ?? createFakeClock();
  const deps: AgentDeps = {
    model,
    tools: parts.tools ?? [search as Tool],
    clock,
    logger: silentLogger,
    limits: { ...DEFAULT_LIMITS, ...parts.limits },
    windowTokens: 8_000,
    fitWindow: ({ system, question, speaker }) => [
      { role: 'system', content: system },
      { role: 'user', content: question, name: speaker },
    ],
    countTokens: (text) => text.length,
    random: () => 0.5,
    // Whom to ask is a matter of its own: here a tool that writes is free unless it says otherwise.
    freeTools: (parts.tools ?? []).filter(({ needsApproval }) => needsApproval !== true).map(({ name }) => name),
    ...parts.deps,
  };
  const input = runInput(parts.input);
  const run = async (): Promise<RunResult> => {
    const result = await settle(clock, createAgent(deps).run(input));
    if (model.requests !== undefined) assertValid(model as ScriptedModel);
    return result;
  };
  return { run, input, clock, deps };
};

export const lastContent = (model: ScriptedModel, request: number): string =>
  model.requests[request]?.messages.at(-1)?.content ?? '';

export const lastTool = (model: ScriptedModel, request: number): unknown => JSON.parse(lastContent(model, request));
