/**
 * A draft in the fields of a dialog, each of which holds less than a long answer: cut where a reader would, put together again as it was.
 */
import { graphemeBoundary } from '../agent/unicode.ts';

export interface DraftParts {
  readonly parts: readonly string[];
  /** What stood between a part and the next one: one fewer than there are parts. */
  readonly glues: readonly string[];
}

const GLUES: readonly RegExp[] = [/\n{2,4}/gu, /\n/gu, / /gu];

/** The last place in the second half of the room where the text may be cut. */
const cutOf = (text: string, max: number): { readonly at: number; readonly glue: string } => {
  const from = Math.floor(max / 2);
  const window = text.slice(from, max + 1);
  for (const pattern of GLUES) {
    const found = [...window.matchAll(pattern)].at(-1);
    if (found !== undefined) return { at: from + found.index, glue: found[0] };
  }
  return { at: graphemeBoundary(text, max), glue: '' };
};

/** At least one part; none is longer than `max` UTF-16 units. */
export const splitDraft = (text: string, max: number): DraftParts => {
  const [parts, glues]: [string[], string[]] = [[], []];
  let rest = text;
  while (rest.length > max) {
    const { at, glue } = cutOf(rest, max);
    parts.push(rest.slice(0, at));
    glues.push(glue);
    rest = rest.slice(at + glue.length);
  }
  return { parts: [...parts, rest], glues };
};

/** A part that was emptied leaves no gap. */
export const joinDraft = ({ parts, glues }: DraftParts): string =>
  parts.reduce(
    (whole, part, n) => (part.trim() === '' ? whole : whole.trim() === '' ? part : `${whole}${glues[n - 1] ?? '\n\n'}${part}`),
    '',
  );
