/**
 * Environment and threadwise.yaml to one typed configuration. Whatever is wrong is told at once, one line a problem, each
 * with its key, what was expected and an example; a start with a doubtful configuration does not happen.
 */

import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import { type Config, checkConfig } from './config-checks.ts';
import { mcpSecrets } from './config-mcp.ts';
import { configSchema } from './config-schema.ts';
import { exampleOf, listSettings, type Setting } from './config-tree.ts';
import { nearest } from './nearest.ts';
import { createRedactor } from './redact.ts';
import type { Secret } from './secret.ts';

export type { Config } from './config-checks.ts';
export { EVERYONE } from './config-schema.ts';

export interface ConfigSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file's text, or undefined where there is none. */
  readonly readFile: (path: string) => string | undefined;
  /** Of the configuration file; it must exist then. Without it THREADWISE_CONFIG counts, then ./threadwise.yaml if it exists. */
  readonly path?: string;
}

const DEFAULT_PATH = 'threadwise.yaml';
const ENV_PREFIX = 'THREADWISE_';
const CONFIG_VARIABLE = 'THREADWISE_CONFIG';
const MAX_SHOWN_CHARACTERS = 60;

type Tree = Record<string, unknown>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What came, as a person may see it: short, and never a secret, not even one that stands under the wrong key. */
const show = (value: unknown): string => {
  const text = createRedactor([])(JSON.stringify(value) ?? 'nothing');
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
};

const describe = (setting: Setting, came: string): string => {
  const variable = setting.meta.env[0];
  const name = variable === undefined ? setting.key : `${setting.key} (${variable})`;
  return `${name}: expected ${setting.meta.expected}, got ${came}; for example ${exampleOf(setting)}`;
};

const parseFile = (text: string, path: string, problems: string[]): Tree => {
  const document = parseDocument(text, { prettyErrors: true, uniqueKeys: true });
  for (const error of document.errors) {
    const [first = ''] = error.message.split('\n');
    problems.push(`${path}: expected YAML, got a mistake: ${first.replace(/:$/, '')}; for example log: { level: info }`);
  }
  if (document.errors.length > 0) return {};
  const tree: unknown = document.toJS({ maxAliasCount: 100 });
  if (tree === null || tree === undefined) return {};
  if (isTree(tree)) return tree;
  problems.push(`${path}: expected settings with their names, got ${show(tree)}; for example log: { level: info }`);
  return {};
};

const readTree = ({ env, readFile, path }: ConfigSource, problems: string[]): Tree => {
  const named = path ?? (env[CONFIG_VARIABLE] || undefined);
  const file = named ?? DEFAULT_PATH;
  try {
    const text = readFile(file);
    if (text !== undefined) return parseFile(text, file, problems);
    if (named !== undefined)
      problems.push(`${CONFIG_VARIABLE}: expected a file that exists, got ${show(file)}; for example ./threadwise.yaml`);
  } catch (error) {
    problems.push(
      `${file}: expected a readable file, got ${error instanceof Error ? error.message : 'a failure'}; check its permissions`,
    );
  }
  return {};
};

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

/** What cannot be read stays text, which the schema then refuses. */
const readText = (text: string, kind: Setting['kind']): unknown => {
  if (kind === 'number') return /^-?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (kind === 'boolean') return BOOLEANS.get(text.trim().toLowerCase()) ?? text;
  if (kind !== 'list') return text;
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
};

const readVariable = (setting: Setting, { env, readFile }: ConfigSource, problems: string[]): unknown => {
  for (const name of setting.meta.env) {
    const text = env[name];
    if (text !== undefined && text.trim() !== '') return readText(text, setting.kind);
    const file = setting.meta.secret ? env[`${name}_FILE`] : undefined;
    if (file === undefined || file === '') continue;
    try {
      const secret = readFile(file);
      if (secret !== undefined) return secret.trim();
      problems.push(
        `${name}_FILE: expected a file that exists, got ${show(file)}; for example /run/secrets/${name.toLowerCase()}`,
      );
    } catch {
      problems.push(`${name}_FILE: expected a readable file, got ${show(file)}; for example /run/secrets/${name.toLowerCase()}`);
    }
  }
  return undefined;
};

