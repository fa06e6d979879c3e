/**
 * One Zendesk, by its API v2. Comments are read from the audits, since they alone tell the metadata that a change came with: our marker.
 *
 * - Tokens and their form: https://developer.zendesk.com/api-reference/introduction/security-and-auth/
 * - Audits, and the metadata of up to 1 KB in `metadata.custom`: https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_audits/
 * - `safe_update` with `updated_stamp` is answered by 409 where the ticket was changed since:
 *   https://developer.zendesk.com/documentation/ticketing/managing-tickets/creating-and-updating-tickets/#protecting-against-ticket-update-collisions
 * - `Idempotency-Key` when a ticket is made: https://developer.zendesk.com/api-reference/ticketing/introduction/#idempotency
 * - The export leaves out what changed in the last minute, refuses to begin there, and takes ten requests a minute:
 *   https://developer.zendesk.com/documentation/ticketing/managing-tickets/using-the-incremental-export-api
 */
import { AppError } from '../../agent/errors.ts';
import type { JsonObject } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { ExternalTicket, TicketPerson } from '../../agent/ticket.ts';
import type { Connector, OutsideComment, OutsideTicket } from './connector.ts';
import { createHelpdeskHttp, createSend } from './http.ts';
import {
  type ZendeskAudit as Audit,
  auditsForm,
  changedForm,
  commentForm,
  exportForm,
  meForm,
  privacyForm,
  STATUSES,
  shownForm,
  THEIRS,
  type ZendeskTicket as Ticket,
  ticketsForm,
  type ZendeskUser as User,
  wordsOf,
  type ZendeskShown,
} from './zendesk-answers.ts';

/** Twice the minute that the export leaves out: their clock may be behind. */
const EXPORT_LAG_MS = 120_000;
const ROWS = '100';
const MAX_PAGES = 50;
const SUBJECT_CHARS = 150;

export interface ZendeskOptions {
  /** `zendesk:acme`. */
  readonly system: string;
  /** `https://acme.zendesk.com`. */
  readonly baseUrl: string;
  /** Without an address the token is one of OAuth. */
  readonly email: string | undefined;
  readonly token: { reveal(): string };
  readonly clock: Clock;
}

