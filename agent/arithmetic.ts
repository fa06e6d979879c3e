/** Tells a question that is nothing but arithmetic from one that merely holds numbers (`24/7 support`, a date, a phone number). */

const LEAD =
  /^(?:(?:please|hey|hi|ok|so)[,\s]+)*(?:(?:can|could) you (?:please )?)?(?:what(?:'s|’s|s| is| are| does)|how much (?:is|are|does)|how many (?:is|are)|calculate|compute|evaluate|work out|solve|tell me|请问|请帮我计算|请计算|帮我计算|帮我算一下|帮我算|请算一下|计算一下|算一下|计算|求)(?:\s*[:：])?\s*/iu;
const TAIL =
  /\s*(?:(?:is |are )?equals? to what|equals?|come to|make|=\s*\?*|等于多少|是多少|等于几|得多少|得几|等于|please)?\s*[?？.。]*\s*$/iu;

/** Words that say an operator, as the calculator writes it. */
const SPOKEN: readonly (readonly [RegExp, string])[] = [
  [/\bdivided by\b|除以/giu, '/'],
  [/\b(?:multiplied by|times)\b|乘以|乘/giu, '*'],
  [/\bplus\b|加上|加/giu, '+'],
  [/\bminus\b|减去|减/giu, '-'],
  [/\bper ?cent\b/giu, '%'],
  [/\bmodulo\b/giu, 'mod'],
  [/\bto the power of\b/giu, '^'],
  [/\bsquared\b|的平方/giu, '^2'],
  [/\bcubed\b|的立方/giu, '^3'],
  [/\bsquare root of\s*\(?([\d.]+)\)?/giu, 'sqrt($1)'],
  [/([\d.,]+)\s*的\s*(\d[\d.]*\s*[%％])/gu, '$2 of $1'],
  [/\bthe\b/giu, ''],
];

const WORD =
  /^(?:of|off|mod|x|pi|e|k|m|bn|thousand|million|billion|deg|rad|sqrt|cbrt|abs|round|floor|ceil|min|max|sum|avg|average|mean|median|ln|log|log2|log10|exp|sin|cos|tan|pow|万|亿|元)$/iu;
const SYMBOLS = /^[\p{Nd}\s.,_'()（）+\-−–—*×·÷/⁄^%％!√π°$€£¥￥，．＋－＊／＝²³½¼¾]*$/u;
const NOT_ARITHMETIC = [
  /^24\s*\/\s*7$/u,
  /^\d{4}\s*[-/.]\s*\d{1,2}\s*[-/.]\s*\d{1,2}$/u,
  /^\d{1,2}\s*[-/.]\s*\d{1,2}\s*[-/.]\s*(?:\d{2}|\d{4})$/u,
  /^\d+(?:\.\d+){2,}$/u,
  /^\+?\d{1,4}(?:[-\s]\d{2,4}){2,}$/u,
];
const OPERATOR = /[+\-−–—*×·÷/⁄^%％!√²³＋－＊／]|\b(?:of|off|mod|x)\b|\b[a-z]{2,}\d*\s*\(/iu;

/** The expression, when the text asks for a calculation and for nothing else; undefined otherwise. */
export const looksLikeArithmetic = (text: string): string | undefined => {
  if (text.length > 500) return undefined;
  const trimmed = text.normalize('NFC').trim();
  const asked = LEAD.test(trimmed) || /=\s*[?？]*\s*$/u.test(trimmed) || /(?:多少|几)[?？]?\s*$/u.test(trimmed);
  let expression = trimmed.replace(LEAD, '').replace(TAIL, '').trim();
  for (const [spoken, written] of SPOKEN) expression = expression.replace(spoken, written);
  expression = expression.replace(/\s+/gu, ' ').trim();
  if (!/\p{Nd}/u.test(expression) && !/√|π/u.test(expression)) return undefined;
  if (!OPERATOR.test(expression)) return undefined;
  if (NOT_ARITHMETIC.some((pattern) => pattern.test(expression))) return undefined;
  // "10-20" alone is a range as well as a difference; only a question makes it one.
  if (!asked && /^\d+\s?[-–]\s?\d+$/u.test(expression)) return undefined;
  const words = expression.match(/\p{L}+\d*/gu) ?? [];
  if (!words.every((word) => WORD.test(word))) return undefined;
  if (!SYMBOLS.test(expression.replace(/\p{L}+\d*/gu, ''))) return undefined;
  return expression;
};
