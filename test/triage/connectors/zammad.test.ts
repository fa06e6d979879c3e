import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createZammadDouble, ZAMMAD, ZAMMAD_GONE, type ZammadDouble } from '../../../simulator/helpdesk/zammad.ts';
import { textOfHtml } from '../../../triage/connectors/article-text.ts';
import type { Connector } from '../../../triage/connectors/connector.ts';
import { createZammadConnector, type ZammadOptions } from '../../../triage/connectors/zammad.ts';
import { PAGE, testConnectorContract } from '../../contracts/helpdesk-connector.ts';
import { createFakeClock, type FakeClock } from '../../fake-clock.ts';
import { never } from '../fixtures.ts';

const optionsOf = (clock: FakeClock, baseUrl: string): ZammadOptions => ({
  system: 'zammad:acme',
  baseUrl,
  token: { reveal: () => ZAMMAD.token },
  group: ZAMMAD.group,
  customer: ZAMMAD.customer,
  isPublic: false,
  clock,
  pageSize: PAGE,
});

testConnectorContract('Zammad', createFakeClock, async (clock) => {
  const double = await createZammadDouble({ clock, pageSize: PAGE });
  const options = optionsOf(clock, double.url);
  return {
    connector: createZammadConnector(options),
    stranger: createZammadConnector({ ...options, token: { reveal: () => 'other' } }),
    double,
    people: double.people,
  };
});

describe('a Zammad', () => {
  let clock: FakeClock;
  let double: ZammadDouble;
  let connector: Connector;
  beforeEach(async () => {
    clock = createFakeClock();
    double = await createZammadDouble({ clock });
    connector = createZammadConnector(optionsOf(clock, double.url));
  });
  afterEach(async () => {
    await double.close();
    assert.deepEqual(double.violations, []);
  });
  const read = async (id: string) => {
    const ticket = await connector.read(id, never());
    assert.ok(ticket !== undefined);
    return ticket;
  };
  const articles = (id: string) => double.world.tickets.find((one) => String(one.id) === id)?.articles ?? [];

  it('waits with a reminder, and drops it when it is open again', async () => {
    const id = double.people.open('Help', 'It broke');
    const { version } = await read(id);
    await connector.setStatus(id, 'waiting', version, never());
    const [ticket] = double.world.tickets;
    assert.deepEqual([ticket?.state, ticket?.pendingTime], ['pending reminder', '2026-01-12T09:00:00.000Z']);
    await connector.setStatus(id, 'open', version, never());
    assert.deepEqual([ticket?.state, ticket?.pendingTime], ['open', null]);
  });

  it('leaves a new ticket new, since that is open', async () => {
    const id = double.people.open('Help', 'It broke');
    await connector.setStatus(id, 'open', (await read(id)).version, never());
    assert.equal(double.world.tickets[0]?.state, 'new');
  });

  it('takes the names that somebody gave to its states', async () => {
    const statuses = { solved: ['pending close'], closed: ['closed'] };
    const own = createZammadConnector({ ...optionsOf(clock, double.url), statuses });
    const id = double.people.open('Help', 'It broke');
    assert.deepEqual([own.projectStatus('solved'), own.projectStatus('closed')], ['solved', 'closed']);
    await own.setStatus(id, 'closed', clock.now(), never());
    assert.equal((await own.read(id, never()))?.status, 'closed');
    // That one is reached at a time, which nobody gave.
    await assert.rejects(own.setStatus(id, 'solved', clock.now(), never()), { code: 'helpdesk_rejected' });
  });

  it('says that somebody who left was not made the owner', async () => {
    const id = double.people.open('Help', 'It broke');
    const { version } = await read(id);
    await assert.rejects(connector.setAssignee(id, ZAMMAD_GONE, version, never()), { code: 'helpdesk_rejected' });
    await assert.rejects(connector.setAssignee(id, 'Bea', version, never()), { code: 'helpdesk_rejected' });
    assert.equal((await read(id)).assignee, null);
  });

  it('answers by mail who wrote by mail, and nobody with a note', async () => {
    const id = double.openByMail('Help', '<div>It broke</div>');
    await connector.addComment(id, { text: 'for us', isPublic: false, marker: 'a' }, never());
    await connector.addComment(id, { text: 'It is mended', isPublic: true, marker: 'b' }, never());
    assert.deepEqual(
      articles(id).map(({ type, to, isInternal }) => ({ type, to, isInternal })),
      [
        { type: 'email', to: null, isInternal: false },
        { type: 'note', to: null, isInternal: true },
        { type: 'email', to: 'Ada <ada@example.org>', isInternal: false },
      ],
    );
    const { requester, text, comments } = await read(id);
    assert.deepEqual([requester.displayName, text], ['Ada', 'It broke']);
    assert.deepEqual(
      comments.map(({ marker }) => marker),
      ['a', 'b'],
    );
  });

  it('answers who asked, not whoever else wrote into the ticket', async () => {
    const id = double.openByMail('Help', 'It broke');
    double.people.say(id, 'me too, tell me', { by: 'other' });
    double.change(() => Object.assign(articles(id).at(-1) ?? {}, { type: 'email', from: 'Eve <eve@example.org>' }));
    await connector.addComment(id, { text: 'It is mended', isPublic: true, marker: 'b' }, never());
    assert.deepEqual([articles(id).at(-1)?.type, articles(id).at(-1)?.to], ['email', 'Ada <ada@example.org>']);
  });

  it('makes a ticket of who asks, or of the desk where no address is known', async () => {
    const ticket = (id: string) => ({ subject: 'Help', text: 'x', requester: { id, displayName: 'Ada' }, marker: id.slice(-1) });
    const own = await connector.create(ticket('mail:ada@example.org'), never());
    const other = await connector.create(ticket('slack:U1'), never());
    assert.deepEqual(
      [await read(own.id), await read(other.id)].map(({ requester }) => requester.id),
      ['zammad:acme:user:7', 'zammad:acme:user:9'],
    );
    assert.deepEqual(
      double.requests.flatMap(({ method, body }) => (method === 'POST' ? [(body as { customer_id: string }).customer_id] : [])),
      ['guess:ada@example.org', 'guess:desk@acme.example'],
    );
  });

  it('does not know a ticket that went to a group it does not see', async () => {
    const id = double.people.open('Help', 'It broke');
    double.change(({ tickets }) => {
      for (const ticket of tickets) ticket.group = 'Secret';
    });
    assert.equal(await connector.read(id, never()), undefined);
    await assert.rejects(connector.addComment(id, { text: 'x', isPublic: false, marker: 'm' }, never()), {
      code: 'helpdesk_rejected',
    });
  });

  it('says that its token has not the right to tickets', async () => {
    const id = double.people.open('Help', 'It broke');
    double.world.mayWork = false;
    await assert.rejects(connector.read(id, never()), { code: 'helpdesk_auth' });
    await assert.rejects(connector.listChanged(0, 1, never()), { code: 'helpdesk_auth' });
  });

  it('added a comment even where it cannot tell the version afterwards', async () => {
    const id = double.people.open('Help', 'It broke');
    double.fail({ path: '/api/v1/tickets/{id}', fault: { kind: 'status', status: 429 } });
    const { version } = await connector.addComment(id, { text: 'x', isPublic: false, marker: 'm' }, never());
    assert.deepEqual([version, articles(id).length], [0, 2]);
  });
});

