/** A Jira Cloud of one service project, as far as its REST API, version 3, is used. */
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { createDouble, type Double, type DoubleRoute, type HelpdeskPeople, refuse } from './double.ts';

interface JiraComment {
  readonly id: string;
  readonly author: string;
  readonly body: JsonValue;
  readonly created: number;
  readonly properties: readonly { readonly key: string; readonly value: JsonValue }[];
}

interface JiraIssue {
  readonly id: string;
  readonly key: string;
  readonly summary: string;
  readonly description: JsonValue;
  readonly labels: readonly string[];
  readonly reporter: string;
  readonly created: number;
  readonly isSecured: boolean;
  status: StatusName;
  assignee: string | null;
  updated: number;
  comments: JiraComment[];
}

export interface JiraWorld {
  issues: JiraIssue[];
  lastId: number;
  /** Keys of issues whose changes the search does not show yet. */
  behind: string[];
  /** The account may see the project. */
  isMember: boolean;
  /** The token is taken no more: it is answered as nobody is, who sees nothing. */
  isExpired: boolean;
}

/** Name, id and category; any leads to any. */
const STATUSES = {
  'To Do': { id: '11', category: 'new', sync: 'open' },
  'Waiting for customer': { id: '21', category: 'indeterminate', sync: 'waiting' },
  Done: { id: '31', category: 'done', sync: 'solved' },
  Closed: { id: '41', category: 'done', sync: 'closed' },
} as const;
type StatusName = keyof typeof STATUSES;
const STATUS_NAMES = Object.keys(STATUSES) as StatusName[];

export const JIRA = { email: 'bot@acme.example', token: 'jira-token', project: 'SUP' } as const;
const BOT = 'account-bot';
const AGENTS = ['account-1', 'account-2'] as const;
const CUSTOMER = 'account-customer';
const OTHER = 'account-other';

/** The nodes that Jira takes, each with what may stand in it. Others are refused as it refuses them. */
const text = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1),
  marks: z
    .array(
      z.union([
        z.strictObject({ type: z.literal('link'), attrs: z.strictObject({ href: z.url() }) }),
        z.strictObject({ type: z.literal('code') }),
      ]),
    )
    .optional(),
});
const paragraph = z.strictObject({
  type: z.literal('paragraph'),
  content: z.array(z.union([text, z.strictObject({ type: z.literal('hardBreak') })])),
});
const codeBlock = z.strictObject({
  type: z.literal('codeBlock'),
  attrs: z.strictObject({ language: z.string() }).optional(),
  content: z.array(text),
});
const bulletList = z.strictObject({
  type: z.literal('bulletList'),
  content: z.array(z.strictObject({ type: z.literal('listItem'), content: z.array(paragraph).min(1) })).min(1),
});
const orderedList = bulletList.extend({
  type: z.literal('orderedList'),
  attrs: z.strictObject({ order: z.number().int().min(0) }),
});
const doc = z.strictObject({
  type: z.literal('doc'),
  version: z.literal(1),
  content: z.array(z.union([paragraph, codeBlock, bulletList, orderedList])),
});

const commentBody = z.strictObject({
  body: doc,
  properties: z.array(z.strictObject({ key: z.string().max(255), value: z.json() })).optional(),
});
const issueBody = z.strictObject({
  fields: z.strictObject({
    project: z.strictObject({ key: z.literal(JIRA.project) }),
    issuetype: z.strictObject({ name: z.literal('Task') }),
    summary: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\n\r]*$/),
    description: doc,
    labels: z.array(z.string().regex(/^\S+$/)).optional(),
  }),
});
const transitionBody = z.strictObject({ transition: z.strictObject({ id: z.string() }) });
const assigneeBody = z.strictObject({ accountId: z.string().nullable() });

const errorBody = (_status: number, message: string): JsonValue => ({ errorMessages: [message], errors: {} });
const no = (status: number, message: string): Error => refuse(status, errorBody(status, message));

