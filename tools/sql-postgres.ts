/**
 * The wall before Postgres: the statement is read by Postgres' own grammar and passes only when every node, field, relation, function,
 * operator and type in it is listed. What a later version of the grammar adds is refused until it is listed.
 */
import { hasSqlDetails, loadModule, parseSync } from 'libpg-query';
import { type CatalogTable, closedColumns, type SqlGuard, type SqlScope } from './sql-guard.ts';
import { NODE_FIELDS, OPERATORS, SYSTEM_COLUMNS, TYPES, VALUE_FUNCTIONS } from './sql-postgres-nodes.ts';
import { mendSql, refuseSql } from './sql-refusal.ts';

type Fields = Readonly<Record<string, unknown>>;
/** Names of the common table expressions that can be seen. */
type Ctes = ReadonlySet<string>;

const MAX_DEPTH = 200;
/** What Postgres calls a column that its query did not name. */
const UNNAMED = ['?column?', 'array', 'case', 'coalesce', 'exists', 'greatest', 'grouping', 'least', 'nullif', 'row'];

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const stringsOf = (nodes: unknown): readonly string[] =>
  Array.isArray(nodes)
    ? nodes.map((node: unknown) => {
        const text = isObject(node) && isObject(node['String']) ? node['String']['sval'] : undefined;
        return typeof text === 'string' ? text : '';
      })
    : [];

/** `pg_catalog.name` or `name`; anything else is another schema's. */
const builtInName = (nodes: unknown): string => {
  const names = stringsOf(nodes);
  return (names.length === 2 && names[0] === 'pg_catalog' ? names[1] : names.length === 1 ? names[0] : undefined) ?? '';
};

const shown = (parts: readonly unknown[]): string => parts.filter((part) => typeof part === 'string' && part !== '').join('.');

interface Seen {
  /** Each real table by the name that the statement calls it. */
  readonly aliases: Map<string, Set<CatalogTable>>;
  /** What the statement itself calls columns and derived tables. */
  readonly names: Set<string>;
  readonly columns: (readonly string[])[];
  hasStar: boolean;
}

const checkRelation = (fields: Fields, scope: SqlScope, ctes: Ctes, seen: Seen): void => {
  const { schemaname, relname, alias } = fields;
  if (schemaname === undefined && typeof relname === 'string' && ctes.has(relname)) return;
  // The first of the search path is meant, whether it may be read or not.
  const table = scope.visible.find(({ schema, name }) => name === relname && (schemaname === undefined || schemaname === schema));
  if (table === undefined || !scope.allowed.has(table))
    return refuseSql(`the table ${shown([schemaname, relname])} is not described`);
  const name = String(isObject(alias) ? alias['aliasname'] : relname);
  seen.aliases.set(name, new Set([...(seen.aliases.get(name) ?? []), table]));
  if (isObject(alias) && alias['colnames'] !== undefined) refuseSql('the columns of a table are renamed');
};

const checkOperator = (name: readonly string[], kind: unknown): void => {
  // BETWEEN in all its forms stands there by its name.
  const isListed = OPERATORS.has(name[0] ?? '') || (String(kind).startsWith('AEXPR_') && /^(?:NOT )?BETWEEN/.test(name[0] ?? ''));
  if (name.length !== 1 || !isListed) refuseSql(`the operator ${shown(name)} is not allowed`);
};

const checkNode = (type: string, fields: Fields, scope: SqlScope, ctes: Ctes, seen: Seen): void => {
  switch (type) {
    case 'RangeVar':
      return checkRelation(fields, scope, ctes, seen);
    case 'FuncCall': {
      const name = builtInName(fields['funcname']);
      if (!scope.functions.has(name)) refuseSql(`the function ${shown(stringsOf(fields['funcname']))} is not allowed`);
      seen.names.add(name);
      return;
    }
    case 'A_Expr':
      return checkOperator(stringsOf(fields['name']), fields['kind']);
    case 'SubLink':
      return fields['operName'] === undefined ? undefined : checkOperator(stringsOf(fields['operName']), undefined);
    case 'TypeName': {
      const name = builtInName(fields['names']);
      if (!TYPES.has(name)) refuseSql(`the type ${shown(stringsOf(fields['names']))} is not allowed`);
      seen.names.add(name);
      return;
    }
    case 'SQLValueFunction':
      if (!VALUE_FUNCTIONS.test(String(fields['op']))) refuseSql('who is connected is no part of an answer');
      seen.names.add(
        String(fields['op'])
          .replace(/^SVFOP_|_N$/g, '')
          .toLowerCase(),
      );
      return;
    case 'ColumnRef': {
      const parts = stringsOf(fields['fields']);
      if (parts.at(-1) === '') seen.hasStar = true;
      else seen.columns.push(parts);
      return;
    }
    case 'JoinExpr':
      for (const name of stringsOf(fields['usingClause'])) seen.columns.push([name]);
      if (fields['isNatural'] === true) seen.hasStar = true;
      return;
    case 'ResTarget':
      return void seen.names.add(String(fields['name'] ?? ''));
    case 'Alias':
      for (const name of [String(fields['aliasname']), ...stringsOf(fields['colnames'])]) seen.names.add(name);
      return;
    case 'CommonTableExpr':
      for (const name of [String(fields['ctename']), ...stringsOf(fields['aliascolnames'])]) seen.names.add(name);
  }
};

