/** Numbers said in words, English and Chinese, as digits. */

const ENGLISH: ReadonlyMap<string, number> = new Map([
  ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, value) => [word, value] as const),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ').map((word, at) => [word, 20 + at * 10] as const),
]);
const SCALES: ReadonlyMap<string, number> = new Map([
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
]);

const BELOW_HUNDRED = [...ENGLISH.keys()].sort((a, b) => b.length - a.length).join('|');
const ENGLISH_NUMBER = new RegExp(
  `\\b(?:${BELOW_HUNDRED})(?:(?: |-| and )(?:${BELOW_HUNDRED}|hundred|thousand|million|billion))*\\b`,
  'giu',
);

const valueOfEnglish = (words: readonly string[]): number | undefined => {
  let total = 0;
  let group = 0;
  let last = Number.POSITIVE_INFINITY;
  for (const word of words) {
    const value = ENGLISH.get(word);
    const scale = SCALES.get(word);
    if (value !== undefined) {
      // "three four" is two numbers, "twenty four" is one, and so is "two hundred four".
      if (last < 20 || (last < 100 && value > 9)) return undefined;
      group += value;
      last = value;
    } else if (word === 'hundred') {
      group = Math.max(group, 1) * 100;
      last = 100;
    } else if (scale !== undefined) {
      total += Math.max(group, 1) * scale;
      group = 0;
      last = 100;
    }
  }
  return total + group;
};

const readEnglish = (run: string): string => {
  // "four and five" are two numbers; "two hundred and five" is one.
  const parts = run.split(/ and /iu);
  const joined: string[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (before !== undefined && /(?:hundred|thousand|million|billion)$/iu.test(before))
      joined[joined.length - 1] = `${before} ${part}`;
    else joined.push(part);
  }
  return joined
    .map((part) => {
      const value = valueOfEnglish(part.toLowerCase().split(/[ -]/u));
      return value === undefined ? part.replace(/[a-z]+/giu, (word) => `${ENGLISH.get(word.toLowerCase()) ?? word}`) : `${value}`;
    })
    .join(' and ');
};

const DIGITS: ReadonlyMap<string, number> = new Map([
  ...[...'零一二三四五六七八九'].map((char, value) => [char, value] as const),
  ['〇', 0],
  ['两', 2],
]);
const PLACES: ReadonlyMap<string, number> = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1_000],
]);
const LARGE: ReadonlyMap<string, number> = new Map([
  ['亿', 1e8],
  ['万', 1e4],
]);

/** 一百零五, 两万三 (23,000), and of digits alone 二零二六. */
const valueOfChinese = (run: string): number | undefined => {
  const chars = [...run];
  if (chars.every((char) => DIGITS.has(char))) return Number(chars.map((char) => DIGITS.get(char)).join(''));
  let total = 0;
  let section = 0;
  let digit: number | undefined;
  let unit = 1;
  for (const char of chars) {
    const value = DIGITS.get(char);
    const place = PLACES.get(char);
    const large = LARGE.get(char);
    if (value !== undefined) {
      if (digit !== undefined && digit !== 0) return undefined;
      digit = value;
      if (value === 0) unit = 10;
    } else if (place !== undefined) {
      section += (digit ?? 1) * place;
      digit = undefined;
      unit = place;
    } else if (large !== undefined) {
      total = (total + section + (digit ?? 0)) * large;
      if (total === 0) return undefined;
      section = 0;
      digit = undefined;
      unit = large;
    }
  }
  // The digit behind a place without its own stands one place lower.
  return total + section + (digit ?? 0) * (unit >= 100 ? unit / 10 : 1);
};

const CHINESE = '零〇一二两三四五六七八九十百千万亿';
const CHINESE_NUMBER = new RegExp(`(?<![\\d.])([${CHINESE}]+)(?:点([零〇一二三四五六七八九5]+))?`, 'gu');
const MIXED_NUMBER = /(?<![\d.])\d+(?:\.\d+)?[亿万千百](?:零?\d+(?:\.\d+)?[亿万千百])+(?:零?\d+)?/gu;

const MAX_CHINESE = 15;

const HAN_DIGITS = '\\d.零〇一二两三四五六七八九十百点';

/** Numbers that are more than their numerals, and units and words that hold a numeral. */
const HAN_FORMS: readonly (readonly [RegExp, string])[] = [
  [/千米/gu, '公里'],
  [/千克/gu, '公斤'],
  [/千字节/gu, 'kB'],
  [/百分之(?:几|多少)|百分比/gu, '多少%'],
  [new RegExp(`百分之([${HAN_DIGITS}]+)`, 'gu'), '$1%'],
  [/百分位数?/gu, '分位数'],
  [/打?对折/gu, '打五折'],
  [/的?一半/gu, '的0.5'],
  [new RegExp(`([${HAN_DIGITS}]+) ?个半(?=[月小星])`, 'gu'), '$1点5个'],
  [new RegExp(`([${HAN_DIGITS}]+) ?([斤里年天]|小时|公斤|公里)半`, 'gu'), '$1点5$2'],
  [/半(?=个?[月年天小])个?/gu, '0.5'],
];

/** What is no number stays as it is. */
export const readNumerals = (text: string): string =>
  HAN_FORMS.reduce((read, [pattern, written]) => read.replace(pattern, written), text)
    .replace(ENGLISH_NUMBER, readEnglish)
    // 3万5千: each part has its own place.
    .replace(MIXED_NUMBER, (run) => `(${(run.match(/\d+(?:\.\d+)?[亿万千百]?/gu) ?? []).join('+')})`)
    .replace(/(?<=\d)点5/gu, '.5')
    .replace(CHINESE_NUMBER, (run, whole: string, decimals: string | undefined) => {
      const value = whole.length > MAX_CHINESE ? undefined : valueOfChinese(whole);
      if (value === undefined || !Number.isSafeInteger(value)) return run;
      return decimals === undefined ? `${value}` : `${value}.${[...decimals].map((char) => DIGITS.get(char) ?? char).join('')}`;
    })
    .replace(/(\d+(?:\.\d+)?)分之(\d+(?:\.\d+)?)/gu, '($2/$1)');