/** `2026-01-05T09:00:00.000+0000` */
const timeOf = (at: number): string => new Date(at).toISOString().replace('Z', '+0000');

const accountOf = (accountId: string): JsonObject => ({
  accountId,
  accountType: accountId === CUSTOMER || accountId === OTHER ? 'customer' : accountId === BOT ? 'app' : 'atlassian',
  displayName: `Name of ${accountId}`,
  active: true,
});

const statusJson = (name: StatusName): JsonObject => ({
  name,
  id: STATUSES[name].id,
  statusCategory: { key: STATUSES[name].category },
});

const paragraphs = (words: string): JsonValue => ({
  type: 'doc',
  version: 1,
  content: words.split('\n\n').map((line) => ({ type: 'paragraph', content: line === '' ? [] : [{ type: 'text', text: line }] })),
});

const newIssue = (id: string, key: string, at: number) => ({
  id,
  key,
  labels: [],
  isSecured: false,
  status: 'To Do' as StatusName,
  assignee: null,
  comments: [],
  created: at,
  updated: at,
});

const issueOf = (world: JiraWorld, id: string): JiraIssue => {
  const issue = world.issues.find((one) => one.key === id || one.id === id);
  if (issue === undefined || !world.isMember || world.isExpired)
    throw no(404, 'Issue does not exist or you do not have permission to see it.');
  return issue;
};

const issueJson = (issue: JiraIssue, fields: readonly string[]): JsonObject => {
  const all: Readonly<Record<string, JsonValue>> = {
    summary: issue.summary,
    description: issue.description,
    status: statusJson(issue.status),
    assignee: issue.assignee === null ? null : accountOf(issue.assignee),
    reporter: accountOf(issue.reporter),
    created: timeOf(issue.created),
    updated: timeOf(issue.updated),
    security: issue.isSecured ? { id: '1', name: 'Agents' } : null,
    labels: issue.labels as readonly string[] as string[],
  };
  return { id: issue.id, key: issue.key, fields: Object.fromEntries(fields.map((name) => [name, all[name] ?? null])) };
};

const isInternal = ({ properties }: JiraComment): boolean =>
  properties.some(({ key, value }) => key === 'sd.public.comment' && (value as { internal?: unknown }).internal === true);

const commentJson = (comment: JiraComment, withProperties: boolean): JsonObject => ({
  id: comment.id,
  author: accountOf(comment.author),
  body: comment.body,
  created: timeOf(comment.created),
  updated: timeOf(comment.created),
  jsdPublic: !isInternal(comment),
  ...(withProperties ? { properties: comment.properties.map(({ key, value }) => ({ key, value })) } : {}),
});

const search = (world: JiraWorld, jql: string, now: number): readonly JiraIssue[] => {
  if (world.isExpired) return [];
  const changed = /^project = "SUP" AND updated >= "-(\d+)m" ORDER BY updated ASC$/.exec(jql);
  if (changed !== null) {
    // Whole minutes, as its searches know them.
    const from = Math.floor((now - Number(changed[1]) * 60_000) / 60_000) * 60_000;
    return world.issues
      .filter(({ key, updated }) => updated >= from && !world.behind.includes(key))
      .sort((a, b) => a.updated - b.updated);
  }
  const labelled = /^project = "SUP" AND labels = "([^"\\]+)"$/.exec(jql);
  if (labelled === null) throw no(400, `Error in the JQL Query: ${jql}`);
  return world.issues.filter(({ labels }) => labels.includes(labelled[1] ?? ''));
};