/** Postgres reads `row.f` as a call of f where the row has no such column, and a table's name as its whole row. */
const checkColumns = (scope: SqlScope, { aliases, names, columns, hasStar }: Seen): void => {
  const tables = [...aliases.values()].flatMap((some) => [...some]);
  const known = new Set([...names, ...UNNAMED, ...tables.flatMap((table) => table.columns.map(({ name }) => name))]);
  const closed = closedColumns(scope);
  const readsPersonal = tables.some((table) => (scope.closed.get(table)?.size ?? 0) > 0);
  if (readsPersonal && hasStar) refuseSql('name the columns: * would show personal data');
  for (const parts of columns) {
    const [last = '', before] = [...parts].reverse();
    if (SYSTEM_COLUMNS.has(last) && !names.has(last)) refuseSql(`the system column ${last} is not allowed`);
    if (readsPersonal && closed.has(last.toLowerCase())) refuseSql(`the column ${shown(parts)} holds personal data`);
    if (readsPersonal && aliases.has(last)) refuseSql(`${shown(parts)} is a whole row, which holds personal data`);
    const of = before === undefined ? undefined : aliases.get(before);
    const isKnown =
      of === undefined
        ? before === undefined || known.has(last)
        : [...of].some(({ columns: own }) => own.some(({ name }) => name === last));
    if (!isKnown) mendSql(`there is no column ${shown(parts)}`);
  }
};

const createWalk = (scope: SqlScope, seen: Seen) => {
  const visitFields = (type: string, fields: Fields, ctes: Ctes, depth: number): void => {
    const known = NODE_FIELDS.get(type);
    if (known === undefined) return refuseSql(`${type} has no place in a query`);
    if (depth > MAX_DEPTH) refuseSql('it is nested too deep');
    checkNode(type, fields, scope, ctes, seen);
    for (const [field, value] of Object.entries(fields)) {
      if (value === undefined || value === false) continue;
      if (!known.has(field)) refuseSql(`${field} of ${type} has no place in a query`);
      const inner = known.get(field);
      if (inner === undefined) visit(value, ctes, depth + 1);
      else if (isObject(value)) visitType(inner, value, ctes, depth + 1);
      else refuseSql(`${field} of ${type} cannot be read`);
    }
  };

  /** A common table expression is known from its definition on, and in its own body where it is recursive. */
  const visitSelect = (fields: Fields, ctes: Ctes, depth: number): void => {
    const known = new Set(ctes);
    const clause = fields['withClause'];
    if (isObject(clause)) {
      const { ctes: listed, ...rest } = clause;
      const expressions = (Array.isArray(listed) ? listed : []) as readonly Fields[];
      const nameOf = ({ CommonTableExpr: node }: Fields): string => String(isObject(node) ? node['ctename'] : '');
      if (clause['recursive'] === true) for (const node of expressions) known.add(nameOf(node));
      for (const node of expressions) {
        visit(node, known, depth + 1);
        known.add(nameOf(node));
      }
      visitFields('WithClause', rest, known, depth);
    }
    visitFields('SelectStmt', { ...fields, withClause: undefined }, known, depth);
  };

  const visitType = (type: string, fields: Fields, ctes: Ctes, depth: number): void =>
    type === 'SelectStmt' ? visitSelect(fields, ctes, depth) : visitFields(type, fields, ctes, depth);

  const visit = (value: unknown, ctes: Ctes, depth: number): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, ctes, depth);
    else if (isObject(value)) {
      for (const [type, fields] of Object.entries(value)) {
        if (isObject(fields)) visitType(type, fields, ctes, depth);
        else refuseSql(`${type} cannot be read`);
      }
    }
  };

  return (select: Fields): void => visitSelect(select, new Set(), 0);
};

/** To be awaited once before `guardPostgres` is called. */
export const loadGrammar = loadModule;

export const guardPostgres: SqlGuard = (sql, scope) => {
  let statements: readonly Fields[] = [];
  try {
    statements = (parseSync(sql).stmts ?? []) as unknown as readonly Fields[];
  } catch (error) {
    mendSql(hasSqlDetails(error) ? error.message : 'the grammar of Postgres does not know it');
  }
  const [only, second] = statements;
  if (only === undefined) return refuseSql('there is no statement');
  if (second !== undefined) return refuseSql('there is more than one statement');
  const statement = isObject(only['stmt']) ? only['stmt'] : {};
  const select = statement['SelectStmt'];
  if (!isObject(select)) return refuseSql(`it is a ${Object.keys(statement)[0] ?? 'statement without a type'} and no SELECT`);
  const seen: Seen = { aliases: new Map(), names: new Set(), columns: [], hasStar: false };
  createWalk(scope, seen)(select);
  checkColumns(scope, seen);
};
