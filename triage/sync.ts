/**
 * Tickets and an outside helpdesk kept in step, both ways. What changed here is told by the events, what changed there by asking or by a
 * notice of theirs; either way the ticket is due, and is compared as it then is. What is due survives a crash; an outage only delays it.
 */
import { AppError, hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { TicketDesk } from '../agent/ports/ticket-desk.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import { externalThreadId, type TicketArrival, type TicketChangeKind } from '../agent/ticket.ts';
import type { Connector, OutsideTicket } from './connectors/connector.ts';
import { createLoop } from './loop.ts';
import { createSyncMemory, type SyncSettings, type SystemSync } from './sync-state.ts';
import { createReconcile, type SyncRules } from './sync-ticket.ts';

export interface SyncOptions {
  readonly connector: Connector;
  readonly rules: SyncRules;
  /** Tickets that are opened over there become tickets here. */
  readonly imports: boolean;
  readonly pollMs: number;
  readonly desk: TicketDesk;
  readonly store: TicketStore;
  readonly settings: SyncSettings;
  readonly newMarker: () => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface HelpdeskSync {
  readonly system: string;
  start(): void;
  /** A ticket of ours changed. */
  wake(): void;
  /** The helpdesk says that its ticket with this id changed; what it says besides is not believed. Resolves when that is durable. */
  notice(outsideId: string): Promise<void>;
  /** Does what is due now; resolves with when there is more. Never twice at once. */
  sweep(signal: AbortSignal): Promise<number | undefined>;
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
  'unmerged',
  'commented',
  'external_linked',
];
const EVENTS_AT_ONCE = 200;
const MAX_PAGES = 50;
const AT_ONCE = 4;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 600_000;
/** A rate limit without a time. */
const LIMITED_MS = 60_000;
const AUTH_RETRY_MS = 300_000;

/** A ticket that was opened over there, as it arrives here. */
export const arrivalOf = (system: string, outside: OutsideTicket): TicketArrival => {
  const external = { system, id: outside.id, url: outside.url };
  return {
    deliveryId: `${system}:ticket:${outside.id}`,
    threadId: externalThreadId(external),
    how: 'webhook',
    author: outside.requester,
    place: null,
    isPrivate: outside.isPrivate,
    address: null,
    external,
    subject: outside.subject,
    text: outside.text,
    receivedAt: outside.createdAt,
    fields: {},
  };
};

export const createHelpdeskSync = (options: SyncOptions): HelpdeskSync => {
  const { connector, rules, imports, pollMs, desk, store, settings, newMarker, clock, logger } = options;
  const { system } = connector;
  const memory = createSyncMemory(settings, system);
  const reconcile = createReconcile({ connector, rules, desk, store, memory, newMarker, clock });

  let state: SystemSync | undefined;
  let pollAt = 0;
  let pollFailures = 0;
  /** They asked for it, or let nobody in. */
  let restsUntil = 0;

  const keep = async (over: Partial<SystemSync>): Promise<void> => {
    const next = { ...(await load()), ...over };
    await memory.writeSystem(next);
    state = next;
  };
  const load = async (): Promise<SystemSync> => {
    state ??= (await memory.readSystem()) ?? { position: 0, since: clock.now(), due: {} };
    return state;
  };
  /** Sooner than planned after a failure only where the failures are few. */
  const withDue = ({ due }: SystemSync, ids: Iterable<string>, at: number): SystemSync['due'] => ({
    ...due,
    ...Object.fromEntries([...ids].map((id) => [id, due[id] ?? { at, failures: 0 }])),
  });
  const backoffMs = (failures: number): number => Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10));

  const takeEvents = async (): Promise<void> => {
    for (;;) {
      const { position } = await load();
      const events = await store.eventsAfter(position, EVENTS_AT_ONCE, KINDS);
      const last = events.at(-1);
      if (last === undefined) return;
      const ids = new Set(events.filter(({ event }) => event.source !== system).map(({ ticketId }) => ticketId));
      await keep({ position: last.position, due: withDue(await load(), ids, clock.now()) });
    }
  };

  const noteChanged = async (outsideId: string, signal: AbortSignal): Promise<string | undefined> => {
    const known = await store.readByThread(externalThreadId({ system, id: outsideId }));
    if (known !== undefined) return known.external?.system === system ? known.id : undefined;
    if (!imports) return undefined;
    const outside = await connector.read(outsideId, signal);
    if (outside === undefined || outside.status === 'closed' || outside.status === 'solved') return undefined;
    const arrived = await desk.arrive(arrivalOf(system, outside));
    return arrived.kind === 'not_a_ticket' ? undefined : arrived.ticket.id;
  };

  const poll = async (signal: AbortSignal): Promise<void> => {
    for (let n = 0, page = 1; n < MAX_PAGES; n += 1) {
      const { since } = await load();
      const { changed, isLast } = await connector.listChanged(since, page, signal);
      const ids: string[] = [];
      for (const { id } of changed) {
        const ticketId = await noteChanged(id, signal);
        if (ticketId !== undefined) ids.push(ticketId);
      }
      const latest = changed.reduce((max, { changedAt }) => Math.max(max, changedAt), since);
      await keep({ since: latest, due: withDue(await load(), ids, clock.now()) });
      if (isLast) return;
      // Tickets that change meanwhile move to the end: counting pages would pass over others. Within one instant there is no other way.
      page = latest > since ? 1 : page + 1;
    }
  };

  /** What a failure means for everything else; undefined where it is this ticket's own. */
  const restFor = (error: unknown): number | undefined => {
    if (hasCode(error, 'helpdesk_rate_limited')) return error.retryAfterMs ?? LIMITED_MS;
    if (hasCode(error, 'helpdesk_auth')) return AUTH_RETRY_MS;
    return undefined;
  };

  const rest = (error: unknown): boolean => {
    const ms = restFor(error);
    if (ms !== undefined) restsUntil = Math.max(restsUntil, clock.now() + ms);
    return ms !== undefined;
  };

  const bringInStep = async (ticketId: string, signal: AbortSignal): Promise<void> => {
    const before = (await load()).due[ticketId];
    let next: { readonly at: number; readonly failures: number } | undefined;
    try {
      const at = await reconcile(ticketId, signal);
      next = at === null ? undefined : { at, failures: 0 };
    } catch (error) {
      signal.throwIfAborted();
      const failures = (before?.failures ?? 0) + 1;
      const rests = rest(error);
      next = rests
        ? { at: restsUntil, failures: before?.failures ?? 0 }
        : { at: clock.now() + backoffMs(failures - 1), failures };
      logger.warn('ticket_not_in_step', { system, ticketId, failures, error: error as Error });
    }
    const current = await load();
    const { [ticketId]: done, ...others } = current.due;
    // Said to be due again meanwhile: looked at once more.
    if (next === undefined && done !== before) return;
    state = { ...current, due: next === undefined ? others : { ...others, [ticketId]: next } };
  };

  const takeDue = async (signal: AbortSignal): Promise<void> => {
    const isDone = new Set<string>();
    for (;;) {
      if (restsUntil > clock.now()) return;
      const { due } = await load();
      const ids = Object.keys(due)
        .filter((id) => (due[id]?.at ?? 0) <= clock.now() && !isDone.has(id))
        .slice(0, AT_ONCE);
      if (ids.length === 0) return;
      for (const id of ids) isDone.add(id);
      await Promise.all(ids.map((id) => bringInStep(id, signal)));
      signal.throwIfAborted();
      await keep({});
    }
  };

  const sweep = async (signal: AbortSignal): Promise<number | undefined> => {
    await takeEvents();
    if (restsUntil <= clock.now() && pollAt <= clock.now()) {
      try {
        await poll(signal);
        pollFailures = 0;
        pollAt = clock.now() + pollMs;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        pollFailures += 1;
        pollAt = clock.now() + backoffMs(pollFailures - 1);
        rest(error);
        logger.warn('helpdesk_not_asked', { system, failures: pollFailures, error });
      }
    }
    await takeDue(signal);
    const times = [pollAt, ...Object.values((await load()).due).map(({ at }) => at)];
    return Math.max(restsUntil, Math.min(...times));
  };

  const loop = createLoop({ name: `sync ${system}`, sweep, clock, logger });

  return {
    system,
    sweep,
    start: loop.start,
    wake: loop.wake,
    notice: async (outsideId) => {
      const known = await store.readByThread(externalThreadId({ system, id: outsideId }));
      const current = await load();
      if (known?.external?.system === system)
        await keep({ due: { ...current.due, [known.id]: { at: clock.now(), failures: 0 } } });
      else if (imports) pollAt = 0;
      loop.wake();
    },
    stop: loop.stop,
  };
};
