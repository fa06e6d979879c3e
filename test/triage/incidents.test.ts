import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import { ASSISTANT, type Ticket, type TicketActor, type TicketArrival } from '../../agent/ticket.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { TriageOptions } from '../../triage/triage.ts';
import { createFakeClock } from '../fake-clock.ts';
import { ANNA, arrival, BEN, draft, event } from '../fakes/tickets.ts';
import { linesOf, openTriageBench, readingOf, type TriageBench, team } from '../fakes/triage-bench.ts';

const MINUTE = 60_000;
const BEN_ACTS: TicketActor = { kind: 'person', id: BEN.id };

const withBench = async (
  run: (bench: TriageBench) => Promise<void>,
  over: Parameters<typeof openTriageBench>[0] = {},
): Promise<void> => {
  const bench = openTriageBench(over);
  try {
    await run(bench);
  } finally {
    await bench.close();
  }
};

/** The n-th ticket, by somebody else each time, a minute after the one before. */
const come = async (bench: TriageBench, n: number, over: Partial<TicketArrival> = {}): Promise<void> => {
  await bench.clock.advance(MINUTE);
  const author = { id: `slack:U10${n}`, displayName: `Person ${n}` };
  await bench.triage.desk.arrive(
    arrival(n, { author, text: `login fails, attempt ${n}`, receivedAt: bench.clock.now(), ...over }),
  );
  await bench.pass(0);
};
const comeAll = async (bench: TriageBench, count: number, over: Partial<TicketArrival> = {}): Promise<void> => {
  for (let n = 1; n <= count; n += 1) await come(bench, n, over);
};
const incidentsOf = ({ store }: TriageBench): Promise<readonly Ticket[]> => store.listTickets({ authorId: 'incident' });
const membersOf = async (bench: TriageBench): Promise<readonly string[] | undefined> =>
  (await incidentsOf(bench))[0]?.incident?.members;
const act = (
  { triage }: TriageBench,
  ticketId: string,
  action: TicketAction,
  actor = BEN_ACTS,
  key = `${ticketId}:${action.kind}`,
) => triage.desk.act({ ticketId, action, actor, source: 'slack', key });
const notesOf = ({ board }: TriageBench): readonly string[] => linesOf(board).filter((line) => !line.includes('['));
const cardText = async ({ triage }: TriageBench, ticketId: string): Promise<string> =>
  (await triage.desk.view(ticketId, { userId: BEN.id, place: null }))?.card.lines.join('\n') ?? '';

const JOINED = 'Others report this as well. We are working on it for all of you together, and will tell you here.';

