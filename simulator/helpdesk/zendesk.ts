/** A Zendesk on loopback, as far as tickets and their audits go: https://developer.zendesk.com/api-reference/ticketing/introduction/ */
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { createDouble, type Double, type DoubleCall, type HelpdeskPeople, refuse, violation } from './double.ts';

interface ZendeskUser {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role: 'end-user' | 'agent' | 'admin';
}

interface ZendeskAudit {
  readonly id: number;
  readonly authorId: number;
  readonly at: number;
  readonly custom: JsonObject;
  readonly events: readonly JsonObject[];
}

type ZendeskStatus = 'new' | 'open' | 'pending' | 'hold' | 'solved' | 'closed';

interface ZendeskTicket {
  readonly id: number;
  readonly subject: string;
  readonly description: string;
  readonly requesterId: number;
  readonly externalId: string | null;
  readonly isPublic: boolean;
  readonly createdAt: number;
  status: ZendeskStatus;
  assigneeId: number | null;
  updatedAt: number;
  /** Changes also where no person did: https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#json-format */
  generatedAt: number;
  isDeleted: boolean;
  audits: ZendeskAudit[];
}

export interface ZendeskWorld {
  token: string;
  /** Of whom the token is. */
  role: 'agent' | 'end-user';
  readonly users: ZendeskUser[];
  readonly tickets: ZendeskTicket[];
  /** Tickets of groups that the token's agent does not see. */
  readonly hidden: number[];
  /** Answers by idempotency key, with what was sent. */
  readonly keys: Record<string, { readonly sent: string; readonly answer: JsonValue }>;
  lastId: number;
}

export interface ZendeskDouble extends Double<ZendeskWorld> {
  readonly email: string;
  readonly token: string;
  readonly people: HelpdeskPeople;
}

const [EMAIL, TOKEN, BOT, CUSTOMER, OTHER] = ['bot@acme.example', 'simulated-zendesk-token', 100, 200, 201];
const AGENTS = [101, 102] as const;
const RECENT_MS = 60_000;

/** Whole seconds, as all its times. */
const toTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const notFound = () => refuse(404, { error: 'RecordNotFound', description: 'Not found' });
const invalid = (field: string, description: string) =>
  refuse(422, { error: 'RecordInvalid', description: 'Record validation errors', details: { [field]: [{ description }] } });

const words = z.string().min(1).max(65_536);
const commentForm = z.strictObject({ body: words, public: z.boolean().optional() });
const newTicketForm = z.strictObject({
  ticket: z.strictObject({
    subject: z.string().min(1).optional(),
    comment: commentForm,
    external_id: z.string().optional(),
    requester: z.strictObject({ name: z.string().min(1), email: z.email() }).optional(),
  }),
});
const changeForm = z.strictObject({
  ticket: z
    .strictObject({
      status: z.enum(['open', 'pending', 'hold', 'solved', 'closed']),
      assignee_id: z.number().nullable(),
      comment: commentForm,
      metadata: z.record(z.string(), z.string()),
      safe_update: z.boolean(),
      updated_stamp: z.iso.datetime(),
    })
    .partial()
    .refine(({ safe_update: isSafe, updated_stamp: stamp }) => (isSafe === true) === (stamp !== undefined), 'half a safe update'),
});
type Change = z.infer<typeof changeForm>['ticket'];

