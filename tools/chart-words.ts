/** What a chart shows, in words made of its data: for whoever cannot see it, and for the model that writes about it. */
import type { Language } from '../agent/texts.ts';
import { graphemeBoundary } from '../agent/unicode.ts';
import type { ChartData } from './chart-data.ts';
import type { ChartWords } from './chart-spec.ts';

const NAMES_TOLD = 8;
const NAME_CHARS = 40;

const short = (text: string): string =>
  text.length <= NAME_CHARS ? text : `${text.slice(0, graphemeBoundary(text, NAME_CHARS - 1))}…`;

/** Beyond 15 digits with a power: all digits of a very large number would be longer than the rest. */
const figure = (value: number): string => {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-6)) return value.toExponential();
  return value.toLocaleString('en-US', { maximumSignificantDigits: 15 });
};

const en = {
  kinds: { bar: 'Bar chart', line: 'Line chart', stacked: 'Stacked bar chart', histogram: 'Histogram' },
  picture: { count: 'count', part: 'The first rows only; there are more.' } satisfies ChartWords,
  x: (name: string, count: number, first: string, last: string) =>
    count === 1 ? `Across${name}: ${first}.` : `Across${name}: ${count} values, ${first} to ${last}.`,
  y: (name: string, low: string, high: string) => `Up${name}: ${low} to ${high}.`,
  highest: (value: string, where: string) => `Highest: ${value} (${where}).`,
  lowest: (value: string, where: string) => `Lowest: ${value} (${where}).`,
  equal: (value: string) => `All values are ${value}.`,
  empty: (count: number) => `Without a value: ${count}.`,
  series: (names: string) => `Series: ${names}.`,
  more: (count: number) => `and ${count} more`,
  bins: (values: number, bins: number, name: string, low: string, high: string) =>
    `${values} values of ${name || 'numbers'} from ${low} to ${high} in ${bins} bins.`,
  fullest: (from: string, to: string, count: number) => `Most in one bin: ${count}, from ${from} to ${to}.`,
};

const zh: typeof en = {
  kinds: { bar: '柱状图', line: '折线图', stacked: '堆叠柱状图', histogram: '直方图' },
  picture: { count: '数量', part: '仅显示前面的行，还有更多。' },
  x: (name, count, first, last) =>
    count === 1 ? `横轴${name}：${first}。` : `横轴${name}：${count} 个值，从 ${first} 到 ${last}。`,
  y: (name, low, high) => `纵轴${name}：${low} 到 ${high}。`,
  highest: (value, where) => `最高：${value}（${where}）。`,
  lowest: (value, where) => `最低：${value}（${where}）。`,
  equal: (value) => `所有值都是 ${value}。`,
  empty: (count) => `没有值的：${count}。`,
  series: (names) => `系列：${names}。`,
  more: (count) => `另有 ${count} 个`,
  bins: (values, bins, name, low, high) => `${name || '数字'}的 ${values} 个值，从 ${low} 到 ${high}，分为 ${bins} 组。`,
  fullest: (from, to, count) => `最多的一组：${count} 个，从 ${from} 到 ${to}。`,
};

const CATALOGUE: Readonly<Record<Language, typeof en>> = { en, zh };

export const pictureWords = (language: Language): ChartWords => CATALOGUE[language].picture;

const named = (name: string): string => (name === '' ? '' : ` (${short(name)})`);

/** Type, axes, range, and where the highest and the lowest value stand. */
export const describeChart = (data: ChartData, language: Language): string => {
  const words = CATALOGUE[language];
  const title = `${words.kinds[data.kind]}${language === 'zh' ? '：' : ': '}${short(data.title)}${language === 'zh' ? '。' : '.'}`;
  const part = data.isPart ? [words.picture.part] : [];
  const join = (sentences: readonly string[]): string => sentences.join(language === 'zh' ? '' : ' ');
  if (data.kind === 'histogram') {
    const { bins, values, xTitle } = data;
    const fullest = bins.reduce((best, bin) => (bin.count > best.count ? bin : best));
    const low = figure(Math.min(...values));
    const high = figure(Math.max(...values));
    const most = words.fullest(figure(fullest.from), figure(fullest.to), fullest.count);
    return join([title, words.bins(values.length, bins.length, short(xTitle), low, high), most, ...part]);
  }
  const { labels, series, points, xKind, xTitle, yTitle } = data;
  const filled = points.flatMap(({ x, y, series: of }) => (y === null ? [] : [{ x, y, of }]));
  const highest = filled.reduce((best, point) => (point.y > best.y ? point : best));
  const lowest = filled.reduce((best, point) => (point.y < best.y ? point : best));
  const order = xKind === 'label' ? undefined : [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
  const labelAt = (x: number): string => short(labels[order === undefined ? x : order.indexOf(x)] ?? '');
  const where = ({ x, of }: { x: number; of: number }): string =>
    series.length > 1 ? `${labelAt(x)}, ${short(series[of] ?? '')}` : labelAt(x);
  const told = series.slice(0, NAMES_TOLD).map(short);
  const rest = series.length - told.length;
  const ends =
    highest.y === lowest.y
      ? [words.equal(figure(highest.y))]
      : [words.highest(figure(highest.y), where(highest)), words.lowest(figure(lowest.y), where(lowest))];
  return join([
    title,
    words.x(named(xTitle), labels.length, short(labels[0] ?? ''), short(labels.at(-1) ?? '')),
    words.y(named(yTitle), figure(lowest.y), figure(highest.y)),
    ...(series.length > 1 ? [words.series([...told, ...(rest > 0 ? [words.more(rest)] : [])].join(', '))] : []),
    ...ends,
    ...(filled.length < points.length ? [words.empty(points.length - filled.length)] : []),
    ...part,
  ]);
};
