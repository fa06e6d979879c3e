/**
 * A JSON Schema from outside (of an OpenAPI document, of an MCP tool) as the zod type of a tool's parameters. What the type cannot
 * check (`not`, `if`, costly patterns) is left to the service behind the tool; what the schema does not name is not passed on.
 */
import { z } from 'zod';
import { describeIssues } from '../agent/arguments.ts';
import type { JsonObject, JsonValue } from '../agent/json.ts';
import { createFollow, documentError, type Follow, isObject, pointerOf } from './json-schema-refs.ts';
import { formatCheck, patternCheck } from './json-schema-strings.ts';

export interface JsonSchemaOptions {
  /** Names the document in errors: a path, a server and its tool. */
  readonly place: string;
  /** Where the schema stands in the document, as a pointer. Default: `#`. */
  readonly at?: string;
  /** What references point into. Default: the schema itself. */
  readonly root?: JsonValue;
}

/** What a model is shown with each question: more than this serves nobody. */
const MAX_CHARS = 60_000;
const CHARS_OF_A_PART = 40;
const MAX_DEPTH = 24;
/** A schema that contains itself is spelled out this often; below that any value passes. */
const MAX_SELF = 2;

/** Where in the document, and which references are open around it. */
interface Around {
  readonly at: string;
  readonly open: readonly string[];
  readonly depth: number;
  /** In an alternative, fields that are not named are left in: another alternative may name them. */
  readonly keepsUnnamed: boolean;
}

const isBare = (schema: JsonObject): boolean =>
  !['type', 'properties', 'items', 'enum', 'const', 'allOf', 'anyOf', 'oneOf', 'additionalProperties', 'prefixItems'].some(
    (keyword) => Object.hasOwn(schema, keyword),
  );

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? (value as JsonValue[]) : []);
const numberOf = (value: JsonValue | undefined): number | undefined => (typeof value === 'number' ? value : undefined);
const objectOf = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

const anyValue = (): z.ZodType => z.unknown().refine((value) => value !== undefined, { message: 'expected a value, got none' });

const textOf = (schema: JsonObject): z.ZodType => {
  let text = z.string();
  const minimum = numberOf(schema['minLength']);
  const maximum = numberOf(schema['maxLength']);
  if (minimum !== undefined) text = text.min(minimum);
  if (maximum !== undefined) text = text.max(maximum);
  for (const [keyword, check] of [
    ['format', formatCheck(schema['format'])],
    ['pattern', patternCheck(schema['pattern'])],
  ] as const) {
    if (check !== undefined) text = text.refine(check.passes, { message: `expected ${check.expected}` });
    // Shown to the model also where it is not checked.
    if (typeof schema[keyword] === 'string') text = text.meta({ ...text.meta(), [keyword]: schema[keyword] });
  }
  return text;
};

const numberType = (schema: JsonObject, isWhole: boolean): z.ZodType => {
  let type = isWhole ? z.int() : z.number();
  const [minimum, maximum] = [numberOf(schema['minimum']), numberOf(schema['maximum'])];
  // `true` in OpenAPI 3.0 makes the bound beside it exclusive; later ones have the bound itself.
  const above = schema['exclusiveMinimum'] === true ? minimum : numberOf(schema['exclusiveMinimum']);
  const below = schema['exclusiveMaximum'] === true ? maximum : numberOf(schema['exclusiveMaximum']);
  const step = numberOf(schema['multipleOf']);
  if (above !== undefined) type = type.gt(above);
  if (minimum !== undefined && above !== minimum) type = type.gte(minimum);
  if (below !== undefined) type = type.lt(below);
  if (maximum !== undefined && below !== maximum) type = type.lte(maximum);
  if (step !== undefined && step > 0) type = type.multipleOf(step);
  return type;
};

const isPlain = (value: JsonValue): value is string | number | boolean | null => typeof value !== 'object' || value === null;

const valuesType = (values: readonly JsonValue[]): z.ZodType => {
  if (!values.every(isPlain)) return anyValue().meta({ enum: [...values] });
  return values.every((value) => typeof value === 'string') ? z.enum(values) : z.literal(values);
};

/** The alternative with the fewest faults is most likely the one that was meant. */
const nearestFault = (faults: readonly (readonly z.core.$ZodIssue[])[]): string => {
  const [nearest = []] = [...faults].sort((a, b) => a.length - b.length);
  return `fits none of ${faults.length} alternatives, the nearest says: ${describeIssues(new z.ZodError([...nearest]))}`;
};

const unionOf = (types: readonly z.ZodType[]): z.ZodType => {
  const [first, ...others] = types;
  if (first === undefined) return anyValue();
  if (others.length === 0) return first;
  return z.union([first, ...others], {
    error: (issue) => (issue.code === 'invalid_union' ? nearestFault(issue.errors as z.core.$ZodIssue[][]) : undefined),
  });
};

