import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createGithubDouble, type GithubDouble } from '../../simulator/helpdesk/github.ts';
import { createZendeskDouble, type ZendeskDouble } from '../../simulator/helpdesk/zendesk.ts';
import { createFakeClock } from '../fake-clock.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('the doubles of helpdesks', () => {
  let github: GithubDouble;
  let zendesk: ZendeskDouble;
  beforeEach(async () => {
    const clock = createFakeClock();
    [github, zendesk] = [await createGithubDouble({ clock }), await createZendeskDouble({ clock })];
  });
  afterEach(async () => await Promise.all([github.close(), zendesk.close()]));

  const ofGithub = () => ({
    authorization: `Bearer ${github.token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    'user-agent': 'test',
  });
  const ofZendesk = () => ({ authorization: `Bearer ${zendesk.token}` });

  it('record what no client of the real one may send, and refuse it', async () => {
    const issues = `${github.url}/repos/acme/shop/issues`;
    const post = (url: string, headers: Record<string, string>, body: string) => fetch(url, { method: 'POST', headers, body });
    const answers = [
      await fetch(issues, { headers: { ...ofGithub(), 'x-github-api-version': '2019-01-01' } }),
      await fetch(issues, { headers: { ...ofGithub(), accept: '*/*' } }),
      await fetch(issues, { headers: { ...ofGithub(), authorization: '' } }),
      await fetch(issues, { method: 'POST', headers: { ...ofGithub(), ...JSON_TYPE, 'if-match': '"1"' }, body: '{"title":"x"}' }),
      await fetch(`${issues}?sort_by=updated`, { headers: ofGithub() }),
      await fetch(`${github.url}/repos/acme/shop/issue`, { headers: ofGithub() }),
      await post(issues, { ...ofGithub(), ...JSON_TYPE }, '{"title":"x","text":"y"}'),
      await post(issues, { ...ofGithub(), ...JSON_TYPE }, '{"body":"no title"}'),
      await post(issues, { ...ofGithub(), 'content-type': 'text/plain' }, '{"title":"x"}'),
      await post(issues, { ...ofGithub(), ...JSON_TYPE }, 'title=x'),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 415, 401, 400, 400, 404, 422, 422, 415, 400],
    );
    assert.equal(github.violations.length, answers.length);
    assert.equal(github.world.issues.length, 1);
    const tickets = `${zendesk.url}/api/v2/tickets`;
    const theirs = [
      await fetch(tickets),
      await fetch(tickets, { headers: ofZendesk() }),
      await post(tickets, { ...ofZendesk(), ...JSON_TYPE }, '{"ticket":{"comment":{"body":""}}}'),
      await post(tickets, { ...ofZendesk(), ...JSON_TYPE }, '{"ticket":{"comment":{"text":"x"}}}'),
      await fetch(`${zendesk.url}/api/v2/incremental/tickets/cursor`, { headers: ofZendesk() }),
    ];
    assert.deepEqual(
      theirs.map(({ status }) => status),
      [401, 400, 422, 422, 400],
    );
    assert.equal(zendesk.violations.length, theirs.length);
  });

  it('refuse wrong credentials and what is not there without recording it', async () => {
    const answers = [
      await fetch(`${github.url}/repos/acme/shop/issues/99`, { headers: ofGithub() }),
      await fetch(`${github.url}/repos/acme/shop/issues/1`, { headers: { ...ofGithub(), authorization: 'Bearer wrong' } }),
      await fetch(`${zendesk.url}/api/v2/tickets/99`, { headers: ofZendesk() }),
      await fetch(`${zendesk.url}/api/v2/tickets/99`, { headers: { authorization: 'Bearer wrong' } }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 401, 404, 401],
    );
    assert.deepEqual([github.violations, zendesk.violations], [[], []]);
    assert.deepEqual(
      zendesk.requests.map(({ method, url, status }) => [method, url, status]),
      [
        ['GET', '/api/v2/tickets/99', 404],
        ['GET', '/api/v2/tickets/99', 401],
      ],
    );
  });
});
