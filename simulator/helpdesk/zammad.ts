/** A Zammad with one group that its account sees, as far as its REST API is used. */
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import {
  createDouble,
  type Double,
  type DoubleCall,
  type DoubleRoute,
  type HelpdeskPeople,
  refuse,
  violation,
} from './double.ts';

interface ZammadArticle {
  readonly id: number;
  readonly body: string;
  readonly contentType: string;
  readonly type: string;
  readonly sender: 'Agent' | 'Customer' | 'System';
  readonly from: string;
  readonly to: string | null;
  readonly isInternal: boolean;
  readonly createdBy: number;
  readonly createdAt: number;
  readonly preferences: JsonObject;
}

interface ZammadTicket {
  readonly id: number;
  readonly title: string;
  readonly customer: number;
  readonly createdBy: number;
  readonly createdAt: number;
  readonly preferences: JsonObject;
  /** Another one than the account's: it is not told of the ticket. */
  group: string;
  state: string;
  pendingTime: string | null;
  owner: number;
  updatedAt: number;
  articles: ZammadArticle[];
}

export interface ZammadWorld {
  tickets: ZammadTicket[];
  lastId: number;
  /** The token's right `ticket.agent`. */
  mayWork: boolean;
}

export interface ZammadDouble extends Double<ZammadWorld> {
  readonly people: HelpdeskPeople;
  /** By mail, as its channels make them of one: HTML, with the sender's address. */
  openByMail(subject: string, html: string): string;
}

export const ZAMMAD = { token: 'zammad-token', group: 'Users', customer: 'desk@acme.example' } as const;
const [NOBODY, BOT, CUSTOMER, OTHER, DESK, GONE] = [1, 3, 7, 8, 9, 6];
const AGENTS = ['4', '5'] as const;
const NAMES: Readonly<Record<number, string>> = {
  1: '-',
  3: 'Threadwise Bot',
  4: 'Bea',
  5: 'Carl',
  6: 'Dan',
  7: 'Ada',
  8: 'Eve',
  9: 'Desk',
};
const mailOf = (user: number): string => `${(NAMES[user] ?? '').toLowerCase()}@example.org`;
const USERS = Object.keys(NAMES).map(Number);

/** With the kind of each: https://github.com/zammad/zammad/blob/develop/db/seeds/ticket_states.rb */
const STATES: Readonly<Record<string, 'new' | 'open' | 'pending' | 'closed'>> = {
  new: 'new',
  open: 'open',
  'pending reminder': 'pending',
  closed: 'closed',
  'pending close': 'pending',
};
const STATE_OF = { open: 'open', waiting: 'pending reminder', solved: 'closed', closed: 'closed' } as const;

const preferencesForm = z.record(z.string(), z.json());
const articleForm = z.strictObject({
  body: z.string().min(1).max(1_500_000),
  content_type: z.enum(['text/plain', 'text/html']),
  type: z.enum(['note', 'email']),
  internal: z.boolean(),
  sender: z.enum(['Agent', 'Customer']).optional(),
  to: z.string().optional(),
  in_reply_to: z.string().optional(),
  preferences: preferencesForm.optional(),
});
const addedForm = articleForm.extend({ ticket_id: z.number().int() });
const newForm = z.strictObject({
  title: z.string().min(1).max(250),
  group: z.string(),
  customer_id: z.string().regex(/^guess:\S+@\S+$/),
  article: articleForm,
  preferences: preferencesForm.optional(),
});
const changeForm = z.strictObject({
  state: z.string().optional(),
  pending_time: z.iso.datetime().optional(),
  owner_id: z.number().int().optional(),
});

/** https://github.com/zammad/zammad/blob/develop/app/controllers/application_controller/handles_errors.rb */
const errorBody = (_status: number, message: string): JsonValue => ({ error: message, error_human: message });
const no = (status: number, message: string): Error => refuse(status, errorBody(status, message));
const wrong = (status: number, message: string): Error => violation(status, errorBody(status, message));
const toTime = (ms: number): string => new Date(ms).toISOString();

