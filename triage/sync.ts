/**
 * Tickets and an outside helpdesk kept in step, both ways. What changed here is told by the events, what changed there by asking or by a
 * notice of theirs; either way the ticket is due, and is compared as it then is. What is due survives a crash; an outage only delays it.
 */
import { AppError, hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { TicketDesk } from '../agent/ports/ticket-desk.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import { externalThreadId, type Ticket, type TicketArrival, type TicketChangeKind } from '../agent/ticket.ts';
import type { Connector, OutsideTicket } from './connectors/connector.ts';
import { createLoop } from './loop.ts';
import { createSyncMemory, type DueTicket, type NotedTicket, type SyncSettings, type SystemSync } from './sync-state.ts';
import { createReconcile } from './sync-ticket.ts';
import { SETTLE_MS, type SyncRules, tellTeam, ticketOfMarker } from './sync-work.ts';

export interface SyncOptions {
  readonly connector: Connector;
  readonly rules: SyncRules;
  /** Tickets that are opened over there become tickets here. */
  readonly imports: boolean;
  readonly pollMs: number;
  readonly desk: TicketDesk;
  readonly store: TicketStore;
  readonly settings: SyncSettings;
  /** Nobody can guess it. */
  readonly newMarker: () => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface HelpdeskSync {
  readonly system: string;
  start(): void;
  /** A ticket of ours changed. */
  wake(): void;
  /**
   * The helpdesk says that its ticket changed, or that it is new; resolves when that is durable. Nothing that it says besides is
   * believed but the fields of a new one, which rules read. What is not known here and not to be imported is passed over.
   */
  notice(outsideId: string, fields?: Readonly<Record<string, string>>): Promise<void>;
  /** Does what is due now; resolves with when there is more. Never twice at once. */
  sweep(signal: AbortSignal): Promise<number>;
  stop(): Promise<void>;
}

const KINDS: readonly TicketChangeKind[] = [
  'opened',
  'message_added',
  'routed',
  'team_set',
  'assigned',
  'privacy_set',
  'waiting',
  'resumed',
  'snoozed',
  'woken',
  'solved',
  'closed',
  'reopened',
  'merged_into',
  'unmerged',
  'merge_given_back',
  'commented',
  'external_linked',
];
const EVENTS_AT_ONCE = 200;
const MAX_PAGES = 50;
const AT_ONCE = 4;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 600_000;
/** Helpdesks count their calls by the hour. */
const MAX_WAIT_MS = 3_600_000;
/** A rate limit without a time. */
const LIMITED_MS = 60_000;
const AUTH_RETRY_MS = 300_000;
const TRIES_BEFORE_TOLD = 4;
/** Lists lag behind: what changed is asked for this long again. */
const OVERLAP_MS = 60_000;

/** A ticket that was opened over there, as it arrives here: under the names that a webhook of the same helpdesk gives it. */
const arrivalOf = (system: string, outside: OutsideTicket, fields: TicketArrival['fields']): TicketArrival => {
  const external = { system, id: outside.id, url: outside.url };
  const threadId = externalThreadId(external);
  return {
    deliveryId: threadId,
    threadId,
    how: 'webhook',
    author: outside.requester,
    place: null,
    isPrivate: outside.isPrivate,
    address: null,
    external,
    subject: outside.subject,
    text: outside.text || outside.subject,
    receivedAt: outside.createdAt,
    fields,
  };
};

const backoffMs = (failures: number): number => Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10));

