/**
 * Inbox, leases and journal. A conversation is one queue: its oldest unfinished turn is the only one that can be claimed, by
 * one worker at a time, and each claim raises the fence under which that worker may write.
 */
import { createHash } from 'node:crypto';
import { CHANNEL_NAMES, type InboundMessage } from '../agent/conversation.ts';
import { AppError } from '../agent/errors.ts';
import type { JsonValue } from '../agent/json.ts';
import type { Claim, JournalEntry, Lease, Store } from '../agent/ports/store.ts';
import type { Connection } from './sqlite-connection.ts';

/** 80 bits: short enough for a platform's nonce of 25 characters, long enough never to meet another. */
const TURN_ID_LENGTH = 20;

/** No lease and no pause is longer: what falls due later than this was stored before the system clock was set back. */
const MAX_DUE_AHEAD_MS = 15 * 60_000;

export const turnIdOf = (deliveryId: string): string =>
  createHash('sha256').update(deliveryId).digest('hex').slice(0, TURN_ID_LENGTH);

/** Call inside the write that depends on it. Throws `AppError('lease_lost')`. */
export const checkLease = (db: Connection, lease: Lease, turnId: string): void => {
  // A bare `?` that is compared with a table of partial indexes has the statement compiled again for each call, since the plan may
  // depend on its value (`expmask` in SQLite's vdbeapi.c). `+?` cannot take part in an index's condition.
  const held = db.get(
    `SELECT 1 FROM conversations c JOIN turns t ON t.conversation_id = c.id
     WHERE c.id = +? AND c.worker_id = +? AND c.fence = +? AND t.turn_id = +?`,
    lease.conversationId,
    lease.workerId,
    lease.fence,
    turnId,
  );
  if (held === undefined) {
    throw new AppError(
      'lease_lost',
      `The lease with fence ${lease.fence} no longer holds: another worker took the conversation over.`,
    );
  }
};

/** Call inside a write, under a lease. */
export const putJournal = (db: Connection, turnId: string, { key, value }: JournalEntry): void => {
  db.run(
    'INSERT INTO journal (turn_id, key, value) VALUES (?, ?, ?) ON CONFLICT (turn_id, key) DO UPDATE SET value = excluded.value',
    turnId,
    key,
    JSON.stringify(value),
  );
};

interface ClaimRow {
  readonly seq: number;
  readonly turn_id: string;
  readonly state: 'waiting' | 'running' | 'answered';
  readonly cancelled: number;
  readonly attempts: number;
  readonly message: string;
  readonly conversation_id: string;
  readonly fence: number;
}

/** Call inside a write. */
const cancelOpen = (db: Connection, which: string, ...values: readonly string[]): string | undefined => {
  const row = db.get<{ turn_id: string; conversation_id: string }>(
    `UPDATE turns SET cancelled = 1 WHERE ${which} AND state IN ('waiting', 'running') RETURNING turn_id, conversation_id`,
    ...values,
  );
  if (row === undefined) return undefined;
  db.run('UPDATE conversations SET due_at = 0 WHERE id = ? AND worker_id IS NULL', row.conversation_id);
  return row.turn_id;
};

type Inbox = Pick<
  Store,
  | 'accept'
  | 'claim'
  | 'holdUndue'
  | 'renew'
  | 'release'
  | 'expireLeases'
  | 'listWaiting'
  | 'nextDueAt'
  | 'readJournal'
  | 'writeJournal'
  | 'editWaiting'
  | 'cancelBySource'
  | 'cancelTurn'
>;

