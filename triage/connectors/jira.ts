/**
 * Jira Cloud by its REST API, version 3. https://developer.atlassian.com/cloud/jira/platform/rest/v3/
 *
 * - It has no check of versions: what changed since is seen by reading first, which leaves a moment.
 * - A status is reached by a transition, where one leads there.
 * - A comment carries its marker as a property, and is internal by `sd.public.comment`, where the project is of a service desk.
 * - The search knows whole minutes alone, so it is asked for more than is wanted, and may show a change after a while.
 *   https://developer.atlassian.com/cloud/jira/platform/search-and-reconcile/
 * - Credentials that it does not take are answered as nobody's, by 404 and by empty lists; a header tells.
 *   https://github.com/MrRefactoring/jira.js/issues/418, https://github.com/tenable/integration-jira-cloud/issues/165
 */
import { z } from 'zod';
import { AppError, hasCode } from '../../agent/errors.ts';
import type { JsonObject } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { TicketPerson, TicketStatus } from '../../agent/ticket.ts';
import type { Connector, OutsideComment, OutsideTicket, SyncStatus } from './connector.ts';
import { createHelpdeskHttp, createSend, type SendToHelpdesk } from './http.ts';
import { adfNode, fromAdf, toAdf } from './jira-adf.ts';

export interface JiraOptions {
  /** `jira:acme`. */
  readonly system: string;
  /** `https://acme.atlassian.net`. */
  readonly baseUrl: string;
  readonly email: string;
  readonly token: { reveal(): string };
  /** The key of the project that is kept in step: `SUP`. */
  readonly project: string;
  /** Of new tickets; default `Task`. */
  readonly issueType?: string;
  /** The project's statuses by name. Those not named are `solved` where Jira counts them as done, else `open`. */
  readonly statuses?: Partial<Readonly<Record<SyncStatus, readonly string[]>>>;
  /** A project of Jira Service Management, whose comments can be internal. */
  readonly isServiceDesk: boolean;
  /** Everyone may read the project. */
  readonly isPublic: boolean;
  readonly clock: Clock;
}

/** https://developer.atlassian.com/cloud/jira/platform/jira-entity-properties/ */
const MARKER = 'threadwise';
const INTERNAL = 'sd.public.comment';
const PAGE = 100;
/** How far its clock may be from ours. */
const SKEW_MINUTES = 10;
/** How late the search may show a change. */
const LATE_MS = 45_000;
const FIELDS = ['summary', 'description', 'status', 'assignee', 'reporter', 'created', 'updated', 'security', 'labels'];

const instant = z.string().transform((text, context) => {
  // `2026-01-05T09:00:00.000+0000`: without the colon that Date.parse wants.
  const at = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/u, '$1:$2'));
  if (Number.isFinite(at)) return at;
  context.addIssue({ code: 'custom', message: 'expected a time' });
  return z.NEVER;
});
const account = z.object({ accountId: z.string(), displayName: z.string().default(''), accountType: z.string().optional() });
const status = z.object({ name: z.string(), statusCategory: z.object({ key: z.string() }) });
const issue = z.object({
  id: z.string(),
  key: z.string(),
  fields: z.object({
    summary: z.string().nullish(),
    description: adfNode.nullish(),
    status,
    assignee: account.nullish(),
    reporter: account.nullish(),
    created: instant,
    updated: instant,
    security: z.unknown().optional(),
    labels: z.array(z.string()).default([]),
  }),
});
const comment = z.object({
  id: z.string(),
  author: account.nullish(),
  body: adfNode.nullish(),
  created: instant,
  jsdPublic: z.boolean().optional(),
  visibility: z.unknown().optional(),
  properties: z.array(z.object({ key: z.string(), value: z.unknown() })).default([]),
});
const comments = z.object({ comments: z.array(comment), maxResults: z.number().min(1), total: z.number() });
const transitions = z.object({ transitions: z.array(z.object({ id: z.string(), to: status })) });
const found = z.object({
  issues: z.array(z.object({ key: z.string(), fields: z.object({ updated: instant }) })),
  nextPageToken: z.string().nullish(),
  isLast: z.boolean().optional(),
});
const refusal = z.object({
  errorMessages: z.array(z.string()).default([]),
  errors: z.record(z.string(), z.string()).default({}),
});

