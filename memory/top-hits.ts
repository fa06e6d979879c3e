/** Keeps the best hits of a scan in a heap whose root is the worst of them. */
import type { VectorHit } from '../agent/ports/vector-index.ts';
import { compareHits } from './vector-check.ts';

export interface TopHits {
  /** What a hit has to reach to be kept; a lower one need not be offered. */
  floor(): number;
  offer(id: string, score: number): void;
  /** Best first. */
  list(): readonly VectorHit[];
}

export const createTopHits = (limit: number): TopHits => {
  const heap: VectorHit[] = [];
  /** Whether `a` ranks behind `b`, and so stands nearer to the root. */
  const isWorse = (a: VectorHit | undefined, b: VectorHit | undefined): boolean =>
    a !== undefined && b !== undefined && compareHits(a, b) > 0;

  const swap = (i: number, j: number): void => {
    const a = heap[i];
    const b = heap[j];
    if (a === undefined || b === undefined) return;
    heap[i] = b;
    heap[j] = a;
  };

  const sink = (): void => {
    for (let at = 0; ; ) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) if (isWorse(heap[child], heap[worst])) worst = child;
      if (worst === at) return;
      swap(at, worst);
      at = worst;
    }
  };

  const rise = (): void => {
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isWorse(heap[at], heap[parent])) return;
      swap(at, parent);
      at = parent;
    }
  };

  return {
    floor: () => (heap.length < limit ? Number.NEGATIVE_INFINITY : (heap[0]?.score ?? Number.POSITIVE_INFINITY)),
    offer: (id, score) => {
      const hit = { id, score };
      if (heap.length < limit) {
        heap.push(hit);
        rise();
      } else if (isWorse(heap[0], hit)) {
        heap[0] = hit;
        sink();
      }
    },
    list: () => heap.toSorted(compareHits),
  };
};