export const createHelpdeskSync = (options: SyncOptions): HelpdeskSync => {
  const { connector, rules, imports, pollMs, desk, store, settings, newMarker, clock, logger } = options;
  const { system } = connector;
  const memory = createSyncMemory(settings, system);
  /** Before the store is asked: what arrives meanwhile is not from before. */
  const madeAt = clock.now();

  let state: SystemSync | undefined;
  let pollAt = 0;
  /** What is put off for longer than anything is put off was so before the system clock was set back. */
  const isTime = (at: number): boolean => at <= clock.now() || at > clock.now() + Math.max(pollMs, MAX_WAIT_MS);
  let pollFailures = 0;
  /** They asked for it, or do not let our account in. */
  let restsUntil = 0;
  /** When they last let it in. */
  let letInAt = Number.NEGATIVE_INFINITY;
  /** Tickets for which it may not do something, as they were due. */
  let refused: { readonly ticketId: string; readonly due: DueTicket; readonly why: string }[] = [];
  /** When each ticket was changed, by the last lists. */
  let listed = new Map<string, number>();

  const creates = (ticket: Ticket): boolean => state !== undefined && ticket.openedAt >= state.begunAt && rules.creates(ticket);
  const reconcile = createReconcile({ connector, rules: { ...rules, creates }, desk, store, memory, newMarker, clock });

  const load = async (): Promise<SystemSync> => {
    const stored = state ?? (await memory.readSystem());
    state ??= stored ?? { position: 0, begunAt: madeAt, since: madeAt, due: {}, noted: {} };
    return state;
  };
  /** What is written later holds what was written before. */
  const update = async (next: (current: SystemSync) => Partial<SystemSync>): Promise<void> => {
    const current = await load();
    state = { ...current, ...next(current) };
    await memory.writeSystem(state);
  };
  /** Now, but for what failed: that only a notice hurries. */
  const sooner = (due: DueTicket | undefined): DueTicket =>
    due === undefined || due.failures === 0 ? { ...due, at: clock.now(), failures: 0 } : due;
  const withDue = ({ due }: SystemSync, ids: Iterable<string>, more: Pick<DueTicket, 'againAt'> = {}): SystemSync['due'] => ({
    ...due,
    ...Object.fromEntries([...ids].map((id) => [id, { ...sooner(due[id]), ...more }])),
  });
  const again = (): Pick<DueTicket, 'againAt'> => ({ againAt: clock.now() + SETTLE_MS });
  const without = <T>(all: Readonly<Record<string, T>>, id: string): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(all).filter(([key]) => key !== id));

  const takeEvents = async (): Promise<void> => {
    for (;;) {
      const { position } = await load();
      const events = await store.eventsAfter(position, EVENTS_AT_ONCE, KINDS);
      const last = events.at(-1);
      if (last === undefined) return;
      const ids = new Set(events.filter(({ event }) => event.source !== system).map(({ ticketId }) => ticketId));
      // A set that grows while it is gone through: what is said in a ticket concerns all that go on in it, and what is said in the
      // doubles of those may have changed it.
      const heard = new Set(events.map(({ ticketId }) => ticketId));
      for (const id of heard) {
        const mergedFrom = (await store.readTicket(id))?.mergedFrom ?? [];
        if (mergedFrom.length > 0) ids.add(id);
        for (const merged of mergedFrom) {
          heard.add(merged);
          ids.add(merged);
        }
      }
      await update((current) => ({ position: last.position, due: withDue(current, ids) }));
    }
  };

  /** Our id of what is known here; undefined for the rest. */
  const knownAs = async (outsideId: string): Promise<string | undefined> => {
    const known = await store.readByThread(externalThreadId({ system, id: outsideId }));
    return known?.external?.system === system ? known.id : undefined;
  };

  /** A ticket of theirs that nobody here knows: one that we made and whose making we did not hear of, or a new one. */
  const takeIn = async (outsideId: string, fields: TicketArrival['fields'], signal: AbortSignal): Promise<string | undefined> => {
    const outside = await connector.read(outsideId, signal);
    if (outside === undefined) return undefined;
    const maker = outside.marker === null ? undefined : ticketOfMarker(outside.marker);
    if (maker !== undefined && (await memory.readTicket(maker)).creating === outside.marker) return maker;
    if (outside.status === 'closed' || outside.status === 'solved') return undefined;
    const arrived = await desk.arrive(arrivalOf(system, outside, fields));
    return arrived.kind === 'not_a_ticket' ? undefined : arrived.ticket.id;
  };

  const rest = (ms: number): void => {
    const until = clock.now() + Math.min(ms, MAX_WAIT_MS);
    restsUntil = isTime(restsUntil) ? until : Math.max(restsUntil, until);
  };

  const poll = async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const heard = new Map<string, number>();
    let { since } = await load();
    let from = since - OVERLAP_MS;
    for (let n = 0, page = 1; n < MAX_PAGES; n += 1) {
      const { changed, isLast } = await connector.listChanged(from, page, signal);
      const [due, fresh]: [string[], string[]] = [[], []];
      for (const { id, changedAt } of changed) {
        heard.set(id, changedAt);
        if (listed.get(id) === changedAt) continue;
        const known = await knownAs(id);
        if (known !== undefined) due.push(known);
        else if (imports) fresh.push(id);
      }
      const latest = changed.reduce((max, { changedAt }) => Math.max(max, changedAt), from);
      since = Math.max(since, latest);
      await update((current) => ({
        since,
        due: withDue(current, due, again()),
        noted: {
          ...current.noted,
          ...Object.fromEntries(fresh.map((id) => [id, current.noted[id] ?? { at: now, failures: 0, fields: {}, ...again() }])),
        },
      }));
      if (isLast) break;
      // Tickets that change meanwhile move to the end: counting pages would pass over others. Within one instant there is no other way.
      page = latest > from ? 1 : page + 1;
      from = latest;
    }
    listed = heard;
  };

  /** Asks what changed there; where that fails, again later. */
  const ask = async (signal: AbortSignal): Promise<void> => {
    try {
      await poll(signal);
      pollFailures = 0;
      pollAt = clock.now() + pollMs;
      letInAt = clock.now();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      pollFailures += 1;
      pollAt = clock.now() + backoffMs(pollFailures - 1);
      if (hasCode(error, 'helpdesk_rate_limited')) rest(error.retryAfterMs ?? LIMITED_MS);
      if (hasCode(error, 'helpdesk_auth')) rest(AUTH_RETRY_MS);
      logger.warn('helpdesk_not_asked', { system, failures: pollFailures, error });
    }
  };

  /** An account that is let in nowhere rests; one that may not do one thing goes on with the rest, and the ticket says so. */
  const judgeRefused = async (signal: AbortSignal): Promise<void> => {
    const those = refused;
    refused = [];
    if (those.length > 0 && letInAt + FIRST_RETRY_MS <= clock.now()) await ask(signal);
    if (pollFailures > 0) return;
    for (const { ticketId, due, why } of those) {
      if (due.isTold === true || due.failures + 1 < TRIES_BEFORE_TOLD) continue;
      const text = `${system} does not let its account do something for this ticket; it is tried again now and then: ${why}`;
      await tellTeam(options, ticketId, `account:${due.at}`, text);
      const current = await load();
      const now = current.due[ticketId];
      if (now !== undefined) state = { ...current, due: { ...current.due, [ticketId]: { ...now, isTold: true } } };
    }
  };

  /** When to try again what failed. Throws the signal's reason. */
  const retryOf = <T extends DueTicket>(error: unknown, due: T, what: object, signal: AbortSignal): T => {
    signal.throwIfAborted();
    logger.warn('ticket_not_in_step', { system, ...what, failures: due.failures + 1, error: error as Error });
    if (hasCode(error, 'helpdesk_rate_limited')) {
      rest(error.retryAfterMs ?? LIMITED_MS);
      return { ...due, at: restsUntil };
    }
    return { ...due, at: clock.now() + backoffMs(due.failures), failures: due.failures + 1 };
  };

  const bringInStep = async (ticketId: string, due: DueTicket, signal: AbortSignal): Promise<void> => {
    let next: DueTicket | undefined;
    try {
      const at = await reconcile(ticketId, signal);
      const { againAt } = due;
      const isAgain = againAt !== undefined && againAt > clock.now();
      if (at !== null) next = { ...due, at, failures: 0 };
      else if (isAgain) next = { at: againAt, failures: 0, againAt };
    } catch (error) {
      next = retryOf(error, due, { ticketId }, signal);
      if (hasCode(error, 'helpdesk_auth')) refused.push({ ticketId, due, why: error.message });
    }
    const current = await load();
    // Said to be due again meanwhile: looked at once more.
    if (current.due[ticketId] !== due && (next === undefined || next.failures === 0)) return;
    state = { ...current, due: next === undefined ? without(current.due, ticketId) : { ...current.due, [ticketId]: next } };
  };

  const takeNoted = async (outsideId: string, noted: NotedTicket, signal: AbortSignal): Promise<void> => {
    try {
      const ticketId = (await knownAs(outsideId)) ?? (await takeIn(outsideId, noted.fields, signal));
      const current = await load();
      const { againAt = 0, ...once } = noted;
      // It may not be shown yet.
      const isEarly = ticketId === undefined && againAt > clock.now();
      state = {
        ...current,
        due: ticketId === undefined ? current.due : withDue(current, [ticketId], again()),
        noted: isEarly
          ? { ...current.noted, [outsideId]: { ...once, at: againAt, failures: 0 } }
          : without(current.noted, outsideId),
      };
    } catch (error) {
      const next = retryOf(error, noted, { outsideId }, signal);
      const current = await load();
      state = { ...current, noted: { ...current.noted, [outsideId]: next } };
    }
  };

  /** All of it that is due, a few at once, each once. */
  const takeDue = async <T extends DueTicket>(
    listOf: (current: SystemSync) => Readonly<Record<string, T>>,
    work: (id: string, one: T) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> => {
    const isDone = new Set<string>();
    while (isTime(restsUntil)) {
      const due = Object.entries(listOf(await load()))
        .filter(([id, { at }]) => isTime(at) && !isDone.has(id))
        .slice(0, AT_ONCE);
      if (due.length === 0) return;
      await Promise.all(due.map(([id, one]) => work(id, one)));
      for (const [id] of due) isDone.add(id);
      signal.throwIfAborted();
      await judgeRefused(signal);
      await update(() => ({}));
    }
  };

  const sweep = async (signal: AbortSignal): Promise<number> => {
    await takeEvents();
    if (isTime(restsUntil) && isTime(pollAt)) await ask(signal);
    await takeDue(
      ({ noted }) => noted,
      (id, one) => takeNoted(id, one, signal),
      signal,
    );
    await takeDue(
      ({ due }) => due,
      (id, one) => bringInStep(id, one, signal),
      signal,
    );
    const { due, noted } = await load();
    return Math.max(restsUntil, Math.min(pollAt, ...[...Object.values(due), ...Object.values(noted)].map(({ at }) => at)));
  };

  const loop = createLoop({ name: `sync ${system}`, sweep, clock, logger });

  return {
    system,
    sweep,
    start: loop.start,
    wake: loop.wake,
    notice: async (outsideId, fields = {}) => {
      const known = await knownAs(outsideId);
      if (known === undefined && !imports) return;
      const now = { at: clock.now(), failures: 0 };
      await update(({ due, noted }) =>
        known === undefined
          ? { noted: { ...noted, [outsideId]: { ...now, ...again(), fields: { ...noted[outsideId]?.fields, ...fields } } } }
          : { due: { ...due, [known]: { ...due[known], ...now, ...again() } } },
      );
      loop.wake();
    },
    stop: loop.stop,
  };
};
