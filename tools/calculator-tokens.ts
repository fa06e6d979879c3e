/** Text to tokens. Numbers are read here with their groups, decimals and suffixes; what can be read two ways is asked back. */
import { readDate } from './calculator-dates.ts';
import { Decimal, type Value } from './calculator-decimal.ts';
import { FUNCTIONS } from './calculator-functions.ts';
import { refuse } from './calculator-refusal.ts';
import { findMeasure, isOf } from './calculator-units.ts';

export type Token =
  | { readonly kind: 'number'; readonly value: Value }
  | { readonly kind: 'date'; readonly days: number }
  /** Seconds since midnight. */
  | { readonly kind: 'clock'; readonly seconds: number }
  /** `written` keeps the capitals, by which Mb is not MB. */
  | { readonly kind: 'name'; readonly name: string; readonly written: string }
  | { readonly kind: 'currency'; readonly sign: string }
  | { readonly kind: 'operator'; readonly operator: string };

const MAX_LITERAL_DIGITS = 100;
const MAX_LITERAL_EXPONENT = 5_000;

const NUMBER = /(?:\d[\d.,]*|\.\d+)(?:[eE][+-]?\d+(?![\p{L}\d]))?/uy;
const ISO_DATE = /(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])/uy;
/** 14:30, 9:15:30, 2:30 pm. */
const CLOCK = /(2[0-4]|[01]?\d):([0-5]\d)(?::([0-5]\d))?(?![\d:])(?:\s?([ap])\.?m(?!\p{L})\.?)?/iuy;
/** 9 pm. */
const HOUR = /(1[0-2]|[1-9])()()\s?([ap])m(?!\p{L})/iuy;
const NAME = /\p{Script=Latin}+\d*(?!\p{Script=Latin})|\p{Script=Latin}+|\p{Script=Han}+|\p{L}+\d*/uy;
const CURRENCY =
  /(?:US|CA|AU|HK)?[$€£¥₹₩]|[美欧日]元|英镑|人民币|块钱?|元|円|(?:USD|EUR|GBP|CNY|RMB|JPY|dollars?|euros?)(?!\p{L})/iuy;
/**
 * Only where the number's word ends: `5k*2` is 5,000 times 2. A lone m behind a space, raised, over a unit or beside another length
 * is a metre.
 */
const SUFFIX =
  /(?:\s?(k|mn|bn|b|thousand|million|billion|trillion|万亿|万|萬|亿|億|千|百)|(m)(?!\s*\^))(?=\s*(?:$|[-+*^%),;=元!]|\/(?!\s*\p{L})|of\b|mod\b|美元|欧元|日元|英镑|块))/iuy;

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
  ['usd', '$'],
  ['us$', '$'],
  ['dollar', '$'],
  ['dollars', '$'],
  ['美元', '$'],
  ['eur', '€'],
  ['euro', '€'],
  ['euros', '€'],
  ['欧元', '€'],
  ['gbp', '£'],
  ['英镑', '£'],
  ['cny', '¥'],
  ['rmb', '¥'],
  ['人民币', '¥'],
  ['块', '¥'],
  ['块钱', '¥'],
  ['元', '¥'],
  ['jpy', 'JP¥'],
  ['日元', 'JP¥'],
  ['円', 'JP¥'],
]);

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

type Decimals = 'point' | 'comma' | undefined;

/** What the text's own numbers show: 1.234,56 has a decimal comma, 1,234.56 a decimal point. */
const decimalsOf = (text: string): Decimals => {
  const comma = /(?<![\d.,])\d{1,3}(?:\.\d{3})+,\d+(?![\d.,]*\d)/u.exec(text);
  const point = /(?<![\d.,])\d{1,3}(?:,\d{3})+\.\d+(?![\d.,]*\d)/u.exec(text);
  if (comma !== null && point !== null) {
    refuse(
      'ambiguous',
      `${comma[0]} has a decimal comma and ${point[0]} a decimal point; write all numbers with a decimal point and without grouping`,
    );
  }
  return comma !== null ? 'comma' : point !== null ? 'point' : undefined;
};

const askWhich = (number: string, first: string, second: string): never =>
  refuse('ambiguous', `${number} can be read as ${first} or as ${second}; write ${first} or ${second}`);

