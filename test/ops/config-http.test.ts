import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { hasCode } from '../../agent/errors.ts';
import { loadConfig, secretsOf } from '../../ops/config.ts';

type Files = Readonly<Record<string, string>>;
type Env = Readonly<Record<string, string>>;

const load = (files: Files, env: Env = {}) =>
  loadConfig({ env: { THREADWISE_HTTP_TOOLS: '/s/desk.yaml', ...env }, readFile: (path) => files[path] });

const problemsOf = (files: Files, env: Env = {}): readonly string[] => {
  try {
    load(files, env);
  } catch (error) {
    assert.ok(hasCode(error, 'config_invalid'), inspect(error));
    return error.message.split('\n');
  }
  assert.fail('the configuration was accepted');
};

const START = 'name: desk\nbaseUrl: https://desk.example.com/v1\n';
const TOOLS = 'tools: { ask: { description: Asks., path: /ask } }\n';
const KEY = 'headers: { Authorization: { variable: DESK_TOKEN, prefix: "Bearer " } }\n';

test('a secret comes from the variable that is named, or from its file, and nothing prints it', () => {
  const yaml = `${START}${KEY}query: { key: { variable: DESK_KEY } }\n${TOOLS}`;
  const config = load(
    { '/s/desk.yaml': yaml, '/run/key': 's3cret-number\n' },
    { DESK_TOKEN: 's3cret-word', DESK_KEY_FILE: '/run/key' },
  );
  const [desk] = config.services;
  assert.equal(desk?.headers['Authorization']?.reveal(), 'Bearer s3cret-word');
  assert.equal(desk.query['key']?.reveal(), 's3cret-number');
  assert.doesNotMatch(inspect(config, { depth: 9 }) + JSON.stringify(config), /s3cret/);
  assert.deepEqual(
    secretsOf(config).map((secret) => secret.reveal()),
    ['s3cret-word', 's3cret-number'],
  );
});

test('what is not set is the careful choice', () => {
  const [desk] = load({ '/s/desk.yaml': START + TOOLS }).services;
  assert.deepEqual([desk?.addresses, desk?.readsSensitive, desk?.timeoutMs, desk?.label], [['public'], true, 10_000, 'everyone']);
  assert.deepEqual([desk?.tools['ask']?.method, desk?.tools['ask']?.parameters], ['GET', {}]);
});

test('a document is looked for beside the file, as JSON or as YAML', () => {
  const yaml = `${START}document: api/desk.json\noperations: { ask: , other: { name: another } }\n`;
  for (const document of ['{"openapi":"3.1.0","paths":{}}', 'openapi: 3.1.0\npaths: {}\n']) {
    const [desk] = load({ '/s/desk.yaml': yaml, '/s/api/desk.json': document }).services;
    assert.deepEqual(desk?.document, { path: '/s/api/desk.json', content: { openapi: '3.1.0', paths: {} } });
    assert.deepEqual(desk?.operations, { ask: { examples: [] }, other: { name: 'another', examples: [] } });
  }
});

const LINE = 'tools.http: /s/desk.yaml: ';
const mistakes: readonly (readonly [string, string, readonly string[]])[] = [
  ['no tools', START, ['tools: expected tools, or a document with operations; see docs/http-tools.md']],
  [
    'a document without operations',
    `${START}document: a.yaml\n`,
    ['operations: expected the operationIds of the document that may be used; see docs/http-tools.md'],
  ],
  [
    'operations without a document',
    `${START}operations: { ask: }\n${TOOLS}`,
    ['document: expected document beside operations; see docs/http-tools.md'],
  ],
  [
    'a document that is not there',
    `${START}document: a.yaml\noperations: { ask: }\n`,
    ['document: expected an OpenAPI document, got none at /s/a.yaml; see docs/http-tools.md'],
  ],
  [
    'another scheme',
    `name: desk\nbaseUrl: file:///etc/passwd\n${TOOLS}`,
    ['baseUrl: expected an http or https address; see docs/http-tools.md'],
  ],
  [
    'a password in the address',
    `name: desk\nbaseUrl: https://me:pass@desk.example.com\n${TOOLS}`,
    ['baseUrl: expected an address without a name, a password, a query and a fragment; see docs/http-tools.md'],
  ],
  [
    'a secret in the open',
    `name: desk\nbaseUrl: http://desk.example.com\n${KEY}${TOOLS}`,
    ['baseUrl: expected https where secrets go to a public address; see docs/http-tools.md'],
  ],
  [
    'a secret in the file',
    `${START}headers: { X-Api-Key: abcdefgh12345 }\n${TOOLS}`,
    ['headers.X-Api-Key: expected { variable: NAME }, since a secret has no place in a file; see docs/http-tools.md'],
  ],
  [
    'a secret that is not set',
    `${START}${KEY}${TOOLS}`,
    ['headers.Authorization: expected DESK_TOKEN to hold at least 8 characters without spaces, got none'],
  ],
  [
    'a header of the connection',
    `${START}headers: { Host: other.example }\n${TOOLS}`,
    ['headers.Host: expected a header that is not set by the connection; see docs/http-tools.md'],
  ],
  [
    'a header of two lines',
    `${START}headers: { X-Team: "a\\r\\nX-Evil: 1" }\n${TOOLS}`,
    ['headers.X-Team: expected characters of ASCII in one line; see docs/http-tools.md'],
  ],
  ['an unknown key', `${START}${TOOLS}redirects: 3\n`, ['the file: Unrecognized key: "redirects"; see docs/http-tools.md']],
  ['a label that nobody defined', `${START}label: finance\n${TOOLS}`, ['label: expected one of everyone, got "finance"']],
];
for (const [what, yaml, told] of mistakes) {
  test(`${what} is one line that names the file and the key`, () =>
    assert.deepEqual(
      problemsOf({ '/s/desk.yaml': yaml }),
      told.map((line) => LINE + line),
    ));
}

test('a secret with a line break is refused without being shown', () => {
  const [line = ''] = problemsOf({ '/s/desk.yaml': START + KEY + TOOLS }, { DESK_TOKEN: 'abcdefgh\r\nX-Evil: 1' });
  assert.equal(
    line,
    `${LINE}headers.Authorization: expected DESK_TOKEN to hold at least 8 characters without spaces, got another form`,
  );
});

test('a file that is missing, broken or full of aliases is told', () => {
  assert.match(problemsOf({})[0] ?? '', /expected a file that describes a service, got none at \/s\/desk\.yaml/);
  assert.match(problemsOf({ '/s/desk.yaml': 'a: [' })[0] ?? '', /expected YAML or JSON, got /);
  const bomb = `a: &a [x, x, x, x, x, x, x, x]\n${'bcdefgh'
    .split('')
    .map((name, at) => `${name}: &${name} [${Array(8).fill(`*${'abcdefgh'[at]}`).join(', ')}]`)
    .join('\n')}\n`;
  assert.match(problemsOf({ '/s/desk.yaml': bomb })[0] ?? '', /with few aliases/);
});

test('the file of docs/http-tools.md is one that is accepted', () => {
  const page = readFileSync(new URL('../../docs/http-tools.md', import.meta.url), 'utf8');
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  const [orders] = load({ '/s/desk.yaml': yaml, '/s/orders-api.yaml': 'openapi: 3.0.3' }, { ORDERS_TOKEN: 'abcdefgh' }).services;
  assert.deepEqual(Object.keys({ ...orders?.operations, ...orders?.tools }), ['getOrder', 'cancelOrder', 'exchange_rate']);
});
