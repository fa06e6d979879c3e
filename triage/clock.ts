/**
 * Service levels: how much worked time an episode of a ticket may take to its first answer and to its solution. The clocks stand
 * while the ticket waits for its asker or is snoozed.
 */
import { SERVICE_TARGETS, type ServiceTarget, type Ticket } from '../agent/ticket.ts';
import type { Priority } from '../agent/ticket-reading.ts';
import type { Calendar } from './calendar.ts';

/** Worked minutes; a target that is absent has no clock. */
export type ServiceLevel = Readonly<Partial<Record<ServiceTarget, number>>>;
export type ServiceLevels = Readonly<Partial<Record<Priority, ServiceLevel>>>;

export interface ServiceClock {
  readonly target: ServiceTarget;
  readonly budgetMs: number;
  readonly usedMs: number;
  /** `met`: in time. `missed`: reached, but late. `over`: late, and not reached. */
  readonly state: 'running' | 'standing' | 'met' | 'missed' | 'over';
  /** When it is 75 % used up, and all of it, if nothing stops it; null where it does not run. */
  readonly warnAt: number | null;
  readonly dueAt: number | null;
}

const WARN_SHARE = 0.75;
const MINUTE_MS = 60_000;
/** Who has not been read yet is nobody's emergency, nor forgotten. */
const WITHOUT_PRIORITY: Priority = 'normal';

const reachedAt = (ticket: Ticket, target: ServiceTarget): number | null =>
  target === 'first_answer' ? (ticket.firstAnsweredAt ?? ticket.solvedAt) : ticket.solvedAt;

/** When the clock ran, up to `end`. */
const running = ({ episodeStartedAt, pauses }: Ticket, end: number): readonly { from: number; to: number }[] => {
  const spans: { from: number; to: number }[] = [];
  let from = episodeStartedAt;
  for (const pause of pauses) {
    spans.push({ from, to: Math.min(pause.from, end) });
    from = pause.to ?? end;
  }
  spans.push({ from, to: end });
  return spans.filter((span) => span.from < span.to);
};

/** Of the episode, in the order of the targets. None for a ticket that goes on in another. */
export const clocksOf = (ticket: Ticket, levels: ServiceLevels, calendar: Calendar, now: number): readonly ServiceClock[] => {
  if (ticket.status === 'merged') return [];
  const level = levels[ticket.priority ?? WITHOUT_PRIORITY] ?? {};
  return SERVICE_TARGETS.flatMap((target): readonly ServiceClock[] => {
    const minutes = level[target];
    if (minutes === undefined) return [];
    const budgetMs = minutes * MINUTE_MS;
    const reached = reachedAt(ticket, target);
    const usedMs = running(ticket, reached ?? now).reduce((sum, { from, to }) => sum + calendar.workingMs(from, to), 0);
    const isLate = usedMs >= budgetMs;
    const stands = ticket.status === 'waiting' || ticket.status === 'snoozed';
    const state = reached !== null ? (usedMs > budgetMs ? 'missed' : 'met') : isLate ? 'over' : stands ? 'standing' : 'running';
    const passesAt = (ms: number): number | null =>
      state === 'running' && ms > usedMs ? (calendar.add(now, ms - usedMs) ?? null) : null;
    return [{ target, budgetMs, usedMs, state, warnAt: passesAt(budgetMs * WARN_SHARE), dueAt: passesAt(budgetMs) }];
  });
};

/** What is to be warned of and was not, the worse one where both are due. */
export const warningsDue = (
  ticket: Ticket,
  clocks: readonly ServiceClock[],
): readonly { readonly target: ServiceTarget; readonly level: 'warning' | 'breach' }[] =>
  clocks.flatMap(({ target, usedMs, budgetMs, state }) => {
    if (state !== 'running' && state !== 'over') return [];
    const level = state === 'over' ? 'breach' : usedMs >= budgetMs * WARN_SHARE ? 'warning' : undefined;
    if (level === undefined || ticket.warned.includes(`${target}:${level}`) || ticket.warned.includes(`${target}:breach`))
      return [];
    return [{ target, level }];
  });
