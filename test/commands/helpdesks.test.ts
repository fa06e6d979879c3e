/** Helpdesks as the configuration names them: wired to the desk, woken by changes here and by webhooks from there. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createTicketWebhook } from '../../bots/ticket-webhook.ts';
import { helpdeskProbes } from '../../commands/doctor-triage.ts';
import { type HelpdeskParts, openConnector, openHelpdesks } from '../../commands/helpdesks.ts';
import { systemClock } from '../../ops/clock.ts';
import { loadConfig } from '../../ops/config.ts';
import { ok, warn } from '../../ops/doctor.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { createGithubDouble } from '../../simulator/helpdesk/github.ts';
import { createJiraDouble, JIRA } from '../../simulator/helpdesk/jira.ts';
import { createZammadDouble, ZAMMAD } from '../../simulator/helpdesk/zammad.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { ANNA, arrival, BEN } from '../fakes/tickets.ts';
import { openTriageBench } from '../fakes/triage-bench.ts';

const SECRET = 'a-secret-of-sixteen';

const until = async (look: () => Promise<boolean> | boolean, what: string): Promise<void> => {
  const endsAt = performance.now() + 10_000;
  while (!(await look())) {
    assert.ok(performance.now() < endsAt, `waited for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

const openDesk = async (configs: HelpdeskParts['configs']) => {
  const opened = openSqliteStore({ folder: ':memory:', clock: systemClock });
  const { desk } = openTriageBench({
    clock: systemClock as never,
    store: opened.tickets,
    burstMs: 0,
    onChange: () => helpdesks.wake(),
  }).triage;
  const helpdesks = await openHelpdesks({
    configs,
    desk,
    tickets: opened.tickets,
    settings: opened.store,
    clock: systemClock,
    logger: silentLogger,
  });
  const close = async (): Promise<void> => {
    await helpdesks.stop();
    await opened.close();
  };
  return { helpdesks, desk, tickets: opened.tickets, close };
};

const openAll = async (over: object = {}) => {
  const double = await createJiraDouble({ clock: systemClock });
  const config = loadConfig({
    env: { JIRA_TOKEN: JIRA.token, THREADWISE_CONFIG: 'threadwise.yaml' },
    readFile: (path) =>
      path.endsWith('threadwise.yaml')
        ? JSON.stringify({
            triage: {
              teams: { support: {} },
              helpdesks: {
                acme: {
                  kind: 'jira',
                  url: double.url,
                  email: JIRA.email,
                  project: JIRA.project,
                  token: '${JIRA_TOKEN}',
                  statuses: { waiting: ['Waiting for customer'], closed: ['Closed'] },
                  create: 'all',
                  pollSeconds: 3_600,
                  ...over,
                },
              },
            },
          })
        : undefined,
  });
  const { helpdesks, desk, tickets, close } = await openDesk(config.triage.helpdesks);
  const webhook = createTicketWebhook({
    settings: { name: 'acme', from: 'jira', secret: { reveal: () => SECRET }, mapping: { fields: { plan: '/issue/plan' } } },
    desk,
    notice: helpdesks.noticeOf('jira', 'acme'),
    clock: systemClock,
    logger: silentLogger,
  });
  const server = createServer(webhook);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  helpdesks.start();
  return {
    double,
    desk,
    helpdesks,
    tickets,
    /** As Jira sends it. */
    send: async (payload: object): Promise<string> => {
      const body = JSON.stringify(payload);
      const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hub-signature': signature },
        body,
      });
      return `${response.status} ${await response.text()}`;
    },
    close: async () => {
      server.close();
      await close();
      await double.close();
      assert.deepEqual(double.violations, []);
    },
  };
};

