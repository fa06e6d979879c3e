/** The agent: what all runs share, made once. A run itself is in turn.ts. */
import type { AskDeps } from './ask.ts';
import { type Budgets, NO_BUDGETS } from './budget.ts';
import type { Turn } from './conversation.ts';
import { createExecutor, type ExecuteStep } from './execute.ts';
import { repairTurn } from './history.ts';
import { ALL_LAYERS, type LoopLayers } from './layers.ts';
import type { RunLimits } from './limits.ts';
import type { ChatMessage } from './messages.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { RecalledMemory, RecallRequest } from './ports/memory.ts';
import type { ModelProvider, ToolSpec } from './ports/model-provider.ts';
import type { Tool } from './ports/tool.ts';
import type { CountTokens, FitWindow } from './ports/window.ts';
import { createRegistry, type ToolRegistry } from './registry.ts';
import { createRouter, type ToolRouter } from './router.ts';
import type { Agent } from './run.ts';
import type { RunContext } from './run-context.ts';
import { SYSTEM_PROMPT } from './system-prompt.ts';
import { runTurn } from './turn.ts';

export interface AgentDeps {
  readonly model: ModelProvider;
  /** A registry may get more tools later; they are offered from then on. */
  readonly tools: readonly Tool[] | ToolRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: RunLimits;
  /** Tokens for the system prompt, the tools' descriptions, the history and the question together. */
  readonly windowTokens: number;
  readonly fitWindow: FitWindow;
  readonly countTokens: CountTokens;
  /** For the waits between tries; 0 to 1. */
  readonly random?: () => number;
  /** Protections to switch off; all are on by default. */
  readonly layers?: Partial<LoopLayers>;
  readonly budgets?: Budgets;
  /** Tools that write and yet need nobody's agreement, by name. What brings the three of provenance.ts together needs it all the same. */
  readonly freeTools?: readonly string[];
  /** What long-term memory adds to a run's window. Never throws but the signal's reason. Absent: nothing is remembered. */
  readonly recall?: (request: RecallRequest) => Promise<RecalledMemory>;
  /** Stores turns of the history whose text had to be repaired, so that they are repaired once. */
  readonly keepRepaired?: (turns: readonly Turn[]) => Promise<void>;
}

/** What the parts of a run take from the agent. */
export interface Loop {
  readonly model: ModelProvider;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: RunLimits;
  readonly layers: LoopLayers;
  readonly budgets: Budgets;
  readonly freeTools: ReadonlySet<string>;
  readonly ask: AskDeps;
  readonly execute: ExecuteStep;
  readonly registry: ToolRegistry;
  /** The specs that a question is offered. */
  offer(question: string): readonly ToolSpec[];
  /** The system prompt, the earlier turns that fit, the question, and what was recalled for it. */
  windowFor(run: RunContext): Promise<readonly ChatMessage[]>;
}

/** The window keeps at least this share of its tokens, however long the tools' descriptions are. */
const MIN_WINDOW_SHARE = 0.5;

export const createAgent = (deps: AgentDeps): Agent => {
  const { model, clock, logger, limits, countTokens } = deps;
  const random = deps.random ?? Math.random;
  const layers: LoopLayers = { ...ALL_LAYERS, ...deps.layers };
  const registry = 'registerTool' in deps.tools ? deps.tools : createRegistry(deps.tools);
  let routed: { readonly tools: number; readonly router: ToolRouter } | undefined;
  const offer = (question: string): readonly ToolSpec[] => {
    const tools = registry.tools.length;
    if (!layers.router || tools <= limits.routeAbove) return registry.specs;
    if (routed?.tools !== tools) routed = { tools, router: createRouter(registry.tools, registry.specs) };
    return routed.router.select(question, limits.toolsOffered);
  };

  const recall = async ({ input, question, signal }: RunContext): Promise<RecalledMemory | undefined> => {
    const { scope, place, labels, history } = input;
    return place === undefined ? undefined : deps.recall?.({ scope, place, question, labels, history, signal });
  };

  const windowFor = async (run: RunContext): Promise<readonly ChatMessage[]> => {
    const { input, question } = run;
    const recent = layers.window ? input.history.slice(Math.max(0, input.history.length - limits.windowTurns)) : input.history;
    const history = recent.map(repairTurn);
    const repaired = history.filter((turn, i) => turn !== recent[i]);
    if (repaired.length > 0) await deps.keepRepaired?.(repaired);
    const budgetTokens = layers.window ? windowBudget(offer(question)) : Number.POSITIVE_INFINITY;
    const memory = await recall(run);
    return deps.fitWindow({
      system: SYSTEM_PROMPT,
      history,
      question,
      speaker: input.speaker,
      budgetTokens,
      countTokens,
      ...(memory === undefined ? {} : { memory }),
    });
  };

  const windowBudget = (specs: readonly ToolSpec[]): number => {
    const toolTokens = specs.reduce((sum, spec) => sum + specTokens(spec), 0);
    return Math.max(deps.windowTokens - toolTokens, Math.ceil(deps.windowTokens * MIN_WINDOW_SHARE));
  };
  const counted = new Map<ToolSpec, number>();
  const specTokens = (spec: ToolSpec): number => {
    const known = counted.get(spec) ?? countTokens(JSON.stringify(spec));
    counted.set(spec, known);
    return known;
  };

  const loop: Loop = {
    model,
    clock,
    logger,
    limits,
    layers,
    budgets: layers.budgets ? (deps.budgets ?? NO_BUDGETS) : NO_BUDGETS,
    freeTools: new Set(deps.freeTools),
    ask: { model, clock, limits: layers.retry ? limits : { ...limits, modelTries: 1 }, random },
    execute: createExecutor({ registry, clock, logger, limits, layers, random }),
    registry,
    offer,
    windowFor,
  };
  return { run: (input) => runTurn(loop, input) };
};
