/** What may be drawn, as a table: an earlier result of the run that has rows, or numbers that a person gave. */
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import type { ChartTable } from './chart-data.ts';
import { unsaidIn } from './chart-said.ts';

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const queryResult = z.object({
  title: z.string().default(''),
  columns: z.array(z.string()).min(1),
  rows: z.array(z.array(cell)),
  row_count: z.number().optional(),
  more_rows_exist: z.boolean().optional(),
});

const records = z.array(z.record(z.string(), z.unknown())).min(1);

/** Records of other tools: their plain fields are the columns, in the order in which they first occur. */
const tableOfRecords = (rows: z.infer<typeof records>): ChartTable | undefined => {
  const columns = [...new Set(rows.flatMap(Object.keys))].filter((name) =>
    rows.every((row) => cell.nullish().safeParse(row[name]).success),
  );
  if (columns.length === 0) return undefined;
  return { title: '', columns, rows: rows.map((row) => columns.map((name) => cell.parse(row[name] ?? null))), isPart: false };
};

const tableOf = (value: unknown): ChartTable | undefined => {
  const asQuery = queryResult.safeParse(value);
  if (asQuery.success) {
    const { title, columns, rows, row_count = rows.length, more_rows_exist = false } = asQuery.data;
    return { title, columns, rows, isPart: more_rows_exist || row_count > rows.length };
  }
  const lists = (Array.isArray(value) ? [value] : Object.values(value ?? {})).filter((list) => records.safeParse(list).success);
  return lists.length === 1 ? tableOfRecords(records.parse(lists[0])) : undefined;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Throws `AppError('tool_not_found')` where there is no such result or it has no rows to draw. */
export const tableOfResult = (id: string, text: string | undefined): ChartTable => {
  const table = text === undefined ? undefined : tableOf(parsed(text));
  if (table !== undefined) return table;
  throw new AppError(
    'tool_not_found',
    text === undefined
      ? `There is no result ${JSON.stringify(id)} yet: call_1 is the first call of this answer, call_2 the second. Call chart after the step that returned the rows.`
      : `The result ${id} has no rows that can be drawn. Name one with columns and rows, or a list of records.`,
  );
};

export const givenPoint = z.object({
  label: z.string().trim().min(1).max(80).optional().describe('What it is of.'),
  value: z.number().describe('As the person wrote it.'),
  series: z.string().trim().min(1).max(80).optional(),
});

/** Throws `AppError('tool_arguments')` that names the first number that no person wrote. */
export const tableOfGiven = (points: readonly z.infer<typeof givenPoint>[], said: ReadonlySet<number>): ChartTable => {
  for (const [at, { label = '', value, series = '' }] of points.entries()) {
    const unsaid = said.has(value) ? unsaidIn(`${label} ; ${series}`, said) : `${value}`;
    if (unsaid === undefined) continue;
    throw new AppError(
      'tool_arguments',
      `given ${at + 1}: ${unsaid} does not stand in what the person wrote. Give only their own numbers, as they wrote them; for numbers of the company use a query.`,
    );
  }
  const hasSeries = points.some(({ series }) => series !== undefined);
  const hasLabels = points.some(({ label }) => label !== undefined);
  return {
    title: '',
    columns: [...(hasLabels ? ['label'] : []), ...(hasSeries ? ['series'] : []), 'value'],
    rows: points.map(({ label = null, value, series = null }) => [
      ...(hasLabels ? [label] : []),
      ...(hasSeries ? [series] : []),
      value,
    ]),
    isPart: false,
  };
};
