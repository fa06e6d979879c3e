/**
 * The issues of one GitHub repository. All comments are public to who may read the repository; an issue is open or closed; markers are
 * HTML comments, which a rendered page leaves out.
 *
 * - A pull request is an issue too; lists are paged by the `Link` header: https://docs.github.com/en/rest/issues/issues and
 *   https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
 * - No write is conditional: `If-Match` is answered by 400, or by 412 after the change (https://github.com/cli/cli/issues/7167). So an
 *   issue is read before it is changed.
 * - Assignees are dropped in silence where the token has no push access: https://docs.github.com/en/rest/issues/issues#update-an-issue
 */
import { z } from 'zod';
import { AppError } from '../../agent/errors.ts';
import type { ExternalTicket, TicketPerson } from '../../agent/ticket.ts';
import type { Connector, OutsideComment, OutsideTicket, SyncStatus } from './connector.ts';
import { createOctokitSend, type GithubAddress, refusalOf, wordsOf } from './github-http.ts';
import { createHelpdeskHttp } from './http.ts';

const ROWS = '100';
/** Of comments read, and of the newest issues among which a marker is looked for. */
const MAX_PAGES = 30;

export interface GithubOptions extends GithubAddress {
  readonly owner: string;
  readonly repo: string;
  readonly isPublic: boolean;
}

