/** Softmax regression over sparse and dense features, by stochastic gradients with a step of its own for each weight (AdaGrad). */
import type { Features } from './classifier-features.ts';

export interface LinearModel {
  readonly classes: number;
  readonly sparseColumns: number;
  /** Row after row: one for each sparse column, then one for each dense one. A row holds a weight for each class. */
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

export interface TrainingRow extends Features {
  readonly label: number;
}

const RATE = 0.2;
/** Of every squared gradient's sum, so that the first step is no leap. */
const FIRST_SQUARE = 1e-3;
/** A class whose probability is off by less is left alone: most are, after the first pass. */
const MIN_GRADIENT = 0.01;
const MIN_EPOCHS = 5;
const MAX_EPOCHS = 10;
const WANTED_STEPS = 4_000;

/** The same order on every machine: a linear congruential generator (Numerical Recipes). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const shuffle = (order: Uint32Array, random: () => number): void => {
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    const kept = order[at] ?? 0;
    order[at] = order[other] ?? 0;
    order[other] = kept;
  }
};

/** Adds `values[from + i]` times the row at `bases(i)`. Four rows at once, so that the sums are read and written once for them. */
const addRows = (out: Float32Array, weights: Float32Array, values: Float32Array, baseOf: (at: number) => number): void => {
  const classes = out.length;
  let at = 0;
  for (; at + 4 <= values.length; at += 4) {
    const [a, b, c, d] = [baseOf(at), baseOf(at + 1), baseOf(at + 2), baseOf(at + 3)];
    const [v, w, x, y] = [values[at] as number, values[at + 1] as number, values[at + 2] as number, values[at + 3] as number];
    for (let k = 0; k < classes; k += 1) {
      out[k] =
        (out[k] as number) +
        v * (weights[a + k] as number) +
        w * (weights[b + k] as number) +
        x * (weights[c + k] as number) +
        y * (weights[d + k] as number);
    }
  }
  for (; at < values.length; at += 1) {
    const base = baseOf(at);
    const value = values[at] as number;
    for (let k = 0; k < classes; k += 1) out[k] = (out[k] as number) + value * (weights[base + k] as number);
  }
};

/** A score for each class, written to `out`. */
export const scoreClasses = (model: LinearModel, { sparse, dense }: Features, out: Float32Array): void => {
  const { classes, sparseColumns, weights, bias } = model;
  out.set(bias);
  addRows(out, weights, sparse.values, (at) => (sparse.columns[at] as number) * classes);
  if (dense !== undefined) addRows(out, weights, dense, (at) => (sparseColumns + at) * classes);
};

/** Scores to probabilities, in place. */
export const softmax = (scores: Float32Array, temperature = 1): void => {
  let highest = Number.NEGATIVE_INFINITY;
  for (const score of scores) if (score > highest) highest = score;
  let sum = 0;
  for (let k = 0; k < scores.length; k += 1) {
    const raised = Math.exp(((scores[k] ?? 0) - highest) / temperature);
    scores[k] = raised;
    sum += raised;
  }
  for (let k = 0; k < scores.length; k += 1) scores[k] = (scores[k] ?? 0) / sum;
};

/** Holds its thread: 10,000 rows of 77 classes for ten seconds. The same rows give the same model. */
export const trainLinear = (
  rows: readonly TrainingRow[],
  shape: Omit<LinearModel, 'weights' | 'bias'> & { readonly dimensions: number },
): LinearModel => {
  const { classes, sparseColumns, dimensions } = shape;
  const weights = new Float32Array((sparseColumns + dimensions) * classes);
  const squares = new Float32Array(weights.length).fill(FIRST_SQUARE);
  const bias = new Float32Array(classes);
  const biasSquares = new Float32Array(classes).fill(FIRST_SQUARE);
  const model = { classes, sparseColumns, weights, bias };
  const gradients = new Float32Array(classes);
  const wrong = new Uint32Array(classes);

  const stepRow = (base: number, value: number, count: number): void => {
    for (let w = 0; w < count; w += 1) {
      const k = wrong[w] as number;
      const gradient = value * (gradients[k] as number);
      const sum = (squares[base + k] as number) + gradient * gradient;
      squares[base + k] = sum;
      weights[base + k] = (weights[base + k] as number) - (RATE * gradient) / Math.sqrt(sum);
    }
  };
  const learn = ({ sparse, dense, label }: TrainingRow): void => {
    scoreClasses(model, { sparse, dense }, gradients);
    softmax(gradients);
    gradients[label] = (gradients[label] as number) - 1;
    let count = 0;
    for (let k = 0; k < classes; k += 1) {
      if (Math.abs(gradients[k] as number) < MIN_GRADIENT) continue;
      wrong[count] = k;
      count += 1;
    }
    for (let i = 0; i < sparse.columns.length; i += 1)
      stepRow((sparse.columns[i] as number) * classes, sparse.values[i] as number, count);
    if (dense !== undefined)
      for (let d = 0; d < dimensions; d += 1) stepRow((sparseColumns + d) * classes, dense[d] as number, count);
    for (let w = 0; w < count; w += 1) {
      const k = wrong[w] as number;
      const gradient = gradients[k] as number;
      const sum = (biasSquares[k] as number) + gradient * gradient;
      biasSquares[k] = sum;
      bias[k] = (bias[k] as number) - (RATE * gradient) / Math.sqrt(sum);
    }
  };

  const order = Uint32Array.from(rows, (_, at) => at);
  const random = createRandom(1);
  const epochs = Math.min(MAX_EPOCHS, Math.max(MIN_EPOCHS, Math.ceil(WANTED_STEPS / Math.max(1, rows.length))));
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    shuffle(order, random);
    for (const at of order) learn(rows[at] as TrainingRow);
  }
  return model;
};

const NUDGE_RATE = 0.5;
const MAX_NUDGES = 20;
/** A correction is learnt when its category is this likely; more would drown what was learnt before. */
const LEARNT = 0.7;

/** Moves a trained model, in place, until it takes the row for its label. */
export const nudge = (model: LinearModel, row: TrainingRow): void => {
  const { classes, sparseColumns, weights, bias } = model;
  const gradients = new Float32Array(classes);
  const stepRow = (base: number, value: number): void => {
    for (let k = 0; k < classes; k += 1) {
      weights[base + k] = (weights[base + k] as number) - NUDGE_RATE * value * (gradients[k] as number);
    }
  };
  for (let round = 0; round < MAX_NUDGES; round += 1) {
    scoreClasses(model, row, gradients);
    softmax(gradients);
    if ((gradients[row.label] as number) >= LEARNT) return;
    gradients[row.label] = (gradients[row.label] as number) - 1;
    for (let i = 0; i < row.sparse.columns.length; i += 1)
      stepRow((row.sparse.columns[i] as number) * classes, row.sparse.values[i] as number);
    if (row.dense !== undefined)
      for (let d = 0; d < row.dense.length; d += 1) stepRow((sparseColumns + d) * classes, row.dense[d] as number);
    for (let k = 0; k < classes; k += 1) bias[k] = (bias[k] as number) - NUDGE_RATE * (gradients[k] as number);
  }
};
