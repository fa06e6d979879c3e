/** One ticket in two places: asked in Slack, worked on in Slack and in a Zendesk, through the whole product. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../ops/clock.ts';
import { createZendeskDouble, type ZendeskDouble } from '../../../simulator/helpdesk/zendesk.ts';
import { type Assistant, openWorld, startAssistant, until, type World } from '../assembled.ts';

const SECRET = 'a-secret-of-sixteen-and-more';

describe('a ticket that a Zendesk has as well', () => {
  let world: World;
  let zendesk: ZendeskDouble;
  let assistant: Assistant;
  let general: string;
  let team: string;
  let ada: string;
  let ben: string;
  before(async () => {
    world = await openWorld();
    zendesk = await createZendeskDouble({ clock: systemClock });
    const { slack } = world;
    [ada, ben] = [slack.addUser({ displayName: 'Ada' }).id, slack.addUser({ displayName: 'Ben' }).id];
    general = slack.addChannel({ name: 'general', members: [slack.botUserId, ada, ben] }).id;
    team = slack.addChannel({ name: 'team', members: [slack.botUserId, ben] }).id;
    assistant = await startAssistant(world, {
      channels: ['slack', 'web'],
      env: { THREADWISE_WEB: 'true', THREADWISE_WEB_PORT: '0', ZENDESK_TOKEN: zendesk.token, ZENDESK_SECRET: SECRET },
      yaml: `
triage:
  channels: ["slack:${general}"]
  drafts: false
  teams: { support: { channel: "slack:${team}", members: ["slack:${ben}"] } }
  defaultTeam: support
  webhooks: { acme: { from: zendesk, secret: '\${ZENDESK_SECRET}' } }
  helpdesks:
    acme:
      kind: zendesk
      url: ${zendesk.url}
      email: ${zendesk.email}
      token: '\${ZENDESK_TOKEN}'
      create: all
      import: true
      people: { "slack:${ben}": "${zendesk.people.agents[0]}" }
`,
    });
  });
  after(async () => {
    await assistant[Symbol.asyncDispose]();
    await zendesk.close();
    await world[Symbol.asyncDispose]();
    assert.deepEqual(zendesk.violations, []);
  });

  const double = () => zendesk.world.tickets.find(({ isDeleted }) => !isDeleted);
  const commentsThere = (): readonly string[] =>
    (double()?.audits ?? []).flatMap(({ events }) =>
      events.flatMap((event) => (event['type'] === 'Comment' ? [`${String(event['public'])} ${String(event['body'])}`] : [])),
    );
  const inThread = (ts: string): readonly string[] =>
    world.slack.messages(general, ts).flatMap(({ isBot, text, buttons }) => (isBot && buttons.length === 0 ? [text] : []));
  const card = (words: RegExp) =>
    until(() => world.slack.messages(team).find(({ isBot, text }) => isBot && words.test(text)), `${words} at the team`);
  /** As Zendesk sends it. */
  const tell = async (id: string): Promise<number> => {
    const body = JSON.stringify({ type: 'zen:event-type:ticket.status_changed', detail: { id } });
    const at = new Date(systemClock.now()).toISOString();
    const response = await fetch(new URL('/webhooks/acme', assistant.serving.web?.url()), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-zendesk-webhook-signature-timestamp': at,
        'x-zendesk-webhook-signature': createHmac('sha256', SECRET).update(at).update(body).digest('base64'),
      },
      body,
    });
    return response.status;
  };

  it('is answered and solved from either side, once', async () => {
    const { slack } = world;
    const ts = slack.say(general, ada, 'My lamp flickers');
    await until(() => double()?.description.includes('My lamp flickers'), 'the ticket at Zendesk');
    const id = String(double()?.id);
    const shown = await card(/T1 · My lamp flickers/u);
    await slack.click(team, shown.ts, ben, 'threadwise_ticket_assign_me');
    await until(() => String(double()?.assigneeId) === zendesk.people.agents[0], 'the assignee there');
    slack.say(general, ben, 'Have you changed the bulb?', { threadTs: ts });
    await until(() => double()?.status === 'pending', 'that it waits there');
    assert.deepEqual(commentsThere().slice(1), ['true Ben:\n\nHave you changed the bulb?']);

    zendesk.people.say(id, 'A new bulb is on its way');
    zendesk.people.say(id, 'She is a dealer', { isSeen: false });
    zendesk.people.set(id, { status: 'solved' });
    assert.equal(await tell(id), 200);
    await until(() => inThread(ts).includes('A new bulb is on its way'), 'the words in the thread');
    await card(/Status\*\nsolved/u);

    slack.say(general, ada, 'It flickers again, with the new bulb', { threadTs: ts });
    await until(() => double()?.status === 'open', 'that it is open there again');
    assert.deepEqual(
      inThread(ts).filter((text) => text.includes('dealer')),
      [],
    );
    assert.equal(inThread(ts).filter((text) => text.includes('new bulb')).length, 1);
    assert.deepEqual(commentsThere().slice(1), [
      'true Ben:\n\nHave you changed the bulb?',
      'true A new bulb is on its way',
      'false She is a dealer',
      'true Ada:\n\nIt flickers again, with the new bulb',
    ]);
    assert.equal(zendesk.world.tickets.length, 1);
  });

  it('may begin there, and has its card here', async () => {
    const id = zendesk.people.open('Invoice', 'I was billed twice');
    assert.equal(await tell(id), 200);
    const { text } = await card(/T2 · Invoice/u);
    assert.ok(text.includes(`zendesk:acme ${id}`), text);
    assert.equal((await assistant.serving.core.tickets.readTicket('T2'))?.text, 'I was billed twice');
  });
});
