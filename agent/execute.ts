/** Runs the tool calls of one complete model turn: reads together, writes alone, each under its own limit. */
import { describeIssues, parseArguments } from './arguments.ts';
import type { Evidence, Scope } from './conversation.ts';
import { type FailureEnvelope, invalidArguments, repeatedCall, toolFailure, tooManyCalls, unknownTool } from './envelope.ts';
import { AppError } from './errors.ts';
import type { EvidenceList } from './evidence.ts';
import type { StepJournal, ToolOutcome } from './journal.ts';
import type { JsonValue } from './json.ts';
import type { RunLimits } from './limits.ts';
import type { ToolCall } from './messages.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Tool, ToolContext } from './ports/tool.ts';
import { cutMiddle, unpairedRemoved } from './unicode.ts';

export interface ToolRunEvents {
  started(call: ToolCall): void;
  finished(call: ToolCall, outcome: ToolOutcome, durationMs: number, replayed: boolean): void;
}

export interface StepContext {
  readonly step: number;
  readonly scope: Scope;
  readonly labels: readonly string[];
  readonly signal: AbortSignal;
  readonly evidence: EvidenceList;
  readonly journal: StepJournal;
  readonly events: ToolRunEvents;
}

/** A call as the loop hands it over: `arguments` is the model's raw text. */
export interface PlannedCall {
  readonly call: ToolCall;
  /** The loop guard has had enough of this call. */
  readonly refused: boolean;
}

export type ExecuteStep = (calls: readonly PlannedCall[], context: StepContext) => Promise<readonly ToolOutcome[]>;

/** Any value a tool may return, as JSON text: `undefined` is null, a BigInt its digits; what JSON cannot hold is said so. */
const jsonText = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value ?? null, (_key, item: unknown) => (typeof item === 'bigint' ? item.toString() : item));
  } catch {
    return undefined;
  }
};

const failed = (code: string, told: FailureEnvelope): ToolOutcome => ({ content: JSON.stringify(told), code, evidence: [] });

export const createExecutor = (deps: {
  readonly tools: readonly Tool[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: RunLimits;
}): ExecuteStep => {
  const { clock, logger, limits } = deps;
  const byName = new Map(deps.tools.map((tool) => [tool.name, tool]));
  const names = [...byName.keys()];

  /** Settles within the tool's limit whatever the tool does, and at once when the run is stopped. */
  const runWithin = (
    tool: Tool,
    args: unknown,
    context: Omit<ToolContext, 'signal'>,
    signal: AbortSignal,
  ): Promise<JsonValue> => {
    const controller = new AbortController();
    let cleanUp = (): void => {};
    const settled = new Promise<JsonValue>((resolve, reject) => {
      // Whoever gives up on the tool tells it so; one that ended by itself needs no telling.
      const giveUp = (reason: unknown): void => {
        reject(reason);
        controller.abort(reason);
      };
      const onAbort = (): void => giveUp(signal.reason);
      if (signal.aborted) return onAbort();
      const stopTimer = clock.after(tool.timeoutMs, () =>
        giveUp(new AppError('tool_timeout', `The tool ${tool.name} gave no answer within ${tool.timeoutMs} ms.`)),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      cleanUp = () => {
        stopTimer();
        signal.removeEventListener('abort', onAbort);
      };
      // A synchronous throw of the tool becomes a rejection as well.
      (async () => tool.run(args, { ...context, signal: controller.signal }))().then(resolve, reject);
    });
    return settled.finally(() => cleanUp());
  };

  const runCall = async ({ call, refused }: PlannedCall, index: number, context: StepContext): Promise<ToolOutcome> => {
    if (index >= limits.toolCallsPerStep) return failed('tool_refused', tooManyCalls(limits.toolCallsPerStep));
    if (refused) return failed('tool_refused', repeatedCall());
    const tool = byName.get(call.name);
    if (tool === undefined) return failed('tool_unknown', unknownTool(names));
    const raw = parseArguments(call.arguments);
    if (!raw.ok) return failed('tool_arguments', invalidArguments(raw.advice));
    const args = tool.parameters.safeParse(raw.value);
    if (!args.success) return failed('tool_arguments', invalidArguments(describeIssues(args.error)));

    const cited = new Map<number, Evidence>();
    const cite: ToolContext['cite'] = (passages) => {
      const items = context.evidence.cite(passages);
      for (const item of items) cited.set(item.n, item);
      return items;
    };
    try {
      const value = await runWithin(tool, args.data, { scope: context.scope, labels: context.labels, cite }, context.signal);
      const text = jsonText(value);
      if (text === undefined) throw new TypeError(`The tool ${call.name} returned a value that JSON cannot hold.`);
      return {
        content: cutMiddle(unpairedRemoved(text), limits.toolResultChars),
        code: null,
        evidence: [...cited.values()],
      };
    } catch (error) {
      if (context.signal.aborted) throw context.signal.reason;
      logger.warn('tool_failed', {
        tool: call.name,
        error: error instanceof Error ? error : new Error(`The tool threw a ${typeof error}.`),
      });
      const code = error instanceof AppError ? error.code : 'tool_failed';
      return failed(code, toolFailure(error, tool.effect, tool.timeoutMs));
    }
  };

  const settleCall = async (planned: PlannedCall, index: number, context: StepContext): Promise<ToolOutcome> => {
    const journaled = context.journal.findTool(context.step, index);
    const startedAt = clock.monotonic();
    context.events.started(planned.call);
    const outcome = journaled ?? (await runCall(planned, index, context));
    if (journaled === undefined) await context.journal.putTool(context.step, index, outcome);
    context.events.finished(planned.call, outcome, clock.monotonic() - startedAt, journaled !== undefined);
    return outcome;
  };

  return async (calls, context) => {
    const outcomes: ToolOutcome[] = [];
    let reads: Promise<ToolOutcome>[] = [];
    for (const [index, planned] of calls.entries()) {
      if (byName.get(planned.call.name)?.effect !== 'write') {
        reads.push(settleCall(planned, index, context));
        continue;
      }
      outcomes.push(...(await Promise.all(reads)));
      reads = [];
      outcomes.push(await settleCall(planned, index, context));
    }
    outcomes.push(...(await Promise.all(reads)));
    return outcomes;
  };
};
