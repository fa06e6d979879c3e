/**
 * One ticket brought in step with its double: both are read as they are now, what differs is decided, and what is done is written down
 * before it is sent. Called again after anything, it goes on from there; it is never called twice at once for one ticket.
 */
import { AppError, hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { TicketAction, TicketDesk } from '../agent/ports/ticket-desk.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import { SYSTEM, type Ticket, type TicketEvent, type TicketStatus } from '../agent/ticket.ts';
import type { Connector, OutsideComment, OutsideTicket, SyncStatus } from './connectors/connector.ts';
import { decideField, type FieldBase } from './sync-fields.ts';
import { cameFrom, lastChangeOf, outgoingOf } from './sync-outgoing.ts';
import { NEW_TICKET_SYNC, type SyncMemory, type TicketSync } from './sync-state.ts';

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

/** What was sent without an answer is done by then and seen by reads, or never. */
export const SETTLE_MS = 30_000;
const FRESH_MS = 2_000;
const DID_NOT_HAPPEN = ['helpdesk_rate_limited', 'helpdesk_moved', 'helpdesk_rejected', 'helpdesk_auth'] as const;

const isLive = (status: TicketStatus): boolean => status === 'open' || status === 'waiting' || status === 'snoozed';

/** What leads from a status here to one of theirs; nothing where a ticket is closed here and only solved there. */
const stepsTo = (status: TicketStatus, target: SyncStatus): readonly TicketAction[] => {
  const opened: readonly TicketAction[] =
    status === 'open'
      ? []
      : isLive(status)
        ? [{ kind: 'resume' }]
        : [{ kind: 'reopen', reason: 'it was opened again in the helpdesk' }];
  if (target === 'open') return opened;
  if (target === 'waiting') return [...opened, { kind: 'wait' }];
  if (target === 'closed') return [{ kind: 'close' }];
  return isLive(status) ? [{ kind: 'solve', resolution: '' }] : [];
};

/** Resolves with when to look again; null for not until something changes. Throws as `Connector` and `TicketStore`. */
export const createReconcile = ({ connector, rules, desk, store, memory, newMarker, clock }: ReconcileOptions) => {
  const { system } = connector;
  const ours = new Map([...rules.people].map(([here, there]) => [there, here]));
  const prefix = `${system}:user:`;
  const toOurs = (theirs: string | null): string | null => (theirs === null ? null : (ours.get(theirs) ?? `${prefix}${theirs}`));
  /** Undefined for a person who is not known over there. */
  const toTheirs = (id: string | null): string | null | undefined =>
    id === null ? null : (rules.people.get(id) ?? (id.startsWith(prefix) ? id.slice(prefix.length) : undefined));

  const outsideActor = (personId: string) =>
    ({
      kind: 'outside',
      id: toOurs(personId.startsWith(prefix) ? personId.slice(prefix.length) : personId) ?? personId,
    }) as const;

  /** To the team, on the ticket, once. */
  const tell = async (ticketId: string, what: string, text: string): Promise<void> => {
    const commentId = `${system}:told:${what}`;
    const action = { kind: 'comment', commentId, text, isPublic: false } as const;
    await desk.act({ ticketId, action, actor: SYSTEM, source: system, key: `${ticketId}:${commentId}` });
  };

  const run = async (ticketId: string, signal: AbortSignal): Promise<number | null> => {
    let state = (await memory.readTicket(ticketId)) ?? NEW_TICKET_SYNC;
    const keep = async (over: Partial<TicketSync>): Promise<void> => {
      state = { ...state, ...over };
      await memory.writeTicket(ticketId, state);
    };

    /** A change over there. Until its outcome is known, and after a death with it, it is left the time to settle. */
    const send = async <T>(work: () => Promise<T>, intent: Partial<TicketSync> = {}): Promise<T> => {
      await keep({ ...intent, notBefore: clock.now() + SETTLE_MS });
      try {
        return await work();
      } catch (error) {
        if (DID_NOT_HAPPEN.some((code) => hasCode(error, code))) await keep({ notBefore: 0 });
        throw error;
      }
    };
    const made = (version: number): Pick<TicketSync, 'version' | 'pushedAt' | 'notBefore'> => ({
      version: Math.max(version, state.version),
      pushedAt: clock.now(),
      notBefore: 0,
    });
    const readHere = async (): Promise<Ticket> => {
      const ticket = await store.readTicket(ticketId);
      if (ticket === undefined) throw new AppError('ticket_missing', `${ticketId}: expected a ticket of the store, got none`);
      return ticket;
    };

    const isWantedThere = (ticket: Ticket): boolean =>
      isLive(ticket.status) && !(ticket.isPrivate && connector.isPublic) && rules.creates(ticket);

    /** One that was sent and may have come to be is looked for, whatever became of the ticket meanwhile. */
    const link = async (first: Ticket): Promise<void> => {
      const { subject, text, author } = first;
      const found = state.creating === null ? undefined : await connector.find(state.creating, signal);
      if (found === undefined && !isWantedThere(first)) return;
      const marker = state.creating ?? newMarker();
      const create = () => connector.create({ subject, text, requester: author, marker }, signal);
      const external = found ?? (await send(create, { creating: marker, pushedSeq: 1 }));
      await keep(made(0));
      for (;;) {
        const ticket = await readHere();
        if (ticket.external !== null) return;
        const change = { kind: 'external_linked', external } as const;
        const events = [{ at: clock.now(), actor: SYSTEM, source: system, change }];
        try {
          await store.append([{ ticketId, expectedVersion: ticket.version, events }]);
        } catch (error) {
          if (!hasCode(error, 'ticket_moved')) throw error;
        }
      }
    };

    const takeComment = async (ticket: Ticket, comment: OutsideComment): Promise<void> => {
      const { id, by, author, text, isPublic, at } = comment;
      const commentId = `${system}:comment:${id}`;
      const cameFromThere = ticket.threadId.startsWith(`${system}:`);
      if (by === 'other' || (by === 'requester' && cameFromThere)) {
        const from = by === 'other' ? 'other' : 'asker';
        await desk.hear({ deliveryId: commentId, threadId: ticket.threadId, author, from, text, at, source: system });
        return;
      }
      let goesOnIn = ticket;
      for (let n = 0; n < 20 && goesOnIn.mergedInto !== null; n += 1)
        goesOnIn = (await store.readTicket(goesOnIn.mergedInto)) ?? goesOnIn;
      const action = { kind: 'comment', commentId, text, isPublic } as const;
      await desk.act({ ticketId: goesOnIn.id, action, actor: outsideActor(author.id), source: system, key: commentId });
    };

    const takeComments = async (ticket: Ticket, events: readonly TicketEvent[], outside: OutsideTicket): Promise<void> => {
      const { intent } = state;
      const sent = intent === null ? [] : outside.comments.filter(({ marker }) => marker === intent.marker);
      if (intent !== null && sent.length > 0)
        await keep({ ownComments: [...state.ownComments, ...sent.map(({ id }) => id)], pushedSeq: intent.seq, intent: null });
      const known = new Set([
        ...state.ownComments.map((id) => `${system}:comment:${id}`),
        ...events.flatMap(({ change }) =>
          change.kind === 'commented' ? [change.commentId] : change.kind === 'message_added' ? [change.message.deliveryId] : [],
        ),
      ]);
      for (const comment of outside.comments)
        if (!known.has(`${system}:comment:${comment.id}`)) await takeComment(ticket, comment);
    };

    const pushComments = async (id: string): Promise<void> => {
      const [ticket, events] = [await readHere(), await store.readEvents(ticketId)];
      if (ticket.status === 'merged') return;
      for (const event of events.filter(({ seq }) => seq > state.pushedSeq)) {
        const comment = outgoingOf(event, ticket, connector);
        if (comment === undefined) continue;
        // After a try whose outcome was unknown the marker stays the same: should it come to light late, it is recognised.
        const marker = state.intent?.seq === event.seq ? state.intent.marker : newMarker();
        const intent = { seq: event.seq, marker };
        try {
          const added = await send(() => connector.addComment(id, { ...comment, marker }, signal), { intent });
          await keep({
            ...made(added.version),
            ownComments: [...state.ownComments, added.id],
            pushedSeq: event.seq,
            intent: null,
          });
        } catch (error) {
          if (!hasCode(error, 'helpdesk_rejected')) throw error;
          await tell(ticketId, `comment:${event.seq}`, `${system} did not take a comment of this ticket: ${error.message}`);
          await keep({ pushedSeq: event.seq, intent: null });
        }
      }
      const last = events.at(-1)?.seq ?? state.pushedSeq;
      if (last > state.pushedSeq) await keep({ pushedSeq: last });
    };

    interface Field<T extends string | null> {
      readonly name: 'status' | 'assignee';
      readonly valueOf: (ticket: Ticket) => T;
      readonly theirs: T;
      readonly base: FieldBase<T>;
      readonly steps: (ticket: Ticket) => readonly TicketAction[];
      /** Undefined where it cannot be said over there. */
      readonly push: ((value: T) => Promise<number>) | undefined;
      readonly keepBase: (base: FieldBase<T>, over?: Partial<TicketSync>) => Promise<void>;
    }

    /** Resolves with whether it is to be looked at again at once. */
    const bringFieldInStep = async <T extends string | null>(outside: OutsideTicket, field: Field<T>): Promise<boolean> => {
      const { name, valueOf, theirs, base, push, keepBase } = field;
      const ticket = await readHere();
      const value = valueOf(ticket);
      const { version } = ticket;
      const changedBy = lastChangeOf(await store.readEvents(ticketId), ticketId, valueOf);
      const isOursFromThem = changedBy !== undefined && cameFrom(system, changedBy);
      let decision = decideField({ ours: value, theirs, base, changedAt: changedBy?.seq ?? 0, isOursFromThem });
      if (decision === 'conflict') {
        const winner = rules.wins === 'person' ? {} : { winner: rules.wins };
        const change = { kind: 'conflict_shown', field: name, ours: value, theirs, ...winner } as const;
        const events = [{ at: clock.now(), actor: SYSTEM, source: system, change }];
        const key = `${system}:${ticketId}:conflict:${name}:${outside.version}:${changedBy?.seq ?? 0}`;
        await store.append([{ ticketId, expectedVersion: ticket.version, events }], key);
        decision = rules.wins === 'ours' ? 'push' : rules.wins === 'theirs' ? 'take' : 'stands';
        if (decision === 'stands') await keepBase({ ours: value, theirs, version });
      }
      if (decision === 'same') {
        if (base.ours !== value || base.theirs !== theirs) await keepBase({ ours: value, theirs, version });
        return false;
      }
      if (decision === 'stands') return false;
      if (decision === 'push') {
        if (push === undefined) {
          await keepBase({ ours: value, theirs, version });
          return false;
        }
        try {
          const pushed = await send(() => push(value));
          await keepBase({ ours: value, theirs: value, version }, made(pushed));
        } catch (error) {
          if (!hasCode(error, 'helpdesk_rejected')) throw error;
          await tell(
            ticketId,
            `${name}:${changedBy?.seq ?? 0}`,
            `${system} did not take the ${name} ${value ?? 'nobody'}: ${error.message}`,
          );
          await keepBase({ ours: value, theirs, version });
        }
        return false;
      }
      for (const action of field.steps(ticket)) {
        const key = `${system}:${outside.id}:${name}:${outside.version}:${theirs}:${action.kind}`;
        const outcome = await desk.act({ ticketId, action, actor: { kind: 'outside', id: system }, source: system, key });
        // What the ticket's state does not allow now is looked at again when that changes.
        if (outcome.kind !== 'done' && outcome.kind !== 'repeated') return false;
      }
      const now = await readHere();
      const isTaken = field.steps(ticket).length > 0;
      await keepBase({ ours: isTaken ? theirs : valueOf(now), theirs, version: now.version });
      return valueOf(now) !== theirs;
    };

    const bringStatusInStep = (outside: OutsideTicket): Promise<boolean> =>
      bringFieldInStep<SyncStatus>(outside, {
        name: 'status',
        valueOf: ({ status }) => connector.projectStatus(status === 'merged' ? 'open' : status),
        theirs: outside.status,
        base: state.status,
        steps: ({ status }) => stepsTo(status, outside.status),
        push: (value) => connector.setStatus(outside.id, value, state.version, signal),
        keepBase: (status, over) => keep({ ...over, status }),
      });

    const bringAssigneeInStep = async (outside: OutsideTicket): Promise<boolean> => {
      const theirs = toOurs(outside.assignee);
      const wanted = toTheirs((await readHere()).assignee);
      return bringFieldInStep<string | null>(outside, {
        name: 'assignee',
        valueOf: ({ assignee }) => assignee,
        theirs,
        base: state.assignee,
        steps: () => [{ kind: 'assign', to: theirs }],
        push: wanted === undefined ? undefined : () => connector.setAssignee(outside.id, wanted, state.version, signal),
        keepBase: (assignee, over) => keep({ ...over, assignee }),
      });
    };

    const first = await store.readTicket(ticketId);
    if (first === undefined || state.isOver) return null;
    if (state.notBefore > clock.now()) return state.notBefore;
    if (first.external === null) {
      try {
        await link(first);
      } catch (error) {
        if (!hasCode(error, 'helpdesk_rejected')) throw error;
        await tell(ticketId, 'create', `${system} did not take this ticket: ${error.message}`);
        await keep({ isOver: true });
        return null;
      }
    }
    const { external } = await readHere();
    if (external?.system !== system) return null;

    const outside = await connector.read(external.id, signal);
    // A read from before our own last change; a helpdesk's clock may go wrong, so not for ever.
    const isStale = outside === undefined || outside.version < state.version;
    if (isStale && clock.now() < state.pushedAt + SETTLE_MS) return clock.now() + FRESH_MS;
    if (outside === undefined) {
      await tell(ticketId, 'gone', `${external.id} is no longer to be found in ${system}: nothing is kept in step any more.`);
      await keep({ isOver: true });
      return null;
    }
    if (outside.version !== state.version) await keep({ version: outside.version });

    const events = await store.readEvents(ticketId);
    if (state.pushedSeq === 0 && events[0]?.source !== system) {
      const linked = events.findLast(({ change }) => change.kind === 'external_linked');
      await keep({ pushedSeq: linked?.seq ?? 1 });
    }
    await takeComments(first, events, outside);
    await pushComments(external.id);
    if ((await readHere()).status === 'merged') return null;
    // What is over takes no assignee, here as there.
    const isOver = outside.status === 'solved' || outside.status === 'closed';
    const steps = isOver ? [bringAssigneeInStep, bringStatusInStep] : [bringStatusInStep, bringAssigneeInStep];
    let isUnsteady = false;
    for (const step of steps) isUnsteady = (await step(outside)) || isUnsteady;
    return isUnsteady ? clock.now() : null;
  };

  return async (ticketId: string, signal: AbortSignal): Promise<number | null> => {
    try {
      return await run(ticketId, signal);
    } catch (error) {
      if (hasCode(error, 'helpdesk_moved') || hasCode(error, 'ticket_moved')) return clock.now() + FRESH_MS;
      throw error;
    }
  };
};
