/** Documents, chunks, words and vectors. The label filter is part of each query, before its limit. */
import { endianness } from 'node:os';
import type { Passage } from '../agent/conversation.ts';
import { AppError } from '../agent/errors.ts';
import type { DocumentRecord, IndexIdentity, KnowledgeStore } from '../agent/ports/knowledge.ts';
import type { Connection } from './sqlite-connection.ts';

/** What a match in each column of the words index counts for: title, heading, words, bigrams. */
const COLUMN_WEIGHTS = [2, 1.5, 1, 1] as const;

const asBlob = (vector: Float32Array): Uint8Array => {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32();
};

const asVector = (blob: Uint8Array): Float32Array => {
  const bytes = Uint8Array.from(blob);
  if (endianness() === 'BE') Buffer.from(bytes.buffer).swap32();
  return new Float32Array(bytes.buffer);
};

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

  const readIdentity = (): IndexIdentity | undefined => {
    const row = db.get<{ embedder_id: string | null; dimensions: number | null }>(
      'SELECT embedder_id, dimensions FROM knowledge_state',
    );
    if (row === undefined || row.embedder_id === null || row.dimensions === null) return undefined;
    return { embedderId: row.embedder_id, dimensions: row.dimensions };
  };

  return {
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

    async readIdentity() {
      return readIdentity();
    },

    async resetVectors(identity) {
      await db.write(() => {
        const old = readIdentity();
        if (old?.embedderId === identity.embedderId && old.dimensions === identity.dimensions) return;
        db.run('DELETE FROM vectors');
        db.run('UPDATE chunks SET embedding = 0 WHERE embedding <> 0');
        db.run('UPDATE knowledge_state SET embedder_id = ?, dimensions = ?', identity.embedderId, identity.dimensions);
        touch();
      });
    },

    async listUnembedded(limit) {
      return db
        .all<{ id: string; text: string; label: string }>(
          'SELECT id, text, label FROM chunks WHERE embedding = 0 ORDER BY key LIMIT ?',
          limit,
        )
        .map((row) => ({ ...row }));
    },

    async putVectors(vectors) {
      await db.write(() => {
        const dimensions = readIdentity()?.dimensions;
        let changed = 0;
        for (const { chunkId, vector } of vectors) {
          if (vector !== null && vector.length !== dimensions) {
            throw new AppError(
              'index_mismatch',
              `The index holds vectors of ${dimensions ?? 'no'} dimensions; one of ${vector.length} came. Rebuild the index with the embedder that is configured.`,
            );
          }
          const row = db.get<{ key: number }>(
            'UPDATE chunks SET embedding = ? WHERE id = ? RETURNING key',
            vector === null ? 2 : 1,
            chunkId,
          );
          if (row === undefined) continue;
          changed++;
          if (vector === null) db.run('DELETE FROM vectors WHERE chunk_key = ?', row.key);
          else db.run('INSERT OR REPLACE INTO vectors (chunk_key, vector) VALUES (?, ?)', row.key, asBlob(vector));
        }
        if (changed > 0) touch();
      });
    },

    async listVectors(afterChunkId, limit) {
      return db
        .all<{ id: string; label: string; vector: Uint8Array }>(
          `SELECT c.id, c.label, v.vector FROM chunks c JOIN vectors v ON v.chunk_key = c.key
           WHERE c.id > ? ORDER BY c.id LIMIT ?`,
          afterChunkId,
          limit,
        )
        .map((row) => ({ chunkId: row.id, label: row.label, vector: asVector(row.vector) }));
    },

    async readRevision() {
      return db.get<{ revision: number }>('SELECT revision FROM knowledge_state')?.revision ?? 0;
    },
  };
};
