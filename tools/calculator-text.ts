/** The many ways people write arithmetic, in one: full-width forms, typographic signs, other digits, fractions. */

const SUPERSCRIPTS: ReadonlyMap<string, string> = new Map([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((char, digit) => [char, String(digit)]));

/** The zeros of the decimal digit blocks in living use; each is followed by its nine other digits. */
const DIGIT_ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810,
];

const asciiDigit = (char: string): string => {
  const code = char.codePointAt(0) as number;
  const zero = DIGIT_ZEROS.find((start) => code >= start && code < start + 10);
  return zero === undefined ? char : String(code - zero);
};

/** NFKC alone would make 3² into 32 and 2½ into 21/2; so these come first. */
const spellOutRaised = (text: string): string =>
  text
    .replace(/⁻?[⁰¹²³⁴-⁹]+/gu, (run) => `^(${[...run].map((char) => (char === '⁻' ? '-' : SUPERSCRIPTS.get(char))).join('')})`)
    .replace(/(\p{Nd}*)([¼½¾⅐-⅞])/gu, (_match, whole: string, fraction: string) => {
      const [over, under] = fraction.normalize('NFKC').split('\u2044');
      return whole === '' ? `(${over}/${under})` : `(${whole}+${over}/${under})`;
    });

const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[×✕✖⨯·∙⋅∗]/gu, '*'],
  [/[÷⁄∕]/gu, '/'],
  [/[‐‑‒–—−﹣]/gu, '-'],
  [/\*\*/gu, '^'],
  [/√/gu, 'sqrt '],
  [/° ?([CF])(?!\p{L})/gu, ' deg$1'],
  [/π/gu, 'pi '],
  [/[[{【]/gu, '('],
  [/[\]}】]/gu, ')'],
  [/[`"“”]/gu, ''],
  [/\u066b/gu, '.'],
  [/\u066c/gu, ','],
  [/、/gu, ';'],
  [/；/gu, ';'],
  // Digit groups are parted by thin and fixed spaces, underscores and apostrophes.
  [/(?<=\d)['’](?=\d{3}(?!\d))/gu, '_'],
  [/(?<=\d)_(?=\d)/gu, ''],
  // Between numbers an x is a sign.
  [/(?<=[\d)%])\s*[xX]\s*(?=[\d(.$€£-])/gu, '*'],
];

/** ASCII where there is an ASCII form; a closing `=`, `= ?` or `?` is gone. */
export const normaliseExpression = (text: string): string => {
  let plain = spellOutRaised(text)
    .replace(/[\u2009\u202f\u2007\u200a]/gu, '_')
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, asciiDigit);
  for (const [sign, written] of SIGNS) plain = plain.replace(sign, written);
  return plain
    .replace(/\s+/gu, ' ')
    .replace(/\s*=?\s*[?？]*\s*$/u, '')
    .trim();
};

/** 1 1/2 is one and a half; a fraction of more digits could be a group of thousands. */
export const joinFractions = (text: string): string =>
  text.replace(
    /(?<![\d.,/])(?<!\d )(\d{1,3}) (\d{1,2})\/(\d{1,3})(?![\d./])/gu,
    (found, whole: string, over: string, under: string) => (Number(over) < Number(under) ? `(${whole}+${over}/${under})` : found),
  );

/** 1 000 000 is one number, outside a list. */
export const joinGroups = (text: string): string => text.replace(/(?<=\d) (?=\d{3}(?!\d))/gu, '');
