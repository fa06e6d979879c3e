/** From a customer's mail to the answer in their mailbox and back: the whole product, a real IMAP server, a simulated Slack. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { answerFromPassages } from '../../../simulator/model-policy.ts';
import { ADA, imapServer, mail, openImap } from '../../bots/mail-kit.ts';
import { startSmtp } from '../../tools/smtp-server.ts';
import { type Assistant, openWorld, startAssistant, until, type World } from '../assembled.ts';

const SUPPORT = 'help@example.com';

describe('a ticket by mail', () => {
  let world: World;
  let assistant: Assistant;
  let room: string;
  let helper: string;
  let support: Awaited<ReturnType<typeof openImap>>;
  let customer: Awaited<ReturnType<typeof openImap>>;
  let smtp: Awaited<ReturnType<typeof startSmtp>>;
  const ends: (() => void)[] = [];

  before(async () => {
    world = await openWorld();
    world.model.setPolicy(answerFromPassages);
    [support, customer] = await Promise.all([openImap(SUPPORT), openImap(ADA)]);
    smtp = await startSmtp({ after: (end: () => void) => void ends.push(end) } as never);
    helper = world.slack.addUser({ displayName: 'Ben' }).id;
    room = world.slack.addChannel({ name: 'support-team', kind: 'group', members: [world.slack.botUserId, helper] }).id;
    writeFileSync(
      join(world.folder, 'taxonomy.yaml'),
      'categories: { warranty: { name: Warranty, description: how long goods are under warranty, team: support } }\n',
    );
    const { host, port } = imapServer(SUPPORT);
    assistant = await startAssistant(world, {
      channels: ['slack'],
      yaml: `
triage:
  taxonomy: taxonomy.yaml
  teams: { support: { privateChannel: "slack:${room}", members: ["slack:${helper}"] } }
  defaultTeam: support
  mail: { host: ${host}, port: ${port}, security: none, user: ${SUPPORT} }
tools:
  mail: { host: 127.0.0.1, port: ${smtp.port}, security: none, from: ${SUPPORT} }
`,
      env: { THREADWISE_TRIAGE_MAIL_PASSWORD: process.env['TEST_IMAP_PASSWORD'] },
    });
  });
  after(async () => {
    await assistant[Symbol.asyncDispose]();
    await Promise.all([support[Symbol.asyncDispose](), customer[Symbol.asyncDispose]()]);
    for (const end of ends) end();
    await world[Symbol.asyncDispose]();
  });

  const inRoom = (words: RegExp) =>
    until(() => world.slack.messages(room).find(({ isBot, text }) => isBot && words.test(text)), `${words} at the team`);
  /** The n-th mail that left, once it is in its customer's mailbox. */
  const arrived = async (n: number): Promise<string> => {
    const sent = await until(() => smtp.mails[n], `mail ${n}`);
    assert.deepEqual([sent.from, sent.to], [SUPPORT, [ADA]]);
    await customer.append(sent.content.replaceAll('\n', '\r\n'));
    return (await customer.sources()).at(-1) ?? '';
  };
  const headerOf = (source: string, name: string): string =>
    new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'imu')
      .exec(source)?.[1]
      ?.replaceAll(/\r\n\s+/gu, ' ')
      .trim() ?? '';

  it('is answered by clicks in its own thread, and what comes back joins it', async () => {
    const question = mail('How long is the warranty for dealers?\n-- \nAda', {
      To: SUPPORT,
      Subject: 'Warranty',
      'Message-ID': '<q@example.org>',
    });
    await support.append(question);
    const card = await inRoom(/T1 · Warranty[\s\S]*Draft proposed/u);
    assert.match(card.text, /Ada \(ada@example\.org\) wrote: How long is the warranty for dealers\?/u);
    assert.match(card.text, /The sender is only what the mail claims\./u);
    assert.equal(smtp.mails.length, 0, 'nothing is sent by itself');

    await world.slack.click(room, card.ts, helper, 'threadwise_ticket_draft_send');
    const answer = await arrived(0);
    assert.match(headerOf(answer, 'Subject'), /^Re: Warranty \[#T1-[A-Z2-7]{10}\]$/u);
    assert.deepEqual([headerOf(answer, 'In-Reply-To'), headerOf(answer, 'References')], ['<q@example.org>', '<q@example.org>']);
    assert.match(answer, /12 months/u);
    assert.equal(headerOf(answer, 'Auto-Submitted'), '', 'a person sent it');

    const ours = headerOf(answer, 'Message-ID');
    const back = `Also for spare parts?\n\nOn Monday, Support <${SUPPORT}> wrote:\n> 12 months`;
    await support.append(
      mail(back, {
        To: SUPPORT,
        Subject: 'Re: Warranty',
        'Message-ID': '<r@example.org>',
        'In-Reply-To': ours,
        References: `<q@example.org> ${ours}`,
      }),
    );
    await inRoom(/T1, Ada \(ada@example\.org\) wrote: Also for spare parts\?$/u);

    await world.slack.click(room, card.ts, helper, 'threadwise_ticket_reply');
    const view = await until(() => world.slack.views().at(-1), 'the dialog');
    await world.slack.submitView(view.id, {
      threadwise_ticket_draft_input: 'Yes, see https://example.com/parts for *all* of them.',
    });
    const second = await arrived(1);
    assert.match(second, /Yes, see https:\/\/example\.com\/parts for \*all\* of them\./u, 'as the person wrote it');
    assert.deepEqual([headerOf(second, 'In-Reply-To'), headerOf(second, 'Auto-Submitted')], ['<r@example.org>', '']);

    await world.slack.click(room, card.ts, helper, 'threadwise_ticket_solve');
    const solved = await arrived(2);
    assert.match(solved, /This is marked as solved\./u);
    assert.equal(headerOf(solved, 'Auto-Submitted'), 'auto-generated');

    const tickets = await assistant.serving.core.tickets.listTickets({});
    assert.deepEqual(
      tickets.map(({ id, status, messageCount, isPrivate }) => [id, status, messageCount, isPrivate]),
      [['T1', 'solved', 4, true]],
    );
    assert.equal(smtp.mails.length, 3);
    const health = await assistant.serving.readiness();
    assert.ok(JSON.stringify(health).includes(`reads INBOX of ${SUPPORT}`));
  });
});
