/** What a statement is held against before it is sent: the relations of a source, its functions and the columns that are tagged. */
import type { Dialect } from './sql-tokens.ts';

export interface CatalogColumn {
  readonly name: string;
  readonly type: string;
}

/** `column` of the table that has it is `otherColumn` of `otherTable`. */
export interface ForeignKey {
  readonly column: string;
  readonly otherTable: string;
  readonly otherColumn: string;
}

/** A table or view of the database, as its role sees it. */
export interface CatalogTable {
  /** Empty where the engine has no schemas. */
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly CatalogColumn[];
  /** Its foreign keys, where the role can see both sides. */
  readonly keys?: readonly ForeignKey[];
}

/** `deny`: never shown; `mask`: its first letter alone; `hash`: a short code, equal for equal values. */
export type Tag = 'deny' | 'mask' | 'hash';

export interface SqlScope {
  readonly dialect: Dialect;
  /** Every relation that a name could mean, in the order of the search path. */
  readonly visible: readonly CatalogTable[];
  /** Those of `visible` that may be read. */
  readonly allowed: ReadonlySet<CatalogTable>;
  readonly functions: ReadonlySet<string>;
  /** Columns that a statement may not name, by table. In lower case. */
  readonly closed: ReadonlyMap<CatalogTable, ReadonlySet<string>>;
}

/** Throws `AppError`: `tool_refused` for what may not be, `tool_arguments` for what cannot be read. */
export type SqlGuard = (sql: string, scope: SqlScope) => void;

export const closedColumns = (scope: SqlScope): ReadonlySet<string> =>
  new Set([...scope.closed.values()].flatMap((names) => [...names]));

/** Whether a statement with these names reads a table of which columns are closed. */
export const readsClosed = ({ closed }: SqlScope, names: readonly string[]): boolean =>
  [...closed].some(([{ name }, columns]) => columns.size > 0 && names.includes(name.toLowerCase()));
