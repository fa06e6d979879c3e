/** One question to our loop with the policy in this process as its model. */
import { z } from 'zod';
import type { Budgets } from '../../agent/budget.ts';
import type { Turn } from '../../agent/conversation.ts';
import type { LoopLayers } from '../../agent/layers.ts';
import { DEFAULT_LIMITS, type RunLimits } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import type { CountTokens } from '../../agent/ports/window.ts';
import type { RunResult } from '../../agent/run.ts';
import { fitWindow } from '../../memory/window.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import type { ModelPolicy } from '../../simulator/model-policy.ts';
import { createMemoryJournal } from '../faults/rig.ts';
import { createPolicyModel, type RequestRecord } from './model.ts';

export interface OnceOptions {
  readonly clock: Clock;
  readonly policy: ModelPolicy;
  readonly tools: readonly Tool[];
  readonly question?: string;
  readonly history?: readonly Turn[];
  readonly layers?: Partial<LoopLayers>;
  readonly limits?: Partial<RunLimits>;
  readonly budgets?: Budgets;
  readonly countTokens?: CountTokens;
}

const parameters = z.object({ x: z.string() });

/** A tool with one text argument. */
export const toolOf = (name: string, run: (x: string) => Promise<string>, effect: Tool['effect'] = 'read'): Tool => ({
  name,
  description: `Use ${name} for what it is named after.`,
  parameters: parameters as unknown as Tool['parameters'],
  effect,
  timeoutMs: 5_000,
  run: (args) => run((args as z.infer<typeof parameters>).x),
});

export const askOnce = async (options: OnceOptions): Promise<RunResult & { readonly requests: readonly RequestRecord[] }> => {
  const { clock, policy, tools, layers, limits, budgets, countTokens = (text) => Math.ceil(text.length / 4) } = options;
  const requests: RequestRecord[] = [];
  const agent = createAgent({
    model: createPolicyModel({ policy, clock, countTokens, onRequest: (record) => void requests.push(record) }),
    tools,
    freeTools: tools.map(({ name }) => name),
    clock,
    logger: silentLogger,
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...(layers === undefined ? {} : { layers }),
    ...(budgets === undefined ? {} : { budgets }),
    windowTokens: 16_000,
    fitWindow,
    countTokens,
    random: () => 0.5,
  });
  const result = await agent.run({
    turnId: 'turn-1',
    scope: { tenantId: 'local', channel: 'terminal', conversationId: 'terminal:local:1', userId: 'terminal:local' },
    labels: ['everyone'],
    question: options.question ?? 'ALERT checkout: p95 above 2 s',
    speaker: 'Local',
    history: options.history ?? [],
    language: 'en',
    journal: createMemoryJournal(),
    signal: new AbortController().signal,
  });
  return { ...result, requests };
};
