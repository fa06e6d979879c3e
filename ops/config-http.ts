/** The files that describe services: where each is, what of it may be asked, and which secrets go with a request. */
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import type { JsonValue } from '../agent/json.ts';
import type { DatabaseFiles } from './config-databases.ts';
import { Secret } from './secret.ts';

const NAME = /^[a-z][a-z0-9_]{0,47}$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;
/** https://www.rfc-editor.org/rfc/rfc9110#name-tokens */
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const FIXED_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|accept-encoding|cookie|te|upgrade|keep-alive|expect|trailer|proxy-.*)$/i;
const SECRET_NAME = /auth|key|token|secret|password|credential|appid/i;
const MAX_DOCUMENT_CHARS = 20_000_000;

const text = z.string().min(1).max(1_000);
const toolName = z.string().regex(TOOL_NAME, 'expected 1 to 64 letters, digits, _ and -');
const scalar = z.union([z.string(), z.number(), z.boolean()]);
/** The variable that holds it, with what stands before it; or the value itself, where that is no secret. */
const setValue = z.union([
  z.string().max(1_000),
  z.strictObject({
    variable: z.string().regex(VARIABLE, 'expected the name of a variable in capitals'),
    prefix: z.string().max(100).default(''),
  }),
]);

const operation = {
  effect: z.enum(['read', 'write']).optional(),
  timeoutMs: z.int().min(100).max(120_000).optional(),
  project: z.union([text, z.array(text).min(1).max(100)]).optional(),
  examples: z.array(text).default([]),
};

const parameter = z.strictObject({
  type: z.enum(['string', 'number', 'integer', 'boolean']).default('string'),
  description: text.optional(),
  enum: z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .optional(),
  pattern: text.optional(),
  format: text.optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: scalar.optional(),
  required: z.boolean().default(true),
  in: z.enum(['query', 'body']).optional(),
});

const shortOperation = z.strictObject({
  ...operation,
  description: text,
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  path: z.string().regex(/^\//, 'expected a path that begins with /'),
  parameters: z.record(z.string().regex(/^\w{1,64}$/, 'expected letters, digits and _'), parameter).default({}),
});

const file = z
  .strictObject({
    name: z.string().regex(NAME, 'expected lower-case letters, digits and _'),
    baseUrl: z.url({ protocol: /^https?$/, error: 'expected an http or https address' }),
    addresses: z
      .array(z.enum(['public', 'private', 'loopback']))
      .min(1)
      .default(['public']),
    label: z.string().default('everyone'),
    timeoutMs: z.int().min(100).max(120_000).default(10_000),
    readsSensitive: z.boolean().default(true),
    headers: z.record(z.string().regex(HEADER, 'expected the name of a header'), setValue).default({}),
    query: z.record(z.string().min(1), setValue).default({}),
    document: text.optional(),
    operations: z
      .record(z.string(), z.strictObject({ ...operation, name: toolName.optional(), description: text.optional() }).nullable())
      .default({}),
    tools: z.record(toolName, shortOperation).default({}),
  })
  .superRefine(({ baseUrl, addresses, headers, query, document, operations, tools }, context) => {
    const add = (message: string, ...path: string[]): void => context.addIssue({ code: 'custom', path, message });
    const { username, password, search, hash, protocol } = new URL(baseUrl);
    if (`${username}${password}${search}${hash}` !== '')
      add('expected an address without a name, a password, a query and a fragment', 'baseUrl');
    const hasSecrets = [...Object.values(headers), ...Object.values(query)].some((value) => typeof value !== 'string');
    if (protocol === 'http:' && hasSecrets && addresses.includes('public'))
      add('expected https where secrets go to a public address', 'baseUrl');
    for (const [kind, values] of [['headers', headers] as const, ['query', query] as const]) {
      for (const [key, value] of Object.entries(values)) {
        if (kind === 'headers' && FIXED_HEADERS.test(key)) add('expected a header that is not set by the connection', kind, key);
        if (typeof value === 'string' && SECRET_NAME.test(key))
          add('expected { variable: NAME }, since a secret has no place in a file', kind, key);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
        if (/[^\t\u0020-\u007e]/.test(typeof value === 'string' ? value : value.prefix))
          add('expected characters of ASCII in one line', kind, key);
      }
    }
    if (document === undefined && Object.keys(operations).length > 0) add('expected document beside operations', 'document');
    if (document !== undefined && Object.keys(operations).length === 0)
      add('expected the operationIds of the document that may be used', 'operations');
    if (document === undefined && Object.keys(tools).length === 0) add('expected tools, or a document with operations', 'tools');
  });

export type HttpServiceConfig = Readonly<
  Omit<z.output<typeof file>, 'document' | 'operations' | 'headers' | 'query'> & {
    file: string;
    document: { readonly path: string; readonly content: JsonValue } | undefined;
    operations: Readonly<Record<string, NonNullable<z.output<typeof file>['operations'][string]>>>;
    headers: Readonly<Record<string, Secret>>;
    query: Readonly<Record<string, Secret>>;
    /** What is hidden wherever it turns up. */
    secrets: readonly Secret[];
  }
>;

type Report = (problem: string) => void;

const readText = (path: string, source: DatabaseFiles, expected: string, report: Report): string | undefined => {
  try {
    const content = source.readFile(path);
    if (content === undefined) report(`expected ${expected}, got none at ${path}; see docs/http-tools.md`);
    return content;
  } catch {
    report(`expected a readable file; check the permissions of ${path}`);
    return undefined;
  }
};

/** JSON is read as such: it is a hundred times faster than as YAML. */
const readTree = (content: string, report: Report): unknown => {
  if (content.length > MAX_DOCUMENT_CHARS)
    return report(`expected at most ${MAX_DOCUMENT_CHARS / 1e6} million characters, got more`);
  if (content.trimStart().startsWith('{')) {
    try {
      return JSON.parse(content);
    } catch {}
  }
  try {
    const document = parseDocument(content);
    const [broken] = document.errors;
    if (broken === undefined) return document.toJS({ maxAliasCount: 100 });
    report(`expected YAML or JSON, got ${broken.message.split('\n')[0]}`);
  } catch {
    report('expected YAML or JSON with few aliases, got a document that cannot be read');
  }
  return undefined;
};

const readVariable = (name: string, { env, readFile }: DatabaseFiles): string | undefined => {
  const given = env[name]?.trim();
  if (given !== undefined && given !== '') return given;
  const path = env[`${name}_FILE`];
  try {
    return path === undefined || path === '' ? undefined : readFile(path)?.trim();
  } catch {
    return undefined;
  }
};

interface Values {
  readonly values: Readonly<Record<string, Secret>>;
  readonly secrets: readonly Secret[];
}

const valuesOf = (kind: string, given: z.output<typeof file>['headers'], source: DatabaseFiles, report: Report): Values => {
  const values: [string, Secret][] = [];
  const secrets: Secret[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string') {
      values.push([name, new Secret(value)]);
      continue;
    }
    const secret = readVariable(value.variable, source) ?? '';
    if (!/^[\u0021-\u007e]{8,}$/.test(secret))
      report(
        `${kind}.${name}: expected ${value.variable} to hold at least 8 characters without spaces, got ${secret === '' ? 'none' : 'another form'}`,
      );
    values.push([name, new Secret(`${value.prefix}${secret}`)]);
    secrets.push(new Secret(secret));
  }
  return { values: Object.fromEntries(values), secrets };
};

