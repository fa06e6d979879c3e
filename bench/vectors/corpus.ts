/** Vectors of texts with a little noise, the same for everyone who asks for the same row. */

/** Rows of 1 %, 9 % and 90 %, as an index holds a private place, a department and what everyone may read. */
export const LABELS = ['one', 'nine', 'ninety'] as const;
export type Label = (typeof LABELS)[number];
export const FILTERS: readonly { readonly percent: number; readonly labels: readonly Label[] }[] = [
  { percent: 1, labels: ['one'] },
  { percent: 10, labels: ['one', 'nine'] },
  { percent: 100, labels: LABELS },
];

/** The length of the noise beside a unit vector: two variants of a text have a cosine of about 0.92. */
const NOISE = 0.3;
const BATCH_ROWS = 256;

export interface Row {
  readonly id: string;
  readonly label: Label;
  readonly vector: Float32Array;
}

const labelOf = (row: number): Label => (row % 100 === 0 ? 'one' : row % 100 < 10 ? 'nine' : 'ninety');

/** `texts` are vectors one after the other. */
export const createRow = (texts: Float32Array, dimensions: number, row: number): Row => {
  let state = (row + 1) * 0x9e3779b1;
  const random = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 32;
  };
  for (let n = 0; n < 8; n++) random();
  const text = Math.floor((random() + 0.5) * (texts.length / dimensions)) * dimensions;
  const vector = new Float32Array(dimensions);
  // A sum of four has the bell's shape near enough, and a variance of a third.
  const scale = (NOISE / Math.sqrt(dimensions)) * Math.sqrt(3);
  let squares = 0;
  for (let i = 0; i < dimensions; i++) {
    const value = (texts[text + i] ?? 0) + (random() + random() + random() + random()) * scale;
    vector[i] = value;
    squares += value * value;
  }
  const norm = Math.sqrt(squares);
  for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] ?? 0) / norm;
  return { id: `row-${row}`, label: labelOf(row), vector };
};

export function* createBatches(texts: Float32Array, dimensions: number, size: number): Generator<readonly Row[]> {
  for (let from = 0; from < size; from += BATCH_ROWS) {
    yield Array.from({ length: Math.min(BATCH_ROWS, size - from) }, (_, n) => createRow(texts, dimensions, from + n));
  }
}

/** For each filter and each query, the score of its tenth neighbour: what a hit has to reach to be one of the ten. */
export const findFloors = (
  texts: Float32Array,
  dimensions: number,
  size: number,
  queries: readonly Float32Array[],
): readonly (readonly number[])[] => {
  const best = FILTERS.map(() => queries.map((): number[] => []));
  for (const batch of createBatches(texts, dimensions, size)) {
    for (const { label, vector } of batch) {
      for (const [at, query] of queries.entries()) {
        let score = 0;
        for (let i = 0; i < dimensions; i++) score += (query[i] as number) * (vector[i] as number);
        for (const [filter, { labels }] of FILTERS.entries()) {
          if (!labels.includes(label)) continue;
          const scores = best[filter]?.[at] as number[];
          if (scores.length === 10 && score <= (scores[9] as number)) continue;
          scores.push(score);
          scores.sort((a, b) => b - a);
          scores.length = Math.min(10, scores.length);
        }
      }
    }
  }
  return best.map((filter) => filter.map((scores) => scores.at(-1) ?? 0));
};
