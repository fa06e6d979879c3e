/** Text to tokens. Numbers are read here with their groups, decimals and suffixes; what can be read two ways is asked back. */
import { Decimal, FUNCTIONS, type Value } from './calculator-functions.ts';
import { refuse } from './calculator-refusal.ts';

export type Token =
  | { readonly kind: 'number'; readonly value: Value }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'currency'; readonly sign: string }
  | { readonly kind: 'operator'; readonly operator: string };

const MAX_LITERAL_DIGITS = 100;
const MAX_LITERAL_EXPONENT = 5_000;

const NUMBER = /(?:\d[\d.,]*|\.\d+)(?:[eE][+-]?\d+(?![\p{L}\d]))?/uy;
const NAME = /\p{L}+\d*/uy;
const CURRENCY = /(?:US|CA|AU|HK)?[$€£¥₹₩]|元|円|(?:USD|EUR|GBP|CNY|RMB|JPY)(?![\p{L}])/uy;
/** Only where the number's word ends: `5k*2` is 5,000 times 2, `5km` is not read at all. */
const SUFFIX =
  /\s?(k|m|mn|bn|b|thousand|million|billion|trillion|万亿|万|萬|亿|億|千|百)(?=\s*(?:$|[-+*/^%),;=元!]|of\b|mod\b))/iuy;

const SUFFIX_ZEROS: ReadonlyMap<string, number> = new Map([
  ['k', 3],
  ['thousand', 3],
  ['m', 6],
  ['mn', 6],
  ['million', 6],
  ['b', 9],
  ['bn', 9],
  ['billion', 9],
  ['trillion', 12],
  ['百', 2],
  ['千', 3],
  ['万', 4],
  ['萬', 4],
  ['亿', 8],
  ['億', 8],
  ['万亿', 12],
]);

const CURRENCY_NAMES: ReadonlyMap<string, string> = new Map([
  ['USD', '$'],
  ['US$', '$'],
  ['EUR', '€'],
  ['GBP', '£'],
  ['CNY', '¥'],
  ['RMB', '¥'],
  ['JPY', '¥'],
  ['元', '¥'],
  ['円', '¥'],
]);

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Groups of three are thousands; a comma before any other count of digits could be a decimal comma, so it is asked back. */
const readDigits = (text: string): string => {
  const number = text.replace(/[.,]+$/u, '');
  if (/^\d*(?:\.\d+)?$/u.test(number)) return number;
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u.test(number)) return number.replaceAll(',', '');
  if (/^\d{1,3}(?:\.\d{3})+,\d+$/u.test(number)) return number.replaceAll('.', '').replace(',', '.');
  if (/^\d{1,3}(?:\.\d{3}){2,}$/u.test(number)) return number.replaceAll('.', '');
  const plain = /^(\d+),(\d+)$/u.exec(number);
  if (plain !== null) {
    refuse('ambiguous', `${number} can be read in two ways; write ${plain[1]}.${plain[2]} or ${plain[1]}${plain[2]}`);
  }
  return refuse('ambiguous', `the number ${number} is not clear; write it without grouping and with a decimal point`);
};

const readNumber = (text: string): Value => {
  const [digits = '', exponent = ''] = text.split(/[eE]/u);
  if (digits.replace(/\D/gu, '').length > MAX_LITERAL_DIGITS)
    refuse('limit', `a number has more than ${MAX_LITERAL_DIGITS} digits`);
  if (Math.abs(Number(exponent)) > MAX_LITERAL_EXPONENT) refuse('too_large', `the number ${text.slice(0, 20)} is out of range`);
  return new Decimal(`${readDigits(digits)}${exponent === '' ? '' : `e${exponent}`}`);
};

export const tokenise = (text: string): Token[] => {
  const tokens: Token[] = [];
  /** For each open bracket: whether it holds a function's arguments, where a comma separates. */
  const brackets: boolean[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    if (char === ' ') {
      at += 1;
      continue;
    }
    const currency = matchAt(CURRENCY, text, at);
    if (currency !== null) {
      tokens.push({ kind: 'currency', sign: CURRENCY_NAMES.get(currency[0]) ?? currency[0] });
      at += currency[0].length;
      continue;
    }
    const number = matchAt(NUMBER, text, at);
    if (number !== null) {
      let literal = number[0];
      if (brackets.at(-1) === true && literal.includes(',')) {
        if (/\d,\d{3}(?!\d)/u.test(literal)) {
          refuse('ambiguous', `${literal} between brackets can be one number or several; put a space behind separating commas`);
        }
        literal = literal.slice(0, literal.indexOf(','));
      }
      // A comma at the end separates; a full stop at the end closes the sentence.
      if (literal.endsWith(',')) literal = literal.replace(/,+$/u, '');
      at += literal.length;
      let value = readNumber(literal);
      for (let suffix = matchAt(SUFFIX, text, at); suffix !== null; suffix = matchAt(SUFFIX, text, at)) {
        value = value.times(new Decimal(10).pow(SUFFIX_ZEROS.get((suffix[1] as string).toLowerCase()) ?? 0));
        at += suffix[0].length;
      }
      tokens.push({ kind: 'number', value });
      continue;
    }
    const name = matchAt(NAME, text, at);
    if (name !== null) {
      tokens.push({ kind: 'name', name: name[0].toLowerCase() });
      at += name[0].length;
      continue;
    }
    if (char === '°') {
      tokens.push({ kind: 'name', name: 'deg' });
    } else if ('+-*/^%!(),;'.includes(char)) {
      if (char === '(') {
        const before = tokens.at(-1);
        brackets.push(before?.kind === 'name' && FUNCTIONS.has(before.name));
      }
      if (char === ')') brackets.pop();
      const twice = char === '/' && text[at + 1] === '/';
      if (twice) at += 1;
      tokens.push({ kind: 'operator', operator: twice ? '//' : char === ';' ? ',' : char });
    } else if (char === '=') {
      refuse('syntax', 'only an expression can be calculated, not an equation');
    } else {
      refuse('syntax', `the character ${char.isWellFormed() ? `“${char}”` : 'in it'} has no meaning here`);
    }
    at += 1;
  }
  return tokens;
};
