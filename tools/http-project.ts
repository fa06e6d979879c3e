/** A part of an answer: the value at one place, or the answer with the named places alone. */
import type { JsonObject, JsonValue } from '../agent/json.ts';

/** JSON pointers (RFC 6901); `*` stands for each item of a list, and a name without a slash for a field on top. */
export type Projection = string | readonly string[];

type Path = readonly string[];

const pathOf = (pointer: string): Path =>
  pointer.startsWith('/')
    ? pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    : [pointer];

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

const fieldOf = (value: JsonValue, name: string): JsonValue | undefined => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as JsonObject)[name];
};

const at = (value: JsonValue, [name, ...rest]: Path): JsonValue | undefined => {
  if (name === undefined) return value;
  if (name === '*' && isList(value)) return value.flatMap((item) => at(item, rest) ?? []);
  const next = fieldOf(value, name);
  return next === undefined ? undefined : at(next, rest);
};

const keep = (value: JsonValue, paths: readonly Path[]): JsonValue => {
  if (paths.some((path) => path.length === 0)) return value;
  const below = (name: string): readonly Path[] =>
    paths.filter(([first]) => first === name || (first === '*' && isList(value))).map((path) => path.slice(1));
  if (isList(value)) {
    return value.flatMap((item, index) => {
      const rest = below(String(index));
      return rest.length === 0 ? [] : [keep(item, rest)];
    });
  }
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]: [string, JsonValue]) => {
      const rest = below(name);
      return rest.length === 0 ? [] : [[name, keep(item, rest)]];
    }),
  );
};

/** Null where the one place is not there. */
export const project = (value: JsonValue, projection: Projection | undefined): JsonValue => {
  if (projection === undefined) return value;
  return typeof projection === 'string' ? (at(value, pathOf(projection)) ?? null) : keep(value, projection.map(pathOf));
};
