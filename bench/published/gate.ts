/** A published figure beside ours: what was measured over all seeds, and whether it lies where it was promised to lie. */
import type { BenchRow } from '../row.ts';

/** Consecutive from 1: none is chosen. */
export const SEEDS: readonly number[] = Array.from({ length: 20 }, (_value, n) => n + 1);

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

export interface Measured {
  readonly case: string;
  readonly metric: string;
  readonly unit: string;
  /** One value a seed. */
  readonly values: readonly number[];
  /** Over all seeds. */
  readonly n: number;
  /** What the mean must lie in. */
  readonly within?: readonly [number, number];
  readonly published?: string;
  readonly against?: { readonly name: string; readonly values: readonly number[] };
}

const short = (value: number): string => String(Number(value.toPrecision(4)));

export const MISSED = 'MISSED';

export const rowOf = ({ values, within, published, against, ...row }: Measured): BenchRow => {
  const value = mean(values);
  const spread =
    values.length > 1 ? [`${values.length} seeds, ${short(Math.min(...values))} to ${short(Math.max(...values))}`] : [];
  const said = published === undefined ? [] : [`published: ${published}`];
  const held = within === undefined || (value >= within[0] && value <= within[1]);
  const bounds = within?.map((bound) => (Number.isFinite(bound) ? short(bound) : 'any'));
  const gate = bounds === undefined ? [] : [`wanted: ${bounds.join(' to ')}, ${held ? 'held' : MISSED}`];
  const notes = [...spread, ...said, ...gate];
  return {
    bench: 'published',
    ...row,
    value: Number(value.toPrecision(6)),
    ...(against === undefined ? {} : { against: against.name, ratio: Number((value / mean(against.values)).toPrecision(4)) }),
    ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
  };
};