export const createInbox = (db: Connection): Inbox => ({
  async accept(message, notice) {
    const turnId = turnIdOf(message.deliveryId);
    return db.write(() => {
      const { scope, receivedAt } = message;
      if (db.get('SELECT 1 FROM turns WHERE delivery_id = ?', message.deliveryId) !== undefined) {
        return { outcome: 'duplicate', turnId };
      }
      const isNews =
        notice === undefined ||
        db.run('INSERT INTO notices (key, said_at) VALUES (?, ?) ON CONFLICT DO NOTHING', notice, receivedAt) === 1;
      if (!isNews) return { outcome: 'said_before', turnId };
      db.run(
        `INSERT INTO conversations (id, updated_at) VALUES (?, ?)
         ON CONFLICT (id) DO UPDATE SET updated_at = max(updated_at, excluded.updated_at)`,
        scope.conversationId,
        receivedAt,
      );
      db.run(
        `INSERT INTO turns (turn_id, delivery_id, conversation_id, user_id, channel, source_message_id, received_at, message)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        turnId,
        message.deliveryId,
        scope.conversationId,
        scope.userId,
        scope.channel,
        message.sourceMessageId,
        receivedAt,
        JSON.stringify(message),
      );
      return { outcome: 'accepted', turnId };
    });
  },

  async claim(workerId, now, leaseMs, channels = CHANNEL_NAMES): Promise<Claim | undefined> {
    // In order of acceptance, the first turn whose conversation is due is also the oldest unfinished one of its conversation.
    const find = () =>
      db.get<ClaimRow>(
        `SELECT t.seq, t.turn_id, t.state, t.cancelled, t.attempts, t.message, t.conversation_id, c.fence
         FROM turns t INDEXED BY turns_open CROSS JOIN conversations c ON c.id = t.conversation_id
         WHERE t.state <> 'done' AND (c.due_at <= ? OR c.due_at > ?) AND t.channel IN (SELECT value FROM json_each(?))
         ORDER BY t.seq LIMIT 1`,
        now,
        now + Math.max(MAX_DUE_AHEAD_MS, 2 * leaseMs),
        JSON.stringify(channels),
      );
    // An idle worker asks often: it takes the write lock only when there is something to take.
    if (find() === undefined) return undefined;
    return db.write(() => {
      const row = find();
      if (row === undefined) return undefined;
      const fence = row.fence + 1;
      const state = row.state === 'answered' ? 'answered' : 'running';
      db.run(
        'UPDATE conversations SET fence = ?, worker_id = ?, due_at = ?, nudged = 0 WHERE id = ?',
        fence,
        workerId,
        now + leaseMs,
        row.conversation_id,
      );
      db.run('UPDATE turns SET state = ?, attempts = attempts + 1 WHERE seq = ?', state, row.seq);
      return {
        turnId: row.turn_id,
        state,
        message: JSON.parse(row.message) as InboundMessage,
        attempts: row.attempts + 1,
        cancelled: row.cancelled === 1,
        lease: { conversationId: row.conversation_id, workerId, fence },
      };
    });
  },

  async holdUndue(conversationId, workerId, now, leaseMs) {
    const find = () =>
      db.get<{ fence: number; due_at: number }>(
        'SELECT fence, due_at FROM conversations WHERE id = ? AND worker_id IS NULL AND due_at > ?',
        conversationId,
        now,
      );
    // Asked of every question; few wait behind a pause.
    if (find() === undefined) return undefined;
    return db.write(() => {
      const row = find();
      if (row === undefined) return undefined;
      const lease = { conversationId, workerId, fence: row.fence + 1 };
      db.run(
        'UPDATE conversations SET fence = ?, worker_id = ?, due_at = ? WHERE id = ?',
        lease.fence,
        workerId,
        now + leaseMs,
        conversationId,
      );
      return { lease, dueAt: row.due_at };
    });
  },

  async renew(lease, now, leaseMs) {
    return db.write(
      () =>
        db.run(
          'UPDATE conversations SET due_at = ? WHERE id = ? AND worker_id = ? AND fence = ?',
          now + leaseMs,
          lease.conversationId,
          lease.workerId,
          lease.fence,
        ) === 1,
    );
  },

  async release(lease, notBefore = 0) {
    await db.write(() =>
      db.run(
        `UPDATE conversations SET worker_id = NULL, due_at = CASE nudged WHEN 1 THEN 0 ELSE ? END, nudged = 0
         WHERE id = ? AND worker_id = ? AND fence = ?`,
        notBefore,
        lease.conversationId,
        lease.workerId,
        lease.fence,
      ),
    );
  },

  async expireLeases() {
    await db.write(() => db.run('UPDATE conversations SET worker_id = NULL, due_at = 0 WHERE worker_id IS NOT NULL'));
  },

  async listWaiting(conversationId) {
    return db
      .all<{ turn_id: string; message: string }>(
        `SELECT turn_id, message FROM turns WHERE conversation_id = ? AND state = 'waiting' AND cancelled = 0 ORDER BY seq`,
        conversationId,
      )
      .map((row) => ({ turnId: row.turn_id, message: JSON.parse(row.message) as InboundMessage }));
  },

  async nextDueAt(now, channels = CHANNEL_NAMES) {
    const row = db.get<{ due_at: number | null }>(
      `SELECT min(c.due_at) AS due_at FROM turns t INDEXED BY turns_open CROSS JOIN conversations c ON c.id = t.conversation_id
       WHERE t.state <> 'done' AND t.channel IN (SELECT value FROM json_each(?))`,
      JSON.stringify(channels),
    );
    const dueAt = row?.due_at ?? null;
    return dueAt === null ? undefined : Math.max(now, dueAt);
  },

  async readJournal(turnId) {
    return db
      .all<{ key: string; value: string }>('SELECT key, value FROM journal WHERE turn_id = ? ORDER BY position', turnId)
      .map(({ key, value }) => ({ key, value: JSON.parse(value) as JsonValue }));
  },

  async writeJournal(lease, turnId, entry) {
    await db.write(() => {
      checkLease(db, lease, turnId);
      putJournal(db, turnId, entry);
    });
  },

  async editWaiting(channel, sourceMessageId, text) {
    return db.write(() => {
      const row = db.get<{ seq: number; message: string }>(
        `SELECT seq, message FROM turns WHERE channel = ? AND source_message_id = ? AND state = 'waiting'`,
        channel,
        sourceMessageId,
      );
      if (row === undefined) return false;
      const { refusal, ...asked } = JSON.parse(row.message) as InboundMessage;
      // The new text has the right length; every other refusal is about who asked.
      const isKept = refusal !== undefined && refusal.reason !== 'too_long';
      const message: InboundMessage = { ...asked, text, ...(isKept ? { refusal } : {}) };
      return db.run('UPDATE turns SET message = ? WHERE seq = ?', JSON.stringify(message), row.seq) === 1;
    });
  },

  async cancelBySource(channel, sourceMessageId) {
    return db.write(() => cancelOpen(db, 'channel = ? AND source_message_id = ?', channel, sourceMessageId));
  },

  async cancelTurn(turnId) {
    return db.write(() => cancelOpen(db, 'turn_id = ?', turnId) !== undefined);
  },
});
