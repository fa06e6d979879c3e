/** Texts that a calculator may be given: its own signs, its words and units in any order, and any characters at all. */

const SIGNS = '0 1 2 9 99999 1e300 1e-300 .5 ( ) + - * / // ^ % ! , ; = $ € k pi e 9999 1e4999 0.9999999 1,234 1.234,5'.split(
  ' ',
);
const FUNCTIONS =
  'sqrt( log( ln( exp( sin( tan( acos( max( round( cbrt( factorial( pow( gcd( stdev( var( percentile( median( product('.split(
    ' ',
  );
const WORDS = (
  'what percent of is from to change increase by decrease add subtract off the average median standard deviation sum between and days weeks months ' +
  'until since after before ago today tomorrow working 2026-03-01 2024-02-29 9999-12-31 3/4/2026 March 1, how many in as a percentage km miles m ft C F GB ' +
  'Mbps h min kg per square cubic twenty five hundred thousand million half double 百分之 十五 打 八折 的 平均数 总和 公里 等于多少 米 加 减 乘 除以 增加 从 到 是 ' +
  '年 月 日 天 后 前 三 万 亿 千 两 半 个 、 ， 次方 根号 ½ ² √ × ÷'
).split(' ');

export type Random = (below: number) => number;

export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const pick = (random: Random, parts: readonly string[]): string => parts[random(parts.length)] as string;

const ofSigns = (random: Random): string => {
  let text = '';
  for (let length = 1 + random(30); length > 0; length -= 1)
    text +=
      random(4) === 0
        ? pick(random, FUNCTIONS)
        : random(12) === 0
          ? pick(random, [' of ', ' mod ', ' deg', ' in '])
          : pick(random, SIGNS);
  const open = text.split('(').length - text.split(')').length;
  return open > 0 && random(3) > 0 ? text + ')'.repeat(open) : text;
};

const ofWords = (random: Random): string => {
  const parts: string[] = [];
  for (let length = 1 + random(random(4) === 0 ? 90 : 16); length > 0; length -= 1)
    parts.push(random(3) === 0 ? pick(random, SIGNS) : pick(random, WORDS));
  return parts.join(random(3) === 0 ? '' : ' ');
};

const LEAVES = '0|1|2|9|10%|0.5|99.5|1e300|1e-300|9999|pi|e|5 km|3 ft|2 h 30 min|72 F|3.5 GB|$12|100 km/h|2026-03-01'.split('|');
const CALLS = 'sqrt cbrt ln log exp sin tan acos atan round factorial abs'.split(' ');
const LISTS = 'sum avg median min max stdev var product'.split(' ');

/** An expression whose brackets close and whose signs stand between values. */
const ofGrammar = (random: Random, depth = random(6)): string => {
  const inner = (): string => ofGrammar(random, depth - 1);
  if (depth <= 0) return pick(random, LEAVES);
  switch (random(6)) {
    case 0:
      return `(${inner()})`;
    case 1:
      return `${pick(random, CALLS)}(${inner()})`;
    case 2:
      return `${pick(random, LISTS)}(${Array.from({ length: 1 + random(4) }, inner).join('; ')})`;
    case 3:
      return `${inner()}^${pick(random, ['2', '0.5', '-1', '99.5', '(1/3)'])}`;
    default:
      return `${inner()} ${pick(random, ['+', '-', '*', '/', '//', 'mod', 'of'])} ${inner()}`;
  }
};

/** One part over and over up to the limit, which is where a search that tries again would show. */
const ofRepeats = (random: Random): string => {
  const parts = [pick(random, WORDS), pick(random, SIGNS), pick(random, [' ', '', ' and ', ', '])].join(pick(random, [' ', '']));
  return `${pick(random, WORDS)} ${parts.repeat(Math.ceil(500 / Math.max(1, parts.length)))}`.slice(0, 500);
};

const ofAnything = (random: Random): string =>
  String.fromCharCode(...Array.from({ length: random(500) }, () => (random(2) === 0 ? random(0x80) : random(0x10000))));

/** Up to 500 characters and a little over. */
export const randomText = (random: Random): string => {
  const kind = random(20);
  if (kind < 7) return ofGrammar(random);
  return kind < 12 ? ofSigns(random) : kind < 17 ? ofWords(random) : kind < 19 ? ofRepeats(random) : ofAnything(random);
};

/** Processor time of one call in milliseconds; of a slow one the least of two, since a collection of garbage may have fallen in. */
export const cpuMsOf = (call: () => void): number => {
  const once = (): number => {
    const before = process.cpuUsage();
    call();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const first = once();
  return first < 25 ? first : Math.min(first, once());
};
