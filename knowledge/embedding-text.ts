/** What is embedded: the passage with its title and headings, which say what its own words often do not. */
import type { KnowledgeStore } from '../agent/ports/knowledge.ts';
import type { Unembedded } from '../agent/ports/vector-store.ts';

export const embeddingTexts =
  (store: Pick<KnowledgeStore, 'readPassages'>) =>
  async (chunks: readonly Unembedded[]): Promise<ReadonlyMap<string, string>> => {
    const passages = await store.readPassages(
      chunks.map(({ id }) => id),
      [...new Set(chunks.map(({ label }) => label))],
    );
    return new Map(
      passages.map(({ chunkId, title, headingPath, text }) => [chunkId, `${[title, ...headingPath].join(' > ')}\n${text}`]),
    );
  };
