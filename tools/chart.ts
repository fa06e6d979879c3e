/**
 * The tool that draws: a picture of rows that a query or another tool returned, or of numbers that the person wrote. What the model
 * gives chooses among them and names them; it holds no number of its own.
 */
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import type { Tool, ToolContext } from '../agent/ports/tool.ts';
import { languageOf } from '../agent/texts.ts';
import { graphemeBoundary } from '../agent/unicode.ts';
import { CHART_KINDS, type ChartTable, chartDataOf, MAX_LABELS, plainText } from './chart-data.ts';
import type { DrawChart } from './chart-process.ts';
import { numbersSaid, unsaidIn } from './chart-said.ts';
import { givenPoint, tableOfGiven, tableOfResult } from './chart-table.ts';
import { describeChart, pictureWords } from './chart-words.ts';
import type { ReadQuery } from './database.ts';
import { FILED, fitTable } from './database-values.ts';

/** With a query before it, and a place in line. */
const TIMEOUT_MS = 60_000;

const column = z.string().min(1).max(200);

const parameters = z.object({
  result: z
    .string()
    .max(64)
    .optional()
    .describe('An earlier result of this answer by its call: call_1 is the first call, call_2 the second.'),
  query: z.string().max(200).optional().describe('Instead of result: a query of query_database, run anew for up to 200 rows.'),
  parameters: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .default({})
    .describe('Of the query, by name.'),
  given: z
    .array(givenPoint)
    .min(1)
    .max(MAX_LABELS)
    .optional()
    .describe('Instead of both: numbers that the person wrote in the question. Others are refused.'),
  kind: z.enum(CHART_KINDS).optional().describe('Chosen by the data when absent: line for dates, bar for names.'),
  x: column.optional().describe('The column of names or dates.'),
  y: z.array(column).min(1).max(12).optional().describe('The columns of numbers.'),
  series: column.optional().describe('A column whose values become series.'),
  title: z.string().trim().max(160).optional().describe('Without numbers that neither the data nor the question hold.'),
  unit: z.string().trim().min(1).max(16).regex(/^\D+$/).optional().describe('Of the numbers: EUR, minutes.'),
});
type ChartArguments = z.infer<typeof parameters>;

export interface ChartDeps {
  readonly draw: DrawChart;
  /** Absent: there are no named queries. */
  readonly readQuery?: ReadQuery | undefined;
}

const readTable = async (
  args: ChartArguments,
  said: ReadonlySet<number>,
  context: ToolContext,
  readQuery: ReadQuery | undefined,
) => {
  const { result, query, given } = args;
  if ([result, query, given].filter((one) => one !== undefined).length !== 1)
    throw new AppError('tool_arguments', 'Expected exactly one of result, query and given.');
  if (result !== undefined) return tableOfResult(result, context.readResult?.(result));
  if (given !== undefined) return tableOfGiven(given, said);
  if (readQuery === undefined) throw new AppError('tool_not_found', 'There are no named queries. Draw an earlier result.');
  const { title, answer } = await readQuery(query ?? '', args.parameters, context);
  const { columns, rows, isCut } = fitTable(answer.table, FILED);
  return { title, columns, rows, isPart: isCut };
};

/** A title is the model's; a number in it must be one of the data or of the person. */
const checkTitle = (title: string | undefined, table: ChartTable, args: ChartArguments, said: ReadonlySet<number>): void => {
  if (title === undefined) return;
  const known = numbersSaid([table.title, ...Object.values(args.parameters), ...table.columns, ...table.rows.flat()].map(String));
  const unsaid = unsaidIn(title, new Set([...known, ...said]));
  if (unsaid === undefined) return;
  throw new AppError('tool_arguments', `title: ${unsaid} stands neither in the data nor in the question. Leave it out.`);
};

const fileName = (title: string): string => {
  const name = ['chart', ...(title.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])].join('-');
  return `${name.slice(0, graphemeBoundary(name, 60)).replace(/-$/, '')}.png`;
};

export const createChart = ({ draw, readQuery }: ChartDeps): Tool<ChartArguments> => ({
  name: 'chart',
  description:
    'Draws a chart (bar, line, stacked, histogram) as a picture under the answer. Use it when someone asks for a chart, plot, graph or diagram, or a development is better seen than read. The numbers come from rows: name an earlier result or a query; the picture itself goes to the person.',
  parameters,
  effect: 'read',
  readsSensitive: readQuery !== undefined,
  timeoutMs: TIMEOUT_MS,
  triggers: ['chart plot graph diagram visualize draw trend', 'Diagramm Grafik', '图表 柱状图 折线图 直方图 画图'],
  run: async (args, context) => {
    if (context.attach === undefined)
      throw new AppError('tool_refused', 'Pictures cannot be shown here. Give the figures as a table, and say so.');
    const asked = context.asked ?? [];
    const said = numbersSaid(asked);
    const table = await readTable(args, said, context, readQuery);
    checkTitle(args.title, table, args, said);
    const data = chartDataOf(table, args);
    const language = languageOf(asked[0] ?? '');
    const description = describeChart(data, language);
    const png = await draw({ data, words: pictureWords(language) }, context.signal);
    context.attach({ name: fileName(data.title), mediaType: 'image/png', description, bytes: png });
    return {
      chart: data.kind,
      title: plainText(data.title),
      description,
      note: data.isPart
        ? 'The picture stands under the answer. It shows a part of the rows: say so, or draw the query itself.'
        : 'The picture stands under the answer: do not link to it or draw it again.',
    };
  },
});
