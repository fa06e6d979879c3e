import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hasCode } from '../../agent/errors.ts';
import { type CalendarSpec, createCalendar, WEEKDAYS } from '../../triage/calendar.ts';
import { scaled, seed } from '../scale.ts';

const MINUTE = 60_000;
const BERLIN: CalendarSpec = {
  timeZone: 'Europe/Berlin',
  hours: {
    monday: ['09:00-12:00', '13:00-17:00'],
    tuesday: ['09:00-17:00'],
    wednesday: ['09:00-17:00'],
    thursday: ['09:00-17:00'],
    friday: ['09:00-15:00'],
  },
  holidays: ['2026-01-01', '2026-04-03'],
};
const ALWAYS: CalendarSpec = {
  timeZone: 'UTC',
  hours: Object.fromEntries(WEEKDAYS.map((day) => [day, ['00:00-24:00']])),
  holidays: [],
};
const at = (text: string): number => Date.parse(text);

/** Minute by minute, by what a wall clock shows. */
const plainIsWorking = (spec: CalendarSpec) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: spec.timeZone,
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (instant: number): boolean => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const { year, month, day, hour, minute, weekday = '' } = parts;
    if (spec.holidays.includes(`${year}-${month}-${day}`)) return false;
    const time = `${hour}:${minute}`;
    return (spec.hours[weekday.toLowerCase() as (typeof WEEKDAYS)[number]] ?? []).some((span) => {
      const [open = '', close = ''] = span.split('-');
      return time >= open && time < close;
    });
  };
};

describe('a business calendar', () => {
  it('counts the hours of a week, without weekends and holidays', () => {
    const { workingMs } = createCalendar(BERLIN);
    const hours = (from: string, to: string) => workingMs(at(from), at(to)) / 3_600_000;
    assert.equal(hours('2026-01-05T00:00Z', '2026-01-12T00:00Z'), 7 + 8 + 8 + 8 + 6);
    assert.equal(hours('2025-12-29T00:00Z', '2026-01-05T00:00Z'), 7 + 8 + 8 + 6);
    assert.equal(hours('2026-01-05T09:30Z', '2026-01-05T08:30Z'), 0);
  });

  it('adds hours over the night and the weekend', () => {
    const { add } = createCalendar(BERLIN);
    const after = (from: string, minutes: number) => new Date(add(at(from), minutes * MINUTE) ?? 0).toISOString();
    assert.equal(after('2026-01-09T13:30:00Z', 60), '2026-01-12T08:30:00.000Z');
    assert.equal(after('2026-01-10T12:00:00Z', 1), '2026-01-12T08:01:00.000Z');
    assert.equal(after('2026-01-05T10:30:00Z', 60), '2026-01-05T12:30:00.000Z');
  });

  it('has 23 and 25 hours on the days when the clocks change', () => {
    const hoursOf = (timeZone: string, day: string, next: string) =>
      createCalendar({ ...ALWAYS, timeZone, hours: { sunday: ['00:00-24:00'] } }).workingMs(at(day), at(next)) / 3_600_000;
    assert.equal(hoursOf('Europe/Berlin', '2026-03-28T00:00Z', '2026-03-31T00:00Z'), 23);
    assert.equal(hoursOf('Europe/Berlin', '2026-10-24T00:00Z', '2026-10-27T00:00Z'), 25);
    assert.equal(hoursOf('Australia/Lord_Howe', '2026-04-03T00:00Z', '2026-04-07T00:00Z'), 24.5);
  });

  it('agrees with a plain count of minutes in any time zone, at the changes of its clocks as well', () => {
    const CHANGES = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-25', '2026-11-01', '2026-12-31', '2024-02-29'];
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'Australia/Lord_Howe',
      'America/St_Johns',
    );
    const clock = fc.nat(95).map((quarter) => quarter * 15);
    const text = (minutes: number) =>
      `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
    const span = fc
      .tuple(clock, clock)
      .filter(([open, close]) => open !== close)
      .map((times) =>
        times
          .toSorted((a, b) => a - b)
          .map(text)
          .join('-'),
      );
    fc.assert(
      fc.property(
        fc.record({ timeZone: zone, span, free: fc.subarray([...WEEKDAYS], { maxLength: 5 }) }),
        fc.constantFrom(...CHANGES),
        fc.integer({ min: -2 * 1_440, max: 1_440 }),
        fc.nat(3 * 1_440),
        fc.nat(2_000),
        ({ timeZone, span: hours, free }, day, shift, length, add) => {
          const spec: CalendarSpec = {
            timeZone,
            hours: Object.fromEntries(WEEKDAYS.filter((name) => !free.includes(name)).map((name) => [name, [hours]])),
            holidays: [day],
          };
          const calendar = createCalendar(spec);
          const isWorking = plainIsWorking(spec);
          const from = at(`${day}T00:00Z`) + shift * MINUTE;
          let [minutes, left, end] = [0, add, undefined as number | undefined];
          for (let n = 0; n < length; n += 1) {
            const instant = from + n * MINUTE;
            const works = isWorking(instant);
            assert.equal(calendar.isWorking(instant), works, new Date(instant).toISOString());
            minutes += Number(works);
            if (works && left-- === 1) end = instant + MINUTE;
          }
          assert.equal(calendar.workingMs(from, from + length * MINUTE), minutes * MINUTE);
          if (end !== undefined) assert.equal(calendar.add(from, add * MINUTE), end);
        },
      ),
      { seed, numRuns: scaled(200) },
    );
  });

  it('says what is wrong with a calendar', () => {
    for (const [wrong, message] of [
      [{ timeZone: 'Mars/Olympus' }, /^timeZone: expected a name such as Europe\/Berlin, got "Mars\/Olympus"$/],
      [{ hours: {} }, /^hours: expected at least one weekday/],
      [
        { hours: { monday: ['17:00-09:00'] } },
        /^hours: expected a time and a later one, such as 09:00-17:30, got "17:00-09:00"$/,
      ],
      [{ hours: { monday: ['9-5'] } }, /got "9-5"$/],
      [{ hours: { monday: ['09:00-12:00', '11:00-13:00'] } }, /^hours\.monday: expected times one after the other/],
    ] as const) {
      assert.throws(
        () => createCalendar({ ...BERLIN, ...wrong }),
        (error) => hasCode(error, 'config_invalid') && message.test(error.message),
      );
    }
  });

  it('does not look for ever for an hour that never comes', () => {
    assert.equal(createCalendar({ ...BERLIN, hours: { monday: ['09:00-09:01'] } }).add(0, 1_000 * MINUTE), undefined);
  });
});
