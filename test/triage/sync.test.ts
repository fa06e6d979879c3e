import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { ASSISTANT } from '../../agent/ticket.ts';
import { cardOf } from '../../triage/card.ts';
import type { HelpdeskCall, HelpdeskFault } from '../fakes/memory-helpdesk.ts';
import { BEN_THERE, openSyncBench, type SyncBench, type SyncBenchOptions } from '../fakes/sync-bench.ts';
import { ANNA, BEN } from '../fakes/tickets.ts';

const MINUTE = 60_000;

describe('a ticket and its double in a helpdesk', () => {
  let bench: SyncBench;
  afterEach(() => bench.close());
  const open = async (options: SyncBenchOptions = {}): Promise<SyncBench> => {
    bench = openSyncBench(options);
    await bench.run(0);
    return bench;
  };
  /** With a ticket `T1` that stands there as `1`. */
  const openLinked = async (options: SyncBenchOptions = {}): Promise<SyncBench> => {
    await open(options);
    await bench.arrive(1, { subject: 'Refund', text: 'Where is my refund?' });
    await bench.run(MINUTE);
    return bench;
  };
  const changesHere = async (id = 'T1') =>
    (await bench.events(id)).filter(({ source }) => source === 'memory:acme').map(({ change }) => change.kind);
  const notes = async (id = 'T1') =>
    (await bench.events(id)).flatMap(({ change }) => (change.kind === 'commented' && !change.isPublic ? [change.text] : []));

  it('what is done here is done there, once and in order', async () => {
    const { outside, act, say, run } = await openLinked();
    await act({ kind: 'assign', to: BEN.id });
    await act({ kind: 'comment', commentId: 'n1', text: 'He is a good customer', isPublic: false });
    await say(1, BEN.id, 'It is on its way', 'Ben');
    await run(MINUTE);
    await say(1, ANNA.id, 'Still nothing', 'Anna');
    await act({ kind: 'solve', resolution: 'sent again' });
    await run(10 * MINUTE);
    assert.deepEqual(outside.pushes, [
      'create Refund',
      'addComment 1 He is a good customer',
      'addComment 1 Ben:\n\nIt is on its way',
      'setStatus 1 waiting',
      'setAssignee 1 7',
      'addComment 1 Anna:\n\nStill nothing',
      'setStatus 1 solved',
    ]);
    assert.deepEqual(
      outside.ticket('1').comments.map(({ isPublic }) => isPublic),
      [false, true, true],
    );
    assert.deepEqual(await changesHere(), ['external_linked']);
  });

  it('what is done there is done here, and does not go back', async () => {
    const { outside, run, read, board, pass } = await openLinked();
    outside.people.say('1', 'We are looking into it');
    outside.people.say('1', 'Only for us', { isSeen: false });
    outside.people.set('1', { assignee: BEN_THERE });
    outside.people.set('1', { status: 'solved' });
    await run(10 * MINUTE);
    const { status, assignee } = await read('T1');
    assert.deepEqual([status, assignee], ['solved', BEN.id]);
    assert.deepEqual(await notes(), ['Only for us']);
    assert.deepEqual(outside.pushes, ['create Refund']);
    await pass(0);
    const said = board.posts.flatMap(({ message }) => (message.kind === 'card' ? [] : [message.text]));
    assert.deepEqual(said[0], 'We are looking into it');
    assert.ok(!said.includes('Only for us'));
  });

  it('a person who is not known here is named by their id there, and one who is not known there is left alone', async () => {
    const { outside, run, read, act } = await openLinked();
    outside.people.set('1', { assignee: '42' });
    await run(MINUTE);
    assert.equal((await read('T1')).assignee, 'memory:acme:user:42');
    await act({ kind: 'assign', to: 'slack:U77' });
    await run(10 * MINUTE);
    assert.equal(outside.ticket('1').assignee, '42');
    assert.equal((await read('T1')).assignee, 'slack:U77');
    await act({ kind: 'assign', to: BEN.id });
    await run(MINUTE);
    assert.equal(outside.ticket('1').assignee, BEN_THERE);
  });

  it('a ticket that is opened there is a ticket here, and its requester is answered there', async () => {
    const { outside, run, read, act } = await open();
    const id = outside.people.open('Help', 'It broke');
    outside.people.say(id, 'Please hurry', { by: 'requester' });
    await run(MINUTE);
    assert.deepEqual(await changesHere(), ['opened', 'message_added']);
    assert.equal((await read('T1')).threadId, `memory:acme:${id}`);
    await act({ kind: 'comment', commentId: 'a1', text: 'Try again', isPublic: true });
    await run(MINUTE);
    assert.deepEqual(outside.pushes, [`addComment ${id} The team:\n\nTry again`, `setStatus ${id} waiting`]);
    outside.people.set(id, { status: 'solved' });
    await run(MINUTE);
    outside.people.say(id, 'It broke again', { by: 'requester' });
    await run(MINUTE);
    assert.equal((await read('T1')).status, 'open');
    assert.equal(outside.ticket(id).status, 'open');
  });

  it('a notice is looked into at once, and one of our own new ticket opens no other', async () => {
    let fault: HelpdeskFault = 'none';
    const { outside, run, sync, arrive, read, act, store } = await openLinked({
      sync: { pollMs: 60 * MINUTE },
      helpdesk: { faultOf: (call) => (call === 'create' ? fault : 'none') },
    });
    outside.people.set('1', { status: 'solved' });
    await sync().notice('1');
    await run(1);
    assert.equal((await read('T1')).status, 'solved');
    fault = 'answer_lost';
    await arrive(2);
    await run(1);
    fault = 'none';
    await sync().notice('2');
    await sync().notice(outside.people.open('Help', 'It broke'), { plan: 'gold' });
    await run(2 * MINUTE);
    const tickets = await store.listTickets({});
    assert.deepEqual(
      tickets.map(({ id, external, fields }) => [id, external?.id, fields]),
      [
        ['T3', '3', { plan: 'gold' }],
        ['T2', '2', {}],
        ['T1', '1', {}],
      ],
    );
    await act({ kind: 'reopen', reason: '' });
    await run(1);
    assert.deepEqual(outside.pushes, ['create Refund', 'create problem 2', 'setStatus 1 open']);
  });

  it('what is done here goes there at once, also while a change of theirs is to be looked at again', async () => {
    const { outside, run, act, sync } = await openLinked({ sync: { pollMs: 60 * MINUTE } });
    await sync().notice('1');
    await run(2_000);
    await act({ kind: 'solve', resolution: '' });
    await run(1);
    assert.equal(outside.ticket('1').status, 'solved');
  });

  it('a notice of a ticket that is not known here opens none where none are taken in', async () => {
    const { outside, run, sync, store } = await open({ sync: { imports: false } });
    await sync().notice(outside.people.open('Help', 'It broke'));
    await run(10 * MINUTE);
    assert.deepEqual(await store.listTickets({}), []);
  });

  for (const fault of ['answer_lost', 'late', 'not_reached'] as const)
    it(`what went without an answer (${fault}) is there once`, async () => {
      let broken: readonly HelpdeskCall[] = ['create'];
      const { outside, run, say, act, arrive, read } = await open({
        helpdesk: { faultOf: (call) => (broken.includes(call) ? fault : 'none') },
      });
      await arrive(1);
      await run(5_000);
      broken = ['addComment'];
      await run(MINUTE);
      await say(1, BEN.id, 'Hello', 'Ben');
      await run(5_000);
      broken = ['setStatus'];
      await run(2 * MINUTE);
      broken = [];
      await act({ kind: 'assign', to: BEN.id });
      await run(10 * MINUTE);
      assert.deepEqual(outside.ids(), ['1']);
      const { comments, status, assignee } = outside.ticket('1');
      assert.deepEqual([comments.map(({ text }) => text), status, assignee], [['Ben:\n\nHello'], 'waiting', BEN_THERE]);
      assert.equal((await read('T1')).status, 'waiting');
      assert.deepEqual(await notes(), []);
    });

  it('an earlier state that is read again changes nothing', async () => {
    let isStale = false;
    const { outside, run, act, read } = await openLinked({
      helpdesk: { faultOf: (call) => (isStale && call === 'read' ? 'stale' : 'none') },
    });
    await act({ kind: 'solve', resolution: '' });
    await run(1);
    isStale = true;
    await act({ kind: 'comment', commentId: 'n1', text: 'Looked at', isPublic: false });
    await run(5_000);
    isStale = false;
    await run(5 * MINUTE);
    assert.equal((await read('T1')).status, 'solved');
    assert.deepEqual(outside.pushes, ['create Refund', 'setStatus 1 solved', 'addComment 1 Looked at']);
    assert.deepEqual(await changesHere(), ['external_linked']);
  });

  describe('when both sides changed the status', () => {
    const clash = async (wins: 'ours' | 'theirs' | 'person') => {
      await openLinked({ wins, sync: { pollMs: 20_000 } });
      bench.outside.people.set('1', { status: 'waiting' });
      await bench.act({ kind: 'solve', resolution: '' });
      await bench.run(5 * MINUTE);
      const ticket = await bench.read('T1');
      return { here: ticket.status, there: bench.outside.ticket('1').status, conflicts: ticket.conflicts };
    };
    const shown = async () => (await bench.events()).filter(({ change }) => change.kind === 'conflict_shown').length;

    it('neither moves before a person decides, and the card says so', async () => {
      const conflicts = [{ field: 'status', ours: 'solved', theirs: 'waiting' }];
      assert.deepEqual(await clash('person'), { here: 'solved', there: 'waiting', conflicts });
      assert.equal(await shown(), 1);
      const context = {
        related: new Map(),
        clocks: [],
        nameOf: () => undefined,
        categories: [],
        questionsOf: () => [],
        isDraftOnlyShown: false,
      };
      const card = cardOf(await bench.read('T1'), { ...context, timeZone: 'UTC' });
      assert.match(JSON.stringify(card), /Conflict: status is solved here and waiting in memory:acme\./u);
    });

    it('whoever changes it next decides', async () => {
      await clash('person');
      await bench.act({ kind: 'close' });
      await bench.run(MINUTE);
      assert.equal(bench.outside.ticket('1').status, 'closed');
      assert.deepEqual((await bench.read('T1')).conflicts, []);
      await bench.close();
      await clash('person');
      bench.outside.people.set('1', { status: 'solved' });
      await bench.run(MINUTE);
      assert.equal((await bench.read('T1')).status, 'solved');
      assert.deepEqual((await bench.read('T1')).conflicts, []);
    });

    it('who says the same again decides as well', async () => {
      await openLinked();
      bench.outside.people.set('1', { assignee: '9' });
      await bench.act({ kind: 'assign', to: BEN.id });
      await bench.run(5 * MINUTE);
      assert.equal(bench.outside.ticket('1').assignee, '9');
      await bench.act({ kind: 'assign', to: null });
      await bench.act({ kind: 'assign', to: BEN.id });
      await bench.run(MINUTE);
      assert.equal(bench.outside.ticket('1').assignee, BEN_THERE);
    });

    it('the configured side wins, and it is on record', async () => {
      assert.deepEqual(await clash('ours'), { here: 'solved', there: 'solved', conflicts: [] });
      assert.equal(await shown(), 1);
      await bench.close();
      assert.deepEqual(await clash('theirs'), { here: 'waiting', there: 'waiting', conflicts: [] });
      assert.equal(await shown(), 1);
    });
  });

  it('nothing that was private goes to a public system, then or later', async () => {
    const { outside, run, arrive, say, act } = await open({ helpdesk: { isPublic: true } });
    await arrive(1, { isPrivate: true, text: 'My refund is wrong' });
    await arrive(2, { text: 'The refund page is broken' });
    await run(MINUTE);
    await act({ kind: 'set_privacy', isPrivate: true }, 'T2');
    await say(2, ANNA.id, 'and I am ill', 'Anna');
    await run(MINUTE);
    await say(2, ANNA.id, 'with the flu', 'Anna');
    await act({ kind: 'solve', resolution: '' }, 'T2');
    await run(MINUTE);
    assert.deepEqual(outside.pushes, ['create The refund page is broken']);
    await say(2, ANNA.id, 'but better', 'Anna');
    await act({ kind: 'solve', resolution: '' }, 'T2');
    await act({ kind: 'set_privacy', isPrivate: false }, 'T1');
    await act({ kind: 'set_privacy', isPrivate: false }, 'T2');
    await run(MINUTE);
    await say(2, BEN.id, 'Repaired', 'Ben');
    await run(MINUTE);
    assert.deepEqual(outside.pushes, [
      'create The refund page is broken',
      'setStatus 1 solved',
      'addComment 1 The team:\n\nRepaired',
    ]);
  });

  it('goes on when the system clock was set back by a day', async () => {
    const { clock, run, read, act, outside, arrive } = await open();
    await arrive(1, { text: 'My refund is wrong' });
    await run(MINUTE);
    clock.jump(-24 * 60 * MINUTE);
    await act({ kind: 'assign', to: BEN.id });
    await run(5 * MINUTE);
    assert.equal(outside.ticket('1').assignee, BEN_THERE);
    clock.jump(24 * 60 * MINUTE);
    await run(MINUTE);
    outside.people.set('1', { status: 'solved' });
    clock.jump(-24 * 60 * MINUTE);
    await run(5 * MINUTE);
    assert.equal((await read('T1')).status, 'solved');
  });

  it('what becomes private there becomes so here, once', async () => {
    const { outside, run, read, act, arrive } = await open();
    await arrive(1, { text: 'My refund is wrong' });
    await run(MINUTE);
    outside.people.set('1', { isPrivate: true });
    await run(MINUTE);
    assert.equal((await read('T1')).isPrivate, true);
    await act({ kind: 'set_privacy', isPrivate: false });
    await run(MINUTE);
    assert.equal((await read('T1')).isPrivate, false);
  });

  it('what is private there is private here, and a person here may say otherwise', async () => {
    const { outside, run, read, act } = await open();
    outside.people.open('Refund', 'My refund is wrong', { isPrivate: true });
    await run(MINUTE);
    await bench.triage.settle(new AbortController().signal);
    assert.equal((await read('T1')).isPrivate, true);
    await act({ kind: 'set_privacy', isPrivate: false });
    await run(MINUTE);
    assert.equal((await read('T1')).isPrivate, false);
  });

  it('notes stay here where they cannot be kept from the asker there', async () => {
    const { outside, run, act } = await openLinked({ helpdesk: { hasNotes: false } });
    await act({ kind: 'comment', commentId: 'n1', text: 'He is angry', isPublic: false });
    await run(MINUTE);
    assert.deepEqual(outside.pushes, ['create Refund']);
  });

  it('what the helpdesk refuses is said on the ticket once, and not tried again', async () => {
    const { outside, run, say, act } = await openLinked({
      helpdesk: { rejects: (call) => call !== 'create' && call !== 'read' && call !== 'listChanged' },
    });
    await say(1, BEN.id, 'Hello', 'Ben');
    await act({ kind: 'assign', to: BEN.id });
    await run(20 * MINUTE);
    assert.deepEqual(outside.pushes, ['create Refund']);
    assert.deepEqual(await notes(), [
      'memory:acme did not take a comment of this ticket: addComment: memory:acme does not take Ben:\n\nHello',
      'memory:acme did not take the status waiting: setStatus: memory:acme does not take waiting',
      'memory:acme did not take the assignee slack:U2: setAssignee: memory:acme does not take 7',
    ]);
  });

  it('a double that is gone is missed after a while, and found again', async () => {
    let isGone = false;
    const { outside, run, act, sync } = await openLinked({
      helpdesk: { faultOf: (call) => (isGone && call === 'read' ? 'missing' : 'none') },
    });
    isGone = true;
    await act({ kind: 'assign', to: BEN.id });
    await run(9 * MINUTE);
    assert.deepEqual(await notes(), []);
    await run(5 * MINUTE);
    assert.deepEqual(await notes(), ['1 is no longer to be found in memory:acme: nothing is kept in step with it.']);
    isGone = false;
    await sync().notice('1');
    await run(MINUTE);
    assert.equal(outside.ticket('1').assignee, BEN_THERE);
  });

  it('an outage loses nothing, and is asked after less and less often', async () => {
    let fault: HelpdeskFault = 'none';
    let calls = 0;
    const { outside, run, say, act } = await openLinked({
      helpdesk: {
        faultOf: () => {
          calls += 1;
          return fault;
        },
      },
    });
    fault = 'not_reached';
    outside.people.say('1', 'Meanwhile');
    await say(1, BEN.id, 'Hello', 'Ben');
    await act({ kind: 'assign', to: BEN.id });
    calls = 0;
    await run(60 * MINUTE);
    assert.ok(calls < 40, `${calls} calls in an hour`);
    fault = 'none';
    await run(11 * MINUTE);
    assert.deepEqual(
      outside.ticket('1').comments.map(({ text }) => text),
      ['Meanwhile', 'Ben:\n\nHello'],
    );
    assert.equal(outside.ticket('1').assignee, BEN_THERE);
  });

  it('a helpdesk that takes no more calls is left alone for as long as it says', async () => {
    let fault: HelpdeskFault = 'rate_limited';
    let calls = 0;
    const { outside, run, arrive } = await open({
      helpdesk: {
        faultOf: (call) => {
          calls += 1;
          return call === 'create' ? fault : 'none';
        },
      },
    });
    await arrive(1);
    await arrive(2, { author: { id: 'slack:U5', displayName: 'Eve' } });
    await run(1);
    calls = 0;
    fault = 'none';
    await run(6_000);
    assert.equal(calls, 0);
    await run(MINUTE);
    assert.deepEqual([...outside.pushes].sort(), ['create problem 1', 'create problem 2']);
  });

  it('what the account may not do for one ticket is said there, and keeps no other ticket from its turn', async () => {
    let calls = 0;
    const { outside, run, act, arrive, say } = await openLinked({
      helpdesk: {
        faultOf: (call, id) => {
          if (id !== '1' || call !== 'setAssignee') return 'none';
          calls += 1;
          return 'not_allowed';
        },
      },
    });
    await act({ kind: 'assign', to: BEN.id });
    await run(1);
    await arrive(2, { author: { id: 'slack:U5', displayName: 'Eve' } });
    await say(2, BEN.id, 'Hello', 'Ben');
    await run(1);
    assert.deepEqual(outside.pushes, ['create Refund', 'create problem 2', 'addComment 2 Ben:\n\nHello', 'setStatus 2 waiting']);
    await run(120 * MINUTE);
    assert.deepEqual(await notes(), [
      'memory:acme does not let its account do something for this ticket; it is tried again now and then: setAssignee: memory:acme answered HTTP 403',
    ]);
    assert.ok(calls > 10 && calls < 25, `${calls} tries in two hours`);
  });

  it('an account that is let in nowhere is not tried on one ticket after the other, and no ticket is blamed', async () => {
    let fault: HelpdeskFault = 'none';
    let calls = 0;
    const { outside, run, act, arrive } = await openLinked({
      sync: { pollMs: 60 * MINUTE },
      helpdesk: {
        faultOf: () => {
          calls += 1;
          return fault;
        },
      },
    });
    fault = 'not_allowed';
    calls = 0;
    await act({ kind: 'assign', to: BEN.id });
    for (let n = 2; n < 12; n += 1) await arrive(n, { author: { id: `slack:U5${n}`, displayName: 'Eve' } });
    await run(60 * MINUTE);
    assert.ok(calls > 12 && calls < 80, `${calls} calls in an hour`);
    fault = 'none';
    await run(20 * MINUTE);
    assert.equal(outside.ticket('1').assignee, BEN_THERE);
    assert.equal(outside.ids().length, 11);
    assert.deepEqual(await notes(), []);
  });

  it('who wrote something is not named where everyone may read it', async () => {
    const { outside, run, say } = await openLinked({ helpdesk: { isPublic: true } });
    await say(1, ANNA.id, 'Still nothing', 'Anna');
    await say(1, BEN.id, 'It is on its way', 'Ben');
    await run(MINUTE);
    assert.equal(outside.ticket('1').requester.displayName, '');
    assert.deepEqual(
      outside.ticket('1').comments.map(({ text }) => text),
      ['The asker:\n\nStill nothing', 'The team:\n\nIt is on its way'],
    );
  });

  it('a draft that is sent goes there with the titles of its sources', async () => {
    const { outside, run, act, store, read } = await openLinked();
    const citation = (n: number, title: string) => ({
      n,
      title,
      source: `https://wiki.acme.internal/${n}`,
      quote: 'It takes three days.',
      chunkId: `c${n}`,
      headingPath: [],
      location: '',
      date: null,
    });
    const citations = [citation(1, 'How refunds\n work'), citation(2, 'Who pays'), citation(3, 'When')];
    const draft = { id: 'd1', text: 'Three days [1], at most five [3].', citations, confidence: 1, language: 'en' };
    const events = [
      { at: bench.clock.now(), actor: ASSISTANT, source: 'desk', change: { kind: 'draft_proposed', draft } as const },
    ];
    await store.append([{ ticketId: 'T1', expectedVersion: (await read('T1')).version, events }]);
    await act({ kind: 'draft_send', draftId: 'd1' });
    await run(MINUTE);
    assert.deepEqual(
      outside.ticket('1').comments.map(({ text }) => text),
      ['The assistant:\n\nThree days [1], at most five [3].\n\nSources:\n[1] How refunds work\n[3] When'],
    );
  });

  describe('when a ticket goes on in another one', () => {
    const openTwo = async (helpdesk: SyncBenchOptions['helpdesk'] = {}, more: Parameters<SyncBench['arrive']>[1] = {}) => {
      await openLinked({ helpdesk });
      await bench.arrive(2, { author: { id: 'slack:U5', displayName: 'Eve' }, text: 'No refund yet', ...more });
      await bench.run(MINUTE);
      return bench;
    };
    const textsOf = (id: string) => bench.outside.ticket(id).comments.map(({ text }) => text);

    it('its double says so and is solved, and hears what is answered there', async () => {
      const { outside, run, act, say } = await openTwo();
      await say(2, BEN.id, 'Before', 'Ben');
      await run(MINUTE);
      await act({ kind: 'merge', into: 'T2' }, 'T1');
      await run(MINUTE);
      await say(2, 'slack:U5', 'Any news?', 'Eve');
      await act({ kind: 'comment', commentId: 'n1', text: 'She is angry', isPublic: false }, 'T2');
      await say(2, BEN.id, 'It is on its way', 'Ben');
      outside.people.say('2', 'From over there', { by: 'agent' });
      outside.people.say('1', 'From its own double', { by: 'agent' });
      await run(5 * MINUTE);
      assert.deepEqual(textsOf('1'), [
        'This goes on in T2.',
        'From its own double',
        'Ben:\n\nIt is on its way',
        'The team:\n\nFrom over there',
      ]);
      assert.equal(outside.ticket('1').status, 'solved');
      assert.deepEqual(outside.ticket('1').comments[0]?.isPublic, true);
      outside.people.set('1', { status: 'open' });
      await run(10 * MINUTE);
      assert.equal(outside.ticket('1').status, 'open');
      assert.deepEqual((await bench.read('T1')).conflicts, []);
    });

    it('taken out again, it is open there again, and hears no more', async () => {
      const { outside, run, act, say } = await openTwo();
      await act({ kind: 'merge', into: 'T2' }, 'T1');
      await run(MINUTE);
      await act({ kind: 'unmerge' }, 'T1');
      await say(2, BEN.id, 'Only for Eve', 'Ben');
      await say(1, BEN.id, 'For Anna', 'Ben');
      await run(5 * MINUTE);
      assert.deepEqual(textsOf('1'), ['This goes on in T2.', 'This goes on here again.', 'Ben:\n\nFor Anna']);
      assert.deepEqual(textsOf('2'), ['Ben:\n\nOnly for Eve']);
      assert.equal(outside.ticket('1').status, 'waiting');
    });

    it('a chain of them hears what is answered at its end', async () => {
      const { run, act, say, arrive } = await openTwo();
      await arrive(3, { author: { id: 'slack:U6', displayName: 'Fay' } });
      await act({ kind: 'merge', into: 'T2' }, 'T1');
      await act({ kind: 'merge', into: 'T3' }, 'T2');
      await run(MINUTE);
      await say(3, BEN.id, 'Solved for all', 'Ben');
      await run(MINUTE);
      assert.deepEqual(textsOf('1'), ['This goes on in T2.', 'Ben:\n\nSolved for all']);
      assert.deepEqual(textsOf('2'), ['This goes on in T3.', 'Ben:\n\nSolved for all']);
    });

    it('answers in a private ticket are for its own asker', async () => {
      const { run, act, say } = await openTwo({}, { isPrivate: true });
      await act({ kind: 'merge', into: 'T2' }, 'T1');
      await say(2, BEN.id, 'Your salary is paid', 'Ben');
      await run(MINUTE);
      assert.deepEqual(textsOf('1'), ['This goes on in T2.']);
      assert.deepEqual(textsOf('2'), ['Ben:\n\nYour salary is paid']);
    });

    it('what went without an answer is there once', async () => {
      let fault: HelpdeskFault = 'none';
      const { run, act, say } = await openTwo({ faultOf: (call) => (call === 'addComment' ? fault : 'none') });
      await act({ kind: 'merge', into: 'T2' }, 'T1');
      await run(MINUTE);
      fault = 'answer_lost';
      await say(2, BEN.id, 'It is on its way', 'Ben');
      await run(5_000);
      fault = 'none';
      await run(5 * MINUTE);
      assert.deepEqual(textsOf('1'), ['This goes on in T2.', 'Ben:\n\nIt is on its way']);
    });
  });

  it('a comment of ours is known for ours where it arrives after all, and where its marker was edited away', async () => {
    let fault: HelpdeskFault = 'none';
    const { outside, run, say } = await openLinked({ helpdesk: { faultOf: (call) => (call === 'addComment' ? fault : 'none') } });
    fault = 'too_late';
    await say(1, BEN.id, 'Hello', 'Ben');
    await run(5_000);
    fault = 'none';
    await run(5 * MINUTE);
    assert.equal(outside.ticket('1').comments.length, 2);
    await say(1, BEN.id, 'Again', 'Ben');
    await run(MINUTE);
    assert.deepEqual(await changesHere(), ['external_linked']);
    await bench.close();
    await openLinked();
    await bench.say(1, BEN.id, 'Hello', 'Ben');
    await bench.run(MINUTE);
    bench.outside.people.edit('1');
    await bench.run(MINUTE);
    assert.deepEqual(await changesHere(), ['external_linked']);
  });

  it('a ticket there that bears a marker which nobody here made is a ticket of its own', async () => {
    const { outside, run, store } = await openLinked();
    outside.people.open('Mine', 'It broke', { marker: 'T1-guessed' });
    await run(MINUTE);
    assert.deepEqual(
      (await store.listTickets({})).map(({ id, subject }) => [id, subject]),
      [
        ['T2', 'Mine'],
        ['T1', 'Refund'],
      ],
    );
  });

  it('what was said before a ticket became private does not go to a public system after it', async () => {
    const { outside, run, say, act } = await openLinked({ helpdesk: { isPublic: true } });
    await say(1, ANNA.id, 'I am ill', 'Anna');
    await act({ kind: 'set_privacy', isPrivate: true });
    await run(MINUTE);
    await act({ kind: 'set_privacy', isPrivate: false });
    await run(MINUTE);
    assert.deepEqual(outside.pushes, ['create Refund']);
  });

  it('a change of ours that is not shown yet, of the same second as what is, was not taken back', async () => {
    let isPrevious = false;
    const { outside, run, act, read, sync } = await openLinked({
      sync: { pollMs: 60 * MINUTE },
      helpdesk: { faultOf: (call) => (isPrevious && call === 'read' ? 'previous' : 'none') },
    });
    await act({ kind: 'comment', commentId: 'n1', text: 'Looked at', isPublic: false });
    await act({ kind: 'solve', resolution: '' });
    await run(1);
    assert.deepEqual(outside.pushes.slice(1), ['addComment 1 Looked at', 'setStatus 1 solved']);
    isPrevious = true;
    await sync().notice('1');
    await run(5_000);
    isPrevious = false;
    await run(2 * MINUTE);
    assert.equal((await read('T1')).status, 'solved');
    assert.deepEqual(await changesHere(), ['external_linked']);
  });

  describe('a change there that is told before it is shown', () => {
    const openLate = async (pollMs: number) => {
      let isStale = false;
      await openLinked({ sync: { pollMs }, helpdesk: { faultOf: (call) => (isStale && call === 'read' ? 'stale' : 'none') } });
      isStale = true;
      return () => {
        isStale = false;
      };
    };
    for (const [how, pollMs] of [
      ['a list', 20_000],
      ['a notice', 60 * MINUTE],
    ] as const) {
      it(`is looked at once more (${how})`, async () => {
        const show = await openLate(pollMs);
        const { outside, run, sync, read } = bench;
        outside.people.set('1', { status: 'solved' });
        if (how === 'a notice') await sync().notice('1');
        // A list is asked for by then, and what is read is no older than when it was.
        await run(how === 'a notice' ? 5_000 : 9_000);
        if (how === 'a list') await run(pollMs - 10_000);
        show();
        await run(2 * MINUTE);
        assert.equal((await read('T1')).status, 'solved');
      });

      it(`is a ticket once it is shown (${how})`, async () => {
        const show = await openLate(pollMs);
        const { outside, run, sync, store } = bench;
        const id = outside.people.open('Help', 'It broke');
        if (how === 'a notice') await sync().notice(id);
        await run(9_000);
        show();
        await run(2 * MINUTE);
        assert.deepEqual((await store.listTickets({})).length, 2);
      });
    }
  });

  it('a notice that comes while the ticket is being looked at is not lost', async () => {
    let onComment = (): void => {};
    const { outside, run, say, read, sync } = await openLinked({
      sync: { pollMs: 60 * MINUTE },
      helpdesk: {
        faultOf: (call) => {
          if (call === 'addComment') onComment();
          return 'none';
        },
      },
    });
    await say(1, ANNA.id, 'Hello', 'Anna');
    let noticed: Promise<void> | undefined;
    onComment = () => {
      outside.people.set('1', { assignee: BEN_THERE });
      noticed ??= sync().notice('1');
    };
    await run(1);
    await noticed;
    await run(2_000);
    assert.equal((await read('T1')).assignee, BEN.id);
  });

  it('a change that is listed late, behind later ones, is taken', async () => {
    let isHidden = true;
    const { outside, run, arrive, read } = await open({
      helpdesk: { disturb: (page) => page.filter((one) => !isHidden || (one as { id: string }).id !== '1') },
    });
    await arrive(1);
    await arrive(2, { author: { id: 'slack:U5', displayName: 'Eve' } });
    await run(5 * MINUTE);
    outside.people.set('1', { status: 'solved' });
    await bench.clock.advance(2_000);
    outside.people.set('2', { status: 'solved' });
    await run(25_000);
    assert.deepEqual([(await read('T1')).status, (await read('T2')).status], ['open', 'solved']);
    isHidden = false;
    await run(25_000);
    assert.equal((await read('T1')).status, 'solved');
  });

  it('one change there is read twice, however often it is listed, and one here does not hurry what fails', async () => {
    let reads = 0;
    let fault: HelpdeskFault = 'none';
    const { outside, run, act } = await openLinked({
      helpdesk: {
        faultOf: (call) => {
          if (call === 'read') reads += 1;
          return call === 'read' ? fault : 'none';
        },
      },
    });
    await run(10 * MINUTE);
    reads = 0;
    outside.people.set('1', { status: 'waiting' });
    await run(10 * MINUTE);
    assert.equal(reads, 2);
    fault = 'not_reached';
    reads = 0;
    for (let n = 0; n < 60; n += 1) {
      await act({ kind: 'comment', commentId: `n${n}`, text: 'x', isPublic: false });
      await run(MINUTE);
    }
    assert.ok(reads < 20, `${reads} tries in an hour`);
  });

  it('tickets from before it was set up are not made there', async () => {
    bench = openSyncBench({});
    await bench.arrive(1, { receivedAt: bench.clock.now() - MINUTE });
    await bench.run(MINUTE);
    assert.deepEqual(bench.outside.pushes, []);
  });
});
