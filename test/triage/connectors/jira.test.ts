import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createJiraDouble, JIRA } from '../../../simulator/helpdesk/jira.ts';
import { createJiraConnector } from '../../../triage/connectors/jira.ts';
import { type AdfNode, fromAdf, toAdf } from '../../../triage/connectors/jira-adf.ts';
import { PAGE, testConnectorContract } from '../../contracts/helpdesk-connector.ts';
import { createFakeClock } from '../../fake-clock.ts';
import { never } from '../fixtures.ts';

const optionsOf = (clock: ReturnType<typeof createFakeClock>, baseUrl: string) => ({
  system: 'jira:acme',
  baseUrl,
  ...JIRA,
  token: { reveal: () => JIRA.token },
  statuses: { open: ['To Do'], waiting: ['Waiting for customer'], solved: ['Done'], closed: ['Closed'] },
  isServiceDesk: true,
  isPublic: false,
  clock,
});

testConnectorContract('jira', createFakeClock, async (clock) => {
  const double = await createJiraDouble({ clock, pageSize: PAGE });
  const options = optionsOf(clock, double.url);
  return {
    connector: createJiraConnector(options),
    stranger: createJiraConnector({ ...options, token: { reveal: () => 'other' } }),
    double,
    people: double.people,
  };
});

describe('a jira whose statuses nobody named', () => {
  it('knows open and solved, by what Jira counts as done', async () => {
    const clock = createFakeClock();
    const double = await createJiraDouble({ clock });
    const connector = createJiraConnector({ ...optionsOf(clock, double.url), statuses: {} });
    assert.deepEqual(
      (['open', 'waiting', 'snoozed', 'solved', 'closed'] as const).map((status) => connector.projectStatus(status)),
      ['open', 'open', 'open', 'solved', 'solved'],
    );
    const id = double.people.open('Help', 'It broke', { isPrivate: true });
    assert.equal((await connector.read(id, never()))?.isPrivate, true);
    await connector.setStatus(id, 'solved', clock.now(), never());
    assert.equal((await connector.read(id, never()))?.status, 'solved');
    await double.close();
    assert.deepEqual(double.violations, []);
  });
});

describe('a jira that does not show all', () => {
  it('lists a change that the search shows late, once', async () => {
    const clock = createFakeClock();
    const double = await createJiraDouble({ clock });
    const connector = createJiraConnector(optionsOf(clock, double.url));
    const since = clock.now();
    const late = double.people.open('Help', 'It broke');
    double.world.behind = [late];
    await clock.advance(5_000);
    const other = double.people.open('Help', 'It broke too');
    const listed = async (from: number) => (await connector.listChanged(from, 1, never())).changed.map(({ id }) => id);
    assert.deepEqual(await listed(since), [other]);
    const latest = clock.now();
    assert.deepEqual(await listed(latest), [other]);
    double.world.behind = [];
    assert.deepEqual(await listed(latest), [late, other]);
    assert.deepEqual(await listed(latest), [other]);
    await double.close();
    assert.deepEqual(double.violations, []);
  });

  it('does not take what it may not see for gone', async () => {
    const clock = createFakeClock();
    const double = await createJiraDouble({ clock });
    const connector = createJiraConnector(optionsOf(clock, double.url));
    const id = double.people.open('Help', 'It broke');
    double.world.isMember = false;
    await assert.rejects(connector.read(id, never()), { code: 'helpdesk_auth' });
    Object.assign(double.world, { isMember: true, isExpired: true });
    await assert.rejects(connector.read(id, never()), { code: 'helpdesk_auth' });
    await assert.rejects(connector.listChanged(0, 1, never()), { code: 'helpdesk_auth' });
    await assert.rejects(connector.find('marker', never()), { code: 'helpdesk_auth' });
    await double.close();
    assert.deepEqual(double.violations, []);
  });
});

describe('the document format of Jira', () => {
  const roundTrip = (text: string): string => fromAdf(toAdf(text) as unknown as AdfNode);

  for (const text of [
    '',
    'One line.',
    'Two lines\nof a paragraph\n\nand another',
    '- a\n- b\n\nafter',
    'see https://example.org/a?b=c. Then (https://example.org/x)!',
    'before\n\n```js\nconst a = 1;\n\n\nconst b = 2;\n```\n\nand then',
    '中文。\n\n😀 & <b>',
    '3. three\n4. four',
    '1. one\n7. seven',
    'run `npm ci`, not `npm i`',
    'an `unclosed one',
  ])
    it(`gives back ${JSON.stringify(text)}`, () => assert.equal(roundTrip(text), text));

  it('makes links of those that have words of their own', () => {
    assert.equal(roundTrip('see [the form](https://example.org/a).'), 'see the form (https://example.org/a).');
  });

  it('sets code apart', () => {
    assert.equal(roundTrip('before\n```\ncode\n```\nafter'), 'before\n\n```\ncode\n```\n\nafter');
  });

  it('reads what people write there', () => {
    const doc: AdfNode = {
      type: 'doc',
      content: [
        { type: 'heading', content: [{ type: 'text', text: 'Steps' }] },
        {
          type: 'orderedList',
          attrs: { order: 3 },
          content: [
            {
              type: 'listItem',
              content: [
                {
                  type: 'paragraph',
                  content: [
                    { type: 'text', text: 'ask ' },
                    { type: 'mention', attrs: { text: '@Ada' } },
                  ],
                },
                {
                  type: 'bulletList',
                  content: [{ type: 'listItem', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'twice' }] }] }],
                },
              ],
            },
            { type: 'listItem', content: [{ type: 'paragraph', content: [{ type: 'emoji', attrs: { shortName: ':smile:' } }] }] },
          ],
        },
        {
          type: 'panel',
          content: [
            {
              type: 'paragraph',
              content: [{ type: 'text', text: 'the form', marks: [{ type: 'link', attrs: { href: 'https://example.org' } }] }],
            },
          ],
        },
        { type: 'mediaSingle', content: [{ type: 'media', attrs: { id: 'x' } }] },
        {
          type: 'table',
          content: [
            {
              type: 'tableRow',
              content: [
                { type: 'tableCell', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'a' }] }] },
                { type: 'tableCell', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'b' }] }] },
              ],
            },
          ],
        },
      ],
    };
    assert.equal(fromAdf(doc), 'Steps\n\n3. ask @Ada\n   - twice\n4. :smile:\n\nthe form (https://example.org)\n\na | b');
  });
});
