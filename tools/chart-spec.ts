/**
 * The Vega-Lite specification of a chart. Its fields and expressions are ours alone: what came from outside stands in it as numbers,
 * and as text in lists that the axes look their labels up in, so that no name is ever read as a path, an expression or an address.
 */
import type { TopLevelSpec } from 'vega-lite';
import type { ChartData, ChartPoint } from './chart-data.ts';
import { cutToWidth, linesOf, textWidth } from './chart-text-width.ts';

export const FONTS = 'Threadwise Chart Sans, Threadwise Chart CJK';

/** Okabe and Ito (https://jfly.uni-koeln.de/color/), without the yellow, which is too light for a line on white. */
const FEW_COLOURS = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#56b4e9', '#cc79a7', '#5b5b5b'];
/** Twelve that people with any colour vision can tell apart (https://mk.bcgsc.ca/colorweb/). */
const MANY_COLOURS = [
  '#9f0162',
  '#009f81',
  '#ff5aaf',
  '#00c2f9',
  '#8400cd',
  '#ff6e3a',
  '#008df9',
  '#ffc33b',
  '#a40122',
  '#00fccf',
  '#e20134',
  '#ffb2fd',
];

const LABEL_SIZE = 11;
const TITLE_SIZE = 16;
const AXIS_TITLE_SIZE = 12;
const HEIGHT = 320;
const WIDTH = { least: 360, most: 920, line: 680 };
const BAR = { most: 64, group: 12, step: 30 };
const LABEL_GAP = 10;
/** Labels up to this width make a chart wider, so that they stand level; up to that one some are left out instead. */
const LEVEL_WIDTH = 110;
const SHORT_LABEL = 44;
const SLANTED = { degrees: -45, width: 130, apart: 19 };
const LEGEND_WIDTH = 180;
const GREY = { text: '#333333', soft: '#6b6b6b', grid: '#e4e4e4', axis: '#9a9a9a' };

/** The words in a picture that are no data. */
export interface ChartWords {
  readonly count: string;
  readonly part: string;
}

type Axis = Readonly<Record<string, unknown>>;

interface LabelAxis {
  readonly width: number;
  readonly texts: readonly string[];
  readonly axis: Axis;
}

/** Level where they fit beside each other, slanted otherwise, and then as many as do not touch. */
const labelAxis = (labels: readonly string[], plotWidth: number | undefined, leastStep: number): LabelAxis => {
  const widest = Math.max(...labels.map((label) => textWidth(label, LABEL_SIZE))) + LABEL_GAP;
  const wanted = labels.length * Math.max(leastStep, widest <= LEVEL_WIDTH ? widest : 0);
  const narrow = labels.length * leastStep;
  const width = plotWidth ?? Math.min(WIDTH.most, Math.max(WIDTH.least, wanted <= WIDTH.most ? wanted : narrow));
  const step = width / labels.length;
  const isLevel = widest <= Math.max(step, SHORT_LABEL);
  const every = Math.max(1, Math.ceil((isLevel ? widest : SLANTED.apart) / step));
  const texts = labels.map((label) => cutToWidth(label, LABEL_SIZE, isLevel ? widest : SLANTED.width));
  const values = labels.flatMap((_, at) => (at % every === 0 ? [at] : []));
  const slant = isLevel ? { labelAngle: 0 } : { labelAngle: SLANTED.degrees, labelAlign: 'right', labelBaseline: 'middle' };
  return { width, texts, axis: { values, labelExpr: 'labels[datum.value]', ...slant } };
};

/** Years keep their digits together; very large and very small numbers are written with powers. */
const numberFormat = (numbers: readonly number[], mayBeYears: boolean): string => {
  const largest = Math.max(...numbers.map(Math.abs));
  if (mayBeYears && numbers.every((value) => Number.isInteger(value) && value >= 1_000 && value < 10_000)) return 'd';
  return largest !== 0 && (largest >= 1e15 || largest < 1e-3) ? '~e' : ',~f';
};

const DAY_MS = 86_400_000;

const timeFormat = (times: readonly number[]): string => {
  if (times.some((time) => time % DAY_MS !== 0))
    return Math.max(...times) - Math.min(...times) < DAY_MS ? '%H:%M' : '%Y-%m-%d %H:%M';
  return times.every((time) => new Date(time).getUTCDate() === 1) ? '%Y-%m' : '%Y-%m-%d';
};

const numericAxis = (format: string): Axis => ({
  format,
  formatType: 'number',
  labelOverlap: 'greedy',
  labelSeparation: 6,
  labelFlush: false,
});

const timeAxis = (times: readonly number[]): Axis => ({
  format: timeFormat(times),
  values: times,
  labelOverlap: 'greedy',
  labelSeparation: 10,
  labelFlush: false,
});

/** From zero where there are bars; a line may begin higher, where its numbers lie close together. Zeros alone span nothing. */
const yScale = (kind: string, ys: readonly number[]): Readonly<Record<string, unknown>> =>
  ys.every((y) => y === 0) ? { domain: [0, 1] } : { zero: kind !== 'line' || Math.min(...ys) === Math.max(...ys), nice: true };

/** Vega takes a text such as `constructor` for one of its own names, through the prototype of a table; with a space behind it is none. */
const guarded = (text: string): string => (text in {} ? `${text} ` : text);

const titled = (title: string, length: number): string | null =>
  title === '' ? null : guarded(cutToWidth(title, AXIS_TITLE_SIZE, length));

/** What the tops of stacks reach, both ways. */
const stackedHeights = (points: readonly ChartPoint[]): number[] =>
  [...Map.groupBy(points, ({ x }) => x).values()].flatMap((stack) =>
    [1, -1].map((sign) => stack.reduce((sum, { y }) => sum + ((y ?? 0) * sign > 0 ? (y ?? 0) : 0), 0)),
  );