/** All parts as one schema. Where two say something else of the same, the later one counts. */
const merged = (parts: readonly JsonObject[]): JsonObject => {
  const properties = new Map<string, JsonValue>();
  for (const part of parts) {
    for (const [name, value] of Object.entries(objectOf(part['properties']))) {
      const before = properties.get(name);
      properties.set(name, before === undefined ? value : { allOf: [before, value] });
    }
  }
  const required = [...new Set(parts.flatMap((part) => listOf(part['required'])))];
  return {
    ...Object.assign({}, ...parts),
    ...(properties.size === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(required.length === 0 ? {} : { required }),
  };
};

class Converter {
  readonly #follow: Follow;
  readonly #place: string;
  #chars = 0;

  constructor(place: string, root: JsonValue) {
    this.#place = place;
    this.#follow = createFollow(root, place);
  }

  /** The schema behind references and without `allOf`. */
  flat(given: JsonValue, around: Around): { readonly schema: JsonObject | boolean; readonly around: Around } {
    const { value, at, refs } = this.#follow(given, around.at);
    this.#count(isObject(value) ? value : {}, at);
    const inner: Around = { ...around, at, open: [...around.open, ...refs], depth: around.depth + 1 };
    if (typeof value === 'boolean') return { schema: value, around: inner };
    if (!isObject(value)) throw documentError(this.#place, at, 'expected a schema, got another value');
    const selves = refs.map((ref) => inner.open.filter((other) => other === ref).length);
    if (Math.max(0, ...selves) > MAX_SELF) return { schema: { description: value['description'] ?? '' }, around: inner };
    if (inner.depth > MAX_DEPTH) throw documentError(this.#place, at, `expected at most ${MAX_DEPTH} levels, got more`);
    const { allOf, ...own } = value;
    if (allOf === undefined) return { schema: own, around: inner };
    let open = inner.open;
    const parts = listOf(allOf).map((part, index) => {
      const found = this.flat(part, { ...inner, at: pointerOf(pointerOf(at, 'allOf'), index) });
      open = [...open, ...found.around.open.slice(inner.open.length)];
      return typeof found.schema === 'boolean' ? {} : found.schema;
    });
    return { schema: merged([...parts, own]), around: { ...inner, open } };
  }

  convert(given: JsonValue, outer: Around): z.ZodType {
    const { schema, around } = this.flat(given, outer);
    if (typeof schema === 'boolean') return schema ? anyValue() : z.never();
    const type = this.#nullable(schema, around);
    const description = schema['description'] ?? schema['title'];
    const meta = {
      ...(typeof description === 'string' && description.trim() !== '' ? { description: description.trim() } : {}),
      // The service's own: shown, not sent.
      ...(schema['default'] === undefined ? {} : { default: schema['default'] }),
    };
    return Object.keys(meta).length === 0 ? type : type.meta({ ...type.meta(), ...meta });
  }

  #count(schema: JsonObject, at: string): void {
    const { description = '', enum: values = [] } = schema;
    this.#chars += CHARS_OF_A_PART + JSON.stringify([description, values]).length;
    if (this.#chars > MAX_CHARS) {
      const problem = `expected a schema that takes at most ${MAX_CHARS} characters with its references spelled out, got more`;
      throw documentError(this.#place, at, problem);
    }
  }

  #nullable(schema: JsonObject, around: Around): z.ZodType {
    const type = this.#ofTypes(schema, around);
    return schema['nullable'] === true ? type.nullable() : type;
  }

  #ofTypes(schema: JsonObject, around: Around): z.ZodType {
    if (schema['const'] !== undefined) return valuesType([schema['const']]);
    if (schema['enum'] !== undefined) {
      const values = listOf(schema['enum']);
      if (values.length === 0) throw documentError(this.#place, around.at, 'enum: expected values, got none');
      return valuesType(values);
    }
    const types = Array.isArray(schema['type']) ? listOf(schema['type']) : [schema['type'] ?? this.#kindOf(schema)];
    return unionOf(types.map((type) => this.#ofType(type, schema, around)));
  }

  #kindOf(schema: JsonObject): string {
    if (isObject(schema['properties'])) return 'object';
    return schema['items'] === undefined ? 'any' : 'array';
  }

  #alternatives(schema: JsonObject, around: Around): z.ZodType | undefined {
    for (const keyword of ['anyOf', 'oneOf']) {
      const given = listOf(schema[keyword]);
      if (given.length === 0) continue;
      const at = pointerOf(around.at, keyword);
      return unionOf(given.map((one, index) => this.convert(one, { ...around, at: pointerOf(at, index), keepsUnnamed: true })));
    }
    return undefined;
  }

  #ofType(type: JsonValue, schema: JsonObject, around: Around): z.ZodType {
    switch (type) {
      case 'string':
        return textOf(schema);
      case 'number':
      case 'integer':
        return numberType(schema, type === 'integer');
      case 'boolean':
        return z.boolean();
      case 'null':
        return z.null();
      case 'array':
        return this.#list(schema, around);
      case 'object':
        return this.object(schema, around);
      case 'any':
        return this.#alternatives(schema, around) ?? anyValue();
      default: {
        const known = 'string, number, integer, boolean, null, array or object';
        throw documentError(this.#place, around.at, `type: expected ${known}, got ${JSON.stringify(type).slice(0, 60)}`);
      }
    }
  }

  #list(schema: JsonObject, around: Around): z.ZodType {
    const { items } = schema;
    const item =
      items === undefined || items === true ? anyValue() : this.convert(items, { ...around, at: pointerOf(around.at, 'items') });
    let list = z.array(item);
    const [minimum, maximum] = [numberOf(schema['minItems']), numberOf(schema['maxItems'])];
    if (minimum !== undefined) list = list.min(minimum);
    if (maximum !== undefined) list = list.max(maximum);
    return list;
  }

  object(schema: JsonObject, around: Around): z.ZodType {
    const properties = objectOf(schema['properties']);
    const required = new Set(listOf(schema['required']).filter((name) => typeof name === 'string'));
    const shape = new Map<string, z.ZodType>();
    for (const [name, given] of Object.entries(properties)) {
      const at = pointerOf(pointerOf(around.at, 'properties'), name);
      if (name === '__proto__')
        throw documentError(this.#place, at, 'expected a name for a field, got one that no object can hold');
      // What the service alone sets is nothing to send: https://spec.openapis.org/oas/v3.0.3#schema-object
      if (isObject(given) && given['readOnly'] === true) continue;
      const type = this.convert(given, { ...around, at, keepsUnnamed: false });
      shape.set(name, required.has(name) ? type : type.optional());
    }
    for (const name of required) {
      if (name === '__proto__') continue;
      if (!Object.hasOwn(properties, name)) shape.set(name, anyValue());
    }
    const fields = this.#withOthers(Object.fromEntries(shape), schema, around);
    const alternatives = this.#alternatives(schema, around);
    if (alternatives === undefined) return fields;
    return fields.superRefine((value, context) => {
      const checked = alternatives.safeParse(value);
      if (!checked.success) context.addIssue({ code: 'custom', message: describeIssues(checked.error) });
    });
  }

  /** Fields that are not named: refused, dropped, left in, or of a type of their own. */
  #withOthers(shape: Readonly<Record<string, z.ZodType>>, schema: JsonObject, around: Around): z.ZodObject {
    const { additionalProperties: others, patternProperties } = schema;
    if (others === false && patternProperties === undefined) return z.strictObject(shape);
    if (isObject(others) && !isBare(others))
      return z
        .object(shape)
        .catchall(this.convert(others, { ...around, at: pointerOf(around.at, 'additionalProperties'), keepsUnnamed: false }));
    const isOpen = others !== undefined || patternProperties !== undefined || Object.keys(shape).length === 0;
    return isOpen || around.keepsUnnamed ? z.looseObject(shape) : z.object(shape);
  }
}

const START = { open: [], depth: 0, keepsUnnamed: false } as const;

/** Throws `AppError('config_invalid')` that names the part of the document which is at fault. */
export const zodOfJsonSchema = (schema: JsonValue, { place, at = '#', root = schema }: JsonSchemaOptions): z.ZodType =>
  new Converter(place, root).convert(schema, { ...START, at });

/**
 * The same for the arguments of a whole tool, which are one object. Of alternatives the model is shown all fields; which of them go
 * together is checked.
 */
export const parametersOfJsonSchema = (schema: JsonValue, { place, at = '#', root = schema }: JsonSchemaOptions) => {
  const converter = new Converter(place, root);
  const { schema: flat, around } = converter.flat(schema, { ...START, at });
  if (typeof flat === 'boolean' || (flat['type'] !== undefined && flat['type'] !== 'object'))
    throw documentError(place, around.at, 'expected the schema of an object, got another one');
  const branches = listOf(flat['anyOf'] ?? flat['oneOf']).map((branch) => converter.flat(branch, around).schema);
  const fields = merged(branches.filter((branch) => typeof branch !== 'boolean').map(({ properties = {} }) => ({ properties })));
  const properties = { ...objectOf(fields['properties']), ...objectOf(flat['properties']) };
  return converter.object({ ...flat, properties }, around) as z.ZodType<JsonObject>;
};
