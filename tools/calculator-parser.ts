/** Tokens to a tree, by operator precedence (Pratt). All limits of shape are checked here, before anything is calculated. */
import { CONSTANTS, FUNCTIONS, type Value } from './calculator-functions.ts';
import { refuse } from './calculator-refusal.ts';
import type { Token } from './calculator-tokens.ts';

/** `//` divides and rounds down. */
export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '^' | 'of' | 'off' | 'mod';

export type Node =
  | { readonly kind: 'number'; readonly value: Value; readonly currency?: string }
  | { readonly kind: 'constant'; readonly name: string }
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

const isBinary = (operator: string): operator is BinaryOperator => BINDING.has(operator);

export const parseTokens = (tokens: readonly Token[]): Node => {
  let at = 0;
  let depth = 0;
  let nodes = 0;
  let calls = 0;

  const node = <Kind extends Node>(made: Kind): Kind => {
    nodes += 1;
    if (nodes > MAX_NODES) refuse('limit', `the expression has more than ${MAX_NODES} parts`);
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
    if (!take(')')) refuse('syntax', at >= tokens.length ? 'a closing bracket is missing' : 'two values stand side by side');
  };

  const parseArguments = (name: string): Node => {
    calls += 1;
    if (calls > MAX_CALLS) refuse('limit', `the expression has more than ${MAX_CALLS} functions`);
    const rule = FUNCTIONS.get(name) ?? refuse('unknown_name', `there is no function ${name}`);
    if (!take('(')) {
      // A root sign binds what follows it directly: √9 + 1 is 4.
      if (name === 'sqrt' && tokens[at]?.kind === 'number') return node({ kind: 'call', name, args: [parse(POSTFIX)] });
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
    if (token === undefined) return refuse('syntax', 'something is missing at the end');
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
      case 'name':
        if (CONSTANTS.has(token.name)) return node({ kind: 'constant', name: token.name });
        if (FUNCTIONS.has(token.name)) return parseArguments(token.name);
        if (isBinary(token.name)) return refuse('syntax', `a value is missing before “${token.name}”`);
        return refuse('unknown_name', `“${token.name.slice(0, 30)}” is not known to the calculator`);
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
    if (depth > MAX_DEPTH) refuse('limit', `the expression is nested deeper than ${MAX_DEPTH} levels`);
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
      refuse('ambiguous', 'behind “%” a number stands; write “mod” for the remainder, or “% of” for a share');
    }
    if (token.kind === 'name') refuse('unknown_name', `“${token.name.slice(0, 30)}” is not known to the calculator`);
    refuse('syntax', 'two values stand side by side');
  }
  return root;
};
