/**
 * Which rows the FAISS process holds. A flat scan is split: the process takes a share of a label and this one scans the rest at the
 * same time, so that a search costs neither the whole scan and no vector stands twice that need not. A label with a graph is there
 * as a whole.
 */
import type { VectorEntry } from '../agent/ports/vector-index.ts';
import type { ExactIndex } from './exact.ts';

/** The two parts of a label in the exact index. */
export const hereOf = (label: string): string => `<${label}`;
export const thereOf = (label: string): string => `>${label}`;

const isThere = (part: string | undefined): boolean => part?.startsWith('>') === true;

/** 0 to 1, and the same for an id wherever it is asked: a restart brings the rows to where the file has them. */
const drawOf = (id: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
};

export interface FaissParts {
  /** Entries under the part of their label that they belong to. To be put there at once. */
  place(entries: readonly VectorEntry[]): readonly VectorEntry[];
  /** From here on all rows of a label belong to the process, or no longer. What is placed stays where it is. */
  setWhole(label: string, isWhole: boolean): void;
  isHeldThere(id: string): boolean;
  /** Rows of both parts. */
  count(label: string): number;
  labels(): readonly string[];
  /** What the process is to hold, under the labels that it knows. */
  readonly there: Pick<ExactIndex['rows'], 'labels' | 'count' | 'page' | 'labelOf' | 'vectorOf'>;
}

export const createFaissParts = (options: {
  readonly rows: ExactIndex['rows'];
  /** Of a label's rows, after its first `ownRows`. */
  readonly share: number;
  readonly ownRows: number;
}): FaissParts => {
  const { rows, share, ownRows } = options;
  const wholes = new Set<string>();

  return {
    place: (entries) => {
      const counts = new Map<string, number>();
      return entries.map((entry) => {
        const { id, label } = entry;
        const count = counts.get(label) ?? rows.count(hereOf(label));
        const goesThere = wholes.has(label) || (count >= ownRows && drawOf(id) < share);
        counts.set(label, goesThere ? count : count + 1);
        return { ...entry, label: goesThere ? thereOf(label) : hereOf(label) };
      });
    },
    setWhole: (label, isWhole) => {
      if (isWhole) wholes.add(label);
      else wholes.delete(label);
    },
    isHeldThere: (id) => isThere(rows.labelOf(id)),
    count: (label) => rows.count(hereOf(label)) + rows.count(thereOf(label)),
    labels: () => [...new Set(rows.labels().map((part) => part.slice(1)))],
    there: {
      labels: () =>
        rows
          .labels()
          .filter(isThere)
          .map((part) => part.slice(1)),
      count: (label) => rows.count(thereOf(label)),
      page: (label, from, count) => rows.page(thereOf(label), from, count),
      labelOf: (id) => {
        const part = rows.labelOf(id);
        return isThere(part) ? part?.slice(1) : undefined;
      },
      vectorOf: (id) => rows.vectorOf(id),
    },
  };
};
