/**
 * A table as the marks of a chart. Only its cells become numbers, its own names become titles, and what a picture would tell wrongly
 * (a value twice, text as a number, nothing at all) is refused by name.
 */
import { AppError } from '../agent/errors.ts';
import { type Bin, binsOf } from './chart-bins.ts';

export const CHART_KINDS = ['bar', 'line', 'stacked', 'histogram'] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

export type ChartCell = string | number | boolean | null;

export interface ChartTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ChartCell[])[];
  /** There are more rows than these. */
  readonly isPart: boolean;
}

/** What to draw of a table; what is absent is chosen by the cells. */
export interface ChartWish {
  readonly kind?: ChartKind | undefined;
  readonly title?: string | undefined;
  readonly x?: string | undefined;
  readonly y?: readonly string[] | undefined;
  readonly series?: string | undefined;
  readonly unit?: string | undefined;
}

export interface ChartPoint {
  /** Place among the labels; for `time` milliseconds since the epoch, for `number` the number. */
  readonly x: number;
  /** Null: there is none, and a gap in a line. */
  readonly y: number | null;
  /** Place among the series. */
  readonly series: number;
}

interface Common {
  readonly title: string;
  readonly xTitle: string;
  /** Empty in a histogram: its y axis counts. */
  readonly yTitle: string;
  readonly isPart: boolean;
}

export type ChartData = Common &
  (
    | { readonly kind: 'histogram'; readonly bins: readonly Bin[]; readonly values: readonly number[] }
    | {
        readonly kind: 'bar' | 'line' | 'stacked';
        readonly xKind: 'label' | 'time' | 'number';
        /** In the order of the rows; of `time` and `number` as the cells have them, in the order of the axis. */
        readonly labels: readonly string[];
        /** More than one where there is a legend. */
        readonly series: readonly string[];
        readonly points: readonly ChartPoint[];
      }
  );

export const MAX_LABELS = 200;
const MAX_ROWS = 5_000;
/** As many colours as can be told apart. */
export const MAX_SERIES = 12;
/** Beyond it a scale cannot be reckoned with. */
const LARGEST = 1e100;

const UNFIT = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]+/gu;
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
const TIME = /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?)?$/;

const refuse = (message: string): AppError => new AppError('tool_arguments', message);

/** Text that a picture can hold. */
export const plainText = (text: string): string => text.toWellFormed().replace(UNFIT, ' ').trim();

const labelOf = (cell: ChartCell): string => (cell === null ? '–' : plainText(String(cell)) || '–');

/** Databases send long numbers as text. Undefined for what is no number. */
const numberOf = (cell: ChartCell): number | undefined => {
  const value = typeof cell === 'string' && NUMBER.test(cell.trim()) ? Number(cell) : cell;
  return typeof value === 'number' && Math.abs(value) <= LARGEST ? value : undefined;
};

/** Without a zone it is taken as UTC, so that a day stays that day. */
const timeOf = (cell: ChartCell): number | undefined => {
  if (typeof cell !== 'string' || !TIME.test(cell)) return undefined;
  const [day = '', hour] = cell.split(/[T ]/);
  const zoned = hour === undefined || /(?:Z|[+-]\d{2}(?::?\d{2})?)$/.test(hour) ? hour : `${hour}Z`;
  const time = Date.parse(zoned === undefined ? day : `${day}T${zoned.replace(/([+-]\d{2})$/, '$1:00')}`);
  return Number.isNaN(time) ? undefined : time;
};

const hasOnly = (cells: readonly ChartCell[], read: (cell: ChartCell) => number | undefined): boolean => {
  const filled = cells.filter((cell) => cell !== null);
  return filled.length > 0 && filled.every((cell) => read(cell) !== undefined);
};

const cellsOf = ({ rows }: ChartTable, column: number): ChartCell[] => rows.map((row) => row[column] ?? null);

const columnOf = ({ columns }: ChartTable, name: string, argument: string): number => {
  const exact = columns.indexOf(name);
  const at = exact >= 0 ? exact : columns.findIndex((one) => one.toLowerCase() === name.toLowerCase());
  if (at >= 0) return at;
  throw refuse(`${argument}: expected one of the columns ${columns.map((one) => JSON.stringify(one)).join(', ')}`);
};

const numbersOf = (table: ChartTable, column: number): (number | null)[] =>
  cellsOf(table, column).map((cell, row) => {
    const value = cell === null ? null : numberOf(cell);
    if (value !== undefined) return value;
    const name = JSON.stringify(table.columns[column]);
    throw refuse(`y: expected numbers up to 1e100 in the column ${name}; row ${row + 1} holds something else`);
  });

interface Columns {
  /** Undefined: rows are numbered. */
  readonly x: number | undefined;
  readonly y: readonly number[];
  readonly series: number | undefined;
}

/** x: the first column that is no number, or else the first. y: the other numbers. Series: a second text beside labels that repeat. */
const chooseColumns = (table: ChartTable, wish: ChartWish): Columns => {
  const all = table.columns.map((_, at) => at);
  const isNumeric = (at: number): boolean => hasOnly(cellsOf(table, at), numberOf);
  const wished = {
    x: wish.x === undefined ? undefined : columnOf(table, wish.x, 'x'),
    y: wish.y?.map((name) => columnOf(table, name, 'y')),
    series: wish.series === undefined ? undefined : columnOf(table, wish.series, 'series'),
  };
  const free = all.filter((at) => at !== wished.series && at !== wished.x && wished.y?.includes(at) !== true);
  const x = wished.x ?? free.find((at) => !isNumeric(at)) ?? (wished.y === undefined && free.length < 2 ? undefined : free[0]);
  const y = wished.y ?? free.filter((at) => at !== x && isNumeric(at));
  if (y.length === 0) throw refuse('y: expected a column of numbers; the data have none beside x');
  const labels = x === undefined ? [] : cellsOf(table, x);
  const texts = free.filter((at) => at !== x && !y.includes(at) && !isNumeric(at));
  const repeats = new Set(labels).size < labels.length;
  const series = wished.series ?? (repeats && y.length === 1 && texts.length === 1 ? texts[0] : undefined);
  if (series !== undefined && y.length > 1) throw refuse('y: expected one column beside a series column; name one');
  return { x, y, series };
};

