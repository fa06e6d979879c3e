/**
 * Whether the arguments of a call are checked as they should be: the gold calls of the Berkeley Function-Calling Leaderboard pass
 * the validation of the registry, and each broken copy of one is refused with a message that names the field. The data set lies
 * beside the repository; without it there is nothing to measure.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { validateArguments } from '../agent/arguments.ts';
import { AppError } from '../agent/errors.ts';
import type { JsonObject, JsonValue } from '../agent/json.ts';
import type { Tool } from '../agent/ports/tool.ts';
import { createRegistry } from '../agent/registry.ts';
import type { BenchRow } from './row.ts';

const FOLDER = new URL('../../shared/data/bfcl/', import.meta.url);
const SETS = ['simple_python', 'parallel', 'irrelevance'] as const;

const record = z.object({
  id: z.string(),
  function: z.array(z.object({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.json()) })),
});
/** Of each argument the values that count as right; an empty text among them means that it may be left out. */
const answer = z.object({
  id: z.string(),
  ground_truth: z.array(z.record(z.string(), z.record(z.string(), z.array(z.json())))),
});

const readLines = (name: string): readonly unknown[] => {
  const url = new URL(name, FOLDER);
  try {
    return readFileSync(url, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  } catch (cause) {
    throw new AppError('source_missing', `expected the functions of BFCL at ${url.pathname}, got none`, { cause });
  }
};

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The set names types as Python does. */
const JSON_TYPES: Readonly<Record<string, string>> = { dict: 'object', float: 'number', tuple: 'array' };

/** The set's description as a JSON schema. */
const schemaOf = (described: JsonObject): JsonObject => {
  const { type, properties, required, items, enum: options } = described;
  const isTyped = typeof type === 'string' && type !== 'any';
  return {
    ...(isTyped ? { type: JSON_TYPES[type] ?? type } : {}),
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, of]) => [name, isObject(of) ? schemaOf(of) : {}]),
          ),
        }
      : {}),
    ...(Array.isArray(required) ? { required } : {}),
    ...(isObject(items) ? { items: schemaOf(items) } : {}),
    ...(Array.isArray(options) ? { enum: options } : {}),
  };
};

const requiredOf = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];

/** A registry takes no dots in a name, as providers do not. */
const nameOf = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_').slice(0, 64);

const toolOf = (name: string, description: string, schema: JsonObject): Tool => ({
  name: nameOf(name),
  description,
  parameters: z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]),
  effect: 'read',
  timeoutMs: 1_000,
  run: async () => null,
});

/** One right value of an argument; nested objects list theirs by field. Undefined where the argument is left out. */
const rightValue = (value: JsonValue | undefined): JsonValue | undefined => {
  if (value === '' || value === null || value === undefined) return undefined;
  const inner = (one: JsonValue): JsonValue =>
    isObject(one)
      ? Object.fromEntries(
          Object.entries(one).flatMap(([name, of]) => {
            const right = rightValue(Array.isArray(of) ? of[0] : of);
            return right === undefined ? [] : [[name, right]];
          }),
        )
      : one;
  return Array.isArray(value) ? value.map(inner) : inner(value);
};

const wrongTypeOf = (schema: JsonObject): JsonValue => (schema['type'] === 'object' || schema['type'] === 'array' ? 'text' : {});

interface Broken {
  readonly how: 'missing' | 'wrong_type' | 'unknown_option';
  readonly field: string;
  readonly args: JsonObject;
}

/** Each way to break one field of a right call. */
const breakCall = (args: JsonObject, schema: JsonObject): readonly Broken[] => {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = requiredOf(schema);
  return Object.keys(args).flatMap((field): readonly Broken[] => {
    const own = properties[field];
    const { [field]: _, ...others } = args;
    const typed = isObject(own) && own['type'] !== undefined;
    return [
      ...(required.includes(field) ? [{ how: 'missing', field, args: others } as const] : []),
      ...(typed ? [{ how: 'wrong_type', field, args: { ...args, [field]: wrongTypeOf(own) } } as const] : []),
      ...(isObject(own) && own['enum'] !== undefined
        ? [{ how: 'unknown_option', field, args: { ...args, [field]: 'no such option' } } as const]
        : []),
    ];
  });
};

interface Tally {
  all: number;
  right: number;
}

export async function* run(): AsyncGenerator<BenchRow> {
  for (const set of SETS) {
    const questions = readLines(`BFCL_v4_${set}.json`).map((line) => record.parse(line));
    const answers = new Map(
      set === 'irrelevance'
        ? []
        : readLines(`possible_answer/BFCL_v4_${set}.json`).map((line) => {
            const { id, ground_truth: truth } = answer.parse(line);
            return [id, truth] as const;
          }),
    );
    const tallies = new Map<string, Tally>();
    const count = (metric: string, isRight: boolean): void => {
      const tally = tallies.get(metric) ?? { all: 0, right: 0 };
      tallies.set(metric, { all: tally.all + 1, right: tally.right + (isRight ? 1 : 0) });
    };
    const isRefused = (tool: Tool, { field, args }: Broken): boolean => {
      const checked = validateArguments(tool.parameters, JSON.stringify(args));
      return (
        !checked.ok && checked.advice.split('; ').some((issue) => issue.startsWith(`${field}: `) || issue.startsWith(`${field}.`))
      );
    };
    for (const { id, function: functions } of questions) {
      const schemas = new Map(functions.map(({ name, parameters }) => [nameOf(name), schemaOf(parameters)]));
      const registry = createRegistry(
        functions.map(({ name, description }) => toolOf(name, description, schemas.get(nameOf(name)) as JsonObject)),
      );
      count('registered', registry.specs.length === functions.length);
      for (const [name, options] of (answers.get(id) ?? []).flatMap((call) => Object.entries(call))) {
        const tool = registry.find(nameOf(name));
        const required = requiredOf(schemas.get(nameOf(name)) ?? {});
        const args: JsonObject = Object.fromEntries(
          Object.entries(options).flatMap(([field, values]) => {
            const value = rightValue(values[0]) ?? (required.includes(field) ? rightValue(values[1]) : undefined);
            return value === undefined ? [] : [[field, value]];
          }),
        );
        const passes = tool !== undefined && validateArguments(tool.parameters, JSON.stringify(args)).ok;
        count('gold_calls_pass', passes);
        if (tool === undefined || !passes) continue;
        for (const [field, values] of Object.entries(options))
          for (const value of values.map(rightValue).filter((one) => one !== undefined))
            count('other_right_values_pass', validateArguments(tool.parameters, JSON.stringify({ ...args, [field]: value })).ok);
        for (const broken of breakCall(args, schemas.get(tool.name) as JsonObject))
          count(`${broken.how}_refused`, isRefused(tool, broken));
      }
      // Nothing in this set should be called: a call without arguments must not pass where some are required.
      if (set === 'irrelevance')
        for (const tool of registry.tools)
          for (const field of (schemas.get(tool.name)?.['required'] as readonly string[] | undefined) ?? [])
            count('empty_call_refused', isRefused(tool, { how: 'missing', field, args: {} }));
    }
    for (const [metric, { all, right }] of tallies) {
      const note =
        metric === 'other_right_values_pass' && right < all
          ? { note: `${all - right} are of another type, or no option, of the set's own description` }
          : {};
      yield { bench: 'tool-arguments', case: set, metric, value: right / all, unit: 'share', n: all, ...note };
    }
  }
}
