/**
 * SQL text as tokens, by the lexical rules of each dialect. What two readers could take differently (a backslash in a string, an
 * executable comment, a string without an end) is refused and not interpreted.
 */
import { refuseSql } from './sql-refusal.ts';

export type Dialect = 'postgres' | 'mysql' | 'sqlite';

export interface SqlToken {
  /** `name` is a quoted identifier, `text` its content; `word` is a bare one or a keyword; `place` a parameter such as `:month`. */
  readonly kind: 'word' | 'name' | 'string' | 'number' | 'place' | 'operator';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const SPACE = /[ \t\r\n\f\v]+/y;
const LINE_COMMENT = /--[^\n]*/y;
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const PLACE = /:[a-z][a-z0-9_]*/y;
const DOLLAR_QUOTE = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;
const OPERATOR = /::|:=|<=>|<=|>=|<>|!=|\|\||->>|->|\S/uy;

/** The quoted piece that begins at `start`, its doubled quotes read as one. */
const quoted = (sql: string, start: number, quote: string, dialect: Dialect): { readonly text: string; readonly end: number } => {
  let text = '';
  for (let at = start + 1; at < sql.length; at += 1) {
    const letter = sql[at];
    if (letter === '\\' && dialect === 'mysql')
      refuseSql('a backslash inside quotes means different things to different servers');
    if (letter !== quote) text += letter;
    else if (sql[at + 1] === quote) {
      text += quote;
      at += 1;
    } else return { text, end: at + 1 };
  }
  return refuseSql('quotes that do not end');
};

/** Block comments nest in Postgres alone; elsewhere the first end counts. One that MySQL or MariaDB would execute is refused. */
const commentEnd = (sql: string, start: number, dialect: Dialect): number => {
  if (/^\/\*[M!]/.test(sql.slice(start, start + 3))) refuseSql('a comment that a server may execute');
  let depth = 1;
  for (let at = start + 2; at < sql.length - 1; at += 1) {
    const pair = sql.slice(at, at + 2);
    if (pair === '/*' && dialect === 'postgres') {
      depth += 1;
      at += 1;
    } else if (pair === '/*') refuseSql('a comment inside a comment');
    else if (pair === '*/') {
      depth -= 1;
      at += 1;
      if (depth === 0) return at + 1;
    }
  }
  return refuseSql('a comment that does not end');
};

/** Comments and spaces are left out. Throws `AppError('tool_refused')`. */
export const tokeniseSql = (sql: string, dialect: Dialect): readonly SqlToken[] => {
  if (/[\0\u200b-\u200f\u2028-\u202e\ufeff]/.test(sql)) refuseSql('characters that do not show');
  const tokens: SqlToken[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(sql)?.[0];
  };
  const push = (kind: SqlToken['kind'], text: string, end: number): void => {
    tokens.push({ kind, text, start: at, end });
    at = end;
  };
  while (at < sql.length) {
    const skipped = match(SPACE) ?? match(LINE_COMMENT);
    if (skipped !== undefined) {
      // MySQL reads `--` as a comment only before a space, and as two minus signs elsewhere.
      if (dialect === 'mysql' && /^--[^\s]/.test(skipped)) refuseSql('-- without a space behind it');
      at += skipped.length;
      continue;
    }
    const letter = sql[at] ?? '';
    if (sql.startsWith('/*', at)) at = commentEnd(sql, at, dialect);
    else if (letter === '#' && dialect === 'mysql') refuseSql('a comment that begins with #');
    else if (letter === "'") {
      const { text, end } = quoted(sql, at, "'", dialect);
      const before = tokens.at(-1);
      // E'…', U&'…' and _utf8'…' have escapes of their own.
      if (before?.kind === 'word' && before.end === at && dialect !== 'sqlite')
        refuseSql(`a string with the prefix ${before.text}`);
      push('string', text, end);
    } else if (letter === '"' || letter === '`') {
      const { text, end } = quoted(sql, at, letter, dialect);
      push(letter === '"' && dialect === 'mysql' ? 'string' : 'name', text, end);
    } else if (letter === '[' && dialect === 'sqlite') {
      const end = sql.indexOf(']', at) + 1;
      if (end === 0) refuseSql('quotes that do not end');
      push('name', sql.slice(at + 1, end - 1), end);
    } else if (letter === '$' && match(DOLLAR_QUOTE) !== undefined) refuseSql('a string in dollar quotes');
    else {
      const place = sql[at - 1] === ':' ? undefined : match(PLACE);
      const word = match(WORD);
      const number = match(NUMBER);
      if (place !== undefined) push('place', place.slice(1), at + place.length);
      else if (word !== undefined) push('word', word, at + word.length);
      else if (number !== undefined) {
        // To MySQL, `2fa` is a name.
        if (/^[\p{L}_$]/u.test(sql.slice(at + number.length))) refuseSql('a name that begins with a digit, without quotes');
        push('number', number, at + number.length);
      } else {
        const operator = match(OPERATOR) ?? letter;
        // Some servers take them for space, others for a part of a name.
        if (/[^\x21-\x7e]/.test(operator)) refuseSql('a character that has no place outside quotes');
        push('operator', operator, at + operator.length);
      }
    }
  }
  return tokens;
};

/** The tokens of the one statement, without a closing semicolon. Throws for none and for a second one. */
export const oneStatement = (sql: string, dialect: Dialect): readonly SqlToken[] => {
  const tokens = tokeniseSql(sql, dialect);
  const end = tokens.findIndex(({ kind, text }) => kind === 'operator' && text === ';');
  if (end === 0 || tokens.length === 0) refuseSql('there is no statement');
  if (end === -1) return tokens;
  if (tokens.slice(end).some(({ text, kind }) => kind !== 'operator' || text !== ';'))
    refuseSql('there is more than one statement');
  return tokens.slice(0, end);
};
