/** Tickets as rows: each write adds events and keeps the snapshot that they make, in one transaction. */
import type { SQLInputValue } from 'node:sqlite';
import { AppError } from '../agent/errors.ts';
import type { PlacedEvent, TicketAppend, TicketFilter, TicketStore } from '../agent/ports/ticket-store.ts';
import {
  deliveryKey,
  externalThreadId,
  type NewTicketEvent,
  type Ticket,
  type TicketArrival,
  type TicketEvent,
} from '../agent/ticket.ts';
import { applyEvent, openFrom } from '../agent/ticket-events.ts';
import type { Connection } from './sqlite-connection.ts';
import { createTicketIndex } from './sqlite-ticket-index.ts';
import { ageCards, createTicketPosts, planRows } from './sqlite-ticket-posts.ts';

const PAGE = 50;
const LIVE = `status IN ('open', 'waiting', 'snoozed')`;

interface SnapshotRow {
  readonly snapshot: string;
}

const ticketOf = ({ snapshot }: SnapshotRow): Ticket => JSON.parse(snapshot) as Ticket;

const missing = (ticketId: string): AppError =>
  new AppError('ticket_missing', `expected the id of a ticket, such as T17, got ${JSON.stringify(ticketId.slice(0, 20))}`);

const parseId = (ticketId: string): number | undefined =>
  /^T[1-9]\d{0,14}$/.test(ticketId) ? Number(ticketId.slice(1)) : undefined;

const conditionsOf = (filter: TicketFilter): readonly (readonly [string, readonly SQLInputValue[]])[] => [
  ...(filter.statuses === undefined
    ? []
    : [[`status IN (${filter.statuses.map(() => '?').join(', ') || 'NULL'})`, filter.statuses] as const]),
  ...(filter.team === undefined ? [] : [['team IS ?', [filter.team]] as const]),
  ...(filter.assignee === undefined ? [] : [['assignee IS ?', [filter.assignee]] as const]),
  ...(filter.authorId === undefined ? [] : [['author_id = ?', [filter.authorId]] as const]),
  ...(filter.category === undefined ? [] : [['category IS ?', [filter.category]] as const]),
  ...(filter.incidentId === undefined ? [] : [['incident_id = ?', [filter.incidentId]] as const]),
  ...(filter.updatedSince === undefined ? [] : [['updated_at >= ?', [filter.updatedSince]] as const]),
  ...(filter.below === undefined ? [] : [['number < ?', [filter.below]] as const]),
];

