/**
 * Business calendars: which instants are worked, in a place's own time. A day of the calendar may have 23 or 25 hours; an hour that
 * the clocks skip is not worked, and one that they repeat is worked twice.
 */
import { AppError } from '../agent/errors.ts';

export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export interface CalendarSpec {
  /** IANA name: `Europe/Berlin`. */
  readonly timeZone: string;
  /** Hours worked: `09:00-12:30`; `24:00` is the end of a day. A weekday without any is free. */
  readonly hours: Readonly<Partial<Record<Weekday, readonly string[]>>>;
  /** Free days: `2026-12-25`. */
  readonly holidays: readonly string[];
}

export interface Calendar {
  readonly timeZone: string;
  isWorking(at: number): boolean;
  /** Worked milliseconds from `from` up to `to`; 0 where `to` is not later. */
  workingMs(from: number, to: number): number;
  /** When `ms` worked milliseconds after `from` have passed. Undefined where that is not within ten years. */
  add(from: number, ms: number): number | undefined;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_DAYS_AHEAD = 3_653;
/** A year and more; older days are made again. */
const MAX_CACHED_DAYS = 800;

const minutesOf = (text: string): number => {
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  return hour * 60 + minute;
};

/** Local minutes of a day. Throws `AppError('config_invalid')`. */
const parseHours = (text: string): Span => {
  const match = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d|24:00)$/.exec(text);
  const span = { from: minutesOf(match?.[1] ?? ''), to: minutesOf(match?.[2] ?? '') };
  if (match === null || span.from >= span.to) {
    throw new AppError(
      'config_invalid',
      `hours: expected a time and a later one, such as 09:00-17:30, got ${JSON.stringify(text)}`,
    );
  }
  return span;
};

const createOffset = (timeZone: string): ((at: number) => number) => {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' });
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
    const match = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(name);
    if (match === null) throw new AppError('internal', `timeZone: expected an offset of ${timeZone}, got ${name}`);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
    const ms = Number(hours) * 3_600_000 + Number(minutes) * MINUTE_MS + Number(seconds) * 1_000;
    return sign === '-' ? -ms : ms;
  };
};

const isTimeZone = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const parseWeek = ({ hours }: CalendarSpec): readonly (readonly Span[])[] =>
  WEEKDAYS.map((day) => (hours[day] ?? []).map(parseHours).toSorted((a, b) => a.from - b.from));

/** Throws `AppError('config_invalid')` that says which part of the calendar is wrong. */
export const createCalendar = (spec: CalendarSpec): Calendar => {
  if (!isTimeZone(spec.timeZone)) {
    throw new AppError('config_invalid', `timeZone: expected a name such as Europe/Berlin, got ${JSON.stringify(spec.timeZone)}`);
  }
  const week = parseWeek(spec);
  for (const [index, spans] of week.entries()) {
    if (spans.some(({ from }, n) => n > 0 && from < (spans[n - 1]?.to ?? 0)))
      throw new AppError('config_invalid', `hours.${WEEKDAYS[index]}: expected times one after the other, got some that overlap`);
  }
  if (week.every((spans) => spans.length === 0)) {
    throw new AppError(
      'config_invalid',
      'hours: expected at least one weekday with hours, got none; for example monday: [09:00-17:00]',
    );
  }
  const holidays = new Set(spec.holidays);
  const offsetAt = createOffset(spec.timeZone);
  const cache = new Map<number, readonly Span[]>();

  /** Spans of one offset, of which a day has two where its clocks change. */
  const segmentsOf = (from: number, to: number): readonly (Span & { readonly offset: number })[] => {
    const [before, after] = [offsetAt(from), offsetAt(to - 1)];
    if (before === after) return [{ from, to, offset: before }];
    let [low, high] = [from, to - 1];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    return [
      { from, to: high, offset: before },
      { from: high, to, offset: after },
    ];
  };

  /** Of one day of UTC, in order. */
  const makeDay = (day: number): readonly Span[] =>
    segmentsOf(day * DAY_MS, (day + 1) * DAY_MS).flatMap(({ from, to, offset }) => {
      const [first, last] = [Math.floor((from + offset) / DAY_MS), Math.floor((to - 1 + offset) / DAY_MS)];
      return Array.from({ length: last - first + 1 }, (_, n) => first + n).flatMap((localDay) => {
        const midnight = new Date(localDay * DAY_MS);
        if (holidays.has(midnight.toISOString().slice(0, 10))) return [];
        return (week[midnight.getUTCDay()] ?? [])
          .map((span) => ({
            from: Math.max(from, localDay * DAY_MS + span.from * MINUTE_MS - offset),
            to: Math.min(to, localDay * DAY_MS + span.to * MINUTE_MS - offset),
          }))
          .filter((span) => span.from < span.to);
      });
    });

  const spansOf = (day: number): readonly Span[] => {
    const known = cache.get(day);
    if (known !== undefined) return known;
    if (cache.size >= MAX_CACHED_DAYS) cache.clear();
    const made = makeDay(day);
    cache.set(day, made);
    return made;
  };

  return {
    timeZone: spec.timeZone,
    isWorking: (at) => spansOf(Math.floor(at / DAY_MS)).some(({ from, to }) => at >= from && at < to),
    workingMs: (from, to) => {
      let sum = 0;
      for (let day = Math.floor(from / DAY_MS); day * DAY_MS < to; day += 1)
        for (const span of spansOf(day)) sum += Math.max(0, Math.min(span.to, to) - Math.max(span.from, from));
      return sum;
    },
    add: (start, ms) => {
      let left = ms;
      const first = Math.floor(start / DAY_MS);
      for (let day = first; day < first + MAX_DAYS_AHEAD; day += 1) {
        for (const span of spansOf(day)) {
          const from = Math.max(span.from, start);
          const worked = Math.max(0, span.to - from);
          if (worked >= left && worked > 0) return from + left;
          left -= worked;
        }
      }
      return undefined;
    },
  };
};