const routesOf = (clock: Clock, pageSize: number): readonly DoubleRoute<JiraWorld>[] => {
  const touch = (issue: JiraIssue): void => {
    issue.updated = Math.max(issue.updated, clock.now());
  };
  const newId = (world: JiraWorld): string => String(10_000 + (world.lastId += 1));
  return [
    {
      method: 'GET',
      path: '/rest/api/3/project/{key}',
      run: ({ isMember }, { params }) => {
        if (!isMember || params['key'] !== JIRA.project) throw no(404, `No project could be found with key '${params['key']}'.`);
        return { status: 200, body: { key: JIRA.project } };
      },
    },
    {
      method: 'GET',
      path: '/rest/api/3/user/assignable/search',
      query: ['project', 'accountId'],
      run: ({ isMember }, { query }) => {
        if (!isMember || query['project'] !== JIRA.project) throw no(404, 'No project could be found.');
        const found = AGENTS.filter((one) => one === query['accountId']);
        return { status: 200, body: found.map((accountId) => ({ accountId, displayName: accountId, active: true })) };
      },
    },
    {
      method: 'GET',
      path: '/rest/api/3/issue/{id}',
      query: ['fields'],
      run: (world, { params, query }) => ({
        status: 200,
        body: issueJson(issueOf(world, params['id'] ?? ''), (query['fields'] ?? '').split(',')),
      }),
    },
    {
      method: 'POST',
      path: '/rest/api/3/issue',
      body: issueBody,
      run: (world, { body }) => {
        const { fields } = body as z.infer<typeof issueBody>;
        const id = newId(world);
        const key = `${JIRA.project}-${world.lastId}`;
        const { summary, description, labels = [] } = fields;
        const at = clock.now();
        world.issues.push({
          ...newIssue(id, key, at),
          summary,
          description: description as JsonValue,
          labels,
          reporter: BOT,
        });
        return { status: 201, body: { id, key, self: `https://acme.example/rest/api/3/issue/${id}` } };
      },
    },
    {
      method: 'GET',
      path: '/rest/api/3/search/jql',
      query: ['jql', 'fields', 'maxResults', 'nextPageToken'],
      run: (world, { query }) => {
        const all = search(world, query['jql'] ?? '', clock.now());
        const from = Number(query['nextPageToken']?.replace('token-', '') ?? 0);
        if (!Number.isInteger(from)) throw no(400, 'invalid nextPageToken');
        const to = from + Math.min(pageSize, Number(query['maxResults'] ?? 50));
        return {
          status: 200,
          body: {
            issues: all.slice(from, to).map((issue) => issueJson(issue, (query['fields'] ?? '').split(','))),
            ...(to < all.length ? { nextPageToken: `token-${to}`, isLast: false } : { isLast: true }),
          },
        };
      },
    },
    {
      method: 'GET',
      path: '/rest/api/3/issue/{id}/comment',
      query: ['startAt', 'maxResults', 'orderBy', 'expand'],
      run: (world, { params, query }) => {
        const { comments } = issueOf(world, params['id'] ?? '');
        const startAt = Number(query['startAt'] ?? 0);
        const maxResults = Math.min(pageSize, Number(query['maxResults'] ?? 50));
        const rows = comments.slice(startAt, startAt + maxResults);
        return {
          status: 200,
          body: {
            comments: rows.map((one) => commentJson(one, query['expand'] === 'properties')),
            startAt,
            maxResults,
            total: comments.length,
          },
        };
      },
    },
    {
      method: 'POST',
      path: '/rest/api/3/issue/{id}/comment',
      body: commentBody,
      run: (world, { params, body }) => {
        const issue = issueOf(world, params['id'] ?? '');
        const { body: words, properties = [] } = body as z.infer<typeof commentBody>;
        const comment = {
          id: newId(world),
          author: BOT,
          body: words as JsonValue,
          created: clock.now(),
          properties: properties as JiraComment['properties'],
        };
        issue.comments.push(comment);
        touch(issue);
        return { status: 201, body: commentJson(comment, false) };
      },
    },
    {
      method: 'GET',
      path: '/rest/api/3/issue/{id}/transitions',
      run: (world, { params }) => {
        const { status } = issueOf(world, params['id'] ?? '');
        const others = STATUS_NAMES.filter((name) => name !== status);
        return {
          status: 200,
          body: { transitions: others.map((name) => ({ id: STATUSES[name].id, name: `To ${name}`, to: statusJson(name) })) },
        };
      },
    },
    {
      method: 'POST',
      path: '/rest/api/3/issue/{id}/transitions',
      body: transitionBody,
      run: (world, { params, body }) => {
        const issue = issueOf(world, params['id'] ?? '');
        const { id } = (body as z.infer<typeof transitionBody>).transition;
        const name = STATUS_NAMES.find((one) => STATUSES[one].id === id && one !== issue.status);
        if (name === undefined) throw no(400, `Transition id '${id}' is not valid for this issue.`);
        issue.status = name;
        touch(issue);
        return { status: 204 };
      },
    },
    {
      method: 'PUT',
      path: '/rest/api/3/issue/{id}/assignee',
      body: assigneeBody,
      run: (world, { params, body }) => {
        const issue = issueOf(world, params['id'] ?? '');
        const { accountId } = body as z.infer<typeof assigneeBody>;
        if (accountId !== null && !(AGENTS as readonly string[]).includes(accountId))
          throw no(400, `User '${accountId}' cannot be assigned issues.`);
        issue.assignee = accountId;
        touch(issue);
        return { status: 204 };
      },
    },
  ];
};

