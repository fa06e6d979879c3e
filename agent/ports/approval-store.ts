import type { ApprovalReason } from '../run.ts';
import type { Lease } from './store.ts';

/** `expired`: nobody decided in time. `withdrawn`: the run ended before, or the card could not be shown. */
export type ApprovalOutcome = 'approved' | 'denied' | 'expired' | 'withdrawn';

/** A call that a person is asked about. Kept after the turn is done, until the turn is forgotten. */
export interface ApprovalRecord {
  /** Made of the call and of the hash of its arguments: other arguments are another record. */
  readonly id: string;
  readonly turnId: string;
  readonly tool: string;
  readonly words: string;
  /** Canonical JSON. */
  readonly arguments: string;
  /** SHA-256 of tool and arguments, hex. */
  readonly hash: string;
  readonly reason: ApprovalReason;
  /** Person ids, as in `Scope.userId`, and `admins`. */
  readonly approvers: readonly string[];
  /** Epoch ms, as are the others. */
  readonly askedAt: number;
  readonly expiresAt: number;
  readonly outcome: ApprovalOutcome | null;
  /** Null where no person decided. */
  readonly decidedBy: string | null;
  readonly decidedAt: number | null;
}

/** As every method of the store: one transaction, durable when it resolves. */
export interface ApprovalStore {
  /** Keeps the question unless it stands already, in whatever state; resolves with what stands. */
  askApproval(lease: Lease, question: Omit<ApprovalRecord, 'outcome' | 'decidedBy' | 'decidedAt'>): Promise<ApprovalRecord>;
  /**
   * Decides once: `isNew` is false when it was decided before, and nothing changes then. A decision of a person after the time is
   * `expired` instead, and `withdrawn` for a turn that is no longer running or was cancelled. After a person's decision the
   * conversation falls due: now, or when whoever holds it gives it back. Undefined for an id that is not known.
   */
  decideApproval(
    id: string,
    decision: { readonly outcome: ApprovalOutcome; readonly decidedBy: string | null; readonly now: number },
  ): Promise<{ readonly record: ApprovalRecord; readonly isNew: boolean } | undefined>;
  readApproval(id: string): Promise<ApprovalRecord | undefined>;
  /** Of one turn, in the order they were asked. */
  listApprovals(turnId: string): Promise<readonly ApprovalRecord[]>;
}