/** Null where the account is gone. */
const userForm = z.object({ login: z.string() }).nullable();
const issueForm = z.object({
  number: z.number(),
  html_url: z.string(),
  state: z.enum(['open', 'closed']),
  title: z.string(),
  body: z.string().nullish(),
  user: userForm,
  assignees: z.array(z.object({ login: z.string() })).nullish(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  /** Every pull request is an issue too. */
  pull_request: z.unknown().optional(),
});
const commentForm = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user: userForm,
  author_association: z.string().nullish(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
type Issue = z.infer<typeof issueForm>;

/** https://docs.github.com/en/graphql/reference/enums#commentauthorassociation */
const TEAM = ['OWNER', 'MEMBER', 'COLLABORATOR'];

const MARKER = /<!-- threadwise:([\w-]+) -->\s*$/;
const withMarker = (text: string, marker: string): string => `${quiet(text)}\n\n<!-- threadwise:${marker} -->`;
const markerOf = (body: string): string | null => MARKER.exec(body)?.[1] ?? null;
/** Nobody is notified because somebody wrote a name in another place: a character without width stands after the `@`, however it is written. */
const quiet = (text: string): string =>
  text.replace(/&(?=#0*64;|#x0*40;|commat;)/gi, '&amp;').replace(/(?<![A-Za-z\d])@(?=[A-Za-z\d])/g, '@\u200b');
const textOf = (body: string | null | undefined): string => {
  const text = (body ?? '').replaceAll('\r\n', '\n').replaceAll('@\u200b', '@');
  const marker = MARKER.exec(text);
  return marker === null ? text : text.slice(0, marker.index).trimEnd();
};

/** A login is the same however it is written. */
const accountOf = <Login extends string | null>(login: Login): Login => (login?.toLowerCase() ?? null) as Login;

/** GitHub takes 256. */
const TITLE_CHARS = 250;
const titleOf = (subject: string, text: string): string =>
  quiet(subject.trim() || (text.trim().split('\n', 1)[0] ?? '')).slice(0, TITLE_CHARS) || 'Ticket';

export const createGithubConnector = (options: GithubOptions): Connector => {
  const { system, isPublic } = options;
  const send = createOctokitSend(options);
  const http = createHelpdeskHttp({ system, send, wordsOf, refusalOf });
  const repository = `/repos/${encodeURIComponent(options.owner)}/${encodeURIComponent(options.repo)}`;
  const issues = `${repository}/issues`;

  const personOf = (user: z.infer<typeof userForm>): TicketPerson => {
    const login = user?.login ?? 'ghost';
    return { id: `${system}:user:${accountOf(login)}`, displayName: login };
  };
  const externalOf = ({ number, html_url: url }: Issue): ExternalTicket => ({ system, id: String(number), url });
  const versionOf = ({ updated_at: at }: { readonly updated_at: string }): number => Date.parse(at);
  const assigneeOf = ({ assignees }: Issue): string | null => accountOf(assignees?.[0]?.login ?? null);

  /** A list's page, and whether there is a next one: the header says so, not the number of rows. */
  const list = async <Row>(path: string, query: Record<string, string>, row: z.ZodType<Row>, signal: AbortSignal) => {
    const asked = { method: 'GET', path, query: { per_page: ROWS, ...query } } as const;
    const answer = await send(asked, signal);
    const rows = http.read(asked, answer, z.array(row));
    return { rows, isLast: !/rel="next"/.test(answer.headers.get('link') ?? '') };
  };

  const readIssue = async (id: string, signal: AbortSignal): Promise<Issue | undefined> => {
    if (!/^\d+$/.test(id)) return undefined;
    const asked = { method: 'GET', path: `${issues}/${id}` } as const;
    const answer = await send(asked, signal);
    if (answer.status === 404 || answer.status === 410 || answer.status === 301) {
      // A token that lost the repository, or one with another name by now, is told the same as of an issue that is gone or moved.
      const seen = await http.find({ method: 'GET', path: repository }, z.object({ full_name: z.string() }), signal);
      if (seen === undefined)
        throw new AppError('helpdesk_auth', `${system}: expected a repository that the token can read, got none`);
      return undefined;
    }
    const issue = http.read(asked, answer, issueForm);
    return issue.pull_request === undefined ? issue : undefined;
  };

  const change = async (
    id: string,
    version: number,
    over: { readonly state: 'open' | 'closed' } | { readonly assignees: readonly string[] },
    isSo: (issue: Issue) => boolean,
    signal: AbortSignal,
  ): Promise<number> => {
    const before = await readIssue(id, signal);
    if (before === undefined) throw new AppError('helpdesk_rejected', `${system}: expected issue ${id}, got none`);
    if (versionOf(before) > version) throw new AppError('helpdesk_moved', `${system}: issue ${id} was changed since it was read`);
    if (isSo(before)) return versionOf(before);
    const after = await http.ask({ method: 'PATCH', path: `${issues}/${id}`, body: { ...over } }, issueForm, signal);
    if (!isSo(after)) throw new AppError('helpdesk_rejected', `${system} took the change of issue ${id} and did not make it`);
    return versionOf(after);
  };

  const readComments = async (id: string, author: Issue['user'], signal: AbortSignal): Promise<readonly OutsideComment[]> => {
    const found: OutsideComment[] = [];
    for (let page = 1, isLast = false; !isLast && page <= MAX_PAGES; page += 1) {
      const next = await list(`${issues}/${id}/comments`, { page: String(page) }, commentForm, signal);
      isLast = next.isLast;
      for (const { id: commentId, body, user, author_association: association, created_at: at } of next.rows) {
        const by = user?.login === author?.login ? 'requester' : TEAM.includes(association ?? '') ? 'agent' : 'other';
        const marker = markerOf(body ?? '');
        found.push({
          id: String(commentId),
          by,
          author: personOf(user),
          isPublic: true,
          text: textOf(body),
          at: Date.parse(at),
          marker,
        });
      }
    }
    return found;
  };

  return {
    system,
    isPublic,
    hasNotes: false,
    projectStatus: (status): SyncStatus => (status === 'solved' || status === 'closed' ? 'solved' : 'open'),

    read: async (id, signal): Promise<OutsideTicket | undefined> => {
      const issue = await readIssue(id, signal);
      if (issue === undefined) return undefined;
      return {
        id: String(issue.number),
        url: issue.html_url,
        version: versionOf(issue),
        status: issue.state === 'closed' ? 'solved' : 'open',
        assignee: assigneeOf(issue),
        requester: personOf(issue.user),
        subject: issue.title,
        text: textOf(issue.body),
        createdAt: Date.parse(issue.created_at),
        isPrivate: false,
        marker: markerOf(issue.body ?? ''),
        comments: await readComments(id, issue.user, signal),
      };
    },

    listChanged: async (sinceMs, page, signal) => {
      const since = new Date(sinceMs).toISOString();
      const query = { state: 'all', sort: 'updated', direction: 'asc', since, page: String(page) };
      const { rows, isLast } = await list(issues, query, issueForm, signal);
      const changed = rows
        .filter(({ pull_request: pull }) => pull === undefined)
        .map((issue) => ({ id: String(issue.number), changedAt: versionOf(issue) }));
      return { changed, isLast };
    },

    setStatus: (id, status, version, signal) => {
      const state = status === 'solved' || status === 'closed' ? 'closed' : 'open';
      return change(id, version, { state }, (issue) => issue.state === state, signal);
    },

    setAssignee: (id, assignee, version, signal) => {
      const account = accountOf(assignee);
      const assignees = account === null ? [] : [account];
      return change(id, version, { assignees }, (issue) => assigneeOf(issue) === account, signal);
    },

    addComment: async (id, { text, marker }, signal) => {
      const body = { body: withMarker(text, marker) };
      const made = await http.ask({ method: 'POST', path: `${issues}/${id}/comments`, body }, commentForm, signal);
      return { id: String(made.id), version: versionOf(made) };
    },

    create: async ({ subject, text, requester, marker }, signal) => {
      // Who asks is not for everyone to read.
      const said = isPublic || requester.displayName === '' ? text : `${requester.displayName}:\n\n${text}`;
      const body = { title: titleOf(subject, text), body: withMarker(said, marker) };
      return externalOf(await http.ask({ method: 'POST', path: issues, body }, issueForm, signal));
    },

    accountOf,

    isAgent: async (login, signal) => {
      // https://docs.github.com/en/rest/issues/assignees#check-if-a-user-can-be-assigned
      const asked = { method: 'GET', path: `${repository}/assignees/${encodeURIComponent(login)}` } as const;
      const anything = z.unknown().transform(() => true);
      return (await http.find(asked, anything, signal)) === true;
    },

    find: async (marker, signal) => {
      const query = { state: 'all', sort: 'created', direction: 'desc' };
      for (let page = 1, isLast = false; !isLast && page <= MAX_PAGES; page += 1) {
        const next = await list(issues, { ...query, page: String(page) }, issueForm, signal);
        // The oldest: since then anybody may have copied it.
        const found = next.rows.findLast(({ body }) => markerOf(body ?? '') === marker);
        if (found !== undefined) return externalOf(found);
        isLast = next.isLast;
      }
      return undefined;
    },
  };
};
