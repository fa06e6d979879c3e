/** Questions about numbers, answered by fixed queries on a database that is opened for reading alone. */
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { AppError } from '../../agent/errors.ts';
import type { Tool } from '../../agent/ports/tool.ts';

const MAX_ROWS = 50;

const QUERIES = {
  revenue_by_month: 'SELECT month, SUM(amount) AS revenue FROM sales WHERE product = ? GROUP BY month ORDER BY month',
  units_sold: 'SELECT SUM(units) AS units FROM sales WHERE product = ?',
} as const;

const parameters = z.object({
  query: z.enum(['revenue_by_month', 'units_sold']).describe('Which of the known questions'),
  product: z.string().min(1).max(80).describe('Name of the product'),
});

/** A small database of sales, for trying things out. */
export const createSampleDatabase = (file: string): void => {
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE sales (month TEXT NOT NULL, product TEXT NOT NULL, units INTEGER NOT NULL, amount REAL NOT NULL)');
  const insert = database.prepare('INSERT INTO sales VALUES (?, ?, ?, ?)');
  for (const [month, units] of [
    ['2026-01', 40],
    ['2026-02', 35],
    ['2026-03', 50],
  ] as const) {
    insert.run(month, 'Aster kettle', units, units * 79);
    insert.run(month, 'Wren grinder', units * 2, units * 2 * 129);
  }
  database.close();
};

export const createDatabaseTool = ({ file }: { readonly file: string }): Tool<z.infer<typeof parameters>> => ({
  name: 'query_database',
  description: 'Sales figures of a product from the database. Use it for questions about revenue or units sold.',
  parameters,
  effect: 'read',
  timeoutMs: 5_000,
  run: async ({ query, product }) => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const rows = database.prepare(`${QUERIES[query]} LIMIT ${MAX_ROWS}`).all(product);
      const found = rows.map((row) => z.record(z.string(), z.union([z.string(), z.number(), z.null()])).parse(row));
      if (found.length === 0 || Object.values(found[0] ?? {}).every((value) => value === null)) {
        throw new AppError('tool_not_found', `The database holds no sales of ${JSON.stringify(product)}.`);
      }
      return { query, product, rows: found };
    } finally {
      database.close();
    }
  },
});