describe('an incident', () => {
  it('is opened by the fourth of a burst, with one card for the team and a word in every thread', () =>
    withBench(async (bench) => {
      await comeAll(bench, 3);
      assert.deepEqual(await incidentsOf(bench), []);
      await come(bench, 4);
      await come(bench, 6, { text: 'refund please' });
      await come(bench, 5);
      const [incident, ...others] = await incidentsOf(bench);
      assert.equal(others.length, 0);
      assert.deepEqual(incident?.incident?.members, ['T1', 'T2', 'T3', 'T4', 'T7']);
      assert.deepEqual([incident?.team, incident?.category, incident?.priority], ['support', 'login', 'high']);
      assert.deepEqual(
        linesOf(bench.board).filter((line) => line.includes('Incident')),
        ['slack:CSUPPORT: [T5 · Incident: login fails, attempt 1]'],
      );
      assert.deepEqual(
        notesOf(bench).toSorted(),
        [1, 2, 3, 4, 5].map((n) => `thread ${n}: ${JOINED}`),
      );
      assert.match(await cardText(bench, 'T5'), /5 tickets: T1, T2, T3, T4, T7\./u);
      assert.match(await cardText(bench, 'T2'), /Part of incident T5\./u);
    }));

  it('goes to the team that most of its members have, and by rules on the places of most of them', async () => {
    const [desk, shop] = [{ kind: 'channel', id: 'slack:CDESK' } as const, { kind: 'channel', id: 'slack:CSHOP' } as const];
    const teamAfter = async (rules: TriageOptions['rules'], text: string) => {
      const found: (string | null)[] = [];
      await withBench(
        async (bench) => {
          await bench.triage.desk.arrive(arrival(9, { text: 'nothing of it', author: ANNA }));
          for (const [n, place] of [shop, desk, desk, desk].entries())
            await come(bench, n + 1, { place, text: `${text} ${n}`, fields: { plan: n === 0 ? 'free' : 'gold' } });
          const [incident] = await incidentsOf(bench);
          found.push(incident?.team ?? null, incident?.route?.why.join(' ') ?? null);
        },
        { rules },
      );
      return found;
    };
    const rule = (name: string, when: TriageOptions['rules'][number]['when'], team: string) => ({ name, when, team: [team] });
    assert.deepEqual(await teamAfter([rule('gold', { fields: { plan: ['gold'] } }, 'billing')], 'other'), [
      'billing',
      'Most of its tickets are with billing.',
    ]);
    assert.deepEqual(
      await teamAfter(
        [rule('incidents of the desk', { how: ['incident'], place: ['slack:CDESK'] }, 'billing'), rule('all', {}, 'support')],
        'other',
      ),
      ['billing', 'The rule “incidents of the desk” holds.'],
    );
    assert.equal((await teamAfter([rule('shop', { place: ['slack:CSHOP'] }, 'billing')], 'other'))[0], 'support');
  });

  it('is not made of tickets that name different error codes', () =>
    withBench(async (bench) => {
      bench.reader.read = async ({ text }) =>
        readingOf('login', { entities: [{ kind: 'error_code', text: /E-\d+/u.exec(text)?.[0] ?? '' }] });
      for (const n of [1, 2, 3, 4]) await come(bench, n, { text: `login fails with E-${n}` });
      assert.deepEqual(await incidentsOf(bench), []);
      for (const n of [5, 6, 7]) await come(bench, n, { text: 'login fails with E-1' });
      assert.deepEqual(await membersOf(bench), ['T1', 'T5', 'T6', 'T7']);
    }));

  it('is made of tickets whose words in capitals are perhaps no codes', () =>
    withBench(async (bench) => {
      bench.reader.read = async ({ text }) =>
        readingOf('login', { entities: [{ kind: 'error_code', text: text.split(' ').at(-1) ?? '' }] });
      for (const [n, shout] of ['EMAIL', 'EVERY', 'EXTRA', 'ENTER'].entries())
        await come(bench, n + 1, { text: `login fails ${shout}` });
      assert.deepEqual(await membersOf(bench), ['T1', 'T2', 'T3', 'T4']);
    }));

  it('is not made by one person who writes five times, nor by what comes all the time', () =>
    withBench(async (bench) => {
      for (let n = 1; n <= 5; n += 1) await come(bench, n, { author: ANNA, how: 'mail' });
      assert.deepEqual(await incidentsOf(bench), []);
      for (let n = 6; n <= 40; n += 1) {
        await bench.clock.advance(25 * MINUTE);
        await come(bench, n);
      }
      for (let n = 41; n <= 43; n += 1) await come(bench, n);
      assert.deepEqual(await incidentsOf(bench), []);
    }));

  it('tells all threads once, in their language, and those that join later as well', () =>
    withBench(async (bench) => {
      const { read } = bench.reader;
      bench.reader.read = async (ticket, signal) =>
        ticket.text.endsWith('2')
          ? readingOf('login', { language: { value: 'de', confidence: 0.9, source: 'rule' } })
          : read(ticket, signal);
      await comeAll(bench, 4);
      const before = notesOf(bench).length;
      for (const key of ['click', 'click'])
        await act(bench, 'T5', { kind: 'tell_members', text: 'Fixed by 11:00.' }, BEN_ACTS, key);
      await bench.pass(0);
      assert.deepEqual(notesOf(bench).slice(before).toSorted(), [
        'thread 1: About what you and others reported:\n\nFixed by 11:00.',
        'thread 2: Zu dem, was Sie und andere gemeldet haben:\n\nFixed by 11:00.',
        'thread 3: About what you and others reported:\n\nFixed by 11:00.',
        'thread 4: About what you and others reported:\n\nFixed by 11:00.',
      ]);
      await come(bench, 5);
      assert.equal(notesOf(bench).at(-1), `thread 5: ${JOINED}\n\nFixed by 11:00.`);
    }));

  it('holds answers that the assistant would send alone, until it is solved; that is told to all', () =>
    withBench(
      async (bench) => {
        await comeAll(bench, 4);
        const propose = async (ticketId: string) => {
          const ticket = await bench.store.readTicket(ticketId);
          const events = [event({ kind: 'draft_proposed', draft: draft('d1') }, { actor: ASSISTANT })];
          await bench.store.append([{ ticketId, expectedVersion: ticket?.version ?? 0, events }]);
        };
        await propose('T1');
        await bench.pass(0);
        const send = (key: string) => act(bench, 'T1', { kind: 'draft_send', draftId: 'd1' }, ASSISTANT, key);
        assert.deepEqual(await send('a'), {
          kind: 'not_allowed',
          who: 'a person: the incident T5 is open, and what is known of it is told to all',
        });
        const before = notesOf(bench).length;
        await act(bench, 'T5', { kind: 'solve', resolution: 'The database is back.' });
        await bench.pass(0);
        await act(bench, 'T5', { kind: 'close' });
        await bench.pass(0);
        assert.deepEqual(
          notesOf(bench).slice(before).toSorted(),
          [1, 2, 3, 4].map(
            (n) =>
              `thread ${n}: What you and others reported should be over now.\n\nThe database is back.\n\nIs it solved for you?`,
          ),
        );
        assert.equal((await send('b')).kind, 'done');
        await come(bench, 5);
        assert.equal((await bench.store.readTicket('T6'))?.incidentId, null, 'what is over takes nobody in');
      },
      { maySendAlone: () => true },
    ));

  it('keeps the assistant from answering the very ticket that opens it, and all that come with it', () =>
    withBench(
      async (bench) => {
        await comeAll(bench, 3);
        for (const n of [4, 5]) {
          const author = { id: `slack:U10${n}`, displayName: '' };
          await bench.triage.desk.arrive(arrival(n, { author, text: `login fails ${n}`, receivedAt: bench.clock.now() }));
        }
        await bench.pass(0);
        const states = await Promise.all(
          ((await membersOf(bench)) ?? []).map(async (id) => (await bench.store.readTicket(id))?.draft?.state),
        );
        assert.deepEqual(states, ['sent', 'sent', 'sent', 'proposed', 'proposed']);
      },
      { maySendAlone: () => true, writeDraft: async ({ id }) => draft(`draft of ${id}`) },
    ));

  it('loses a false member by a click, for good, and ends without any', () =>
    withBench(async (bench) => {
      await comeAll(bench, 4);
      assert.equal(
        (await act(bench, 'T3', { kind: 'leave_incident' }, { kind: 'person', id: 'slack:U103' })).kind,
        'not_allowed',
      );
      assert.equal((await act(bench, 'T3', { kind: 'leave_incident' })).kind, 'done');
      assert.equal((await act(bench, 'T3', { kind: 'leave_incident' })).kind, 'not_possible');
      assert.deepEqual(await membersOf(bench), ['T1', 'T2', 'T4']);
      await bench.pass(0);
      const before = notesOf(bench).length;
      await act(bench, 'T5', { kind: 'tell_members', text: 'soon' });
      await bench.pass(0);
      assert.equal(notesOf(bench).length, before + 3);
      assert.equal((await act(bench, 'T3', { kind: 'join_incident', incidentId: 'T5' })).kind, 'done');
      assert.deepEqual(await membersOf(bench), ['T1', 'T2', 'T4', 'T3']);
      for (const id of ['T1', 'T2', 'T3', 'T4']) await act(bench, id, { kind: 'leave_incident' }, BEN_ACTS, `${id}:last`);
      await bench.pass(10 * MINUTE);
      assert.equal((await incidentsOf(bench))[0]?.status, 'closed');
    }));

  it('goes on after a restart in the middle of a burst', async () => {
    const clock = createFakeClock();
    const opened = openSqliteStore({ folder: ':memory:', clock });
    try {
      const first = openTriageBench({ store: opened.tickets, clock });
      await comeAll(first, 2);
      // The third came, and the process died before anything was done with it.
      await clock.advance(MINUTE);
      const author = { id: 'slack:U103', displayName: 'Person 3' };
      await first.triage.desk.arrive(arrival(3, { author, text: 'login fails again', receivedAt: clock.now() }));
      const second = openTriageBench({ store: opened.tickets, clock });
      await come(second, 4);
      await come(second, 5);
      assert.deepEqual(await membersOf(second), ['T1', 'T2', 'T3', 'T4', 'T6']);
      assert.equal((await incidentsOf(second)).length, 1);
    } finally {
      await opened.close();
    }
  });

  it('stands once when the process dies between its opening and its first member', async () => {
    const clock = createFakeClock();
    const opened = openSqliteStore({ folder: ':memory:', clock });
    try {
      let dies = false;
      const store = {
        ...opened.tickets,
        append: (...args: Parameters<typeof opened.tickets.append>) => {
          if (dies && args[0].length > 2) throw new Error('died');
          return opened.tickets.append(...args);
        },
      };
      const bench = openTriageBench({ store, clock });
      await comeAll(bench, 3);
      dies = true;
      await come(bench, 4);
      dies = false;
      const again = openTriageBench({ store, clock });
      await again.pass(MINUTE);
      assert.deepEqual(
        (await incidentsOf(again)).map(({ incident, status }) => [status, incident?.members]),
        [['open', ['T1', 'T2', 'T3', 'T4']]],
      );
    } finally {
      await opened.close();
    }
  });

  it('is named after none of its tickets any more when one of them became private', () =>
    withBench(async (bench) => {
      await comeAll(bench, 4);
      const [incident] = await incidentsOf(bench);
      const title = async () => (await bench.triage.desk.view(incident?.id ?? '', { userId: BEN.id, place: null }))?.card.title;
      assert.equal(await title(), 'T5 · Incident: login fails, attempt 1');
      await act(bench, 'T1', { kind: 'set_privacy', isPrivate: true });
      assert.equal(await title(), 'T5 · Incident');
    }));

  it('of private tickets is private: no word of it stands where others read', () =>
    withBench(
      async (bench) => {
        await comeAll(bench, 2);
        for (let n = 3; n <= 6; n += 1) {
          const place = { kind: 'direct', id: `slack:D${n}` } as const;
          await come(bench, n, { isPrivate: true, place });
        }
        const [incident] = await incidentsOf(bench);
        assert.deepEqual([incident?.isPrivate, incident?.incident?.members], [true, ['T3', 'T4', 'T5', 'T6']]);
        const lines = linesOf(bench.board);
        assert.deepEqual(
          lines.filter((line) => line.includes('Incident')),
          ['slack:CSECRET: [T7 · Incident: private tickets]'],
        );
        assert.ok(lines.every((line) => !line.startsWith('slack:CSUPPORT') || /\[T[12] /u.test(line)));
        assert.equal(await bench.triage.desk.view('T7', { userId: 'slack:U101', place: null }), undefined);
      },
      { teams: new Map([['support', team('support', { privateChannel: 'slack:CSECRET' })]]) },
    ));
});

describe('a similar ticket', () => {
  it('is shown with why it looks like the same, and merged and taken out by a click', () =>
    withBench(async (bench) => {
      await come(bench, 1, { author: ANNA, text: 'login fails with my phone since monday', how: 'mail' });
      await come(bench, 2, { author: ANNA, text: 'login fails with my phone since tuesday', how: 'mail' });
      assert.match(await cardText(bench, 'T2'), /^Perhaps the same as T1 \(open\): same author, same words\.$/mu);
      const view = await bench.triage.desk.view('T2', { userId: BEN.id, place: null });
      assert.deepEqual(
        view?.card.buttons.find(({ id }) => id === 'merge'),
        { id: 'merge', otherId: 'T1', label: 'Same as T1' },
      );
      await act(bench, 'T2', { kind: 'merge', into: 'T1' });
      assert.deepEqual((await bench.store.readTicket('T1'))?.mergedFrom, ['T2']);
      await act(bench, 'T2', { kind: 'unmerge' });
      const [one, two] = [await bench.store.readTicket('T1'), await bench.store.readTicket('T2')];
      assert.deepEqual([one?.mergedFrom, two?.mergedInto, two?.status], [[], null, 'open']);
    }));

  it('tells what solved it; another person’s is similar, not the same', () =>
    withBench(async (bench) => {
      await come(bench, 1, { text: 'login fails with my phone since monday' });
      await act(bench, 'T1', { kind: 'solve', resolution: 'Reset the second factor.' });
      await come(bench, 2, { text: 'login fails with my phone since tuesday' });
      assert.match(
        await cardText(bench, 'T2'),
        /^Similar to T1 \(solved\): same words\. Solved by: Reset the second factor\.$/mu,
      );
    }));

  it('that is private is shown to nobody else, nor after it became so', () =>
    withBench(async (bench) => {
      const text = 'login fails with my phone since monday';
      await come(bench, 1, { text, isPrivate: true, place: { kind: 'direct', id: 'slack:D1' } });
      await come(bench, 2, { text });
      assert.deepEqual((await bench.store.readTicket('T2'))?.similar, []);
      await come(bench, 3, { text });
      assert.match(await cardText(bench, 'T3'), /Similar to T2/u);
      await act(bench, 'T2', { kind: 'set_privacy', isPrivate: true });
      assert.doesNotMatch(await cardText(bench, 'T3'), /T2/u);
    }));

  it('that is private stands beside another of its author for the team, and not where others read along in the thread', () =>
    withBench(
      async (bench) => {
        const text = 'login fails with my phone since monday';
        const author = ANNA;
        await come(bench, 1, { text, author, isPrivate: true, place: { kind: 'direct', id: 'slack:D1' } });
        await act(bench, 'T1', { kind: 'solve', resolution: 'Reset what the doctor typed.' });
        const group = { author, isPrivate: true, place: { kind: 'channel', id: 'slack:G1' } } as const;
        await come(bench, 2, { text, ...group });
        await bench.clock.advance(5 * MINUTE);
        await come(bench, 3, { text, ...group, place: { ...group.place, isPrivateThread: true } });
        await bench.clock.advance(5 * MINUTE);
        await come(bench, 4, { text, ...group });
        const linesIn = (where: string, id: string) =>
          bench.board.posts.flatMap(({ target, message }) =>
            message.kind === 'card' && message.card.ticketId === id && (target.kind === 'thread') === (where === 'thread')
              ? [message.card.lines.join('\n')]
              : [],
          );
        assert.match(linesIn('team', 'T2').join(), /same as T1 \(solved\).* Solved by: Reset what the doctor typed\./u);
        const besideIn = (id: string) =>
          [
            ...linesIn('thread', id)
              .join()
              .matchAll(/T[1-4](?= \()/gu),
          ].map(([other]) => other);
        assert.deepEqual(['T2', 'T3', 'T4'].map(besideIn), [[], [], ['T2']]);
      },
      { teams: new Map([['support', team('support', { privateChannel: 'slack:CSECRET' })]]) },
    ));

  it('that was merged is opened again in the one it goes on in', () =>
    withBench(async (bench) => {
      await come(bench, 1, { text: 'login fails with my phone' });
      await come(bench, 2, { text: 'refund please' });
      await act(bench, 'T2', { kind: 'merge', into: 'T1' });
      await act(bench, 'T1', { kind: 'solve', resolution: '' });
      const heard = await bench.triage.desk.hear({
        deliveryId: 'slack:T1:C1:9',
        threadId: 'slack:T1:C1:2',
        author: { id: 'slack:U102', displayName: '' },
        text: 'it is broken again',
        at: bench.clock.now(),
        source: 'slack',
      });
      assert.deepEqual([heard.kind, heard.kind === 'reopened' && heard.ticket.id], ['reopened', 'T1']);
    }));
});
