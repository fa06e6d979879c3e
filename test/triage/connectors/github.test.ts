import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ErrorCode } from '../../../agent/errors.ts';
import { createGithubDouble, type GithubDouble } from '../../../simulator/helpdesk/github.ts';
import type { Connector } from '../../../triage/connectors/connector.ts';
import { createGithubConnector } from '../../../triage/connectors/github.ts';
import { PAGE, testConnectorContract } from '../../contracts/helpdesk-connector.ts';
import { createFakeClock, type FakeClock } from '../../fake-clock.ts';
import { never } from '../fixtures.ts';

const connectTo = (
  { owner, repo, url: baseUrl, token: right }: GithubDouble,
  { clock, token = right, isPublic = false }: { readonly clock: FakeClock; readonly token?: string; readonly isPublic?: boolean },
): Connector => {
  const system = `github:${owner}/${repo}`;
  return createGithubConnector({ system, owner, repo, token: { reveal: () => token }, isPublic, clock, baseUrl });
};

testConnectorContract('GitHub', createFakeClock, async (clock) => {
  const double = await createGithubDouble({ clock, pageSize: PAGE });
  return {
    connector: connectTo(double, { clock }),
    stranger: connectTo(double, { clock, token: 'wrong' }),
    double,
    people: double.people,
  };
});

