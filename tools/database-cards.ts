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

/** Tagged columns are left out: they cannot be asked for. */
export const describeTable = ({ table, card }: DescribedTable): string => {
  const columns = table.columns
    .filter(({ name }) => card.columns[name]?.tag === undefined)
    .slice(0, MAX_COLUMNS)
    .map(({ name, type }) => describeColumn(name, type, card.columns[name] ?? {}));
  return [
    `${shownName(table.name)}${card.description === undefined ? '' : `: ${card.description}`}`,
    `  columns: ${columns.join(', ')}`,
    ...(card.joins.length === 0 ? [] : [`  joins: ${card.joins.join('; ')}`]),
  ].join('\n');
};

const STOP = new Set(
  'a an and are by for from how in is many much of on per show the to what when where which who with list all number count total'.split(
    ' ',
  ),
);

/** `OrderItems`, `order_items` and "items of an order" have words in common. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => (word.length > 3 ? word.replace(/ies$/, 'y').replace(/(?:es|s)$/, '') : word))
    .filter((word) => word.length > 1 && !STOP.has(word));

const weightedWords = ({ table, card }: DescribedTable): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>();
  const add = (text: string | undefined, weight: number): void => {
    for (const word of wordsOf(text ?? '')) weights.set(word, Math.max(weights.get(word) ?? 0, weight));
  };
  for (const { name } of table.columns) {
    const column = card.columns[name];
    add([column?.description, ...(column?.values ?? [])].join(' '), 0.6);
    add(name, 0.8);
  }
  add(card.description, 0.8);
  add(table.name, 1.5);
  return weights;
};

/** The tables that a question is about, best first; a word that many tables have says little. Empty when none fits. */
export const linkTables = (question: string, tables: readonly DescribedTable[], limit: number): readonly DescribedTable[] => {
  const words = new Set(wordsOf(question));
  const weights = tables.map(weightedWords);
  const rarity = (word: string): number => {
    const holders = weights.filter((some) => some.has(word)).length;
    return holders === 0 ? 0 : Math.log(1 + tables.length / holders);
  };
  const worth = new Map([...words].map((word) => [word, rarity(word)]));
  return tables
    .map((table, at) => ({
      table,
      score: [...words].reduce((sum, word) => sum + (weights[at]?.get(word) ?? 0) * (worth.get(word) ?? 0), 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ table }) => table);
};