const showTicket = (ticket: ZammadTicket): JsonObject => ({
  id: ticket.id,
  number: String(20_000 + ticket.id),
  title: ticket.title,
  group: ticket.group,
  state: ticket.state,
  state_id: Object.keys(STATES).indexOf(ticket.state) + 1,
  pending_time: ticket.pendingTime,
  owner_id: ticket.owner,
  owner: ticket.owner === NOBODY ? '-' : mailOf(ticket.owner),
  customer_id: ticket.customer,
  customer: mailOf(ticket.customer),
  article_count: ticket.articles.length,
  preferences: ticket.preferences,
  created_by_id: ticket.createdBy,
  created_at: toTime(ticket.createdAt),
  updated_at: toTime(ticket.updatedAt),
});

const showArticle = (ticket: ZammadTicket, article: ZammadArticle): JsonObject => ({
  id: article.id,
  ticket_id: ticket.id,
  type: article.type,
  sender: article.sender,
  from: article.from,
  to: article.to,
  reply_to: null,
  message_id: article.type === 'email' ? `<${article.id}@mail.example>` : null,
  subject: ticket.title,
  body: article.body,
  content_type: article.contentType,
  internal: article.isInternal,
  preferences: article.preferences,
  attachments: [],
  origin_by_id: null,
  created_by_id: article.createdBy,
  created_at: toTime(article.createdAt),
  updated_at: toTime(article.createdAt),
});

const ticketOf = (world: ZammadWorld, id: number): ZammadTicket => {
  const ticket = world.tickets.find((one) => one.id === id);
  if (ticket === undefined) throw no(404, "Couldn't find Ticket with 'id'");
  if (ticket.group !== ZAMMAD.group) throw no(403, 'Not authorized');
  return ticket;
};

const nextId = (world: ZammadWorld): number => {
  world.lastId += 1;
  return world.lastId;
};

const addArticle = (
  world: ZammadWorld,
  ticket: ZammadTicket,
  over: Partial<ZammadArticle> & Pick<ZammadArticle, 'body' | 'sender' | 'createdBy' | 'createdAt'>,
): ZammadArticle => {
  const from = NAMES[over.createdBy] ?? '';
  const plain = { contentType: 'text/plain', type: 'note', from, to: null, isInternal: false, preferences: {} };
  const article: ZammadArticle = { ...plain, id: nextId(world), ...over };
  ticket.articles.push(article);
  ticket.updatedAt = Math.max(ticket.updatedAt, over.createdAt);
  return article;
};

const addTicket = (
  world: ZammadWorld,
  at: number,
  over: Partial<ZammadTicket> & Pick<ZammadTicket, 'title' | 'customer' | 'createdBy'>,
): ZammadTicket => {
  const begun = { group: ZAMMAD.group, state: 'new', pendingTime: null, owner: NOBODY, preferences: {}, articles: [] };
  const ticket: ZammadTicket = { ...begun, id: nextId(world), createdAt: at, updatedAt: at, ...over };
  world.tickets.push(ticket);
  return ticket;
};

const postArticle = (world: ZammadWorld, ticket: ZammadTicket, at: number, said: z.infer<typeof articleForm>): ZammadArticle => {
  const { body, content_type: contentType, type, internal: isInternal, sender = 'Agent', to = null, preferences = {} } = said;
  if (type === 'email' && (to === null || isInternal)) throw wrong(422, 'an article of type email wants an address');
  return addArticle(world, ticket, {
    body,
    contentType,
    type,
    isInternal,
    sender,
    to,
    createdBy: BOT,
    createdAt: at,
    preferences: preferences as JsonObject,
  });
};

