/** The tree's value: an amount with its unit and currency, or a date. */
import { addDays, addMonths, addWorkdays, monthsBetween, workdaysBetween } from './calculator-dates.ts';
import { Decimal, type Value } from './calculator-decimal.ts';
import {
  type CalculatorFunction,
  CONSTANTS,
  DEGREE,
  FUNCTIONS,
  factorial,
  power,
  refuseZero,
  remainder,
} from './calculator-functions.ts';
import type { Node } from './calculator-parser.ts';
import { refuse } from './calculator-refusal.ts';
import {
  convertValue,
  DAYS,
  describeMeasure,
  HOURS,
  isOf,
  isSameKind,
  type Measure,
  MONTHS,
  multiplyMeasures,
  powerOf,
  SECONDS,
  WORKDAYS,
} from './calculator-units.ts';

export interface Amount {
  readonly kind: 'amount';
  readonly value: Value;
  /** Empty for a bare number; `%` only where it was asked for. */
  readonly measure: Measure | '%';
  readonly currency: string | undefined;
  /** The days that a time was counted between, so that it can be counted in months and working days as well. */
  readonly span?: { readonly from: number; readonly to: number };
  readonly note?: string;
}

export interface CalendarDay {
  readonly kind: 'date';
  readonly days: number;
}

/** A time of day as seconds since the midnight before it was read: 25 h are one in the morning of the next day. */
export interface ClockTime {
  readonly kind: 'clock';
  readonly seconds: number;
}

type Result = Amount | CalendarDay | ClockTime;

const HUNDRED = new Decimal(100);

const bare = (value: Value, currency?: string): Amount => ({ kind: 'amount', value, measure: [], currency });

/** A share asked for in percent is a bare number to whatever is done with it next. */
const unitsOf = ({ measure }: Amount): Measure => (measure === '%' ? [] : measure);
const plain = (amount: Amount): Amount => (amount.measure === '%' ? bare(amount.value.div(HUNDRED)) : amount);

const evaluateAmount = (node: Node): Amount => {
  const result = evaluate(node);
  if (result.kind === 'clock')
    return refuse('date', 'to a time of day only hours, minutes and seconds are added, as in 14:30 + 95 min');
  if (result.kind === 'date')
    return refuse('date', 'with a date only days, weeks, months, years and working days are counted, as in 2026-03-01 + 45 days');
  return plain(result);
};

const common = (a: Amount, b: Amount): string | undefined => {
  if (a.currency !== undefined && b.currency !== undefined && a.currency !== b.currency) {
    refuse(
      'domain',
      `${a.currency} and ${b.currency} cannot be added without a rate of exchange; multiply one by its rate first`,
    );
  }
  return a.currency ?? b.currency;
};

/** `other` in the units of `amount`. Throws where they measure different things. */
const inUnitsOf = (amount: Amount, other: Amount): Value => {
  const [to, from] = [unitsOf(amount), unitsOf(other)];
  if (to === from || (to.length === 0 && from.length === 0)) return other.value;
  if (!isSameKind(from, to)) {
    if (to.length === 0 || from.length === 0) {
      const unit = describeMeasure(to.length === 0 ? from : to);
      refuse('unit', `a bare number and ${unit} do not go together; write the unit of both`);
    }
    refuse('unit', `${describeMeasure(to)} and ${describeMeasure(from)} do not go together; both must measure the same`);
  }
  if (isOf(to, 'temperature') && to[0]?.unit !== from[0]?.unit)
    refuse('unit', 'temperatures of two scales do not go together; convert one first, as in 72 F in C');
  return convertValue(other.value, from, to);
};

/** Whether the node is a share: 10%, -10%, 10% + 5%. */
const isShare = (node: Node): boolean => {
  if (node.kind === 'percent') return true;
  if (node.kind === 'negate' || node.kind === 'group') return isShare(node.of);
  return node.kind === 'binary' && (node.operator === '+' || node.operator === '-') && isShare(node.left) && isShare(node.right);
};