describe('the issues of a GitHub repository', () => {
  let clock: FakeClock;
  let double: GithubDouble;
  let connector: Connector;
  beforeEach(async () => {
    clock = createFakeClock();
    double = await createGithubDouble({ clock });
    connector = connectTo(double, { clock });
  });
  afterEach(async () => {
    await double.close();
    assert.deepEqual(double.violations, []);
  });

  const say = (id: string, text = 'hello') => connector.addComment(id, { text, isPublic: true, marker: 'm1' }, never());
  const fails = (work: () => Promise<unknown>, code: ErrorCode, more: object = {}) => assert.rejects(work, { code, ...more });
  const issue = (id: string) => double.world.issues.find(({ number }) => String(number) === id);

  it('has pull requests among them, which are no tickets', async () => {
    assert.equal(await connector.read('1', never()), undefined);
    const id = double.people.open('Help', 'It broke');
    assert.deepEqual(
      (await connector.listChanged(0, 1, never())).changed.map((one) => one.id),
      [id],
    );
  });

  it('are assigned to a login however it is written', async () => {
    const id = double.people.open('Help', 'It broke');
    double.people.set(id, { assignee: 'BEA' });
    assert.equal((await connector.read(id, never()))?.assignee, 'bea');
    assert.equal(connector.accountOf?.('Bea'), 'bea');
    assert.equal(await connector.isAgent('Bea', never()), true);
    const version = clock.now() + 60_000;
    const before = issue(id)?.updatedAt;
    await clock.advance(5_000);
    await connector.setAssignee(id, 'Bea', version, never());
    assert.deepEqual([issue(id)?.assignees, issue(id)?.updatedAt], [['BEA'], before]);
    await connector.setAssignee(id, 'Carl', version, never());
    assert.deepEqual(issue(id)?.assignees, ['carl']);
  });

  it('limit calls by 403 and 422 too, with and without a time', async () => {
    const id = double.people.open('Help', 'It broke');
    const answers = [
      [
        403,
        'API rate limit exceeded',
        { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(clock.now() / 1_000 + 90) },
        90_000,
      ],
      [403, 'You have exceeded a secondary rate limit.', { 'retry-after': '20' }, 20_000],
      [403, 'You have exceeded a secondary rate limit.', {}, 60_000],
      [429, 'Too many requests', {}, 60_000],
      [422, 'was submitted too quickly', {}, 60_000],
    ] as const;
    for (const [status, message, headers, retryAfterMs] of answers) {
      double.fail({ only: 'writes', fault: { kind: 'status', status, body: { message }, headers } });
      await fails(() => say(id), 'helpdesk_rate_limited', { retryAfterMs });
    }
    double.fail({
      only: 'writes',
      fault: { kind: 'status', status: 403, body: { message: 'Resource not accessible by personal access token' } },
    });
    await fails(() => say(id), 'helpdesk_auth', {
      message:
        'github:acme/shop answered HTTP 403 to POST /repos/acme/shop/issues/2/comments: Resource not accessible by personal access token',
    });
  });

  it('may be locked, each for itself', async () => {
    const id = double.people.open('Help', 'It broke');
    double.change(() => Object.assign(issue(id) ?? {}, { isLocked: true }));
    await fails(() => say(id), 'helpdesk_rejected');
  });

  it('are not taken to be gone when the repository is no longer seen, or has another name', async () => {
    const id = double.people.open('Help', 'It broke');
    double.world.moved.push(2);
    assert.equal(await connector.read(id, never()), undefined);
    double.world.name = 'store';
    await fails(() => connector.read(id, never()), 'helpdesk_auth');
    double.world.name = null;
    await fails(() => connector.read(id, never()), 'helpdesk_auth');
  });

  it('notify nobody whose name is written in a comment, and say who asks only where not everyone reads', async () => {
    const id = double.people.open('Help', 'It broke');
    await say(id, 'ask @bea or mail me@example.org');
    assert.equal(issue(id)?.comments[0]?.body, 'ask @\u200bbea or mail me@example.org\n\n<!-- threadwise:m1 -->');
    assert.equal((await connector.read(id, never()))?.comments[0]?.text, 'ask @bea or mail me@example.org');
    await say(id, '`@bea _@bea_ &#64;bea &commat;bea');
    assert.match(issue(id)?.comments[1]?.body ?? '', /^`@\u200bbea _@\u200bbea_ &amp;#64;bea &amp;commat;bea\n/u);
    const ticket = { subject: 'Hi @all', text: 'It broke', requester: { id: 'slack:U1', displayName: 'Ada' }, marker: 'm2' };
    const inside = await connector.create(ticket, never());
    assert.deepEqual(
      [issue(inside.id)?.title, issue(inside.id)?.body],
      ['Hi @\u200ball', 'Ada:\n\nIt broke\n\n<!-- threadwise:m2 -->'],
    );
    const outside = await connectTo(double, { clock, isPublic: true }).create({ ...ticket, marker: 'm3' }, never());
    assert.equal(issue(outside.id)?.body, 'It broke\n\n<!-- threadwise:m3 -->');
  });

  it('are found by a marker where they were made with it, not where somebody copied it', async () => {
    const ticket = { subject: 'Help', text: 'It broke', requester: { id: 'slack:U1', displayName: 'Ada' }, marker: 'm2' };
    const made = await connector.create(ticket, never());
    double.people.open('Help', 'Mine now\n\n<!-- threadwise:m2 -->');
    assert.equal((await connector.find('m2', never()))?.id, made.id);
  });

  it('know a marker only where a comment ends with it', async () => {
    const id = double.people.open('Help', 'It broke <!-- threadwise:m1 --> again');
    double.people.say(id, `${'\n'.repeat(60_000)}<!-- threadwise:m1 -->\nsaid somebody`);
    double.people.say(id, 'seen before <!-- threadwise:m9 -->\n');
    const ticket = await connector.read(id, never());
    assert.deepEqual([ticket?.marker, ticket?.comments.map(({ marker }) => marker)], [null, [null, 'm9']]);
    assert.equal(ticket?.comments[1]?.text, 'seen before');
  });

  it('do not take an assignee in silence where the token may not assign', async () => {
    const id = double.people.open('Help', 'It broke');
    double.world.canPush = false;
    const version = (await connector.read(id, never()))?.version ?? 0;
    await fails(() => connector.setAssignee(id, 'bea', version, never()), 'helpdesk_rejected');
  });
});
