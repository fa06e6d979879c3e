/** Operations that read, as the matcher of questions knows them: it asks them in plain words where no language model does. */
import type { JsonObject, JsonValue } from '../agent/json.ts';
import { effectOf, type HttpOperation } from './http-operation.ts';
import { createFollow, isObject } from './json-schema-refs.ts';
import { patternCheck } from './json-schema-strings.ts';

type CardParameter = { readonly description?: string; readonly optional?: boolean } & (
  | { readonly type: 'string'; readonly pattern?: string }
  | { readonly type: 'number'; readonly min: number; readonly max: number }
  | { readonly type: 'date' }
  | { readonly type: 'enum'; readonly values: Readonly<Record<string, readonly string[]>> }
);

export interface OperationCard {
  readonly name: string;
  readonly tool: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly parameters: Readonly<Record<string, CardParameter>>;
}

/** Undefined for what a question does not hold: objects, lists, yes and no. */
const parameterOf = (schema: JsonObject): CardParameter | undefined => {
  const { type, description, enum: values, pattern, format, minimum, maximum } = schema;
  const common = typeof description === 'string' ? { description } : {};
  if (Array.isArray(values)) {
    if (!values.every((value) => typeof value === 'string')) return undefined;
    return { ...common, type: 'enum', values: Object.fromEntries(values.map((value) => [value, []])) };
  }
  if (type === 'integer' || type === 'number') {
    const [min, max] = [typeof minimum === 'number' ? minimum : 0, typeof maximum === 'number' ? maximum : 1e12];
    return { ...common, type: 'number', min, max };
  }
  if (type !== 'string') return undefined;
  if (format === 'date') return { ...common, type: 'date' };
  return {
    ...common,
    type: 'string',
    ...(typeof pattern === 'string' && patternCheck(pattern) !== undefined ? { pattern } : {}),
  };
};

/** Undefined for an operation that needs more than a question can give, and for one that has no example of a question. */
export const cardOf = (operation: HttpOperation): OperationCard | undefined => {
  const examples = operation.settings.examples ?? [];
  if (effectOf(operation) !== 'read' || examples.length === 0) return undefined;
  const { schema, root, place, at, name, description } = operation;
  const follow = createFollow(root, place);
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly JsonValue[]) : [];
  const properties = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  const parameters: [string, CardParameter][] = [];
  for (const [key, given] of properties) {
    const { value } = follow(given, at);
    const parameter = isObject(value) ? parameterOf(value) : undefined;
    if (required.includes(key) && parameter === undefined) return undefined;
    if (parameter !== undefined) parameters.push([key, { ...parameter, optional: !required.includes(key) }]);
  }
  return {
    name,
    tool: name,
    description: description.split('\n', 1)[0] ?? '',
    examples,
    parameters: Object.fromEntries(parameters),
  };
};
