/** Tickets by what they say: words ranked as documents' are, vectors compared one by one. */
import type { RankedHit } from '../agent/fuse.ts';
import type { SeenTicket, TicketIndex, TicketsAdmitted } from '../agent/ports/ticket-index.ts';
import { indexColumns } from '../agent/words.ts';
import type { Connection } from './sqlite-connection.ts';
import { createWordRank, type RankTerm, type RowFilter } from './sqlite-word-rank.ts';

const MAX_COMPARED = 10_000;

interface SeenRow {
  readonly key: number;
  readonly at: number;
  readonly author_id: string;
  readonly seen: string;
  readonly vector: Uint8Array | null;
}

const filterOf = ({ privateOf }: TicketsAdmitted): RowFilter =>
  privateOf === null
    ? { sql: 'entry.key IN (SELECT number FROM tickets WHERE is_private = 0)', params: [] }
    : {
        sql: `entry.key IN (SELECT number FROM tickets
              WHERE is_private = 0 OR (author_id = ? AND team IS ?))`,
        params: [privateOf.authorId, privateOf.team],
      };

const asBlob = (vector: Float32Array): Uint8Array => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
/** A blob of SQLite need not begin at a multiple of four. */
const asVector = (blob: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(blob).buffer);

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let n = 0; n < a.length; n += 1) sum += (a[n] ?? 0) * (b[n] ?? 0);
  return sum;
};

/** `numberOf` throws `AppError('ticket_missing')`. */
export const createTicketIndex = (db: Connection, numberOf: (ticketId: string) => number): TicketIndex => {
  const words = createWordRank(db, {
    index: 'ticket_words',
    tokenize: 'porter unicode61',
    weights: { words: 1, bigrams: 1 },
    rows: 'ticket_index',
    state: 'ticket_index_state',
  });

  return {
    indexTicket: ({ ticketId, at, categories, codes, vector }, text, embedderId) =>
      db.write(() => {
        const key = numberOf(ticketId);
        const columns = indexColumns(text);
        db.run('DELETE FROM ticket_words WHERE rowid = ?', key);
        db.run('INSERT INTO ticket_words (rowid, words, bigrams) VALUES (?, ?, ?)', key, columns.words, columns.bigrams);
        db.run(
          `INSERT OR REPLACE INTO ticket_index (key, length, at, seen, embedder_id, vector) VALUES (?, ?, ?, ?, ?, ?)`,
          key,
          words.lengthOf(key),
          at,
          JSON.stringify({ categories, codes }),
          vector === null ? null : embedderId,
          vector === null ? null : asBlob(vector),
        );
        db.run('UPDATE ticket_index_state SET revision = revision + 1');
      }),

    searchTicketWords: async (query, admitted, limit) => {
      const terms: readonly RankTerm[] = [
        ...query.words.map((text) => ({ text, columns: ['words'] })),
        ...query.bigrams.map((text) => ({ text, columns: ['bigrams'] })),
      ];
      return words.search(terms, filterOf(admitted), limit).map(({ key, score }): RankedHit => ({ id: `T${key}`, score }));
    },

    searchTicketVectors: async (vector, embedderId, admitted, limit) => {
      const { sql, params } = filterOf(admitted);
      return db
        .all<{ key: number; vector: Uint8Array }>(
          `SELECT key, vector FROM ticket_index AS entry WHERE embedder_id = ? AND ${sql} ORDER BY key DESC LIMIT ?`,
          embedderId,
          ...params,
          MAX_COMPARED,
        )
        .map(({ key, vector: other }): RankedHit => ({ id: `T${key}`, score: dot(vector, asVector(other)) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, limit);
    },

    listSeen: async ({ isPrivate, until, incidentId, embedderId, limit }) =>
      db
        .all<SeenRow>(
          `SELECT entry.key, entry.at, author_id, seen, iif(embedder_id IS ?, vector, NULL) AS vector
           FROM ticket_index AS entry JOIN tickets ON number = entry.key
           WHERE is_private = ? AND entry.at <= ? AND incident_id IS ? AND status <> 'merged'
           ORDER BY entry.at DESC, entry.key DESC LIMIT ?`,
          embedderId,
          Number(isPrivate),
          until,
          incidentId,
          limit,
        )
        .reverse()
        .map(({ key, at, author_id, seen, vector }): SeenTicket => {
          const { categories, codes } = JSON.parse(seen) as Pick<SeenTicket, 'categories' | 'codes'>;
          return { ticketId: `T${key}`, at, authorId: author_id, categories, codes, vector: vector && asVector(vector) };
        }),
  };
};
