/**
 * A tool as its server describes it, and what of that a model is shown. The description that was first seen is the one that counts: a
 * server that later says something else of a tool has another tool.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../agent/arguments.ts';
import { AppError } from '../agent/errors.ts';
import type { JsonObject } from '../agent/json.ts';
import { cleanOutsideText, hidesText } from './outside-text.ts';

export interface McpDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Of the three, byte for byte as they came. */
  readonly hash: string;
}

const MAX_DESCRIPTION_CHARS = 1_000;
const MAX_FIELD_CHARS = 300;
const MAX_SCHEMA_CHARS = 20_000;
/** Nothing that helps to call it; regular expressions are the server's own to check. */
const LEFT_OUT: ReadonlySet<string> = new Set(['title', '$comment', 'pattern']);

/** Looser than the protocol's own, so that one odd tool costs no other. */
export const listedTool = z.looseObject({
  name: z.string(),
  description: z.string().default(''),
  inputSchema: z.record(z.string(), z.unknown()),
});

/** Throws `AppError('tool_too_large')`. */
export const describe = ({ name, description, inputSchema }: z.output<typeof listedTool>): McpDescription => {
  const text = JSON.stringify(inputSchema);
  if (text.length > MAX_SCHEMA_CHARS) {
    throw new AppError('tool_too_large', `expected parameters of at most ${MAX_SCHEMA_CHARS} characters, got ${text.length}`);
  }
  const schema = inputSchema as JsonObject;
  const hash = createHash('sha256')
    .update(canonicalJson({ name, description, inputSchema: schema }))
    .digest('hex');
  return { name, description, inputSchema: schema, hash: `sha256:${hash}` };
};

/** What differs, in words of ours. */
export const differences = (before: McpDescription, now: McpDescription): string =>
  [
    ...(before.description === now.description ? [] : ['its description']),
    ...(canonicalJson(before.inputSchema) === canonicalJson(now.inputSchema) ? [] : ['its parameters']),
  ].join(' and ');

export const shownDescription = ({ name, description }: McpDescription, server: string): string =>
  `${name} of the MCP server ${server}, which says of it: ${cleanOutsideText(description, MAX_DESCRIPTION_CHARS) || 'nothing'}`;

/**
 * The schema without long and hidden words. Throws `AppError('config_invalid')` where names or values, which have to be sent back as
 * they are, hide some.
 */
export const shownSchema = ({ inputSchema }: McpDescription): JsonObject => {
  const shown = JSON.stringify(inputSchema, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (LEFT_OUT.has(key)) return undefined;
    return key === 'description' ? cleanOutsideText(value, MAX_FIELD_CHARS) : value;
  });
  if (hidesText(shown)) throw new AppError('config_invalid', 'expected names and values that can be seen, got hidden characters');
  return JSON.parse(shown) as JsonObject;
};
