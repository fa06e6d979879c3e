/** Tokens to a tree, by operator precedence (Pratt). All limits of shape are checked here, before anything is calculated. */
import type { Value } from './calculator-decimal.ts';
import { CONSTANTS, FUNCTIONS } from './calculator-functions.ts';
import { refuse } from './calculator-refusal.ts';
import type { Token } from './calculator-tokens.ts';
import { findMeasure, type Measure, powerOf } from './calculator-units.ts';

/** `//` divides and rounds down. */
export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '^' | 'of' | 'off' | 'mod';

export type Node =
  | { readonly kind: 'number'; readonly value: Value; readonly currency?: string }
  | { readonly kind: 'constant'; readonly name: string }
  | { readonly kind: 'date'; readonly days: number }
  | { readonly kind: 'clock'; readonly seconds: number }
  | { readonly kind: 'measured'; readonly of: Node; readonly measure: Measure }
  /** 2 h 30 min, 1 year 3 days: added up. */
  | { readonly kind: 'compound'; readonly parts: readonly Node[] }
  | { readonly kind: 'convert'; readonly of: Node; readonly to: Measure | '%' }
  | { readonly kind: 'negate'; readonly of: Node }
  | { readonly kind: 'percent'; readonly of: Node }
  | { readonly kind: 'factorial'; readonly of: Node }
  | { readonly kind: 'degrees'; readonly of: Node }
  | { readonly kind: 'group'; readonly of: Node }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[] };

const MAX_DEPTH = 50;
const MAX_NODES = 200;
/** An arc tangent takes about a millisecond. */
const MAX_CALLS = 25;

/** What is converted is the whole before it: 3 km + 200 m in m. */
const CONVERSION = 5;
const SUM = 10;
const PRODUCT = 20;
const SIGN = 25;
const POWER = 30;
const POSTFIX = 40;

const BINDING: ReadonlyMap<string, number> = new Map([
  ['+', SUM],
  ['-', SUM],
  ['*', PRODUCT],
  ['/', PRODUCT],
  ['//', PRODUCT],
  ['mod', PRODUCT],
  ['of', PRODUCT],
  ['off', PRODUCT],
  ['^', POWER],
]);

const CONVERTING: ReadonlySet<string> = new Set(['in', 'to', 'into', 'as']);
const CALENDAR_NAME = /^(?:today|tomorrow|yesterday|(?:next|last)\p{L}+day|\p{L}+dayofnextweek)$/u;
const SQUARE: ReadonlyMap<string, number> = new Map([
  ['sq', 2],
  ['square', 2],
  ['cu', 3],
  ['cubic', 3],
]);
const spaced = (name: string): string => name.replace(/^(?:next|last)/u, '$& ').replace('ofnextweek', ' of next week');
/** Days from the epoch by their name. */
export type NamedDays = ReadonlyMap<string, number>;

const SIDE_BY_SIDE = 'two values stand side by side; write the operator between them';

const refuseUnit = (name: string): never =>
  refuse(
    'unit',
    `“${name.slice(0, 30)}” is no unit that the calculator knows; it knows those of length, area, volume, weight, temperature, data and time, such as km, m², L, lb, °C, GB and h`,
  );

const refuseName = (name: string): never =>
  refuse(
    'unknown_name',
    `“${name.slice(0, 30)}” is not known to the calculator; it knows numbers, units such as km, lb, °C, GB and h, dates such as 2026-03-01, and functions such as sqrt and avg`,
  );

const isBinary = (operator: string): operator is BinaryOperator => BINDING.has(operator);