export interface JiraDouble extends Double<JiraWorld> {
  readonly people: HelpdeskPeople;
}

export const createJiraDouble = async ({
  clock,
  pageSize = 50,
}: {
  readonly clock: Clock;
  readonly pageSize?: number;
}): Promise<JiraDouble> => {
  const expected = `Basic ${Buffer.from(`${JIRA.email}:${JIRA.token}`).toString('base64')}`;
  const world: JiraWorld = { issues: [], lastId: 0, behind: [], isMember: true, isExpired: false };
  const double = await createDouble<JiraWorld>({
    clock,
    world,
    headers: () => ({ 'x-seraph-loginreason': world.isExpired ? 'AUTHENTICATED_FAILED' : 'OK' }),
    routes: routesOf(clock, pageSize),
    check: ({ headers }) => {
      if (headers.authorization !== expected) throw no(401, 'Client must be authenticated to access this resource.');
    },
    errorBody,
  });
  const change = (id: string, work: (issue: JiraIssue) => void): void =>
    double.change((world) => {
      const issue = issueOf(world, id);
      work(issue);
      issue.updated = Math.max(issue.updated, clock.now());
    });
  const people: HelpdeskPeople = {
    agents: AGENTS,
    open: (subject, words, { isPrivate = false } = {}) =>
      double.change((world) => {
        const id = String(10_000 + (world.lastId += 1));
        const key = `${JIRA.project}-${world.lastId}`;
        const at = clock.now();
        world.issues.push({
          ...newIssue(id, key, at),
          summary: subject,
          description: paragraphs(words),
          reporter: CUSTOMER,
          isSecured: isPrivate,
        });
        return key;
      }),
    set: (id, { status, assignee }) =>
      change(id, (issue) => {
        if (status !== undefined) issue.status = STATUS_NAMES.find((name) => STATUSES[name].sync === status) ?? issue.status;
        if (assignee !== undefined) issue.assignee = assignee;
      }),
    say: (id, words, { by = 'agent', isSeen = true } = {}) => {
      const commentId = String(10_000 + (double.world.lastId += 1));
      const author = by === 'requester' ? CUSTOMER : by === 'other' ? OTHER : AGENTS[0];
      const properties = isSeen ? [] : [{ key: 'sd.public.comment', value: { internal: true } }];
      change(id, (issue) => {
        issue.comments.push({ id: commentId, author, body: paragraphs(words), created: clock.now(), properties });
      });
      return commentId;
    },
    remove: (id) =>
      double.change((world) => {
        world.issues = world.issues.filter(({ key }) => key !== id);
      }),
  };
  return { ...double, people };
};