export const createTicketStore = (db: Connection): TicketStore => {
  const find = (number: number | undefined): Ticket | undefined => {
    if (number === undefined) return undefined;
    const row = db.get<SnapshotRow>('SELECT snapshot FROM tickets WHERE number = ?', number);
    return row && ticketOf(row);
  };

  const read = (ticketId: string): Ticket | undefined => find(parseId(ticketId));

  const numberOf = (ticketId: string): number => {
    const ticket = read(ticketId);
    if (ticket === undefined) throw missing(ticketId);
    return ticket.number;
  };

  const findByThread = (threadId: string): Ticket | undefined =>
    find(db.get<{ number: number }>('SELECT number FROM ticket_threads WHERE thread_id = ?', threadId)?.number);

  const bindThread = (threadId: string, number: number): void => {
    db.run('INSERT INTO ticket_threads (thread_id, number) VALUES (?, ?) ON CONFLICT (thread_id) DO NOTHING', threadId, number);
  };

  /** The number is that of the first ticket that it was used for, or null; undefined for one that was not used. */
  const findKey = (key: string): { readonly number: number | null } | undefined =>
    db.get<{ number: number | null }>('SELECT number FROM ticket_keys WHERE key = ?', key);

  const useKey = (key: string, number: number | null): void => {
    db.run('INSERT INTO ticket_keys (key, number) VALUES (?, ?)', key, number);
  };

  const addEvents = (number: number, first: number, events: readonly NewTicketEvent[]): void => {
    for (const [n, event] of events.entries()) {
      const numbered: TicketEvent = { ...event, seq: first + n };
      db.run(
        'INSERT INTO ticket_events (number, seq, kind, event) VALUES (?, ?, ?, ?)',
        number,
        numbered.seq,
        event.change.kind,
        JSON.stringify(numbered),
      );
      if (event.change.kind === 'external_linked') bindThread(externalThreadId(event.change.external), number);
    }
  };

  const keep = (ticket: Ticket): void => {
    db.run(
      `UPDATE tickets SET version = ?, status = ?, team = ?, assignee = ?, category = ?, incident_id = ?, is_private = ?,
       last_asker_at = ?, updated_at = ?, due_at = 0, snapshot = ? WHERE number = ?`,
      ticket.version,
      ticket.status,
      ticket.team,
      ticket.assignee,
      ticket.category,
      ticket.incidentId,
      Number(ticket.isPrivate),
      ticket.lastAskerAt,
      ticket.updatedAt,
      JSON.stringify(ticket),
      ticket.number,
    );
  };

  const findBurst = ({ author, place, isPrivate, receivedAt }: TicketArrival, burstMs: number): Ticket | undefined => {
    if (place === null || burstMs === 0) return undefined;
    const row = db.get<SnapshotRow>(
      `SELECT snapshot FROM tickets WHERE author_id = ? AND last_asker_at BETWEEN ? AND ? AND place_id = ? AND is_private = ?
       AND ${LIVE} ORDER BY abs(last_asker_at - ?), number LIMIT 1`,
      author.id,
      receivedAt - burstMs,
      receivedAt + burstMs,
      place.id,
      Number(isPrivate),
      receivedAt,
    );
    return row && ticketOf(row);
  };

  const create = (arrival: TicketArrival, source: string): Ticket => {
    const { author, place, isPrivate, receivedAt: at } = arrival;
    db.run(
      `INSERT INTO tickets (version, status, author_id, place_id, is_private, last_asker_at, updated_at, due_at, snapshot)
       VALUES (1, 'open', ?, ?, ?, ?, ?, 0, '')`,
      author.id,
      place?.id ?? null,
      Number(isPrivate),
      at,
      at,
    );
    const number = db.get<{ number: number }>('SELECT last_insert_rowid() AS number')?.number ?? 0;
    const event: NewTicketEvent = { at, actor: { kind: 'person', id: author.id }, source, change: { kind: 'opened', arrival } };
    const ticket = openFrom(`T${number}`, event);
    keep(ticket);
    addEvents(number, 1, [event]);
    bindThread(arrival.threadId, number);
    if (arrival.external !== null) bindThread(externalThreadId(arrival.external), number);
    return ticket;
  };

  const appendOne = ({ ticketId, expectedVersion, events, posts = [] }: TicketAppend): Ticket => {
    const before = read(ticketId);
    if (before === undefined) throw missing(ticketId);
    if (before.version !== expectedVersion) {
      throw new AppError(
        'ticket_moved',
        `${ticketId} was expected at version ${expectedVersion}, got ${before.version}; read it again.`,
      );
    }
    const after = events.reduce(applyEvent, before);
    addEvents(before.number, before.version + 1, events);
    if (events.length > 0) {
      keep(after);
      ageCards(db, before.number);
    }
    planRows(db, before.number, posts);
    return after;
  };

  return {
    openTicket: (arrival, { burstMs, source }) =>
      db.write(() => {
        const key = deliveryKey(arrival.deliveryId);
        const known = findKey(key)?.number ?? undefined;
        const taken = find(known);
        if (taken !== undefined) return { outcome: 'duplicate', ticket: taken };
        const inThread = findByThread(arrival.threadId);
        if (inThread !== undefined) return { outcome: 'exists', ticket: inThread };
        const inBurst = findBurst(arrival, burstMs);
        if (inBurst !== undefined) {
          bindThread(arrival.threadId, inBurst.number);
          return { outcome: 'exists', ticket: inBurst };
        }
        const ticket = create(arrival, source);
        useKey(key, ticket.number);
        return { outcome: 'opened', ticket };
      }),

    append: (appends, key) =>
      db.write(() => {
        if (key !== undefined && findKey(key) !== undefined) {
          const tickets = appends.map(({ ticketId }) => read(ticketId)).filter((ticket) => ticket !== undefined);
          return { outcome: 'repeated', tickets };
        }
        const tickets = appends.map(appendOne);
        if (key !== undefined) useKey(key, tickets[0]?.number ?? null);
        return { outcome: 'appended', tickets };
      }),

    readTicket: async (ticketId) => read(ticketId),
    readByThread: async (threadId) => findByThread(threadId),

    readEvents: async (ticketId) =>
      db
        .all<{ event: string }>('SELECT event FROM ticket_events WHERE number = ? ORDER BY seq', parseId(ticketId) ?? 0)
        .map(({ event }) => JSON.parse(event) as TicketEvent),

    listTickets: async (filter) => {
      const conditions = conditionsOf(filter);
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
      return db
        .all<SnapshotRow>(
          `SELECT snapshot FROM tickets ${where} ORDER BY number DESC LIMIT ?`,
          ...conditions.flatMap(([, values]) => values),
          filter.limit ?? PAGE,
        )
        .map(ticketOf);
    },

    countAssigned: async () =>
      new Map(
        db
          .all<{ assignee: string; count: number }>(
            `SELECT assignee, count(*) AS count FROM tickets WHERE assignee IS NOT NULL AND ${LIVE} GROUP BY assignee`,
          )
          .map(({ assignee, count }) => [assignee, count]),
      ),

    eventsAfter: async (position, limit, kinds) =>
      db
        .all<{ position: number; number: number; event: string }>(
          `SELECT position, number, event FROM ticket_events WHERE position > ?
           ${kinds === undefined ? '' : `AND kind IN (${kinds.map(() => '?').join(', ') || 'NULL'})`} ORDER BY position LIMIT ?`,
          position,
          ...(kinds ?? []),
          limit,
        )
        .map(
          ({ position: at, number, event }): PlacedEvent => ({
            position: at,
            ticketId: `T${number}`,
            event: JSON.parse(event) as TicketEvent,
          }),
        ),

    setDue: (ticketId, version, dueAt) =>
      db.write(() => {
        db.run('UPDATE tickets SET due_at = ? WHERE number = ? AND version = ?', dueAt, numberOf(ticketId), version);
      }),

    listDue: async (now, limit) =>
      db
        .all<SnapshotRow>('SELECT snapshot FROM tickets WHERE due_at <= ? ORDER BY due_at, number LIMIT ?', now, limit)
        .map(ticketOf),

    nextDueAt: async () =>
      db.get<{ at: number | null }>('SELECT min(due_at) AS at FROM tickets WHERE due_at IS NOT NULL')?.at ?? undefined,

    ...createTicketPosts(db, numberOf),
    ...createTicketIndex(db, numberOf),
  };
};
