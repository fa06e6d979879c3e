import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { hasCode } from '../../agent/errors.ts';
import { loadConfig, secretsOf } from '../../ops/config.ts';

const load = (yaml: string, env: Readonly<Record<string, string>> = {}, files: Readonly<Record<string, string>> = {}) =>
  loadConfig({ env, readFile: (path) => (path === 'threadwise.yaml' ? `tools:\n  mcp:\n${yaml}` : files[path]) });

const problemsOf = (yaml: string, env: Readonly<Record<string, string>> = {}): readonly string[] => {
  try {
    load(yaml, env);
  } catch (error) {
    assert.ok(hasCode(error, 'config_invalid'), inspect(error));
    return error.message.split('\n');
  }
  assert.fail('the configuration was accepted');
};

const HASH = `sha256:${'0a'.repeat(32)}`;

test('a program gets what it is given, a path to be found by, and nothing else', () => {
  const yaml = `    issues: { command: issues-mcp, args: [--quiet], env: { TOKEN: "Bearer \${ISSUES_TOKEN}", LEVEL: info }, tools: { find: read } }`;
  const config = load(yaml, { ISSUES_TOKEN: 's3cret-word', PATH: '/usr/bin', HOME: '/home/x', OPENAI_API_KEY: 'sk-made-up' });
  const [issues] = config.tools.mcp;
  assert.ok(issues !== undefined && 'command' in issues.place);
  const { env, ...place } = issues.place;
  assert.deepEqual(place, { command: 'issues-mcp', args: ['--quiet'], cwd: '.' });
  assert.deepEqual(Object.fromEntries(Object.entries(env).map(([name, secret]) => [name, secret.reveal()])), {
    PATH: '/usr/bin',
    HOME: '/home/x',
    TOKEN: 'Bearer s3cret-word',
    LEVEL: 'info',
  });
  assert.doesNotMatch(inspect(config, { depth: 9 }) + JSON.stringify(config), /s3cret/);
  assert.ok(secretsOf(config).some((secret) => secret.reveal() === 'Bearer s3cret-word'));
});

test('a service gets its headers, also from a file that a variable names', () => {
  const yaml = `    crm: { url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer \${CRM_KEY}" }, tools: { find: read } }`;
  const [crm] = load(yaml, { CRM_KEY_FILE: '/run/secrets/crm' }, { '/run/secrets/crm': 'from-the-file\n' }).tools.mcp;
  assert.ok(crm !== undefined && 'url' in crm.place);
  assert.equal(crm.place.headers['Authorization']?.reveal(), 'Bearer from-the-file');
});

test('a tool writes and reads what is not for everyone, unless the configuration says otherwise', () => {
  const yaml = `    a: { command: x, tools: { one: {}, two: read, three: { effect: read, hash: "${HASH}", readsSensitive: false } } }`;
  assert.deepEqual(load(yaml).tools.mcp[0]?.tools, {
    one: { effect: 'write', readsSensitive: true },
    two: { effect: 'read', readsSensitive: true },
    three: { effect: 'read', hash: HASH, readsSensitive: false },
  });
});

for (const [yaml, line] of [
  ['    a: { tools: {} }', 'tools.mcp.a: expected either command or url; see docs/tools.md'],
  [
    '    a: { command: x, url: "https://x.example", tools: {} }',
    'tools.mcp.a: expected either command or url; see docs/tools.md',
  ],
  ['    a: { command: x }', 'tools.mcp.a.tools: expected record, received undefined; see docs/tools.md'],
  ['    a: { comand: x, tools: {} }', 'tools.mcp.a: Unrecognized key: "comand"; see docs/tools.md'],
  ['    a: { command: x, tools: { t: all } }', 'tools.mcp.a.tools.t.effect: expected read or write; see docs/tools.md'],
  ['    a: { url: "ftp://x", tools: {} }', 'tools.mcp.a.url: expected an http or https address; see docs/tools.md'],
  [
    '    a: { command: x, tools: { t: { hash: abc } } }',
    'tools.mcp.a.tools.t.hash: expected sha256: and 64 digits; see docs/tools.md',
  ],
  ['    a: { command: x, env: { T: "${NOT_SET}" }, tools: {} }', 'tools.mcp.a.env.T: expected NOT_SET to be set, got none'],
] as const) {
  test(`a mistake is one line that names its place (${yaml.trim()})`, () => {
    assert.equal(problemsOf(yaml).find((problem) => problem === line) ?? problemsOf(yaml).join(' | '), line);
  });
}
