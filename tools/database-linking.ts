/**
 * Which of many tables a question is about: those whose names, columns and descriptions share its rarer words, and those that lie
 * between two of them, which a join needs and no question names.
 */
import { type DescribedTable, joinsOf } from './database-cards.ts';

const STOP = new Set(
  (
    'a an and are by for from how in is many much of on or per show the to what when where which who with list all number count total have has ' +
    'had do does did each more most less than not that their there were was been between give name find highest lowest top please id'
  ).split(' '),
);
const MIN_STEM_CHARS = 3;

/** One form for one and many: courses, course; categories, category; addresses, address. */
const stem = (word: string): string =>
  word.length <= MIN_STEM_CHARS
    ? word
    : word
        .replace(/ies$/, 'y')
        .replace(/(?:es|(?<![su])s)$/, '')
        .replace(/e$/, '');

/** Chinese has no spaces: each two characters that stand together count as a word. */
const pairsOf = (text: string): readonly string[] => {
  const characters = [...text];
  return characters.length < 2 ? characters : characters.slice(1).map((character, at) => `${characters[at]}${character}`);
};

/** `OrderItems`, `order_items` and "items of an order" have words in common. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+|(?<=\p{Script=Han})(?!\p{Script=Han})|(?<!\p{Script=Han})(?=\p{Script=Han})/u)
    .flatMap((word) => (/\p{Script=Han}/u.test(word) ? pairsOf(word) : STOP.has(word) || word.length < 2 ? [] : [stem(word)]));

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

/** What two tables can be joined by: a stated join, a foreign key, or a column that few others have. */
const keysOf = (described: DescribedTable): readonly string[] => {
  const { table } = described;
  const stated = joinsOf(described).flatMap((join) => [...join.matchAll(/([\w$]+)\.[\w$]+/g)].map(([, name = '']) => `${name}.`));
  const own = `${table.name}.`.toLowerCase();
  return [own, ...stated, ...table.columns.map(({ name }) => name)].map((key) => key.toLowerCase());
};

/** Of a name that the question says in full, beside its words. */
const NAME_WEIGHT = 1;
/** A column that so many tables have tells nothing of which belong together. */
const COMMON_TABLES = 30;
const SEEDS = 4;
const BETWEEN = 3;

/** Finds tables that can be joined with two of the given ones, those with most of them first, then the smallest. */
const createBetween = (tables: readonly DescribedTable[]) => {
  const keys = new Map(tables.map((table) => [table, keysOf(table)]));
  const holders = new Map<string, DescribedTable[]>();
  for (const [table, own] of keys) {
    for (const key of new Set(own)) {
      const others = holders.get(key);
      if (others === undefined) holders.set(key, [table]);
      else others.push(table);
    }
  }
  return (seeds: readonly DescribedTable[]): readonly DescribedTable[] => {
    const neighbours = new Map<DescribedTable, Set<DescribedTable>>();
    for (const seed of seeds) {
      for (const key of keys.get(seed) ?? []) {
        const others = holders.get(key) ?? [];
        if (others.length > COMMON_TABLES) continue;
        for (const other of others) neighbours.set(other, (neighbours.get(other) ?? new Set()).add(seed));
      }
    }
    return [...neighbours]
      .filter(([table, joined]) => !seeds.includes(table) && joined.size > 1)
      .sort(([a, one], [b, two]) => two.size - one.size || a.table.columns.length - b.table.columns.length)
      .slice(0, BETWEEN)
      .map(([table]) => table);
  };
};

/** The tables that a question is about, best first. Empty when none fits. */
export type LinkTables = (question: string, limit: number) => readonly DescribedTable[];

/** A word that many tables have says little. */
export const createTableLinker = (tables: readonly DescribedTable[]): LinkTables => {
  const weights = tables.map(weightedWords);
  const findBetween = createBetween(tables);
  const rarity = (word: string): number => {
    const holders = weights.filter((some) => some.has(word)).length;
    return holders === 0 ? 0 : Math.log(1 + tables.length / holders);
  };
  const names = tables.map(({ table }) => [...new Set(wordsOf(table.name))]);
  return (question, limit) => {
    const worth = new Map([...new Set(wordsOf(question))].map((word) => [word, rarity(word)]));
    const scoreOf = (_: DescribedTable, at: number): number => {
      const said = [...worth].reduce((sum, [word, rare]) => sum + (weights[at]?.get(word) ?? 0) * rare, 0);
      const name = names[at] ?? [];
      // `orders` is what a question about orders is about, and `archive_orders_2019` is not.
      const named = name.reduce((sum, word) => sum + (worth.get(word) ?? 0), 0);
      return said + (NAME_WEIGHT * named) / Math.max(1, name.length);
    };
    const ranked = tables
      .map((table, at) => ({ table, score: scoreOf(table, at) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ table }) => table);
    const first = ranked.slice(0, Math.min(SEEDS, limit));
    return [...new Set([...first, ...findBetween(first), ...ranked])].slice(0, limit);
  };
};
