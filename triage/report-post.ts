/**
 * Posts the report once a week. The week and its text are stored before they are sent, and a send whose outcome is unknown is looked up
 * before it is repeated: one report a week, whatever ends the process and however often.
 */
import { z } from 'zod';
import { hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Store } from '../agent/ports/store.ts';
import type { TicketBoard } from '../agent/ports/ticket-board.ts';
import type { PostTarget, TicketStore } from '../agent/ports/ticket-store.ts';
import { postKey } from './board.ts';
import { type Calendar, createCalendar, type Weekday } from './calendar.ts';
import { publicEvents, readAllEvents, reportOf } from './report.ts';
import { reportText } from './report-text.ts';

export interface ReportSchedule {
  /** A place's id, as in `Place.id`. */
  readonly placeId: string;
  readonly weekday: Weekday;
  /** 0 to 23, in the calendar's time zone. In a free time it waits for the next that is worked. */
  readonly hour: number;
}

export interface ReportPostOptions {
  readonly store: Pick<TicketStore, 'eventsAfter'>;
  readonly settings: Pick<Store, 'readSetting' | 'writeSetting'>;
  readonly schedule: ReportSchedule;
  readonly calendar: Calendar;
  readonly board: TicketBoard;
  readonly nameOf: (category: string) => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Week {
  /** Epoch ms, the end not included. */
  readonly from: number;
  readonly to: number;
  /** When its report is due. */
  readonly dueAt: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest time a send can be under way. */
const GRACE_MS = 10_000;
const RETRY_MS = 60_000;

/** Weeks about a time, oldest first: at least one that is due before it and one that is due after. */
export const weeksAbout = (now: number, { weekday, hour }: ReportSchedule, calendar: Calendar): readonly Week[] => {
  const from = `${String(hour).padStart(2, '0')}:00`;
  const slots = createCalendar({ timeZone: calendar.timeZone, hours: { [weekday]: [`${from}-24:00`] }, holidays: [] });
  const starts: number[] = [];
  // Free days may put a report off by weeks.
  for (let at = now - 50 * DAY_MS; at < now + 15 * DAY_MS; ) {
    if (slots.isWorking(at)) {
      at += HOUR_MS;
      continue;
    }
    const start = slots.add(at, 0);
    if (start === undefined) break;
    starts.push(start);
    at = start + DAY_MS;
  }
  return starts.flatMap((to, n) => {
    const before = starts[n - 1];
    return before === undefined ? [] : [{ from: before, to, dueAt: calendar.add(to, 0) ?? to }];
  });
};

const stored = z.object({
  week: z.number(),
  /** `passed`: it ended before anybody wanted reports, or the platform refused it for good. */
  state: z.enum(['planned', 'sending', 'posted', 'passed']),
  text: z.string(),
  sentAt: z.number(),
});
type Stored = z.infer<typeof stored>;

export const createReportPoster = ({
  store,
  settings,
  schedule,
  calendar,
  board,
  nameOf,
  clock,
  logger,
}: ReportPostOptions): { sweep(signal: AbortSignal): Promise<number | undefined> } => {
  const target: PostTarget = { channel: board.channel, isPrivate: false, kind: 'channel', placeId: schedule.placeId };
  const keyOf = ({ week }: Stored): string => postKey({ ticketId: 'report', slot: String(week) });

  const read = async (): Promise<Stored | undefined> => {
    const parsed = stored.safeParse(await settings.readSetting('triage', 'report'));
    return parsed.success ? parsed.data : undefined;
  };
  const keep = async (row: Stored): Promise<Stored> => {
    await settings.writeSetting('triage', 'report', row);
    return row;
  };

  const daysOf = ({ from, to }: Week): string => {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: calendar.timeZone,
      day: 'numeric',
      month: 'short',
      year: 'numeric',
    });
    return `${format.format(from)} – ${format.format(to)}`;
  };

  const write = async (week: Week): Promise<string> => {
    const events = publicEvents(await readAllEvents(store));
    const before = { from: week.from - (week.to - week.from), to: week.from };
    return reportText({ now: reportOf(events, week), before: reportOf(events, before), days: daysOf(week), nameOf });
  };

  /** Resolves with when to try again, or undefined when it is done. */
  const send = async (row: Stored): Promise<number | undefined> => {
    const graceEnds = row.sentAt + GRACE_MS;
    const now = clock.now();
    if (row.state === 'sending' && now < graceEnds && graceEnds - now <= GRACE_MS) return graceEnds;
    try {
      const stands = row.state === 'sending' && (await board.find(target, keyOf(row))) !== undefined;
      if (!stands) {
        await keep({ ...row, state: 'sending', sentAt: clock.now() });
        await board.post(target, { kind: 'answer', ticketId: '', text: row.text, citations: [] }, keyOf(row));
      }
      await keep({ ...row, state: 'posted' });
      return undefined;
    } catch (error) {
      if (hasCode(error, 'channel_rejected')) {
        logger.warn('ticket_report_rejected', { place: schedule.placeId, error });
        await keep({ ...row, state: 'passed' });
        return undefined;
      }
      if (!hasCode(error, 'channel_unavailable')) throw error;
      logger.info('ticket_report_waits', { place: schedule.placeId, error });
      return clock.now() + Math.max(RETRY_MS, error.retryAfterMs ?? 0);
    }
  };

  return {
    sweep: async (signal) => {
      const now = clock.now();
      const weeks = weeksAbout(now, schedule, calendar);
      const week = weeks.findLast(({ dueAt }) => dueAt <= now);
      const next = weeks.find(({ dueAt }) => dueAt > now)?.dueAt;
      if (week === undefined) return next;
      let row = await read();
      // A clock that was set back, or another weekday in the configuration, makes no week twice.
      if (row === undefined) row = await keep({ week: week.to, state: 'passed', text: '', sentAt: 0 });
      else if (row.week < week.to) {
        signal.throwIfAborted();
        row = await keep({ week: week.to, state: 'planned', text: await write(week), sentAt: 0 });
      }
      if (row.state === 'posted' || row.state === 'passed') return next;
      return (await send(row)) ?? next;
    },
  };
};
