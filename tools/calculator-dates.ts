/**
 * Dates as days since 1970-01-01 of the Gregorian calendar, from year 1 to 9999, and times of day as seconds since midnight. No time
 * zones, so a day has 24 hours.
 */
import { refuse } from './calculator-refusal.ts';

const DAY_MS = 86_400_000;
const MIN_DAY = -719_162;
const MAX_DAY = 2_932_896;

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const partsOf = (days: number): Parts => {
  const date = new Date(days * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
};

const daysInMonth = (year: number, month: number): number => {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
};

const inRange = (days: number): number =>
  days >= MIN_DAY && days <= MAX_DAY ? days : refuse('too_large', 'dates are calculated from year 1 to 9999');

const daysOf = ({ year, month, day }: Parts): number => {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.round(date.getTime() / DAY_MS);
};

/** Refuses 2026-02-30. */
export const readDate = (year: number, month: number, day: number): number => {
  const name = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  if (year < 1 || month < 1 || month > 12) refuse('date', `${name} is no date; write it as year-month-day, as in 2026-03-01`);
  const last = daysInMonth(year, month);
  if (day < 1 || day > last) refuse('date', `${name} is no date; that month has ${last} days`);
  return daysOf({ year, month, day });
};

export const formatDate = (days: number): string => new Date(days * DAY_MS).toISOString().slice(0, 10);

export const dayOf = (epochMs: number): number => Math.floor(epochMs / DAY_MS);

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
/** 0 is Sunday. */
const weekdayOf = (days: number): number => (((days + 4) % 7) + 7) % 7;
export const weekdayName = (days: number): string => WEEKDAYS[weekdayOf(days)] as string;

/** `nextmonday` is the first Monday after the day, `lastmonday` the latest one before it, `mondayofnextweek` that of the week behind. */
export const weekdaysAround = (days: number): readonly (readonly [string, number])[] => {
  const sinceMonday = (weekdayOf(days) + 6) % 7;
  return WEEKDAYS.flatMap((weekday, index) => {
    const name = weekday.toLowerCase();
    const ahead = (index - weekdayOf(days) + 7) % 7;
    return [
      [`next${name}`, days + (ahead || 7)],
      [`last${name}`, days + ahead - 7],
      [`${name}ofnextweek`, days - sinceMonday + 7 + ((index + 6) % 7)],
    ] as const;
  });
};

const DAY_SECONDS = 86_400;

/** `16:05`, with seconds where there are any; of whatever day. */
export const formatClock = (seconds: number): string => {
  const time = new Date((((seconds % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS) * 1_000).toISOString();
  return seconds % 60 === 0 ? time.slice(11, 16) : time.slice(11, 19);
};

/** Whole days from the day on which a clock was read. */
export const daysLater = (seconds: number): number => Math.floor(seconds / DAY_SECONDS);

export const addDays = (days: number, count: number): number => inRange(days + count);

/** A day that the month reached does not have becomes its last. */
export const addMonths = (days: number, count: number): number => {
  const { year, month, day } = partsOf(days);
  const months = year * 12 + (month - 1) + count;
  const reached = { year: Math.floor(months / 12), month: (((months % 12) + 12) % 12) + 1 };
  if (reached.year < 1 || reached.year > 9999) inRange(Number.NaN);
  return daysOf({ ...reached, day: Math.min(day, daysInMonth(reached.year, reached.month)) });
};

/** Mondays to Fridays passed from 1970-01-01 (a Thursday) up to and including the day; holidays are not known. */
const workdaysUpTo = (days: number): number => {
  const sinceMonday = days + 3;
  const weeks = Math.floor(sinceMonday / 7);
  return weeks * 5 + Math.min(sinceMonday - weeks * 7 + 1, 5);
};

/** The working days after `from` up to and including `to`. */
export const workdaysBetween = (from: number, to: number): number => workdaysUpTo(to) - workdaysUpTo(from);

/** The day that is `count` working days on: of Friday and 1, Monday. */
export const addWorkdays = (days: number, count: number): number => {
  const target = workdaysUpTo(days) + count;
  // Counting back, from a Saturday one working day ago is its Friday, which the weekend shares its count with.
  const onWeekend = weekdayOf(days) === 0 || weekdayOf(days) === 6;
  const wanted = count < 0 && onWeekend ? target + 1 : target;
  if (count === 0) return days;
  const weeks = Math.floor((wanted - 1) / 5);
  return inRange(weeks * 7 - 3 + (wanted - 1 - weeks * 5));
};

/** Whole months from one to the other, and the days left over; both negative when `to` is before `from`. */
export const monthsBetween = (from: number, to: number): { readonly months: number; readonly days: number } => {
  if (to < from) {
    const back = monthsBetween(to, from);
    return { months: -back.months, days: -back.days };
  }
  const [a, b] = [partsOf(from), partsOf(to)];
  let months = (b.year - a.year) * 12 + (b.month - a.month);
  if (addMonths(from, months) > to) months -= 1;
  return { months, days: to - addMonths(from, months) };
};
