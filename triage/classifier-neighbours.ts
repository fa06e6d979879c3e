/** The labelled examples as an index: what is near a text, by words, by pieces of words and by the embedder's vector together. */
import type { Features, SparseVector } from './classifier-features.ts';

export interface ExampleIndex {
  /** One class for each example. */
  readonly labels: Uint32Array;
  /** `dimensions` numbers for each example; zeros where the embedder could not read it. */
  readonly dense: Float32Array;
  /** For each sparse column where its part of `rows` and `values` begins, and at the end where the last one ends. */
  readonly offsets: Uint32Array;
  readonly rows: Uint32Array;
  readonly values: Float32Array;
}

export const createIndex = (
  examples: readonly (Features & { readonly label: number })[],
  shape: { readonly sparseColumns: number; readonly dimensions: number },
): ExampleIndex => {
  const offsets = new Uint32Array(shape.sparseColumns + 1);
  for (const { sparse } of examples) for (const column of sparse.columns) offsets[column + 1] = (offsets[column + 1] ?? 0) + 1;
  for (let column = 0; column < shape.sparseColumns; column += 1)
    offsets[column + 1] = (offsets[column + 1] ?? 0) + (offsets[column] ?? 0);
  const next = offsets.slice();
  const rows = new Uint32Array(offsets.at(-1) ?? 0);
  const values = new Float32Array(rows.length);
  const dense = new Float32Array(examples.length * shape.dimensions);
  for (const [row, example] of examples.entries()) {
    if (example.dense !== undefined) dense.set(example.dense, row * shape.dimensions);
    for (let i = 0; i < example.sparse.columns.length; i += 1) {
      const column = example.sparse.columns[i] ?? 0;
      const at = next[column] ?? 0;
      next[column] = at + 1;
      rows[at] = row;
      values[at] = example.sparse.values[i] ?? 0;
    }
  }
  return { labels: Uint32Array.from(examples, ({ label }) => label), dense, offsets, rows, values };
};

/** Words, pieces, and a vector where both texts have one: the mean of as many cosines. */
const meanCosine = (sum: number, hasDense: boolean): number => Math.min(1, Math.max(0, sum / (hasDense ? 3 : 2)));

/** 0 to 1 for each example, in their order. */
export const similaritiesTo = ({ labels, dense, offsets, rows, values }: ExampleIndex, text: Features): Float32Array => {
  const found = new Float32Array(labels.length);
  const { columns, values: weights } = text.sparse;
  for (let i = 0; i < columns.length; i += 1) {
    const weight = weights[i] ?? 0;
    const end = offsets[(columns[i] ?? 0) + 1] ?? 0;
    for (let at = offsets[columns[i] ?? 0] ?? 0; at < end; at += 1) {
      const row = rows[at] ?? 0;
      found[row] = (found[row] ?? 0) + weight * (values[at] ?? 0);
    }
  }
  const vector = text.dense;
  for (let row = 0; row < found.length; row += 1) {
    let product = 0;
    if (vector !== undefined) {
      const base = row * vector.length;
      for (let d = 0; d < vector.length; d += 1) product += (vector[d] as number) * (dense[base + d] as number);
    }
    found[row] = meanCosine((found[row] ?? 0) + product, vector !== undefined);
  }
  return found;
};

const sparseProduct = (a: SparseVector, b: SparseVector): number => {
  const values = new Map(Array.from(a.columns, (column, i) => [column, a.values[i] ?? 0]));
  return b.columns.reduce((sum, column, i) => sum + (values.get(column) ?? 0) * (b.values[i] ?? 0), 0);
};

/** The same measure for two texts. */
export const similarityOf = (a: Features, b: Features): number => {
  const { dense } = a;
  const product = dense === undefined ? 0 : dense.reduce((sum, value, d) => sum + value * (b.dense?.[d] ?? 0), 0);
  return meanCosine(sparseProduct(a.sparse, b.sparse) + product, dense !== undefined);
};
