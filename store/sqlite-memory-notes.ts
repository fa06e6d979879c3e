/** Pins, notes of conversations, and accounts of one person. */
import type { JsonObject } from '../agent/json.ts';
import type { MemoryStore, PinRecord } from '../agent/ports/memory-store.ts';
import type { Connection } from './sqlite-connection.ts';

type Notes = Pick<
  MemoryStore,
  | 'putPin'
  | 'listPins'
  | 'activatePin'
  | 'readNote'
  | 'putNote'
  | 'removeNotes'
  | 'putLinkCode'
  | 'redeemLinkCode'
  | 'listAccounts'
  | 'unlink'
>;

/** The platform of an account: `slack` of `slack:U1`. */
const platformOf = (userId: string): string => userId.slice(0, userId.indexOf(':'));

export const createNotes = (db: Connection): Notes & { insertPin(pin: PinRecord): void } => {
  /** Call inside a write. */
  const insertPin = ({ id, audience, text, state, authorId, turnId, pinnedAt }: PinRecord): void => {
    db.run(
      `INSERT INTO pins (id, audience, text, state, author_id, turn_id, pinned_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
      id,
      audience,
      text,
      state,
      authorId,
      turnId,
      pinnedAt,
    );
  };

  const accountsOf = (userId: string): readonly string[] => {
    const linked = db
      .all<{ user_id: string }>(
        'SELECT user_id FROM accounts WHERE person_id = (SELECT person_id FROM accounts WHERE user_id = ?) ORDER BY user_id',
        userId,
      )
      .map((row) => row.user_id);
    return linked.length === 0 ? [userId] : linked;
  };

  return {
    insertPin,

    async putPin(pin) {
      await db.write(() => insertPin(pin));
    },

    async listPins(audiences) {
      return db
        .all<PinRecord>(
          `SELECT id, audience, text, state, author_id AS authorId, turn_id AS turnId, pinned_at AS pinnedAt FROM pins
           WHERE audience IN (SELECT value FROM json_each(?)) ORDER BY pinned_at, key`,
          JSON.stringify(audiences),
        )
        .map((row) => ({ ...row }));
    },

    async activatePin(id) {
      await db.write(() => db.run(`UPDATE pins SET state = 'active' WHERE id = ?`, id));
    },

    async readNote(conversationId, name) {
      const sql = 'SELECT value FROM conversation_notes WHERE conversation_id = ? AND name = ?';
      const row = db.get<{ value: string }>(sql, conversationId, name);
      return row === undefined ? undefined : (JSON.parse(row.value) as JsonObject);
    },

    async putNote(conversationId, name, value) {
      await db.write(() =>
        db.run(
          `INSERT INTO conversation_notes (conversation_id, name, value) VALUES (?, ?, ?)
           ON CONFLICT (conversation_id, name) DO UPDATE SET value = excluded.value`,
          conversationId,
          name,
          JSON.stringify(value),
        ),
      );
    },

    async removeNotes(conversationId) {
      await db.write(() => db.run('DELETE FROM conversation_notes WHERE conversation_id = ?', conversationId));
    },

    async putLinkCode(codeHash, userId, expiresAt) {
      await db.write(() =>
        db.run(
          'INSERT OR REPLACE INTO link_codes (user_id, code_hash, expires_at) VALUES (?, ?, ?)',
          userId,
          codeHash,
          expiresAt,
        ),
      );
    },

    async redeemLinkCode(codeHash, userId, now) {
      return db.write(() => {
        const code = db.get<{ user_id: string; expires_at: number }>(
          'SELECT user_id, expires_at FROM link_codes WHERE code_hash = ?',
          codeHash,
        );
        if (code === undefined || code.expires_at <= now) return 'unknown';
        const accounts = new Set([...accountsOf(code.user_id), ...accountsOf(userId)]);
        if (new Set([...accounts].map(platformOf)).size < accounts.size || code.user_id === userId) return 'same_channel';
        db.run('DELETE FROM link_codes WHERE code_hash = ?', codeHash);
        for (const account of accounts) {
          db.run('INSERT OR REPLACE INTO accounts (user_id, person_id) VALUES (?, ?)', account, code.user_id);
        }
        return 'linked';
      });
    },

    async listAccounts(userId) {
      return accountsOf(userId);
    },

    async unlink(userId) {
      await db.write(() => db.run('DELETE FROM accounts WHERE user_id = ?', userId));
    },
  };
};