const frame = (data: ChartData, words: ChartWords, width: number, more: object): TopLevelSpec =>
  ({
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width,
    height: HEIGHT,
    padding: 20,
    background: '#ffffff',
    title: {
      text: linesOf(data.title, TITLE_SIZE, width).map(guarded),
      ...(data.isPart ? { subtitle: words.part } : {}),
    },
    config: {
      // Descriptions would be expressions made of the titles; nobody reads the SVG.
      aria: false,
      font: FONTS,
      view: { stroke: null },
      title: {
        anchor: 'start',
        frame: 'group',
        fontSize: TITLE_SIZE,
        fontWeight: 'normal',
        color: GREY.text,
        offset: 16,
        subtitleFontSize: LABEL_SIZE,
        subtitleColor: GREY.soft,
        subtitlePadding: 6,
      },
      axis: {
        labelFontSize: LABEL_SIZE,
        labelColor: GREY.text,
        labelLimit: 0,
        titleFontSize: AXIS_TITLE_SIZE,
        titleFontWeight: 'normal',
        titleColor: GREY.soft,
        titleLimit: 0,
        titlePadding: 10,
        gridColor: GREY.grid,
        domainColor: GREY.axis,
        tickColor: GREY.axis,
      },
      legend: {
        labelFontSize: LABEL_SIZE,
        labelColor: GREY.text,
        labelLimit: 0,
        symbolType: 'square',
        orient: 'right',
        offset: 16,
      },
    },
    ...more,
  }) as TopLevelSpec;

const histogramSpec = (data: ChartData & { readonly kind: 'histogram' }, words: ChartWords): TopLevelSpec => {
  const bounds = data.bins.flatMap(({ from, to }, at) => (at === 0 ? [from, to] : [to]));
  const width = Math.min(WIDTH.line, Math.max(WIDTH.least, data.bins.length * 40));
  return frame(data, words, width, {
    data: { values: data.bins },
    mark: { type: 'bar', color: FEW_COLOURS[0], binSpacing: 1 },
    encoding: {
      x: {
        field: 'from',
        type: 'quantitative',
        bin: 'binned',
        scale: { zero: false, nice: false },
        title: titled(data.xTitle, width),
        axis: { ...numericAxis(numberFormat(bounds, false)), values: bounds, grid: false },
      },
      x2: { field: 'to' },
      y: { field: 'count', type: 'quantitative', title: words.count, axis: { ...numericAxis(',~f'), tickMinStep: 1 } },
    },
  });
};

export const chartSpec = (data: ChartData, words: ChartWords): TopLevelSpec => {
  if (data.kind === 'histogram') return histogramSpec(data, words);
  const { kind, xKind, labels, series, points } = data;
  const isGrouped = kind === 'bar' && series.length > 1;
  const step = isGrouped ? series.length * BAR.group + 10 : BAR.step;
  const byLabel = labelAxis(labels, kind === 'line' ? WIDTH.line : undefined, step);
  const { width } = byLabel;
  const xs = points.map(({ x }) => x);
  const ys = points.flatMap(({ y }) => (y === null ? [] : [y]));
  const domain = labels.map((_, at) => at);
  const isBand = kind !== 'line';
  const place = width / labels.length;
  const x = {
    label: { type: 'ordinal', sort: null, scale: { domain, ...(isBand ? { paddingInner: 0.2, paddingOuter: 0.1 } : {}) } },
    time: { type: 'temporal', scale: { type: 'utc' } },
    number: { type: 'quantitative', scale: { zero: false } },
  }[xKind];
  const axis = {
    label: byLabel.axis,
    time: timeAxis([...new Set(xs)]),
    number: numericAxis(numberFormat(xs, true)),
  }[xKind];
  const colours = series.length > FEW_COLOURS.length ? MANY_COLOURS : FEW_COLOURS;
  const mark = isBand
    ? {
        type: 'bar',
        ...(isGrouped ? {} : { width: Math.min(BAR.most, place * 0.8) }),
        ...(kind === 'stacked' && place > 8 ? { stroke: '#ffffff', strokeWidth: 0.5 } : {}),
      }
    : { type: 'line', strokeWidth: 2, point: points.length <= 120 ? { size: 28, filled: true } : ys.length === 1 };
  return frame(data, words, width, {
    data: { values: points },
    params: [
      { name: 'labels', value: byLabel.texts },
      { name: 'names', value: series.map((name) => cutToWidth(name, LABEL_SIZE, LEGEND_WIDTH)) },
    ],
    mark,
    encoding: {
      x: { field: 'x', ...x, title: titled(data.xTitle, width), axis: { ...axis, grid: false } },
      y: {
        field: 'y',
        type: 'quantitative',
        stack: kind === 'stacked' ? 'zero' : null,
        scale: yScale(kind, ys),
        title: titled(data.yTitle, HEIGHT),
        axis: numericAxis(numberFormat(kind === 'stacked' ? stackedHeights(points) : ys, false)),
      },
      ...(isGrouped ? { xOffset: { field: 'series', type: 'ordinal', sort: null } } : {}),
      color: {
        field: 'series',
        type: 'ordinal',
        sort: null,
        title: null,
        scale: { domain: series.map((_, at) => at), range: colours.slice(0, series.length) },
        legend: series.length > 1 ? { labelExpr: 'names[datum.value]' } : null,
      },
      ...(kind === 'stacked' ? { order: { field: 'series', type: 'ordinal' } } : {}),
    },
  });
};
