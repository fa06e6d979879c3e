/** What the calculator knows by name. Looked up in maps only, so that no name reaches into an object. */
import { Decimal as DecimalJs } from 'decimal.js';
import { refuse } from './calculator-refusal.ts';

/** 40 digits; results are shown with 30, so that rounding does not show. */
export const Decimal = DecimalJs.clone({ precision: 40, maxE: 10_000, minE: -10_000, rounding: DecimalJs.ROUND_HALF_UP });
export type Value = InstanceType<typeof Decimal>;

const PI = Decimal.acos(-1);

export const CONSTANTS: ReadonlyMap<string, Value> = new Map([
  ['pi', PI],
  ['tau', PI.times(2)],
  ['e', Decimal.exp(1)],
]);

export const DEGREE = PI.div(180);

/** The angle of larger numbers is noise. */
const MAX_ANGLE = 1e15;
const MAX_FACTORIAL = 1_000;
const MAX_EXP = 20_000;

const integer = (value: Value, name: string): number => {
  if (!value.isInteger() || value.abs().gt(1e9)) refuse('domain', `${name} needs whole numbers`);
  return value.toNumber();
};

const positive = (value: Value, name: string): Value =>
  value.gt(0) ? value : refuse('domain', `${name} needs a number greater than 0`);

const angle = (value: Value): Value => (value.abs().gt(MAX_ANGLE) ? refuse('too_large', 'the angle is too large') : value);

export const factorial = (value: Value): Value => {
  const n = integer(value, 'a factorial');
  if (n < 0) refuse('domain', 'a factorial needs a number of at least 0');
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

const MAX_EXPONENT = 10_000;
const MAX_DIGITS = 10_000;

/** Refused before it is calculated when its size could be foreseen to be out of reach. */
export const power = (base: Value, exponent: Value): Value => {
  if (base.isZero() && exponent.lt(0)) refuse('division_by_zero', 'division by zero');
  if (base.lt(0) && !exponent.isInteger()) refuse('domain', 'a negative number has no real root of that kind');
  if (!base.isZero() && !base.abs().eq(1)) {
    const digits = Decimal.log10(base.abs()).abs().times(exponent.abs()).floor().plus(1);
    if (digits.gt(MAX_DIGITS)) {
      const count = digits.lt(1e15) ? digits.toNumber().toLocaleString('en-US') : `about ${digits.toExponential(2)}`;
      refuse('too_large', `${show(base)}^${show(exponent)} has ${count} digits`);
    }
  }
  if (exponent.abs().gt(MAX_EXPONENT) && !base.abs().eq(1) && !base.isZero()) {
    refuse('too_large', `the exponent ${show(exponent)} is larger than ${MAX_EXPONENT.toLocaleString('en-US')}`);
  }
  return base.pow(exponent);
};

/** Digits by which a person recognises a number in a reason. */
const show = (value: Value): string => value.toSignificantDigits(12).toString();

/** The quotient of larger numbers has more digits than are calculated with, and the remainder would be noise. */
const MAX_QUOTIENT = 1e38;

export const remainder = (a: Value, b: Value): Value => {
  if (b.isZero()) refuse('division_by_zero', 'division by zero');
  const quotient = a.div(b);
  if (quotient.abs().gte(MAX_QUOTIENT)) refuse('too_large', 'the numbers are too far apart for a remainder');
  return a.minus(b.times(quotient.floor()));
};

const sum = (values: readonly Value[]): Value => values.reduce((total, value) => total.plus(value), new Decimal(0));
const mean = (values: readonly Value[]): Value => sum(values).div(values.length);

const median = (values: readonly Value[]): Value => {
  const sorted = [...values].sort((a, b) => a.comparedTo(b));
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as Value;
  return sorted.length % 2 === 1 ? upper : upper.plus(sorted[middle - 1] as Value).div(2);
};

const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));

export interface CalculatorFunction {
  readonly minArguments: number;
  readonly maxArguments: number;
  /** The arguments are angles, or the result is one. */
  readonly trigonometric?: boolean;
  readonly call: (values: readonly Value[]) => Value;
}

const unary = (call: (value: Value) => Value, trigonometric = false): CalculatorFunction => ({
  minArguments: 1,
  maxArguments: 1,
  trigonometric,
  call: ([value]) => call(value as Value),
});

const binary = (call: (a: Value, b: Value) => Value): CalculatorFunction => ({
  minArguments: 2,
  maxArguments: 2,
  call: ([a, b]) => call(a as Value, b as Value),
});

const variadic = (call: (values: readonly Value[]) => Value): CalculatorFunction => ({
  minArguments: 1,
  maxArguments: 100,
  call,
});

const withinOne = (value: Value, name: string): Value =>
  value.abs().lte(1) ? value : refuse('domain', `${name} needs a number from -1 to 1`);

export const FUNCTIONS: ReadonlyMap<string, CalculatorFunction> = new Map([
  ['sqrt', unary((x) => (x.lt(0) ? refuse('domain', 'a negative number has no real square root') : x.sqrt()))],
  ['cbrt', unary((x) => x.cbrt())],
  ['abs', unary((x) => x.abs())],
  [
    'round',
    {
      minArguments: 1,
      maxArguments: 2,
      call: ([x, n]) => {
        const places = n === undefined ? 0 : integer(n, 'round');
        if (Math.abs(places) > 30) refuse('domain', 'round takes up to 30 decimal places');
        const scale = new Decimal(10).pow(places);
        return (x as Value).times(scale).round().div(scale);
      },
    },
  ],
  ['floor', unary((x) => x.floor())],
  ['ceil', unary((x) => x.ceil())],
  ['min', variadic((xs) => Decimal.min(...xs))],
  ['max', variadic((xs) => Decimal.max(...xs))],
  ['sum', variadic(sum)],
  ['avg', variadic(mean)],
  ['average', variadic(mean)],
  ['mean', variadic(mean)],
  ['median', variadic(median)],
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
  ['sin', unary((x) => angle(x).sin(), true)],
  ['cos', unary((x) => angle(x).cos(), true)],
  ['tan', unary((x) => angle(x).tan(), true)],
  ['asin', unary((x) => withinOne(x, 'asin').asin(), true)],
  ['acos', unary((x) => withinOne(x, 'acos').acos(), true)],
  ['atan', unary((x) => x.atan(), true)],
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
