import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { hasCode } from '../../agent/errors.ts';
import { loadConfig, secretsOf } from '../../ops/config.ts';
import { systemOf } from '../../ops/config-helpdesks.ts';

const load = (helpdesks: unknown, env: Readonly<Record<string, string>> = { DESK_TOKEN: 'very-secret-token' }) =>
  loadConfig({
    env: { ...env, THREADWISE_CONFIG: 'threadwise.yaml' },
    readFile: (path) =>
      path.endsWith('threadwise.yaml') ? JSON.stringify({ triage: { teams: { support: {} }, helpdesks } }) : undefined,
  });

const GITHUB = { kind: 'github', repo: 'acme/shop', token: '${DESK_TOKEN}' };
const JIRA = {
  kind: 'jira',
  url: 'https://acme.atlassian.net',
  email: 'bot@acme.example',
  project: 'SUP',
  token: '${DESK_TOKEN}',
};
const ZAMMAD = {
  kind: 'zammad',
  url: 'https://help.acme.example',
  customer: 'desk@acme.example',
  token: '${DESK_TOKEN}',
};

describe('triage.helpdesks', () => {
  it('has what is safe where nothing is said: nothing is made, nothing is taken in, and what everyone reads counts as that', () => {
    const [github, jira] = load({ shop: GITHUB, acme: JIRA }).triage.helpdesks;
    assert.ok(github !== undefined && jira !== undefined);
    assert.deepEqual([systemOf(github), systemOf(jira)], ['github:shop', 'jira:acme']);
    for (const { create, import: imports, wins, people, pollSeconds } of [github, jira])
      assert.deepEqual(
        { create, imports, wins, people, pollSeconds },
        {
          create: 'none',
          imports: false,
          wins: 'person',
          people: {},
          pollSeconds: 60,
        },
      );
    assert.deepEqual([github.public, jira.public], [true, false]);
  });

  it('prints its token nowhere', () => {
    const config = load({ shop: GITHUB });
    assert.doesNotMatch(inspect(config, { depth: 9 }) + JSON.stringify(config), /very-secret-token/u);
    assert.ok(secretsOf(config).some((secret) => secret.reveal() === 'very-secret-token'));
  });

  for (const [what, helpdesks, expected] of [
    ['a kind that is not known', { a: { ...GITHUB, kind: 'otrs' } }, /triage\.helpdesks\.a\.kind: .*see docs\/triage\.md/u],
    [
      'a token that stands there',
      { a: { ...GITHUB, token: 'ghp_abc' } },
      /triage\.helpdesks\.a\.token: expected a variable such as/u,
    ],
    [
      'a token that is not set',
      { a: { ...GITHUB, token: '${OTHER}' } },
      /triage\.helpdesks\.a\.token: expected OTHER to be set/u,
    ],
    ['a repository without an owner', { a: { ...GITHUB, repo: 'shop' } }, /triage\.helpdesks\.a\.repo: expected owner\/name/u],
    ['a person by name', { a: { ...GITHUB, people: { ben: 'ben' } } }, /triage\.helpdesks\.a\.people\.ben: /u],
    [
      'a team that is none',
      { a: { ...JIRA, create: ['sales'] } },
      /triage\.helpdesks\.a\.create: expected teams .*support.* got sales/u,
    ],
    ['an address that is none', { a: { ...JIRA, url: 'acme' } }, /triage\.helpdesks\.a\.url: expected an address/u],
    [
      'a customer without an address',
      { a: { ...ZAMMAD, customer: 'desk' } },
      /triage\.helpdesks\.a\.customer: expected an address/u,
    ],
    ['a setting too many', { a: { ...JIRA, colour: 'red' } }, /triage\.helpdesks\.a: .*colour/u],
  ] as const)
    it(`says what is wrong with ${what}`, () => {
      assert.throws(
        () => load(helpdesks),
        (error) => hasCode(error, 'config_invalid') && expected.test(error.message),
      );
    });
});
