/** Values and trees as text, so that a person sees what was read. */
import { formatClock, formatDate } from './calculator-dates.ts';
import { Decimal, type Value } from './calculator-decimal.ts';
import { FUNCTIONS } from './calculator-functions.ts';
import type { Node } from './calculator-parser.ts';
import { formatMeasure } from './calculator-units.ts';

const MANY = new Decimal(2);
const SHOWN_DIGITS = 30;
/** Behind these a person reads no more. */
const READ_DIGITS = 12;

/** At most 30 digits, in plain notation where that is readable, without trailing zeros. */
export const formatValue = (value: Value): string => {
  const rounded = value.toSignificantDigits(SHOWN_DIGITS);
  if (rounded.isZero()) return '0';
  return rounded.e >= SHOWN_DIGITS || rounded.e < -12 ? rounded.toExponential() : rounded.toFixed();
};

/** For a value with a long fraction: what is shown to a person. */
export const formatRounded = (value: Value): string | undefined => {
  const rounded = value.toSignificantDigits(SHOWN_DIGITS);
  if (rounded.isInteger() || rounded.precision() <= READ_DIGITS + 3) return undefined;
  return formatValue(rounded.toSignificantDigits(Math.max(READ_DIGITS, rounded.e + 3)));
};

/** The expression as it was read. */
export const formatNode = (node: Node): string => {
  switch (node.kind) {
    case 'number':
      return `${node.currency ?? ''}${formatValue(node.value)}`;
    case 'date':
      return formatDate(node.days);
    case 'clock':
      return formatClock(node.seconds);
    case 'constant':
      return node.name;
    case 'group':
      return `(${formatNode(node.of)})`;
    case 'measured': {
      const measure = formatMeasure(node.measure, node.of.kind === 'number' ? node.of.value : undefined);
      return `${formatNode(node.of)}${measure.startsWith('1/') ? measure.slice(1) : ` ${measure}`}`;
    }
    case 'compound':
      return node.parts.map(formatNode).join(' ');
    case 'convert':
      return `${formatNode(node.of)} in ${node.to === '%' ? '%' : formatMeasure(node.to, MANY)}`;
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

const childrenOf = (node: Node): readonly Node[] => {
  switch (node.kind) {
    case 'number':
    case 'constant':
    case 'date':
    case 'clock':
      return [];
    case 'binary':
      return [node.left, node.right];
    case 'call':
      return node.args;
    case 'compound':
      return node.parts;
    default:
      return [node.of];
  }
};

/** Whether an angle was read or returned, and in which unit it was written. */
export const angleUnit = (node: Node): 'radians' | 'degrees' | undefined => {
  if (node.kind === 'degrees') return 'degrees';
  const inner = childrenOf(node)
    .map(angleUnit)
    .find((unit) => unit !== undefined);
  return inner ?? (node.kind === 'call' && FUNCTIONS.get(node.name)?.trigonometric === true ? 'radians' : undefined);
};

/** Whether the tree has such a node. */
export const holds = (node: Node, found: (node: Node) => boolean): boolean =>
  found(node) || childrenOf(node).some((child) => holds(child, found));
