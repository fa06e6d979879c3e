/**
 * An OpenAPI document (3.0 or 3.1) as operations: those that are asked for by name, and nothing else of it. References lead within the
 * document alone. https://spec.openapis.org/oas/v3.1.1
 */
import type { JsonObject, JsonValue } from '../agent/json.ts';
import { effectOf, type HttpOperation, type HttpParameter, METHODS, namesIn, type OperationSettings } from './http-operation.ts';
import { createFollow, documentError, type Follow, isObject, pointerOf } from './json-schema-refs.ts';

const MAX_DESCRIPTION_CHARS = 1_000;
const MAX_LISTED = 20;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

interface Found {
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  readonly operation: JsonObject;
  /** Of the whole path. */
  readonly shared: JsonValue | undefined;
  readonly at: string;
}

interface Source {
  readonly root: JsonValue;
  readonly place: string;
  readonly follow: Follow;
}

const objectAt = ({ place, follow }: Source, value: JsonValue | undefined, at: string): { value: JsonObject; at: string } => {
  const found = follow(value ?? null, at);
  if (!isObject(found.value)) throw documentError(place, found.at, 'expected an object, got another value');
  return { value: found.value, at: found.at };
};

const findOperations = (source: Source, document: JsonObject): ReadonlyMap<string, Found> => {
  const operations = new Map<string, Found>();
  const paths = document['paths'] === undefined ? {} : objectAt(source, document['paths'], '#/paths').value;
  for (const [path, given] of Object.entries(paths)) {
    const { value: item, at } = objectAt(source, given, pointerOf('#/paths', path));
    for (const method of METHODS) {
      const operation = item[method.toLowerCase()];
      if (!isObject(operation) || typeof operation['operationId'] !== 'string') continue;
      const id = operation['operationId'];
      const own = pointerOf(at, method.toLowerCase());
      if (operations.has(id))
        throw documentError(source.place, own, `operationId: expected one of its own, got ${JSON.stringify(id)} a second time`);
      operations.set(id, { method, path, operation, shared: item['parameters'], at: own });
    }
  }
  return operations;
};

interface Parameter extends HttpParameter {
  readonly schema: JsonValue;
  readonly required: boolean;
}

const listAt = ({ place }: Source, value: JsonValue | undefined, at: string): readonly JsonValue[] => {
  if (value !== undefined && !Array.isArray(value)) throw documentError(place, at, 'expected a list, got another value');
  return (value as readonly JsonValue[] | undefined) ?? [];
};

const described = (schema: JsonValue | undefined, description: JsonValue | undefined): JsonValue => {
  if (!isObject(schema)) return schema ?? (typeof description === 'string' ? { description } : {});
  return typeof description === 'string' ? { ...schema, description } : schema;
};

const styleOf = ({ style, explode }: JsonObject): Pick<HttpParameter, 'style'> => {
  if (style === 'deepObject') return { style: 'deep' };
  return explode === false ? { style: 'comma' } : {};
};

/** Undefined for one that the configuration alone may set. */
const readParameter = (source: Source, given: JsonValue, from: string, configured: readonly string[]): Parameter | undefined => {
  const { value, at } = objectAt(source, given, from);
  const { name, in: where, required, description, schema, content } = value;
  if (typeof name !== 'string' || name === '' || name === '__proto__')
    throw documentError(source.place, at, 'name: expected the name of a parameter, got none that can be used');
  if (where === 'header' || where === 'cookie') {
    const isSet = where === 'header' && configured.includes(name.toLowerCase());
    if (required !== true || isSet) return undefined;
    const mend = where === 'header' ? 'set it under headers in the file of the service' : 'cookies are not sent';
    throw documentError(source.place, at, `expected no required ${where}, got ${name}; ${mend}`);
  }
  if (where === 'query' && configured.includes(`?${name}`)) return undefined;
  if (where !== 'path' && where !== 'query')
    throw documentError(source.place, at, 'in: expected path, query, header or cookie, got another place');
  const media = isObject(content) ? Object.values(content)[0] : undefined;
  const own = schema ?? (isObject(media) ? media['schema'] : undefined);
  return {
    name,
    in: where,
    ...styleOf(value),
    schema: described(own, description),
    required: where === 'path' || required === true,
  };
};

