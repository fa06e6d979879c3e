/**
 * The units that people name when they type a calculation: each by its symbol, with its other spellings. Known here to tell a
 * calculation from a question, and to the calculator, which knows their sizes.
 */
export const UNIT_SPELLINGS = {
  mm: 'millimeter millimeters millimetre millimetres 毫米',
  cm: 'centimeter centimeters centimetre centimetres 厘米 公分',
  dm: 'decimeter decimeters decimetre decimetres 分米',
  m: 'meter meters metre metres 米 公尺',
  km: 'kms kilometer kilometers kilometre kilometres 公里 千米',
  in: 'inch inches 英寸 吋',
  ft: 'foot feet 英尺 呎',
  yd: 'yard yards yds 码',
  mi: 'mile miles 英里',
  nmi: 'nauticalmile nauticalmiles 海里',
  里: '华里',
  ha: 'hectare hectares 公顷',
  acre: 'acres 英亩',
  亩: '市亩',
  ml: 'mL milliliter milliliters millilitre millilitres 毫升',
  cl: 'cL centiliter centiliters centilitre centilitres',
  L: 'l liter liters litre litres 升 公升',
  gal: 'gallon gallons 加仑',
  qt: 'quart quarts 夸脱',
  pt: 'pint pints 品脱',
  cup: 'cups 杯',
  floz: 'fluidounce fluidounces 液盎司',
  tbsp: 'tablespoon tablespoons',
  tsp: 'teaspoon teaspoons',
  mg: 'milligram milligrams 毫克',
  g: 'gram grams gramme grammes 克',
  kg: 'kgs kilo kilos kilogram kilograms 公斤 千克',
  t: 'tonne tonnes ton tons 吨 公吨',
  lb: 'lbs pound pounds 磅',
  oz: 'ounce ounces 盎司',
  st: 'stone stones 英石',
  斤: '市斤',
  '°C': 'degC C celsius centigrade 摄氏度 摄氏',
  '°F': 'degF F fahrenheit 华氏度 华氏',
  K: 'kelvin 开尔文',
  B: 'byte bytes 字节',
  kB: 'KB kilobyte kilobytes 千字节',
  MB: 'megabyte megabytes 兆字节',
  GB: 'gigabyte gigabytes gig gigs 吉字节',
  TB: 'terabyte terabytes 太字节',
  PB: 'petabyte petabytes',
  KiB: 'kibibyte kibibytes',
  MiB: 'mebibyte mebibytes',
  GiB: 'gibibyte gibibytes',
  TiB: 'tebibyte tebibytes',
  bit: 'bits 比特',
  kbit: 'Kb kb kilobit kilobits',
  Mbit: 'Mb megabit megabits',
  Gbit: 'Gb gigabit gigabits',
  ms: 'millisecond milliseconds msec 毫秒',
  s: 'sec secs second seconds 秒 秒钟',
  min: 'mins minute minutes 分钟 分',
  h: 'hr hrs hour hours 小时 钟头',
  day: 'd days 天 日',
  week: 'wk wks weeks 周 星期 礼拜',
  fortnight: 'fortnights',
  month: 'mo months 月 个月',
  quarter: 'quarters 季度',
  year: 'yr yrs years y 年',
  decade: 'decades',
  century: 'centuries 世纪',
  workday: 'workdays 工作日',
} as const;

export type UnitSymbol = keyof typeof UNIT_SPELLINGS;

/** Units named as one that are two: a speed, a rate. */
export const RATE_SPELLINGS = {
  mph: ['mi', 'h'],
  kph: ['km', 'h'],
  kmh: ['km', 'h'],
  knot: ['nmi', 'h'],
  knots: ['nmi', 'h'],
  bps: ['bit', 's'],
  kbps: ['kbit', 's'],
  Mbps: ['Mbit', 's'],
  Gbps: ['Gbit', 's'],
} as const satisfies Record<string, readonly [UnitSymbol, UnitSymbol]>;

/** Every spelling with its symbol, the symbol's own first. */
export const unitSpellings = (): readonly (readonly [string, UnitSymbol])[] =>
  (Object.keys(UNIT_SPELLINGS) as UnitSymbol[]).flatMap((symbol) =>
    [symbol, ...UNIT_SPELLINGS[symbol].split(' ')].map((spelling) => [spelling, symbol] as const),
  );
