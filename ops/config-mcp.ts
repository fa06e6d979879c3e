/** `tools.mcp`: servers of the Model Context Protocol, each with the tools that may be used of it. */
import { z } from 'zod';
import { settingMeta } from './config-setting.ts';
import { Secret } from './secret.ts';

/** Where what a server is given comes from. */
export interface McpSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string | undefined;
}

const SERVER = /^[a-z][a-z0-9-]{0,23}$/;
/** Shorter values are no keys, and covering them in the log would cover words. */
const MIN_SECRET_CHARS = 6;
/** What a program needs to be found and to run; everything else is the assistant's own. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ'];
const REFERENCE = /\$\{([A-Z][A-Z0-9_]*)\}/gu;

const effect = z.enum(['read', 'write'], 'expected read or write');

const rule = z.strictObject({
  effect: effect.default('write'),
  hash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/u, 'expected sha256: and 64 digits')
    .optional(),
  readsSensitive: z.boolean().default(true),
});
/** The effect alone, or all that can be said of a tool. */
const tool = z.preprocess((given) => (typeof given === 'string' ? { effect: given } : given), rule);

const value = z
  .string()
  .max(4_000)
  .regex(/^[^\u0000-\u001f\u007f]*$/u, 'expected one line of text');

const server = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/u, 'expected the name of a variable'), value).default({}),
    cwd: z.string().min(1).default('.'),
    url: z.url({ protocol: /^https?$/u, error: 'expected an http or https address' }).optional(),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/u, 'expected the name of a header'), value).default({}),
    tools: z.record(z.string().min(1).max(128), tool),
    startTimeoutMs: z.int().min(100).max(120_000).default(10_000),
    callTimeoutMs: z.int().min(100).max(120_000).default(30_000),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), 'expected either command or url');

/** Checked by `readMcpServers`, whose lines say more of what is inside. */
export const mcpServers = z.record(z.string().regex(SERVER), z.unknown()).default({}).register(settingMeta, {
  does: 'Servers of the Model Context Protocol by name, each with `command` or `url`, and the tools of it that may be used (docs/tools.md).',
  expected: 'a map of names in lower-case letters, digits and - to servers',
  example: '{ issues: { command: issues-mcp, tools: { find_issue: read, add_issue: write } } }',
  env: [],
});

export interface McpServerConfig {
  readonly name: string;
  readonly place:
    | {
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, Secret>>;
        readonly cwd: string;
      }
    | { readonly url: string; readonly headers: Readonly<Record<string, Secret>> };
  readonly tools: Readonly<Record<string, z.output<typeof tool>>>;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
}

type Report = (problem: string) => void;

/** `${NAME}` is the variable of that name, or the file that NAME_FILE names. */
export const resolveReference = (text: string, source: McpSource, report: Report): string =>
  text.replace(REFERENCE, (_whole, name: string) => {
    const file = source.env[`${name}_FILE`];
    const found = source.env[name] ?? (file === undefined ? undefined : source.readFile(file)?.trim());
    if (found === undefined || found === '') report(`expected ${name} to be set, got none`);
    return found ?? '';
  });

const resolveValues = (values: Readonly<Record<string, string>>, source: McpSource, report: Report) =>
  Object.fromEntries(
    Object.entries(values).map(([key, text]) => {
      return [key, new Secret(resolveReference(text, source, (problem) => report(`${key}: ${problem}`)))] as const;
    }),
  );

/** Each problem goes to `report` as one line that names the server. */
export const readMcpServers = (raw: z.output<typeof mcpServers>, source: McpSource, report: Report): readonly McpServerConfig[] =>
  Object.entries(raw).flatMap(([name, given]): readonly McpServerConfig[] => {
    const parsed = server.safeParse(given);
    if (!parsed.success) {
      for (const { path, message } of parsed.error.issues)
        report(`tools.mcp.${[name, ...path].join('.')}: ${message.replace(/^Invalid input: /u, '')}; see docs/tools.md`);
      return [];
    }
    const { command, args, cwd, url, env, headers, ...rest } = parsed.data;
    const tell =
      (part: string): Report =>
      (problem) =>
        report(`tools.mcp.${name}.${part}.${problem}`);
    if (url !== undefined) return [{ name, ...rest, place: { url, headers: resolveValues(headers, source, tell('headers')) } }];
    const inherited = Object.fromEntries(
      INHERITED.flatMap((key) => (source.env[key] === undefined ? [] : [[key, new Secret(source.env[key])]])),
    );
    const own = resolveValues(env, source, tell('env'));
    return [{ name, ...rest, place: { command: command ?? '', args, cwd, env: { ...inherited, ...own } } }];
  });

/** For the redactor: what the configuration's references stand for. */
export const mcpSecrets = (servers: readonly McpServerConfig[]): readonly Secret[] =>
  servers
    .flatMap(({ place }) =>
      'url' in place
        ? Object.values(place.headers)
        : Object.entries(place.env).flatMap(([key, secret]) => (INHERITED.includes(key) ? [] : [secret])),
    )
    .filter((secret) => secret.reveal().length >= MIN_SECRET_CHARS);
