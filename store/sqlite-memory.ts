/**
 * Observations with their words and vectors. Who may read one is its shelf, an audience with labels; every query is given the
 * shelves that its reader may read, so that the rule stands in one place.
 */
import type { Place } from '../agent/conversation.ts';
import type { ObservationKind } from '../agent/ports/memory.ts';
import type {
  IndexedObservation,
  MemoryStore,
  ObservationRecord,
  ObservationTerms,
  Reader,
} from '../agent/ports/memory-store.ts';
import type { Connection } from './sqlite-connection.ts';
import { createForgetting } from './sqlite-memory-forget.ts';
import { createNotes } from './sqlite-memory-notes.ts';
import { createVectors } from './sqlite-vectors.ts';
import { createWordRank, type WordRankOptions } from './sqlite-word-rank.ts';

const WORD_COLUMNS = ['words', 'context', 'date'];
const OBSERVATION_WORDS: WordRankOptions = {
  index: 'observation_words',
  tokenize: 'porter unicode61',
  weights: { words: 1, context: 0.7, date: 0.7, bigrams: 1 },
  rows: 'observation_lengths',
  state: 'memory_state',
};

interface Row {
  readonly id: string;
  readonly audience: string;
  readonly labels: string;
  readonly kind: ObservationKind;
  readonly text: string;
  readonly quote: string;
  readonly before: string;
  readonly before_turn_id: string | null;
  readonly role: ObservationRecord['role'];
  readonly author_id: string;
  readonly speaker: string;
  readonly turn_id: string;
  readonly conversation_id: string;
  readonly place_kind: Place['kind'];
  readonly place_id: string;
  readonly observed_at: number;
  readonly valid_until: number | null;
  readonly replaced_by: string | null;
  readonly significance: number;
  readonly explicit: number;
}

const COLUMNS = `o.id, s.audience, s.labels, o.kind, o.text, o.quote, o.before, o.before_turn_id, o.role, o.author_id, o.speaker, o.turn_id,
  o.conversation_id, o.place_kind, o.place_id, o.observed_at, o.valid_until, o.replaced_by, o.significance, o.explicit`;

const asRecord = (row: Row): ObservationRecord => ({
  id: row.id,
  audience: row.audience,
  kind: row.kind,
  text: row.text,
  quote: row.quote,
  before: row.before,
  beforeTurnId: row.before_turn_id,
  role: row.role,
  authorId: row.author_id,
  speaker: row.speaker,
  turnId: row.turn_id,
  conversationId: row.conversation_id,
  place: { kind: row.place_kind, id: row.place_id },
  labels: JSON.parse(row.labels) as string[],
  observedAt: row.observed_at,
  validUntil: row.valid_until,
  replacedBy: row.replaced_by,
  significance: row.significance,
  explicit: row.explicit === 1,
});