/** What it does not know to ask of the database, it is not asked here. */
const found = (world: ZammadWorld, { query }: DoubleCall): readonly ZammadTicket[] => {
  const seen = world.tickets.filter(({ group }) => group === ZAMMAD.group);
  const { sort_by: by, order_by: order } = query;
  const since = query['condition[ticket.updated_at][value]'];
  if (query['condition[ticket.updated_at][operator]'] === 'after (absolute)' && since !== undefined && by === 'updated_at') {
    if (order !== 'asc' || Number.isNaN(Date.parse(since))) throw wrong(422, 'no time, or no order');
    return seen.filter((one) => one.updatedAt >= Date.parse(since)).sort((a, b) => a.updatedAt - b.updatedAt || a.id - b.id);
  }
  const mine = query['condition[ticket.created_by_id][pre_condition]'];
  if (query['condition[ticket.created_by_id][operator]'] !== 'is' || mine !== 'current_user.id' || by !== 'created_at')
    throw wrong(422, 'no condition');
  return seen.filter(({ createdBy }) => createdBy === BOT).sort((a, b) => b.createdAt - a.createdAt || b.id - a.id);
};

const change = (ticket: ZammadTicket, { state, pending_time: until, owner_id: owner }: z.infer<typeof changeForm>): void => {
  const kind = STATES[state ?? ticket.state];
  if (kind === undefined) throw no(422, `No lookup value found for 'state': "${state}"`);
  if (kind === 'pending' && state !== undefined && until === undefined)
    throw no(422, "Missing required value for field 'pending_time'!");
  if (owner !== undefined && !USERS.includes(owner)) throw no(422, `No lookup value found for 'owner_id': ${owner}`);
  ticket.state = state ?? ticket.state;
  ticket.pendingTime = kind === 'pending' ? (until ?? ticket.pendingTime) : null;
  // Who left, or is no agent, becomes nobody.
  if (owner !== undefined) ticket.owner = (AGENTS as readonly string[]).includes(String(owner)) ? owner : NOBODY;
};

