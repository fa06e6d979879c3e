/** Operations in short form: a name, a path and parameters, for a service without an OpenAPI document. */
import type { JsonObject, JsonValue } from '../agent/json.ts';
import { type HttpMethod, type HttpOperation, namesIn, type OperationSettings } from './http-operation.ts';

export interface ShortParameter {
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  readonly description?: string | undefined;
  readonly enum?: readonly (string | number)[] | undefined;
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  /** What the service takes when it is not given: shown, not sent. */
  readonly default?: JsonValue | undefined;
  readonly required: boolean;
  readonly in?: 'query' | 'body' | undefined;
}

export interface ShortOperation extends Omit<OperationSettings, 'name'> {
  readonly description: string;
  readonly method: HttpMethod;
  readonly path: string;
  readonly parameters: Readonly<Record<string, ShortParameter>>;
}

/** Where a parameter goes: into the path that names it, else into the query, or the body where the method has one. */
const placeOf = (name: string, parameter: ShortParameter, { path, method }: ShortOperation): 'path' | 'query' | 'body' => {
  if (namesIn(path).includes(name)) return 'path';
  return parameter.in ?? (method === 'GET' || method === 'HEAD' || method === 'DELETE' ? 'query' : 'body');
};

const schemaOf = (parameter: ShortParameter): JsonObject => {
  const { type, description, enum: values, pattern, format, minimum, maximum, default: standard } = parameter;
  const schema = { type, description, enum: values, pattern, format, minimum, maximum, default: standard };
  return Object.fromEntries(Object.entries(schema).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));
};

/** `place` names the file in errors. */
export const readShortOperations = (tools: Readonly<Record<string, ShortOperation>>, place: string): readonly HttpOperation[] =>
  Object.entries(tools).map(([name, tool]) => {
    const { description, method, path, parameters, ...settings } = tool;
    const entries = Object.entries(parameters);
    const schema: JsonObject = {
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, parameter]) => [key, schemaOf(parameter)])),
      required: entries.filter(([key, { required }]) => required || namesIn(path).includes(key)).map(([key]) => key),
      additionalProperties: false,
    };
    return {
      name,
      description,
      method,
      path,
      parameters: entries.map(([key, parameter]) => ({ name: key, in: placeOf(key, parameter, tool) })),
      hasBody: false,
      schema,
      root: schema,
      place,
      at: `#/tools/${name}`,
      settings,
    };
  });
