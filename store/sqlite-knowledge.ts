/** Documents, chunks and words, with the vectors of the chunks. The label filter is part of each query, before its limit. */
import type { Passage } from '../agent/conversation.ts';
import type { DocumentRecord, KnowledgeStore } from '../agent/ports/knowledge.ts';
import type { Connection } from './sqlite-connection.ts';
import { createVectors } from './sqlite-vectors.ts';

/** What a match in each column of the words index counts for: title, heading, words, bigrams. */
const COLUMN_WEIGHTS = [2, 1.5, 1, 1] as const;

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
  const touch = (): void => {
    db.run('UPDATE knowledge_state SET revision = revision + 1');
  };

  return {
    ...createVectors(db, { rows: 'chunks', label: 'label', vectors: 'vectors', key: 'chunk_key', state: 'knowledge_state' }),

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
          db.run(
            'INSERT INTO chunk_words (rowid, title, heading, words, bigrams) VALUES (?, ?, ?, ?, ?)',
            row?.key ?? null,
            document.title,
            chunk.headingPath.join(' '),
            chunk.words,
            chunk.bigrams,
          );
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

    async searchWords(expression, labels, limit) {
      return db
        .all<{ chunkId: string; score: number }>(
          `SELECT c.id AS chunkId, -bm25(chunk_words, ${COLUMN_WEIGHTS.join(', ')}) AS score
           FROM chunk_words JOIN chunks c ON c.key = chunk_words.rowid
           WHERE chunk_words MATCH ? AND c.label IN (SELECT value FROM json_each(?))
           ORDER BY score DESC, c.id LIMIT ?`,
          expression,
          JSON.stringify(labels),
          limit,
        )
        .map((row) => ({ ...row }));
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
