/** Named queries: SQL that a person wrote and checked, with parameters that have a type. Values go by the protocol, never into the text. */
import { z } from 'zod';
import { describeIssues } from '../agent/arguments.ts';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { SqlValue, Statement } from './database-engine.ts';
import { type Dialect, tokeniseSql } from './sql-tokens.ts';

interface Common {
  readonly description?: string | undefined;
}
export type QueryParameter = Common &
  (
    | { readonly type: 'string'; readonly maxChars: number; readonly default?: string | undefined }
    | {
        readonly type: 'number';
        readonly min: number;
        readonly max: number;
        readonly integer: boolean;
        readonly default?: number | undefined;
      }
    /** `default`: a date, `today`, or `today-30` for the day that many days ago. */
    | { readonly type: 'date'; readonly default?: string | undefined }
    /** Each value with other words for it. */
    | {
        readonly type: 'enum';
        readonly values: Readonly<Record<string, readonly string[]>>;
        readonly default?: string | undefined;
      }
  );

export interface NamedQuery {
  readonly description: string;
  /** Questions that it answers. */
  readonly examples: readonly string[];
  readonly sql: string;
  readonly parameters: Readonly<Record<string, QueryParameter>>;
}

export type QueryArguments = Readonly<Record<string, string | number>>;

const DAY_MS = 86_400_000;

const dateAt = (text: string, clock: Clock): string => {
  const days = /^today(?:-(\d+))?$/.exec(text);
  if (days === null) return text;
  return new Date(clock.now() - Number(days[1] ?? 0) * DAY_MS).toISOString().slice(0, 10);
};

const isDate = (text: string): boolean => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

const schemaOf = (parameter: QueryParameter, clock: Clock): z.ZodType<SqlValue> => {
  switch (parameter.type) {
    case 'string': {
      const schema = z.string().min(1).max(parameter.maxChars);
      return parameter.default === undefined ? schema : schema.default(parameter.default);
    }
    case 'number': {
      const base = parameter.integer ? z.coerce.number().int() : z.coerce.number();
      const schema = base.min(parameter.min).max(parameter.max);
      return parameter.default === undefined ? schema : schema.default(parameter.default);
    }
    case 'date': {
      const schema = z
        .string()
        .transform((text) => dateAt(text, clock))
        .refine(isDate, { message: 'expected a day such as 2026-03-31' });
      return parameter.default === undefined ? schema : schema.default(dateAt(parameter.default, clock));
    }
    case 'enum': {
      const schema = z.enum(Object.keys(parameter.values));
      return parameter.default === undefined ? schema : schema.default(parameter.default);
    }
  }
};

/** Complete arguments, defaults filled in. Throws `AppError('tool_arguments')` that names the parameter. */
export const checkArguments = (name: string, { parameters }: NamedQuery, given: unknown, clock: Clock): QueryArguments => {
  const shape = Object.fromEntries(Object.entries(parameters).map(([key, parameter]) => [key, schemaOf(parameter, clock)]));
  const result = z.strictObject(shape).safeParse(given ?? {});
  if (!result.success) throw new AppError('tool_arguments', `parameters of ${name}: ${describeIssues(result.error)}`);
  return result.data as QueryArguments;
};

/** Each `:name` becomes a placeholder of the engine. Throws `TypeError` for one without a parameter. */
export const bindQuery = (sql: string, dialect: Dialect, values: QueryArguments): Statement => {
  const order: string[] = [];
  let text = '';
  let from = 0;
  for (const { kind, text: name, start, end } of tokeniseSql(sql, dialect)) {
    if (kind !== 'place') continue;
    if (!Object.hasOwn(values, name)) throw new TypeError(`the query has no parameter :${name}`);
    if (dialect !== 'postgres' || !order.includes(name)) order.push(name);
    text += `${sql.slice(from, start)}${dialect === 'postgres' ? `$${order.indexOf(name) + 1}` : '?'}`;
    from = end;
  }
  return { sql: `${text}${sql.slice(from)}`.replace(/[;\s]+$/, ''), values: order.map((name) => values[name] ?? null) };
};

/** As a guard reads a query that it does not run: the grammar of Postgres knows `$1` and no `:name`. */
export const placeless = (sql: string, dialect: Dialect): string => {
  if (dialect !== 'postgres') return sql;
  const places = tokeniseSql(sql, dialect).filter(({ kind }) => kind === 'place');
  return bindQuery(sql, dialect, Object.fromEntries(places.map(({ text }) => [text, '']))).sql;
};

const describeParameter = ([name, parameter]: readonly [string, QueryParameter]): string => {
  const kind =
    parameter.type === 'enum'
      ? `one of ${Object.entries(parameter.values)
          .map(([value, words]) => (words[0] === undefined ? value : `${value} (${words[0]})`))
          .join(', ')}`
      : parameter.type;
  const standard = parameter.default === undefined ? '' : `, ${parameter.default} when not given`;
  return `${name}: ${kind}${standard}${parameter.description === undefined ? '' : `, ${parameter.description}`}`;
};

/** A line for the model. */
export const describeQuery = (name: string, { description, parameters }: NamedQuery): string => {
  const listed = Object.entries(parameters).map(describeParameter);
  return `${name}: ${description}${listed.length === 0 ? '' : ` Parameters: ${listed.join('; ')}.`}`;
};
