/** The work on one ticket: what is remembered of it, and changes over there that are written down before they are sent. */
import { AppError, hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { TicketDesk } from '../agent/ports/ticket-desk.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import { SYSTEM, type Ticket, type TicketActor, type TicketChange } from '../agent/ticket.ts';
import type { Connector } from './connectors/connector.ts';
import type { SyncMemory, TicketSync } from './sync-state.ts';

export interface SyncRules {
  /** Person ids here, with their ids over there. */
  readonly people: ReadonlyMap<string, string>;
  /** Who wins where both sides changed a field; `person`: whoever changes it next. */
  readonly wins: 'ours' | 'theirs' | 'person';
  /** Whether a ticket that is not over there is made there. */
  readonly creates: (ticket: Ticket) => boolean;
}

export interface ReconcileOptions {
  readonly connector: Connector;
  readonly rules: SyncRules;
  readonly desk: TicketDesk;
  readonly store: TicketStore;
  readonly memory: SyncMemory;
  /** Nobody can guess it. */
  readonly newMarker: () => string;
  readonly clock: Clock;
}

const MARKER = /^(T\d+)-/u;

/** The ticket that says it made what bears the marker; whether it did, it alone knows. */
export const ticketOfMarker = (marker: string): string | undefined => MARKER.exec(marker)?.[1];

/** What was sent without an answer is done by then, or never; and what is read is no older. */
export const SETTLE_MS = 30_000;
const DID_NOT_HAPPEN = ['helpdesk_rate_limited', 'helpdesk_moved', 'helpdesk_rejected', 'helpdesk_auth'] as const;

/** To the team, on the ticket, once. Not told over there. */
export const tellTeam = async (
  { desk, connector: { system } }: Pick<ReconcileOptions, 'desk' | 'connector'>,
  ticketId: string,
  what: string,
  text: string,
): Promise<void> => {
  const commentId = `${system}:told:${what}`;
  const action = { kind: 'comment', commentId, text, isPublic: false } as const;
  await desk.act({ ticketId, action, actor: SYSTEM, source: system, key: `${ticketId}:${commentId}` });
};

export const openWork = async (options: ReconcileOptions, ticketId: string, signal: AbortSignal) => {
  const { connector, rules, store, memory, clock } = options;
  const { system } = connector;
  const theirPeople = new Map([...rules.people].map(([here, there]) => [there, here]));
  const prefix = `${system}:user:`;
  let state = await memory.readTicket(ticketId);

  const keep = async (over: Partial<TicketSync>): Promise<void> => {
    state = { ...state, ...over };
    await memory.writeTicket(ticketId, state);
  };

  const readHere = async (): Promise<Ticket> => {
    const ticket = await store.readTicket(ticketId);
    if (ticket === undefined) throw new AppError('ticket_missing', `${ticketId}: expected a ticket of the store, got none`);
    return ticket;
  };

  return {
    ...options,
    ticketId,
    system,
    signal,
    state: (): TicketSync => state,
    keep,
    readHere,
    markerOf: (): string => `${ticketId}-${options.newMarker()}`,
    readEvents: () => store.readEvents(ticketId),

    /** Until its outcome is known, and after a death with it, the ticket is left the time to settle. */
    send: async <T>(work: () => Promise<T>, intent: Partial<TicketSync> = {}): Promise<T> => {
      await keep({ ...intent, notBefore: clock.now() + SETTLE_MS });
      try {
        return await work();
      } catch (error) {
        if (DID_NOT_HAPPEN.some((code) => hasCode(error, code))) await keep({ notBefore: 0 });
        throw error;
      }
    },

    /** To be kept after a change that was answered with the version; `before`: as in the state. */
    made: (
      version: number,
      ...before: readonly string[]
    ): Pick<TicketSync, 'version' | 'versionAt' | 'before' | 'notBefore'> => ({
      version: Math.max(version, state.version),
      versionAt: clock.now(),
      before: [...(version > state.version ? [] : state.before), ...before],
      notBefore: 0,
    }),

    tell: (what: string, text: string): Promise<void> => tellTeam(options, ticketId, what, text),

    /** Throws `AppError('ticket_moved')` where somebody was quicker. */
    append: async (ticket: Ticket, change: TicketChange, key?: string): Promise<void> => {
      const events = [{ at: clock.now(), actor: SYSTEM, source: system, change }];
      await store.append([{ ticketId, expectedVersion: ticket.version, events }], key);
    },

    /** The person's id here; with the system before it where nobody is known. */
    toOurs: (theirs: string | null): string | null =>
      theirs === null ? null : (theirPeople.get(theirs) ?? `${prefix}${theirs}`),
    /** Undefined for a person who is not known over there. */
    toTheirs: (id: string | null): string | null | undefined =>
      id === null ? null : (rules.people.get(id) ?? (id.startsWith(prefix) ? id.slice(prefix.length) : undefined)),
    /** Whoever wrote something over there, under the id that they have here. */
    actorOf: (authorId: string): TicketActor => ({
      kind: 'outside',
      id: (authorId.startsWith(prefix) ? theirPeople.get(authorId.slice(prefix.length)) : undefined) ?? authorId,
    }),
  };
};

export type SyncWork = Awaited<ReturnType<typeof openWork>>;
