import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createCalendar } from '../../triage/calendar.ts';
import { createReportPoster, weeksAbout } from '../../triage/report-post.ts';
import { createFakeClock } from '../fake-clock.ts';
import { arrival, event } from '../fakes/tickets.ts';
import { createFakeBoard, readingOf } from '../fakes/triage-bench.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const office = (holidays: readonly string[] = []) =>
  createCalendar({
    timeZone: 'Europe/Berlin',
    hours: Object.fromEntries(['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => [day, ['09:00-17:00']])),
    holidays,
  });
const MONDAY_NINE = { placeId: 'slack:CREPORT', weekday: 'monday', hour: 9 } as const;
const signal = new AbortController().signal;
const iso = (at: number): string => new Date(at).toISOString().slice(0, 16);

/** The first Monday is 2026-01-05; nine in Berlin is eight in UTC. */
const START = Date.UTC(2026, 0, 2, 12);

const openBench = (start = START) => {
  const clock = createFakeClock(start);
  const opened = openSqliteStore({ folder: ':memory:', clock });
  const board = createFakeBoard();
  const make = () =>
    createReportPoster({
      store: opened.tickets,
      settings: opened.store,
      schedule: MONDAY_NINE,
      calendar: office(),
      board,
      nameOf: (category) => category,
      clock,
      logger: silentLogger,
    });
  return { clock, ...opened, board, make };
};

describe('the week of a report', () => {
  it('ends at the hour of the weekday in the place’s own time, also where the clocks change', () => {
    const weeks = weeksAbout(Date.UTC(2026, 2, 31), MONDAY_NINE, office());
    const last = weeks.findLast(({ dueAt }) => dueAt <= Date.UTC(2026, 2, 31));
    assert.deepEqual([iso(last?.from ?? 0), iso(last?.to ?? 0)], ['2026-03-23T08:00', '2026-03-30T07:00']);
  });

  it('is reported on the next day that is worked', () => {
    const weeks = weeksAbout(Date.UTC(2026, 3, 6, 12), MONDAY_NINE, office(['2026-04-06']));
    const easter = weeks.find(({ to }) => iso(to) === '2026-04-06T07:00');
    assert.equal(iso(easter?.dueAt ?? 0), '2026-04-07T07:00');
  });
});

describe('the weekly report', () => {
  it('is posted once a week from the first whole one on, whoever starts how often', async () => {
    const { clock, board, make, close } = openBench();
    for (let hour = 0; hour < 24 * 17; hour += 5) {
      await make().sweep(signal);
      await clock.advance(5 * HOUR);
    }
    assert.deepEqual(
      board.posts.map(({ target, message }) => [
        target.kind === 'channel' && target.placeId,
        message.kind === 'answer' && message.text.split('\n')[0],
      ]),
      [
        ['slack:CREPORT', '**Tickets, 29 Dec 2025 – 5 Jan 2026**'],
        ['slack:CREPORT', '**Tickets, 5 Jan 2026 – 12 Jan 2026**'],
        ['slack:CREPORT', '**Tickets, 12 Jan 2026 – 19 Jan 2026**'],
      ],
    );
    await close();
  });

  it('says when it is due next, and posts the latest alone after a long absence', async () => {
    const { clock, board, make, close } = openBench();
    assert.equal(iso((await make().sweep(signal)) ?? 0), '2026-01-05T08:00');
    await clock.advance(30 * DAY);
    await make().sweep(signal);
    await make().sweep(signal);
    assert.equal(board.posts.length, 1);
    await close();
  });

  for (const [when, count] of [
    ['before', 'the platform took it'],
    ['after', 'the platform took it, and before that was known'],
  ] as const)
    it(`stands once where the process ends ${when === 'before' ? 'before' : 'after'} ${count}`, async () => {
      const { clock, board, make, close } = openBench();
      await make().sweep(signal);
      await clock.advance(3 * DAY);
      let ended = false;
      board.fault = (call, at) => {
        if (call === 'post' && at === when && !ended) {
          ended = true;
          throw new Error('the process ends');
        }
      };
      await assert.rejects(make().sweep(signal));
      const waits = (await make().sweep(signal)) ?? 0;
      assert.equal(waits - clock.now(), 10_000, 'the send may still be under way');
      await clock.advance(10_000);
      await make().sweep(signal);
      await make().sweep(signal);
      assert.equal(board.posts.length, 1);
      await close();
    });

  it('waits for a platform that is down, and goes on without one that refuses', async () => {
    const { clock, board, make, close } = openBench();
    await make().sweep(signal);
    await clock.advance(3 * DAY);
    board.fault = () => {
      throw new AppError('channel_unavailable', 'down');
    };
    assert.equal(((await make().sweep(signal)) ?? 0) - clock.now(), 60_000);
    await clock.advance(60_000);
    board.fault = undefined;
    await make().sweep(signal);
    assert.equal(board.posts.length, 1);
    await clock.advance(7 * DAY);
    board.fault = () => {
      throw new AppError('channel_rejected', 'archived');
    };
    assert.equal(iso((await make().sweep(signal)) ?? 0), '2026-01-19T08:00');
    board.fault = undefined;
    await make().sweep(signal);
    assert.equal(board.posts.length, 1);
    await close();
  });

  it('tells volume, answers, solutions, what was opened again, and how often the assistant was right; of private tickets nothing', async () => {
    const { clock, board, make, tickets, close } = openBench();
    await make().sweep(signal);
    const at = Date.UTC(2026, 0, 3);
    const open = async (n: number, isPrivate: boolean, receivedAt = at): Promise<string> =>
      (await tickets.openTicket(arrival(n, { receivedAt, isPrivate }), { burstMs: 0, source: 'slack' })).ticket.id;
    const add = async (ticketId: string, ...changes: Parameters<typeof event>[0][]): Promise<void> => {
      const { version = 0 } = (await tickets.readTicket(ticketId)) ?? {};
      const events = changes.map((change, n) => event(change, { at: at + (n + 1) * 30 * 60_000 }));
      await tickets.append([{ ticketId, expectedVersion: version, events }]);
    };
    const answer = {
      kind: 'message_added',
      message: { deliveryId: 'm', from: 'team', author: { id: 'slack:U2', displayName: '' }, text: 'so' },
    } as const;
    const solved = { kind: 'solved', resolution: '' } as const;
    await add(await open(1, false), { kind: 'read', reading: readingOf('refund') }, answer, solved);
    await add(
      await open(2, false),
      { kind: 'read', reading: readingOf('refund') },
      { kind: 'category_set', category: 'a|b' },
      solved,
    );
    await add(await open(3, true), { kind: 'read', reading: readingOf('secret') }, solved);
    await open(4, false, Date.UTC(2025, 11, 24));
    await clock.advance(3 * DAY);
    await make().sweep(signal);
    const [post] = board.posts;
    assert.ok(post?.message.kind === 'answer');
    assert.equal(
      post.message.text,
      `**Tickets, 29 Dec 2025 – 5 Jan 2026**

|  | this week | week before |
| --- | ---: | ---: |
| Came in | 2 | 1 |
| First answer, median | 60 min | – |
| First answer, nine of ten within | 60 min | – |
| Solved | 2 | 0 |
| Solution, median | 90 min | – |
| Solution, nine of ten within | 90 min | – |
| Solved without a word of the team | 50 % of 2 | – |
| Opened again | 0 | 0 |

| Category | this week | week before |
| --- | ---: | ---: |
| refund | 1 | 0 |
| a\\|b | 1 | 0 |

Of what was solved, decided rightly:

| Field | right |
| --- | ---: |
| category | 50 % of 2 |
| priority | 100 % of 2 |
| team | – |

How sure the category was, and how often it was right (mean distance 40 %):

| Sure | said | right | tickets |
| --- | ---: | ---: | ---: |
| from 90 % | 90 % | 50 % | 2 |

_Private tickets are not counted._`,
    );
    await close();
  });
});