/** Groups of three are thousands; a comma before any other count of digits could be a decimal comma, so it is asked back. */
const readDigits = (text: string, decimals: Decimals, currency: string | undefined): string => {
  const number = text.replace(/[.,]+$/u, '');
  if (decimals === 'comma' && /^(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/u.test(number))
    return number.replaceAll('.', '').replace(',', '.');
  const euros = /^(\d{1,3})\.(\d{3})$/u.exec(number);
  if (euros !== null && currency === '€' && decimals === undefined && euros[1] !== '0')
    askWhich(`€${number}`, `${euros[1]}${euros[2]}`, `${number}0`);
  if (/^\d*(?:\.\d+)?$/u.test(number)) return number;
  if (/^0,\d+$/u.test(number)) return number.replace(',', '.');
  if (/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/u.test(number)) return number.replaceAll(',', '');
  if (/^[1-9]\d{0,2}(?:\.\d{3})+,\d+$/u.test(number)) return number.replaceAll('.', '').replace(',', '.');
  if (/^[1-9]\d{0,2}(?:\.\d{3}){2,}$/u.test(number)) return number.replaceAll('.', '');
  const plain = /^(\d+),(\d+)$/u.exec(number);
  if (plain !== null) askWhich(number, `${plain[1]}.${plain[2]}`, `${plain[1]}${plain[2]}`);
  return refuse('ambiguous', `the number ${number} is not clear; write it without grouping and with a decimal point`);
};

const readNumber = (text: string, decimals: Decimals, currency: string | undefined): Value => {
  const [digits = '', exponent = ''] = text.split(/[eE]/u);
  if (digits.replace(/\D/gu, '').length > MAX_LITERAL_DIGITS)
    refuse('limit', `a number has more than ${MAX_LITERAL_DIGITS} digits; write it rounded, as in 1.5e120`);
  if (Math.abs(Number(exponent)) > MAX_LITERAL_EXPONENT)
    refuse('too_large', `the number ${text.slice(0, 20)} is out of range; numbers go up to 1e${MAX_LITERAL_EXPONENT}`);
  return new Decimal(`${readDigits(digits, decimals, currency)}${exponent === '' ? '' : `e${exponent}`}`);
};

const currencyOf = (written: string): string => CURRENCY_NAMES.get(written.toLowerCase()) ?? written;

const namesLength = (text: string): boolean =>
  (text.match(/\p{L}+/gu) ?? []).some((name) => {
    const measure = name.toLowerCase() === 'm' ? undefined : findMeasure(name);
    return measure !== undefined && isOf(measure, 'length');
  });

const readClock = ([written, hour = '', minute = '', second = '', half]: readonly string[]): number => {
  const hours = Number(hour);
  const isWrong = half === undefined ? hours === 24 && Number(minute) + Number(second) > 0 : hours < 1 || hours > 12;
  if (isWrong) refuse('date', `${written} is no time of day; write it from 00:00 to 24:00, as in 14:30`);
  const day = half === undefined ? hours : (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return day * 3_600 + Number(minute) * 60 + Number(second);
};

export const tokenise = (text: string): Token[] => {
  const tokens: Token[] = [];
  const decimals = decimalsOf(text);
  const metres = namesLength(text);
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
      tokens.push({ kind: 'currency', sign: currencyOf(currency[0]) });
      at += currency[0].length;
      continue;
    }
    const date = matchAt(ISO_DATE, text, at);
    if (date !== null) {
      tokens.push({ kind: 'date', days: readDate(Number(date[1]), Number(date[2]), Number(date[3])) });
      at += date[0].length;
      continue;
    }
    const clock = matchAt(CLOCK, text, at) ?? matchAt(HOUR, text, at);
    if (clock !== null) {
      tokens.push({ kind: 'clock', seconds: readClock(clock) });
      at += clock[0].length;
      continue;
    }
    if (/^\d{1,2}:\d{2}(?!\d)/u.test(text.slice(at, at + 6)))
      refuse('date', `${text.slice(at, at + 5)} is no time of day; write it from 00:00 to 24:00, as in 14:30`);
    const number = matchAt(NUMBER, text, at);
    if (number !== null) {
      let literal = number[0];
      if (brackets.at(-1) === true && literal.includes(',')) {
        if (/\d,\d{3}(?!\d)/u.test(literal)) {
          refuse(
            'ambiguous',
            `${literal} in a list can be one number or several; write ${literal.replaceAll(',', '')}, or put a space behind each comma that separates`,
          );
        }
        literal = literal.slice(0, literal.indexOf(','));
      }
      // A comma at the end separates; a full stop at the end closes the sentence.
      if (literal.endsWith(',')) literal = literal.replace(/,+$/u, '');
      at += literal.length;
      const before = tokens.at(-1);
      const behind = matchAt(CURRENCY, text, text[at] === ' ' ? at + 1 : at);
      const money = before?.kind === 'currency' ? before.sign : behind === null ? undefined : currencyOf(behind[0]);
      let value = readNumber(literal, decimals, money);
      for (let suffix = matchAt(SUFFIX, text, at); suffix !== null; suffix = matchAt(SUFFIX, text, at)) {
        if (suffix[2] === 'm' && metres) break;
        value = value.times(new Decimal(10).pow(SUFFIX_ZEROS.get((suffix[1] ?? suffix[2] ?? '').toLowerCase()) ?? 0));
        at += suffix[0].length;
      }
      tokens.push({ kind: 'number', value });
      continue;
    }
    const name = matchAt(NAME, text, at);
    if (name !== null) {
      tokens.push({ kind: 'name', name: name[0].toLowerCase(), written: name[0] });
      at += name[0].length;
      continue;
    }
    if (char === '°') {
      tokens.push({ kind: 'name', name: 'deg', written: 'deg' });
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
      refuse('syntax', 'only an expression can be calculated, not an equation; write the side to calculate alone');
    } else {
      refuse('syntax', `the character ${char.isWellFormed() ? `“${char}”` : 'in it'} has no meaning here`);
    }
    at += 1;
  }
  return tokens;
};
