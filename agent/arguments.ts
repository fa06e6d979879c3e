/** A tool call's raw argument text, read strictly: nothing is repaired, since a repaired cut call is another call. */
import type { z } from 'zod';
import type { JsonObject, JsonValue } from './json.ts';

export type ParsedArguments = { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly advice: string };

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`);

/** Empty text counts as `{}`: providers send it for tools without arguments. */
export const parseArguments = (raw: string): ParsedArguments => {
  if (raw.trim() === '') return { ok: true, value: {} };
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { ok: false, advice: 'The arguments are not complete JSON. Send them again as one JSON object.' };
  }
  if (isObject(value)) return { ok: true, value };
  return { ok: false, advice: `The arguments must be one JSON object; ${kindOf(value)} came.` };
};

/** Each problem with the field it is in: `query: expected string, received number`. */
export const describeIssues = (error: z.ZodError): string =>
  error.issues
    .slice(0, 5)
    .map(
      (issue) =>
        `${issue.path.length === 0 ? 'arguments' : issue.path.join('.')}: ${issue.message.replace(/^Invalid input: /u, '')}`,
    )
    .join('; ');

/** What a tool gets of a call's raw text: what passed its parameters. `advice` names each field that did not. */
export const validateArguments = (
  parameters: z.ZodType,
  raw: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly advice: string } => {
  const parsed = parseArguments(raw);
  if (!parsed.ok) return parsed;
  const checked = parameters.safeParse(parsed.value);
  return checked.success ? { ok: true, value: checked.data } : { ok: false, advice: describeIssues(checked.error) };
};

const sorted = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] as JsonValue)]),
  );
};

/** The same text for the same arguments, whatever the order of their keys. */
export const canonicalJson = (value: JsonObject): string => JSON.stringify(sorted(value));
