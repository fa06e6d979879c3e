/**
 * The first wall before SQLite: one SELECT, no words that begin anything else. What it reads and calls is decided by SQLite's own
 * authorizer in the process that runs it, so this wall knows words alone.
 */
import { readsClosed, type SqlGuard, type SqlScope } from './sql-guard.ts';
import { refuseSql } from './sql-refusal.ts';
import { oneStatement, type SqlToken } from './sql-tokens.ts';

const REFUSED = new Set(
  (
    'alter analyze attach begin commit create delete detach drop explain insert into pragma reindex release returning rollback ' +
    'savepoint transaction update vacuum'
  ).split(' '),
);

/** A full-text table reads tables of its own, which the authorizer lets it: nobody else names them. */
const shadowsOf = ({ visible, allowed }: SqlScope): ReadonlySet<string> =>
  new Set(
    visible
      .filter((table) => !allowed.has(table) && [...allowed].some(({ name }) => table.name.startsWith(`${name}_`)))
      .map(({ name }) => name.toLowerCase()),
  );

/** To SQLite, what a common table expression reads is read by its name, as what a view reads is by the view's: none takes such a name. */
const definesAgain = (tokens: readonly SqlToken[], index: number): boolean => {
  const [next, second] = tokens.slice(index + 1);
  if (next?.text === '(') return true;
  return /^as$/i.test(next?.text ?? '') && /^(?:\(|not|materialized)$/i.test(second?.text ?? '');
};

export const guardSqlite: SqlGuard = (sql, scope) => {
  const tokens = oneStatement(sql, 'sqlite');
  const first = tokens[0];
  if (first?.kind !== 'word' || !/^(?:select|with|values)$/i.test(first.text))
    refuseSql(`it begins with ${first?.text} and not with SELECT`);
  // It would compare the columns that may not be read, and the authorizer is not asked about those.
  const names = tokens.map(({ text }) => text.toLowerCase());
  if (names.includes('natural') && readsClosed(scope, names)) refuseSql('NATURAL JOIN would use personal data');
  const shadows = shadowsOf(scope);
  const described = new Set([...scope.allowed].map(({ name }) => name.toLowerCase()));
  for (const [index, { kind, text }] of tokens.entries()) {
    const word = text.toLowerCase();
    if (kind === 'word' && REFUSED.has(word)) refuseSql(`${text.toUpperCase()} has no place in a query`);
    // SQLite takes a string for a name where only a name can stand.
    if (kind === 'number' || kind === 'operator') continue;
    if (shadows.has(word)) refuseSql(`the table ${text} is not described`);
    if (described.has(word) && definesAgain(tokens, index)) refuseSql(`${text} is a table and cannot name something else`);
  }
};
