/**
 * A GitHub on loopback with one repository, as far as issues go: https://docs.github.com/en/rest/issues. A pull request stands among the
 * issues, since it does there too.
 */
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { createDouble, type Double, type DoubleCall, type HelpdeskPeople, refuse, violation } from './double.ts';

interface GithubComment {
  readonly id: number;
  readonly login: string;
  readonly association: string;
  readonly body: string;
  readonly at: number;
}

interface GithubIssue {
  readonly number: number;
  readonly login: string;
  readonly title: string;
  readonly body: string | null;
  readonly createdAt: number;
  readonly isPull: boolean;
  state: 'open' | 'closed';
  reason: string | null;
  assignees: string[];
  updatedAt: number;
  isLocked: boolean;
  comments: GithubComment[];
}

export interface GithubWorld {
  token: string;
  /** Null: the token does not see it. A name of its own: it was renamed. */
  name: string | null;
  /** Without it a token's assignees are dropped. */
  canPush: boolean;
  readonly issues: GithubIssue[];
  /** Numbers of issues that are in another repository now. */
  readonly moved: number[];
  lastId: number;
}

export interface GithubDouble extends Double<GithubWorld> {
  readonly owner: string;
  readonly repo: string;
  readonly token: string;
  readonly people: HelpdeskPeople;
}

const [OWNER, REPO, TOKEN, BOT, CUSTOMER] = ['acme', 'shop', 'github_pat_simulated', 'threadwise-bot', 'ada'];
const AGENTS = ['bea', 'carl'] as const;
const API_VERSION = '2022-11-28';
const MAX_BODY_CHARS = 65_536;
const MAX_TITLE_CHARS = 256;
const docs = 'https://docs.github.com/rest';

/** Whole seconds, as all its times. */
const toTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const said = (message: string, errors?: readonly JsonValue[]): JsonObject => ({
  message,
  ...(errors === undefined ? {} : { errors }),
  documentation_url: docs,
});
const notFound = () => refuse(404, said('Not Found'));
const invalid = (field: string, value?: JsonValue) =>
  refuse(
    422,
    said('Validation Failed', [{ resource: 'Issue', field, code: 'invalid', ...(value === undefined ? {} : { value }) }]),
  );

const text = (max: number) => z.string().min(1).max(max);
const newIssueForm = z.strictObject({ title: text(MAX_TITLE_CHARS), body: z.string().max(MAX_BODY_CHARS).optional() });
const changeForm = z
  .strictObject({ state: z.enum(['open', 'closed']), state_reason: z.string(), assignees: z.array(z.string()).max(10) })
  .partial();
const commentForm = z.strictObject({ body: text(MAX_BODY_CHARS) });
type Change = z.infer<typeof changeForm>;

