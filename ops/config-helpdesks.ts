/** `triage.helpdesks`: the outside helpdesks whose tickets are kept in step with ours. */
import { z } from 'zod';
import { type McpSource, resolveReference } from './config-mcp.ts';
import { settingMeta } from './config-setting.ts';
import { Secret } from './secret.ts';

const NAME = /^[a-z][a-z0-9-]{0,39}$/u;
const TEAM = /^[a-z][a-z0-9_-]{0,39}$/u;
const PERSON = /^(?:slack:[UW][A-Z0-9]+|discord:\d+)$/u;
const REFERENCE = /^\$\{[A-Z][A-Z0-9_]*\}$/u;
const MIN_TOKEN_CHARS = 8;

const url = z.url({ protocol: /^https?$/u, error: 'expected an address such as https://acme.example.com' });
const common = {
  /** `${NAME}`: the variable of that name, or the file that NAME_FILE names. */
  token: z.string().regex(REFERENCE, 'expected a variable such as ${HELPDESK_TOKEN}'),
  people: z.record(z.string().regex(PERSON, 'expected a person such as slack:U0123ABCD'), z.string().min(1)).default({}),
  wins: z.enum(['ours', 'theirs', 'person']).default('person'),
  create: z.union([z.enum(['all', 'none']), z.array(z.string().regex(TEAM)).min(1)]).default('none'),
  import: z.boolean().default(false),
  pollSeconds: z.int().min(10).max(3_600).default(60),
};
const names = z.array(z.string().min(1)).min(1).optional();

const helpdesk = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('github'),
    repo: z.string().regex(/^[\w.-]+\/[\w.-]+$/u, 'expected owner/name'),
    /** Of an own server: `https://github.acme.example/api/v3`. */
    url: url.optional(),
    public: z.boolean().default(true),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('zendesk'),
    url,
    email: z.email().optional(),
    public: z.literal(false).default(false),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('jira'),
    url,
    email: z.email(),
    project: z.string().regex(/^[A-Z][A-Z0-9_]*$/u, 'expected the key of a project such as SUP'),
    issueType: z.string().min(1).default('Task'),
    statuses: z.strictObject({ open: names, waiting: names, solved: names, closed: names }).default({}),
    serviceDesk: z.boolean().default(false),
    public: z.boolean().default(false),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('zammad'),
    url,
    group: z.string().min(1).default('Users'),
    /** Whose new tickets are, where the address of who asks is not known. */
    customer: z.email('expected an address such as desk@acme.example'),
    statuses: z.strictObject({ open: names, waiting: names, solved: names, closed: names }).default({}),
    public: z.boolean().default(false),
    ...common,
  }),
]);

/** Checked by `readHelpdesks`. */
export const helpdesks = z.record(z.string().regex(NAME), z.unknown()).default({}).register(settingMeta, {
  does: 'Outside helpdesks by name, with which tickets are kept in step both ways: where they are, who is who, who wins (docs/triage.md).',
  expected: 'a map of names to kind (github, zendesk, jira, zammad) and what that needs',
  example:
    '{ acme: { kind: zendesk, url: "https://acme.zendesk.com", email: bot@acme.example, token: "${ZENDESK_TOKEN}", create: all } }',
  env: [],
});

type Parsed = z.output<typeof helpdesk>;
/** One of them, with its token. */
export type HelpdeskConfig = Parsed extends infer Each
  ? Each extends { token: string }
    ? Omit<Each, 'token'> & { readonly name: string; readonly token: Secret }
    : never
  : never;

/** As `ExternalTicket.system` has it. */
export const systemOf = ({ kind, name }: Pick<HelpdeskConfig, 'kind' | 'name'>): string => `${kind}:${name}`;

/** Each problem goes to `report` as one line. */
export const readHelpdesks = (
  raw: z.output<typeof helpdesks>,
  teams: readonly string[],
  source: McpSource,
  report: (problem: string) => void,
): readonly HelpdeskConfig[] =>
  Object.entries(raw).flatMap(([name, given]): readonly HelpdeskConfig[] => {
    const at = `triage.helpdesks.${name}`;
    const parsed = helpdesk.safeParse(given);
    if (!parsed.success) {
      for (const { path, message } of parsed.error.issues)
        report(`${[at, ...path].join('.')}: ${message.replace(/^Invalid input: /u, '')}; see docs/triage.md`);
      return [];
    }
    const { token, create } = parsed.data;
    const value = resolveReference(token, source, (problem) => report(`${at}.token: ${problem}`));
    if (value !== '' && value.length < MIN_TOKEN_CHARS)
      report(`${at}.token: expected at least ${MIN_TOKEN_CHARS} characters, got ${value.length}`);
    const unknown = typeof create === 'string' ? [] : create.filter((team) => !teams.includes(team));
    if (unknown.length > 0)
      report(`${at}.create: expected teams of triage.teams (${teams.join(', ') || 'there are none'}), got ${unknown.join(', ')}`);
    return [{ ...parsed.data, name, token: new Secret(value) }];
  });