const readOne = (path: string, source: DatabaseFiles, report: Report): HttpServiceConfig | undefined => {
  const content = readText(path, source, 'a file that describes a service', report);
  if (content === undefined) return undefined;
  const described = readTree(content, report);
  if (described === undefined) return undefined;
  const parsed = file.safeParse(described);
  if (!parsed.success) {
    for (const { path: place, message } of parsed.error.issues)
      report(`${place.map(String).join('.') || 'the file'}: ${message.replace(/^Invalid input: /, '')}; see docs/http-tools.md`);
    return undefined;
  }
  const { document, operations, headers, query, ...rest } = parsed.data;
  const documentPath = document === undefined ? undefined : resolve(dirname(path), document);
  const tell: Report = (problem) => report(`document: ${problem}`);
  const documentText = documentPath === undefined ? undefined : readText(documentPath, source, 'an OpenAPI document', tell);
  const tree = documentText === undefined ? undefined : readTree(documentText, tell);
  const [inHeaders, inQuery] = [valuesOf('headers', headers, source, report), valuesOf('query', query, source, report)];
  return {
    ...rest,
    file: path,
    document: documentPath === undefined || tree === undefined ? undefined : { path: documentPath, content: tree as JsonValue },
    operations: Object.fromEntries(Object.entries(operations).map(([id, settings]) => [id, settings ?? { examples: [] }])),
    headers: inHeaders.values,
    query: inQuery.values,
    secrets: [...inHeaders.secrets, ...inQuery.secrets],
  };
};

/** Every problem goes to `report` as one line that names the file. */
export const readHttpServices = (
  paths: readonly string[],
  labels: readonly string[],
  source: DatabaseFiles,
  report: Report,
): readonly HttpServiceConfig[] => {
  const services: HttpServiceConfig[] = [];
  for (const path of paths) {
    const tell: Report = (problem) => report(`tools.http: ${path}: ${problem}`);
    const service = readOne(path, source, tell);
    if (service === undefined) continue;
    if (!labels.includes(service.label)) tell(`label: expected one of ${labels.join(', ')}, got "${service.label}"`);
    if (services.some(({ name }) => name === service.name))
      tell(`name: expected one of its own, got ${service.name} a second time`);
    services.push(service);
  }
  return services;
};
