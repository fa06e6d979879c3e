/**
 * Which of 2,000 tables a question is about, against the gold queries of defog's sql-eval: a question counts when all tables of one of
 * its gold queries are among those shown. Each database's own tables stand among made ones, which are named from the words of the
 * other databases.
 */
import type { DescribedTable } from '../../tools/database-cards.ts';
import { createTableLinker, wordsOf } from '../../tools/database-linking.ts';
import { createRandom } from '../calculator/fuzz.ts';
import { cardsOf, type LinkQuestion } from './defog.ts';

const TABLES = 2_000;
const MIN_COLUMNS = 3;
const MORE_COLUMNS = 8;
const SEED = 5;

const vocabularyOf = (tables: readonly DescribedTable[]): readonly string[] => [
  ...new Set(tables.flatMap(({ table }) => [table.name, ...table.columns.map(({ name }) => name)].flatMap(wordsOf))),
];

/** Made-up tables of words of other databases. */
const fillUp = (own: readonly DescribedTable[], words: readonly string[]): readonly DescribedTable[] => {
  const random = createRandom(SEED);
  const pick = (): string => words[random(words.length)] ?? '';
  const name = (): string => `${pick()}_${pick()}`;
  const others = Array.from({ length: TABLES - own.length }, (_, at) => ({
    table: {
      schema: '',
      name: `${name()}_${at}`,
      columns: Array.from({ length: MIN_COLUMNS + random(MORE_COLUMNS) }, () => ({ name: name(), type: 'text' })),
    },
    card: { columns: {}, joins: [] },
  }));
  return [...own, ...others];
};

export interface LinkTally {
  readonly hit: number;
  readonly asked: number;
  readonly missed: readonly string[];
}

/** `described`: with the descriptions that the public set has of its columns. */
export const measureLinking = (questions: readonly LinkQuestion[], limit: number, described: boolean): LinkTally => {
  const databases = [...new Set(questions.map(({ database }) => database))];
  const missed = databases.flatMap((database) => {
    const own = cardsOf(database, described);
    const words = vocabularyOf(databases.filter((other) => other !== database).flatMap((other) => cardsOf(other, false)));
    const link = createTableLinker(fillUp(own, words));
    return questions
      .filter((question) => question.database === database)
      .filter(({ question, tables }) => {
        const found = new Set(link(question, limit).map(({ table }) => table.name.toLowerCase()));
        return !tables.some((needed) => needed.every((name) => found.has(name)));
      })
      .map(({ question }) => question);
  });
  return { hit: questions.length - missed.length, asked: questions.length, missed };
};