describe('the text of an article of HTML', () => {
  for (const [html, text] of [
    ['one<br>two<br><br>three', 'one\ntwo\n\nthree'],
    ['<div>one</div><div>two</div><div><br></div><div>three</div>', 'one\ntwo\n\nthree'],
    ['<p>one</p>\n<p>two &amp; &lt;b&gt; &#128512;</p>', 'one\n\ntwo & <b> 😀'],
    ['a  <b>bold</b>\n word', 'a bold word'],
    ['<ul><li>one</li><li>two<ol><li>three</li></ol></li></ul>after', '- one\n- two\n  1. three\nafter'],
    [
      'see <a href="https://example.org/a">the page</a>, <a href="https://example.org/b">https://example.org/b</a>',
      'see the page (https://example.org/a), https://example.org/b',
    ],
    ['<pre>a\n   b\n\n\nc</pre>', '```\na\n   b\n\n\nc\n```'],
    ['<blockquote>was<br>said</blockquote>no', '> was\n> said\n\nno'],
    ['<style>p { color: red }</style><script>x()</script><img alt="a cat"> <img>', 'a cat'],
    ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
    ['', ''],
  ] as const)
    it(`reads ${html}`, () => assert.equal(textOfHtml(html), text));

  it('reads what is nested or empty without end', () => {
    assert.equal(textOfHtml(`seen${'<blockquote>'.repeat(20_000)}deep`), 'seen');
    assert.equal(textOfHtml(`${'<b> </b>'.repeat(30_000)}end`), 'end');
  });
});
