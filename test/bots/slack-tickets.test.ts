/** Tickets in Slack, from the outside: real Bolt against the simulator, the desk on a store in memory. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SlackChannel } from '../../bots/slack/slack.ts';
import { pause, until } from './slack-harness.ts';
import { openTicketBench, type TicketBench } from './slack-ticket-bench.ts';

const signal = new AbortController().signal;

describe('tickets in slack', () => {
  let bench: TicketBench;
  before(async () => {
    bench = await openTicketBench();
  });
  after(() => bench[Symbol.asyncDispose]());

  it('an emoji makes one ticket of a message, however many put it there, with a card in the thread and one at the team', async () => {
    const { harness, tickets, helper, desk, latest, cardIn } = bench;
    const { slack, room, asker, gateway } = harness;
    const ts = slack.say(room, asker, 'My *refund* is late <!channel>');
    slack.react(room, ts, helper, 'ticket');
    slack.react(room, ts, asker, 'ticket');
    slack.react(room, ts, asker, 'eyes');
    await slack.settle();
    const ticket = await latest();
    assert.deepEqual([ticket.id, ticket.how, ticket.author.id, ticket.isPrivate], ['T1', 'emoji', `slack:${asker}`, false]);
    const card = await cardIn(desk, 'T1', /Refund \(90 % sure\)/);
    const permalink = `https://simulated.slack.com/archives/${room}/p${ts.replace('.', '')}`;
    assert.ok(card.text.includes(`<${permalink}|T1 · `), 'it leads to the thread');
    assert.deepEqual(card.pings, []);
    assert.match(card.text, /\*Priority\*\nnormal \(90 % sure\)/);
    assert.match(card.text, /“Refund” belongs to billing\./);
    await cardIn(room, 'T1', /Refund/, ts);
    assert.deepEqual(gateway.accepted, [], 'it is no question to the assistant');
    assert.equal((await tickets.listTickets({})).length, 1);
  });

  it('a click counts once, the card shows it everywhere, and who may not is told so alone', async () => {
    const { harness, helper, desk, latest, cardIn, whispers } = bench;
    const { slack, room, asker } = harness;
    const card = await cardIn(desk, 'T1', /Assignee\*\nnobody/);
    const thread = (await latest()).address?.['thread'] ?? '';
    const own = await cardIn(room, 'T1', /nobody/, thread);
    await slack.click(room, own.ts, asker, 'threadwise_ticket_assign_me');
    assert.match(whispers(room, asker).join(), /^This may be done by the members of billing and administrators\.$/);
    await slack.click(desk, card.ts, helper, 'threadwise_ticket_assign_me');
    await cardIn(desk, 'T1', new RegExp(`Assignee\\*\\n<@${helper}>`));
    await cardIn(room, 'T1', new RegExp(`Assignee\\*\\n<@${helper}>`), thread);
    await slack.click(desk, card.ts, helper, 'threadwise_ticket_set_priority', 'urgent');
    await slack.click(desk, card.ts, helper, 'threadwise_ticket_set_category', 'login');
    await cardIn(desk, 'T1', /Category\*\nLogin\n[\s\S]*Priority\*\nurgent\n/);
    await slack.click(desk, card.ts, helper, 'threadwise_ticket_snooze', '60');
    await cardIn(desk, 'T1', /snoozed until/);
    assert.equal(slack.messages(desk).length, 1, 'one card, edited');
  });

  it('what is written in the thread belongs to the ticket, and the team’s word is the first answer', async () => {
    const { harness, helper, latest } = bench;
    const { slack, room, asker } = harness;
    const { address } = await latest();
    const threadTs = address?.['thread'] ?? '';
    slack.say(room, asker, 'It is order 7.', { threadTs });
    await slack.settle();
    slack.say(room, helper, 'We are on it.', { threadTs });
    await slack.settle();
    const ticket = await latest();
    assert.deepEqual([ticket.messageCount, ticket.status, ticket.firstAnsweredAt !== null], [3, 'waiting', true]);
  });

  it('a draft is edited in a dialog and sent once, in the thread', async () => {
    const { harness, triage, helper, desk, latest, cardIn } = bench;
    const { slack, room } = harness;
    const ticket = await latest();
    const threadTs = ticket.address?.['thread'] ?? '';
    await bench.propose(ticket, 'd1', 'First words.');
    const card = await cardIn(desk, 'T1', /Draft proposed: First words\./);
    await slack.click(desk, card.ts, helper, 'threadwise_ticket_draft_edit');
    const [view] = slack.views().slice(-1);
    assert.ok(view !== undefined);
    await slack.submitView(view.id, { threadwise_ticket_draft_input: 'Better words.' });
    await cardIn(desk, 'T1', /Draft edited: Better words\./);
    const again = await cardIn(desk, 'T1', /Draft edited/);
    await slack.click(desk, again.ts, helper, 'threadwise_ticket_draft_send');
    await slack.click(desk, again.ts, helper, 'threadwise_ticket_draft_send').catch(() => undefined);
    await until(() => slack.messages(room, threadTs).some(({ isBot, text }) => isBot && text === 'Better words.'));
    await triage.settle(signal);
    assert.equal(slack.messages(room, threadTs).filter(({ text }) => text === 'Better words.').length, 1);
  });

  it('a long answer stands in the thread whole, once, also when its post is begun again', async () => {
    const { harness } = bench;
    const { slack, room, asker, channel } = harness;
    const { board } = channel as SlackChannel;
    const thread = slack.say(room, asker, 'a long story');
    await slack.settle();
    const target = {
      channel: 'slack',
      kind: 'thread',
      isPrivate: false,
      address: { channel: room, thread, question: thread, user: asker },
    } as const;
    const text = Array.from({ length: 1_500 }, (_, n) => `word${n} word`).join(' ');
    const message = { kind: 'answer', ticketId: 'T1', text, citations: [] } as const;
    await board.post(target, message, 'k1');
    assert.ok((await board.find(target, 'k1')) !== undefined);
    const stands = (): readonly string[] =>
      slack
        .messages(room, thread)
        .filter(({ isBot }) => isBot)
        .map((one) => one.text);
    const whole = stands();
    assert.ok(whole.length > 1);
    assert.ok(whole.at(-1)?.endsWith('word1499 word'));
    await board.post(target, message, 'k1');
    assert.equal(stands().length, whole.length + 1, 'the first parts are found again');
  });

  it('a shortcut, a command and a channel of tickets make one each', async () => {
    const { harness, helper, auto, latest } = bench;
    const { slack, room, asker } = harness;
    const ts = slack.say(room, asker, 'login fails');
    await slack.shortcut(room, ts, helper, 'threadwise_ticket');
    assert.deepEqual([(await latest()).id, (await latest()).how], ['T2', 'shortcut']);
    slack.react(room, ts, helper, 'ticket');
    await slack.settle();
    assert.equal((await latest()).id, 'T2', 'the same message is the same ticket');
    await slack.slash(room, asker, '/triage', 'the printer is on fire');
    assert.deepEqual(
      [(await latest()).id, (await latest()).how, (await latest()).text],
      ['T3', 'command', 'the printer is on fire'],
    );
    slack.say(auto, asker, 'no light');
    slack.say(auto, asker, 'thanks!');
    await slack.settle();
    assert.deepEqual([(await latest()).id, (await latest()).how], ['T4', 'channel']);
  });

  it('who asks for a person gets one, is told so in the thread, and the assistant keeps quiet', async () => {
    const { harness, latest } = bench;
    const { slack, room, asker, gateway } = harness;
    const before = gateway.accepted.length;
    const ts = slack.mention(room, asker, 'can I talk to a human please?');
    await slack.settle();
    const ticket = await latest();
    assert.deepEqual([ticket.how, ticket.handOff?.to], ['escalation', null]);
    await until(() =>
      slack.messages(room, ts).some(({ isBot, text }) => isBot && text.startsWith('I have passed this on to billing.')),
    );
    assert.equal(gateway.accepted.length, before);
    // Recorded when it stands.
    for (let n = 0; n < 500 && (await latest()).handOff?.isConfirmed !== true; n += 1) await pause(10);
    assert.equal((await latest()).handOff?.isConfirmed, true);
  });

  it('in what a person has the assistant answers nobody who does not name it, until that is over', async () => {
    const { harness, helper, latest, triage } = bench;
    const { slack, room, asker, gateway } = harness;
    const ticket = await latest();
    gateway.subscribed.add(ticket.threadId);
    const threadTs = ticket.address?.['thread'] ?? '';
    const answeredNow = () => gateway.accepted.map(({ text }) => text).filter((text) => text.startsWith('unicorn'));
    slack.say(room, asker, 'unicorn, it is the green one', { threadTs });
    slack.say(room, helper, 'unicorn noted', { threadTs });
    await slack.settle();
    assert.deepEqual([answeredNow(), (await latest()).messageCount], [[], 3]);
    slack.mention(room, asker, 'unicorn prices?', { threadTs });
    await slack.settle();
    assert.deepEqual(answeredNow(), ['unicorn prices?']);
    const actor = { kind: 'person', id: `slack:${helper}` } as const;
    await triage.desk.act({
      ticketId: ticket.id,
      action: { kind: 'solve', resolution: '' },
      actor,
      source: 'slack',
      key: 'over',
    });
    slack.say(room, asker, 'unicorn food?', { threadTs });
    await slack.settle();
    assert.deepEqual(answeredNow(), ['unicorn prices?', 'unicorn food?']);
  });

  it('whoever gets no ticket is told why, before anything of it is posted', async () => {
    const { harness, helper, latest, whispers } = bench;
    const { slack, room, asker, gateway } = harness;
    const { id } = await latest();
    const count = slack.messages(room).length;
    await slack.slash(room, asker, '/triage', 'thanks!');
    const none = 'Nothing in it asks for help: no ticket was made.';
    assert.deepEqual([whispers(room, asker).at(-1), slack.messages(room).length], [none, count]);
    slack.react(room, slack.say(room, asker, 'thank you all'), helper, 'ticket');
    await slack.settle();
    assert.equal(whispers(room, helper).at(-1), none);
    slack.react(room, slack.sayAsBot(room, 'build failed'), helper, 'ticket');
    await slack.settle();
    assert.equal(whispers(room, helper).at(-1), 'Only what a person wrote can become a ticket.');
    const { refusalFor } = gateway;
    Object.assign(gateway, { refusalFor: () => ({ reason: 'not_allowed' }) });
    slack.react(room, slack.say(room, asker, 'the door is stuck'), helper, 'ticket');
    await slack.settle();
    Object.assign(gateway, { refusalFor });
    assert.match(whispers(room, helper).at(-1) ?? '', /not allowed|may not|administrator/i);
    assert.equal((await latest()).id, id);
  });

  it('a direct message’s ticket is private: the team is told that it waits, and shown it, one by one, where they may', async () => {
    const { harness, helper, desk, latest, cardIn, whispers } = bench;
    const { slack, asker } = harness;
    const dm = slack.openDirect(asker).id;
    slack.say(dm, asker, 'I want to speak with someone about my unicorn');
    await slack.settle();
    const ticket = await latest();
    assert.deepEqual([ticket.how, ticket.isPrivate], ['escalation', true]);
    await until(() => slack.messages(dm).some(({ text }) => text.startsWith('I have told billing that something private waits')));
    const notice = await cardIn(desk, ticket.id, /private\*\n[\s\S]*Status\*\nopen/);
    assert.equal(
      slack.messages(desk).some(({ text }) => text.includes('unicorn')),
      false,
    );
    assert.doesNotMatch(notice.text, new RegExp(`Ada|${asker}`));
    const stranger = slack.addUser({ displayName: 'Eve' }).id;
    slack.workspace.channels.get(desk)?.members.add(stranger);
    await slack.click(desk, notice.ts, stranger, 'threadwise_ticket_show');
    assert.deepEqual(whispers(desk, stranger), ['There is no such ticket, or it is not for you to see.']);
    await slack.click(desk, notice.ts, helper, 'threadwise_ticket_show');
    const shown = slack.visible(desk, helper).findLast(({ onlyFor }) => onlyFor === helper);
    assert.match(shown?.text ?? '', /Ada wrote: I want to speak with someone about my unicorn/);
    assert.ok(shown?.buttons.some(({ label }) => label === 'Answer …'));
  });

  it('what a team member answers from a private ticket’s card reaches its asker, once', async () => {
    const { harness, helper, desk, latest, tickets } = bench;
    const { slack, asker, room } = harness;
    const { id } = await latest();
    const element = { type: 'button', action_id: 'threadwise_ticket_reply', text: { type: 'plain_text', text: 'Answer …' } };
    // The button of the card that only the helper sees, as it comes with a click.
    const ts = slack.say(desk, helper, '', {
      blocks: [{ type: 'actions', block_id: `threadwise_ticket:${id}:1`, elements: [element] }],
    });
    await slack.click(desk, ts, helper, 'threadwise_ticket_reply');
    const view = slack.views().at(-1);
    assert.ok(view !== undefined);
    await slack.submitView(view.id, { threadwise_ticket_draft_input: 'It sleeps.' });
    const dm = slack.openDirect(asker).id;
    const answers = () => slack.messages(dm).filter(({ text }) => text === 'It sleeps.').length;
    await until(() => answers() === 1);
    assert.equal((await tickets.readTicket(id))?.status, 'waiting');
    assert.equal(
      slack.messages(room).some(({ text }) => text === 'It sleeps.'),
      false,
    );
  });

  it('a shortcut tells whoever used it what came of it, also where the app cannot speak', async () => {
    const { harness, helper, latest, whispers } = bench;
    const { slack, room, asker } = harness;
    const last = () => whispers(room, helper).at(-1);
    const ts = slack.say(room, asker, 'login is gone');
    await slack.shortcut(room, ts, helper, 'threadwise_ticket');
    const { id } = await latest();
    assert.equal(last(), `🎫 ${id} is made of it.`);
    await slack.shortcut(room, ts, helper, 'threadwise_ticket');
    assert.equal(last(), `🎫 ${id} has it already.`);
    await slack.shortcut(room, slack.say(room, asker, 'thanks!'), helper, 'threadwise_ticket');
    assert.equal(last(), 'Nothing in it asks for help: no ticket was made.');
    await slack.shortcut(room, slack.sayAsBot(room, 'alert'), helper, 'threadwise_ticket');
    assert.equal(last(), 'Only what a person wrote can become a ticket.');
    const elsewhere = slack.addChannel({ name: 'elsewhere', members: [asker, helper] }).id;
    await slack.shortcut(elsewhere, slack.say(elsewhere, asker, 'no refund'), helper, 'threadwise_ticket');
    const made = await latest();
    assert.equal(slack.messages(slack.openDirect(helper).id).at(-1)?.text, `🎫 ${made.id} is made of it.`);
  });

  it('a burst of alike tickets is one incident: one card at the team, one text in every thread', async () => {
    const { harness, tickets, helper, desk, auto, cardIn } = bench;
    const { slack } = harness;
    const threads: string[] = [];
    for (const name of ['Cara', 'Dan', 'Eva']) {
      const { id } = slack.addUser({ displayName: name });
      slack.workspace.channels.get(auto)?.members.add(id);
      threads.push(slack.say(auto, id, `login fails for ${name}`));
      await slack.settle();
    }
    const said = (text: string) =>
      threads.map((ts) => slack.messages(auto, ts).filter((message) => message.isBot && message.text.includes(text)).length);
    await until(() => said('Others report this as well.').every((count) => count === 1));
    const [incident] = await tickets.listTickets({ authorId: 'incident' });
    assert.ok(incident !== undefined);
    const card = await cardIn(desk, incident.id, /Incident: login fails/);
    await slack.click(desk, card.ts, helper, 'threadwise_ticket_tell_members');
    const view = slack.views().at(-1);
    assert.ok(view !== undefined);
    await slack.submitView(view.id, { threadwise_ticket_draft_input: 'Fixed by eleven.' });
    await until(() => said('Fixed by eleven.').every((count) => count === 1));
    assert.equal(slack.messages(desk).filter(({ text }) => text.includes('Incident:')).length, 1);
  });
});
