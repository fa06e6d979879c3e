/** What was said: transcripts and lists of them, and the small things kept beside (notices, feedback, settings). */
import type { InboundMessage, Turn } from '../agent/conversation.ts';
import type { JsonObject } from '../agent/json.ts';
import type { FeedbackInput } from '../agent/ports/channel.ts';
import type { Store, TurnState, TurnSummary } from '../agent/ports/store.ts';
import type { Connection } from './sqlite-connection.ts';

const TITLE_LENGTH = 80;

/** One line, cut between characters. */
const titleOf = (question: string): string => {
  const characters = [...question.replace(/\s+/gu, ' ').trim()];
  return characters.length <= TITLE_LENGTH ? characters.join('') : `${characters.slice(0, TITLE_LENGTH - 1).join('')}…`;
};

interface Row {
  readonly turn_id: string;
  readonly conversation_id: string;
  readonly state: TurnState;
  readonly message: string;
  readonly turn: string | null;
}

const asSummary = (row: Row): TurnSummary => ({
  turnId: row.turn_id,
  conversationId: row.conversation_id,
  state: row.state,
  message: JSON.parse(row.message) as InboundMessage,
  turn: row.turn === null ? null : (JSON.parse(row.turn) as Turn),
});

type Transcript = Pick<
  Store,
  | 'hasTurns'
  | 'readTranscript'
  | 'readTurn'
  | 'repairTurns'
  | 'listTurns'
  | 'listConversations'
  | 'questionTimes'
  | 'putFeedback'
  | 'listFeedback'
  | 'readSetting'
  | 'writeSetting'
  | 'countStates'
>;

export const createTranscript = (db: Connection): Transcript => ({
  async hasTurns(conversationId) {
    // A dropped question (done without an answer) left nothing in the conversation, and who was only sent away takes no part in it.
    const sql = `SELECT 1 FROM turns WHERE conversation_id = ? AND (state <> 'done' OR turn IS NOT NULL)
      AND coalesce(json_extract(message, '$.refusal.reason'), '') NOT IN ('not_allowed', 'members_only') LIMIT 1`;
    return db.get(sql, conversationId) !== undefined;
  },

  async readTranscript(conversationId, limit) {
    // For `+?` see `checkLease`.
    return db
      .all<{ turn: string }>(
        'SELECT turn FROM turns WHERE conversation_id = +? AND turn IS NOT NULL ORDER BY seq DESC LIMIT ?',
        conversationId,
        limit,
      )
      .map((row) => JSON.parse(row.turn) as Turn)
      .reverse();
  },

  async readTurn(turnId) {
    const row = db.get<Row>('SELECT turn_id, conversation_id, state, message, turn FROM turns WHERE turn_id = ?', turnId);
    return row === undefined ? undefined : asSummary(row);
  },

  async repairTurns(turns) {
    if (turns.length === 0) return;
    await db.write(() => {
      for (const turn of turns) {
        db.run(
          `UPDATE turns SET turn = ? WHERE turn_id = ? AND json_extract(turn, '$.question') <> ''`,
          JSON.stringify(turn),
          turn.turnId,
        );
      }
    });
  },

  async listTurns(conversationId) {
    return db
      .all<Row>(
        'SELECT turn_id, conversation_id, state, message, turn FROM turns WHERE conversation_id = ? ORDER BY seq',
        conversationId,
      )
      .map(asSummary);
  },

  async listConversations(userId, limit) {
    return db
      .all<{ id: string; updated_at: number; message: string }>(
        `SELECT c.id, c.updated_at, t.message
         FROM conversations c JOIN turns t ON t.seq = (SELECT min(seq) FROM turns WHERE conversation_id = c.id)
         WHERE c.id IN (SELECT conversation_id FROM turns WHERE user_id = ?)
         ORDER BY c.updated_at DESC, t.seq DESC LIMIT ?`,
        userId,
        limit,
      )
      .map((row) => ({
        conversationId: row.id,
        title: titleOf((JSON.parse(row.message) as InboundMessage).text),
        updatedAt: row.updated_at,
      }));
  },

  async questionTimes(userId, since) {
    const sql = `SELECT received_at FROM turns WHERE user_id = ? AND received_at > ?
      AND json_extract(message, '$.refusal.reason') IS NULL ORDER BY received_at`;
    return db.all<{ received_at: number }>(sql, userId, since).map((row) => row.received_at);
  },

  async putFeedback({ turnId, userId, verdict, reason }, now) {
    // A second press of the same button keeps the reason given in between. Buttons of unknown turns are ignored.
    await db.write(() =>
      db.run(
        `INSERT INTO feedback (turn_id, user_id, verdict, reason, given_at)
         SELECT turn_id, ?, ?, ?, ? FROM turns WHERE turn_id = ?
         ON CONFLICT (turn_id, user_id) DO UPDATE SET
           reason = CASE WHEN excluded.reason = '' AND excluded.verdict = verdict THEN reason ELSE excluded.reason END,
           verdict = excluded.verdict,
           given_at = excluded.given_at`,
        userId,
        verdict,
        reason,
        now,
        turnId,
      ),
    );
  },

  async listFeedback(turnId) {
    return db
      .all<FeedbackInput>(
        `SELECT turn_id AS turnId, user_id AS userId, verdict, reason FROM feedback WHERE turn_id = ? ORDER BY given_at, user_id`,
        turnId,
      )
      .map((row) => ({ ...row }));
  },

  async readSetting(owner, name) {
    const row = db.get<{ value: string }>('SELECT value FROM settings WHERE owner = ? AND name = ?', owner, name);
    return row === undefined ? undefined : (JSON.parse(row.value) as JsonObject);
  },

  async writeSetting(owner, name, value) {
    await db.write(() =>
      db.run(
        'INSERT INTO settings (owner, name, value) VALUES (?, ?, ?) ON CONFLICT (owner, name) DO UPDATE SET value = excluded.value',
        owner,
        name,
        JSON.stringify(value),
      ),
    );
  },

  async countStates() {
    const counts: Record<TurnState, number> = { waiting: 0, running: 0, answered: 0, done: 0 };
    const open = db.all<{ state: TurnState; count: number }>(
      `SELECT state, count(*) AS count FROM turns WHERE state <> 'done' GROUP BY state`,
    );
    for (const { state, count } of open) counts[state] = count;
    const all = db.get<{ count: number }>('SELECT count(*) AS count FROM turns')?.count ?? 0;
    counts.done = all - counts.waiting - counts.running - counts.answered;
    return counts;
  },
});
