-- The sample database: the orders of a small maker of kettles, grinders and espresso machines, in its year 2026.
CREATE TABLE products (model TEXT PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price_cents INTEGER NOT NULL);
INSERT INTO products VALUES
  ('AK-17', 'Aster electric kettle', 'Kettles', 7900), ('AK-08', 'Aster travel kettle', 'Kettles', 4900),
  ('WG-40', 'Wren coffee grinder', 'Grinders', 18900), ('TE-20', 'Tern espresso machine', 'Espresso machines', 84900),
  ('TE-20-P', 'Tern espresso machine, Pro', 'Espresso machines', 119000), ('HS-05', 'Heron kitchen scale', 'Scales', 3900),
  ('FI-01', 'Water filter, pack of 3', 'Consumables', 2490), ('DE-10', 'Descaler, 10 sachets', 'Consumables', 1450);

CREATE TABLE customers (id INTEGER PRIMARY KEY, company TEXT NOT NULL, country TEXT NOT NULL, email TEXT NOT NULL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO customers
  SELECT i, 'Customer ' || i, CASE i % 5 WHEN 0 THEN 'Germany' WHEN 1 THEN 'France' WHEN 2 THEN 'Spain' WHEN 3 THEN 'Austria' ELSE 'Italy' END,
    'orders-' || i || '@example.com'
  FROM n;

CREATE TABLE orders (
  number TEXT PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id), model TEXT NOT NULL REFERENCES products (model),
  quantity INTEGER NOT NULL, status TEXT NOT NULL, ordered_on TEXT NOT NULL, shipped_on TEXT);
-- Two orders a day from January to June, spread over products, customers and states by their number.
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 361)
INSERT INTO orders
  SELECT 'A-' || (1001 + i), 1 + (i * 7) % 40,
    (SELECT model FROM products WHERE rowid = 1 + (i * 5 + i / 8) % 8), 1 + (i * 3) % 4,
    CASE WHEN i % 19 = 0 THEN 'cancelled' WHEN i % 11 = 0 THEN 'returned' WHEN i % 4 = 0 THEN 'open' ELSE 'shipped' END,
    date('2026-01-01', '+' || (i / 2) || ' days'),
    CASE WHEN i % 4 = 0 OR i % 19 = 0 THEN NULL ELSE date('2026-01-01', '+' || (i / 2 + 2 + i % 3) || ' days') END
  FROM n;
