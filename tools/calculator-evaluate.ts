/** The tree's value, and the tree as text, so that a person sees what was read. */
import { CONSTANTS, DEGREE, Decimal, FUNCTIONS, factorial, power, remainder, type Value } from './calculator-functions.ts';
import type { Node } from './calculator-parser.ts';
import { refuse } from './calculator-refusal.ts';

/** A number, and the currency it is an amount of. */
export interface Amount {
  readonly value: Value;
  readonly currency: string | undefined;
}

const HUNDRED = new Decimal(100);

const checked = (value: Value): Value => {
  if (value.isNaN()) refuse('domain', 'the result is not a number');
  if (!value.isFinite()) refuse('too_large', 'the result is too large');
  return value;
};

const common = (a: Amount, b: Amount): string | undefined => {
  if (a.currency !== undefined && b.currency !== undefined && a.currency !== b.currency) {
    refuse('domain', `${a.currency} and ${b.currency} cannot be added without a rate of exchange`);
  }
  return a.currency ?? b.currency;
};

/** Whether the node is a share: 10%, -10%, 10% + 5%. */
const isShare = (node: Node): boolean => {
  if (node.kind === 'percent') return true;
  if (node.kind === 'negate' || node.kind === 'group') return isShare(node.of);
  return node.kind === 'binary' && (node.operator === '+' || node.operator === '-') && isShare(node.left) && isShare(node.right);
};

const evaluateBinary = (node: Extract<Node, { kind: 'binary' }>): Amount => {
  const left = evaluate(node.left);
  const right = evaluate(node.right);
  const [a, b] = [left.value, right.value];
  switch (node.operator) {
    case '+':
    case '-': {
      // As on a pocket calculator, 100 + 10% is 110; 10% + 5% are shares of one thing.
      const part = node.right.kind === 'percent' && !isShare(node.left) ? a.times(b) : b;
      return { value: node.operator === '+' ? a.plus(part) : a.minus(part), currency: common(left, right) };
    }
    case '*':
    case 'of':
      if (left.currency !== undefined && right.currency !== undefined)
        refuse('domain', 'two amounts of money cannot be multiplied');
      return { value: a.times(b), currency: left.currency ?? right.currency };
    case 'off':
      return { value: b.minus(b.times(a)), currency: right.currency };
    case '/':
    case '//': {
      if (b.isZero()) refuse('division_by_zero', 'division by zero');
      if (left.currency !== undefined && right.currency !== undefined) common(left, right);
      const quotient = node.operator === '/' ? a.div(b) : a.div(b).floor();
      return { value: quotient, currency: right.currency === undefined ? left.currency : undefined };
    }
    case 'mod':
      return { value: remainder(a, b), currency: left.currency };
    case '^':
      return { value: power(a, b), currency: left.currency };
  }
};

/** Throws `CalculationRefused`; never returns NaN or an infinity. */
export const evaluate = (node: Node): Amount => {
  const amount = evaluateNode(node);
  checked(amount.value);
  return amount;
};

const evaluateNode = (node: Node): Amount => {
  switch (node.kind) {
    case 'number':
      return { value: node.value, currency: node.currency };
    case 'constant':
      return { value: CONSTANTS.get(node.name) as Value, currency: undefined };
    case 'group':
      return evaluate(node.of);
    case 'negate': {
      const { value, currency } = evaluate(node.of);
      return { value: value.neg(), currency };
    }
    case 'percent': {
      const { value, currency } = evaluate(node.of);
      return { value: value.div(HUNDRED), currency };
    }
    case 'factorial':
      return { value: factorial(evaluate(node.of).value), currency: undefined };
    case 'degrees':
      return { value: evaluate(node.of).value.times(DEGREE), currency: undefined };
    case 'binary':
      return evaluateBinary(node);
    case 'call': {
      const args = node.args.map(evaluate);
      const currency = args.reduce((seen: Amount, arg) => ({ value: arg.value, currency: common(seen, arg) })).currency;
      return {
        value: (FUNCTIONS.get(node.name) as { call: (values: Value[]) => Value }).call(args.map(({ value }) => value)),
        currency,
      };
    }
  }
};

const SHOWN_DIGITS = 30;

/** At most 30 digits, in plain notation where that is readable, without trailing zeros. */
export const formatValue = (value: Value): string => {
  const rounded = value.toSignificantDigits(SHOWN_DIGITS);
  if (rounded.isZero()) return '0';
  return rounded.e >= SHOWN_DIGITS || rounded.e < -12 ? rounded.toExponential() : rounded.toFixed();
};

/** The expression as it was read. */
export const formatNode = (node: Node): string => {
  switch (node.kind) {
    case 'number':
      return `${node.currency ?? ''}${formatValue(node.value)}`;
    case 'constant':
      return node.name;
    case 'group':
      return `(${formatNode(node.of)})`;
    case 'negate':
      return `-${formatNode(node.of)}`;
    case 'percent':
      return `${formatNode(node.of)}%`;
    case 'factorial':
      return `${formatNode(node.of)}!`;
    case 'degrees':
      return `${formatNode(node.of)}°`;
    case 'call':
      return `${node.name}(${node.args.map(formatNode).join(', ')})`;
    case 'binary': {
      const between = node.operator === '^' ? '^' : ` ${node.operator} `;
      return `${formatNode(node.left)}${between}${formatNode(node.right)}`;
    }
  }
};

/** Whether an angle was read or returned, and in which unit it was written. */
export const angleUnit = (node: Node): 'radians' | 'degrees' | undefined => {
  switch (node.kind) {
    case 'number':
    case 'constant':
      return undefined;
    case 'degrees':
      return 'degrees';
    case 'binary':
      return angleUnit(node.left) ?? angleUnit(node.right);
    case 'call': {
      const inner = node.args.map(angleUnit).find((unit) => unit !== undefined);
      return inner ?? (FUNCTIONS.get(node.name)?.trigonometric === true ? 'radians' : undefined);
    }
    default:
      return angleUnit(node.of);
  }
};