export const createGithubDouble = async ({
  clock,
  pageSize = 100,
}: {
  readonly clock: Clock;
  /** Its lists have no longer pages, whatever is asked for. */
  readonly pageSize?: number;
}): Promise<GithubDouble> => {
  const now = (): number => Math.floor(clock.now() / 1_000) * 1_000;
  const root = `/repos/${OWNER}/${REPO}`;
  const issueUrl = (n: number): string => `https://github.com/${OWNER}/${REPO}/issues/${n}`;
  const user = (login: string): JsonObject => ({ login, type: login === BOT ? 'Bot' : 'User' });

  const showIssue = (issue: GithubIssue): JsonObject => ({
    number: issue.number,
    html_url: issueUrl(issue.number),
    state: issue.state,
    state_reason: issue.reason,
    title: issue.title,
    body: issue.body,
    user: user(issue.login),
    assignee: issue.assignees[0] === undefined ? null : user(issue.assignees[0]),
    assignees: issue.assignees.map(user),
    locked: issue.isLocked,
    comments: issue.comments.length,
    created_at: toTime(issue.createdAt),
    updated_at: toTime(issue.updatedAt),
    ...(issue.isPull ? { pull_request: { url: `https://api.github.com${root}/pulls/${issue.number}` } } : {}),
  });
  const showComment = ({ id, login, association, body, at }: GithubComment): JsonObject => ({
    id,
    body,
    user: user(login),
    author_association: association,
    created_at: toTime(at),
    updated_at: toTime(at),
  });

  const issueOf = (world: GithubWorld, { params }: DoubleCall): GithubIssue => {
    const number = Number(params['issue_number']);
    if (world.moved.includes(number))
      throw refuse(301, said('Moved Permanently'), { location: `https://api.github.com/repositories/2/issues/${number}` });
    const issue = world.issues.find((one) => one.number === number);
    if (issue === undefined) throw notFound();
    return issue;
  };
  const checkRepository = ({ name }: GithubWorld): void => {
    if (name === null) throw notFound();
    if (name !== REPO) throw refuse(301, said('Moved Permanently'), { location: 'https://api.github.com/repositories/1' });
  };

  const page = (rows: readonly JsonObject[], { query, route }: DoubleCall) => {
    const size = Math.min(Number(query['per_page'] ?? 30), pageSize, 100);
    const number = Number(query['page'] ?? 1);
    const link = `<https://api.github.com${route}?page=${number + 1}>; rel="next", <https://api.github.com${route}?page=9>; rel="last"`;
    const body = rows.slice((number - 1) * size, number * size);
    return { status: 200, body, headers: rows.length > number * size ? { link } : {} };
  };

  const addIssue = (
    world: GithubWorld,
    over: Partial<GithubIssue> & Pick<GithubIssue, 'login' | 'title' | 'body'>,
  ): GithubIssue => {
    const number = world.issues.length + 1;
    const begun = {
      number,
      createdAt: now(),
      updatedAt: now(),
      state: 'open',
      reason: null,
      isPull: false,
      isLocked: false,
    } as const;
    const issue: GithubIssue = { ...begun, assignees: [], comments: [], ...over };
    world.issues.push(issue);
    return issue;
  };
  const addComment = (
    world: GithubWorld,
    issue: GithubIssue,
    login: string,
    association: string,
    body: string,
  ): GithubComment => {
    world.lastId += 1;
    const comment = { id: world.lastId, login, association, body, at: now() };
    issue.comments.push(comment);
    issue.updatedAt = now();
    return comment;
  };

  const double = await createDouble<GithubWorld>({
    clock,
    world: { token: TOKEN, name: REPO, canPush: true, issues: [], moved: [], lastId: 1_000 },
    errorBody: (_status, message) => said(message),
    headers: () => ({ 'x-ratelimit-remaining': '4999', 'x-github-api-version-selected': API_VERSION }),
    check: ({ headers }, { token }) => {
      // https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
      if ((headers['user-agent'] ?? '') === '') throw violation(403, said('Request forbidden: a User-Agent is required'));
      if (headers['x-github-api-version'] !== API_VERSION) throw violation(400, said('expected the version of the API'));
      if (headers.accept !== 'application/vnd.github+json') throw violation(415, said('expected the recommended media type'));
      if (headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined)
        throw violation(
          400,
          said('Conditional request headers are not allowed in unsafe requests unless supported by the endpoint'),
        );
      if (!/^(?:token|bearer) /i.test(headers.authorization ?? '')) throw violation(401, said('Requires authentication'));
      if (headers.authorization?.split(' ')[1] !== token) throw refuse(401, said('Bad credentials'));
    },
    routes: [
      {
        method: 'GET',
        path: root,
        run: (world) => {
          checkRepository(world);
          return { status: 200, body: { full_name: `${OWNER}/${REPO}`, has_issues: true } };
        },
      },
      {
        method: 'GET',
        path: `${root}/assignees/{login}`,
        run: (world, { params }) => {
          checkRepository(world);
          if (!(AGENTS as readonly string[]).includes((params['login'] ?? '').toLowerCase())) throw notFound();
          return { status: 204 };
        },
      },
      {
        method: 'GET',
        path: `${root}/issues`,
        query: ['state', 'sort', 'direction', 'since', 'per_page', 'page'],
        run: (world, call) => {
          checkRepository(world);
          const { state = 'open', sort = 'created', direction = 'desc', since } = call.query;
          const from = since === undefined ? 0 : Date.parse(since);
          if (Number.isNaN(from)) throw violation(422, said('since is no time'));
          const timeOf = (issue: GithubIssue): number => (sort === 'updated' ? issue.updatedAt : issue.createdAt);
          const rows = world.issues
            .filter((issue) => (state === 'all' || issue.state === state) && issue.updatedAt >= from)
            .sort((a, b) => (timeOf(a) - timeOf(b) || a.number - b.number) * (direction === 'asc' ? 1 : -1));
          return page(rows.map(showIssue), call);
        },
      },
      {
        method: 'POST',
        path: `${root}/issues`,
        body: newIssueForm,
        run: (world, call) => {
          checkRepository(world);
          const { title, body = null } = call.body as z.infer<typeof newIssueForm>;
          return { status: 201, body: showIssue(addIssue(world, { login: BOT, title, body })) };
        },
      },
      {
        method: 'GET',
        path: `${root}/issues/{issue_number}`,
        run: (world, call) => {
          checkRepository(world);
          return { status: 200, body: showIssue(issueOf(world, call)) };
        },
      },
      {
        method: 'PATCH',
        path: `${root}/issues/{issue_number}`,
        body: changeForm,
        run: (world, call) => {
          checkRepository(world);
          const issue = issueOf(world, call);
          const { state, state_reason: reason, assignees } = call.body as Change;
          const stranger = assignees?.find((login) => !(AGENTS as readonly string[]).includes(login.toLowerCase()));
          if (stranger !== undefined && world.canPush) throw invalid('assignees', stranger);
          if (state !== undefined && state !== issue.state) {
            issue.state = state;
            issue.reason = reason ?? (state === 'closed' ? 'completed' : 'reopened');
          }
          if (assignees !== undefined && world.canPush) issue.assignees = [...assignees];
          issue.updatedAt = now();
          return { status: 200, body: showIssue(issue) };
        },
      },
      {
        method: 'GET',
        path: `${root}/issues/{issue_number}/comments`,
        query: ['per_page', 'page', 'since'],
        run: (world, call) => page(issueOf(world, call).comments.map(showComment), call),
      },
      {
        method: 'POST',
        path: `${root}/issues/{issue_number}/comments`,
        body: commentForm,
        run: (world, call) => {
          checkRepository(world);
          const issue = issueOf(world, call);
          if (issue.isLocked) throw refuse(403, said('Unable to create comment because issue is locked.'));
          const { body } = call.body as z.infer<typeof commentForm>;
          return { status: 201, body: showComment(addComment(world, issue, BOT, 'COLLABORATOR', body)) };
        },
      },
    ],
  });

  const { world, change } = double;
  addIssue(world, { login: 'carl', title: 'A pull request', body: 'It is none of your issues.', isPull: true });
  const held = (id: string): GithubIssue => {
    const issue = world.issues.find(({ number }) => number === Number(id));
    if (issue === undefined) throw new Error(`no issue ${id}`);
    return issue;
  };
  const people: HelpdeskPeople = {
    agents: AGENTS,
    open: (title, body) => change(() => String(addIssue(world, { login: CUSTOMER, title, body }).number)),
    set: (id, { status, assignee }) =>
      change(() => {
        const issue = held(id);
        if (status !== undefined) issue.state = status === 'solved' || status === 'closed' ? 'closed' : 'open';
        if (assignee !== undefined) issue.assignees = assignee === null ? [] : [assignee];
        issue.updatedAt = now();
      }),
    say: (id, body, { by = 'agent' } = {}) => {
      const [login, association] = { requester: [CUSTOMER, 'NONE'], agent: ['bea', 'MEMBER'], other: ['eve', 'NONE'] }[by] as [
        string,
        string,
      ];
      return change(() => String(addComment(world, held(id), login, association, body).id));
    },
    remove: (id) => change(() => void world.issues.splice(world.issues.indexOf(held(id)), 1)),
  };
  return { ...double, owner: OWNER, repo: REPO, token: TOKEN, people };
};
