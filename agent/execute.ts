/** Runs the tool calls of one complete model turn: reads together under a cap, writes alone, each result kept in the journal. */
import type { Approvals } from './approval.ts';
import { validateArguments } from './arguments.ts';
import type { AttachmentDraft, AttachmentRoom } from './attachment.ts';
import type { Evidence, Place, Scope } from './conversation.ts';
import {
  approvalExpired,
  begunBefore,
  invalidArguments,
  nobodyToApprove,
  notApproved,
  toldOf,
  tooManyCalls,
  unknownTool,
} from './envelope.ts';
import { AppError } from './errors.ts';
import type { EvidenceList } from './evidence.ts';
import type { StepJournal, ToolOutcome } from './journal.ts';
import type { LoopLayers } from './layers.ts';
import type { RunLimits } from './limits.ts';
import type { ToolCall } from './messages.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Tool, ToolContext } from './ports/tool.ts';
import type { ToolRegistry } from './registry.ts';
import { capResult, resultText } from './results.ts';
import type { ApprovalReason } from './run.ts';
import { type CallContext, callTool } from './tool-call.ts';

export interface ToolRunEvents {
  started(call: ToolCall): void;
  finished(call: ToolCall, outcome: ToolOutcome, durationMs: number, replayed: boolean): void;
}

export interface StepContext {
  readonly turnId: string;
  readonly step: number;
  readonly scope: Scope;
  readonly labels: readonly string[];
  readonly place?: Place | undefined;
  readonly signal: AbortSignal;
  /** On the clock's monotonic scale. */
  readonly deadlineAt: number;
  readonly evidence: EvidenceList;
  readonly attachments: AttachmentRoom;
  readonly journal: StepJournal;
  readonly approvals: Approvals;
  readonly events: ToolRunEvents;
  readonly readResult: (callId: string) => string | undefined;
  readonly asked: readonly string[];
}

/** A call as the loop hands it over: `arguments` is the model's raw text. */
export interface PlannedCall {
  readonly call: ToolCall;
  /** Why it must not run: the loop guard, a tool set aside, a turn that was cut, a form that could not be read. */
  readonly refused?: AppError;
}

export type ExecuteStep = (calls: readonly PlannedCall[], context: StepContext) => Promise<readonly ToolOutcome[]>;

