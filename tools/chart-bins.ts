/** The bins of a histogram: of one width, which is 1, 2 or 5 times a power of ten, and with bounds that are multiples of it. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const MAX_BINS = 40;

/** Sturges' rule says how many are wanted (https://doi.org/10.1080/01621459.1926.10502161). */
const wanted = (count: number): number => Math.ceil(Math.log2(count)) + 1;

/** The width as a factor and a power of ten: bounds made of whole numbers have no rounding of their own. */
const stepOf = (rough: number): { readonly factor: number; readonly power: number } => {
  const power = Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * 10 ** power >= rough * (1 - 1e-9)) ?? 10;
  return { factor, power };
};

/** The last bin holds its upper bound as well. Empty for no values. */
export const binsOf = (values: readonly number[]): readonly Bin[] => {
  if (values.length === 0) return [];
  const low = Math.min(...values);
  const high = Math.max(...values);
  const spread = high - low;
  // Values so near to each other that no bound fits between them are one bin.
  if (spread <= Math.max(Math.abs(low), Math.abs(high)) * 1e-12) {
    const half = low === 0 ? 0.5 : Math.abs(low) / 2;
    return [{ from: low - half, to: high + half, count: values.length }];
  }
  const { factor, power } = stepOf(spread / wanted(values.length));
  const bound = (index: number): number => (power < 0 ? (index * factor) / 10 ** -power : index * factor * 10 ** power);
  const indexOf = (value: number): number => {
    const near = Math.round(value / bound(1));
    return bound(near) <= value ? near : near - 1;
  };
  const first = indexOf(low);
  const past = bound(indexOf(high)) === high && indexOf(high) > first ? indexOf(high) : indexOf(high) + 1;
  const counts = Array.from({ length: Math.min(past - first, MAX_BINS) }, () => 0);
  for (const value of values) {
    const at = Math.min(indexOf(value) - first, counts.length - 1);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((count, at) => ({ from: bound(first + at), to: bound(first + at + 1), count }));
};
