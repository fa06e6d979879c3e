/**
 * Asks a person before a call runs. The answer is kept in the run's journal under the call's own key, so that it is asked once, is
 * good for this call alone, and cannot come from the history: what stands in messages is data.
 */
import type { StepJournal } from './journal.ts';
import type { ApprovalDecision, RunInput } from './run.ts';
import { untilAborted } from './until-aborted.ts';

export interface Approvals {
  /** `unavailable`: there is nobody to ask. Rejects with the signal's reason. */
  decide(step: number, index: number, tool: string, canonicalArguments: string): Promise<ApprovalDecision | 'unavailable'>;
}

export const createApprovals = (
  input: Pick<RunInput, 'turnId' | 'approve'>,
  journal: StepJournal,
  signal: AbortSignal,
): Approvals => ({
  decide: async (step, index, tool, canonicalArguments) => {
    const kept = journal.findApproval(step, index);
    if (kept !== undefined) return kept;
    if (input.approve === undefined) return 'unavailable';
    const asked = input.approve({ id: `${input.turnId}:${step}:${index}`, tool, arguments: canonicalArguments });
    const decision = await untilAborted(asked, signal);
    await journal.putApproval(step, index, decision);
    return decision;
  },
});
