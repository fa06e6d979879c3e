/** The rows of a named query as an answer: one value, or a table, with where they come from and the SQL that made them. */
import { z } from 'zod';
import type { Texts } from '../agent/texts.ts';

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const queryResult = z.object({
  title: z.string(),
  source: z.string(),
  sql: z.string(),
  parameters: z.record(z.string(), cell),
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)),
  row_count: z.number(),
  more_rows_exist: z.boolean().optional(),
  read_at: z.string(),
  data_as_of: z.string().nullable(),
});

const MAX_ROWS = 20;

/** What stands in a cell is text, whatever it looks like. */
export const plain = (value: z.infer<typeof cell>): string =>
  String(value ?? '–').replace(/[\\`*_{}[\]<>()#|~!@]/g, (mark) => `\\${mark}`);

const failure = z.object({
  ok: z.literal(false),
  kind: z.enum(['network', 'timeout', 'internal', 'too_large', 'set_aside', 'rate_limited', 'denied']),
});

/** Why the database that has the answer did not give it: to look elsewhere would mislead. Undefined for what is no such failure. */
export const queryFailure = (content: unknown, texts: Texts): string | undefined => {
  const parsed = failure.safeParse(content);
  if (!parsed.success) return undefined;
  switch (parsed.data.kind) {
    case 'too_large':
      return texts.queryTooLarge;
    case 'denied':
      return texts.queryRefused;
    default:
      return texts.queryFailed;
  }
};

/** Undefined for what is no result of a query. */
export const queryAnswer = (content: unknown, texts: Texts): string | undefined => {
  const parsed = queryResult.safeParse(content);
  if (!parsed.success) return undefined;
  const { title, source, sql, parameters, columns, rows, row_count, more_rows_exist, read_at, data_as_of } = parsed.data;
  const given = Object.entries(parameters).map(([name, value]) => `${plain(name)}: ${plain(value)}`);
  const heading = `${title}${given.length === 0 ? '' : ` (${given.join(', ')})`}`;
  const shown = rows.slice(0, MAX_ROWS);
  const [only] = rows;
  const table = [columns.map(plain), columns.map(() => '---'), ...shown.map((row) => row.map(plain))]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
  const answer =
    only === undefined
      ? `${heading}: ${texts.queryNothing}`
      : rows.length === 1 && only.length === 1
        ? `${heading}: **${plain(only[0] ?? null)}**`
        : `${heading}\n\n${table}`;
  const isCut = row_count > shown.length || more_rows_exist === true;
  const origin = [
    texts.queryRows(row_count, source, read_at.slice(0, 16).replace('T', ' ')),
    ...(data_as_of === null ? [] : [texts.queryDataAsOf(plain(data_as_of))]),
  ].join(', ');
  return [
    answer,
    ...(isCut ? [texts.queryCut(shown.length)] : []),
    `*${origin}*`,
    `\`\`\`sql\n${sql.trim().replaceAll('```', '')}\n\`\`\``,
  ].join('\n\n');
};
