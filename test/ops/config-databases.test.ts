import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { hasCode } from '../../agent/errors.ts';
import { loadConfig, secretsOf } from '../../ops/config.ts';

const load = (files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) =>
  loadConfig({
    env: { THREADWISE_DATABASES: Object.keys(files).join(','), ...env },
    readFile: (path) => files[path],
  });

const problemsOf = (files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}): readonly string[] => {
  try {
    load(files, env);
  } catch (error) {
    assert.ok(hasCode(error, 'config_invalid'), inspect(error));
    return error.message.split('\n');
  }
  assert.fail('the configuration was accepted');
};

const SHOP = 'name: shop\nengine: postgres\nurlVariable: SHOP_URL\n';

test('a source takes its address from the variable that it names, and nothing prints it', () => {
  const config = load({ '/d/shop.yaml': SHOP }, { SHOP_URL: 'postgres://reader:s3cret-word@db.example.com/shop' });
  const [shop] = config.databases;
  assert.equal(shop?.name, 'shop');
  assert.equal(shop.freeSql, false);
  assert.deepEqual(shop.schemas, ['public']);
  assert.doesNotMatch(inspect(config, { depth: 9 }) + JSON.stringify(config), /s3cret/);
  assert.deepEqual(
    secretsOf(config).map((secret) => secret.reveal()),
    ['postgres://reader:s3cret-word@db.example.com/shop', 's3cret-word'],
  );
});

test('values of an enum may be a list or a map, and paths are looked for beside the file', () => {
  const yaml =
    'name: shop\nengine: sqlite\npath: data/shop.sqlite\nqueries:\n  a:\n    description: A\n    sql: SELECT 1\n    parameters:\n      s: { type: enum, values: [open, 7] }\n      t: { type: enum, values: { x: [y] }, default: x }\n';
  const [shop] = load({ '/d/shop.yaml': yaml }).databases;
  assert.deepEqual(shop?.place, { path: '/d/data/shop.sqlite' });
  const { s, t } = shop?.queries['a']?.parameters ?? {};
  assert.deepEqual(s?.type === 'enum' && s.values, { 7: [], open: [] });
  assert.deepEqual(t?.type === 'enum' && t.values, { x: ['y'] });
});

test('each mistake is one line that names the file, the key and what was expected', () => {
  const lines = (yaml: string, env = {}) => problemsOf({ '/d/shop.yaml': yaml }, env);
  const start = 'databases.sources: /d/shop.yaml: ';
  assert.deepEqual(lines(SHOP), [
    `${start}urlVariable: expected SHOP_URL to hold an address that begins with postgres://, got none`,
  ]);
  assert.deepEqual(lines(SHOP, { SHOP_URL: 'mysql://x' }), [
    `${start}urlVariable: expected SHOP_URL to hold an address that begins with postgres://, got another form`,
  ]);
  assert.deepEqual(lines('name: shop\nengine: sqlite\n'), [
    `${start}the file: expected path, or seed, and no urlVariable with engine: sqlite; see docs/databases.md`,
  ]);
  assert.deepEqual(lines('name: shop\nengine: sqlite\nseed: gone.sql\n'), [
    `${start}seed: expected a file of SQL, got none at /d/gone.sql`,
  ]);
  assert.deepEqual(lines('name: shop\nengine: sqlite\npath: x\nlabel: finance\n'), [
    `${start}label: expected one of everyone, got "finance"`,
  ]);
  assert.match(lines('name: shop\nengine: oracle\n').join(), /shop\.yaml: engine: Invalid option: expected one of/);
  assert.match(lines('name: shop\nengine: sqlite\npath: x\nfreeSQL: true').join(), /Unrecognized key: "freeSQL"/);
  assert.match(lines('name: [').join(), /expected YAML, got/);
  assert.deepEqual(problemsOf({}, { THREADWISE_DATABASES: '/d/gone.yaml' }), [
    'databases.sources: /d/gone.yaml: expected a file that describes a database, got none; see docs/databases.md',
  ]);
});

test('two databases share neither a name nor the name of a query', () => {
  const of = (name: string) => `name: ${name}\nengine: sqlite\npath: x\nqueries: { a: { description: A, sql: SELECT 1 } }\n`;
  assert.deepEqual(problemsOf({ '/d/1.yaml': of('shop'), '/d/2.yaml': of('shop') }), [
    'databases.sources: /d/2.yaml: name: expected one of its own, got shop a second time',
    'databases.sources: /d/2.yaml: queries.a: expected a name of its own among all databases, got one that is taken',
  ]);
});

test('the sample database goes with the sample documents', () => {
  const readFile = (path: string) => (path.endsWith('shop.yaml') ? 'name: shop\nengine: sqlite\npath: x' : undefined);
  assert.equal(loadConfig({ env: {}, readFile }).databases.length, 1);
  assert.equal(loadConfig({ env: { THREADWISE_KNOWLEDGE: './handbook' }, readFile }).databases.length, 0);
});
