/** What kind of answer a question wants, and whether a sentence could be one. */

export type AnswerKind =
  | 'money'
  | 'duration'
  | 'number'
  | 'time'
  | 'list'
  | 'clock'
  | 'phone'
  | 'email'
  | 'person'
  | 'place'
  | 'size'
  | 'any';

const KIND_OF_QUESTION: readonly (readonly [AnswerKind, RegExp])[] = [
  [
    'phone',
    /\b(?:phone|telephone|hotline|fax|mobile) number\b|\bnumber (?:do|can|should|to) (?:i )?(?:call|dial|ring)\b|电话(?:号码)?(?:是)?多少|哪个电话/i,
  ],
  ['email', /\b(?:e-?mail|mail) address\b|邮箱(?:地址)?是/i],
  [
    'duration',
    /\bhow (?:long|soon|fast|quickly|often|early)\b|\bhow many (?:days|hours|weeks|months|years|minutes)\b|多久|多长时间|多少天|几天|几年|几个月|几小时|多少年/i,
  ],
  ['number', /\bhow much (?:water|weight|space|data|memory|storage|notice|cheaper|discount)\b/i],
  [
    'money',
    /\bhow much (?:is|are|does|do|will|would|can|money|for)\b|\b(?:cost|costs|price|fee)\b|多少钱|价格|费用|售价|单价|收费/i,
  ],
  [
    'size',
    /\bhow (?:big|large|heavy|high|far|wide|tall|deep|thick)\b|\b(?:what|which) size\b|多大(?:的|面积|尺寸|容量)|多重|多高|多远|多宽|多长(?!时间)/i,
  ],
  ['number', /\bhow (?:many|much|big|large|heavy|high|far|old)\b|多少|几[个次名位台件]|多大|多重|多高|多远/i],
  ['place', /^\s*(?:and )?where\b|\bwhich (?:room|floor|address|branch|building)\b/i],
  ['person', /^\s*(?:and )?who(?:se|m)?\b|[.!?,] *who\b/i],
  ['clock', /\b(?:what|which) time\b|\bhow late\b|几点/i],
  ['time', /\bwhen\b|\buntil when\b|\bwhat (?:date|day)\b|\bwhich day\b|什么时候|何时|哪天|几号/i],
  ['list', /^\s*(?:and )?(?:which|what) \w+s\b|\bwhich \w+ \w+s\b|哪些|哪几/i],
];

export const answerKindOf = (question: string): AnswerKind =>
  KIND_OF_QUESTION.find(([, pattern]) => pattern.test(question))?.[0] ?? 'any';

const NUMBER =
  /\p{N}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand|half|once|twice|dozen|first|second|third)\b|[一二三四五六七八九十百千万两半]/iu;
const UNIT_OF_TIME =
  /\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|immediately|instantly|at once|h|min|birthday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|daily|weekly|monthly|yearly|annually)\b|秒|分钟|小时|天|日|周|星期|月|年|立即|当天|次/iu;
const SIGN_OF_MONEY =
  /[$€£¥￥]|\b(?:usd|eur|gbp|cny|rmb|dollars?|euros?|pounds?|cents?|free|percent|costs? nothing)\b|元|块|免费|承担|%|百分之|工资|倍/iu;
const POINT_IN_TIME =
  /\p{N}|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|midnight|daily|weekly|monthly|annually|every|within|before|after|morning|evening|day|end|once|always|around the clock)\b|[月日号点周天年]|每|之前|之后|后|星期/iu;
const PERSON =
  /(?<=[\p{L},] )\p{Lu}\p{Ll}+|@|\d{3,}|\b(?:managers?|teams?|heads?|directors?|officers?|department|office|desk|staff|we|us|you|parents?|doctors?|nurses?|teachers?|customers?|employees?|members?|owners?|tenants?|landlords?|buyers?|sellers?|anyone|everyone|nobody|everybody|partners?|services?|support|hr|finance|it|people|persons?|lead|supervisor|guests?|drivers?|companies|company|\p{L}+(?:ers?|ors?|ists?))\b|\p{Script=Han}/u;
const PLACE =
  /\b(?:in|at|on|next to|near|opposite|behind|beside|from|to|under|via|street|road|floor|room|desk|portal|page|app|website|online)\b|\p{Script=Han}/iu;
const SIZE =
  /\p{N}\s?(?:[kmgt]b|[cmk]?m|[mk]?g|m²|sqm|ft|in|lbs?|oz|l|ml|%|[x×]|inch(?:es)?|feet|foot|miles?|yards?|acres?|litres?|liters?|gallons?|tons?|tonnes?|pounds|kilos?|kilograms?|grams?|metres?|meters?|square|cubic|people|guests|seats|persons|characters|pages|mega|giga|kilo)\b|\p{N}\s?(?:厘米|毫米|米|公里|千米|公斤|千克|克|斤|吨|升|毫升|平方|立方|寸|英寸|尺|人|兆|字)|[一二三四五六七八九十百千两]\s?(?:米|公里|公斤|斤|吨|升|平方)/iu;
const QUANTITY = /\b(?:no|none|unlimited|any number|without limit|all)\b|无限|不限|全部/iu;

/** Whether a sentence could be an answer of that kind. */
export const hasAnswerOfKind = (sentence: string, kind: AnswerKind): boolean => {
  const hasNumber = NUMBER.test(sentence);
  switch (kind) {
    case 'money':
      return hasMoney(sentence) || /\p{N}/u.test(sentence);
    case 'duration':
      return (
        UNIT_OF_TIME.test(sentence) && (hasNumber || /immediately|instant|at once|day|daily|weekly|立即|当天|每/iu.test(sentence))
      );
    case 'number':
      return hasNumber || QUANTITY.test(sentence);
    case 'size':
      return SIZE.test(sentence) || QUANTITY.test(sentence);
    case 'time':
      return POINT_IN_TIME.test(sentence);
    case 'phone':
      return /(?<!\d)(?!(?:19|20)\d\d(?!\d))\d[\d\s()-]{2,}/.test(sentence);
    case 'clock':
      return hasClockTime(sentence);
    case 'email':
      return /\S@\S/.test(sentence);
    case 'person':
      return PERSON.test(sentence);
    case 'place':
      return PLACE.test(sentence);
    case 'list':
    case 'any':
      return true;
  }
};

export const hasClockTime = (sentence: string): boolean =>
  /\d[:：.]\d{2}|\d\s?(?:am|pm|o'clock|h)\b|\b(?:noon|midnight|around the clock|closed)\b|点|时/iu.test(sentence);

export const hasMoney = (sentence: string): boolean => SIGN_OF_MONEY.test(sentence);
