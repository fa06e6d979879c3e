/** What the units are worth, and how measures are converted, multiplied and named. A measure is a product of units with powers. */
import { RATE_SPELLINGS, type UnitSymbol, unitSpellings } from '../agent/arithmetic-words.ts';
import { Decimal, type Value } from './calculator-decimal.ts';
import { refuse } from './calculator-refusal.ts';

type Dimension = 'length' | 'mass' | 'temperature' | 'data' | 'time' | 'month' | 'workday';

interface Unit {
  readonly symbol: UnitSymbol;
  readonly dimension: Dimension;
  /** An acre is a length to the power of 2. */
  readonly power: number;
  /** In metres, kilograms, kelvins, bytes, seconds, months to that power. */
  readonly factor: Value;
  /** What is added after the factor: the zero of a scale of temperature. */
  readonly offset: Value;
}

export type Measure = readonly { readonly unit: Unit; readonly power: number }[];

/** Exact by definition: the international yard and pound, the US gallon, the Gregorian week; 市制 of 1959. */
const SIZES: Readonly<Record<UnitSymbol, readonly [dimension: Dimension, factor: string, power?: number, offset?: string]>> = {
  mm: ['length', '0.001'],
  cm: ['length', '0.01'],
  dm: ['length', '0.1'],
  m: ['length', '1'],
  km: ['length', '1000'],
  in: ['length', '0.0254'],
  ft: ['length', '0.3048'],
  yd: ['length', '0.9144'],
  mi: ['length', '1609.344'],
  nmi: ['length', '1852'],
  里: ['length', '500'],
  ha: ['length', '10000', 2],
  acre: ['length', '4046.8564224', 2],
  亩: ['length', '2000/3', 2],
  ml: ['length', '0.000001', 3],
  cl: ['length', '0.00001', 3],
  L: ['length', '0.001', 3],
  gal: ['length', '0.003785411784', 3],
  qt: ['length', '0.000946352946', 3],
  pt: ['length', '0.000473176473', 3],
  cup: ['length', '0.0002365882365', 3],
  floz: ['length', '0.0000295735295625', 3],
  tbsp: ['length', '0.00001478676478125', 3],
  tsp: ['length', '0.00000492892159375', 3],
  mg: ['mass', '0.000001'],
  g: ['mass', '0.001'],
  kg: ['mass', '1'],
  t: ['mass', '1000'],
  lb: ['mass', '0.45359237'],
  oz: ['mass', '0.028349523125'],
  st: ['mass', '6.35029318'],
  斤: ['mass', '0.5'],
  '°C': ['temperature', '1', 1, '273.15'],
  '°F': ['temperature', '5/9', 1, '2298.35/9'],
  K: ['temperature', '1'],
  B: ['data', '1'],
  kB: ['data', '1e3'],
  MB: ['data', '1e6'],
  GB: ['data', '1e9'],
  TB: ['data', '1e12'],
  PB: ['data', '1e15'],
  KiB: ['data', '1024'],
  MiB: ['data', '1048576'],
  GiB: ['data', '1073741824'],
  TiB: ['data', '1099511627776'],
  bit: ['data', '0.125'],
  kbit: ['data', '125'],
  Mbit: ['data', '125e3'],
  Gbit: ['data', '125e6'],
  ms: ['time', '0.001'],
  s: ['time', '1'],
  min: ['time', '60'],
  h: ['time', '3600'],
  day: ['time', '86400'],
  week: ['time', '604800'],
  fortnight: ['time', '1209600'],
  month: ['month', '1'],
  quarter: ['month', '3'],
  year: ['month', '12'],
  decade: ['month', '120'],
  century: ['month', '1200'],
  workday: ['workday', '1'],
};

const read = (text: string): Value => {
  const [over = '', under = '1'] = text.split('/');
  return new Decimal(over).div(under);
};

