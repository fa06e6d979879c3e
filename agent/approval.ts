/**
 * Which calls a person must agree to, and the question to that person. An agreement is good for one call with the arguments that were
 * shown, and cannot come from the history: what stands in messages is data.
 */
import { canonicalJson } from './arguments.ts';
import { callTooLong } from './envelope.ts';
import type { StepJournal } from './journal.ts';
import type { JsonObject } from './json.ts';
import type { Tool } from './ports/tool.ts';
import { completesAll, type Provenance, provenanceOf, sumOf, UNTOUCHED } from './provenance.ts';
import type { ApprovalDecision, ApprovalReason, ApprovalRequest, RunInput } from './run.ts';
import { untilAborted } from './until-aborted.ts';

/** Nobody agrees to what nobody reads. */
const MAX_ARGUMENTS_CHARS = 12_000;

/** A call whose arguments passed the tool's schema. */
export interface CheckedCall {
  readonly step: number;
  readonly index: number;
  readonly tool: Tool;
  readonly args: unknown;
  readonly reason: ApprovalReason;
}

export interface Approvals {
  /**
   * Why a person must agree to a call of the tool, if so. Counts it toward what the run has touched: call it once for each call that
   * can be made, in their order, replayed ones included.
   */
  reasonFor(tool: Tool): ApprovalReason | undefined;
  /** Throws `AppError('tool_too_large')`, the signal's reason, and what the run's owner throws. */
  decide(call: CheckedCall): Promise<ApprovalDecision>;
}

/** What the tool says of a call is shown to a person; a fault in it is no reason to show nothing. */
const wordsOf = (tool: Tool, args: unknown): string => {
  try {
    return tool.describeCall?.(args) ?? '';
  } catch {
    return '';
  }
};

const requestOf = (turnId: string, { step, index, tool, args, reason }: CheckedCall): ApprovalRequest => {
  // As JSON holds them: a schema may have made dates or sets.
  const rendered = canonicalJson(JSON.parse(JSON.stringify(args)) as JsonObject);
  if (rendered.length > MAX_ARGUMENTS_CHARS) throw callTooLong(rendered.length, MAX_ARGUMENTS_CHARS);
  return {
    id: `${turnId}:${step}:${index}`,
    tool: tool.name,
    words: wordsOf(tool, args),
    arguments: rendered,
    reason,
  };
};

/** `before`: what the run has touched by what it was given. */
export const createApprovals = (
  input: Pick<RunInput, 'turnId' | 'approve'>,
  journal: StepJournal,
  signal: AbortSignal,
  freeTools: ReadonlySet<string>,
  before: Provenance = UNTOUCHED,
): Approvals => {
  let touched = before;
  return {
    reasonFor: (tool) => {
      const call = provenanceOf(tool);
      const completes = completesAll(touched, call);
      touched = sumOf(touched, call);
      const always = (tool.effect === 'write' || tool.needsApproval === true) && !freeTools.has(tool.name);
      return always ? 'tool' : completes ? 'provenance' : undefined;
    },
    decide: async (call) => {
      const request = requestOf(input.turnId, call);
      const { step, index } = call;
      const refused = journal.findRefusal(step, index);
      if (refused?.tool === request.tool && refused.arguments === request.arguments) return refused.decision;
      if (input.approve === undefined) return 'unavailable';
      const decision = await untilAborted(input.approve(request), signal);
      // That it was approved is kept by whoever was asked, who also knows for how long that is good.
      if (decision !== 'approved') {
        await journal.putRefusal(step, index, { tool: request.tool, arguments: request.arguments, decision });
      }
      return decision;
    },
  };
};