export const createMemoryStore = (db: Connection): MemoryStore => {
  const wordRank = createWordRank(db, OBSERVATION_WORDS);

  const touch = (): void => {
    db.run('UPDATE memory_state SET revision = revision + 1');
  };

  const shelvesOf = ({ audiences, labels }: Reader): readonly number[] =>
    db
      .all<{ key: number }>(
        `SELECT key FROM shelves WHERE audience IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM json_each(shelves.labels) needed
                         WHERE needed.value NOT IN (SELECT value FROM json_each(?)))
         ORDER BY key`,
        JSON.stringify(audiences),
        JSON.stringify(labels),
      )
      .map(({ key }) => key);

  const ensureShelf = (audience: string, labels: readonly string[]): number => {
    const sorted = JSON.stringify([...new Set(labels)].sort());
    db.run('INSERT INTO shelves (audience, labels) VALUES (?, ?) ON CONFLICT DO NOTHING', audience, sorted);
    return db.get<{ key: number }>('SELECT key FROM shelves WHERE audience = ? AND labels = ?', audience, sorted)?.key ?? 0;
  };

  const dropIndexed = (key: number): void => {
    db.run('DELETE FROM observation_words WHERE rowid = ?', key);
    db.run('DELETE FROM observation_lengths WHERE key = ?', key);
    db.run('DELETE FROM observation_vectors WHERE observation_key = ?', key);
  };

  const indexWords = (key: number, { words, context, date, bigrams }: ObservationTerms): void => {
    const sql = 'INSERT INTO observation_words (rowid, words, context, date, bigrams) VALUES (?, ?, ?, ?, ?)';
    db.run(sql, key, words, context, date, bigrams);
    db.run(
      'INSERT INTO observation_lengths (key, shelf, role, length) SELECT key, shelf, role, ? FROM observations WHERE key = ?',
      wordRank.lengthOf(key),
      key,
    );
  };

  const insert = (observation: IndexedObservation): void => {
    const isCurrent = observation.validUntil === null;
    const row = db.get<{ key: number }>(
      `INSERT INTO observations (id, shelf, kind, text, quote, before, before_turn_id, embedded, role, author_id, speaker, turn_id, conversation_id,
         place_kind, place_id, observed_at, valid_until, replaced_by, significance, explicit, embedding)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING key`,
      observation.id,
      ensureShelf(observation.audience, observation.labels),
      observation.kind,
      observation.text,
      observation.quote,
      observation.before,
      observation.beforeTurnId,
      observation.terms.embedded,
      observation.role,
      observation.authorId,
      observation.speaker,
      observation.turnId,
      observation.conversationId,
      observation.place.kind,
      observation.place.id,
      observation.observedAt,
      observation.validUntil,
      observation.replacedBy,
      observation.significance,
      observation.explicit ? 1 : 0,
      isCurrent ? 0 : 2,
    );
    if (row !== undefined && isCurrent) indexWords(row.key, observation.terms);
  };

  const replace = (id: string, validUntil: number, replacedBy: string): void => {
    const row = db.get<{ key: number }>(
      'UPDATE observations SET valid_until = ?, replaced_by = ?, embedding = 2 WHERE id = ? AND valid_until IS NULL RETURNING key',
      validUntil,
      replacedBy,
      id,
    );
    if (row !== undefined) dropIndexed(row.key);
  };

  /** Takes away what stood before. */
  const bereave = (id: string, terms: ObservationTerms): void => {
    const row = db.get<{ key: number; valid_until: number | null }>(
      `UPDATE observations SET before = '', before_turn_id = NULL, embedded = ?,
         embedding = CASE WHEN valid_until IS NULL THEN 0 ELSE 2 END
       WHERE id = ? RETURNING key, valid_until`,
      terms.embedded,
      id,
    );
    if (row === undefined) return;
    dropIndexed(row.key);
    if (row.valid_until === null) indexWords(row.key, terms);
  };

  const notes = createNotes(db);
  return {
    ...createVectors(db, {
      rows: 'observations',
      text: 'embedded',
      label: 'shelf',
      vectors: 'observation_vectors',
      key: 'observation_key',
      state: 'memory_state',
    }),
    ...createForgetting(db, { touch, bereave }),
    ...notes,

    async learnTurn({ turnId, observations, replaced, pins }) {
      return db.write(() => {
        const turn = db.get<{ learnt: number }>('SELECT learnt FROM turns WHERE turn_id = ?', turnId);
        const isKnown = db.get('SELECT 1 FROM observations WHERE turn_id = ? LIMIT 1', turnId) !== undefined;
        if (turn?.learnt === 1 || isKnown) return false;
        db.run('UPDATE turns SET learnt = 1 WHERE turn_id = ?', turnId);
        for (const observation of observations) insert(observation);
        for (const { id, validUntil, replacedBy } of replaced) replace(id, validUntil, replacedBy);
        for (const pin of pins) notes.insertPin(pin);
        if (observations.length + replaced.length > 0) touch();
        return true;
      });
    },

    async searchWords({ words, bigrams }, roles, reader, limit) {
      const ranked = wordRank.search(
        [
          ...words.map((text) => ({ text, columns: WORD_COLUMNS })),
          ...bigrams.map((text) => ({ text, columns: ['bigrams'], isPrefix: [...text].length === 1 })),
        ],
        {
          sql: 'entry.shelf IN (SELECT value FROM json_each(?)) AND entry.role IN (SELECT value FROM json_each(?))',
          params: [JSON.stringify(shelvesOf(reader)), JSON.stringify(roles)],
        },
        limit,
      );
      return db
        .all<{ at: number; id: string }>(
          'SELECT ranked.key AS at, o.id FROM json_each(?) ranked JOIN observations o ON o.key = ranked.value ORDER BY at',
          JSON.stringify(ranked.map(({ key }) => key)),
        )
        .map(({ at, id }) => ({ id, score: ranked[at]?.score ?? 0 }));
    },

    async listShelves(reader) {
      return shelvesOf(reader).map(String);
    },

    async readObservations(ids, reader) {
      return db
        .all<Row>(
          `SELECT ${COLUMNS} FROM json_each(?) wanted JOIN observations o ON o.id = wanted.value JOIN shelves s ON s.key = o.shelf
           WHERE o.shelf IN (SELECT value FROM json_each(?)) ORDER BY wanted.key`,
          JSON.stringify(ids),
          JSON.stringify(shelvesOf(reader)),
        )
        .map(asRecord);
    },

    async listObservations(reader, { authorIds, withReplaced = false, limit }) {
      return db
        .all<Row>(
          `SELECT ${COLUMNS} FROM observations o JOIN shelves s ON s.key = o.shelf
           WHERE o.shelf IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR o.author_id IN (SELECT value FROM json_each(?2)))
             AND (?3 OR o.valid_until IS NULL) ORDER BY o.observed_at DESC, o.key DESC LIMIT ?4`,
          JSON.stringify(shelvesOf(reader)),
          authorIds === undefined ? null : JSON.stringify(authorIds),
          withReplaced ? 1 : 0,
          limit,
        )
        .map(asRecord);
    },

    async listAudiencesOf(authorIds) {
      return db
        .all<{ audience: string }>(
          `SELECT DISTINCT s.audience FROM observations o JOIN shelves s ON s.key = o.shelf
           WHERE o.author_id IN (SELECT value FROM json_each(?)) ORDER BY s.audience`,
          JSON.stringify(authorIds),
        )
        .map(({ audience }) => audience);
    },

    async listBehind(turnIds) {
      return db
        .all<Row>(
          `SELECT ${COLUMNS} FROM observations o JOIN shelves s ON s.key = o.shelf
           WHERE o.before_turn_id IN (SELECT value FROM json_each(?)) ORDER BY o.key`,
          JSON.stringify(turnIds),
        )
        .map(asRecord);
    },

    async editObservation(id, text, terms) {
      await db.write(() => {
        const row = db.get<{ key: number }>(
          'UPDATE observations SET text = ?, quote = ?, embedded = ?, embedding = 0 WHERE id = ? AND valid_until IS NULL RETURNING key',
          text,
          text,
          terms.embedded,
          id,
        );
        if (row === undefined) return;
        dropIndexed(row.key);
        indexWords(row.key, terms);
        touch();
      });
    },

    async moveObservation(id, audience, terms) {
      await db.write(() => {
        const row = db.get<{ labels: string }>(
          'SELECT s.labels FROM observations o JOIN shelves s ON s.key = o.shelf WHERE o.id = ?',
          id,
        );
        if (row === undefined) return;
        const shelf = ensureShelf(audience, JSON.parse(row.labels) as string[]);
        db.run('UPDATE observations SET shelf = ? WHERE id = ?', shelf, id);
        bereave(id, terms);
        touch();
      });
    },
  };
};