export const parseTokens = (tokens: readonly Token[], namedDays: NamedDays): Node => {
  let at = 0;
  let depth = 0;
  let nodes = 0;
  let calls = 0;

  const node = <Kind extends Node>(made: Kind): Kind => {
    nodes += 1;
    if (nodes > MAX_NODES) refuse('limit', `the expression has more than ${MAX_NODES} parts; calculate it in several steps`);
    return made;
  };
  const peekOperator = (): string | undefined => {
    const token = tokens[at];
    if (token?.kind === 'operator') return token.operator;
    return token?.kind === 'name' && isBinary(token.name) ? token.name : undefined;
  };
  const take = (operator: string): boolean => {
    if (peekOperator() !== operator) return false;
    at += 1;
    return true;
  };
  const expectClosing = (): void => {
    if (!take(')')) refuse('syntax', at >= tokens.length ? 'a closing bracket is missing' : SIDE_BY_SIDE);
  };

  const parseArguments = (name: string): Node => {
    calls += 1;
    if (calls > MAX_CALLS) refuse('limit', `the expression has more than ${MAX_CALLS} functions; calculate it in several steps`);
    const rule = FUNCTIONS.get(name) ?? refuse('unknown_name', `there is no function ${name}`);
    if (!take('(')) {
      // A root sign binds what follows it directly: √9 + 1 is 4.
      if ((name === 'sqrt' || name === 'cbrt') && tokens[at]?.kind === 'number')
        return node({ kind: 'call', name, args: [parse(POSTFIX)] });
      refuse('syntax', `${name} needs its value in brackets, as in ${name}(9)`);
    }
    const args: Node[] = [];
    if (peekOperator() !== ')')
      do args.push(parse(0));
      while (take(','));
    expectClosing();
    if (args.length < rule.minArguments || args.length > rule.maxArguments) {
      const wanted =
        rule.minArguments === rule.maxArguments ? `${rule.minArguments}` : `${rule.minArguments} to ${rule.maxArguments}`;
      refuse('syntax', `${name} takes ${wanted} value${wanted === '1' ? '' : 's'}, and ${args.length} came`);
    }
    return node({ kind: 'call', name, args });
  };

  const parsePrefix = (): Node => {
    const token = tokens[at];
    if (token === undefined) return refuse('syntax', 'something is missing at the end; write the value behind the last sign');
    at += 1;
    switch (token.kind) {
      case 'number': {
        const after = tokens[at];
        if (after?.kind !== 'currency') return node({ kind: 'number', value: token.value });
        // A sign behind the number belongs to it, unless the next number needs it.
        const next = tokens[at + 1];
        if (next?.kind === 'number') return node({ kind: 'number', value: token.value });
        at += 1;
        return node({ kind: 'number', value: token.value, currency: after.sign });
      }
      case 'currency': {
        const amount = tokens[at];
        if (amount?.kind !== 'number') return refuse('syntax', `behind ${token.sign} an amount is expected`);
        at += 1;
        return node({ kind: 'number', value: amount.value, currency: token.sign });
      }
      case 'date':
        return node({ kind: 'date', days: token.days });
      case 'clock':
        return node({ kind: 'clock', seconds: token.seconds });
      case 'name':
        if (namedDays.has(token.name)) return node({ kind: 'date', days: namedDays.get(token.name) as number });
        if (CALENDAR_NAME.test(token.name))
          return refuse('date', `the date of ${spaced(token.name)} is not known here; write it, as in 2026-03-01`);
        if (CONSTANTS.has(token.name)) return node({ kind: 'constant', name: token.name });
        if (FUNCTIONS.has(token.name)) return parseArguments(token.name);
        if (findMeasure(token.written) !== undefined)
          return refuse('unit', `${token.written} needs its number before it, as in 5 ${token.written}`);
        if (isBinary(token.name)) return refuse('syntax', `a value is missing before “${token.name}”`);
        return refuseName(token.written);
      case 'operator':
        if (token.operator === '-') return node({ kind: 'negate', of: parse(SIGN) });
        if (token.operator === '+') return parse(SIGN);
        if (token.operator === '(') {
          const inner = parse(0);
          expectClosing();
          return node({ kind: 'group', of: inner });
        }
        return refuse('syntax', `a value is missing before “${token.operator}”`);
    }
  };

  const nameAt = (index: number): string | undefined => {
    const token = tokens[index];
    return token?.kind === 'name' ? token.name : undefined;
  };
  const isOperatorAt = (index: number, operator: string): boolean => {
    const token = tokens[index];
    return token?.kind === 'operator' && token.operator === operator;
  };

  /** The unit at `index`, and where it ends; `min(` is a function. */
  const unitAt = (index: number): { readonly measure: Measure; readonly end: number } | undefined => {
    const prefix = SQUARE.get(nameAt(index) ?? '');
    const token = tokens[prefix === undefined ? index : index + 1];
    if (token?.kind !== 'name') return undefined;
    const end = index + (prefix === undefined ? 1 : 2);
    if (FUNCTIONS.has(token.name) && isOperatorAt(end, '(')) return undefined;
    const measure = findMeasure(token.written);
    if (measure === undefined) return undefined;
    if (prefix !== undefined) return { measure: powerOf(measure, prefix), end };
    // m^2, and m^(2) of m².
    const raised = isOperatorAt(end, '^') ? tokens[end + (isOperatorAt(end + 1, '(') ? 2 : 1)] : undefined;
    if (raised?.kind !== 'number' || !(raised.value.eq(2) || raised.value.eq(3))) return { measure, end };
    return { measure: powerOf(measure, raised.value.toNumber()), end: end + (isOperatorAt(end + 1, '(') ? 4 : 2) };
  };

  /** Units over units, km/h; ends before a number: 100 km / 2 h. */
  const measureAt = (index: number): { readonly measure: Measure; readonly end: number } | undefined => {
    let read = unitAt(index);
    while (read !== undefined && isOperatorAt(read.end, '/')) {
      const under = unitAt(read.end + 1);
      if (under === undefined) break;
      read = { measure: [...read.measure, ...powerOf(under.measure, -1)], end: under.end };
    }
    return read;
  };

  /** `in` behind a number is an inch, unless a unit to convert to follows. */
  const isInch = (index: number): boolean =>
    nameAt(index) === 'in' &&
    (CONVERTING.has(nameAt(index + 1) ?? '') ? unitAt(index + 2) !== undefined : unitAt(index + 1) === undefined) &&
    !isOperatorAt(index + 1, '%') &&
    tokens[index + 1]?.kind !== 'currency';

  const parseUnit = (left: Node): Node | undefined => {
    const bare = left.kind === 'number' || left.kind === 'group' || left.kind === 'constant';
    if (nameAt(at) === 'in' && !isInch(at)) return undefined;
    if (bare) {
      const read = measureAt(at);
      if (read === undefined) return undefined;
      at = read.end;
      return node({ kind: 'measured', of: left, measure: read.measure });
    }
    return undefined;
  };

  const parseCompound = (left: Node): Node | undefined => {
    const token = tokens[at];
    if ((left.kind !== 'measured' && left.kind !== 'compound') || token?.kind !== 'number') return undefined;
    if (unitAt(at + 1) === undefined || (nameAt(at + 1) === 'in' && !isInch(at + 1))) return undefined;
    at += 1;
    const part = parseUnit(node({ kind: 'number', value: token.value })) as Node;
    return node({ kind: 'compound', parts: [...(left.kind === 'compound' ? left.parts : [left]), part] });
  };

  /** Behind a value: in km, to %, as a unit over a unit. */
  const parseConversion = (left: Node): Node | undefined => {
    if (!CONVERTING.has(nameAt(at) ?? '')) return undefined;
    const target = tokens[at + 1];
    if (isOperatorAt(at + 1, '%')) {
      at += 2;
      return node({ kind: 'convert', of: left, to: '%' });
    }
    if (target?.kind === 'currency')
      return refuse('unit', `no rate of exchange to ${target.sign} is known here; multiply by the rate, as in 5 * 1.08`);
    const read = measureAt(at + 1);
    if (read !== undefined) {
      at = read.end;
      return node({ kind: 'convert', of: left, to: read.measure });
    }
    if (target?.kind === 'name') return refuseUnit(target.written);
    return refuse('syntax', 'behind “in” or “to” a unit is expected, as in 5 miles in km');
  };

  /** A bracket, a constant or a function behind a number, bracket or constant is multiplied: 2(3+4), 2pi. */
  const multipliesSilently = (): boolean => {
    const before = tokens[at - 1];
    const closes =
      before?.kind === 'number' ||
      (before?.kind === 'operator' && before.operator === ')') ||
      (before?.kind === 'name' && CONSTANTS.has(before.name));
    if (!closes) return false;
    const token = tokens[at];
    if (token?.kind === 'operator') return token.operator === '(';
    return token?.kind === 'name' && !isBinary(token.name) && (CONSTANTS.has(token.name) || FUNCTIONS.has(token.name));
  };

  const parsePostfix = (left: Node): Node | undefined => {
    if (take('%')) return node({ kind: 'percent', of: left });
    if (take('!')) return node({ kind: 'factorial', of: left });
    const unit = parseUnit(left) ?? parseCompound(left);
    if (unit !== undefined) return unit;
    // 30 $ per hour, 12 per day.
    if (isOperatorAt(at, '/') && left.kind === 'number' && unitAt(at + 1) !== undefined) {
      const read = measureAt(at + 1) as { readonly measure: Measure; readonly end: number };
      at = read.end;
      return node({ kind: 'measured', of: left, measure: powerOf(read.measure, -1) });
    }
    const token = tokens[at];
    if (token?.kind !== 'name') return undefined;
    if (token.name === 'deg' || token.name === 'degrees') {
      at += 1;
      return node({ kind: 'degrees', of: left });
    }
    if (token.name === 'rad' || token.name === 'radians') {
      at += 1;
      return left;
    }
    return undefined;
  };

  const parse = (minBinding: number): Node => {
    depth += 1;
    if (depth > MAX_DEPTH)
      refuse('limit', `the expression is nested deeper than ${MAX_DEPTH} levels; calculate it in several steps`);
    let left = parsePrefix();
    for (;;) {
      const postfix = parsePostfix(left);
      if (postfix !== undefined) {
        left = postfix;
        continue;
      }
      if (PRODUCT > minBinding && multipliesSilently()) {
        left = node({ kind: 'binary', operator: '*', left, right: parse(PRODUCT) });
        continue;
      }
      if (CONVERSION > minBinding) {
        const converted = parseConversion(left);
        if (converted !== undefined) {
          left = converted;
          continue;
        }
      }
      const operator = peekOperator();
      if (operator === undefined || !isBinary(operator)) break;
      const binding = BINDING.get(operator) as number;
      // The power is right-associative: 2^3^2 is 2^9.
      if (operator === '^' ? binding < minBinding : binding <= minBinding) break;
      at += 1;
      left = node({ kind: 'binary', operator, left, right: parse(binding) });
    }
    depth -= 1;
    return left;
  };

  if (tokens.length === 0) refuse('syntax', 'there is nothing to calculate');
  const root = parse(0);
  if (at < tokens.length) {
    const token = tokens[at] as Token;
    if (token.kind === 'operator' && token.operator === ')') refuse('syntax', 'a closing bracket has no opening one');
    if (tokens[at - 1]?.kind === 'operator' && token.kind === 'number') {
      refuse('ambiguous', 'behind “%” a number stands; write “10 mod 3” for the remainder, or “10% of 3” for a share');
    }
    if (token.kind === 'name') (CONVERTING.has(nameAt(at + 1) ?? '') ? refuseUnit : refuseName)(token.written);
    refuse('syntax', SIDE_BY_SIDE);
  }
  return root;
};
