/** Figures of a list of at least one number. */
import { Decimal, type Value } from './calculator-decimal.ts';
import { refuse } from './calculator-refusal.ts';

export const sum = (values: readonly Value[]): Value => values.reduce((total, value) => total.plus(value), new Decimal(0));

export const mean = (values: readonly Value[]): Value => sum(values).div(values.length);

const sortedOf = (values: readonly Value[]): readonly Value[] => [...values].sort((a, b) => a.comparedTo(b));

export const median = (values: readonly Value[]): Value => percentile(new Decimal(50), values);

/** Linearly between the two nearest ranks, as spreadsheets' PERCENTILE.INC and NumPy's default. */
export const percentile = (rank: Value, values: readonly Value[]): Value => {
  if (rank.lt(0) || rank.gt(100)) refuse('domain', 'a percentile is a number from 0 to 100');
  const sorted = sortedOf(values);
  const at = rank.div(100).times(sorted.length - 1);
  const lower = at.floor();
  const below = sorted[lower.toNumber()] as Value;
  const above = sorted[Math.min(lower.toNumber() + 1, sorted.length - 1)] as Value;
  return below.plus(above.minus(below).times(at.minus(lower)));
};

/** `lost` is what the count loses: 1 of a sample, 0 of a whole population. */
export const variance = (values: readonly Value[], lost: 0 | 1): Value => {
  if (values.length <= lost) refuse('domain', 'the spread of a sample needs at least 2 values; stdevp and varp take one');
  const middle = mean(values);
  return sum(values.map((value) => value.minus(middle).pow(2))).div(values.length - lost);
};
