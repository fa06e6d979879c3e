import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hasCode } from '../../agent/errors.ts';
import { SYSTEM, type Ticket, type TicketChange, type TicketEvent } from '../../agent/ticket.ts';
import { applyEvent, openFrom, replayEvents } from '../../agent/ticket-events.ts';
import { ANNA, arrival, BEN, draft, event } from '../fakes/tickets.ts';
import { seed } from '../scale.ts';

const after = (...changes: readonly TicketChange[]): Ticket =>
  changes.reduce<Ticket>((ticket, change, n) => applyEvent(ticket, event(change, { at: 2_000 + n })), opened());

const opened = (): Ticket => openFrom('T1', event({ kind: 'opened', arrival: arrival(1) }));

const said = (from: 'asker' | 'team' | 'assistant' | 'other', n = 1): TicketChange => ({
  kind: 'message_added',
  message: { deliveryId: `m${n}`, from, author: from === 'asker' ? ANNA : BEN, text: 'text' },
});

const refuses = (ticket: Ticket, change: TicketChange): void =>
  assert.throws(
    () => applyEvent(ticket, event(change, { at: 9_000 })),
    (error) => hasCode(error, 'ticket_refused') && error.message.startsWith(`T1 (${ticket.status}): ${change.kind} `),
  );

describe('a ticket', () => {
  it('begins open, in its first episode, with what arrived', () => {
    const { status, episode, version, number, text, author, pauses } = opened();
    assert.deepEqual(
      { status, episode, version, number, text, author, pauses },
      { status: 'open', episode: 1, version: 1, number: 1, text: 'problem 1', author: ANNA, pauses: [] },
    );
  });

  it('waits for the asker once the team has answered, and goes on when the asker writes', () => {
    const answered = after(said('team'));
    assert.deepEqual(
      [answered.status, answered.firstAnsweredAt, answered.pauses],
      ['waiting', 2_000, [{ from: 2_000, to: null }]],
    );
    const goesOn = applyEvent(answered, event(said('asker', 2), { at: 5_000 }));
    assert.deepEqual([goesOn.status, goesOn.pauses, goesOn.lastAskerAt], ['open', [{ from: 2_000, to: 5_000 }], 5_000]);
  });

  it('keeps one pause while it goes from waiting to a snooze', () => {
    const { pauses, status } = after(said('team'), { kind: 'snoozed', until: 60_000 }, { kind: 'woken' });
    assert.deepEqual([status, pauses], ['open', [{ from: 2_000, to: 2_002 }]]);
  });

  it('is reopened as a new episode that carries no old wish', () => {
    const before = after(
      { kind: 'team_set', team: 'billing' },
      { kind: 'assigned', assignee: BEN.id },
      { kind: 'escalated', reason: 'late' },
      { kind: 'handed_off', to: null, reason: 'asked for a person' },
      { kind: 'draft_proposed', draft: draft('d1') },
      { kind: 'clock_warned', target: 'solved', level: 'warning' },
      { kind: 'snoozed', until: 60_000 },
      { kind: 'solved', resolution: '' },
      { kind: 'closed', reason: 'team' },
    );
    const again = applyEvent(before, event({ kind: 'reopened', reason: 'still broken' }, { at: 9_000 }));
    assert.deepEqual(
      { ...again },
      {
        ...opened(),
        team: 'billing',
        teamSetBy: 'person',
        assignee: BEN.id,
        version: 11,
        updatedAt: 9_000,
        episode: 2,
        episodeStartedAt: 9_000,
        lastAskerAt: 9_000,
      },
    );
  });

  it('keeps what a person said about category and priority when it is read again', () => {
    const reading = {
      category: { value: 'refund', confidence: 0.9, source: 'classifier' },
      priority: { value: 'low', confidence: 0.9, source: 'rule' },
    } as never;
    const read: TicketChange = { kind: 'read', reading };
    assert.deepEqual([after(read).category, after(read).priority], ['refund', 'low']);
    const corrected = after(read, { kind: 'category_set', category: 'card' }, { kind: 'priority_set', priority: 'urgent' }, read);
    assert.deepEqual([corrected.category, corrected.priority, corrected.categorySetBy], ['card', 'urgent', 'person']);
  });

  it('shows what both sides changed until somebody decides', () => {
    const disputed = after({ kind: 'conflict_shown', field: 'priority', ours: 'low', theirs: 'high' });
    assert.deepEqual(disputed.conflicts, [{ field: 'priority', ours: 'low', theirs: 'high' }]);
    assert.deepEqual(applyEvent(disputed, event({ kind: 'assigned', assignee: BEN.id })).conflicts.length, 1);
    assert.deepEqual(applyEvent(disputed, event({ kind: 'priority_set', priority: 'high' })).conflicts, []);
  });

  it('is merged into another and taken out again', () => {
    const merged = after({ kind: 'merged_into', ticketId: 'T2' });
    assert.deepEqual([merged.status, merged.mergedInto], ['merged', 'T2']);
    refuses(merged, { kind: 'solved', resolution: '' });
    refuses(merged, { kind: 'unmerged', ticketId: 'T3' });
    const apart = applyEvent(merged, event({ kind: 'unmerged', ticketId: 'T2' }));
    assert.deepEqual([apart.status, apart.mergedInto], ['open', null]);
  });

  it('is what it was when it is taken out again: a solved one is solved, and its solution is known', () => {
    const solve: TicketChange = { kind: 'solved', resolution: 'a restart' };
    const around: readonly TicketChange[] = [
      { kind: 'merged_into', ticketId: 'T2' },
      { kind: 'unmerged', ticketId: 'T2' },
    ];
    const solved = after(solve, ...around);
    assert.deepEqual([solved.status, solved.solvedAt, solved.resolution], ['solved', 2_000, 'a restart']);
    const closed = after(solve, { kind: 'closed', reason: 'team' }, ...around);
    assert.deepEqual([closed.status, closed.solvedAt, closed.closedAt], ['closed', 2_000, 2_001]);
    const waiting = after(said('team'), ...around);
    assert.deepEqual([waiting.status, waiting.pauses], ['open', [{ from: 2_000, to: 2_001 }]]);
    const again = applyEvent(closed, event({ kind: 'reopened', reason: '' }, { at: 9_000 }));
    assert.deepEqual([again.status, again.solvedAt], ['open', null]);
  });

  for (const [why, before, change] of [
    ['a second opening', [], { kind: 'opened', arrival: arrival(2) }],
    ['a solution of what is solved', [{ kind: 'solved', resolution: '' }], { kind: 'solved', resolution: '' }],
    ['a reopening of what is open', [], { kind: 'reopened', reason: '' }],
    ['a snooze into the past', [], { kind: 'snoozed', until: 10 }],
    ['the end of a snooze that is none', [], { kind: 'woken' }],
    ['an assignment of what is closed', [{ kind: 'closed', reason: 'team' }], { kind: 'assigned', assignee: 'slack:U2' }],
    ['a merge with itself', [], { kind: 'merged_into', ticketId: 'T1' }],
    [
      'a draft that was not approved, sent',
      [{ kind: 'draft_proposed', draft: draft('d1') }],
      { kind: 'draft_sent', draftId: 'd1' },
    ],
    ['a draft of another name', [{ kind: 'draft_proposed', draft: draft('d1') }], { kind: 'draft_approved', draftId: 'd2' }],
    ['the confirmation of no hand-off', [], { kind: 'hand_off_confirmed' }],
    ['a second incident', [{ kind: 'incident_joined', incidentId: 'I1' }], { kind: 'incident_joined', incidentId: 'I2' }],
    [
      'the same warning twice',
      [{ kind: 'clock_warned', target: 'solved', level: 'breach' }],
      { kind: 'clock_warned', target: 'solved', level: 'breach' },
    ],
  ] satisfies readonly [string, readonly TicketChange[], TicketChange][]) {
    it(`refuses ${why}`, () => refuses(after(...before), change));
  }

  it('is the same however often its events are replayed, and its pauses never overlap', () => {
    const change = fc.oneof(
      fc.constantFrom<TicketChange>(
        said('asker'),
        said('team'),
        said('other'),
        { kind: 'waiting' },
        { kind: 'resumed' },
        { kind: 'woken' },
        { kind: 'solved', resolution: '' },
        { kind: 'closed', reason: 'team' },
        { kind: 'reopened', reason: '' },
        { kind: 'follow_up_asked' },
      ),
      fc.nat(100_000).map((until): TicketChange => ({ kind: 'snoozed', until })),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(change, fc.nat(1_000)), { maxLength: 40 }), (steps) => {
        let ticket = opened();
        let at = 1_000;
        const events: TicketEvent[] = [{ ...event({ kind: 'opened', arrival: arrival(1) }), seq: 1 }];
        for (const [next, wait] of steps) {
          at += wait;
          const happened = { ...event(next, { at, actor: SYSTEM }), seq: ticket.version + 1 };
          try {
            ticket = applyEvent(ticket, happened);
            events.push(happened);
          } catch (error) {
            assert.ok(hasCode(error, 'ticket_refused'));
          }
        }
        assert.deepEqual(replayEvents('T1', events), ticket);
        assert.equal(ticket.version, events.length);
        let end = 0;
        for (const [n, { from, to }] of ticket.pauses.entries()) {
          assert.ok(from >= end && (to === null ? n === ticket.pauses.length - 1 : to >= from));
          end = to ?? end;
        }
        assert.equal(ticket.pauses.at(-1)?.to === null, ticket.status === 'waiting' || ticket.status === 'snoozed');
      }),
      { seed, numRuns: 100 },
    );
  });
});