const unitOf = (symbol: UnitSymbol): Unit => {
  const [dimension, factor, power = 1, offset = '0'] = SIZES[symbol];
  return { symbol, dimension, power, factor: read(factor), offset: read(offset) };
};

const UNITS: ReadonlyMap<UnitSymbol, Unit> = new Map(
  (Object.keys(SIZES) as UnitSymbol[]).map((symbol) => [symbol, unitOf(symbol)]),
);

const measureOf = (symbol: UnitSymbol, power = 1): Measure => [{ unit: UNITS.get(symbol) as Unit, power }];

export const SECONDS = measureOf('s');
export const HOURS = measureOf('h');
export const DAYS = measureOf('day');
export const MONTHS = measureOf('month');
export const WORKDAYS = measureOf('workday');

const EXACT: ReadonlyMap<string, Measure> = new Map([
  ...unitSpellings().map(([spelling, symbol]) => [spelling, measureOf(symbol)] as const),
  ...Object.entries(RATE_SPELLINGS).map(
    ([spelling, [of, per]]) => [spelling, [...measureOf(of), ...measureOf(per, -1)]] as const,
  ),
]);
/** The first of two that differ in capitals alone is meant: `mb` is MB, not Mb. */
const FOLDED: ReadonlyMap<string, Measure> = new Map(
  [...EXACT].reverse().map(([spelling, measure]) => [spelling.toLowerCase(), measure]),
);

export const powerOf = (measure: Measure, exponent: number): Measure =>
  measure.map(({ unit, power }) => ({ unit, power: power * exponent }));

/** `m2`, `sqft` and 平方米 are read here too. Undefined for a name that is no unit. */
export const findMeasure = (name: string): Measure | undefined => {
  const plain = EXACT.get(name) ?? FOLDED.get(name.toLowerCase());
  if (plain !== undefined) return plain;
  const raised = /^(?:(平方|sq)|(立方|cu))(\p{L}+)$|^(\p{L}+)([23])$/u.exec(name);
  if (raised === null) return undefined;
  const of = findMeasure(raised[3] ?? raised[4] ?? '');
  if (of?.length !== 1 || of[0]?.unit.dimension !== 'length' || of[0].unit.power !== 1) return undefined;
  return powerOf(of, raised[1] !== undefined || raised[5] === '2' ? 2 : 3);
};

const dimensionsOf = (measure: Measure): string => {
  const powers = new Map<Dimension, number>();
  for (const { unit, power } of measure) powers.set(unit.dimension, (powers.get(unit.dimension) ?? 0) + unit.power * power);
  return [...powers]
    .filter(([, power]) => power !== 0)
    .map(([dimension, power]) => (power === 1 ? dimension : `${dimension}^${power}`))
    .sort()
    .join(' ');
};

export const isSameKind = (a: Measure, b: Measure): boolean => dimensionsOf(a) === dimensionsOf(b);

export const isOf = (measure: Measure, dimension: Dimension | 'length^3'): boolean => dimensionsOf(measure) === dimension;

const KINDS: ReadonlyMap<string, string> = new Map([
  ['', 'a bare number'],
  ['length', 'a length'],
  ['length^2', 'an area'],
  ['length^3', 'a volume'],
  ['mass', 'a weight'],
  ['temperature', 'a temperature'],
  ['data', 'an amount of data'],
  ['time', 'a time'],
  ['month', 'calendar months'],
  ['workday', 'working days'],
  ['length time^-1', 'a speed'],
  ['data time^-1', 'a rate of data'],
]);

/** `km (a length)`, for reasons. */
export const describeMeasure = (measure: Measure): string => {
  const kind = KINDS.get(dimensionsOf(measure));
  if (measure.length === 0) return 'a bare number';
  return kind === undefined ? formatMeasure(measure) : `${formatMeasure(measure)} (${kind})`;
};