/** A label holds no spaces. */
const labelOf = (marker: string): string => `threadwise-${marker.replace(/[^\w-]/gu, '_')}`;
const quoted = (text: string): string => `"${text.replace(/["\\]/gu, '\\$&')}"`;

const wordsOf = (data: unknown): string | undefined => {
  const { success, data: said } = refusal.safeParse(data);
  if (!success) return typeof data === 'string' ? data : undefined;
  return [...said.errorMessages, ...Object.entries(said.errors).map(([field, why]) => `${field}: ${why}`)].join(' ');
};

export const createJiraConnector = (options: JiraOptions): Connector => {
  const { system, baseUrl, email, token, project, issueType = 'Task', statuses = {}, isServiceDesk, isPublic, clock } = options;
  const authorization = `Basic ${Buffer.from(`${email}:${token.reveal()}`).toString('base64')}`;
  const sendOnce = createSend({ system, baseUrl, headers: { authorization }, clock });
  const send: SendToHelpdesk = async (asked, signal) => {
    const answer = await sendOnce(asked, signal);
    const isNobodys = /AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/.test(answer.headers.get('x-seraph-loginreason') ?? '');
    return isNobodys ? { ...answer, status: 401 } : answer;
  };
  const http = createHelpdeskHttp({ system, send, wordsOf });
  const root = baseUrl.replace(/\/+$/u, '');
  /** Tokens of later pages, by what was asked for: they lead on from one page alone. */
  let walk: { readonly sinceMs: number; readonly tokens: (string | null)[] } = { sinceMs: -1, tokens: [] };
  /** By key, the change that was listed: one that the search shows late is older than others that were. */
  const listed = new Map<string, number>();

  const path = (id: string, rest = ''): string => `/rest/api/3/issue/${encodeURIComponent(id)}${rest}`;
  const named = Object.entries(statuses) as [SyncStatus, readonly string[]][];
  const isNamed = (name: string, names: readonly string[]): boolean =>
    names.some((one) => one.toLowerCase() === name.toLowerCase());
  const statusOf = ({ name, statusCategory }: z.infer<typeof status>): SyncStatus =>
    named.find(([, names]) => isNamed(name, names))?.[0] ?? (statusCategory.key === 'done' ? 'solved' : 'open');
  const knows = (one: SyncStatus): boolean => one === 'open' || one === 'solved' || (statuses[one]?.length ?? 0) > 0;

  const personOf = (person: z.infer<typeof account> | null | undefined): TicketPerson => ({
    id: `${system}:user:${person?.accountId ?? 'unknown'}`,
    displayName: person?.displayName ?? '',
  });

  const commentOf = (one: z.infer<typeof comment>, reporter: string | undefined): OutsideComment => {
    const { author, properties } = one;
    const property = (key: string): unknown => properties.find((each) => each.key === key)?.value;
    const marker = z.object({ marker: z.string() }).safeParse(property(MARKER)).data?.marker ?? null;
    const internal = z.object({ internal: z.boolean() }).safeParse(property(INTERNAL)).data?.internal === true;
    const isCustomer = author?.accountType === 'customer';
    return {
      id: one.id,
      by: author?.accountId !== undefined && author.accountId === reporter ? 'requester' : isCustomer ? 'other' : 'agent',
      author: personOf(author),
      isPublic: !internal && one.jsdPublic !== false && one.visibility == null,
      text: fromAdf(one.body),
      at: one.created,
      marker,
    };
  };

  const readComments = async (id: string, signal: AbortSignal): Promise<z.infer<typeof comment>[] | undefined> => {
    const all = new Map<string, z.infer<typeof comment>>();
    for (let startAt = 0; ; ) {
      const query = { startAt: String(startAt), maxResults: String(PAGE), orderBy: 'created', expand: 'properties' };
      const page = await http.find({ method: 'GET', path: path(id, '/comment'), query }, comments, signal);
      if (page === undefined) return undefined;
      for (const one of page.comments) all.set(one.id, one);
      // It may give fewer than it was asked for.
      startAt += page.maxResults;
      if (page.comments.length === 0 || startAt >= page.total) return [...all.values()];
    }
  };

  const readIssue = async (id: string, signal: AbortSignal): Promise<z.infer<typeof issue> | undefined> => {
    const read = await http.find({ method: 'GET', path: path(id), query: { fields: FIELDS.join(',') } }, issue, signal);
    if (read !== undefined) return read;
    // An account that lost the project is told the same of all its issues.
    const asked = { method: 'GET', path: `/rest/api/3/project/${encodeURIComponent(project)}` } as const;
    const seen = await http.find(asked, z.object({ key: z.string() }), signal);
    if (seen === undefined)
      throw new AppError('helpdesk_auth', `${system}: expected a project that the account may see, got none`);
    return undefined;
  };

  /** Throws where it changed since. */
  const readAt = async (id: string, version: number, signal: AbortSignal): Promise<z.infer<typeof issue>['fields']> => {
    const now = await readIssue(id, signal);
    if (now === undefined) throw new AppError('helpdesk_rejected', `${system}: expected an issue ${id}, there is none`);
    if (now.fields.updated > version) throw new AppError('helpdesk_moved', `${system}: ${id} was changed since it was read`);
    return now.fields;
  };

  /** Its changes say nothing of the version that they make. What cannot be read now is read the next time. */
  const versionAfter = async (id: string, signal: AbortSignal): Promise<number> => {
    try {
      return (await readIssue(id, signal))?.fields.updated ?? 0;
    } catch (error) {
      signal.throwIfAborted();
      if (hasCode(error, 'helpdesk_unavailable') || hasCode(error, 'helpdesk_rate_limited')) return 0;
      throw error;
    }
  };

  const search = (jql: string, pageToken: string | undefined, signal: AbortSignal): Promise<z.infer<typeof found>> => {
    const query = {
      jql,
      fields: 'updated',
      maxResults: String(PAGE),
      ...(pageToken === undefined ? {} : { nextPageToken: pageToken }),
    };
    return http.ask({ method: 'GET', path: '/rest/api/3/search/jql', query }, found, signal);
  };

  const externalOf = (key: string) => ({ system, id: key, url: `${root}/browse/${encodeURIComponent(key)}` });

  return {
    system,
    isPublic,
    hasNotes: isServiceDesk,
    projectStatus: (one: Exclude<TicketStatus, 'merged'>) => {
      const wanted = one === 'snoozed' ? 'waiting' : one;
      if (knows(wanted)) return wanted;
      return wanted === 'waiting' ? 'open' : 'solved';
    },
    read: async (id, signal): Promise<OutsideTicket | undefined> => {
      const whole = await readIssue(id, signal);
      const all = whole === undefined ? undefined : await readComments(id, signal);
      if (whole === undefined || all === undefined) return undefined;
      const { key, fields } = whole;
      const label = fields.labels.find((one) => one.startsWith(labelOf('')));
      return {
        id: key,
        url: externalOf(key).url,
        version: fields.updated,
        status: statusOf(fields.status),
        assignee: fields.assignee?.accountId ?? null,
        requester: personOf(fields.reporter),
        subject: fields.summary ?? '',
        text: fromAdf(fields.description),
        createdAt: fields.created,
        isPrivate: fields.security != null,
        comments: all
          .toSorted((a, b) => a.created - b.created || Number(a.id) - Number(b.id))
          .map((one) => commentOf(one, fields.reporter?.accountId)),
        marker: label?.slice(labelOf('').length) ?? null,
      };
    },
    listChanged: async (sinceMs, page, signal) => {
      if (walk.sinceMs !== sinceMs || page === 1) walk = { sinceMs, tokens: [null] };
      let pageToken = walk.tokens[page - 1];
      // In minutes before now, which no time zone of the account changes.
      const minutes = Math.max(0, Math.ceil((clock.now() - sinceMs) / 60_000)) + SKEW_MINUTES;
      const jql = `project = ${quoted(project)} AND updated >= "-${minutes}m" ORDER BY updated ASC`;
      for (const [key, at] of listed) if (at < sinceMs - LATE_MS) listed.delete(key);
      while (pageToken !== undefined) {
        const { issues, nextPageToken, isLast } = await search(jql, pageToken ?? undefined, signal);
        const changed = issues
          .map(({ key, fields }) => ({ id: key, changedAt: fields.updated }))
          .filter(
            ({ id, changedAt }) => changedAt >= sinceMs || (changedAt >= sinceMs - LATE_MS && listed.get(id) !== changedAt),
          );
        for (const { id, changedAt } of changed) listed.set(id, changedAt);
        if (nextPageToken == null || isLast === true) return { changed, isLast: true };
        pageToken = nextPageToken;
        if (changed.length === 0) continue;
        walk.tokens[page] = pageToken;
        return { changed, isLast: false };
      }
      return { changed: [], isLast: true };
    },
    setStatus: async (id, wanted, version, signal) => {
      const fields = await readAt(id, version, signal);
      if (statusOf(fields.status) === wanted) return fields.updated;
      const asked = { method: 'GET', path: path(id, '/transitions') } as const;
      const ways = (await http.ask(asked, transitions, signal)).transitions;
      const names = statuses[wanted] ?? [];
      const way = ways.find(({ to }) => isNamed(to.name, names)) ?? ways.find(({ to }) => statusOf(to) === wanted);
      if (way === undefined)
        throw new AppError(
          'helpdesk_rejected',
          `${system}: expected a transition of ${id} from ${fields.status.name} to a status that is ${wanted}, its workflow has none`,
        );
      const body = { transition: { id: way.id } };
      await http.ask({ method: 'POST', path: path(id, '/transitions'), body }, z.null(), signal);
      return versionAfter(id, signal);
    },
    setAssignee: async (id, assignee, version, signal) => {
      const fields = await readAt(id, version, signal);
      if ((fields.assignee?.accountId ?? null) === assignee) return fields.updated;
      const body = { accountId: assignee };
      await http.ask({ method: 'PUT', path: path(id, '/assignee'), body }, z.null(), signal);
      return versionAfter(id, signal);
    },
    addComment: async (id, { text, isPublic: isSeen, marker }, signal) => {
      if (!isSeen && !isServiceDesk) throw new AppError('helpdesk_rejected', `${system} has no comments for agents alone`);
      const body: JsonObject = {
        body: toAdf(text),
        properties: [
          { key: MARKER, value: { marker } },
          ...(isServiceDesk ? [{ key: INTERNAL, value: { internal: !isSeen } }] : []),
        ],
      };
      const added = await http.ask({ method: 'POST', path: path(id, '/comment'), body }, z.object({ id: z.string() }), signal);
      return { id: added.id, version: await versionAfter(id, signal) };
    },
    create: async ({ subject, text, requester, marker }, signal) => {
      const from = requester.displayName === '' ? '' : `${requester.displayName}:\n\n`;
      // One line of 255 characters at most. https://support.atlassian.com/jira/kb/summary-field-limit/
      const summary = (subject || text).replace(/\s+/gu, ' ').trim().slice(0, 250) || '-';
      const fields: JsonObject = {
        project: { key: project },
        issuetype: { name: issueType },
        summary,
        description: toAdf(`${from}${text}`),
        labels: [labelOf(marker)],
      };
      const made = await http.ask(
        { method: 'POST', path: '/rest/api/3/issue', body: { fields } },
        z.object({ key: z.string() }),
        signal,
      );
      return externalOf(made.key);
    },
    isAgent: async (accountId, signal) => {
      // https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-user-search/#api-rest-api-3-user-assignable-search-get
      const asked = { method: 'GET', path: '/rest/api/3/user/assignable/search', query: { project, accountId } } as const;
      return (await http.ask(asked, z.array(account), signal)).some((one) => one.accountId === accountId);
    },
    find: async (marker, signal) => {
      const { issues } = await search(`project = ${quoted(project)} AND labels = ${quoted(labelOf(marker))}`, undefined, signal);
      const [first] = issues;
      return first === undefined ? undefined : externalOf(first.key);
    },
  };
};
