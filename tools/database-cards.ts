/** What the model is told of the tables of a source, and which of many tables a question is about. Rows are never part of it. */
import type { CatalogTable, Tag } from './sql-guard.ts';

export interface ColumnCard {
  readonly description?: string | undefined;
  readonly unit?: string | undefined;
  /** The values that occur. */
  readonly values?: readonly string[] | undefined;
  readonly tag?: Tag | undefined;
}

export interface TableCard {
  readonly description?: string | undefined;
  readonly columns: Readonly<Record<string, ColumnCard>>;
  /** `orders.customer_id = customers.id` */
  readonly joins: readonly string[];
}

export interface DescribedTable {
  readonly table: CatalogTable;
  readonly card: TableCard;
}

const NAME_CHARS = 80;
const MAX_COLUMNS = 60;

/** A name in a database can be a sentence that tries to give orders: it is shown as a quoted word, and cut. */
const shownName = (name: string): string => {
  const text = name
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .slice(0, NAME_CHARS)
    .toWellFormed();
  return /^[a-z_][a-z0-9_]*$/.test(text) ? text : JSON.stringify(text);
};

const describeColumn = (name: string, type: string, { description, unit, values }: ColumnCard): string => {
  const about = [
    description,
    unit === undefined ? undefined : `in ${unit}`,
    values === undefined ? undefined : `one of ${values.join(', ')}`,
  ].filter((part) => part !== undefined);
  return `${shownName(name)} ${type.slice(0, 40)}${about.length === 0 ? '' : ` (${about.join('; ')})`}`;
};

/** Those of the card, and the foreign keys that it does not name. */
export const joinsOf = ({ table, card }: DescribedTable): readonly string[] => {
  const keys = (table.keys ?? [])
    .filter(({ column }) => card.columns[column]?.tag === undefined)
    .map(
      (key) => `${shownName(table.name)}.${shownName(key.column)} = ${shownName(key.otherTable)}.${shownName(key.otherColumn)}`,
    );
  return [...new Set([...card.joins, ...keys])];
};

/** Tagged columns are left out: they cannot be asked for. */
export const describeTable = ({ table, card }: DescribedTable): string => {
  const columns = table.columns
    .filter(({ name }) => card.columns[name]?.tag === undefined)
    .slice(0, MAX_COLUMNS)
    .map(({ name, type }) => describeColumn(name, type, card.columns[name] ?? {}));
  const joins = joinsOf({ table, card });
  return [
    `${shownName(table.name)}${card.description === undefined ? '' : `: ${card.description}`}`,
    `  columns: ${columns.join(', ')}`,
    ...(joins.length === 0 ? [] : [`  joins: ${joins.join('; ')}`]),
  ].join('\n');
};
