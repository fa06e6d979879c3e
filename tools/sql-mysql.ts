/**
 * The wall before MariaDB and MySQL: one SELECT by its tokens, without comments that a server executes, without variables, with listed
 * functions alone, and without the name of anything that the role can see and the source does not describe.
 */
import { closedColumns, readsClosed, type SqlGuard, type SqlScope } from './sql-guard.ts';
import { refuseSql } from './sql-refusal.ts';
import { oneStatement, type SqlToken } from './sql-tokens.ts';

const REFUSED = new Set(
  (
    'alter analyze begin benchmark call commit create cursor delete describe do drop dumpfile execute explain flush for grant handler insert ' +
    'install into kill load lock master next outfile prepare previous procedure purge rename repair replace_into reset returning revoke ' +
    'rollback savepoint set share show shutdown signal sql_calc_found_rows sql_no_cache sql_cache straight_join system_time truncate_table ' +
    'unlock update use xa'
  ).split(' '),
);
/** Words before a bracket that are no functions. */
const BEFORE_BRACKET = new Set(
  'all and any as between by case distinct else except exists from having in intersect is join like not on or over partition recursive regexp rlike select some then union using values when where with'.split(
    ' ',
  ),
);
const TYPES = new Set('binary char date datetime decimal double float integer signed time unsigned varchar'.split(' '));
/** What a role can always read, or could if it were granted more. */
const SCHEMAS = ['information_schema', 'mysql', 'performance_schema', 'sys'];

/** As a server may compare names: without case, marks and the forms of one letter. */
const fold = (name: string): string => name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ı', 'i');

const namesOf = (tokens: readonly SqlToken[]): readonly string[] =>
  tokens.flatMap(({ kind, text }) => (kind === 'word' || kind === 'name' ? [text.toLowerCase(), fold(text)] : []));

/** A name before a bracket is called, in quotes as well. */
const checkFunctions = (tokens: readonly SqlToken[], scope: SqlScope): void => {
  for (const [index, { kind, text }] of tokens.entries()) {
    const next = tokens[index + 1];
    if (next?.kind !== 'operator' || next.text !== '(' || (kind !== 'word' && kind !== 'name')) continue;
    const name = text.toLowerCase();
    const isListed = kind === 'word' && (scope.functions.has(name) || BEFORE_BRACKET.has(name) || TYPES.has(name));
    if (!isListed) refuseSql(`the function ${text} is not allowed`);
  }
};

const checkNames = (names: readonly string[], scope: SqlScope): void => {
  const own = new Set([...scope.allowed].map(({ schema }) => fold(schema)));
  const others = scope.visible.filter((table) => !scope.allowed.has(table));
  const schemas = [...SCHEMAS, ...others.map(({ schema }) => fold(schema)).filter((schema) => !own.has(schema))];
  const foreign = new Set([...schemas, ...others.map(({ name }) => fold(name))]);
  const bad = names.find((name) => foreign.has(name));
  if (bad !== undefined) refuseSql(`${bad} is not described`);
};

/** A table with columns that are closed is read by its other columns, each by its name. */
const checkPersonal = (tokens: readonly SqlToken[], names: readonly string[], scope: SqlScope): void => {
  if (!readsClosed(scope, names)) return;
  const closed = closedColumns(scope);
  const bad = names.find((name) => closed.has(name));
  if (bad !== undefined) refuseSql(`the column ${bad} holds personal data`);
  const isStar = ({ text }: SqlToken, index: number): boolean =>
    text === '*' && /^(?:select|distinct|all|,|\.)$/i.test(tokens[index - 1]?.text ?? '');
  if (tokens.some(isStar) || names.includes('natural')) refuseSql('name the columns: * would show personal data');
};

export const guardMysql: SqlGuard = (sql, scope) => {
  const tokens = oneStatement(sql, 'mysql');
  const first = tokens[0];
  if (first?.kind !== 'word' || !/^(?:select|with)$/i.test(first.text))
    refuseSql(`it begins with ${first?.text} and not with SELECT`);
  for (const { kind, text } of tokens) {
    if (kind === 'word' && REFUSED.has(text.toLowerCase())) refuseSql(`${text.toUpperCase()} has no place in a query`);
    if (kind === 'operator' && /^(?:@|:=|\\|\?|\{|\})$/.test(text)) refuseSql(`${text} has no place in a query`);
  }
  const names = namesOf(tokens);
  checkFunctions(tokens, scope);
  checkNames(names, scope);
  checkPersonal(tokens, names, scope);
};
