import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import { ASSISTANT } from '../../agent/ticket.ts';
import { ANNA, arrival, BEN, draft, event } from '../fakes/tickets.ts';
import { ADMIN, CARLA, linesOf, openTriageBench, type TriageBench, team } from '../fakes/triage-bench.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const MINUTE = 60_000;
const at = (n: number, over: Parameters<typeof arrival>[1] = {}) => arrival(n, { receivedAt: NOW + n * 1_000, ...over });

describe('the desk', () => {
  let bench: TriageBench;
  let clicks = 0;
  beforeEach(() => {
    bench = openTriageBench();
  });
  afterEach(() => bench.close());

  const arrive = async (...args: Parameters<typeof at>) => {
    const outcome = await bench.triage.desk.arrive(at(...args));
    return outcome.kind === 'not_a_ticket' ? outcome.kind : `${outcome.kind} ${outcome.ticket.id}`;
  };
  const hear = async (n: number, authorId: string, text: string, thread = 1) => {
    const outcome = await bench.triage.desk.hear({
      deliveryId: `slack:T1:C1:h${n}`,
      threadId: arrival(thread).threadId,
      author: { id: authorId, displayName: 'X' },
      text,
      at: NOW + n * 1_000,
      source: 'slack',
    });
    return 'ticket' in outcome ? `${outcome.kind} ${outcome.ticket.id} ${outcome.ticket.status}` : outcome.kind;
  };
  const act = async (action: TicketAction, by: string = BEN.id, ticketId = 'T1', key = `click${(clicks += 1)}`) => {
    const outcome = await bench.triage.desk.act({
      ticketId,
      action,
      actor: by === 'assistant' ? ASSISTANT : { kind: 'person', id: by },
      source: 'slack',
      key,
    });
    if ('ticket' in outcome) return `${outcome.kind} ${outcome.ticket.status}`;
    return outcome.kind === 'not_found'
      ? outcome.kind
      : `${outcome.kind}: ${outcome.kind === 'not_allowed' ? outcome.who : outcome.why}`;
  };

  describe('when a message arrives', () => {
    it('opens one ticket for it, whichever way and however often it comes', async () => {
      assert.equal(await arrive(1), 'opened T1');
      assert.equal(await arrive(1, { how: 'emoji' }), 'duplicate T1');
      assert.equal(await arrive(1, { how: 'shortcut', threadId: 'slack:T1:C1:other' }), 'duplicate T1');
      assert.equal(await arrive(3, { threadId: arrival(1).threadId }), 'joined T1');
    });

    it('takes a burst of one author for one ticket, which is read as one text', async () => {
      assert.deepEqual(
        [await arrive(1, { text: 'My refund' }), await arrive(2, { text: 'is late' })],
        ['opened T1', 'joined T1'],
      );
      assert.equal(await arrive(200, { receivedAt: NOW + 10 * MINUTE }), 'opened T2');
      await bench.pass(0);
      assert.deepEqual(bench.reader.texts.toSorted(), ['My refund\n\nis late', 'problem 200']);
    });

    it('opens a ticket for each mail, form and forum post', async () => {
      const ways = ['mail', 'webhook', 'forum', 'file'] as const;
      for (const [n, how] of ways.entries()) assert.equal(await arrive(n + 1, { how }), `opened T${n + 1}`);
    });

    it('opens none for thanks, greetings and nothing at all', async () => {
      for (const [n, text] of [
        '',
        '  ',
        '🎉',
        'thanks!',
        'Thank you so much 🙏',
        'ok thanks',
        'Danke schön',
        '谢谢',
        'Hi there',
        'hello',
        '👍 ',
      ].entries())
        assert.equal(await arrive(n + 1, { text }), 'not_a_ticket', text);
      assert.equal(await arrive(50, { text: 'thanks for nothing, my refund is still missing' }), 'opened T1');
    });

    it('keeps what can be kept of a monstrous text', async () => {
      const text = `\u0000\ud800${'a'.repeat(1_000_000)}`;
      assert.equal(await arrive(1, { text, subject: 's'.repeat(1_000), fields: { plan: 'p'.repeat(9_999) } }), 'opened T1');
      const ticket = await bench.store.readTicket('T1');
      assert.deepEqual(
        [
          ticket?.text.length,
          ticket?.text.slice(0, 3),
          ticket?.text.at(-1),
          ticket?.subject.length,
          ticket?.fields['plan']?.length,
        ],
        [20_000, 'aaa', '…', 300, 500],
      );
    });
  });

  describe('when somebody writes in a thread', () => {
    it('tells the asker, the team and others apart', async () => {
      await arrive(1);
      assert.equal(await hear(2, 'slack:U77', 'me too'), 'joined T1 open');
      assert.equal(await hear(3, BEN.id, 'try this'), 'joined T1 waiting');
      assert.equal(await hear(4, ANNA.id, 'thanks!'), 'joined T1 waiting');
      assert.equal(await hear(5, ANNA.id, 'it does not work'), 'joined T1 open');
      assert.equal(await hear(5, ANNA.id, 'it does not work'), 'duplicate T1 open');
    });

    it('opens none where the thread has none', async () => {
      assert.equal(await hear(1, ANNA.id, 'hello?', 9), 'no_ticket');
    });

    it('opens what was solved again when the asker says more than thanks', async () => {
      await arrive(1);
      await act({ kind: 'solve', resolution: 'restart' });
      assert.equal(await hear(2, ANNA.id, 'Great, thanks!'), 'joined T1 solved');
      assert.equal(await hear(3, BEN.id, 'you are welcome'), 'joined T1 solved');
      assert.equal(await hear(4, ANNA.id, 'it broke again'), 'reopened T1 open');
      assert.equal((await bench.store.readTicket('T1'))?.episode, 2);
    });

    it('adds to the ticket that the thread’s own was merged into', async () => {
      await arrive(1);
      await arrive(2, { author: BEN });
      await act({ kind: 'merge', into: 'T2' }, CARLA);
      assert.equal(await hear(3, ANNA.id, 'more'), 'joined T2 open');
    });
  });

  describe('when somebody acts', () => {
    beforeEach(async () => {
      await arrive(1, { text: 'refund please' });
      await bench.pass(0);
    });

    it('does it once for a click, however often that comes', async () => {
      assert.equal(await act({ kind: 'assign', to: BEN.id }, BEN.id, 'T1', 'k1'), 'done open');
      assert.equal(await act({ kind: 'assign', to: BEN.id }, BEN.id, 'T1', 'k1'), 'repeated open');
      assert.equal((await bench.store.readEvents('T1')).filter(({ change }) => change.kind === 'assigned').length, 1);
    });

    it('lets the team and administrators act, and the asker close, solve, reopen and ask for a person', async () => {
      const who = 'the members of billing and administrators';
      assert.equal(await act({ kind: 'escalate', reason: '' }, ANNA.id), `not_allowed: ${who}`);
      assert.equal(await act({ kind: 'close' }, 'slack:U77'), `not_allowed: who asked, ${who}`);
      assert.equal(await act({ kind: 'close' }, ANNA.id), 'done closed');
      assert.equal(await act({ kind: 'reopen', reason: '' }, ANNA.id), 'done open');
      assert.equal(await act({ kind: 'solve', resolution: '' }, ADMIN), 'done solved');
      assert.equal(await act({ kind: 'close' }, CARLA), 'done closed');
    });

    it('says what the state of the ticket does not allow', async () => {
      assert.match(
        await act({ kind: 'reopen', reason: '' }),
        /^not_possible: T1 \(open\): reopened was expected of a ticket that is solved, closed\.$/,
      );
      assert.equal(await act({ kind: 'close' }, BEN.id, 'T7'), 'not_found');
    });

    it('merges and takes out again, both tickets at once', async () => {
      await arrive(2, { author: BEN });
      assert.match(await act({ kind: 'merge', into: 'T1' }), /T1 and T1 are one ticket/);
      assert.match(await act({ kind: 'merge', into: 'T9' }), /T9 was expected to be another ticket/);
      assert.equal(await act({ kind: 'merge', into: 'T2' }, BEN.id, 'T1', 'm'), 'done merged');
      assert.equal(await act({ kind: 'merge', into: 'T2' }, BEN.id, 'T1', 'm'), 'repeated merged');
      assert.match(await act({ kind: 'merge', into: 'T1' }, BEN.id, 'T2'), /T2 and T1 are one ticket/);
      assert.equal(await act({ kind: 'unmerge' }, BEN.id, 'T1', 'u'), 'done open');
      assert.equal(await act({ kind: 'unmerge' }, BEN.id, 'T1', 'u'), 'repeated open');
      assert.match(await act({ kind: 'unmerge' }), /^not_possible: T1 \(open\): unmerged/);
      assert.deepEqual((await bench.store.readTicket('T2'))?.mergedFrom, []);
    });

    it('tells the asker of a hand-off, and keeps that it did', async () => {
      assert.equal(await act({ kind: 'hand_off', to: null, reason: 'wants a person' }, ANNA.id), 'done open');
      assert.equal((await bench.store.readTicket('T1'))?.handOff?.isConfirmed, false);
      await bench.pass(0);
      assert.equal((await bench.store.readTicket('T1'))?.handOff?.isConfirmed, true);
      assert.equal(
        linesOf(bench.board).filter(
          (line) => line === 'thread 1: I have passed this on to billing. They have everything you wrote, and will answer here.',
        ).length,
        1,
      );
    });

    it('leaves a thread to the person who has it until that is over, a direct message only where its team is told', async () => {
      const isWithPerson = () => bench.triage.desk.isWithPerson(arrival(1).threadId);
      assert.equal(await isWithPerson(), false);
      await act({ kind: 'hand_off', to: null, reason: 'please' });
      assert.equal(await isWithPerson(), true);
      await act({ kind: 'solve', resolution: '' });
      assert.equal(await isWithPerson(), false);
      for (const channel of ['slack:CBILLING', null]) {
        const direct = openTriageBench({ teams: new Map([['billing', team('billing', { channel })]]), defaultTeam: 'billing' });
        await direct.triage.desk.arrive(arrival(1, { isPrivate: true, place: { kind: 'direct', id: 'slack:D1' } }));
        await direct.pass(0);
        await direct.triage.desk.act({
          ticketId: 'T1',
          action: { kind: 'hand_off', to: null, reason: '' },
          actor: { kind: 'person', id: ANNA.id },
          source: 'slack',
          key: 'h',
        });
        await direct.pass(0);
        const isTold = linesOf(direct.board).some((line) => line.includes('Until then I keep quiet here; mention me'));
        assert.deepEqual(
          [await direct.triage.desk.isWithPerson(arrival(1).threadId), isTold],
          [channel !== null, channel !== null],
        );
        await direct.close();
      }
    });

    it('sends a draft once, in the thread, and counts it as the first answer', async () => {
      const { version = 0 } = (await bench.store.readTicket('T1')) ?? {};
      await bench.store.append([
        { ticketId: 'T1', expectedVersion: version, events: [event({ kind: 'draft_proposed', draft: draft('d1') })] },
      ]);
      assert.match(await act({ kind: 'draft_send', draftId: 'd1' }, 'assistant'), /^not_allowed: a person/);
      assert.equal(await act({ kind: 'draft_edit', draftId: 'd1', text: 'Better [1].' }), 'done open');
      assert.equal(await act({ kind: 'draft_send', draftId: 'd1' }), 'done waiting');
      assert.match(await act({ kind: 'draft_send', draftId: 'd1' }), /^not_possible/);
      await bench.pass(0);
      assert.equal(linesOf(bench.board).filter((line) => line === 'thread 1: Better [1].').length, 1);
      assert.notEqual((await bench.store.readTicket('T1'))?.firstAnsweredAt, null);
    });
  });

  describe('where no team names its members', () => {
    const acts = async (by: string, placeId: string | undefined, channel: string | null = 'slack:CBILLING') => {
      const teams = new Map(
        [team('billing', { members: [], channel }), team('support', { members: [] })].map((one) => [one.name, one]),
      );
      const open = openTriageBench({ teams });
      await open.triage.desk.arrive(at(1, { text: 'refund please' }));
      await open.pass(0);
      const outcome = await open.triage.desk.act({
        ticketId: 'T1',
        action: { kind: 'escalate', reason: '' },
        actor: { kind: 'person', id: by },
        source: 'slack',
        key: 'k',
        ...(placeId === undefined ? {} : { placeId }),
      });
      await open.close();
      return outcome.kind === 'not_allowed' ? outcome.who : outcome.kind;
    };

    it('lets whoever clicks in the channel of the ticket’s team act, and nobody elsewhere', async () => {
      const who = 'whoever clicks in the channel of billing and administrators';
      assert.equal(await acts('slack:U77', 'slack:CBILLING'), 'done');
      assert.equal(await acts('slack:U77', 'slack:C1'), who);
      assert.equal(await acts('slack:U77', 'slack:CSUPPORT'), who);
      assert.equal(await acts('slack:U77', undefined), who);
      assert.equal(await acts(ANNA.id, 'slack:CBILLING'), who, 'the asker is not the team');
      assert.equal(await acts(ADMIN, undefined), 'done');
    });

    it('lets all but the asker act where the team has no channel either', async () => {
      assert.equal(await acts('slack:U77', 'slack:C1', null), 'done');
      assert.equal(await acts(ANNA.id, 'slack:C1', null), 'whoever clicks in the channel of billing and administrators');
    });
  });

  describe('of a private ticket', () => {
    const place = { kind: 'direct', id: 'slack:D1' } as const;
    beforeEach(async () => {
      await arrive(1, { text: 'refund please', isPrivate: true, place });
      await arrive(2, { author: BEN });
      await bench.pass(0);
    });
    const sees = async (userId: string, where: Parameters<TriageBench['triage']['desk']['view']>[1]['place'] = null) =>
      (await bench.triage.desk.view('T1', { userId, place: where })) !== undefined;

    it('tells nobody but the asker, the team, the assignee and administrators, and nothing in a public place', async () => {
      assert.deepEqual(await Promise.all([ANNA.id, BEN.id, ADMIN, CARLA, 'slack:U77'].map((id) => sees(id))), [
        true,
        true,
        true,
        false,
        false,
      ]);
      assert.equal(await sees(BEN.id, { kind: 'channel', id: 'slack:C1' }), false);
      assert.equal(await sees(BEN.id, { kind: 'direct', id: 'slack:D2' }), true);
      assert.equal(await act({ kind: 'close' }, CARLA), 'not_found');
      const listed = await bench.triage.desk.list({}, { userId: CARLA, place: null });
      assert.deepEqual(
        listed.map(({ id }) => id),
        ['T2'],
      );
    });

    it('keeps what is written in its thread private, also in one that it goes on in', async () => {
      await arrive(3, { text: 'refund too', isPrivate: true, author: BEN });
      await bench.pass(0);
      assert.equal(await act({ kind: 'merge', into: 'T3' }), 'done merged');
      assert.equal((await bench.store.readTicket('T3'))?.isPrivate, true);
      assert.equal(await act({ kind: 'set_privacy', isPrivate: false }, BEN.id, 'T3'), 'done open');
      const { deliveryId, threadId } = arrival(1);
      const message = { deliveryId: `${deliveryId}:2`, threadId, author: ANNA, text: 'My IBAN is', at: NOW, source: 'slack' };
      await bench.triage.desk.hear(message);
      assert.equal((await bench.store.readTicket('T3'))?.isPrivate, true);
    });

    it('is what a ticket becomes with the first word in its thread that not everyone may read any more', async () => {
      const { deliveryId, threadId } = arrival(2);
      const hear = (n: number) =>
        bench.triage.desk.hear({
          deliveryId: `${deliveryId}:${n}`,
          threadId,
          author: BEN,
          text: 'among us',
          isPrivate: true,
          at: NOW,
          source: 'slack',
        });
      const privacy = async () => {
        const ticket = await bench.store.readTicket('T2');
        return [ticket?.isPrivate, ticket?.isThreadPrivate];
      };
      assert.deepEqual(await privacy(), [false, false]);
      await hear(1);
      assert.deepEqual(await privacy(), [true, true]);
      await act({ kind: 'set_privacy', isPrivate: false }, BEN.id, 'T2');
      await hear(2);
      assert.deepEqual(await privacy(), [false, true], 'who knows that says otherwise, and is heard');
    });

    it('merges it into no public one, and tells a public channel no more than that it waits', async () => {
      assert.match(await act({ kind: 'merge', into: 'T2' }), /T1 is private and T2 is not/);
      assert.deepEqual(
        linesOf(bench.board).filter((line) => line.includes('T1')),
        ['slack:CBILLING: [T1 · private]', 'thread 1: [T1 · refund please]'],
      );
    });
  });
});