const readParameters = (source: Source, { operation, shared, at, path }: Found, configured: readonly string[]) => {
  const byPlace = new Map<string, Parameter>();
  for (const [list, from] of [
    [shared, pointerOf(at.slice(0, at.lastIndexOf('/')), 'parameters')],
    [operation['parameters'], pointerOf(at, 'parameters')],
  ] as const) {
    for (const [index, given] of listAt(source, list, from).entries()) {
      const parameter = readParameter(source, given, pointerOf(from, index), configured);
      // That of the operation counts before that of the path.
      if (parameter !== undefined) byPlace.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  const parameters = [...byPlace.values()];
  const names = parameters.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index || name === 'body');
  if (twice !== undefined)
    throw documentError(source.place, at, `expected parameters with names of their own, got ${twice} a second time`);
  const missing = namesIn(path).find((name) => !byPlace.has(`path ${name}`));
  if (missing !== undefined) throw documentError(source.place, at, `expected a parameter for {${missing}} in ${path}, got none`);
  return parameters.filter((parameter) => parameter.in !== 'path' || namesIn(path).includes(parameter.name));
};

const readBody = (
  source: Source,
  { operation, at }: Found,
): { readonly schema: JsonValue; readonly required: boolean } | undefined => {
  if (operation['requestBody'] === undefined) return undefined;
  const { value, at: own } = objectAt(source, operation['requestBody'], pointerOf(at, 'requestBody'));
  const content = objectAt(source, value['content'], pointerOf(own, 'content')).value;
  const media = Object.entries(content).find(([type]) => JSON_TYPE.test(type))?.[1];
  const required = value['required'] === true;
  if (isObject(media)) return { schema: described(media['schema'], value['description']), required };
  if (!required) return undefined;
  throw documentError(source.place, pointerOf(own, 'content'), 'expected a body in JSON, got other types alone');
};

const descriptionOf = ({ operation, at }: Found, { description }: OperationSettings, place: string): string => {
  const told =
    description ??
    [...new Set([operation['summary'], operation['description']])].filter((text) => typeof text === 'string').join('\n');
  const text = told.replace(/[^\P{Cc}\n]/gu, ' ').trim();
  if (text !== '') return text.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed();
  throw documentError(place, at, 'expected a summary or a description, got none; give it one in the file of the service');
};

const nameOf = (id: string, { name }: OperationSettings): string => name ?? id.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64);

/**
 * `place` names the document in errors. `configured`: headers in lower case, and parameters of the query with a `?` before them, that
 * the configuration sets. Throws `AppError('config_invalid')`.
 */
export const readOpenApi = (
  root: JsonValue,
  place: string,
  wanted: Readonly<Record<string, OperationSettings>>,
  configured: readonly string[],
): readonly HttpOperation[] => {
  const source: Source = { root, place, follow: createFollow(root, place) };
  if (!isObject(root) || !/^3\.[01]\./.test(String(root['openapi'])))
    throw documentError(place, '#/openapi', 'expected version 3.0 or 3.1 of OpenAPI, got another document');
  const found = findOperations(source, root);
  return Object.entries(wanted).map(([id, settings]) => {
    const one = found.get(id);
    if (one === undefined) {
      const known = [...found.keys()].slice(0, MAX_LISTED).join(', ');
      throw documentError(
        place,
        '#/paths',
        `expected an operation with the operationId ${id}, got none; there are: ${known || 'none'}`,
      );
    }
    const parameters = readParameters(source, one, configured);
    const body = readBody(source, one);
    const fields = [
      ...parameters.map(({ name, schema, required }) => ({ name, schema, required })),
      ...(body === undefined ? [] : [{ name: 'body', ...body }]),
    ];
    return {
      name: nameOf(id, settings),
      description: descriptionOf(one, settings, place),
      method: one.method,
      path: one.path,
      parameters: parameters.map(({ name, in: where, style }) => ({
        name,
        in: where,
        ...(style === undefined ? {} : { style }),
      })),
      hasBody: body !== undefined,
      schema: {
        type: 'object',
        properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
        required: fields.filter(({ required }) => required).map(({ name }) => name),
        additionalProperties: false,
      },
      root,
      place,
      at: one.at,
      settings: { ...settings, effect: effectOf({ method: one.method, settings }) },
    };
  });
};