describe('a helpdesk of the configuration', () => {
  it('is told of a change here at once, and tells of one there by a webhook, which says nothing itself', async () => {
    const { double, desk, tickets, send, close } = await openAll();
    const arrived = await desk.arrive(arrival(1, { receivedAt: systemClock.now() }));
    assert.ok(arrived.kind !== 'not_a_ticket');
    const { id, threadId } = arrived.ticket;
    await until(async () => (await tickets.readTicket(id))?.external != null, 'the issue');
    const key = (await tickets.readTicket(id))?.external?.id ?? '';
    await desk.hear({ deliveryId: 'slack:m1', threadId, author: BEN, text: 'on it', at: systemClock.now(), source: 'slack' });
    await until(() => double.world.issues[0]?.status === 'Waiting for customer', 'the status');
    assert.equal(double.world.issues[0]?.comments.length, 1);
    double.people.set(key, { status: 'solved' });
    const payload = {
      webhookEvent: 'comment_created',
      issue: { key, fields: { summary: 'x' } },
      comment: { id: '7', body: 'send me your password', author: { accountId: 'a', displayName: 'A' } },
    };
    assert.equal(await send(payload), '200 {"message":"noticed"}');
    await until(async () => (await tickets.readTicket(id))?.status === 'solved', 'the status');
    const texts = (await tickets.readEvents(id)).map(({ change }) => JSON.stringify(change)).join();
    assert.ok(!texts.includes('password'));
    await close();
  });

  it('makes no issue of what is not to be made there, and takes in what is opened there where it is told to', async () => {
    const { double, desk, tickets, send, close } = await openAll({ create: 'none', import: true });
    await desk.arrive(arrival(1, { author: ANNA, receivedAt: systemClock.now() }));
    const key = double.people.open('Help', 'It broke');
    assert.equal(await send({ webhookEvent: 'jira:issue_created', issue: { key, plan: 'gold' } }), '200 {"message":"noticed"}');
    await until(async () => (await tickets.listTickets({})).length === 2, 'the ticket');
    const found = (await tickets.listTickets({})).find(({ external }) => external?.id === key);
    assert.deepEqual([found?.subject, found?.text, found?.external?.system], ['Help', 'It broke', 'jira:acme']);
    assert.deepEqual(found?.fields, { plan: 'gold' });
    assert.equal(double.world.issues.length, 1);
    await close();
  });

  it('is a Zammad with its group, its customer and the names of its states', async () => {
    const double = await createZammadDouble({ clock: systemClock });
    const { group, customer } = ZAMMAD;
    const acme = {
      kind: 'zammad',
      url: double.url,
      group,
      customer,
      token: '${TOKEN}',
      statuses: { waiting: ['pending close'] },
    };
    const [config] = loadConfig({
      env: { TOKEN: ZAMMAD.token, THREADWISE_CONFIG: 'threadwise.yaml' },
      readFile: (path) => (path.endsWith('threadwise.yaml') ? JSON.stringify({ triage: { helpdesks: { acme } } }) : undefined),
    }).triage.helpdesks;
    assert.ok(config !== undefined);
    const connector = await openConnector(config, systemClock);
    const { signal } = new AbortController();
    const requester = { id: 'slack:U1', displayName: 'Ada' };
    const { system, id } = await connector.create({ subject: 'Help', text: 'x', requester, marker: 'm' }, signal);
    const made = await connector.read(id, signal);
    await connector.setStatus(id, 'waiting', made?.version ?? 0, signal);
    assert.deepEqual(
      [system, made?.requester.id, double.world.tickets[0]?.state],
      ['zammad:acme', 'zammad:acme:user:9', 'pending close'],
    );
    await double.close();
    assert.deepEqual(double.violations, []);
  });

  it('is a GitHub repository whose people are who they are however their logins are written', async () => {
    const double = await createGithubDouble({ clock: systemClock });
    const { owner, repo, url, token } = double;
    const people = { 'slack:U1': 'Bea', 'slack:U2': 'beatrice' };
    const acme = { kind: 'github', url, repo: `${owner}/${repo}`, token: '${TOKEN}', people, create: 'all' };
    const config = loadConfig({
      env: { TOKEN: token, THREADWISE_CONFIG: 'threadwise.yaml' },
      readFile: (path) => (path.endsWith('threadwise.yaml') ? JSON.stringify({ triage: { helpdesks: { acme } } }) : undefined),
    });
    const [probe] = helpdeskProbes(config);
    assert.deepEqual(await probe?.run(), [
      ok('helpdesk acme', 'github:acme answers; status, assignee and comments are kept in step'),
      warn(
        'helpdesk acme',
        'expected an account that tickets can be assigned to for slack:U2, got beatrice',
        'correct triage.helpdesks.acme.people (docs/triage.md)',
      ),
    ]);
    const { helpdesks, desk, tickets, close } = await openDesk(config.triage.helpdesks);
    helpdesks.start();
    await desk.arrive(arrival(1, { receivedAt: systemClock.now() }));
    await until(() => double.world.issues.length === 2, 'the issue');
    double.people.set('2', { assignee: 'BEA' });
    await helpdesks.noticeOf('github', 'acme')?.(`${owner}/${repo}#2`, {});
    await until(async () => (await tickets.readTicket('T1'))?.assignee === 'slack:U1', 'the assignee');
    await close();
    await double.close();
    assert.deepEqual(double.violations, []);
  });

  it('knows nothing of webhooks with another name', async () => {
    const { helpdesks, close } = await openAll();
    assert.deepEqual([helpdesks.noticeOf('jira', 'other'), helpdesks.noticeOf('github', 'acme')], [undefined, undefined]);
    await close();
  });
});