const RAISED: ReadonlyMap<number, string> = new Map([
  [1, ''],
  [2, '²'],
  [3, '³'],
]);
const PLURALS: ReadonlySet<UnitSymbol> = new Set([
  'day',
  'week',
  'fortnight',
  'month',
  'quarter',
  'year',
  'decade',
  'workday',
  'acre',
  'cup',
] as const);

/** `km/h`, `m²`, `days` where the value is not 1. */
export const formatMeasure = (measure: Measure, value?: Value): string => {
  const [only] = measure;
  if (measure.length === 1 && only?.power === 1 && PLURALS.has(only.unit.symbol) && value !== undefined && !value.abs().eq(1))
    return `${only.unit.symbol}s`;
  const term = ({ unit, power }: Measure[number]): string => `${unit.symbol}${RAISED.get(power) ?? `^${power}`}`;
  const over = measure.filter(({ power }) => power > 0).map(term);
  const under = measure.filter(({ power }) => power < 0).map(({ unit, power }) => term({ unit, power: -power }));
  return [over.join('·') || '1', ...under].join('/');
};

const factorOf = (measure: Measure): Value =>
  measure.reduce((product, { unit, power }) => product.times(unit.factor.pow(power)), new Decimal(1));

const scaleOf = (measure: Measure): Unit | undefined =>
  measure.length === 1 && measure[0]?.power === 1 && measure[0].unit.dimension === 'temperature' ? measure[0].unit : undefined;

/** Throws `CalculationRefused` where they measure different things. */
export const convertValue = (value: Value, from: Measure, to: Measure): Value => {
  if (!isSameKind(from, to)) return refuseConversion(value, from, to);
  const [scale, target] = [scaleOf(from), scaleOf(to)];
  if (scale !== undefined && target !== undefined)
    return value.times(scale.factor).plus(scale.offset).minus(target.offset).div(target.factor);
  return value.times(factorOf(from)).div(factorOf(to));
};

const refuseConversion = (value: Value, from: Measure, to: Measure): never => {
  if (from.length === 0)
    return refuse(
      'unit',
      `${value.toSignificantDigits(12).toString()} has no unit; write the unit it is in, as in 5 km in miles`,
    );
  if ([from, to].some((side) => isOf(side, 'month')) && [from, to].some((side) => isOf(side, 'time'))) {
    return refuse(
      'ambiguous',
      'a month has 28 to 31 days and a year 365 or 366; write the days you mean, or count from a date, as in 2026-01-01 + 2 years',
    );
  }
  if ([from, to].some((side) => side[0]?.unit.symbol === 'oz') && [from, to].some((side) => isOf(side, 'length^3')))
    return refuse('unit', 'an ounce (oz) is a weight; write fl oz for the fluid ounce, which is a volume');
  return refuse('unit', `${describeMeasure(from)} cannot become ${describeMeasure(to)}; both must measure the same`);
};

/** The product, or with `sign` -1 the quotient: the second's units become the first's where they measure the same. */
export const multiplyMeasures = (a: Measure, b: Measure, sign: 1 | -1): { readonly factor: Value; readonly measure: Measure } => {
  if (a.length > 0 && b.length > 0 && [...a, ...b].some(({ unit }) => unit.dimension === 'temperature'))
    refuse('unit', 'temperatures can be converted and compared, not multiplied with one another');
  let factor = new Decimal(1);
  const merged = [...a];
  for (const { unit, power } of b) {
    const at = merged.findIndex((other) => other.unit.dimension === unit.dimension && other.unit.power === unit.power);
    const other = merged[at];
    if (other === undefined) {
      merged.push({ unit, power: sign * power });
      continue;
    }
    factor = factor.times(unit.factor.div(other.unit.factor).pow(sign * power));
    merged.splice(at, 1, ...(other.power + sign * power === 0 ? [] : [{ unit: other.unit, power: other.power + sign * power }]));
  }
  if (merged.length === 0 || dimensionsOf(merged) !== '') return { factor, measure: merged };
  return { factor: factor.times(factorOf(merged)), measure: [] };
};
