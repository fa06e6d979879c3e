/** The whole training of a classifier: held-out folds to learn what its scores are worth, then all examples. */
import { fitScope, fitTemperature, type ScopeRule, type ScopeSignals } from './classifier-calibrate.ts';
import { createVocabulary, type Features, sparseVectorOf, vocabularyOf } from './classifier-features.ts';
import { createIndex, type ExampleIndex, similaritiesTo } from './classifier-neighbours.ts';
import { createRandom, type LinearModel, scoreClasses, trainLinear } from './classifier-train.ts';

export interface TrainingText {
  readonly text: string;
  readonly dense: Float32Array | undefined;
}

export interface TrainingSet {
  readonly classes: number;
  /** Of the vectors; 0 without an embedder. */
  readonly dimensions: number;
  readonly examples: readonly (TrainingText & { readonly label: number })[];
  /** Texts that no class fits; may be empty. */
  readonly outOfScope: readonly TrainingText[];
}

export interface TrainedClassifier {
  readonly terms: readonly string[];
  readonly idf: Float32Array;
  readonly model: LinearModel;
  readonly temperature: number;
  /** Undefined where the examples are too few to tell. */
  readonly scope: ScopeRule | undefined;
  readonly index: ExampleIndex;
  /** How many held-out texts the temperature was learnt from; few of them make no calibration. */
  readonly heldOut: number;
}

/** One fold of five says enough of so many examples. */
const ONE_FOLD_EXAMPLES = 3_000;
const FOLDS = 5;
const FEW_EXAMPLES_FOLDS = 3;
/** A class with fewer examples gives none away. */
const MIN_HELD_OUT_OF = 3;
const MIN_CALIBRATION_TEXTS = 20;
/** In each fold one class of so many is left out as a whole. */
const LEFT_OUT_EVERY = 7;
const MIN_CLASSES_TO_LEAVE_OUT = 4;
const MAX_LEFT_OUT_TEXTS = 1_000;

type Example = TrainingSet['examples'][number];

/** The fold that each example is held out in, drawn within its class; none (-1) in a class of few. */
const drawFolds = (examples: readonly Example[], classes: number): Int8Array => {
  const random = createRandom(7);
  const folds = new Int8Array(examples.length).fill(-1);
  const members = Array.from({ length: classes }, (): number[] => []);
  for (const [at, { label }] of examples.entries()) members[label]?.push(at);
  for (const list of members) {
    if (list.length < MIN_HELD_OUT_OF) continue;
    const first = Math.floor(random() * FOLDS);
    const drawn = list.map((at) => ({ at, place: random() })).sort((a, b) => a.place - b.place);
    for (const [n, { at }] of drawn.entries()) folds[at] = (first + n) % FOLDS;
  }
  return folds;
};

const fitPlain = (examples: readonly Example[], { classes, dimensions }: TrainingSet) => {
  const { terms, idf } = createVocabulary(examples.map(({ text }) => text));
  const vocabulary = vocabularyOf(terms, idf);
  const featuresOf = ({ text, dense }: TrainingText): Features => ({ sparse: sparseVectorOf(text, vocabulary), dense });
  const rows = examples.map((example) => ({ ...featuresOf(example), label: example.label }));
  const shape = { classes, sparseColumns: terms.length, dimensions };
  return { terms, idf, featuresOf, model: trainLinear(rows, shape), index: createIndex(rows, shape) };
};

/** The nearest example of the class. */
export const nearestOfClass = (similarities: Float32Array, labels: Uint32Array, label: number): number => {
  let nearest = 0;
  for (let row = 0; row < labels.length; row += 1) {
    if (labels[row] === label && (similarities[row] ?? 0) > nearest) nearest = similarities[row] ?? 0;
  }
  return nearest;
};

export const bestClass = (scores: Float32Array): number => {
  let best = 0;
  for (let k = 1; k < scores.length; k += 1) if ((scores[k] ?? 0) > (scores[best] ?? 0)) best = k;
  return best;
};

const calibrate = (set: TrainingSet) => {
  const folds = drawFolds(set.examples, set.classes);
  const inside: { readonly scores: Float32Array; readonly label: number; readonly signals: ScopeSignals }[] = [];
  const outside: ScopeSignals[] = [];
  const rounds = set.examples.length >= ONE_FOLD_EXAMPLES ? 1 : FEW_EXAMPLES_FOLDS;
  for (let fold = 0; fold < rounds; fold += 1) {
    const isLeftOut = (label: number): boolean => set.classes >= MIN_CLASSES_TO_LEAVE_OUT && label % LEFT_OUT_EVERY === fold;
    const seen = set.examples.filter(({ label }, at) => folds[at] !== fold && !isLeftOut(label));
    const heldOut = set.examples.filter(({ label }, at) => folds[at] === fold && !isLeftOut(label));
    const leftOut = set.examples.filter(({ label }) => isLeftOut(label)).slice(0, MAX_LEFT_OUT_TEXTS);
    if (heldOut.length === 0) continue;
    const { featuresOf, model, index } = fitPlain(seen, set);
    const read = (text: TrainingText) => {
      const features = featuresOf(text);
      const scores = new Float32Array(set.classes);
      scoreClasses(model, features, scores);
      const best = bestClass(scores);
      const similarity = nearestOfClass(similaritiesTo(index, features), index.labels, best);
      return { scores, signals: { score: scores[best] ?? 0, similarity } };
    };
    for (const example of heldOut) inside.push({ ...read(example), label: example.label });
    for (const text of [...leftOut, ...set.outOfScope]) outside.push(read(text).signals);
  }
  const isEnough = inside.length >= MIN_CALIBRATION_TEXTS;
  return {
    temperature: isEnough ? fitTemperature(inside) : 1,
    scope:
      isEnough && outside.length >= MIN_CALIBRATION_TEXTS
        ? fitScope(
            inside.map(({ signals }) => signals),
            outside,
          )
        : undefined,
    heldOut: inside.length,
  };
};

/** Holds its thread, for two to four trainings. The same set gives the same classifier. */
export const fitClassifier = (set: TrainingSet): TrainedClassifier => {
  const { terms, idf, model, index } = fitPlain(set.examples, set);
  return { terms, idf, model, index, ...calibrate(set) };
};
