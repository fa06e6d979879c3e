/** The two ways in which a statement is turned away before a database sees it, both told to the model in words that help. */
import { AppError } from '../agent/errors.ts';

/** Something that no wording would make acceptable: a write, another table, a function that is not listed. */
export const refuseSql = (reason: string): never => {
  throw new AppError('tool_refused', `The query was refused: ${reason}. One SELECT over the described tables is possible.`);
};

/** A mistake that may be mended once. */
export const mendSql = (reason: string): never => {
  throw new AppError(
    'tool_arguments',
    `sql: expected a query that the database can read: ${reason}. Mend it and call again; after a second mistake, say that it could not be asked.`,
  );
};
