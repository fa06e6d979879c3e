import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Ticket, TicketChange } from '../../agent/ticket.ts';
import { applyEvent, openFrom } from '../../agent/ticket-events.ts';
import { createCalendar, WEEKDAYS } from '../../triage/calendar.ts';
import { clocksOf, type ServiceLevels, warningsDue } from '../../triage/clock.ts';
import { arrival, BEN, event } from '../fakes/tickets.ts';
import { scaled, seed } from '../scale.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 9);
const LEVELS: ServiceLevels = { normal: { first_answer: 60, solved: 480 }, urgent: { first_answer: 10 }, low: {} };
const office = createCalendar({
  timeZone: 'UTC',
  hours: Object.fromEntries(WEEKDAYS.slice(1, 6).map((day) => [day, ['09:00-17:00']])),
  holidays: [],
});

const begin = (): Ticket => openFrom('T1', event({ kind: 'opened', arrival: arrival(1, { receivedAt: START }) }));
const then = (ticket: Ticket, minutes: number, change: TicketChange): Ticket =>
  applyEvent(ticket, event(change, { at: START + minutes * MINUTE }));
const answer: TicketChange = { kind: 'message_added', message: { deliveryId: 'a', from: 'team', author: BEN, text: 'x' } };
const reply: TicketChange = { kind: 'message_added', message: { deliveryId: 'b', from: 'asker', author: BEN, text: 'x' } };

const seen = (ticket: Ticket, minutes: number) =>
  clocksOf(ticket, LEVELS, office, START + minutes * MINUTE).map(
    ({ target, usedMs, state, warnAt, dueAt }) =>
      `${target} ${state} ${usedMs / MINUTE}${[warnAt, dueAt].map((at) => (at === null ? '' : ` ${(at - START) / MINUTE}`)).join('')}`,
  );

describe('service clocks', () => {
  it('run from the opening, by the priority', () => {
    assert.deepEqual(seen(begin(), 30), ['first_answer running 30 45 60', 'solved running 30 360 480']);
    assert.deepEqual(seen(then(begin(), 0, { kind: 'priority_set', priority: 'urgent' }), 5), ['first_answer running 5 7.5 10']);
    assert.deepEqual(seen(then(begin(), 0, { kind: 'priority_set', priority: 'low' }), 5), []);
  });

  it('stand at night', () => {
    assert.deepEqual(seen(begin(), 24 * 60 + 10), ['first_answer over 490', 'solved over 490']);
    assert.deepEqual(seen(begin(), 9 * 60)[1], 'solved over 480');
  });

  it('stand while the ticket waits for its asker, and end with the first answer and the solution', () => {
    const answered = then(begin(), 20, answer);
    assert.deepEqual(seen(answered, 400), ['first_answer met 20', 'solved standing 20']);
    const replied = then(answered, 100, reply);
    assert.deepEqual(seen(replied, 130), ['first_answer met 20', 'solved running 50 440 1520']);
    assert.deepEqual(seen(then(replied, 160, { kind: 'solved', resolution: '' }), 9_000), [
      'first_answer met 20',
      'solved met 80',
    ]);
  });

  it('say that what was reached late was missed', () => {
    assert.equal(seen(then(begin(), 61, answer), 70)[0], 'first_answer missed 61');
  });

  it('begin anew with an episode', () => {
    const again = then(then(begin(), 20, { kind: 'solved', resolution: '' }), 60, { kind: 'reopened', reason: '' });
    assert.deepEqual(seen(again, 70), ['first_answer running 10 105 120', 'solved running 10 420 1500']);
  });

  it('warn at three quarters and when the time is over, each once', () => {
    const due = (ticket: Ticket, minutes: number) =>
      warningsDue(ticket, clocksOf(ticket, LEVELS, office, START + minutes * MINUTE)).map(
        ({ target, level }) => `${target} ${level}`,
      );
    assert.deepEqual(due(begin(), 44), []);
    assert.deepEqual(due(begin(), 45), ['first_answer warning']);
    const warned = then(begin(), 45, { kind: 'clock_warned', target: 'first_answer', level: 'warning' });
    assert.deepEqual(due(warned, 59), []);
    assert.deepEqual(due(warned, 60), ['first_answer breach']);
    assert.deepEqual(due(then(warned, 60, { kind: 'clock_warned', target: 'first_answer', level: 'breach' }), 90), []);
    assert.deepEqual(due(begin(), 60), ['first_answer breach'], 'the worse one alone where nobody looked before');
  });

  it('agree with a count of minutes, whatever happened', () => {
    const step = fc.tuple(
      fc.nat(600),
      fc.constantFrom<TicketChange>(
        answer,
        reply,
        { kind: 'waiting' },
        { kind: 'resumed' },
        { kind: 'woken' },
        { kind: 'snoozed', until: START * 2 },
      ),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.nat(2_000), (steps, rest) => {
        let ticket = begin();
        let [minute, used] = [0, 0];
        const live = (until: number): void => {
          for (; minute < until; minute += 1)
            used += Number(ticket.status === 'open' && office.isWorking(START + minute * MINUTE));
        };
        for (const [wait, change] of steps) {
          live(minute + wait);
          try {
            ticket = then(ticket, minute, change);
          } catch {
            // What may not come now does not.
          }
        }
        live(minute + rest);
        const solved = clocksOf(ticket, LEVELS, office, START + minute * MINUTE).find(({ target }) => target === 'solved');
        assert.equal(solved?.usedMs, used * MINUTE);
      }),
      { seed, numRuns: scaled(300) },
    );
  });
});
