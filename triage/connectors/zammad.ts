/**
 * Zammad by its REST API. https://docs.zammad.org/en/latest/api/intro.html
 *
 * - It has no check of versions: what changed since is seen by reading first, which leaves a moment.
 * - An article carries its marker in its preferences, and a ticket too: they are taken as they come, kept and shown again.
 *   https://github.com/zammad/zammad/blob/develop/app/controllers/concerns/creates_ticket_articles.rb
 * - A search by `condition` asks the database, one by `query` an index that is behind. https://github.com/zammad/zammad/issues/5369
 * - Nobody is user 1. An owner who may not be one becomes that in silence, and a `pending_time` is dropped where the state has none.
 *   https://github.com/zammad/zammad/blob/develop/app/models/ticket.rb
 * - A note reaches nobody by mail: who wrote by mail is answered by an article of that type.
 *   https://docs.zammad.org/en/latest/api/ticket/articles.html
 */
import { z } from 'zod';
import { AppError, hasCode } from '../../agent/errors.ts';
import type { JsonObject } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { ExternalTicket, TicketPerson, TicketStatus } from '../../agent/ticket.ts';
import type { Connector, OutsideComment, OutsideTicket, SyncStatus } from './connector.ts';
import { createHelpdeskHttp, createSend, type HelpdeskAnswer } from './http.ts';
import { type Article, articleForm, isOfAccount, nameOf, type Ticket, textOf, ticketForm, wordsOf } from './zammad-form.ts';

export interface ZammadOptions {
  /** `zammad:acme`. */
  readonly system: string;
  /** `https://help.acme.example`. */
  readonly baseUrl: string;
  /** Of an agent, with the right `ticket.agent`. */
  readonly token: { reveal(): string };
  /** Of new tickets. */
  readonly group: string;
  /** The address of the customer whose new tickets are, where that of who asks is not known. */
  readonly customer: string;
  /** Names of states; the first one is set, all are read. Those not named are `open`. */
  readonly statuses?: Partial<Readonly<Record<SyncStatus, readonly string[]>>>;
  /** Everyone may read there. */
  readonly isPublic: boolean;
  readonly clock: Clock;
  /** Of lists; default 100, which it gives at most. */
  readonly pageSize?: number;
}

/** https://github.com/zammad/zammad/blob/develop/db/seeds/ticket_states.rb */
const STATUSES: NonNullable<ZammadOptions['statuses']> = {
  open: ['open', 'new'],
  waiting: ['pending reminder'],
  solved: ['closed', 'pending close', 'merged', 'removed'],
};
const NOBODY = 1;
/** When somebody there is reminded of a ticket that waits. */
const REMINDER_MS = 7 * 24 * 3_600_000;
/** Of the newest tickets of this account, among which a marker is looked for. */
const MAX_PAGES = 30;

const refusalOf = (answer: HelpdeskAnswer) =>
  answer.status === 403 && !isOfAccount(answer) ? ({ code: 'helpdesk_rejected' } as const) : undefined;

