/** What is posted about tickets, and how far each post is on its way. */
import { AppError } from '../agent/errors.ts';
import type { PlannedPost, PostState, TicketPost, TicketStore } from '../agent/ports/ticket-store.ts';
import type { Connection } from './sqlite-connection.ts';

interface Row {
  readonly number: number;
  readonly slot: string;
  readonly target: string;
  readonly body: string;
  readonly state: PostState;
  readonly ref: string | null;
  readonly shown_version: number;
  readonly sent_at: number;
  readonly failures: number;
}

const postOf = (row: Row): TicketPost => ({
  ticketId: `T${row.number}`,
  slot: row.slot,
  target: JSON.parse(row.target) as TicketPost['target'],
  body: JSON.parse(row.body) as TicketPost['body'],
  state: row.state,
  ref: row.ref === null ? null : (JSON.parse(row.ref) as TicketPost['ref']),
  shownVersion: row.shown_version,
  sentAt: row.sent_at,
  failures: row.failures,
});

/** Call inside a write. */
export const planRows = (db: Connection, number: number, posts: readonly PlannedPost[]): void => {
  for (const { slot, target, body } of posts) {
    db.run(
      `INSERT INTO ticket_posts (number, slot, target, body, is_card) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (number, slot) DO NOTHING`,
      number,
      slot,
      JSON.stringify(target),
      JSON.stringify(body),
      Number(body.kind === 'card'),
    );
  }
};

/** Call inside a write that moved the ticket on. */
export const ageCards = (db: Connection, number: number): void => {
  db.run(`UPDATE ticket_posts SET is_stale = 1 WHERE number = ? AND is_card = 1 AND state <> 'dropped'`, number);
};

type Posts = Pick<
  TicketStore,
  | 'planPosts'
  | 'readPosts'
  | 'listStalePosts'
  | 'nextPostAt'
  | 'markPostSending'
  | 'markPostUnsent'
  | 'markPosted'
  | 'postponePost'
  | 'dropPost'
>;

/** `numberOf` throws `AppError('ticket_missing')`. */
export const createTicketPosts = (db: Connection, numberOf: (ticketId: string) => number): Posts => {
  const change = (ticketId: string, slot: string, sql: string, ...values: readonly (string | number)[]): Promise<void> =>
    db.write(() => {
      const changed = db.run(`UPDATE ticket_posts SET ${sql} WHERE number = ? AND slot = ?`, ...values, numberOf(ticketId), slot);
      if (changed === 0) throw new AppError('internal', `${ticketId}: expected a post ${slot} that was planned, got none`);
    });

  return {
    planPosts: (ticketId, posts) => db.write(() => planRows(db, numberOf(ticketId), posts)),

    readPosts: async (ticketId) =>
      db.all<Row>('SELECT * FROM ticket_posts WHERE number = ? ORDER BY position', numberOf(ticketId)).map(postOf),

    listStalePosts: async (now, limit) =>
      db
        .all<Row>('SELECT * FROM ticket_posts WHERE is_stale = 1 AND not_before <= ? ORDER BY position LIMIT ?', now, limit)
        .map(postOf),

    nextPostAt: async () =>
      db.get<{ at: number | null }>('SELECT min(not_before) AS at FROM ticket_posts WHERE is_stale = 1')?.at ?? undefined,

    markPostSending: (ticketId, slot, now) => change(ticketId, slot, `state = 'sending', sent_at = ?`, now),

    markPostUnsent: (ticketId, slot) => change(ticketId, slot, `state = 'planned', sent_at = 0`),

    markPosted: (ticketId, slot, ref, shownVersion) =>
      change(
        ticketId,
        slot,
        `state = 'posted', ref = ?, shown_version = ?, failures = 0, not_before = 0,
         is_stale = is_card = 1 AND (SELECT version FROM tickets t WHERE t.number = ticket_posts.number) > ?`,
        JSON.stringify(ref),
        shownVersion,
        shownVersion,
      ),

    postponePost: (ticketId, slot, notBefore) => change(ticketId, slot, 'failures = failures + 1, not_before = ?', notBefore),

    dropPost: (ticketId, slot) => change(ticketId, slot, `state = 'dropped', is_stale = 0`),
  };
};
