/**
 * What the scores are worth, learnt from examples that a training did not see: the temperature that makes probabilities of scores, and
 * how scores and nearness tell a text that no category fits. The texts of categories that a training left out stand for those.
 */
import { softmax } from './classifier-train.ts';

/** What tells a text of the team's from another: how high the best class scores, and how near its nearest example is. */
export interface ScopeSignals {
  readonly score: number;
  readonly similarity: number;
}

/** The odds of being in scope are exp(bias + score · its weight + similarity · its weight). */
export interface ScopeRule {
  readonly bias: number;
  readonly score: number;
  readonly similarity: number;
}

/** Of the texts in scope, the share that the rule takes as such; then even odds are where it parts them. */
const KEPT_IN_SCOPE = 0.95;
const MIN_TEMPERATURE = 0.1;
const MAX_TEMPERATURE = 10;
const SEARCH_ROUNDS = 30;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const DESCENT_ROUNDS = 2_000;
const RIDGE = 1e-3;

/** The temperature at which the labels are likeliest, by golden-section search: the loss has one minimum in it. */
export const fitTemperature = (scored: readonly { readonly scores: Float32Array; readonly label: number }[]): number => {
  const lossAt = (logTemperature: number): number => {
    let loss = 0;
    for (const { scores, label } of scored) {
      const probabilities = scores.slice();
      softmax(probabilities, Math.exp(logTemperature));
      loss -= Math.log(Math.max(1e-12, probabilities[label] ?? 0));
    }
    return loss;
  };
  let low = Math.log(MIN_TEMPERATURE);
  let high = Math.log(MAX_TEMPERATURE);
  for (let round = 0; round < SEARCH_ROUNDS; round += 1) {
    const left = high - GOLDEN * (high - low);
    const right = low + GOLDEN * (high - low);
    if (lossAt(left) < lossAt(right)) high = right;
    else low = left;
  }
  return Math.exp((low + high) / 2);
};

export const oddsInScope = ({ bias, score, similarity }: ScopeRule, signals: ScopeSignals): number =>
  1 / (1 + Math.exp(-(bias + score * signals.score + similarity * signals.similarity)));

const spreadOf = (values: readonly number[]): { readonly mean: number; readonly deviation: number } => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) || 1 };
};

/** Logistic regression in which both sides weigh the same, however many they are; neither may be empty. */
export const fitScope = (inside: readonly ScopeSignals[], outside: readonly ScopeSignals[]): ScopeRule => {
  const all = [...inside, ...outside];
  const scores = spreadOf(all.map(({ score }) => score));
  const similarities = spreadOf(all.map(({ similarity }) => similarity));
  const rows = all.map((signals, at) => ({
    score: (signals.score - scores.mean) / scores.deviation,
    similarity: (signals.similarity - similarities.mean) / similarities.deviation,
    wanted: at < inside.length ? 1 : 0,
    weight: 0.5 / (at < inside.length ? inside.length : outside.length),
  }));
  let rule: ScopeRule = { bias: 0, score: 0, similarity: 0 };
  for (let round = 0; round < DESCENT_ROUNDS; round += 1) {
    let { bias, score, similarity } = { bias: 0, score: RIDGE * rule.score, similarity: RIDGE * rule.similarity };
    for (const row of rows) {
      const error = (oddsInScope(rule, row) - row.wanted) * row.weight;
      bias += error;
      score += error * row.score;
      similarity += error * row.similarity;
    }
    rule = { bias: rule.bias - bias, score: rule.score - score, similarity: rule.similarity - similarity };
  }
  const weights = { score: rule.score / scores.deviation, similarity: rule.similarity / similarities.deviation };
  const sums = inside
    .map((signals) => signals.score * weights.score + signals.similarity * weights.similarity)
    .sort((a, b) => a - b);
  return { bias: -(sums[Math.floor(sums.length * (1 - KEPT_IN_SCOPE))] ?? 0), ...weights };
};
