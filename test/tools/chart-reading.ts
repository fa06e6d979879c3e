/** A chart read back from its SVG: each mark's place through the axis to the value that it stands for. */
import assert from 'node:assert/strict';
import { type ChartTable, type ChartWish, chartDataOf } from '../../tools/chart-data.ts';
import { drawSvg } from '../../tools/chart-draw.ts';

export const WORDS = { count: 'count', part: 'A part.' };

export const tableOf = (columns: readonly string[], rows: ChartTable['rows'], parts: Partial<ChartTable> = {}): ChartTable => ({
  title: 'A title',
  columns,
  rows,
  isPart: false,
  ...parts,
});

export const svgOf = (table: ChartTable, wish: ChartWish = {}): Promise<string> => drawSvg(chartDataOf(table, wish), WORDS);

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Every text that stands in the picture. */
export const textsOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => unescaped(text ?? ''));

interface Tick {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export const ticksOf = (svg: string, axis: 'X' | 'Y'): readonly Tick[] => {
  const part = svg.split('role-axis-label')[axis === 'X' ? 1 : 2] ?? '';
  const labels = part.slice(0, part.indexOf('role-axis-domain'));
  return [...labels.matchAll(/translate\(([-\d.e]+),([-\d.e]+)\)[^>]*>([^<]*)</g)].map(([, x, y, text]) => ({
    text: unescaped(text ?? ''),
    x: Number(x),
    y: Number(y),
  }));
};

const numberIn = (text: string): number => Number(text.replaceAll(',', '').replace('−', '-'));

/** The part of the picture with the marks of a kind. */
const marksOf = (svg: string, mark: 'rect' | 'line'): string =>
  svg
    .split(`class="mark-${mark} role-mark`)
    .slice(1)
    .map((part) => part.slice(0, part.indexOf('</g>')))
    .join('');

/** The value at a height in the plot. */
const yAxisOf = (svg: string): ((y: number) => number) => {
  const ticks = ticksOf(svg, 'Y');
  const [low, high] = [ticks[0], ticks.at(-1)];
  assert.ok(low !== undefined && high !== undefined && low.y !== high.y, 'the axis has two labels');
  const [from, to] = [numberIn(low.text), numberIn(high.text)];
  return (y) => from + ((y - (low.y - 3)) / (high.y - low.y)) * (to - from);
};

export interface BarMark {
  readonly x: number;
  readonly width: number;
  /** The values at its two ends. */
  readonly top: number;
  readonly bottom: number;
  readonly fill: string;
}

export const barsOf = (svg: string): readonly BarMark[] => {
  const valueAt = yAxisOf(svg);
  const pattern = /<path d="M([-\d.e]+),([-\d.e]+)h([-\d.e]+)v([-\d.e]+)h[^"]*" fill="([^"]*)"/g;
  return [...marksOf(svg, 'rect').matchAll(pattern)].map(([, x, y, width, height, fill]) => ({
    x: Number(x),
    width: Number(width),
    top: valueAt(Number(y)),
    bottom: valueAt(Number(y) + Number(height)),
    fill: fill ?? '',
  }));
};

/** Of a bar that begins at zero. */
export const heightOf = ({ top, bottom }: BarMark): number => (Math.abs(top) > Math.abs(bottom) ? top : bottom);

export interface LineMark {
  readonly stroke: string;
  /** One list for each stretch between gaps. */
  readonly stretches: readonly (readonly { readonly x: number; readonly value: number }[])[];
}

export const linesOf = (svg: string): readonly LineMark[] => {
  const valueAt = yAxisOf(svg);
  return [...marksOf(svg, 'line').matchAll(/<path d="([^"]*)" stroke="([^"]*)"/g)].map(([, path = '', stroke = '']) => ({
    stroke,
    stretches: path
      .split('M')
      .filter(Boolean)
      .map((stretch) =>
        stretch
          .replace(/Z$/, '')
          .split('L')
          .map((point) => {
            const [x, y] = point.split(',').map(Number);
            return { x: x ?? Number.NaN, value: valueAt(y ?? Number.NaN) };
          }),
      ),
  }));
};

/** Equal but for the rounding of a path, which is to a thousandth of a unit, in a chart whose values span `span`. */
export const assertNear = (actual: readonly number[], expected: readonly number[], span: number): void => {
  assert.equal(actual.length, expected.length);
  for (const [at, value] of expected.entries()) {
    const off = Math.abs((actual[at] ?? Number.NaN) - value);
    assert.ok(off <= span * 1e-5, `mark ${at + 1}: expected ${value}, read ${actual[at]}`);
  }
};
