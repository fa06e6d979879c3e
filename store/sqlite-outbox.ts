/** Answers on their way out: stored with their parts in one transaction, then each part's delivery step by step. */

import type { Attachment } from '../agent/attachment.ts';
import type { Turn } from '../agent/conversation.ts';
import { AppError } from '../agent/errors.ts';
import type { FileInfo, OutboundPart } from '../agent/ports/channel.ts';
import type { Lease, OutboxRow, OutboxState, Store } from '../agent/ports/store.ts';
import type { Connection } from './sqlite-connection.ts';
import { checkLease, putJournal } from './sqlite-inbox.ts';

interface Row {
  readonly position: number;
  readonly state: OutboxState;
  readonly part: string | null;
  readonly ref: string | null;
  readonly sent_at: number;
}

type Outbox = Pick<
  Store,
  | 'foldWaiting'
  | 'finishTurn'
  | 'completeTurn'
  | 'dropTurn'
  | 'readFile'
  | 'listFiles'
  | 'readOutbox'
  | 'markSending'
  | 'markUnsent'
  | 'markPosted'
  | 'markDelivered'
>;

export const createOutbox = (db: Connection): Outbox => {
  const underLease = (lease: Lease, turnId: string, work: () => unknown): Promise<void> =>
    db.write(() => {
      checkLease(db, lease, turnId);
      work();
    });

  const stateOf = (turnId: string) => db.get<{ state: string }>('SELECT state FROM turns WHERE turn_id = ?', turnId)?.state;

  const storeAnswer = (turn: Turn, parts: readonly OutboundPart[]): void => {
    db.run(`UPDATE turns SET state = 'answered', turn = ? WHERE turn_id = ?`, JSON.stringify(turn), turn.turnId);
    db.run('UPDATE conversations SET updated_at = max(updated_at, ?) WHERE id = ?', turn.answeredAt, turn.conversationId);
    for (const [position, part] of parts.entries()) {
      db.run(
        `INSERT INTO outbox (turn_id, position, state, part) VALUES (?, ?, 'planned', ?)
         ON CONFLICT (turn_id, position) DO UPDATE SET part = excluded.part`,
        turn.turnId,
        position,
        JSON.stringify(part),
      );
    }
  };

  const stillWaits = ({ turnId, conversationId }: Turn): boolean =>
    db.get(
      `SELECT 1 FROM turns WHERE turn_id = ? AND conversation_id = ? AND state = 'waiting' AND cancelled = 0`,
      turnId,
      conversationId,
    ) !== undefined;

  const storeFiles = (turnId: string, files: readonly Attachment[]): void => {
    for (const [number, { name, mediaType, description, bytes }] of files.entries()) {
      db.run('INSERT INTO attachments VALUES (?, ?, ?, ?, ?, ?)', turnId, number, name, mediaType, description, bytes);
    }
  };

  const dropFiles = (turnId: string) => db.run('DELETE FROM attachments WHERE turn_id = ?', turnId);

  const end = (turnId: string): void => {
    db.run(`UPDATE turns SET state = 'done' WHERE turn_id = ?`, turnId);
    db.run('DELETE FROM journal WHERE turn_id = ?', turnId);
  };

  return {
    async foldWaiting(lease, turnId, key, messages) {
      return db.write(() => {
        checkLease(db, lease, turnId);
        const folded = messages.filter(({ turn }) => turn.conversationId === lease.conversationId && stillWaits(turn));
        if (folded.length === 0) return [];
        for (const { turn, parts } of folded) storeAnswer(turn, parts);
        putJournal(db, turnId, { key, value: folded.map(({ arrived }) => arrived) });
        return folded.map(({ turn }) => turn.turnId);
      });
    },

    async finishTurn(lease, turn, parts, files = []) {
      await underLease(lease, turn.turnId, () => {
        // The first answer stands: a worker that did not learn of its own commit may call again.
        if (stateOf(turn.turnId) !== 'running') return;
        storeAnswer(turn, parts);
        storeFiles(turn.turnId, files);
      });
    },

    async completeTurn(lease, turnId, keepsFiles = false) {
      await underLease(lease, turnId, () => {
        const state = stateOf(turnId);
        if (state !== 'answered' && state !== 'done') {
          throw new AppError('internal', `A turn is complete after it was answered; this one is ${state}.`);
        }
        end(turnId);
        if (!keepsFiles) dropFiles(turnId);
      });
    },

    async dropTurn(lease, turnId) {
      await underLease(lease, turnId, () => end(turnId));
    },

    async readFile(turnId, number) {
      const row = db.get<Attachment>(
        `SELECT name, media_type AS mediaType, description, bytes FROM attachments WHERE turn_id = ? AND number = ?`,
        turnId,
        number,
      );
      return row === undefined ? undefined : { ...row };
    },

    async listFiles(turnId) {
      return db
        .all<FileInfo>(
          `SELECT number, name, media_type AS mediaType, description FROM attachments WHERE turn_id = ? ORDER BY number`,
          turnId,
        )
        .map((row) => ({ ...row }));
    },

    async readOutbox(turnId) {
      return db
        .all<Row>('SELECT position, state, part, ref, sent_at FROM outbox WHERE turn_id = ? ORDER BY position', turnId)
        .map(
          (row): OutboxRow => ({
            turnId,
            index: row.position,
            state: row.state,
            part: row.part === null ? null : (JSON.parse(row.part) as OutboundPart),
            ref: row.ref === null ? null : (JSON.parse(row.ref) as OutboxRow['ref']),
            sentAt: row.sent_at,
          }),
        );
    },

    async markSending(lease, turnId, index, now) {
      await underLease(lease, turnId, () =>
        db.run(
          `INSERT INTO outbox (turn_id, position, state, sent_at) VALUES (?, ?, 'sending', ?)
           ON CONFLICT (turn_id, position) DO UPDATE SET state = 'sending', sent_at = excluded.sent_at
           WHERE state <> 'delivered'`,
          turnId,
          index,
          now,
        ),
      );
    },

    async markUnsent(lease, turnId, index) {
      await underLease(lease, turnId, () =>
        db.run(
          `UPDATE outbox SET state = 'planned', sent_at = 0 WHERE turn_id = ? AND position = ? AND state = 'sending'`,
          turnId,
          index,
        ),
      );
    },

    async markPosted(lease, turnId, index, ref) {
      await underLease(lease, turnId, () =>
        db.run(
          `INSERT INTO outbox (turn_id, position, state, ref) VALUES (?, ?, 'posted', ?)
           ON CONFLICT (turn_id, position) DO UPDATE SET state = 'posted', ref = excluded.ref
           WHERE state <> 'delivered'`,
          turnId,
          index,
          JSON.stringify(ref),
        ),
      );
    },

    async markDelivered(lease, turnId, index) {
      await underLease(lease, turnId, () => {
        const changed = db.run(`UPDATE outbox SET state = 'delivered' WHERE turn_id = ? AND position = ?`, turnId, index);
        if (changed === 0) throw new AppError('internal', `Part ${index} was marked as delivered, but nothing was sent for it.`);
      });
    },
  };
};
