/** What is learnt from a turn, once; and what is wiped out: rows, their words and vectors, and the turns that they came from. */
import type { InboundMessage, Turn } from '../agent/conversation.ts';
import type { MemoryStore, ObservationTerms } from '../agent/ports/memory-store.ts';
import type { Connection } from './sqlite-connection.ts';

type Forgetting = Pick<MemoryStore, 'listUnlearnt' | 'forget' | 'listTurnsOf' | 'purge'>;

const IN_LIST = 'IN (SELECT value FROM json_each(?))';

/** What stands in the file of the observations: called inside a write. */
export interface ObservationWrites {
  touch(): void;
  bereave(id: string, terms: ObservationTerms): void;
}

export const createForgetting = (db: Connection, { touch, bereave }: ObservationWrites): Forgetting => {
  /** A turn without words stands in no window, and its place in the order stays. */
  const blankTurn = (turnId: string): number => {
    const row = db.get<{ message: string; turn: string | null }>('SELECT message, turn FROM turns WHERE turn_id = ?', turnId);
    if (row === undefined) return 0;
    const message: InboundMessage = { ...(JSON.parse(row.message) as InboundMessage), text: '' };
    const turn = row.turn === null ? null : (JSON.parse(row.turn) as Turn);
    const blank: Turn | null =
      turn === null ? null : { ...turn, question: '', answer: { ...turn.answer, text: '', citations: [], allowedLinks: [] } };
    const sql = 'UPDATE turns SET message = ?, turn = ?, learnt = 1 WHERE turn_id = ?';
    db.run('UPDATE outbox SET part = NULL WHERE turn_id = ?', turnId);
    db.run('DELETE FROM attachments WHERE turn_id = ?', turnId);
    db.run(`UPDATE approvals SET words = '', arguments = '{}' WHERE turn_id = ?`, turnId);
    return db.run(sql, JSON.stringify(message), blank === null ? null : JSON.stringify(blank), turnId);
  };

  return {
    async listUnlearnt(since, limit) {
      return db
        .all<{ message: string; turn: string }>(
          `SELECT message, turn FROM turns INDEXED BY turns_unlearnt
           WHERE learnt = 0 AND state = 'done' AND turn IS NOT NULL AND received_at >= ? ORDER BY seq LIMIT ?`,
          since,
          limit,
        )
        .map(({ message, turn }) => {
          const { scope, place } = JSON.parse(message) as InboundMessage;
          return { turn: JSON.parse(turn) as Turn, at: { scope, place } };
        });
    },

    async forget({ observationIds, turnIds, pinIds, bereft }) {
      const forgotten = await db.write(() => {
        const observed = JSON.stringify(observationIds);
        const notes = db.run(
          `DELETE FROM conversation_notes WHERE conversation_id IN (
             SELECT conversation_id FROM observations WHERE id ${IN_LIST}
             UNION SELECT conversation_id FROM turns WHERE turn_id ${IN_LIST})`,
          observed,
          JSON.stringify(turnIds),
        );
        const emptied = JSON.stringify(turnIds);
        // What the assistant said there was about the same.
        const observations = db.run(
          `DELETE FROM observations WHERE id ${IN_LIST} OR (role <> 'user' AND turn_id ${IN_LIST})`,
          observed,
          emptied,
        );
        const pins = db.run(`DELETE FROM pins WHERE id ${IN_LIST} OR turn_id ${IN_LIST}`, JSON.stringify(pinIds), emptied);
        const turns = turnIds.reduce((sum, turnId) => sum + blankTurn(turnId), 0);
        for (const { id, terms } of bereft) bereave(id, terms);
        if (observations + bereft.length > 0) touch();
        // Segments of the words index keep what was deleted until they are merged.
        if (observations > 0) db.run(`INSERT INTO observation_words (observation_words) VALUES ('optimize')`);
        return { observations, turns, pins, notes };
      });
      // And the log keeps the pages as they were, until it is taken over. A reader elsewhere only delays that.
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return forgotten;
    },

    async listTurnsOf(userIds, placeId) {
      return db
        .all<{ turn: string }>(
          `SELECT turn FROM turns WHERE user_id IN (SELECT value FROM json_each(?1)) AND state = 'done' AND turn IS NOT NULL
             AND (?2 IS NULL OR json_extract(message, '$.place.id') = ?2) ORDER BY seq DESC`,
          JSON.stringify(userIds),
          placeId ?? null,
        )
        .map(({ turn }) => JSON.parse(turn) as Turn);
    },

    async purge(kind, before) {
      return db.write(() => {
        if (kind === 'pin') return db.run('DELETE FROM pins WHERE pinned_at < ?', before);
        if (kind === 'summary') {
          const spoken = 'SELECT 1 FROM turns t WHERE t.conversation_id = n.conversation_id AND t.received_at >= ?';
          return db.run(`DELETE FROM conversation_notes AS n WHERE name = 'summary' AND NOT EXISTS (${spoken})`, before);
        }
        const removed = db.run('DELETE FROM observations WHERE kind = ? AND observed_at < ?', kind, before);
        if (removed > 0) touch();
        return removed;
      });
    },
  };
};
