/** References within one document. One that leads out of it is refused: nothing is opened or fetched because a document says so. */
import { AppError } from '../agent/errors.ts';
import type { JsonObject, JsonValue } from '../agent/json.ts';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `place` names the document, `at` the part of it as a JSON pointer (RFC 6901) behind `#`. */
export const documentError = (place: string, at: string, problem: string): AppError =>
  new AppError('config_invalid', `${place}: ${at}: ${problem}`);

export const pointerOf = (at: string, name: string | number): string =>
  `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

export interface Followed {
  readonly value: JsonValue;
  /** Where it stands. */
  readonly at: string;
  /** What was followed to get there. */
  readonly refs: readonly string[];
}

/** Throws `AppError('config_invalid')` for a reference that leads out of the document, nowhere, or to itself. */
export type Follow = (value: JsonValue, at: string) => Followed;

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
};

export const createFollow = (root: JsonValue, place: string): Follow => {
  const find = (ref: string, at: string): JsonValue => {
    if (!ref.startsWith('#')) {
      throw documentError(place, at, `expected a reference within the document (#/…), got ${JSON.stringify(ref.slice(0, 100))}`);
    }
    let value: JsonValue = root;
    for (const part of ref.slice(1).split('/').slice(1).map(decoded)) {
      const next: JsonValue | undefined =
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Readonly<Record<string, JsonValue>>)[part]
          : undefined;
      if (next === undefined) throw documentError(place, at, `expected a part of the document, got ${ref}, which is not in it`);
      value = next;
    }
    return value;
  };
  return (given, from) => {
    const refs: string[] = [];
    let value = given;
    let at = from;
    while (isObject(value) && typeof value['$ref'] === 'string') {
      const { $ref: ref, ...beside } = value;
      if (typeof ref !== 'string') break;
      if (refs.includes(ref)) throw documentError(place, at, `expected a schema, got a reference that leads to itself (${ref})`);
      const target = find(ref, at);
      refs.push(ref);
      // What stands beside a reference says more of it, as OpenAPI 3.1 and JSON Schema 2020-12 have it.
      value = isObject(target) ? { ...target, ...beside } : target;
      at = ref;
    }
    return { value, at, refs };
  };
};
