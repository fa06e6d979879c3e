/** What the calculator knows by name. Looked up in maps only, so that no name reaches into an object. */
import { Decimal, type Value } from './calculator-decimal.ts';
import { refuse } from './calculator-refusal.ts';
import { mean, median, percentile, sum, variance } from './calculator-statistics.ts';

// To the 40 digits that are calculated with; calculating them would take longer than most calculations.
const PI = new Decimal('3.141592653589793238462643383279502884197');
const E = new Decimal('2.718281828459045235360287471352662497757');

export const CONSTANTS: ReadonlyMap<string, Value> = new Map([
  ['pi', PI],
  ['tau', PI.times(2)],
  ['e', E],
]);

export const DEGREE = PI.div(180);

/** The angle of larger numbers is noise. */
const MAX_ANGLE = 1e15;
const MAX_FACTORIAL = 1_000;
const MAX_EXP = 20_000;

const integer = (value: Value, name: string): number => {
  if (!value.isInteger() || value.abs().gt(1e9)) refuse('domain', `${name} needs whole numbers, up to 1,000,000,000`);
  return value.toNumber();
};

const positive = (value: Value, name: string): Value =>
  value.gt(0) ? value : refuse('domain', `${name} needs a number greater than 0`);

const angle = (value: Value): Value =>
  value.abs().gt(MAX_ANGLE) ? refuse('too_large', 'the angle is too large; angles go up to 1e15') : value;

export const factorial = (value: Value): Value => {
  const n = integer(value, 'a factorial');
  if (n < 0) refuse('domain', 'a factorial needs a whole number of at least 0');
  if (n > MAX_FACTORIAL) refuse('too_large', `factorials are calculated up to ${MAX_FACTORIAL}`);
  let product = new Decimal(1);
  // Several factors at a time in machine numbers, exact below 2^53, before each decimal multiplication.
  for (let i = 2; i <= n; ) {
    let factors = 1;
    for (; i <= n && factors <= 1e12; i += 1) factors *= i;
    product = product.times(factors);
  }
  return product;
};

export const refuseZero = (): never =>
  refuse('division_by_zero', 'division by zero has no result; divide by a number other than 0');

const MAX_EXPONENT = 10_000;
const MAX_DIGITS = 10_000;

/** Refused before it is calculated when its size could be foreseen to be out of reach. */
export const power = (base: Value, exponent: Value): Value => {
  if (base.isZero() && exponent.lt(0)) refuseZero();
  if (base.lt(0) && !exponent.isInteger())
    refuse('domain', 'a negative number has no real root of that kind; a whole exponent works, or a base of at least 0');
  if (!base.isZero() && !base.abs().eq(1)) {
    const digits = Decimal.log10(base.abs()).abs().times(exponent.abs()).floor().plus(1);
    if (digits.gt(MAX_DIGITS)) {
      const count = digits.lt(1e15) ? digits.toNumber().toLocaleString('en-US') : `about ${digits.toExponential(2)}`;
      refuse('too_large', `${show(base)}^${show(exponent)} has ${count} digits; up to 10,000 are calculated`);
    }
  }
  if (exponent.abs().gt(MAX_EXPONENT) && !base.abs().eq(1) && !base.isZero()) {
    refuse(
      'too_large',
      `the exponent ${show(exponent)} is too large; exponents go up to ${MAX_EXPONENT.toLocaleString('en-US')}`,
    );
  }
  return base.pow(exponent);
};

/** Digits by which a person recognises a number in a reason. */
const show = (value: Value): string => value.toSignificantDigits(12).toString();

/** The quotient of larger numbers has more digits than are calculated with, and the remainder would be noise. */
const MAX_QUOTIENT = 1e38;

export const remainder = (a: Value, b: Value): Value => {
  if (b.isZero()) refuseZero();
  const quotient = a.div(b);
  if (quotient.abs().gte(MAX_QUOTIENT))
    refuse('too_large', 'the numbers are too far apart for a remainder; the first may be up to 1e38 times the second');
  return a.minus(b.times(quotient.floor()));
};

const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));

/** What becomes of the unit of the values: a mean keeps it, a variance squares it, a root halves its power, a count drops it. */
export type UnitRule = 'keeps' | 'squares' | 'halves' | 'drops' | 'multiplies';

export interface CalculatorFunction {
  readonly minArguments: number;
  readonly maxArguments: number;
  /** The arguments are angles, or the result is one. */
  readonly trigonometric?: boolean;
  /** Without one it takes bare numbers only. */
  readonly units?: UnitRule;
  /** What a reader has to know of the way it is calculated. */
  readonly note?: string;
  readonly call: (values: readonly Value[]) => Value;
}

const unary = (call: (value: Value) => Value, units?: UnitRule): CalculatorFunction => ({
  minArguments: 1,
  maxArguments: 1,
  ...(units === undefined ? {} : { units }),
  call: ([value]) => call(value as Value),
});