const routesOf = (clock: Clock, pageSize: number): readonly DoubleRoute<ZammadWorld>[] => {
  const named = ({ query }: DoubleCall): void => {
    if (query['expand'] !== 'true') throw wrong(400, 'without expand=true there are ids alone');
  };
  return [
    {
      method: 'GET',
      path: '/api/v1/tickets/search',
      query: [
        'expand',
        'page',
        'per_page',
        'sort_by',
        'order_by',
        'condition[ticket.updated_at][operator]',
        'condition[ticket.updated_at][value]',
        'condition[ticket.created_by_id][operator]',
        'condition[ticket.created_by_id][pre_condition]',
      ],
      run: (world, call) => {
        named(call);
        const size = Math.min(Number(call.query['per_page'] ?? 50), pageSize, 200);
        const from = (Number(call.query['page'] ?? 1) - 1) * size;
        const rows = found(world, call).slice(from, from + size);
        return { status: 200, body: rows.map(showTicket) };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/users/{id}',
      run: (_world, { params }) => {
        if (!(AGENTS as readonly string[]).includes(params['id'] ?? '')) throw refuse(404, { error: "Couldn't find User" });
        return { status: 200, body: { id: Number(params['id']), active: true } };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/tickets/{id}',
      query: ['expand'],
      run: (world, call) => {
        named(call);
        return { status: 200, body: showTicket(ticketOf(world, Number(call.params['id']))) };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/tickets',
      query: ['expand'],
      body: newForm,
      run: (world, call) => {
        named(call);
        const { title, group, customer_id: guess, article, preferences = {} } = call.body as z.infer<typeof newForm>;
        if (group !== ZAMMAD.group) throw no(422, `No lookup value found for 'group': "${group}"`);
        const customer = USERS.find((user) => `guess:${mailOf(user)}` === guess) ?? DESK;
        const over = { title, customer, createdBy: BOT, preferences: preferences as JsonObject };
        const ticket = addTicket(world, clock.now(), over);
        postArticle(world, ticket, clock.now(), article);
        return { status: 201, body: showTicket(ticket) };
      },
    },
    {
      method: 'PUT',
      path: '/api/v1/tickets/{id}',
      query: ['expand'],
      body: changeForm,
      run: (world, call) => {
        named(call);
        const ticket = ticketOf(world, Number(call.params['id']));
        change(ticket, call.body as z.infer<typeof changeForm>);
        ticket.updatedAt = Math.max(ticket.updatedAt, clock.now());
        return { status: 200, body: showTicket(ticket) };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/ticket_articles/by_ticket/{id}',
      query: ['expand'],
      run: (world, call) => {
        named(call);
        const ticket = ticketOf(world, Number(call.params['id']));
        return { status: 200, body: ticket.articles.map((article) => showArticle(ticket, article)) };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/ticket_articles',
      query: ['expand'],
      body: addedForm,
      run: (world, call) => {
        named(call);
        const { ticket_id: id, ...said } = call.body as z.infer<typeof addedForm>;
        const ticket = ticketOf(world, id);
        return { status: 201, body: showArticle(ticket, postArticle(world, ticket, clock.now(), said)) };
      },
    },
  ];
};

export const createZammadDouble = async ({
  clock,
  pageSize = 200,
}: {
  readonly clock: Clock;
  readonly pageSize?: number;
}): Promise<ZammadDouble> => {
  const double = await createDouble<ZammadWorld>({
    clock,
    world: { tickets: [], lastId: 20, mayWork: true },
    routes: routesOf(clock, pageSize),
    check: ({ headers }, { mayWork }) => {
      if (!headers.authorization?.startsWith('Token token=')) throw wrong(403, 'Authentication required');
      if (headers.authorization !== `Token token=${ZAMMAD.token}`) throw no(401, 'Invalid token!');
      if (!mayWork) throw no(403, 'Not authorized (token)!');
    },
    errorBody,
  });
  const held = (id: string): ZammadTicket => {
    const ticket = double.world.tickets.find((one) => String(one.id) === id);
    if (ticket === undefined) throw new Error(`no ticket ${id}`);
    return ticket;
  };
  const open = (title: string, over: Partial<ZammadArticle> & Pick<ZammadArticle, 'body'>): string =>
    double.change((world) => {
      const at = clock.now();
      const ticket = addTicket(world, at, { title, customer: CUSTOMER, createdBy: CUSTOMER });
      const from = `${NAMES[CUSTOMER]} <${mailOf(CUSTOMER)}>`;
      addArticle(world, ticket, { type: 'web', sender: 'Customer', createdBy: CUSTOMER, createdAt: at, from, ...over });
      return String(ticket.id);
    });
  const people: HelpdeskPeople = {
    agents: AGENTS,
    open: (subject, body) => open(subject, { body }),
    set: (id, { status, assignee }) =>
      double.change(() => {
        const ticket = held(id);
        if (status !== undefined) ticket.state = STATE_OF[status];
        if (assignee !== undefined) ticket.owner = assignee === null ? NOBODY : Number(assignee);
        ticket.updatedAt = Math.max(ticket.updatedAt, clock.now());
      }),
    say: (id, body, { by = 'agent', isSeen = true } = {}) => {
      const createdBy = { requester: CUSTOMER, other: OTHER, agent: Number(AGENTS[0]) }[by];
      const sender = by === 'agent' ? 'Agent' : 'Customer';
      return double.change((world) => {
        const over = { body, sender, createdBy, createdAt: clock.now(), isInternal: !isSeen } as const;
        return String(addArticle(world, held(id), over).id);
      });
    },
    remove: (id) =>
      double.change((world) => {
        world.tickets = world.tickets.filter((one) => String(one.id) !== id);
      }),
  };
  const openByMail = (subject: string, body: string): string => open(subject, { body, contentType: 'text/html', type: 'email' });
  return { ...double, people, openByMail };
};

/** An agent who left: he is taken as an owner, and is none. */
export const ZAMMAD_GONE = String(GONE);