export const createZendeskConnector = ({ system, baseUrl, email, token, clock }: ZendeskOptions): Connector => {
  const secret = token.reveal();
  const authorization =
    email === undefined ? `Bearer ${secret}` : `Basic ${Buffer.from(`${email}/token:${secret}`).toString('base64')}`;
  const send = createSend({ system, baseUrl, headers: { authorization }, clock });
  const http = createHelpdeskHttp({ system, send, wordsOf });
  const prefix = `${system}:user:`;

  const personOf = (id: number, users: ReadonlyMap<number, User>): TicketPerson => ({
    id: `${prefix}${id}`,
    displayName: users.get(id)?.name ?? '',
  });
  const urlOf = ({ id }: Ticket): string => `${baseUrl.replace(/\/+$/, '')}/agent/tickets/${id}`;
  const externalOf = (ticket: Ticket): ExternalTicket => ({ system, id: String(ticket.id), url: urlOf(ticket) });
  const versionOf = ({ updated_at: at }: Ticket): number => Date.parse(at);
  const assigneeOf = ({ assignee_id: id }: Ticket): string | null => (id == null ? null : String(id));
  const commentsOf = ({ events }: Audit) => events.flatMap((event) => commentForm.safeParse(event).data ?? []);

  const readTicket = async (id: string, signal: AbortSignal): Promise<ZendeskShown | undefined> => {
    if (!/^\d+$/.test(id)) return undefined;
    const asked = { method: 'GET', path: `/api/v2/tickets/${id}`, query: { include: 'users' } } as const;
    const answer = await send(asked, signal);
    if (answer.status === 404) return undefined;
    if (answer.status === 403) {
      // An agent who sees some groups alone is told so of one ticket; whoever is no agent, of all.
      const { user } = await http.ask({ method: 'GET', path: '/api/v2/users/me' }, meForm, signal);
      if (user.role === 'agent' || user.role === 'admin') return undefined;
    }
    return http.read(asked, answer, shownForm);
  };

  const readAudits = async (id: string, signal: AbortSignal) => {
    const audits: Audit[] = [];
    const users: User[] = [];
    let after: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = { 'page[size]': ROWS, include: 'users', ...(after === undefined ? {} : { 'page[after]': after }) };
      const next = await http.ask({ method: 'GET', path: `/api/v2/tickets/${id}/audits`, query }, auditsForm, signal);
      audits.push(...next.audits);
      users.push(...(next.users ?? []));
      after = next.meta.after_cursor ?? undefined;
      if (!next.meta.has_more || after === undefined) break;
    }
    return { audits, users };
  };

  /** The first comment is the ticket's text. */
  const readComments = (
    ticket: Ticket,
    audits: readonly Audit[],
    users: ReadonlyMap<number, User>,
  ): readonly OutsideComment[] => {
    const all = audits.flatMap((audit) => commentsOf(audit).map((comment) => ({ audit, comment }))).slice(1);
    const changes = audits.flatMap(({ events }) => events.flatMap((event) => privacyForm.safeParse(event).data ?? []));
    return all.map(({ audit, comment }) => {
      const { id, author_id: authorId, body, public: wasPublic } = comment;
      const role = users.get(authorId)?.role;
      return {
        id: String(id),
        by: authorId === ticket.requester_id ? 'requester' : role === 'agent' || role === 'admin' ? 'agent' : 'other',
        author: personOf(authorId, users),
        isPublic: changes.findLast(({ comment_id: of }) => of === id)?.public ?? wasPublic,
        text: body.replaceAll('\r\n', '\n'),
        at: Date.parse(audit.created_at),
        marker: audit.metadata?.custom?.threadwise ?? null,
      };
    });
  };

  const put = (id: string, ticket: JsonObject, signal: AbortSignal) =>
    http.ask({ method: 'PUT', path: `/api/v2/tickets/${id}`, body: { ticket } }, changedForm, signal);

  const change = async (
    id: string,
    version: number,
    over: JsonObject,
    isSo: (ticket: Ticket) => boolean,
    signal: AbortSignal,
  ): Promise<number> => {
    const before = (await readTicket(id, signal))?.ticket;
    if (before === undefined) throw new AppError('helpdesk_rejected', `${system}: expected ticket ${id}, got none`);
    if (versionOf(before) > version)
      throw new AppError('helpdesk_moved', `${system}: ticket ${id} was changed since it was read`);
    if (isSo(before)) return versionOf(before);
    const { ticket } = await put(id, { ...over, safe_update: true, updated_stamp: before.updated_at }, signal);
    // A trigger of theirs may have changed it back.
    if (!isSo(ticket)) throw new AppError('helpdesk_rejected', `${system} took the change of ticket ${id} and did not keep it`);
    return versionOf(ticket);
  };

  return {
    system,
    isPublic: false,
    hasNotes: true,
    projectStatus: (status) => (status === 'snoozed' ? 'waiting' : status === 'closed' ? 'solved' : status),

    read: async (id, signal): Promise<OutsideTicket | undefined> => {
      const shown = await readTicket(id, signal);
      if (shown === undefined) return undefined;
      const { ticket } = shown;
      const { audits, users: writers } = await readAudits(id, signal);
      const users = new Map([...(shown.users ?? []), ...writers].map((user) => [user.id, user]));
      return {
        id,
        url: urlOf(ticket),
        version: versionOf(ticket),
        status: STATUSES[ticket.status],
        assignee: assigneeOf(ticket),
        requester: personOf(ticket.requester_id, users),
        subject: ticket.subject ?? '',
        text: (ticket.description ?? '').replaceAll('\r\n', '\n'),
        createdAt: Date.parse(ticket.created_at),
        isPrivate: ticket.is_public === false,
        marker: ticket.external_id ?? null,
        comments: readComments(ticket, audits, users),
      };
    },

    listChanged: async (sinceMs, page, signal) => {
      const since = Math.floor(sinceMs / 1_000);
      const start = Math.min(since, Math.floor((clock.now() - EXPORT_LAG_MS) / 1_000));
      let query: Record<string, string> = { start_time: String(Math.max(start, 0)) };
      for (let n = 1; ; n += 1) {
        const path = '/api/v2/incremental/tickets/cursor';
        const {
          tickets,
          after_cursor: after,
          end_of_stream: isLast,
        } = await http.ask({ method: 'GET', path, query }, exportForm, signal);
        const changed = tickets
          .filter(({ generated_timestamp: at }) => at >= since)
          .map(({ id, generated_timestamp: at }) => ({ id: String(id), changedAt: at * 1_000 }));
        if (n === page || isLast || after == null) return { changed: n === page ? changed : [], isLast: isLast || after == null };
        query = { cursor: after };
      }
    },

    setStatus: (id, status, version, signal) =>
      change(id, version, { status: THEIRS[status] }, (ticket) => STATUSES[ticket.status] === STATUSES[THEIRS[status]], signal),

    setAssignee: async (id, assignee, version, signal) => {
      const wanted = assignee === null ? null : Number(assignee);
      return await change(id, version, { assignee_id: wanted }, (ticket) => assigneeOf(ticket) === assignee, signal);
    },

    addComment: async (id, { text, isPublic, marker }, signal) => {
      const comment = { body: text, public: isPublic };
      const { ticket, audit } = await put(id, { comment, metadata: { threadwise: marker } }, signal);
      const [added] = audit == null ? [] : commentsOf(audit);
      if (added === undefined)
        throw new AppError('helpdesk_unavailable', `${system}: expected the comment in the answer, got none`);
      return { id: String(added.id), version: versionOf(ticket) };
    },

    create: async ({ subject, text, requester, marker }, signal) => {
      const mail = requester.id.startsWith('mail:') ? requester.id.slice('mail:'.length) : undefined;
      const name = requester.displayName;
      const said = mail !== undefined || name === '' ? text : `${name}:\n\n${text}`;
      const title = subject.trim() || (text.trim().split('\n', 1)[0] ?? '').slice(0, SUBJECT_CHARS) || 'Ticket';
      const ticket = {
        subject: title,
        comment: { body: said.trim() === '' ? title : said },
        external_id: marker,
        // Left out, it is the account of the token.
        ...(mail === undefined ? {} : { requester: { email: mail, name: name || mail } }),
      };
      const asked = {
        method: 'POST',
        path: '/api/v2/tickets',
        body: { ticket },
        headers: { 'idempotency-key': marker },
      } as const;
      return externalOf((await http.ask(asked, changedForm, signal)).ticket);
    },

    isAgent: async (id, signal) => {
      if (!/^\d+$/.test(id)) return false;
      const found = await http.find({ method: 'GET', path: `/api/v2/users/${id}` }, meForm, signal);
      return found?.user.role === 'agent' || found?.user.role === 'admin';
    },

    find: async (marker, signal) => {
      const asked = { method: 'GET', path: '/api/v2/tickets', query: { external_id: marker } } as const;
      const { tickets } = await http.ask(asked, ticketsForm, signal);
      const found = tickets.find(({ external_id: id }) => id === marker);
      return found === undefined ? undefined : externalOf(found);
    },
  };
};