export const createZammadConnector = (options: ZammadOptions): Connector => {
  const { system, baseUrl, token, group, isPublic, clock, pageSize = 100 } = options;
  const statuses = { ...STATUSES, ...options.statuses };
  const send = createSend({ system, baseUrl, headers: { authorization: `Token token=${token.reveal()}` }, clock });
  const http = createHelpdeskHttp({ system, send, wordsOf, refusalOf });
  const root = baseUrl.replace(/\/+$/, '');
  const tickets = '/api/v1/tickets';
  const articles = '/api/v1/ticket_articles';
  /** Names beside the ids. */
  const expand = { expand: 'true' };

  const named = Object.entries(statuses) as [SyncStatus, readonly string[]][];
  const statusOf = (state: string): SyncStatus => named.find(([, names]) => names.includes(state))?.[0] ?? 'open';
  const externalOf = ({ id }: Pick<Ticket, 'id'>): ExternalTicket => ({
    system,
    id: String(id),
    url: `${root}/#ticket/zoom/${id}`,
  });
  const assigneeOf = ({ owner_id: owner }: Ticket): string | null => (owner === null || owner === NOBODY ? null : String(owner));
  const authorOf = ({ origin_by_id: origin, created_by_id: creator }: Article): number => origin ?? creator;
  const personOf = (id: number, name: string): TicketPerson => ({ id: `${system}:user:${id}`, displayName: name });

  const readTicket = async (id: string, signal: AbortSignal): Promise<Ticket | undefined> => {
    if (!/^\d+$/.test(id)) return undefined;
    const asked = { method: 'GET', path: `${tickets}/${id}`, query: expand } as const;
    const answer = await send(asked, signal);
    // In a group that the account does not see, by now.
    if (answer.status === 404 || (answer.status === 403 && !isOfAccount(answer))) return undefined;
    return http.read(asked, answer, ticketForm);
  };

  const readArticles = async (id: string, signal: AbortSignal): Promise<readonly Article[] | undefined> => {
    const asked = { method: 'GET', path: `${articles}/by_ticket/${id}`, query: expand } as const;
    const all = await http.find(asked, z.array(articleForm), signal);
    return all === undefined ? undefined : [...new Map(all.map((one) => [one.id, one])).values()].sort((a, b) => a.id - b.id);
  };

  const change = async (
    id: string,
    version: number,
    over: JsonObject,
    isSo: (ticket: Ticket) => boolean,
    signal: AbortSignal,
  ): Promise<number> => {
    const before = await readTicket(id, signal);
    if (before === undefined) throw new AppError('helpdesk_rejected', `${system}: expected a ticket ${id}, there is none`);
    if (before.updated_at > version)
      throw new AppError('helpdesk_moved', `${system}: ticket ${id} was changed since it was read`);
    if (isSo(before)) return before.updated_at;
    const asked = { method: 'PUT', path: `${tickets}/${id}`, query: expand, body: over } as const;
    const after = await http.ask(asked, ticketForm, signal);
    if (!isSo(after)) throw new AppError('helpdesk_rejected', `${system} took the change of ticket ${id} and did not make it`);
    return after.updated_at;
  };

  const commentOf = (article: Article, customerId: number): OutsideComment => {
    const authorId = authorOf(article);
    const isCustomer = article.sender === 'Customer' && authorId === customerId;
    return {
      id: String(article.id),
      by: isCustomer ? 'requester' : article.sender === 'Agent' ? 'agent' : 'other',
      author: personOf(authorId, nameOf(article.from)),
      isPublic: !article.internal,
      text: textOf(article),
      at: article.created_at,
      marker: article.preferences.threadwise ?? null,
    };
  };

  /** Empty where the customer did not write by mail. Whoever else wrote into the ticket is not answered: anybody may have. */
  const addressing = async (id: string, signal: AbortSignal): Promise<JsonObject> => {
    const [ticket, all] = [await readTicket(id, signal), await readArticles(id, signal)];
    const isAsker = (one: Article): boolean => one.sender === 'Customer' && authorOf(one) === ticket?.customer_id;
    const asked = all?.findLast((one) => isAsker(one) && !one.internal);
    const to = asked?.reply_to || asked?.from;
    if (asked?.type !== 'email' || !to) return {};
    return { type: 'email', to, ...(asked.message_id ? { in_reply_to: asked.message_id } : {}) };
  };

  const search = (query: Readonly<Record<string, string>>, page: number, signal: AbortSignal): Promise<readonly Ticket[]> => {
    const paged = { ...expand, ...query, page: String(page), per_page: String(pageSize) };
    return http.ask({ method: 'GET', path: `${tickets}/search`, query: paged }, z.array(ticketForm), signal);
  };

  return {
    system,
    isPublic,
    hasNotes: true,
    projectStatus: (one: Exclude<TicketStatus, 'merged'>) => {
      const wanted = one === 'snoozed' ? 'waiting' : one;
      if ((statuses[wanted]?.length ?? 0) > 0) return wanted;
      return wanted === 'waiting' ? 'open' : 'solved';
    },

    read: async (id, signal): Promise<OutsideTicket | undefined> => {
      const ticket = await readTicket(id, signal);
      const all = ticket === undefined ? undefined : await readArticles(id, signal);
      if (ticket === undefined || all === undefined) return undefined;
      const [first, ...others] = all;
      const isAsker = first !== undefined && authorOf(first) === ticket.customer_id;
      return {
        id,
        url: externalOf(ticket).url,
        version: ticket.updated_at,
        status: statusOf(ticket.state),
        assignee: assigneeOf(ticket),
        requester: personOf(ticket.customer_id, isAsker ? nameOf(first.from) : (ticket.customer ?? '')),
        subject: ticket.title,
        text: first === undefined ? '' : textOf(first),
        createdAt: ticket.created_at,
        isPrivate: false,
        marker: ticket.preferences.threadwise ?? null,
        comments: others.map((article) => commentOf(article, ticket.customer_id)),
      };
    },

    listChanged: async (sinceMs, page, signal) => {
      const condition = { operator: 'after (absolute)', value: new Date(sinceMs).toISOString() };
      const query = {
        'condition[ticket.updated_at][operator]': condition.operator,
        'condition[ticket.updated_at][value]': condition.value,
        sort_by: 'updated_at',
        order_by: 'asc',
      };
      const rows = await search(query, page, signal);
      const changed = rows
        .map((ticket) => ({ id: String(ticket.id), changedAt: ticket.updated_at }))
        .filter(({ changedAt }) => changedAt >= sinceMs);
      return { changed, isLast: rows.length < pageSize };
    },

    setStatus: (id, wanted, version, signal) => {
      const [state = wanted] = statuses[wanted] ?? [];
      const until = new Date(clock.now() + REMINDER_MS).toISOString();
      const over = { state, ...(wanted === 'waiting' ? { pending_time: until } : {}) };
      return change(id, version, over, (ticket) => statusOf(ticket.state) === wanted, signal);
    },

    setAssignee: async (id, assignee, version, signal) => {
      if (assignee !== null && !/^\d+$/.test(assignee))
        throw new AppError('helpdesk_rejected', `${system}: expected the number of a user as assignee`);
      const over = { owner_id: assignee === null ? NOBODY : Number(assignee) };
      return change(id, version, over, (ticket) => assigneeOf(ticket) === assignee, signal);
    },

    addComment: async (id, { text, isPublic: isSeen, marker }, signal) => {
      const body: JsonObject = {
        ticket_id: Number(id),
        type: 'note',
        ...(isSeen ? await addressing(id, signal) : {}),
        body: text,
        content_type: 'text/plain',
        internal: !isSeen,
        preferences: { threadwise: marker },
      };
      const added = await http.ask({ method: 'POST', path: articles, query: expand, body }, z.object({ id: z.number() }), signal);
      // It is added: what cannot be read now is read the next time.
      const after = await readTicket(id, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (hasCode(error, 'helpdesk_unavailable') || hasCode(error, 'helpdesk_rate_limited')) return undefined;
        throw error;
      });
      return { id: String(added.id), version: after?.updated_at ?? 0 };
    },

    create: async ({ subject, text, requester, marker }, signal) => {
      const [, address = options.customer] = /^mail:(.+@.+)$/.exec(requester.id) ?? [];
      const said = requester.displayName === '' ? text : `${requester.displayName}:\n\n${text}`;
      const body: JsonObject = {
        title: (subject || text).replace(/\s+/g, ' ').trim().slice(0, 250) || '-',
        group,
        customer_id: `guess:${address}`,
        article: { body: said || '-', content_type: 'text/plain', type: 'note', sender: 'Customer', internal: false },
        preferences: { threadwise: marker },
      };
      return externalOf(await http.ask({ method: 'POST', path: tickets, query: expand, body }, ticketForm, signal));
    },

    isAgent: async (id, signal) => {
      if (!/^\d+$/.test(id)) return false;
      // Which role makes an agent is each installation's own affair.
      const found = await http.find({ method: 'GET', path: `/api/v1/users/${id}` }, z.object({ active: z.boolean() }), signal);
      return found?.active === true;
    },

    find: async (marker, signal) => {
      const query = {
        'condition[ticket.created_by_id][operator]': 'is',
        'condition[ticket.created_by_id][pre_condition]': 'current_user.id',
        sort_by: 'created_at',
        order_by: 'desc',
      };
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const rows = await search(query, page, signal);
        const found = rows.find(({ preferences }) => preferences.threadwise === marker);
        if (found !== undefined) return externalOf(found);
        if (rows.length < pageSize) return undefined;
      }
      return undefined;
    },
  };
};