const MAX_STEP = 4_000_000;

const moveDate = (days: number, by: Amount, sign: 1 | -1): number => {
  const measure = unitsOf(by);
  const move = isOf(measure, 'month')
    ? addMonths
    : isOf(measure, 'workday')
      ? addWorkdays
      : isOf(measure, 'time')
        ? addDays
        : undefined;
  if (move === undefined) {
    const what = measure.length === 0 ? 'a bare number' : describeMeasure(measure);
    return refuse('date', `${what} cannot be added to a date; write days, weeks, months or years, as in 2026-03-01 + 45 days`);
  }
  const count = convertValue(by.value, measure, move === addDays ? DAYS : move === addMonths ? MONTHS : WORKDAYS);
  if (!count.isInteger()) refuse('date', 'a date moves by whole days and months; round the time first');
  if (count.abs().gt(MAX_STEP)) refuse('too_large', 'dates are calculated from year 1 to 9999');
  return move(days, count.toNumber() * sign);
};

const MAX_CLOCK_SECONDS = 366 * 86_400;

const moveClock = (seconds: number, by: Amount, sign: 1 | -1): ClockTime => {
  const measure = unitsOf(by);
  if (!isOf(measure, 'time')) {
    const what = measure.length === 0 ? 'a bare number' : describeMeasure(measure);
    return refuse('date', `${what} cannot be added to a time of day; write hours, minutes or seconds, as in 14:30 + 95 min`);
  }
  const count = convertValue(by.value, measure, SECONDS);
  if (count.abs().gt(MAX_CLOCK_SECONDS)) refuse('too_large', 'a time of day moves by a year at most; use a date');
  return { kind: 'clock', seconds: seconds + count.round().toNumber() * sign };
};

/** One of them is a time of day. */
const evaluateClocks = (operator: string, left: Result, right: Result): Result => {
  const sign = operator === '+' ? 1 : -1;
  if (operator === '+' || operator === '-') {
    if (left.kind === 'clock' && right.kind === 'amount') return moveClock(left.seconds, right, sign);
    if (left.kind === 'amount' && right.kind === 'clock' && sign === 1) return moveClock(right.seconds, left, 1);
    if (left.kind === 'clock' && right.kind === 'clock' && sign === -1)
      return { ...bare(new Decimal(left.seconds - right.seconds).div(3_600)), measure: HOURS };
  }
  return refuse('date', 'times of day are subtracted, and moved by hours and minutes, as in 14:30 + 95 min');
};

/** `left` is a date, or what the right side adds to one. */
const evaluateDates = (operator: string, left: Result, right: Result): Result => {
  if (left.kind === 'clock' || right.kind === 'clock') return evaluateClocks(operator, left, right);
  const sign = operator === '+' ? 1 : -1;
  if (operator !== '+' && operator !== '-')
    return refuse('date', 'dates are subtracted, and moved with + and -, as in 2026-03-01 + 45 days');
  if (left.kind === 'date' && right.kind === 'amount') return { kind: 'date', days: moveDate(left.days, right, sign) };
  if (left.kind === 'amount' && right.kind === 'date' && sign === 1) return { kind: 'date', days: moveDate(right.days, left, 1) };
  if (left.kind === 'date' && right.kind === 'date' && sign === -1) {
    const span = { from: right.days, to: left.days };
    return { ...bare(new Decimal(span.to - span.from)), measure: DAYS, span };
  }
  return refuse('date', 'two dates can be subtracted, not added, and no date can be taken from a time');
};

/** A date moved by 1 year 2 months 3 days moves by each in turn. */
const partsOf = (node: Node): readonly Node[] => {
  const inner = node.kind === 'group' ? node.of : node;
  return inner.kind === 'compound' ? inner.parts : [node];
};

