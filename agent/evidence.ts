/** The passages a run has seen, each under one number for the whole run. */
import type { Evidence, Passage } from './conversation.ts';

export interface EvidenceList {
  /** Numbers in the order first seen; the same chunk keeps its number. */
  cite(passages: readonly Passage[]): readonly Evidence[];
  /** Takes numbered passages back from the journal, before anything new is numbered. */
  restore(items: readonly Evidence[]): void;
  all(): readonly Evidence[];
}

export const createEvidence = (): EvidenceList => {
  const byChunk = new Map<string, Evidence>();
  let last = 0;
  return {
    cite: (passages) =>
      passages.map((passage) => {
        const known = byChunk.get(passage.chunkId);
        if (known !== undefined) return known;
        last += 1;
        const item: Evidence = { ...passage, n: last };
        byChunk.set(passage.chunkId, item);
        return item;
      }),
    restore: (items) => {
      for (const item of items) {
        byChunk.set(item.chunkId, item);
        last = Math.max(last, item.n);
      }
    },
    all: () => [...byChunk.values()].sort((a, b) => a.n - b.n),
  };
};
