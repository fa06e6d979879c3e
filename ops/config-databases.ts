/** The files that describe databases: where each is, what of it may be read, and the named queries that it answers. */
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { Secret } from './secret.ts';

/** Where the files and the addresses come from. */
export interface DatabaseFiles {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string | undefined;
}

const NAME = /^[a-z][a-z0-9_]{0,47}$/;
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;
const MAX_TEXT = 500;

const text = z.string().min(1).max(MAX_TEXT);
const sql = z.string().min(1).max(10_000);
const common = { description: text.optional(), after: z.array(text).optional() };
/** A list of values, or a map of values to other words for each. */
const values = z.union([
  z.array(z.coerce.string()).transform((list): Record<string, string[]> => Object.fromEntries(list.map((value) => [value, []]))),
  z.record(z.string(), z.array(text)),
]);

const parameter = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('string'),
    ...common,
    maxChars: z.int().min(1).max(1_000).default(100),
    default: text.optional(),
  }),
  z.strictObject({
    type: z.literal('number'),
    ...common,
    min: z.number().default(0),
    max: z.number().default(1_000_000),
    integer: z.boolean().default(false),
    default: z.number().optional(),
  }),
  z.strictObject({
    type: z.literal('date'),
    ...common,
    default: z
      .string()
      .regex(/^(?:today(?:-\d{1,4})?|\d{4}-\d{2}-\d{2})$/, 'expected a day such as 2026-03-31, today, or today-30')
      .optional(),
  }),
  z.strictObject({ type: z.literal('enum'), ...common, values, default: z.coerce.string().optional() }),
]);

const query = z.strictObject({
  description: text,
  examples: z.array(text).default([]),
  sql,
  parameters: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/, 'expected lower-case letters, digits and _'), parameter).default({}),
});

const column = z.strictObject({
  description: text.optional(),
  unit: text.optional(),
  values: z.array(z.coerce.string()).optional(),
  tag: z.enum(['deny', 'mask', 'hash']).optional(),
});

const table = z.strictObject({
  description: text.optional(),
  columns: z.record(z.string(), column).default({}),
  joins: z.array(text).default([]),
});

const file = z
  .strictObject({
    name: z.string().regex(NAME, 'expected lower-case letters, digits and _'),
    engine: z.enum(['postgres', 'mysql', 'sqlite']),
    /** The variable that holds the address: it has a password in it, and so no place in a file. */
    urlVariable: z.string().regex(VARIABLE, 'expected the name of a variable in capitals').optional(),
    path: text.optional(),
    seed: text.optional(),
    label: z.string().default('everyone'),
    freeSql: z.boolean().default(false),
    timeoutMs: z.int().min(100).max(60_000).default(1_500),
    maxCost: z.number().min(1).default(1_000_000),
    connections: z.int().min(1).max(32).default(4),
    schemas: z.array(z.string().min(1)).min(1).default(['public']),
    functions: z.array(z.string()).default([]),
    coverValues: z.boolean().default(true),
    freshness: sql.optional(),
    tables: z.record(z.string(), table).optional(),
    examples: z.array(z.strictObject({ question: text, sql })).default([]),
    queries: z.record(z.string().regex(NAME, 'expected lower-case letters, digits and _'), query).default({}),
  })
  .superRefine(({ engine, urlVariable, path, seed }, context) => {
    const isFile = engine === 'sqlite';
    const given = [path, seed].filter((place) => place !== undefined).length;
    if (isFile && (given !== 1 || urlVariable !== undefined))
      context.addIssue({ code: 'custom', message: 'expected path, or seed, and no urlVariable with engine: sqlite' });
    if (!isFile && (urlVariable === undefined || given > 0))
      context.addIssue({ code: 'custom', message: `expected urlVariable, and neither path nor seed, with engine: ${engine}` });
  });

export type DatabaseConfig = Readonly<
  Omit<z.output<typeof file>, 'urlVariable' | 'path' | 'seed'> & {
    place:
      | { readonly url: Secret; readonly password: Secret | undefined }
      | { readonly path: string }
      /** A file of SQL that the database is made from. */
      | { readonly seed: string };
  }
>;

type Report = (problem: string) => void;

const placeOf = (
  { urlVariable = '', path, seed, engine }: z.output<typeof file>,
  folder: string,
  source: DatabaseFiles,
  report: Report,
): DatabaseConfig['place'] => {
  if (path !== undefined) return { path: resolve(folder, path) };
  if (seed !== undefined) {
    const file = resolve(folder, seed);
    if (source.readFile(file) === undefined) report(`seed: expected a file of SQL, got none at ${file}`);
    return { seed: file };
  }
  const schemes = engine === 'postgres' ? ['postgres:', 'postgresql:'] : ['mysql:', 'mariadb:'];
  const given = source.env[urlVariable]?.trim() ?? '';
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !schemes.includes(url.protocol))
    report(
      `urlVariable: expected ${urlVariable} to hold an address that begins with ${schemes[0]}//, got ${given === '' ? 'none' : 'another form'}`,
    );
  const password = url === undefined || url.password.length < 6 ? undefined : new Secret(decodeURIComponent(url.password));
  return { url: new Secret(given.replace(/^mariadb:/, 'mysql:')), password };
};

const readOne = (path: string, source: DatabaseFiles, report: Report): DatabaseConfig | undefined => {
  let content: string | undefined;
  try {
    content = source.readFile(path);
  } catch {
    report('expected a readable file; check its permissions');
    return undefined;
  }
  if (content === undefined) {
    report('expected a file that describes a database, got none; see docs/databases.md');
    return undefined;
  }
  const document = parseDocument(content);
  const [broken] = document.errors;
  if (broken !== undefined) {
    report(`expected YAML, got ${broken.message.split('\n')[0]}`);
    return undefined;
  }
  const parsed = file.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (!parsed.success) {
    for (const issue of parsed.error.issues)
      report(
        `${issue.path.map(String).join('.') || 'the file'}: ${issue.message.replace(/^Invalid input: /, '')}; see docs/databases.md`,
      );
    return undefined;
  }
  const { urlVariable: _, path: __, seed: ___, ...rest } = parsed.data;
  return { ...rest, place: placeOf(parsed.data, dirname(path), source, report) };
};

/** Every problem goes to `report` as one line that names the file. */
export const readDatabases = (
  paths: readonly string[],
  labels: readonly string[],
  source: DatabaseFiles,
  report: Report,
): readonly DatabaseConfig[] => {
  const databases: DatabaseConfig[] = [];
  for (const path of paths) {
    const tell: Report = (problem) => report(`databases.sources: ${path}: ${problem}`);
    const database = readOne(path, source, tell);
    if (database === undefined) continue;
    if (!labels.includes(database.label)) tell(`label: expected one of ${labels.join(', ')}, got "${database.label}"`);
    if (databases.some(({ name }) => name === database.name))
      tell(`name: expected one of its own, got ${database.name} a second time`);
    const taken = databases.flatMap(({ queries }) => Object.keys(queries));
    for (const name of Object.keys(database.queries).filter((own) => taken.includes(own)))
      tell(`queries.${name}: expected a name of its own among all databases, got one that is taken`);
    databases.push(database);
  }
  return databases;
};
