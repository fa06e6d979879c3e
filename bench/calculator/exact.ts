/** School arithmetic in exact fractions, written apart from the calculator to check it: + - * / // and brackets. */

interface Fraction {
  readonly over: bigint;
  /** Above 0. */
  readonly under: bigint;
}

const fraction = (over: bigint, under: bigint): Fraction => {
  if (under === 0n) throw new RangeError('division by zero');
  return under < 0n ? { over: -over, under: -under } : { over, under };
};

const readNumber = (text: string): Fraction => {
  const [whole = '', decimals = ''] = text.split('.');
  return fraction(BigInt(`${whole}${decimals}` || '0'), 10n ** BigInt(decimals.length));
};

/** Throws for a text that is none of it. */
export const evaluateExactly = (text: string): Fraction => {
  const tokens = text.match(/\d*\.?\d+|\d+\.|\/\/|[-+*/()]/gu) ?? [];
  if (tokens.join('') !== text.replaceAll(' ', '')) throw new SyntaxError(text);
  let at = 0;
  const sum = (): Fraction => {
    let left = product();
    while (tokens[at] === '+' || tokens[at] === '-') {
      const sign = tokens[at++] === '+' ? 1n : -1n;
      const right = product();
      left = fraction(left.over * right.under + sign * right.over * left.under, left.under * right.under);
    }
    return left;
  };
  const product = (): Fraction => {
    let left = factor();
    while (['*', '/', '//', '('].includes(tokens[at] ?? '')) {
      const sign = tokens[at];
      if (tokens[at] !== '(') at += 1;
      const right = factor();
      left = sign?.startsWith('/')
        ? fraction(left.over * right.under, left.under * right.over)
        : fraction(left.over * right.over, left.under * right.under);
      if (sign === '//') left = fraction((left.over - (((left.over % left.under) + left.under) % left.under)) / left.under, 1n);
    }
    return left;
  };
  const factor = (): Fraction => {
    const token = tokens[at++];
    if (token === '-') {
      const { over, under } = factor();
      return fraction(-over, under);
    }
    if (token === '+') return factor();
    if (token !== '(') return readNumber(token ?? '');
    const inner = sum();
    if (tokens[at++] !== ')') throw new SyntaxError(text);
    return inner;
  };
  const value = sum();
  if (at !== tokens.length) throw new SyntaxError(text);
  return value;
};

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

/** Whether `written`, a plain or scientific decimal, is the fraction rounded to `digits` digits. */
export const isRounded = (written: string, exact: Fraction, digits: number): boolean => {
  const [mantissa = '', exponent = '0'] = written.split('e');
  const [whole = '', decimals = ''] = mantissa.split('.');
  const shift = Number(exponent) - decimals.length;
  const value = BigInt(`${whole}${decimals}`);
  const [over, under] = shift >= 0 ? [value * 10n ** BigInt(shift), 1n] : [value, 10n ** BigInt(-shift)];
  const off = magnitude(over * exact.under - exact.over * under);
  if (off === 0n) return true;
  if (exact.over === 0n) return false;
  // Half a unit of the last of the digits, which begins where the value's first digit stands.
  let first = `${magnitude(exact.over)}`.length - `${exact.under}`.length;
  const isBelow =
    first >= 0
      ? magnitude(exact.over) < exact.under * 10n ** BigInt(first)
      : magnitude(exact.over) * 10n ** BigInt(-first) < exact.under;
  if (isBelow) first -= 1;
  const last = first - digits + 1;
  const scaled = 2n * off * (last < 0 ? 10n ** BigInt(-last) : 1n);
  return scaled <= exact.under * under * (last > 0 ? 10n ** BigInt(last) : 1n);
};
