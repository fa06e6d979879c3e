/** Questions about single calls: asked under the lease of their turn, decided once by whoever comes first. */

import { AppError } from '../agent/errors.ts';
import type { ApprovalOutcome, ApprovalRecord, ApprovalStore } from '../agent/ports/approval-store.ts';
import type { Connection } from './sqlite-connection.ts';
import { checkLease } from './sqlite-inbox.ts';

interface Row {
  readonly id: string;
  readonly turn_id: string;
  readonly tool: string;
  readonly words: string;
  readonly arguments: string;
  readonly hash: string;
  readonly reason: ApprovalRecord['reason'];
  readonly approvers: string;
  readonly asked_at: number;
  readonly expires_at: number;
  readonly outcome: ApprovalOutcome | null;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
}

const recordOf = (row: Row): ApprovalRecord => ({
  id: row.id,
  turnId: row.turn_id,
  tool: row.tool,
  words: row.words,
  arguments: row.arguments,
  hash: row.hash,
  reason: row.reason,
  approvers: JSON.parse(row.approvers) as string[],
  askedAt: row.asked_at,
  expiresAt: row.expires_at,
  outcome: row.outcome,
  decidedBy: row.decided_by,
  decidedAt: row.decided_at,
});

export const createApprovalRows = (db: Connection): ApprovalStore => {
  const read = (id: string): ApprovalRecord | undefined => {
    const row = db.get<Row>('SELECT * FROM approvals WHERE id = ?', id);
    return row === undefined ? undefined : recordOf(row);
  };

  const isRunning = (turnId: string): boolean =>
    db.get(`SELECT 1 FROM turns WHERE turn_id = ? AND state = 'running' AND cancelled = 0`, turnId) !== undefined;

  return {
    async askApproval(lease, { id, turnId, approvers, ...question }) {
      return db.write(() => {
        checkLease(db, lease, turnId);
        db.run(
          `INSERT INTO approvals (id, turn_id, tool, words, arguments, hash, reason, approvers, asked_at, expires_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
          id,
          turnId,
          question.tool,
          question.words,
          question.arguments,
          question.hash,
          question.reason,
          JSON.stringify(approvers),
          question.askedAt,
          question.expiresAt,
        );
        const record = read(id);
        if (record === undefined) throw new AppError('internal', 'expected the approval that was just stored, got none');
        return record;
      });
    },

    async decideApproval(id, { outcome, decidedBy, now }) {
      return db.write(() => {
        const found = read(id);
        if (found === undefined || found.outcome !== null) return found && { record: found, isNew: false };
        const isPersons = outcome === 'approved' || outcome === 'denied';
        const settled = !isPersons
          ? outcome
          : !isRunning(found.turnId)
            ? 'withdrawn'
            : now >= found.expiresAt
              ? 'expired'
              : outcome;
        const by = settled === outcome ? decidedBy : null;
        db.run('UPDATE approvals SET outcome = ?, decided_by = ?, decided_at = ? WHERE id = ?', settled, by, now, id);
        if (isPersons) {
          db.run(
            `UPDATE conversations SET due_at = CASE WHEN worker_id IS NULL THEN 0 ELSE due_at END, nudged = worker_id IS NOT NULL
             WHERE id = (SELECT conversation_id FROM turns WHERE turn_id = ?)`,
            found.turnId,
          );
        }
        const record: ApprovalRecord = { ...found, outcome: settled, decidedBy: by, decidedAt: now };
        return { record, isNew: settled === outcome };
      });
    },

    async readApproval(id) {
      return read(id);
    },

    async listApprovals(turnId) {
      return db.all<Row>('SELECT * FROM approvals WHERE turn_id = ? ORDER BY seq', turnId).map(recordOf);
    },
  };
};
