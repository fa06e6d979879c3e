import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlacedEvent } from '../../agent/ports/ticket-store.ts';
import { ASSISTANT, SYSTEM, type TicketActor, type TicketChange } from '../../agent/ticket.ts';
import { reportLines, reportOf } from '../../triage/report.ts';
import { ANNA, arrival, BEN } from '../fakes/tickets.ts';
import { readingOf } from '../fakes/triage-bench.ts';

const MINUTE = 60_000;
const PERSON: TicketActor = { kind: 'person', id: BEN.id };

/** [minute, ticket, change, actor] */
type Line = readonly [at: number, ticketId: string, change: TicketChange, actor?: TicketActor];

const eventsOf = (lines: readonly Line[]): readonly PlacedEvent[] =>
  lines.map(([at, ticketId, change, actor = PERSON], n) => ({
    position: n + 1,
    ticketId,
    event: { seq: n + 1, at: at * MINUTE, actor, source: 'slack', change },
  }));

const opened: TicketChange = { kind: 'opened', arrival: arrival(1) };
const read = (category: string, confidence: number): TicketChange => ({
  kind: 'read',
  reading: readingOf(category, { category: { value: category, confidence, source: 'classifier' } }),
});
const said = (from: 'asker' | 'team' | 'assistant'): TicketChange => ({
  kind: 'message_added',
  message: { deliveryId: 'x', from, author: from === 'asker' ? ANNA : BEN, text: 'words' },
});
const routed = (team: string): TicketChange => ({
  kind: 'routed',
  route: { team, assignee: null, by: 'category', category: null, confidence: 1, why: [] },
});
const solved: TicketChange = { kind: 'solved', resolution: '' };

const WEEK: readonly Line[] = [
  // Before the week: counts for nothing but what follows.
  [-100, 'T1', opened],
  [-99, 'T1', read('refund', 0.95), ASSISTANT],
  [-98, 'T1', routed('billing'), SYSTEM],
  [10, 'T1', said('team')],
  [20, 'T1', solved],
  // Wrong category and team, set right by a person; the assistant answers it alone.
  [0, 'T2', opened],
  [1, 'T2', read('refund', 0.6), ASSISTANT],
  [2, 'T2', routed('billing'), SYSTEM],
  [3, 'T2', { kind: 'category_set', category: 'login' }],
  [4, 'T2', { kind: 'team_set', team: 'support' }],
  [30, 'T2', said('assistant'), ASSISTANT],
  [60, 'T2', { kind: 'closed', reason: 'asker' }],
  [61, 'T2', { kind: 'reopened', reason: 'again' }],
  [63, 'T2', said('team')],
  // Nothing was sure, nobody answered.
  [5, 'T3', opened],
  // After the week.
  [1_000, 'T2', solved],
  [1_001, 'T4', opened],
];

test('a report counts what happened in its time, and who was right at the end', () => {
  const report = reportOf(eventsOf(WEEK), { from: 0, to: 1_000 * MINUTE });
  assert.deepEqual(report, {
    opened: 2,
    byCategory: { login: 1, '(none)': 1 },
    firstAnswer: { n: 3, median: 30 * MINUTE, p90: 110 * MINUTE },
    solved: { n: 2, median: 60 * MINUTE, p90: 120 * MINUTE },
    deflected: 1,
    reopened: 1,
    accuracy: { category: { n: 2, right: 1 }, priority: { n: 2, right: 2 }, team: { n: 2, right: 1 } },
    calibration: [
      { from: 0.5, n: 1, said: 0.6, right: 0 },
      { from: 0.9, n: 1, said: 0.95, right: 1 },
    ],
    ece: 0.6 / 2 + (1 - 0.95) / 2,
  });
  assert.deepEqual(reportLines(report), [
    'Tickets: 2',
    '  login: 1',
    '  (none): 1',
    'First answer: median 30 min, nine of ten within 110 min (n 3)',
    'Solved: 2, median 60 min, nine of ten within 120 min',
    'Without a word of the team: 1 of 2',
    'Opened again: 1',
    'Right category: 50 % (n 2)',
    'Right priority: 100 % (n 2)',
    'Right team: 50 % (n 2)',
    '  category from 0.5 sure: said 60 %, right 0 % (n 1)',
    '  category from 0.9 sure: said 95 %, right 100 % (n 1)',
  ]);
});

test('a report of nothing says so', () => {
  const report = reportOf([], { from: 0, to: 1 });
  assert.deepEqual([report.opened, report.firstAnswer, report.ece], [0, { n: 0, median: null, p90: null }, null]);
  assert.equal(reportLines(report)[1], 'First answer: median -, nine of ten within - (n 0)');
});