const distinct = (labels: readonly string[]): string[] => [...new Set(labels)];

const inUnit = (name: string, unit: string | undefined): string => (unit === undefined ? name : `${name} (${plainText(unit)})`);

const titleOf = (table: ChartTable, wish: ChartWish, fallback: string): string =>
  plainText(wish.title ?? '') || plainText(table.title) || fallback;

const histogramOf = (table: ChartTable, wish: ChartWish): ChartData => {
  const named = wish.y?.[0] ?? wish.x;
  const column =
    named === undefined ? table.columns.findIndex((_, at) => hasOnly(cellsOf(table, at), numberOf)) : columnOf(table, named, 'y');
  if (column < 0) throw refuse('y: expected a column of numbers; the data have none');
  const values = numbersOf(table, column).filter((value) => value !== null);
  const bins = binsOf(values);
  if (bins.length === 0) throw refuse(`y: expected numbers in the column ${JSON.stringify(table.columns[column])}; it is empty`);
  const xTitle = inUnit(plainText(table.columns[column] ?? ''), wish.unit);
  return { kind: 'histogram', title: titleOf(table, wish, xTitle), xTitle, yTitle: '', isPart: table.isPart, bins, values };
};

/** Throws `AppError('tool_arguments')` that names the column or the row, and `tool_not_found` for a table without rows. */
export const chartDataOf = (table: ChartTable, wish: ChartWish): ChartData => {
  if (table.rows.length === 0) throw new AppError('tool_not_found', 'There is nothing to draw: the result has no rows. Say so.');
  if (table.rows.length > MAX_ROWS)
    throw refuse(`Expected at most ${MAX_ROWS} rows, received ${table.rows.length}; sum them up in the query`);
  if (wish.kind === 'histogram' || (wish.kind === undefined && table.columns.length === 1)) return histogramOf(table, wish);
  const { x, y, series } = chooseColumns(table, wish);
  const cells: ChartCell[] = x === undefined ? table.rows.map((_, row) => row + 1) : cellsOf(table, x);
  const isTime = hasOnly(cells, timeOf) && !cells.includes(null);
  const kind = wish.kind ?? (isTime && new Set(cells).size > 1 ? 'line' : 'bar');
  const xKind =
    kind !== 'line' ? 'label' : isTime ? 'time' : hasOnly(cells, numberOf) && !cells.includes(null) ? 'number' : 'label';
  const place = xKind === 'time' ? timeOf : numberOf;
  const order = cells.map((_, row) => row);
  if (xKind !== 'label') order.sort((a, b) => (place(cells[a] ?? null) ?? 0) - (place(cells[b] ?? null) ?? 0));
  const byPlace = new Map(
    order.map((row) => {
      const cell = cells[row] ?? null;
      return [xKind === 'label' ? labelOf(cell) : place(cell), labelOf(cell)];
    }),
  );
  const labels = [...byPlace.values()];
  if (labels.length > MAX_LABELS)
    throw refuse(`x: expected at most ${MAX_LABELS} values, received ${labels.length}; narrow the query`);

  const columnName = (at: number): string => plainText(table.columns[at] ?? '');
  const seriesCells = series === undefined ? undefined : cellsOf(table, series).map(labelOf);
  const names = seriesCells === undefined ? y.map(columnName) : distinct(seriesCells);
  if (names.length > MAX_SERIES)
    throw refuse(`series: expected at most ${MAX_SERIES}, received ${names.length}; narrow the query`);
  if (kind === 'stacked' && names.length < 2)
    throw refuse('series: expected a column of series, or two columns in y, for a stacked chart; use bar for a single one');

  const places = new Map(labels.map((label, at) => [label, at]));
  const seen = new Set<string>();
  const points = y.flatMap((column, nth) => {
    const values = numbersOf(table, column);
    return order.map((row): ChartPoint => {
      const cell = cells[row] ?? null;
      const of = seriesCells === undefined ? nth : names.indexOf(seriesCells[row] ?? '');
      const at = (xKind === 'label' ? places.get(labelOf(cell)) : place(cell)) ?? 0;
      const key = `${at} ${of}`;
      if (seen.has(key))
        throw refuse(
          `x: expected each value once${names.length > 1 ? ' in each series' : ''}; row ${row + 1} repeats one. Name a column of series, or sum in the query`,
        );
      seen.add(key);
      return { x: at, y: values[row] ?? null, series: of };
    });
  });
  if (points.every((point) => point.y === null)) throw refuse('y: expected numbers; all cells are empty');
  const xTitle = x === undefined ? '' : columnName(x);
  const single = y.length === 1 ? columnName(y[0] ?? 0) : '';
  const yTitle = single === '' ? plainText(wish.unit ?? '') : inUnit(single, wish.unit);
  const fallback = [names.length > 1 && single === '' ? names.join(', ') : single, xTitle].filter(Boolean).join(' / ');
  return {
    kind,
    title: titleOf(table, wish, fallback),
    xTitle,
    yTitle,
    isPart: table.isPart,
    xKind,
    labels,
    series: names,
    points,
  };
};
