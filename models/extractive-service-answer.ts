/** The answer of a service as an answer to a person: its fields, or a table, with where it comes from. */
import { z } from 'zod';
import type { Texts } from '../agent/texts.ts';
import { plain } from './extractive-query-answer.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
type Scalar = z.infer<typeof scalar>;

const result = z.object({ service: z.string(), request: z.string(), read_at: z.string(), data: z.unknown() });
const refused = z.object({ service: z.string(), ok: z.literal(false), said: z.unknown() });
const failure = z.object({ ok: z.literal(false), kind: z.string() });

const MAX_LINES = 20;
const MAX_TEXT_CHARS = 300;

const shown = (value: Scalar): string => plain(typeof value === 'string' ? value.slice(0, MAX_TEXT_CHARS).toWellFormed() : value);

/** Values by the names of the fields that lead to them, one level of lists as text. */
const fieldsOf = (value: unknown, name: string): readonly (readonly [string, string])[] => {
  const one = scalar.safeParse(value);
  if (one.success) return [[name, shown(one.data)]];
  if (Array.isArray(value)) {
    const items = value
      .slice(0, MAX_LINES)
      .map((item) => fieldsOf(item, '').map(([key, text]) => (key === '' ? text : `${plain(key)} ${text}`)));
    return [[name, items.map((parts) => parts.join(', ')).join('; ')]];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => fieldsOf(item, name === '' ? key : `${name}.${key}`));
};

const tableOf = (rows: readonly unknown[]): string => {
  const lines = rows.map((row) => new Map(fieldsOf(row, '')));
  const columns = [...new Set(lines.flatMap((line) => [...line.keys()]))];
  return [columns.map(plain), columns.map(() => '---'), ...lines.map((line) => columns.map((column) => line.get(column) ?? '–'))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
};

const bodyOf = (data: unknown, texts: Texts): string => {
  if (Array.isArray(data)) {
    if (data.length === 0) return texts.queryNothing;
    const rows = data.slice(0, MAX_LINES);
    const isTable = rows.every((row) => typeof row === 'object' && row !== null);
    const body = isTable ? tableOf(rows) : rows.map((row) => `- ${fieldsOf(row, '')[0]?.[1] ?? ''}`).join('\n');
    return data.length > rows.length ? `${body}\n\n${texts.queryCut(rows.length)}` : body;
  }
  const fields = fieldsOf(data, '').slice(0, MAX_LINES);
  const [only] = fields;
  if (only !== undefined && fields.length === 1) return only[0] === '' ? `**${only[1]}**` : `${plain(only[0])}: **${only[1]}**`;
  return fields.map(([name, text]) => `- ${plain(name)}: ${text}`).join('\n');
};

/** Undefined for what is no answer of a service. `description`: of the tool that asked it. */
export const serviceAnswer = (
  content: unknown,
  description: string,
  texts: Texts,
): { readonly text: string; readonly answered: boolean } | undefined => {
  const found = result.safeParse(content);
  if (found.success && found.data.data !== undefined) {
    const { service, read_at, data } = found.data;
    const origin = texts.serviceRead(service, read_at.slice(0, 16).replace('T', ' '));
    return { text: `${description.split('\n', 1)[0]}\n\n${bodyOf(data, texts)}\n\n*${origin}*`, answered: true };
  }
  if (refused.safeParse(content).success) return { text: texts.serviceNothing, answered: false };
  const failed = failure.safeParse(content);
  if (!failed.success) return undefined;
  return { text: failed.data.kind === 'not_found' ? texts.serviceNothing : texts.serviceFailed, answered: false };
};
