/** Documents, chunks and words, with the vectors of the chunks. The label filter is part of each query, before its limit. */
import type { Passage } from '../agent/conversation.ts';
import type { DocumentRecord, KnowledgeStore } from '../agent/ports/knowledge.ts';
import type { WordQuery } from '../agent/words.ts';
import type { Connection } from './sqlite-connection.ts';
import { createVectors } from './sqlite-vectors.ts';
import { createWordRank, type RankTerm, type WordRankOptions } from './sqlite-word-rank.ts';

const WORD_COLUMNS = ['title', 'heading', 'words'];
const CHUNK_WORDS: WordRankOptions = {
  index: 'chunk_words',
  tokenize: 'porter unicode61',
  weights: { title: 2, heading: 1.5, words: 1, bigrams: 1 },
  rows: 'chunk_lengths',
  state: 'knowledge_state',
};

const asTerms = ({ words, bigrams }: WordQuery): readonly RankTerm[] => [
  ...words.map((text) => ({ text, columns: WORD_COLUMNS })),
  // Alone, a single character would miss every longer word.
  ...bigrams.map((text) => ({ text, columns: ['bigrams'], isPrefix: [...text].length === 1 })),
];

interface PassageRow {
  readonly chunk_id: string;
  readonly document_id: string;
  readonly title: string;
  readonly heading_path: string;
  readonly source: string;
  readonly location: string;
  readonly text: string;
  readonly date: string | null;
  readonly label: string;
}

const PASSAGE_COLUMNS = 'c.id AS chunk_id, c.document_id, d.title, c.heading_path, d.source, c.location, c.text, d.date, c.label';

const asPassage = (row: PassageRow): Passage => ({
  chunkId: row.chunk_id,
  documentId: row.document_id,
  title: row.title,
  headingPath: JSON.parse(row.heading_path) as string[],
  source: row.source,
  location: row.location,
  text: row.text,
  date: row.date,
  label: row.label,
  score: 0,
});

export const createKnowledge = (db: Connection): KnowledgeStore => {
  const wordRank = createWordRank(db, CHUNK_WORDS);

  const touch = (): void => {
    db.run('UPDATE knowledge_state SET revision = revision + 1');
  };

  return {
    ...createVectors(db, {
      rows: 'chunks',
      text: 'text',
      label: 'label',
      vectors: 'vectors',
      key: 'chunk_key',
      state: 'knowledge_state',
    }),

    async listDocuments(root) {
      const columns = 'id, root, source, title, label, date, content_hash AS contentHash';
      const rows =
        root === undefined
          ? db.all<DocumentRecord>(`SELECT ${columns} FROM documents ORDER BY root, source`)
          : db.all<DocumentRecord>(`SELECT ${columns} FROM documents WHERE root = ? ORDER BY source`, root);
      return rows.map((row) => ({ ...row }));
    },

    async putDocument(document, chunks) {
      await db.write(() => {
        db.run('DELETE FROM documents WHERE id = ?', document.id);
        db.run(
          'INSERT INTO documents (id, root, source, title, label, date, content_hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
          document.id,
          document.root,
          document.source,
          document.title,
          document.label,
          document.date,
          document.contentHash,
        );
        for (const chunk of chunks) {
          const row = db.get<{ key: number }>(
            `INSERT INTO chunks (id, document_id, label, position, heading_path, location, text)
             VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING key`,
            chunk.id,
            document.id,
            document.label,
            chunk.position,
            JSON.stringify(chunk.headingPath),
            chunk.location,
            chunk.text,
          );
          const key = row?.key ?? 0;
          db.run(
            'INSERT INTO chunk_words (rowid, title, heading, words, bigrams) VALUES (?, ?, ?, ?, ?)',
            key,
            document.title,
            chunk.headingPath.join(' '),
            chunk.words,
            chunk.bigrams,
          );
          const length = wordRank.lengthOf(key);
          db.run('INSERT INTO chunk_lengths (key, label, length) VALUES (?, ?, ?)', key, document.label, length);
        }
        touch();
      });
    },

    async removeDocuments(ids) {
      await db.write(() => {
        const removed = db.run('DELETE FROM documents WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
        if (removed > 0) touch();
      });
    },

    async countDocuments() {
      const row = db.get<{ documents: number; chunks: number; vectors: number }>(
        `SELECT (SELECT count(*) FROM documents) AS documents, (SELECT count(*) FROM chunks) AS chunks,
                (SELECT count(*) FROM vectors) AS vectors`,
      );
      return { documents: row?.documents ?? 0, chunks: row?.chunks ?? 0, vectors: row?.vectors ?? 0 };
    },

    async searchWords(query, labels, limit) {
      const filter = { sql: 'entry.label IN (SELECT value FROM json_each(?))', params: [JSON.stringify(labels)] };
      const ranked = wordRank.search(asTerms(query), filter, limit);
      return db
        .all<{ at: number; chunkId: string }>(
          'SELECT ranked.key AS at, c.id AS chunkId FROM json_each(?) ranked JOIN chunks c ON c.key = ranked.value ORDER BY at',
          JSON.stringify(ranked.map(({ key }) => key)),
        )
        .map(({ at, chunkId }) => ({ chunkId, score: ranked[at]?.score ?? 0 }));
    },

    async readPassages(chunkIds, labels) {
      return db
        .all<PassageRow>(
          `SELECT ${PASSAGE_COLUMNS}
           FROM json_each(?) wanted JOIN chunks c ON c.id = wanted.value JOIN documents d ON d.id = c.document_id
           WHERE c.label IN (SELECT value FROM json_each(?)) ORDER BY wanted.key`,
          JSON.stringify(chunkIds),
          JSON.stringify(labels),
        )
        .map(asPassage);
    },

    async readNeighbours(chunkId, labels, span) {
      return db
        .all<PassageRow>(
          `SELECT ${PASSAGE_COLUMNS}
           FROM chunks middle
           JOIN chunks c ON c.document_id = middle.document_id AND c.position BETWEEN middle.position - ?2 AND middle.position + ?2
           JOIN documents d ON d.id = c.document_id
           WHERE middle.id = ?1 AND c.key <> middle.key AND c.label IN (SELECT value FROM json_each(?3))
           ORDER BY abs(c.position - middle.position), c.position`,
          chunkId,
          span,
          JSON.stringify(labels),
        )
        .map(asPassage);
    },
  };
};
