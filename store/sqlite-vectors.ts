/** The vectors beside a table of texts. */
import { endianness } from 'node:os';
import { AppError } from '../agent/errors.ts';
import type { IndexIdentity, VectorStore } from '../agent/ports/vector-store.ts';
import type { Connection } from './sqlite-connection.ts';

/** A table with `key INTEGER PRIMARY KEY`, `id` and `embedding`, and what stands beside it. */
export interface VectorTables {
  readonly rows: string;
  /** The column that vectors are made of. */
  readonly text: string;
  /** The column of `rows` that searches filter by. */
  readonly label: string;
  /** A table of `key` and `vector`, 32-bit floats, little endian. */
  readonly vectors: string;
  /** Its column that names the row. */
  readonly key: string;
  /** A table of one row: `revision`, `embedder_id`, `dimensions`. */
  readonly state: string;
}

const asBlob = (vector: Float32Array): Uint8Array => {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32();
};

const asVector = (blob: Uint8Array): Float32Array => {
  const bytes = Uint8Array.from(blob);
  if (endianness() === 'BE') Buffer.from(bytes.buffer).swap32();
  return new Float32Array(bytes.buffer);
};

export const createVectors = (db: Connection, { rows, text, label, vectors, key, state }: VectorTables): VectorStore => {
  const touch = (): void => {
    db.run(`UPDATE ${state} SET revision = revision + 1`);
  };

  const readIdentity = (): IndexIdentity | undefined => {
    const row = db.get<{ embedder_id: string | null; dimensions: number | null }>(`SELECT embedder_id, dimensions FROM ${state}`);
    if (row === undefined || row.embedder_id === null || row.dimensions === null) return undefined;
    return { embedderId: row.embedder_id, dimensions: row.dimensions };
  };

  return {
    async readIdentity() {
      return readIdentity();
    },

    async resetVectors(identity) {
      await db.write(() => {
        const old = readIdentity();
        if (old?.embedderId === identity.embedderId && old.dimensions === identity.dimensions) return;
        db.run(`DELETE FROM ${vectors}`);
        db.run(`UPDATE ${rows} SET embedding = 0 WHERE embedding <> 0`);
        db.run(`UPDATE ${state} SET embedder_id = ?, dimensions = ?`, identity.embedderId, identity.dimensions);
        touch();
      });
    },

    async listUnembedded(limit) {
      return db
        .all<{ id: string; text: string; label: string }>(
          `SELECT id, ${text} AS text, CAST(${label} AS TEXT) AS label FROM ${rows} WHERE embedding = 0 ORDER BY key LIMIT ?`,
          limit,
        )
        .map((row) => ({ ...row }));
    },

    async countUnembedded() {
      const counts = db.all<{ label: string; count: number }>(
        `SELECT CAST(${label} AS TEXT) AS label, count(*) AS count FROM ${rows} WHERE embedding = 0 GROUP BY ${label}`,
      );
      return new Map(counts.map((row) => [row.label, row.count]));
    },

    async putVectors(made) {
      await db.write(() => {
        const dimensions = readIdentity()?.dimensions;
        let changed = 0;
        for (const { id, vector, text: madeOf = null } of made) {
          if (vector !== null && vector.length !== dimensions) {
            throw new AppError(
              'index_mismatch',
              `The index holds vectors of ${dimensions ?? 'no'} dimensions; one of ${vector.length} came. Rebuild the index with the embedder that is configured.`,
            );
          }
          const row = db.get<{ key: number }>(
            `UPDATE ${rows} SET embedding = ?1 WHERE id = ?2 AND (?3 IS NULL OR ${text} = ?3) RETURNING key`,
            vector === null ? 2 : 1,
            id,
            madeOf,
          );
          if (row === undefined) continue;
          changed++;
          if (vector === null) db.run(`DELETE FROM ${vectors} WHERE ${key} = ?`, row.key);
          else db.run(`INSERT OR REPLACE INTO ${vectors} (${key}, vector) VALUES (?, ?)`, row.key, asBlob(vector));
        }
        if (changed > 0) touch();
      });
    },

    async listVectors(afterId, limit) {
      return db
        .all<{ id: string; label: string; vector: Uint8Array }>(
          `SELECT r.id, CAST(r.${label} AS TEXT) AS label, v.vector FROM ${rows} r JOIN ${vectors} v ON v.${key} = r.key
           WHERE r.id > ? ORDER BY r.id LIMIT ?`,
          afterId,
          limit,
        )
        .map((row) => ({ id: row.id, label: row.label, vector: asVector(row.vector) }));
    },

    async readRevision() {
      return db.get<{ revision: number }>(`SELECT revision FROM ${state}`)?.revision ?? 0;
    },
  };
};
