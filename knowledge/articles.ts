/** Approved articles from tickets as documents: each of its own, under a root that no folder has, so that no sync takes it out. */
import { createHash } from 'node:crypto';
import type { ArticleShelf } from '../agent/ports/article-shelf.ts';
import type { DocumentRecord, KnowledgeStore } from '../agent/ports/knowledge.ts';
import { CHUNKING_VERSION } from './chunk.ts';
import type { ParseFile } from './parser.ts';
import { partsOf } from './parts.ts';
import { documentIdOf } from './prepare.ts';

const ROOT = 'tickets';

/** What citations show. */
const sourceOf = (ticketId: string): string => `tickets/${ticketId}.md`;
const ticketOf = (source: string): string => source.slice(`${ROOT}/`.length, -'.md'.length);

export const createArticleShelf = (store: KnowledgeStore, parse: ParseFile): ArticleShelf => ({
  put: async ({ ticketId, text, label, approvedAt }) => {
    const source = sourceOf(ticketId);
    const { title, chunks } = await parse({ name: `${ticketId}.md`, bytes: new TextEncoder().encode(text) });
    const document: DocumentRecord = {
      id: documentIdOf(`${ROOT}:${ticketId}`),
      root: ROOT,
      source,
      title,
      label,
      date: new Date(approvedAt).toISOString().slice(0, 10),
      contentHash: createHash('sha256').update(`${CHUNKING_VERSION}\0${label}\0${source}\0${text}`).digest('hex'),
    };
    // Short enough for one record.
    const [{ document: record, chunks: records }] = partsOf(document, chunks);
    await store.putDocument(record, records());
  },
  remove: (ticketId) => store.removeDocuments([documentIdOf(`${ROOT}:${ticketId}`)]),
  list: async () => (await store.listDocuments(ROOT)).map(({ source }) => ticketOf(source)),
  readRevision: () => store.readRevision(),
  findGone: async (sources) => {
    if (sources.length === 0) return [];
    const known = new Set((await store.listDocuments()).map(({ source }) => source));
    return sources.filter((source) => !known.has(source));
  },
});
