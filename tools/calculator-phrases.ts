/**
 * Calculations said in words, as the notation that the parser reads: percentages, dates, lists, conversions, English and Chinese.
 * A form is of the whole text and each of its blanks is found by one search, so that no text takes long.
 */
import { readNumerals } from '../agent/numerals.ts';
import { readDate } from './calculator-dates.ts';
import { refuse } from './calculator-refusal.ts';
import { CLOCK, clockSpan, isClock, readClocks, readWeekdays } from './calculator-times.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';

const dateText = (year: string, month: number, day: string): string => {
  readDate(Number(year), month, Number(day));
  return `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
};
const monthNumber = (name: string): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

/** 10/5/2000 is a division; beside a word of the calendar it is a date. */
const CALENDAR = /day|week|month|year|date|between|until|[天日周月年]|星期/iu;

const readDates = (text: string): string => {
  let read = text
    .replace(new RegExp(`\\b${MONTH} ${DAY},? (\\d{4})\\b`, 'giu'), (_, month: string, day: string, year: string) =>
      dateText(year, monthNumber(month), day),
    )
    .replace(new RegExp(`\\b${DAY} (?:of )?${MONTH},? (\\d{4})\\b`, 'giu'), (_, day: string, month: string, year: string) =>
      dateText(year, monthNumber(month), day),
    )
    .replace(/(\d{4}) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?[日号]/gu, (_, year: string, month: string, day: string) =>
      dateText(year, Number(month), day),
    )
    .replace(
      /\b(\d{4})([-/.])(\d{1,2})\2(\d{1,2})\b(?![-/.]\d)/gu,
      (found, year: string, sign: string, month: string, day: string) =>
        CALENDAR.test(text) || (sign === '/' && month.startsWith('0') && Number(month) <= 12)
          ? dateText(year, Number(month), day)
          : found,
    );
  if (CALENDAR.test(text))
    read = read.replace(
      /(?<![\d/.-])(\d{1,2})([/.])(\d{1,2})\2(\d{4})\b/gu,
      (found, a: string, _sign, b: string, year: string) => {
        if (Number(a) > 12 && Number(b) <= 12) return dateText(year, Number(b), a);
        if (Number(b) > 12 || a === b) return dateText(year, Number(a), b);
        const [first, second] = [dateText(year, Number(a), b), dateText(year, Number(b), a)];
        return refuse('ambiguous', `${found} can be ${first} or ${second}; write one of these`);
      },
    );
  const bare = /(?<![\d年] ?)(\d{1,2}) ?月 ?(\d{1,2}) ?[日号]/u.exec(read);
  if (bare !== null) refuse('date', `“${bare[0]}” has no year; write it as year-month-day, as in 2026-03-01`);
  return read;
};

const DATE =
  '(?:\\d{4}-\\d{2}-\\d{2}|today|tomorrow|yesterday|now|(?:next|last)(?:mon|tues|wednes|thurs|fri|satur|sun)day|[a-z]+dayofnextweek)';
const UP = '(?:增加|增长|上涨|涨价|上升|提高|上调|加价|涨)';
const DOWN = '(?:减少|下降|降价|降低|下调|下跌|降|跌|便宜)';

/** `(text)` unless it is one word already. */
const group = (text: string): string => {
  const plain = text.trim();
  return /^[$€£¥]?[\d.]+(?:[\d.,]*\d)?%?$|^[\w-]+$/u.test(plain) ? plain : `(${plain})`;
};

/** 3 weeks and 1 year 2 months stay as they are behind a sign. */
const moved = (by: string): string => (/[-+]/u.test(by) ? `(${by})` : by);

const listOf = (text: string): string => {
  const plain = text
    .trim()
    .replace(/^[([](.*)[)\]]$/u, '$1')
    .replace(/,? (?:and|&) |\s*(?:和|与|及|以及)\s*/giu, '; ');
  return /[,;]|\b(?:plus|minus|times|divided)\b/u.test(plain) ? plain : plain.replace(/(?<=[\d%\p{L}]) +(?=[-.$€£¥]?\d)/gu, '; ');
};

const FUNCTION_OF: readonly (readonly [string, string])[] = [
  ['sum|total', 'sum'],
  ['average|mean|avg|arithmetic mean|average value', 'avg'],
  ['median', 'median'],
  ['minimum|min|smallest|lowest', 'min'],
  ['maximum|max|largest|highest|biggest', 'max'],
  ['(?:sample )?(?:standard deviation|std ?dev|stdev|sd)', 'stdev'],
  ['population (?:standard deviation|std ?dev|sd)', 'stdevp'],
  ['(?:sample )?(?:variance|var)', 'var'],
  ['population (?:variance|var)', 'varp'],
  ['count|number of values', 'count'],
  ['product', 'product'],
];
const FUNCTION_OF_HAN: readonly (readonly [string, string])[] = [
  ['总和|合计|求和|之和|总数|和', 'sum'],
  ['平均数|平均值|平均|均值', 'avg'],
  ['中位数|中值', 'median'],
  ['最小值|最小数|最小', 'min'],
  ['最大值|最大数|最大', 'max'],
  ['总体标准差', 'stdevp'],
  ['样本标准差|标准差', 'stdev'],
  ['总体方差', 'varp'],
  ['样本方差|方差', 'var'],
  ['个数|数量', 'count'],
  ['乘积|之积|积', 'product'],
];

type Form = readonly [pattern: RegExp, write: (...blanks: string[]) => string];

const ratio = (part: string, whole: string): string => `${group(part)} / ${group(whole)} in %`;
/** Of what it was, without its sign: from -80 to -40 it rose by half. */
const change = (from: string, to: string): string => {
  const base = from.trim().startsWith('-') ? `abs(${from.trim()})` : group(from);
  return `(${group(to)} - ${group(from)}) / ${base} in %`;
};
const isDate = (text: string): boolean => new RegExp(`^${DATE}$`, 'iu').test(text.trim());
const span = (from: string, to: string, unit: string): string =>
  isClock(from) && isClock(to)
    ? clockSpan(from, to, unit)
    : `abs(${isDate(to) ? to.trim() : group(to)} - ${isDate(from) ? from.trim() : group(from)}) in ${unit}`;

const HOW_MANY = '(working days|business days|weekdays|workdays|days|weeks|months|years|hours|minutes|seconds)';
const HOW_MANY_HAN = '(?:多少|几) ?个?(工作日|天|日|周|星期|月|年|小时)';

const FORMS: readonly Form[] = [
  // What is counted, in what.
  [
    /^(?:how many|(?:the )?(?:total )?(?:number|amount) of|what amount of) (.+?) (?:are |is )?(?:there )?(?:in|is|are|make|makes|equals?) (?:an? )?(.+)$/iu,
    (unit = '', of = '') => `${one(of)} in ${unit}`,
  ],
  // Percentages.
  [
    /^what (?:percent(?:age)?|%) (?:of (.+?) (?:is|are)|is) (.+)$/iu,
    (whole = '', part = '') => {
      const of = / of /iu.exec(part);
      if (whole !== '') return ratio(part, whole);
      return of === null ? `${group(part)} in %` : ratio(part.slice(0, of.index), part.slice(of.index + 4));
    },
  ],
  [/^(?:what )?(?:percent(?:age)?|%) (?:is|are) (.+?) (?:of|out of) (.+)$/iu, ratio],
  [/^(.+?) (?:is|are) what (?:percent(?:age)?|%|share|fraction) of (.+)$/iu, ratio],
  [/^(.+?) (?:as|in|is) (?:a |an )?(?:percent(?:age)?|%|share) of (.+)$/iu, ratio],
  [
    /^(.+?) (?:is|are) (.+?) ?(?:percent|%) of (?:what|which number)(?: number)?$/iu,
    (part = '', share = '') => `${group(part)} / ${share}%`,
  ],
  [
    /^(?:the |what is the )?(?:percent(?:age)?|%)(?: of)? (?:change|increase|decrease|growth|drop|difference)(?: going)? (?:from|between) (.+?) (?:to|and) (.+)$/iu,
    change,
  ],
  [
    /^from (.+?) to (.+?),? (?:is|are|as|in)? ?(?:what|a)? ?(?:percent(?:age)?|%) (?:change|increase|decrease|growth|drop)$/iu,
    change,
  ],
  [/^from (.+?) to (.+?),? (?:what|in) (?:percent(?:age)?|%)$/iu, change],
  [/^(?:increase|raise|grow) (.+?) by (.+)$/iu, (of = '', by = '') => `${group(of)} + ${by}`],
  [/^(?:decrease|reduce|lower|cut) (.+?) by (.+)$/iu, (of = '', by = '') => `${group(of)} - ${by}`],
  [/^(.+?) (?:more|greater|higher) than (.+)$/iu, (by = '', of = '') => `${group(of)} + ${by}`],
  [/^(.+?) (?:less|lower|fewer) than (.+)$/iu, (by = '', of = '') => `${group(of)} - ${by}`],
  [/^(?:a )?(.+?) (?:discount|reduction) (?:on|from|of) (.+)$/iu, (by = '', of = '') => `${group(of)} - ${by}`],
  [/^(.+?) with (?:a |an )?(.+?) (?:discount|reduction)$/iu, (of = '', by = '') => `${group(of)} - ${by}`],
  [/^(.+?) with (?:a |an )?(.+?) (?:tip|tax|vat|markup|surcharge|increase)$/iu, (of = '', by = '') => `${group(of)} + ${by}`],
  [/^(?:an? )?(.+?) (?:tip|tax|vat) on (.+)$/iu, (share = '', of = '') => `${share} of ${group(of)}`],
  [/^take (.+?) (?:off|from) (.+)$/iu, (by = '', of = '') => `${group(of)} - ${by}`],
  // The four operations as orders.
  [/^add (.+?) (?:to|on) (.+)$/iu, (by = '', to = '') => `${group(to)} + ${by}`],
  [/^add (.+?) and (.+)$/iu, (a = '', b = '') => `${a} + ${b}`],
  [/^subtract (.+?) from (.+)$/iu, (by = '', from = '') => `${group(from)} - ${by}`],
  [/^multiply (.+?) (?:by|with|and) (.+)$/iu, (a = '', b = '') => `${group(a)} * ${group(b)}`],
  [
    /^(?:divide|split|share) (.+?) (?:by|over|among|between|into) (.+?)(?: people| persons| parts| ways)?$/iu,
    (a = '', b = '') => `${group(a)} / ${group(b)}`,
  ],
  [
    /^(?:the )?remainder (?:of|when) (.+?) (?:is )?(?:divided by|\/|over) (.+)$/iu,
    (a = '', b = '') => `${group(a)} mod ${group(b)}`,
  ],
  // Dates.
  [
    new RegExp(
      `^(?:how many |number of )?${HOW_MANY} (?:are there |is it |are )?(?:between|from) (.+?) (?:and|to|until|till) (.+)$`,
      'iu',
    ),
    (unit = '', from = '', to = '') => span(from, to, unitOf(unit)),
  ],
  [
    new RegExp(
      `^(?:from |between )?(${DATE}|${CLOCK}) (?:to|and|until|till) (${DATE}|${CLOCK}),? (?:is |are |in )?(?:how many )?${HOW_MANY}$`,
      'iu',
    ),
    (from = '', to = '', unit = '') => span(from, to, unitOf(unit)),
  ],
  [
    new RegExp(`^(?:how many |number of )?${HOW_MANY} (?:are there |is it |are left |left )?(?:until|till|to) (${DATE})$`, 'iu'),
    (unit = '', to = '') => `${to} - today in ${unitOf(unit)}`,
  ],
  [
    new RegExp(`^(?:how many |number of )?${HOW_MANY} (?:have passed |passed |is it )?since (${DATE})$`, 'iu'),
    (unit = '', from = '') => `today - ${from} in ${unitOf(unit)}`,
  ],
  [
    /^(?:the )?difference (?:between|of) (.+?) and (.+)$/iu,
    (a = '', b = '') => (isDate(a) || isDate(b) ? span(a, b, 'days') : `abs(${group(a)} - ${group(b)})`),
  ],
  [/^(?:time|duration) (?:between|from) (.+?) (?:and|to) (.+)$/iu, (a = '', b = '') => span(a, b, 'days')],
  [new RegExp(`^(.+?) (?:from|after|since|past) (${DATE}.*)$`, 'iu'), (by = '', from = '') => `${from} + ${moved(by)}`],
  [new RegExp(`^(.+?) (?:before|prior to) (${DATE}.*)$`, 'iu'), (by = '', to = '') => `${to} - ${moved(by)}`],
  [/^(?:it (?:will )?be )?in (\d.*)$/iu, (by = '') => `today + ${moved(by)}`],
  [/^(.+?) ago$/iu, (by = '') => `today - ${moved(by)}`],
  [
    new RegExp(
      `^(?:从|自)?(.+?)(?:到|至|和|与|距离?)(.+?)(?:之间|相差|相隔|间隔|一共|总共|差|共|是|有|还有|，|,| )*${HOW_MANY_HAN}$`,
      'u',
    ),
    (from = '', to = '', unit = '') => span(from, to, unit),
  ],
  [
    new RegExp(`^(?:离|距离?)?(${DATE})(?:还有|还剩|有|剩)${HOW_MANY_HAN}$`, 'u'),
    (to = '', unit = '') => `${to} - today in ${unit}`,
  ],
  [
    new RegExp(`^(${DATE}) ?(?:的|起|开始|再过|过|往后|加)*[ ,]?(.+?) ?(?:之后|以后|后)$`, 'u'),
    (from = '', by = '') => `${from} + ${moved(by)}`,
  ],
  [new RegExp(`^(${DATE}) ?(?:之后|以后|后|起|再过) ?的?(.+)$`, 'u'), (from = '', by = '') => `${from} + ${moved(by)}`],
  [new RegExp(`^(${DATE}) ?(?:之前|以前|前) ?的?(.+)$`, 'u'), (from = '', by = '') => `${from} - ${moved(by)}`],
  [new RegExp(`^(${DATE}) ?(?:的|往前)?(.+?) ?(?:之前|以前|前)$`, 'u'), (from = '', by = '') => `${from} - ${moved(by)}`],
  [/^(\d[^,;]*?) ?(?:之后|以后|后)$/u, (by = '') => `today + ${moved(by)}`],
  [/^(\d[^,;]*?) ?(?:之前|以前|前)$/u, (by = '') => `today - ${moved(by)}`],
  // Percentages in Chinese.
  [/^打? ?(\d+(?:\.\d+)?) ?折(?:后|的)? ?(?=[\d$€£¥])(.+)$/u, (tenths = '', of = '') => `${group(of)} 打${tenths}折`],
  [/^(.+?)(?:是|占|为)(.+?)的?(?:多少%|几成)$/u, ratio],
  [new RegExp(`^从?(.+?)(?:变|${UP}|${DOWN})?[到至](.+?)[, ]?(?:${UP}|${DOWN}|变化|变动)?了?(?:多少%|几成)$`, 'u'), change],
  [new RegExp(`^从?(.+?)(?:变|${UP}|${DOWN})?[到至](.+?)的?[, ]?(?:是|的)?(?:增长率|增幅|涨幅|降幅|跌幅|变化率)$`, 'u'), change],
  [/^(.+?)是(?:多少|几)的(.+)$/u, (part = '', share = '') => `${group(part)} / ${group(share)}`],
  // Lists.
  [
    /^(?:the )?(\d+(?:\.\d+)?)(?:st|nd|rd|th)? percentile (?:of|for|:)? ?(.+)$/iu,
    (rank = '', list = '') => `percentile(${rank}; ${listOf(list)})`,
  ],
  [/^(.+?)的?第? ?(\d+) ?分位数$/u, (list = '', rank = '') => `percentile(${rank}; ${listOf(list.replace(/的$/u, ''))})`],
  ...FUNCTION_OF.map(
    ([words, name]): Form => [
      new RegExp(
        `^(?:the )?(?:${words})(?: value| number)?(?:(?: of| for| from|:)(?: the)?(?: numbers?| values| list| following)?:?|(?= [-.$€£¥\\d])) ?(.+)$`,
        'iu',
      ),
      (list = '') => `${name}(${listOf(list)})`,
    ],
  ),
  ...FUNCTION_OF_HAN.map(
    ([words, name]): Form => [
      new RegExp(`^(.+?) ?(?:这几个数|这些数|这组数|几个数)?[中里]?的? ?(?:${words})$`, 'u'),
      (list = '') => (/[;,、]|\d\s+\d|[和与及]/u.test(list) ? `${name}(${listOf(list)})` : `${list} ${words.split('|')[0]}`),
    ],
  ),
  ...FUNCTION_OF_HAN.map(
    ([words, name]): Form => [
      new RegExp(`^(?:${words})[:：]? ?(?=[-\\d(])(.+)$`, 'u'),
      (list = '') => `${name}(${listOf(list)})`,
    ],
  ),
  // Conversions.
  [/^(?:多少|几) ?个?(.+?)(?:等于|是)(.+)$/u, (unit = '', of = '') => `${of} in ${unit}`],
];

/** `a day` and `day` are one of them. */
const one = (of: string): string => (/^[\p{L}°]/u.test(of) && !new RegExp(`^${DATE}`, 'iu').test(of) ? `1 ${of}` : of);

const unitOf = (words: string): string => (/^(?:working|business|week|work) ?days?$/iu.test(words) ? 'workdays' : words);

/** In place, one after the other. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:working|business) days?\b/giu, 'workdays'],
  [/\bweekdays\b/giu, 'workdays'],
  [new RegExp(`(?:再|又)?${UP}了?(?= ?[\\d(])`, 'gu'), ' + '],
  [new RegExp(`(?:再|又)?${DOWN}了?(?= ?[\\d(])`, 'gu'), ' - '],
  [/的?阶乘/gu, '!'],
  [/\bdivided by\b|除以/giu, '/'],
  [/\b(?:multiplied by|times)\b|乘以|乘上|乘/giu, '*'],
  [/\b(?:plus|increased by|added to)\b|加上|加/giu, '+'],
  [/\b(?:minus|less|decreased by|reduced by)\b|减去|减掉|减/giu, '-'],
  [/\bper ?cent(?:age)?\b|\bpct\b/giu, '%'],
  [/\b(?:as|in|into) (?:an? )?%/giu, ' in %'],
  [/\bmodulo\b/giu, 'mod'],
  [/\b(?:raised )?to the (?:power of|power)\b/giu, '^'],
  [/\bsquared\b|的平方(?!根)/giu, '^2'],
  [/\bcubed\b|的立方(?!根)/giu, '^3'],
  [/的 ?(\d+) ?次方/gu, '^$1'],
  [/\b(?:the )?square root of\b|根号/giu, 'sqrt '],
  [/\b(?:the )?cube root of\b/giu, 'cbrt '],
  [/([\d.]+) ?的平方根/gu, 'sqrt($1)'],
  [/([\d.]+) ?的立方根/gu, 'cbrt($1)'],
  [/\b(?:the )?factorial of (?:the )?(?:number )?([\d.]+)/giu, '$1!'],
  [/(?<=\d) factorial\b/giu, '!'],
  [/\boff of\b/giu, 'off'],
  [/ to the (\d+)(?:st|nd|rd|th) power\b/giu, '^$1'],
  [/(?:\b(?:1|a) )?\bhalf of\b/giu, '1/2 of '],
  [/\b(?:a|1) third of\b/giu, '1/3 of '],
  [/\b(?:a|1) quarter of\b/giu, '1/4 of '],
  [/\b2 thirds of\b/giu, '2/3 of '],
  [/\b3 quarters of\b/giu, '3/4 of '],
  [/\b(?:double|twice)\b/giu, '2 * '],
  [/\btriple\b/giu, '3 * '],
  [/\bdozen\b/giu, ' * 12'],
  [/\bout of\b/giu, '/'],
  [/\bper\b|每/giu, '/'],
  [/的一半/gu, ' * 1/2'],
  [/的(?= ?[\d(])(?! ?\d(?:\.\d)? ?[成折])/gu, ' * '],
  [/\b(?:square|sq\.?) (?=\p{L})/giu, 'sq '],
  [/\bcubic (?=\p{L})/giu, 'cu '],
  [/\bfluid ounces?\b|\bfl\.? ?oz\b/giu, 'floz'],
  [/\bnautical miles?\b/giu, 'nmi'],
  [/\b(?:degrees?|deg) (celsius|centigrade|c\b)/giu, ' degC'],
  [/\b(?:degrees?|deg) (fahrenheit|f\b)/giu, ' degF'],
  [/摄氏 ?(-?[\d.]+) ?度/gu, '$1 摄氏度'],
  [/华氏 ?(-?[\d.]+) ?度/gu, '$1 华氏度'],
  [/(?<=\d) ?个(?=月|小时|星期|礼拜|季度|工作日|世纪)/gu, ''],
  [/ ?(?:换算|转换|折合|转化|换|转)(?:成|为|到|算成)? ?(?:多少|几)? ?个?(?=\p{L})/gu, ' in '],
  [/ ?(?:等于|相当于|合|是|有|为) ?(?:多少|几) ?个?(?=\p{L})/gu, ' in '],
  [/(?<=\p{L}) ?(?:多少|几) ?个?(?=[\p{L}]+$)/gu, ' in '],
  [/ ?(?:\b(?:is equal to|equal to|is|are|equals?|makes?)\b|=) ?(?:how many|how much|\?) ?(?=\p{L})/giu, ' in '],
  [/\b(?:expressed|measured|given|converted) (?=in|to)/giu, ''],
  [/ (?:and|,) (?=[\d.]+ ?(?:minutes?|mins?|seconds?|secs?|days?|hours?|inches|months?|weeks?|ounces|oz|分|秒)\b)/giu, ' '],
  [/\bthe\b/giu, ''],
];

const apply = (text: string, rules: readonly (readonly [RegExp, string])[]): string =>
  rules.reduce((read, [pattern, written]) => read.replace(pattern, written), text);

/** 八折 and 85折 are what is left of a price, 三成 is a share. */
const readTenths = (text: string): string =>
  text
    .replace(
      /(?:打|的)? ?(\d+(?:\.\d+)?) ?折后?/gu,
      (_, digits: string) => ` * ${Number(digits) < 10 ? Number(digits) * 10 : digits}%`,
    )
    .replace(/的? ?(?<![\d.])(\d(?:\.\d)?) ?成/gu, (_, digits: string) => ` * ${Number(digits) * 10}%`)
    // 涨了三成: a sign before it makes it a share of what stands before.
    .replace(/([+-]) +\* (?=[\d.]+%)/gu, '$1 ');

/** A question round what it asks for. */
const UNWRAPPED: readonly RegExp[] = [
  /^(?:on )?(?:what|which) (?:day|weekday|date)(?: of the (?:week|month))? (?:is it|is|was|will it be|will be|falls on|does|will) ?(.+?)(?: (?:fall on|be))?$/iu,
  /^what will (?:the date be|be the date) (?:in )?(.+)$/iu,
  /^(?:in )?(.+), what will (?:the date be|be the date)$/iu,
  /^(?:the )?(?:day of the week|weekday|date) (?:of |is |on |it will be )?(?:in )?(.+)$/iu,
  /^convert (.+)$/iu,
  /^(.+?)(?:是|为) ?(?:星期几|周几|礼拜几|几号|哪天|哪一天|什么日子|几月几[号日])$/u,
];

/** `text` is normalised. The reading of a text that is notation already is the text. */
export const readPhrases = (text: string): string => {
  if (!/\p{L}{2}|\p{Script=Han}/u.test(text)) return readDates(text);
  const numbers = readNumerals(text.replace(/^[把将]|^(?:原价|售价|标价|价格)(?:是|为)?|[一总]共/gu, ''));
  let read = apply(readDates(readClocks(readWeekdays(numbers))), [
    [/今天|今日|\bnow\b/giu, 'today'],
    [/明天/gu, 'tomorrow'],
    [/昨天/gu, 'yesterday'],
  ]).trim();
  read = read.replace(/(?:等于|是|为)多少$/u, '');
  for (const pattern of UNWRAPPED) read = pattern.exec(read)?.[1] ?? read;
  for (const [pattern, write] of FORMS) {
    const blanks = pattern.exec(read);
    if (blanks === null) continue;
    read = write(...blanks.slice(1).map((blank) => blank ?? ''));
    break;
  }
  return readTenths(apply(read, WORDS))
    .replace(/\s+/gu, ' ')
    .replace(/^ ?\* (?=[\d.]+%)/u, '')
    .trim();
};
