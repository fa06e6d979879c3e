/** Arguments as a request. They fill the places that the operation has for them and reach no other: not the host, not another path. */
import { AppError } from '../agent/errors.ts';
import type { JsonObject, JsonValue } from '../agent/json.ts';
import type { HttpRequest } from './http-client.ts';
import type { HttpOperation, HttpParameter } from './http-operation.ts';

const refused = (name: string, expected: string): AppError => new AppError('tool_arguments', `${name}: expected ${expected}`);

/** Servers and proxies differ in what they make of encoded slashes and dots, so none is sent. */
const PATH_CHANGING = /[/\\]|^\.{1,2}$|%(?:2e|2f|5c)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

const plainText = (value: JsonValue): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

const segmentOf = (name: string, value: JsonValue | undefined): string => {
  if (value === undefined || value === null || typeof value === 'object') throw refused(name, 'a text or a number');
  const text = String(value);
  if (text === '' || PATH_CHANGING.test(text) || CONTROL.test(text))
    throw refused(name, 'a value without slashes, control characters and dots alone');
  return encodeURIComponent(text.toWellFormed());
};

const isObject = (value: JsonValue): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

const addQuery = (query: URLSearchParams, { name, style }: HttpParameter, value: JsonValue): void => {
  if (style === 'deep' && isObject(value)) {
    for (const [key, item] of Object.entries(value)) query.append(`${name}[${key}]`, plainText(item));
  } else if (!Array.isArray(value)) query.append(name, plainText(value));
  else if (style === 'comma') query.append(name, value.map(plainText).join(','));
  else for (const item of value as readonly JsonValue[]) query.append(name, plainText(item));
};

const bodyOf = ({ parameters, hasBody }: HttpOperation, args: JsonObject): JsonValue | undefined => {
  if (hasBody) return args['body'];
  const fields = parameters.filter((parameter) => parameter.in === 'body' && args[parameter.name] !== undefined);
  return parameters.some((parameter) => parameter.in === 'body')
    ? Object.fromEntries(fields.map(({ name }) => [name, args[name] ?? null]))
    : undefined;
};

/** `basePath`: of the service's address, without a slash at its end. Throws `AppError('tool_arguments')` that names the field. */
export const requestOf = (operation: HttpOperation, args: JsonObject, basePath: string): HttpRequest => {
  const path = `${basePath}${operation.path.replace(/\{([^{}]*)\}/g, (_, name: string) => segmentOf(name, args[name]))}`;
  const query = new URLSearchParams();
  for (const parameter of operation.parameters) {
    const value = args[parameter.name];
    if (parameter.in === 'query' && value !== undefined && value !== null) addQuery(query, parameter, value);
  }
  // What a parser of addresses would read otherwise is not sent.
  if (new URL(`http://host.invalid${path}`).pathname !== path) throw refused('arguments', 'values that leave the path as it is');
  const body = bodyOf(operation, args);
  return {
    method: operation.method,
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
};
