/**
 * Tells a question that is nothing but a calculation from one that merely holds numbers (`24/7 support`, a date, days of leave).
 * Two things make one: every word is a word of calculations, and they stand in the order of one.
 */
import { RATE_SPELLINGS, unitSpellings } from './arithmetic-words.ts';
import { readNumerals } from './numerals.ts';

const MAX_CHARS = 500;

const POLITE =
  /^(?:(?:please|hey|hi|ok|so)[,\s]+)*(?:(?:can|could|will|would) you (?:please )?)?(?:(?:tell|give|help) me (?:to )?|i (?:need|want) to know )?(?=\S)/iu;
const LEAD =
  /^(?:what(?:'s|’s|s| is| are| does| (?=[\d$€£¥]))|how (?:much|long|far|heavy|hot|big) (?:is|are|does)|how many (?:is|are)|calculate|compute|evaluate|work out|solve|convert|(?:请问|请|帮我|麻烦)*(?:计算一下|算一下|计算|换算一下|换算|求|算算|算|请问))(?:\s*[:：])?\s*(?=\S)/iu;
const TAIL =
  /\s*(?:(?:is |are )?equals? to what|equals?|come to|make|=\s*\?*|(?:一共|总共|结果)?(?:等于|是|为)多少|等于几|得多少|得几|等于|呢|is)?(?:,? (?:please|for me))*\s*[?？.。]*\s*$/iu;

const ENGLISH_WORDS = (
  'of off mod modulo x pi e k m mn bn b thousand million billion trillion deg degree degrees rad radians sqrt cbrt abs round floor ceil min max sum avg ' +
  'average mean median ln log log2 log10 exp sin cos tan asin acos atan pow gcd lcm factorial count product stdev stdevp var varp percentile total ' +
  'smallest lowest largest highest biggest minimum maximum standard deviation variance population sample percent percentage per cent pct share ' +
  'plus minus times divided multiplied by to the power raised squared cubed square cubic sq cu root cube half third thirds quarter quarters double twice triple dozen ' +
  'increase increased decrease decreased reduce reduced raise grow lower cut add added subtract take multiply divide split less more than from and with a an ' +
  'in into over as is are was will be it what which how many much make makes equals equal on for out off change growth drop difference discount tip tax vat markup ' +
  'amount number day date weekday week between until till since after before ago now today tomorrow yesterday left there fall falls passed have ' +
  'working business weekdays remainder when numbers number values value following list st nd rd th ' +
  'january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec ' +
  'usd eur gbp cny rmb jpy dollar dollars euro euros people ways nautical fluid'
).split(' ');
const HAN_WORDS = (
  '的 是 为 占 有 等于 多少 几 个 与 和 及 以及 或 从 自 到 至 离 距离 距 还 还有 还剩 剩 差 相差 相隔 间隔 之间 共 一共 总共 把 将 了 再 又 结果 ' +
  '加 加上 减 减去 减掉 乘 乘以 乘上 除以 根号 平方 立方 平方根 立方根 次方 阶乘 万 亿 千 百 元 块 块钱 美元 欧元 英镑 日元 人民币 每 ' +
  '折 打 后 折后 成 原价 售价 标价 价格 增加 增长 上涨 涨价 涨 上升 提高 上调 加价 减少 下降 降价 降低 下调 下跌 降 跌 便宜 变 变化 增长率 增幅 涨幅 降幅 跌幅 变化率 ' +
  '总和 合计 求和 之和 总数 平均数 平均值 平均 均值 中位数 中值 最小值 最小数 最小 最大值 最大数 最大 总体标准差 样本标准差 标准差 总体方差 样本方差 方差 个数 数量 乘积 之积 积 第 分位数 这几个数 这些数 这组数 几个数 中 ' +
  '换算 转换 折合 转化 换 转 换算成 转换成 转换为 相当于 合 算成 今天 今日 明天 昨天 号 之后 以后 之前 以前 前 起 开始 过 再过 往后 往前 星期几 周几 礼拜几 几号 哪天 哪一天 什么日子 几月几号'
).split(' ');

const UNITS: ReadonlySet<string> = new Set(
  [...unitSpellings().map(([spelling]) => spelling), ...Object.keys(RATE_SPELLINGS)].map((unit) => unit.toLowerCase()),
);
const WORDS: ReadonlySet<string> = new Set([...ENGLISH_WORDS, ...HAN_WORDS]);
const LONGEST_HAN = 5;

/** What stands for a unit in the orders below: one sign, since they are many. */
const UNIT = '§';

/** A word that is no unit here: 5 in is five inches, but in is mostly the word; min of 3 and 4; a quarter of 8. */
const maskLatin = (word: string, before: string, behind: string): string | undefined => {
  const known = word.toLowerCase();
  const isWord = known === 'in' || (WORDS.has(known) && (/^ ?(?:of\b|\(|:)/u.test(behind) || /wh(?:at|ich) $/iu.test(before)));
  if (UNITS.has(known) && !isWord) return UNIT;
  return WORDS.has(known) ? known : undefined;
};

/** A run taken apart by its longest words first, without trying again. */
const maskHan = (run: string): string | undefined => {
  let masked = '';
  for (let at = 0; at < run.length; ) {
    let length = Math.min(LONGEST_HAN, run.length - at);
    while (length > 0 && !WORDS.has(run.slice(at, at + length)) && !UNITS.has(run.slice(at, at + length))) length -= 1;
    if (length === 0) return undefined;
    const word = run.slice(at, at + length);
    masked += UNITS.has(word) && !WORDS.has(word) ? UNIT : word;
    at += length;
  }
  return masked;
};

/** The text with its units as signs; undefined when a word is not one of calculations. */
const mask = (text: string): string | undefined => {
  let isKnown = true;
  const masked = text.replace(/\p{Script=Latin}+|\p{Script=Han}+/gu, (word, at: number) => {
    const end = at + word.length;
    const known = /^\p{Script=Han}/u.test(word)
      ? maskHan(word)
      : maskLatin(word, text.slice(Math.max(0, at - 6), at), text.slice(end, end + 4));
    isKnown &&= known !== undefined;
    return known ?? word;
  });
  return isKnown ? masked : undefined;
};

const SYMBOLS = /^[\p{Nd}\s@§.,;:、；_'()（）+\-−–—*×·÷/⁄^%％!√π°℃℉㎡$€£¥￥，．＋－＊／＝=?²³½¼¾]*$/u;
const NOT_ARITHMETIC = [
  /^\d{4}\s*[-/.]\s*\d{1,2}\s*[-/.]\s*\d{1,2}$/u,
  /^\d{1,2}\s*[-/.]\s*\d{1,2}\s*[-/.]\s*(?:\d{2}|\d{4})$/u,
  /^\d+(?:\.\d+){2,}$/u,
  /^\+?\d{1,4}(?:[-\s]\d{2,4}){2,}$/u,
  /\b24\s*\/\s*7\b/u,
  /\boff$/iu,
  /^(?:is|are|was|have|more|less)\b/iu,
];

const RANGE =
  /(?<![\d\p{L}§] ?)(\d[\d.,]*)\s?(?:[-–—~～至到]|to)\s?(\d[\d.,]*)\s?(?:[\p{L}§]|%)(?!.*(?:多少|几|what|how|percent))/iu;

/** 5-10 days and 3 to 5 km are ranges; 240-15% falls, and is a difference. Dates are `@` already. */
const isRange = (text: string): boolean => {
  const [, from = '', to = ''] = RANGE.exec(text) ?? [];
  return from !== '' && Number(from.replaceAll(',', '')) < Number(to.replaceAll(',', ''));
};

const ONE_UNIT = '(?:(?:square|sq|cubic|cu|degrees?|nautical|fluid|working|business|平方|立方) ?)?§';
/** A unit or one over another. */
const UNIT_TERM = `${ONE_UNIT}(?:\\^?[23²³])?(?: ?(?:/|per|每) ?${ONE_UNIT})?`;
const NUMBER = '[-−]?[$€£¥￥]?\\d[\\d.,]*%?';
const QUANTITY = `(?:${NUMBER}|an?) ?(?:万|亿)?个?${UNIT_TERM}`;
const DATE = '(?:@|\\b(?:today|tomorrow|yesterday|now)\\b|今天|明天|昨天)';
const TIME_WORD = '(?:(?:working |business )?§|weekdays)';
const FUNCTION =
  '(?:sum|total|average|mean|avg|median|minimum|min|smallest|lowest|maximum|max|largest|highest|biggest|count|product|st ?dev|stdevp?|standard deviation|variance|varp?|percentile)';
const HAN_FUNCTION =
  '(?:总和|合计|求和|之和|总数|和|平均数|平均值|平均|均值|中位数|中值|最小值|最小|最大值|最大|标准差|方差|个数|数量|乘积|积|分位数)';
const RISE = '(?:增加|增长|上涨|涨价|涨|上升|提高|上调|加价|减少|下降|降价|降低|下调|下跌|降|跌|便宜)了?';

const signal = (source: string): RegExp => new RegExp(source, 'iu');

/** The orders in which words and numbers are a calculation. Dates stand as `@`, numerals as digits. */
const SIGNALS: readonly RegExp[] = [
  // Signs between two values, a root, a power, a factorial, a function with its brackets.
  /(?:[\d)%!²³½¼¾π@]|\bpi|\d ?[\p{L}§²³]{1,3}|\/ ?§)\s?[+\-−–—*×·÷/⁄^＋－＊／]\s?[-(√.$€£¥￥\d@]/u,
  /\d\s?x\s?\d/iu,
  /√|\d[²³!]|^[\d.,]+[%％]$/u,
  /\b[a-z]{2,}\d*\s?\(/iu,
  /\b(?:plus|minus|times|divided by|multiplied by|mod|modulo|increased by|decreased by|reduced by|to the power|\d(?:st|nd|rd|th) power|squared|cubed|square root|cube root|factorial|remainder)\b/iu,
  /(?:加|减|乘|除以)[上去以]? ?[\d(]|(?:平方|立方)(?! ?§)|次方|阶乘|根号/u,
  // Percentages.
  /(?:[%％]|per ?cent|\bpct|half|thirds?|quarters?|\d\/\d+) of\s+\S*\d|(?:double|twice|triple)\s+\d|dozen/iu,
  /[%％]\s?off\s+\S*\d|\b(?:less|less than|more than|over)\s+\d.*\d|\d\S*\s+(?:less|more than|less than)\s+\S*\d/iu,
  /\bwhat (?:percent(?:age)?|%|share)|\bpercent(?:age)? (?:of|change|increase|decrease|growth)|% (?:change|increase|decrease|growth|of what)|\b(?:as|in) (?:an? )?percent/iu,
  /^(?:increase|decrease|reduce|raise|lower|cut|grow|add|subtract|take|multiply|divide|split|share)\b.*\d.*\b(?:by|to|from|off|with|and|over|between|among|into)\b.*\d/iu,
  /(?:[%％]|per ?cent) ?(?:discount|tip|tax|vat)\b.*\d|\d.*\bwith\b.*[%％]/iu,
  /多少[%％]|几成|增长率|[增涨降跌]幅|变化率|\d ?(?:打 ?)?\d[\d.]* ?折|打 ?\d[\d.]* ?折|折 ?(?:的|后)? ?\d|的 ?\d[\d.]* ?[%％成折]|的\(?\d|\d的0\.5/u,
  signal(`\\d\\S* ?${RISE} ?\\d`),
  // Lists.
  signal(`\\b${FUNCTION}(?: of| for| from|:| )[^\\d]*\\d[\\d.]*[^\\d]+\\d`),
  signal(`^(?=.*${HAN_FUNCTION}$)(?:\\D*\\d[\\d.]*\\D+){2}|^${HAN_FUNCTION}[:： ]?\\d[\\d.]*\\D+\\d`),
  // Conversions.
  signal(
    `^[把将]?${QUANTITY}(?: ?(?:and )?${QUANTITY})* ?(?:\\b(?:in|to|into|as)\\b|=|→|equals?|(?:is )?equal to how many|is how many|is how much|(?:等于|是|为|合|有|相当于|换算成|换算为|转换成|转换为|转成|折合|换成)(?:多少|几)?个?|多少|几)[ =?？]*${UNIT_TERM}$`,
  ),
  signal(
    `^(?:how many|(?:the )?(?:total )?(?:number|amount) of|what amount of) ${UNIT_TERM} (?:is|are|in|make|makes|equals?|are in|are there in|is in|there are in) ${QUANTITY}`,
  ),
  signal(`^(?:多少|几)个?${UNIT_TERM}(?:等于|是)${QUANTITY}`),
  /^\d[\d.,]* ?(?:usd|eur|gbp|cny|rmb|jpy|dollars?|euros?|美元|欧元|英镑|日元|人民币|元)(?: (?:in|to)|等于多少|是多少|换|换成|兑) ?(?:usd|eur|gbp|cny|rmb|jpy|dollars?|euros?|美元|欧元|英镑|日元|人民币|元)$/iu,
  // Dates.
  signal(`${TIME_WORD},? (?:from|after|before|since) ${DATE}`),
  signal(`${TIME_WORD} (?:are |is |left |it |there |have passed )*(?:between|from|until|till|since|to) ${DATE}`),
  signal(`${DATE} (?:to|and|until) ${DATE}.*${TIME_WORD}$|difference between ${DATE} and ${DATE}`),
  signal(
    `^(?:what|which) (?:day|date|weekday)(?: of the §)? (?:is|was|will it be|will be|does) (?:it )?(?:in )?(?:${DATE}|\\d+ ${TIME_WORD})`,
  ),
  signal(`^(?:the )?(?:date|weekday|day of the §|day) (?:of |is |on )?(?:${DATE}|\\d+ ${TIME_WORD})`),
  signal(`${DATE}.*(?:到|至|和|与|距离?).*${DATE}.*(?:多少|几)个?[§日号]`),
  signal(`(?:离|距离?)?${DATE}(?:还有|还剩|有|剩)(?:多少|几)个?[§日号]`),
  signal(`${DATE}.*(?:后|前|加|减|[-+]) ?\\d|${DATE} ?(?:起|再过|的|过|往后|开始)*\\d.*(?:后|前)`),
  signal(`(?:\\d.*(?:后|前)|${DATE})(?:是|为)?(?:星期几|周几|礼拜几|几号|哪天|哪一天|什么日子|几月几号)$`),
];

const DATES =
  /\b\d{4}-\d{2}-\d{2}\b|\b\d{4}[-/.]\d{1,2}[/.]\d{1,2}\b(?=.*\p{L})|\b\d{1,2}[/.]\d{1,2}[/.]\d{4}\b(?=.*\p{L})|\d{4} ?年 ?\d{1,2} ?月 ?\d{1,2} ?[日号]|(?:\b\d{1,2}(?:st|nd|rd|th)? (?:of )?)?\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: \d{1,2}(?:st|nd|rd|th)?,?)? \d{4}\b/giu;

const CLOCKS =
  /\b(?:2[0-4]|[01]?\d):[0-5]\d(?::[0-5]\d)?\b(?:\s?[ap]\.?m\b\.?)?|\b(?:1[0-2]|[1-9])\s?[ap]m\b|(?:上午|早上|凌晨|中午|下午|晚上)?\d{1,2} ?[点點](?:\d{1,2} ?分?|半|整)?(?! ?\d)|\b(?:next|last|(?:this )?coming) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|下个?(?:周|星期|礼拜)[一二三四五六日天]/giu;
/** From one time of day to another. */
const HOURS = /^\d{1,2}(?::\d{2})?(?:\s?[ap]m)?\s?(?:[-–—]|to|until|till)\s?\d{1,2}(?::\d{2}(?:\s?[ap]m)?|\s?[ap]m)$/iu;

/** The expression, when the text asks for a calculation and for nothing else; undefined otherwise. */
export const looksLikeArithmetic = (text: string): string | undefined => {
  if (text.length > MAX_CHARS) return undefined;
  const trimmed = text.normalize('NFC').trim().replace(POLITE, '');
  const asked = LEAD.test(trimmed) || /[=?？]\s*$/u.test(trimmed) || /(?:多少|几)[?？]?\s*$/u.test(trimmed);
  const expression = trimmed.replace(LEAD, '').replace(TAIL, '').replace(/\s+/gu, ' ').trim();
  // "10-20" alone is a range as well as a difference; only a question makes it one.
  if (!asked && /^\d+\s?[-–]\s?\d+$/u.test(expression)) return undefined;
  if (NOT_ARITHMETIC.some((pattern) => pattern.test(expression))) return undefined;
  // So are opening hours.
  if (!asked && HOURS.test(expression)) return undefined;
  const read = readNumerals(expression.normalize('NFKC')).replace(CLOCKS, '@').replace(DATES, '@').replace(/\s+/gu, ' ').trim();
  if (!/[\p{Nd}√π@]|^how many|今天|today/iu.test(read)) return undefined;
  const masked = mask(read);
  if (masked === undefined || isRange(masked)) return undefined;
  if (!SYMBOLS.test(masked.replace(/\p{Script=Latin}+|\p{Script=Han}+/gu, ''))) return undefined;
  return SIGNALS.some((pattern) => pattern.test(masked)) ? expression : undefined;
};
