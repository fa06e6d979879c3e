/** The buttons of tickets' cards in Slack, and the dialog of a draft: who may, who is told what, and what is written is never lost. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Ticket } from '../../agent/ticket.ts';
import { createStoreFault } from '../fakes/store-fault.ts';
import { until } from './slack-harness.ts';
import { openTicketBench, type TicketBench } from './slack-ticket-bench.ts';

const ACTION = 'threadwise_ticket_';
const INPUT = 'threadwise_ticket_draft_input';

describe('clicks on tickets in slack', () => {
  let bench: TicketBench;
  before(async () => {
    bench = await openTicketBench();
    // Whoever reads the team's channel sees the buttons.
    bench.harness.slack.workspace.channels.get(bench.desk)?.members.add(bench.harness.asker);
  });
  after(() => bench[Symbol.asyncDispose]());

  /** A ticket with a draft on its card. */
  const drafted = async (text: string): Promise<Ticket> => {
    const { harness, desk, latest, cardIn, propose } = bench;
    const { slack, room, asker } = harness;
    const ts = slack.say(room, asker, 'refund please');
    slack.react(room, ts, asker, 'ticket');
    await slack.settle();
    const ticket = await latest();
    await cardIn(desk, ticket.id, /Refund/);
    await propose(ticket, `d${ticket.number}`, text);
    await cardIn(desk, ticket.id, /Draft proposed/);
    return ticket;
  };
  const click = async ({ id }: Ticket, who: string, button: string, words = /./, chosen?: string): Promise<void> => {
    const { harness, desk, cardIn } = bench;
    const { ts } = await cardIn(desk, id, words);
    const { acked } = await harness.slack.click(desk, ts, who, `${ACTION}${button}`, chosen);
    assert.equal(acked, true);
  };
  const openView = () => bench.harness.slack.views().at(-1);
  const draftOf = async ({ id }: Ticket) => (await bench.tickets.readTicket(id))?.draft;
  const told = (who: string): string => bench.whispers(bench.desk, who).at(-1) ?? '';
  /** The errors under the inputs of a submitted dialog; undefined where it was taken. */
  const submit = async (viewId: string, text: string): Promise<Record<string, string> | undefined> => {
    const outcome = await bench.harness.slack.submitView(viewId, { [INPUT]: text });
    assert.equal(outcome.acked, true);
    return outcome.acked ? (outcome.response as { errors?: Record<string, string> } | undefined)?.errors : undefined;
  };

  it('the dialog of a draft opens for nobody who may not edit it, and tells them who may', async () => {
    const { asker, slack, room } = bench.harness;
    const ticket = await drafted('Words that were not sent.');
    await click(ticket, asker, 'draft_edit');
    assert.equal(openView(), undefined);
    assert.equal(told(asker), 'This may be done by the members of billing and administrators.');
    const inThread = await bench.cardIn(room, ticket.id, /A drafted answer waits for the team/, ticket.address?.['thread']);
    assert.doesNotMatch(inThread.text, /not sent\./, 'the asker reads the thread’s card');
    assert.equal(
      slack.messages(room, ticket.address?.['thread']).some(({ text }) => text.includes('Words that')),
      false,
    );
  });

  it('a draft of any length is in the dialog whole, and is kept as it was where nothing was changed', async () => {
    const { helper } = bench;
    const text = `${'word '.repeat(900)}end.\n\n${'line\n'.repeat(400)}last`;
    const ticket = await drafted(text);
    await click(ticket, helper, 'draft_edit');
    const view = openView();
    assert.ok(view !== undefined);
    const blocks = view.view['blocks'] as readonly { element: { initial_value: string } }[];
    assert.ok(blocks.length > 1 && blocks.every(({ element }) => element.initial_value.length <= 2_400));
    await bench.harness.slack.submitView(view.id, {});
    assert.deepEqual([(await draftOf(ticket))?.state, (await draftOf(ticket))?.text], ['edited', text]);
  });

  it('a draft that no dialog holds is said to be too long, and stays as it is', async () => {
    const { helper } = bench;
    const ticket = await drafted('x'.repeat(80_000));
    await click(ticket, helper, 'draft_edit');
    assert.equal(openView(), undefined);
    assert.match(told(helper), /^The draft is longer than a dialog holds \(80000 characters\): send it, or drop it/);
  });

  it('what comes too late, or into a draft that somebody else changed, stays in the dialog with the reason', async () => {
    const { helper, harness } = bench;
    const ticket = await drafted('First.');
    await click(ticket, helper, 'draft_edit');
    const early = openView();
    await click(ticket, helper, 'draft_edit');
    const late = openView();
    assert.ok(early !== undefined && late !== undefined && early.id !== late.id);
    assert.deepEqual(Object.values((await submit(early.id, '  ')) ?? {}), ['Nothing is written here yet.']);
    assert.equal(await submit(early.id, 'Second.'), undefined);
    assert.match(
      Object.values((await submit(late.id, 'Third.')) ?? {}).join(),
      /^Not possible: T\d+ has changed since you looked/,
    );
    assert.equal((await draftOf(ticket))?.text, 'Second.');
    await click(ticket, helper, 'draft_edit', /Draft edited/);
    const last = openView();
    assert.ok(last !== undefined);
    await click(ticket, helper, 'draft_drop', /Draft edited/);
    assert.match(Object.values((await submit(last.id, 'Fourth.')) ?? {}).join(), /^Not possible: .*this one is dropped/);
    assert.equal(openView()?.id, last.id);
    assert.equal(harness.slack.views().length, 2, 'only what was taken is closed');
  });

  it('an answer whose keeping ended unknown is sent once, also when it is sent again with other words', async () => {
    const { helper, harness, tickets, triage } = bench;
    const { slack, room } = harness;
    const ticket = await drafted('Words.');
    await click(ticket, helper, 'draft_drop', /Draft proposed/);
    const blocks = [
      {
        type: 'actions',
        block_id: `threadwise_ticket:${ticket.id}:1`,
        elements: [{ type: 'button', action_id: `${ACTION}reply`, text: { type: 'plain_text', text: 'Answer …' } }],
      },
    ];
    await slack.click(bench.desk, slack.say(bench.desk, helper, '', { blocks }), helper, `${ACTION}reply`);
    const view = openView();
    assert.ok(view !== undefined);
    createStoreFault(tickets).failAfter('commented');
    assert.match(
      Object.values((await submit(view.id, 'Press the red button.')) ?? {}).join(),
      /^That could not be kept just now/,
    );
    assert.match(
      Object.values((await submit(view.id, 'Press the green button.')) ?? {}).join(),
      /^What you wrote first was taken, and what you changed since was not/,
    );
    assert.equal(await submit(view.id, 'Press the red button.'), undefined);
    const said = () =>
      slack.messages(room, ticket.address?.['thread']).flatMap(({ text }) => (text.startsWith('Press the') ? [text] : []));
    await until(() => said().length > 0);
    await triage.settle(new AbortController().signal);
    assert.deepEqual(said(), ['Press the red button.']);
  });

  it('an answer to the question whether an earlier episode is solved does nothing to a later one', async () => {
    const { helper, harness, tickets, triage } = bench;
    const { slack, room, asker } = harness;
    const { id, address, threadId } = await drafted('Words.');
    const body = { kind: 'note', text: 'Is this solved, at last?', asksSolved: true, episode: 1 } as const;
    const target = { channel: 'slack', isPrivate: false, kind: 'thread', address: address ?? {} } as const;
    await tickets.planPosts(id, [{ slot: 'asked', target, body }]);
    await triage.settle(new AbortController().signal);
    const asked = slack.messages(room, address?.['thread']).find(({ text }) => text.includes('at last?'));
    assert.ok(asked !== undefined, threadId);
    const act = (key: string, action: Parameters<typeof triage.desk.act>[0]['action']) =>
      triage.desk.act({ ticketId: id, action, actor: { kind: 'person', id: `slack:${helper}` }, source: 'test', key });
    await act(`${id} solve`, { kind: 'solve', resolution: '' });
    await act(`${id} reopen`, { kind: 'reopen', reason: '' });
    await slack.click(room, asked.ts, asker, `${ACTION}close`);
    assert.match(bench.whispers(room, asker).at(-1) ?? '', /^Not possible: T\d+ was opened again since this was asked/);
    assert.deepEqual([(await tickets.readTicket(id))?.status, (await tickets.readTicket(id))?.episode], ['open', 2]);
  });

  it('a click on a card that is out of date does nothing else than the card said', async () => {
    const { helper, triage, harness, desk, cardIn } = bench;
    const { slack, room } = harness;
    const ticket = await drafted('Old words.');
    const ben = { kind: 'person', id: `slack:${helper}` } as const;
    const { ts } = await cardIn(desk, ticket.id, /Draft proposed/);
    const { ts: own } = await cardIn(room, ticket.id, /waits for the team/, ticket.address?.['thread']);
    // A click that was under way when the card changed: it carries the block of the old one.
    const old = structuredClone(slack.workspace.find(desk, ts)?.blocks ?? []);
    const act = (key: string, action: Parameters<typeof triage.desk.act>[0]['action']) =>
      triage.desk.act({ ticketId: ticket.id, action, actor: ben, source: 'test', key });
    const clickOld = async (button: string): Promise<string> => {
      const message = slack.workspace.find(desk, ts);
      assert.ok(message !== undefined);
      await triage.stop();
      const now = message.blocks;
      Object.assign(message, { blocks: old });
      await slack.click(desk, ts, helper, `${ACTION}${button}`);
      Object.assign(message, { blocks: now });
      return told(helper);
    };
    await act('edit', { kind: 'draft_edit', draftId: `d${ticket.number}`, text: 'New words.' });
    assert.match(
      await clickOld('draft_send'),
      /^Not possible: T\d+ has changed since you looked: its draft is another one now\./,
    );
    await act('take', { kind: 'assign', to: 'slack:U0OTHER' });
    assert.match(await clickOld('assign_me'), /has changed since you looked: <@U0OTHER> has it now\./);
    await act('solve', { kind: 'solve', resolution: '' });
    assert.match(await clickOld('close'), /has changed since you looked: it is solved now\./);
    const now = await bench.tickets.readTicket(ticket.id);
    assert.deepEqual([now?.status, now?.assignee, now?.draft?.state], ['solved', 'slack:U0OTHER', 'edited']);
    assert.ok(own !== ts);
  });

  it('what all members of an incident are told is written by nobody who may not say it', async () => {
    const { harness, helper } = bench;
    const { slack, asker, room } = harness;
    const blocks = [
      {
        type: 'actions',
        block_id: 'threadwise_ticket:T1:1',
        elements: [{ type: 'button', action_id: `${ACTION}tell_members`, text: { type: 'plain_text', text: 'Tell all …' } }],
      },
    ];
    const count = slack.views().length;
    const ts = slack.say(room, helper, '', { blocks });
    await slack.click(room, ts, asker, `${ACTION}tell_members`);
    assert.equal(slack.views().length, count);
    assert.match(bench.whispers(room, asker).at(-1) ?? '', /^This may be done by the members of billing and administrators\.$/);
    await slack.click(room, ts, helper, `${ACTION}tell_members`);
    assert.equal(slack.views().length, count);
    assert.match(bench.whispers(room, helper).join(), /^Not possible: T1/, 'nor of a ticket that is no incident');
  });
});