export const createZendeskDouble = async ({
  clock,
  pageSize = 100,
}: {
  readonly clock: Clock;
  /** Its lists have no longer pages, whatever is asked for. */
  readonly pageSize?: number;
}): Promise<ZendeskDouble> => {
  const now = (): number => Math.floor(clock.now() / 1_000) * 1_000;

  const showTicket = (ticket: ZendeskTicket): JsonObject => ({
    id: ticket.id,
    url: `https://acme.zendesk.com/api/v2/tickets/${ticket.id}.json`,
    subject: ticket.subject,
    description: ticket.description,
    status: ticket.isDeleted ? 'deleted' : ticket.status,
    requester_id: ticket.requesterId,
    assignee_id: ticket.assigneeId,
    external_id: ticket.externalId,
    is_public: ticket.isPublic,
    created_at: toTime(ticket.createdAt),
    updated_at: toTime(ticket.updatedAt),
    generated_timestamp: ticket.generatedAt / 1_000,
  });
  const showAudit = ({ id, authorId, at, custom, events }: ZendeskAudit): JsonObject => ({
    id,
    author_id: authorId,
    created_at: toTime(at),
    metadata: { system: {}, custom },
    events: [...events],
  });
  const showUsers = ({ users }: ZendeskWorld, ids: readonly number[]): JsonValue =>
    users.filter(({ id }) => ids.includes(id)).map(({ id, name, role }) => ({ id, name, role }));

  const nextId = (world: ZendeskWorld): number => {
    world.lastId += 1;
    return world.lastId;
  };
  const addAudit = (
    world: ZendeskWorld,
    ticket: ZendeskTicket,
    authorId: number,
    events: readonly JsonObject[],
    custom: JsonObject = {},
  ): ZendeskAudit => {
    const audit = { id: nextId(world), authorId, at: now(), custom, events };
    ticket.audits.push(audit);
    ticket.updatedAt = now();
    ticket.generatedAt = now();
    return audit;
  };
  const commentEvent = (
    world: ZendeskWorld,
    authorId: number,
    body: string,
    isPublic: boolean,
  ): JsonObject & { readonly id: number } => ({
    id: nextId(world),
    type: 'Comment',
    author_id: authorId,
    body,
    html_body: `<div class="zd-comment">${body.replaceAll('<', '&lt;')}</div>`,
    public: isPublic,
    attachments: [],
  });
  const changeEvent = (world: ZendeskWorld, field: string, from: JsonValue, to: JsonValue): JsonObject => ({
    id: nextId(world),
    type: 'Change',
    field_name: field,
    previous_value: from,
    value: to,
  });

  const addTicket = (
    world: ZendeskWorld,
    over: Pick<ZendeskTicket, 'subject' | 'description' | 'requesterId' | 'isPublic'> & {
      readonly externalId?: string;
      readonly by?: number;
    },
  ): { readonly ticket: ZendeskTicket; readonly audit: ZendeskAudit } => {
    const { by = over.requesterId, externalId = null, ...others } = over;
    const begun = { createdAt: now(), updatedAt: now(), generatedAt: now(), assigneeId: null, isDeleted: false } as const;
    const ticket: ZendeskTicket = { id: world.tickets.length + 1, ...begun, status: 'new', ...others, externalId, audits: [] };
    world.tickets.push(ticket);
    const created = { id: nextId(world), type: 'Create', field_name: 'subject', value: over.subject };
    const audit = addAudit(world, ticket, by, [commentEvent(world, by, over.description, over.isPublic), created]);
    return { ticket, audit };
  };

  const ticketOf = (world: ZendeskWorld, { params }: DoubleCall): ZendeskTicket => {
    const ticket = world.tickets.find(({ id, isDeleted }) => String(id) === params['ticket_id'] && !isDeleted);
    if (ticket === undefined) throw notFound();
    if (world.hidden.includes(ticket.id) || world.role === 'end-user')
      throw refuse(403, { error: { title: 'Forbidden', message: 'You do not have access to this page.' } });
    return ticket;
  };

  const applyChange = (world: ZendeskWorld, ticket: ZendeskTicket, change: Change): ZendeskAudit | null => {
    const { status, assignee_id: assigneeId, comment, metadata, updated_stamp: stamp } = change;
    if (stamp !== undefined && Date.parse(stamp) < ticket.updatedAt)
      throw refuse(409, {
        error: 'UpdateConflict',
        description: 'Safe Update prevented the update due to outdated ticket data.',
      });
    if (ticket.status === 'closed') throw invalid('status', 'Status: closed prevents ticket update');
    if (assigneeId != null && !world.users.some(({ id, role }) => id === assigneeId && role !== 'end-user'))
      throw invalid('assignee', 'Assignee: is invalid');
    const events: JsonObject[] = [];
    if (comment !== undefined) events.push(commentEvent(world, BOT, comment.body, comment.public ?? true));
    if (assigneeId !== undefined && assigneeId !== ticket.assigneeId) {
      events.push(changeEvent(world, 'assignee_id', ticket.assigneeId, assigneeId));
      ticket.assigneeId = assigneeId;
      if (ticket.status === 'new' && assigneeId !== null) ticket.status = 'open';
    }
    if (status !== undefined && status !== ticket.status) {
      events.push(changeEvent(world, 'status', ticket.status, status));
      ticket.status = status;
    }
    // What changes nothing leaves no audit, and its metadata are lost.
    return events.length === 0 ? null : addAudit(world, ticket, BOT, events, metadata);
  };

  const double = await createDouble<ZendeskWorld>({
    clock,
    world: {
      token: TOKEN,
      role: 'agent',
      users: [
        { id: BOT, name: 'Threadwise', email: EMAIL, role: 'agent' },
        { id: AGENTS[0], name: 'Bea', email: 'bea@acme.example', role: 'agent' },
        { id: AGENTS[1], name: 'Carl', email: 'carl@acme.example', role: 'admin' },
        { id: CUSTOMER, name: 'Ada', email: 'ada@example.org', role: 'end-user' },
        { id: OTHER, name: 'Eve', email: 'eve@example.org', role: 'end-user' },
      ],
      tickets: [],
      hidden: [],
      keys: {},
      lastId: 10_000,
    },
    errorBody: (_status, description) => ({ error: 'InvalidValue', description }),
    headers: () => ({ 'x-rate-limit': '700', 'x-rate-limit-remaining': '699' }),
    check: ({ headers }, { token }) => {
      const given = headers.authorization ?? '';
      if (given === '') throw violation(401, { error: "Couldn't authenticate you" });
      const basic = `Basic ${Buffer.from(`${EMAIL}/token:${token}`).toString('base64')}`;
      if (given !== basic && given !== `Bearer ${token}`) throw refuse(401, { error: "Couldn't authenticate you" });
    },
    routes: [
      {
        method: 'GET',
        path: '/api/v2/users/me',
        run: ({ role }) => ({ status: 200, body: { user: { id: BOT, name: 'Threadwise', role } } }),
      },
      {
        method: 'GET',
        path: '/api/v2/users/{id}',
        run: ({ users }, { params }) => {
          const user = users.find(({ id }) => String(id) === params['id']);
          if (user === undefined) throw refuse(404, { error: 'RecordNotFound', description: 'Not found' });
          return { status: 200, body: { user: { id: user.id, name: user.name, role: user.role } } };
        },
      },
      {
        method: 'GET',
        path: '/api/v2/tickets',
        query: ['external_id'],
        run: (world, { query }) => {
          if (query['external_id'] === undefined)
            throw violation(400, { error: 'expected external_id: the double lists nothing else' });
          const tickets = world.tickets.filter(({ externalId, isDeleted }) => externalId === query['external_id'] && !isDeleted);
          return { status: 200, body: { tickets: tickets.map(showTicket), next_page: null, count: tickets.length } };
        },
      },
      {
        method: 'POST',
        path: '/api/v2/tickets',
        body: newTicketForm,
        run: (world, call) => {
          const key = call.headers['idempotency-key'];
          const sent = JSON.stringify(call.body);
          const known = typeof key === 'string' ? world.keys[key] : undefined;
          if (known !== undefined && known.sent !== sent)
            throw refuse(400, { error: 'IdempotentRequestError', description: 'Request parameters do not match the key.' });
          if (known !== undefined) return { status: 201, body: known.answer, headers: { 'x-idempotency-lookup': 'hit' } };
          const { subject, comment, external_id: externalId, requester } = (call.body as z.infer<typeof newTicketForm>).ticket;
          let requesterId = BOT;
          if (requester !== undefined) {
            const found = world.users.find(({ email }) => email === requester.email);
            requesterId = found?.id ?? nextId(world);
            if (found === undefined) world.users.push({ ...requester, id: requesterId, role: 'end-user' });
          }
          const { ticket, audit } = addTicket(world, {
            subject: subject ?? comment.body.slice(0, 150),
            description: comment.body,
            requesterId,
            by: BOT,
            isPublic: comment.public ?? true,
            ...(externalId === undefined ? {} : { externalId }),
          });
          const answer = { ticket: showTicket(ticket), audit: showAudit(audit) };
          if (typeof key === 'string') world.keys[key] = { sent, answer };
          return { status: 201, body: answer, headers: { 'x-idempotency-lookup': 'miss' } };
        },
      },
      {
        method: 'GET',
        path: '/api/v2/tickets/{ticket_id}',
        query: ['include'],
        run: (world, call) => {
          const ticket = ticketOf(world, call);
          const ids = [ticket.requesterId, ticket.assigneeId ?? 0];
          return { status: 200, body: { ticket: showTicket(ticket), users: showUsers(world, ids) } };
        },
      },
      {
        method: 'PUT',
        path: '/api/v2/tickets/{ticket_id}',
        body: changeForm,
        run: (world, call) => {
          const ticket = ticketOf(world, call);
          const audit = applyChange(world, ticket, (call.body as z.infer<typeof changeForm>).ticket);
          return { status: 200, body: { ticket: showTicket(ticket), audit: audit === null ? null : showAudit(audit) } };
        },
      },
      {
        method: 'GET',
        path: '/api/v2/tickets/{ticket_id}/audits',
        query: ['page[size]', 'page[after]', 'include'],
        run: (world, call) => {
          const { audits } = ticketOf(world, call);
          const from = Number(call.query['page[after]'] ?? 0);
          const size = Math.min(Number(call.query['page[size]'] ?? 100), pageSize, 100);
          const page = audits.slice(from, from + size);
          const users = showUsers(
            world,
            page.map(({ authorId }) => authorId),
          );
          const meta = { has_more: from + size < audits.length, after_cursor: String(from + page.length) };
          return { status: 200, body: { audits: page.map(showAudit), users, meta } };
        },
      },
      {
        method: 'GET',
        path: '/api/v2/incremental/tickets/cursor',
        query: ['start_time', 'cursor', 'per_page'],
        run: (world, { query }) => {
          const { start_time: start, cursor } = query;
          if ((start === undefined) === (cursor === undefined)) throw violation(400, { error: 'expected start_time or cursor' });
          const [from = 0, skip = 0] = (cursor ?? `${start}-0`).split('-').map(Number);
          if (cursor === undefined && from * 1_000 > clock.now() - RECENT_MS)
            throw violation(400, { error: 'StartTimeTooRecent', description: 'Too recent start_time.' });
          const tickets = world.tickets
            .filter(({ generatedAt: at }) => at >= from * 1_000 && at <= clock.now() - RECENT_MS)
            .sort((a, b) => a.generatedAt - b.generatedAt || a.id - b.id);
          const page = tickets.slice(skip, skip + pageSize);
          const after = `${from}-${skip + page.length}`;
          return {
            status: 200,
            body: { tickets: page.map(showTicket), after_cursor: after, end_of_stream: skip + pageSize >= tickets.length },
          };
        },
      },
    ],
  });

  const { world, change } = double;
  const held = (id: string): ZendeskTicket => {
    const ticket = world.tickets.find((one) => String(one.id) === id);
    if (ticket === undefined) throw new Error(`no ticket ${id}`);
    return ticket;
  };
  const people: HelpdeskPeople = {
    agents: [String(AGENTS[0]), String(AGENTS[1])],
    open: (subject, description, { isPrivate = false } = {}) =>
      change(() => String(addTicket(world, { subject, description, requesterId: CUSTOMER, isPublic: !isPrivate }).ticket.id)),
    set: (id, { status, assignee }) =>
      change(() => {
        const ticket = held(id);
        if (status !== undefined) ticket.status = status === 'waiting' ? 'pending' : status;
        if (assignee !== undefined) ticket.assigneeId = assignee === null ? null : Number(assignee);
        addAudit(world, ticket, AGENTS[0], [{ id: nextId(world), type: 'Change', field_name: 'status', value: ticket.status }]);
      }),
    say: (id, body, { by = 'agent', isSeen = true } = {}) => {
      const authorId = { requester: CUSTOMER, agent: AGENTS[0], other: OTHER }[by];
      return change(() => {
        const event = commentEvent(world, authorId, body, isSeen);
        addAudit(world, held(id), authorId, [event]);
        return String(event.id);
      });
    },
    remove: (id) =>
      change(() => {
        held(id).isDeleted = true;
        held(id).generatedAt = now();
      }),
  };
  return { ...double, email: EMAIL, token: TOKEN, people };
};