const evaluateBinary = (node: Extract<Node, { kind: 'binary' }>): Result => {
  const first = evaluate(node.left);
  if (first.kind !== 'amount') {
    return partsOf(node.right).reduce((moved: Result, part) => evaluateDates(node.operator, moved, evaluate(part)), first);
  }
  const second = evaluate(node.right);
  if (second.kind !== 'amount') return evaluateDates(node.operator, first, second);
  const [left, right] = [plain(first), plain(second)];
  const [a, b] = [left.value, right.value];
  const measured = (value: Value, sign: 1 | -1, currency: string | undefined): Amount => {
    const { factor, measure } = multiplyMeasures(unitsOf(left), unitsOf(right), sign);
    return { kind: 'amount', value: value.times(factor), measure, currency };
  };
  switch (node.operator) {
    case '+':
    case '-': {
      // As on a pocket calculator, 100 + 10% is 110; 10% + 5% are shares of one thing.
      const part = node.right.kind === 'percent' && !isShare(node.left) ? a.times(b) : inUnitsOf(left, right);
      return {
        kind: 'amount',
        value: node.operator === '+' ? a.plus(part) : a.minus(part),
        measure: left.measure,
        currency: common(left, right),
      };
    }
    case '*':
    case 'of':
      if (left.currency !== undefined && right.currency !== undefined)
        refuse('domain', 'two amounts of money cannot be multiplied; leave the sign of one away');
      return measured(a.times(b), 1, left.currency ?? right.currency);
    case 'off':
      return { ...right, value: b.minus(b.times(a)) };
    case '/':
    case '//': {
      if (b.isZero()) refuseZero();
      if (left.currency !== undefined && right.currency !== undefined) common(left, right);
      const quotient = measured(a.div(b), -1, right.currency === undefined ? left.currency : undefined);
      return node.operator === '/' ? quotient : { ...quotient, value: quotient.value.floor() };
    }
    case 'mod':
      return { ...left, value: remainder(a, inUnitsOf(left, right)) };
    case '^': {
      if (unitsOf(right).length > 0) refuse('unit', 'an exponent is a bare number; leave its unit away');
      const units = unitsOf(left);
      if (units.length > 0 && !(b.isInteger() && b.abs().lte(3)))
        refuse('unit', `${describeMeasure(units)} can be raised to a whole power from -3 to 3`);
      return { ...left, value: power(a, b), measure: units.length === 0 ? units : powerOf(units, b.toNumber()) };
    }
  }
};

const convert = (amount: Amount, to: Measure | '%'): Amount => {
  if (to === '%') {
    if (unitsOf(amount).length > 0 || amount.currency !== undefined)
      refuse('unit', 'only a bare number can be shown in percent, as in 20 / 80 in %');
    return { ...amount, value: amount.value.times(HUNDRED), measure: '%' };
  }
  const { span } = amount;
  if (span !== undefined && isOf(to, 'workday')) {
    const value = new Decimal(workdaysBetween(span.from, span.to));
    const sign = amount.value.s === value.s ? 1 : -1;
    return { ...bare(value.times(sign)), measure: to };
  }
  if (span !== undefined && isOf(to, 'month')) {
    const { months, days } = monthsBetween(Math.min(span.from, span.to), Math.max(span.from, span.to));
    const whole = convertValue(new Decimal(months), MONTHS, to);
    const note =
      days === 0
        ? undefined
        : `${months} whole months, and ${days} more ${days === 1 ? 'day that is' : 'days that are'} not counted`;
    return {
      ...bare(whole.times(amount.value.s)),
      measure: to,
      ...(note === undefined ? {} : { note }),
    };
  }
  const converted = { ...amount, value: convertValue(amount.value, unitsOf(amount), to), measure: to };
  if (span === undefined || to[0]?.unit.symbol !== 'week' || converted.value.isInteger()) return converted;
  const days = Math.abs(span.to - span.from);
  return { ...converted, note: `${Math.floor(days / 7)} weeks and ${days % 7} days` };
};