/** Variables win over the file. */
const overlay = (tree: Tree, path: readonly string[], value: unknown): Tree => {
  const [head = '', ...rest] = path;
  if (rest.length === 0) return { ...tree, [head]: value };
  const child = tree[head];
  // A section that is no map is left for the schema to refuse.
  if (child !== undefined && child !== null && !isTree(child)) return tree;
  return { ...tree, [head]: overlay(isTree(child) ? child : {}, rest, value) };
};

const unknownVariables = (source: ConfigSource, settings: readonly Setting[]): readonly string[] => {
  const known = [
    CONFIG_VARIABLE,
    ...settings.flatMap(({ meta }) => [...meta.env, ...(meta.secret ? meta.env.map((name) => `${name}_FILE`) : [])]),
  ];
  return Object.keys(source.env)
    .filter((name) => name.startsWith(ENV_PREFIX) && !known.includes(name))
    .map((name) => `${name}: expected a known variable, got one that sets nothing; did you mean ${nearest(name, known)}?`);
};

const unknownKeys = (issue: z.core.$ZodIssueUnrecognizedKeys, settings: readonly Setting[]): readonly string[] => {
  const prefix = issue.path.map(String);
  const inAudience = prefix[0] === 'audiences';
  const siblings = inAudience
    ? ['people', 'places']
    : [
        ...new Set(
          settings
            .filter(({ path }) => prefix.every((part, index) => path[index] === part))
            .map(({ path }) => path[prefix.length] ?? ''),
        ),
      ];
  return issue.keys.map((key) => {
    const place = [...prefix, key].join('.');
    return `${place}: expected a known key, got one that sets nothing; did you mean ${[...prefix, nearest(key, siblings)].join('.')}?`;
  });
};

const valueAt = (tree: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, part) => (typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined),
    tree,
  );

const problemsOf = (error: z.ZodError, tree: Tree, settings: readonly Setting[]): readonly string[] =>
  error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return unknownKeys(issue, settings);
    const key = issue.path.map(String).join('.');
    const setting = settings.find((candidate) => key === candidate.key || key.startsWith(`${candidate.key}.`));
    const value = valueAt(tree, issue.path);
    if (setting === undefined) return [`${key}: expected a section with settings, got ${show(value)}; see docs/configuration.md`];
    if (setting.meta.secret)
      return [describe(setting, `${typeof value === 'string' ? `${value.length} characters` : typeof value} of another form`)];
    const place = key === setting.key ? show(value) : `${show(value)} at ${key}`;
    return [describe(setting, place)];
  });

/** Throws `AppError('config_invalid')` whose message has one line for each problem. Reads nothing but what `source` gives. */
export const loadConfig = (source: ConfigSource): Config => {
  const settings = listSettings();
  const problems: string[] = [];
  let tree = readTree(source, problems);
  // `slack:` with nothing below it is an empty section.
  tree = Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== null));
  for (const setting of settings) {
    const value = readVariable(setting, source, problems);
    if (value !== undefined) tree = overlay(tree, setting.path, value);
  }
  problems.push(...unknownVariables(source, settings));

  const parsed = configSchema.safeParse(tree);
  if (!parsed.success) problems.push(...problemsOf(parsed.error, tree, settings));
  const checked = parsed.success ? checkConfig(parsed.data, source) : undefined;
  problems.push(...(checked?.problems ?? []));
  if (problems.length > 0 || checked === undefined) throw new AppError('config_invalid', [...new Set(problems)].join('\n'));
  return checked.config;
};

/** Every secret of the configuration, for the redactor. */
export const secretsOf = (config: Config): readonly Secret[] =>
  [
    config.web.token,
    config.model.apiKey,
    config.model.second?.apiKey,
    config.embeddings?.apiKey,
    config.slack?.botToken,
    config.slack?.appToken,
    config.slack?.signingSecret,
    config.discord?.token,
    config.tools.mail?.login?.password,
    config.triage.mail?.password,
    ...mcpSecrets(config.tools.mcp),
    ...config.triage.webhooks.map(({ secret }) => secret),
    ...config.triage.helpdesks.map(({ token }) => token),
    ...config.databases.flatMap(({ place }) => ('url' in place ? [place.url, place.password] : [])),
    ...config.services.flatMap(({ secrets }) => secrets),
  ].filter((secret) => secret !== undefined);
