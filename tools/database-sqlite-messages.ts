/** What the SQLite engine and its process say to each other: one request at a time. */
import type { RawCell, RawColumn, SqlValue } from './database-engine.ts';
import type { CatalogTable } from './sql-guard.ts';

/** What the authorizer of a query lets through. Names in lower case. */
export interface Permissions {
  readonly tables: readonly string[];
  /** Columns of these that it does not. */
  readonly closed: readonly { readonly table: string; readonly column: string }[];
  readonly functions: readonly string[];
}

export type SqliteRequest =
  | { readonly type: 'catalog' }
  | {
      readonly type: 'read';
      readonly sql: string;
      readonly values: readonly SqlValue[];
      readonly rows: number;
      readonly bytes: number;
      readonly permissions: Permissions;
    };

/** The database of a process: a file, or one made in its memory from a file of SQL. */
export type SqlitePlace = { readonly path: string } | { readonly seed: string };

export type SqliteAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'catalog'; readonly tables: readonly CatalogTable[] }
  | { readonly type: 'rows'; readonly columns: readonly RawColumn[]; readonly rows: readonly (readonly RawCell[])[] }
  | { readonly type: 'too_large' }
  /** `code` is SQLite's own; 0 where it has none. */
  | { readonly type: 'failed'; readonly code: number; readonly message: string };
