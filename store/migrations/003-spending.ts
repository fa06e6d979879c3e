/** What each account used on a day, for budgets over all processes. */
export const migration = {
  name: '003-spending',
  sql: `
    CREATE TABLE spending (
      day TEXT NOT NULL,
      account TEXT NOT NULL,
      model_calls INTEGER NOT NULL DEFAULT 0,
      tool_calls INTEGER NOT NULL DEFAULT 0,
      tokens INTEGER NOT NULL DEFAULT 0,
      micro_usd INTEGER NOT NULL DEFAULT 0,
      run_ms INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (day, account)
    ) STRICT, WITHOUT ROWID;
  `,
};