/** Results in the order of the items, at most `limit` under way. Rejects with the first failure, after which none begins. */
const mapLimited = async <Item, Value>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Value>,
): Promise<Value[]> => {
  const values: Value[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      try {
        values[index] = await run(items[index] as Item);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return values;
};

interface Indexed extends PlannedCall {
  readonly index: number;
}

/** A call that can be made: its tool, its valid arguments, and why a person must agree first, if so. */
interface ReadyCall {
  readonly tool: Tool;
  readonly args: unknown;
  readonly reason: ApprovalReason | undefined;
}

/** The calls in groups that may run together: neighbouring reads in one, each write in its own. */
const groupsOf = (calls: readonly PlannedCall[], registry: ToolRegistry): Indexed[][] => {
  const groups: Indexed[][] = [];
  let open = false;
  for (const [index, planned] of calls.entries()) {
    const isWrite = registry.find(planned.call.name)?.effect === 'write';
    if (isWrite || !open) groups.push([]);
    groups.at(-1)?.push({ ...planned, index });
    open = !isWrite;
  }
  return groups;
};

export const createExecutor = (deps: {
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: RunLimits;
  readonly layers: LoopLayers;
  readonly random: () => number;
}): ExecuteStep => {
  const { registry, clock, logger, limits, layers } = deps;
  const names = (): string[] => registry.tools.map(({ name }) => name);
  const resultChars = layers.resultCap ? limits.toolResultChars : Number.POSITIVE_INFINITY;

  const failed = (error: AppError, effect: Tool['effect']): ToolOutcome => ({
    content: JSON.stringify(toldOf(error, effect, limits.retryAfterCapMs)),
    code: error.code,
    evidence: [],
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  });

  /** Throws `AppError` for a call that cannot be made; the tool and its valid arguments otherwise. */
  const prepare = ({ call, refused, index }: Indexed): { tool: Tool; args: unknown } => {
    if (refused !== undefined) throw refused;
    if (index >= limits.toolCallsPerStep) throw tooManyCalls(limits.toolCallsPerStep);
    const tool = registry.find(call.name);
    if (tool === undefined) throw unknownTool(names());
    const args = validateArguments(tool.parameters, call.arguments);
    if (!args.ok) throw invalidArguments(args.advice);
    return { tool, args: args.value };
  };

  const admit = (planned: Indexed, { approvals }: StepContext): ReadyCall | AppError => {
    try {
      const { tool, args } = prepare(planned);
      return { tool, args, reason: approvals.reasonFor(tool) };
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  };

  const askPerson = async ({ tool, args, reason }: ReadyCall, index: number, context: StepContext): Promise<void> => {
    if (reason === undefined) return;
    const decision = await context.approvals.decide({ step: context.step, index, tool, args, reason });
    if (decision === 'unavailable') throw nobodyToApprove();
    if (decision === 'denied') throw notApproved();
    if (decision === 'expired') throw approvalExpired();
  };

  const runTool = async (tool: Tool, args: unknown, index: number, context: StepContext): Promise<ToolOutcome> => {
    const cited = new Map<number, Evidence>();
    const cite: ToolContext['cite'] = (passages) => {
      const items = context.evidence.cite(passages);
      for (const item of items) cited.set(item.n, item);
      return items;
    };
    const { scope, labels, place, signal, deadlineAt, readResult, asked, attachments } = context;
    const callKey = `${context.turnId}:${context.step}:${index}`;
    let draft: AttachmentDraft | undefined;
    const openContext = (): CallContext => {
      draft?.drop();
      const opened = attachments.draft();
      draft = opened;
      return {
        scope,
        labels,
        ...(place === undefined ? {} : { place }),
        callKey,
        cite,
        readResult,
        asked,
        attach: opened.attach,
      };
    };
    try {
      const value = await callTool(deps, tool, args, openContext, {
        signal,
        deadlineAt,
        mayRetry: layers.retry,
        onFailed: (error, willRetry) =>
          logger.warn('tool_failed', { tool: tool.name, code: error.code, willRetry, error: causeOf(error) }),
      });
      const content = capResult(resultText(value, tool.name), resultChars);
      const files = draft?.keep() ?? [];
      return { ...content, code: null, evidence: [...cited.values()], ...(files.length === 0 ? {} : { files }) };
    } catch (error) {
      draft?.drop();
      if (signal.aborted) throw signal.reason;
      if (error instanceof AppError) return failed(error, tool.effect);
      throw error;
    }
  };

  const runCall = async (ready: ReadyCall | AppError, index: number, context: StepContext): Promise<ToolOutcome> => {
    const { step, journal } = context;
    try {
      if (ready instanceof AppError) throw ready;
      const { tool, args } = ready;
      const isWrite = tool.effect === 'write';
      // A write that began before a crash is not made again: nobody knows whether it happened.
      if (isWrite && journal.hasBegun(step, index)) return failed(begunBefore(), 'write');
      await askPerson(ready, index, context);
      if (isWrite) await journal.putBegun(step, index);
      return await runTool(tool, args, index, context);
    } catch (error) {
      if (context.signal.aborted) throw context.signal.reason;
      if (error instanceof AppError && error.code.startsWith('tool_')) return failed(error, 'read');
      throw error;
    }
  };

  const settleCall = async (planned: Indexed, context: StepContext): Promise<ToolOutcome> => {
    const journaled = context.journal.findTool(context.step, planned.index);
    const startedAt = clock.monotonic();
    context.events.started(planned.call);
    // What the run has touched adds up in the order of the calls, those of an earlier life included.
    const ready = admit(planned, context);
    const outcome = journaled ?? (await runCall(ready, planned.index, context));
    if (journaled === undefined) context.journal.keepTool(context.step, planned.index, outcome);
    context.events.finished(planned.call, outcome, clock.monotonic() - startedAt, journaled !== undefined);
    return outcome;
  };

  return async (calls, context) => {
    const outcomes: ToolOutcome[] = [];
    const limit = layers.parallel ? limits.parallelReads : 1;
    for (const group of groupsOf(calls, registry)) {
      // A later group begins when the results of those before it cannot be lost any more.
      if (outcomes.length > 0) await context.journal.durable();
      outcomes.push(...(await mapLimited(group, limit, (planned) => settleCall(planned, context))));
    }
    return outcomes;
  };
};

/** The failure as the tool threw it, for the log alone. */
const causeOf = (error: AppError): Error => (error.cause instanceof Error ? error.cause : error);