const evaluateCall = (name: string, rule: CalculatorFunction, nodes: readonly Node[]): Amount => {
  const amounts = nodes.map(evaluateAmount);
  // The rank of a percentile and the places of a rounding are no values of the list.
  const own = name === 'percentile' ? amounts.slice(1) : name === 'round' ? amounts.slice(0, 1) : amounts;
  const [first] = own;
  if (first === undefined) return refuse('syntax', `${name} needs a value`);
  const units = unitsOf(first);
  if (rule.units === undefined) {
    const measured = amounts.find((amount) => unitsOf(amount).length > 0);
    if (measured !== undefined) refuse('unit', `${name} takes bare numbers, not ${describeMeasure(unitsOf(measured))}`);
  }
  const currency = amounts.reduce((seen, amount) => ({ ...amount, currency: common(seen, amount) })).currency;
  if (rule.units === 'multiplies') {
    return own.reduce((a, b) => {
      const { factor, measure } = multiplyMeasures(unitsOf(a), unitsOf(b), 1);
      return { kind: 'amount', value: a.value.times(b.value).times(factor), measure, currency };
    });
  }
  const values = amounts.map((amount) =>
    own.includes(amount) && rule.units !== undefined ? inUnitsOf(first, amount) : amount.value,
  );
  const value = rule.call(values);
  const measure = ((): Measure => {
    if (units.length === 0 || rule.units === 'keeps') return units;
    if (rule.units === 'squares') return powerOf(units, 2);
    if (rule.units === 'halves' && units.every(({ power: of }) => of % 2 === 0)) return powerOf(units, 0.5);
    return rule.units === 'halves' ? refuse('unit', `${name} of ${describeMeasure(units)} has no unit; use a bare number`) : [];
  })();
  return {
    kind: 'amount',
    value,
    measure,
    currency: rule.units === 'drops' ? undefined : currency,
    ...(first.span === undefined ? {} : { span: first.span }),
    ...(rule.note === undefined ? {} : { note: rule.note }),
  };
};

const evaluateNode = (node: Node): Result => {
  switch (node.kind) {
    case 'number':
      return bare(node.value, node.currency);
    case 'date':
      return { kind: 'date', days: node.days };
    case 'clock':
      return { kind: 'clock', seconds: node.seconds };
    case 'constant':
      return bare(CONSTANTS.get(node.name) as Value);
    case 'group':
      return evaluate(node.of);
    case 'measured': {
      const of = evaluateAmount(node.of);
      if (unitsOf(of).length > 0) refuse('unit', 'a value has one unit; leave the second away');
      return { ...of, measure: node.measure };
    }
    case 'compound':
      return node.parts.map(evaluateAmount).reduce((sum, part) => ({ ...sum, value: sum.value.plus(inUnitsOf(sum, part)) }));
    case 'convert': {
      const of = evaluate(node.of);
      if (of.kind !== 'amount')
        return refuse(
          'date',
          `a ${of.kind === 'date' ? 'date' : 'time of day'} has no unit to convert; subtract another from it first`,
        );
      return convert(plain(of), node.to);
    }
    case 'negate': {
      const of = evaluateAmount(node.of);
      return { ...of, value: of.value.neg() };
    }
    case 'percent': {
      const of = evaluateAmount(node.of);
      return { ...of, value: of.value.div(HUNDRED) };
    }
    case 'factorial':
    case 'degrees': {
      const of = evaluateAmount(node.of);
      if (unitsOf(of).length > 0) refuse('unit', 'a bare number is needed here; leave the unit away');
      return bare(node.kind === 'factorial' ? factorial(of.value) : of.value.times(DEGREE));
    }
    case 'binary':
      return evaluateBinary(node);
    case 'call':
      return evaluateCall(node.name, FUNCTIONS.get(node.name) as CalculatorFunction, node.args);
  }
};

/** Throws `CalculationRefused`; never returns NaN or an infinity. */
export const evaluate = (node: Node): Result => {
  const result = evaluateNode(node);
  if (result.kind !== 'amount') return result;
  if (result.value.isNaN()) refuse('domain', 'the result is not a number');
  if (!result.value.isFinite()) refuse('too_large', 'the result is too large; results go up to 1e10000');
  return result;
};