const angular = (call: (value: Value) => Value): CalculatorFunction => ({ ...unary(call), trigonometric: true });

const binary = (call: (a: Value, b: Value) => Value): CalculatorFunction => ({
  minArguments: 2,
  maxArguments: 2,
  call: ([a, b]) => call(a as Value, b as Value),
});

const MAX_VALUES = 100;

const variadic = (call: (values: readonly Value[]) => Value, units: UnitRule = 'keeps', note?: string): CalculatorFunction => ({
  minArguments: 1,
  maxArguments: MAX_VALUES,
  units,
  ...(note === undefined ? {} : { note }),
  call,
});

const withinOne = (value: Value, name: string): Value =>
  value.abs().lte(1) ? value : refuse('domain', `${name} needs a number from -1 to 1`);

export const FUNCTIONS: ReadonlyMap<string, CalculatorFunction> = new Map([
  [
    'sqrt',
    unary(
      (x) =>
        x.lt(0) ? refuse('domain', 'a negative number has no real square root; it takes a number of at least 0') : x.sqrt(),
      'halves',
    ),
  ],
  ['cbrt', unary((x) => x.cbrt())],
  ['abs', unary((x) => x.abs(), 'keeps')],
  [
    'round',
    {
      minArguments: 1,
      maxArguments: 2,
      units: 'keeps',
      call: ([x, n]) => {
        const places = n === undefined ? 0 : integer(n, 'round');
        if (Math.abs(places) > 30) refuse('domain', 'round takes up to 30 decimal places');
        const scale = new Decimal(10).pow(places);
        return (x as Value).times(scale).round().div(scale);
      },
    },
  ],
  ['floor', unary((x) => x.floor(), 'keeps')],
  ['ceil', unary((x) => x.ceil(), 'keeps')],
  ['min', variadic((xs) => Decimal.min(...xs))],
  ['max', variadic((xs) => Decimal.max(...xs))],
  ['sum', variadic(sum)],
  ['avg', variadic(mean)],
  ['average', variadic(mean)],
  ['mean', variadic(mean)],
  ['median', variadic(median)],
  ['count', variadic((values) => new Decimal(values.length), 'drops')],
  ['product', variadic((values) => values.reduce((product, value) => product.times(value)), 'multiplies')],
  ['stdev', variadic((values) => variance(values, 1).sqrt(), 'keeps', 'of a sample (n − 1); stdevp is of a whole population')],
  ['stdevp', variadic((values) => variance(values, 0).sqrt(), 'keeps', 'of a whole population (n); stdev is of a sample')],
  ['var', variadic((values) => variance(values, 1), 'squares', 'of a sample (n − 1); varp is of a whole population')],
  ['varp', variadic((values) => variance(values, 0), 'squares', 'of a whole population (n); var is of a sample')],
  [
    'percentile',
    {
      minArguments: 2,
      maxArguments: MAX_VALUES + 1,
      units: 'keeps',
      note: 'between two values it is interpolated linearly',
      call: ([rank, ...values]) => percentile(rank as Value, values),
    },
  ],
  ['ln', unary((x) => positive(x, 'a logarithm').ln())],
  [
    'log',
    {
      minArguments: 1,
      maxArguments: 2,
      call: ([x, base]) => {
        const of = positive(x as Value, 'a logarithm');
        if (base === undefined) return of.log(10);
        if (base.lte(0) || base.eq(1)) refuse('domain', 'the base of a logarithm is greater than 0 and not 1');
        return of.log(base);
      },
    },
  ],
  ['log10', unary((x) => positive(x, 'a logarithm').log(10))],
  ['log2', unary((x) => positive(x, 'a logarithm').log(2))],
  ['exp', unary((x) => (x.abs().gt(MAX_EXP) ? refuse('too_large', 'the exponent is too large') : x.exp()))],
  ['sin', angular((x) => angle(x).sin())],
  ['cos', angular((x) => angle(x).cos())],
  ['tan', angular((x) => angle(x).tan())],
  ['asin', angular((x) => withinOne(x, 'asin').asin())],
  ['acos', angular((x) => withinOne(x, 'acos').acos())],
  ['atan', angular((x) => x.atan())],
  ['pow', binary(power)],
  ['mod', binary(remainder)],
  ['gcd', binary((a, b) => new Decimal(gcd(integer(a, 'gcd'), integer(b, 'gcd'))))],
  [
    'lcm',
    binary((a, b) => {
      const [x, y] = [integer(a, 'lcm'), integer(b, 'lcm')];
      return x === 0 || y === 0 ? new Decimal(0) : new Decimal(x).div(gcd(x, y)).times(y).abs();
    }),
  ],
  ['factorial', unary(factorial)],
]);
