import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { validateArguments } from '../../agent/arguments.ts';
import { AppError } from '../../agent/errors.ts';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import { parametersOfJsonSchema, zodOfJsonSchema } from '../../tools/json-schema.ts';

const place = 'shop.yaml';
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...rest });
const shownOf = (type: z.ZodType): unknown => {
  const { $schema: _, ...shown } = z.toJSONSchema(type, { io: 'input' });
  return shown;
};
const checked = (schema: JsonValue, value: JsonValue): unknown => {
  const result = validateArguments(parametersOfJsonSchema(schema, { place }), JSON.stringify(value));
  return result.ok ? result.value : result.advice;
};
const refusal = (build: () => unknown): string => {
  try {
    build();
  } catch (error) {
    if (error instanceof AppError && error.code === 'config_invalid') return error.message;
    throw error;
  }
  return 'nothing was refused';
};

describe('a JSON schema as the parameters of a tool', () => {
  it('is shown to the model with its descriptions, values, bounds and what is required', () => {
    const schema = object(
      {
        number: { type: 'string', description: 'Order number', pattern: '^[A-Z]-\\d{4}$' },
        status: { type: 'string', enum: ['open', 'shipped'], default: 'open' },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
        since: { type: 'string', format: 'date' },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
        note: { type: ['string', 'null'] },
      },
      { required: ['number'], additionalProperties: false },
    );
    assert.deepEqual(shownOf(parametersOfJsonSchema(schema, { place })), schema);
  });

  const order = object(
    {
      number: { type: 'string', pattern: '^[A-Z]-\\d{4}$' },
      status: { enum: ['open', 'shipped'] },
      limit: { type: 'integer', minimum: 1, exclusiveMaximum: 50 },
      since: { type: 'string', format: 'date' },
      address: object({ city: { type: 'string', minLength: 1 } }, { required: ['city'] }),
      price: { type: 'number', minimum: 0, exclusiveMinimum: true },
      kind: { const: 'order' },
      mixed: { enum: [1, 'two', null] },
    },
    { required: ['number'] },
  );
  const faults: readonly (readonly [JsonObject, RegExp])[] = [
    [{}, /^number: expected string, received undefined$/],
    [{ number: 7 }, /^number: expected string, received number$/],
    [{ number: 'x' }, /^number: expected a text that matches \^\[A-Z\]-\\d\{4\}\$$/],
    [{ number: 'A-1001', status: 'lost' }, /^status: .*"open"\|"shipped"$/],
    [{ number: 'A-1001', limit: 50 }, /^limit: Too big: expected number to be <50$/],
    [{ number: 'A-1001', limit: 1.5 }, /^limit: expected int, received number$/],
    [{ number: 'A-1001', since: '31.3.2026' }, /^since: expected a day such as 2026-03-31$/],
    [{ number: 'A-1001', address: {} }, /^address\.city: expected string, received undefined$/],
    [{ number: 'A-1001', price: 0 }, /^price: Too small: expected number to be >0$/],
    [{ number: 'A-1001', kind: 'cart' }, /^kind: .*"order"$/],
    [{ number: 'A-1001', mixed: 'one' }, /^mixed: .*1\|"two"\|null$/],
  ];
  for (const [given, told] of faults) {
    it(`${JSON.stringify(given)} is refused by the name of the field`, () => assert.match(String(checked(order, given)), told));
  }

  it('what passes is handed on as it came, and a default is left to the service', () => {
    const given = { number: 'A-1001', address: { city: 'Lisbon' }, mixed: null };
    assert.deepEqual(checked(order, given), given);
    assert.deepEqual(checked(object({ page: { type: 'integer', default: 3 } }), {}), {});
  });

  it('fields that are not named are refused, dropped, kept or checked, as the schema says', () => {
    const named = { a: { type: 'string' } };
    const given = { a: 'x', b: 1 };
    assert.equal(checked(object(named, { additionalProperties: false }), given), 'arguments: Unrecognized key: "b"');
    assert.deepEqual(checked(object(named), given), { a: 'x' });
    assert.deepEqual(checked(object(named, { additionalProperties: true }), given), given);
    assert.match(String(checked(object(named, { additionalProperties: { type: 'string' } }), given)), /^b: expected string/);
    assert.deepEqual(checked({ type: 'object' }, given), given);
    assert.deepEqual(checked(object({ id: { type: 'string', readOnly: true } }), { id: '7' }), { id: '7' });
    assert.deepEqual(checked(object({ id: { type: 'string', readOnly: true }, ...named }), { id: '7', a: 'x' }), { a: 'x' });
  });

  it('alternatives keep the fields of the one that fits, and the nearest one says what is wrong', () => {
    const pay = object({
      by: {
        oneOf: [
          object({ card: { type: 'string' } }, { required: ['card'] }),
          object({ iban: { type: 'string' }, name: { type: 'string' } }, { required: ['iban', 'name'] }),
        ],
      },
    });
    assert.deepEqual(checked(pay, { by: { iban: 'x', name: 'y' } }), { by: { iban: 'x', name: 'y' } });
    assert.equal(
      checked(pay, { by: { iban: 'x' } }),
      'by: fits none of 2 alternatives, the nearest says: card: expected string, received undefined',
    );
    const either = {
      anyOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { type: 'number' } }, { required: ['b'] })],
    };
    assert.deepEqual(checked(either, { b: 2 }), { b: 2 });
    assert.match(String(checked(either, {})), /fits none of 2 alternatives/);
    assert.deepEqual(
      Object.keys((shownOf(parametersOfJsonSchema(either, { place })) as z.core.JSONSchema.ObjectSchema).properties ?? {}),
      ['a', 'b'],
    );
  });

  it('parts that must all hold are one object', () => {
    const all = { allOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { type: 'number' } })] };
    assert.deepEqual(checked(all, { a: 'x', b: 2 }), { a: 'x', b: 2 });
    assert.match(String(checked(all, { b: 2 })), /^a: expected string/);
  });

  it('null is let in where a schema of OpenAPI 3.0 or of JSON Schema says so', () => {
    assert.deepEqual(checked(object({ a: { type: 'string', nullable: true } }), { a: null }), { a: null });
    assert.deepEqual(checked(object({ a: { type: ['integer', 'null'] } }), { a: null }), { a: null });
    assert.match(String(checked(object({ a: { type: 'string' } }), { a: null })), /^a: expected string, received null$/);
  });
});

describe('references of a schema', () => {
  const withDefs = ($defs: JsonObject, properties: JsonObject): JsonObject => object(properties, { $defs });

  it('are followed within the document, with what is said beside them', () => {
    const schema = withDefs(
      { 'a/b': { type: 'integer', description: 'old' } },
      { n: { $ref: '#/$defs/a~1b', description: 'Number' } },
    );
    const shown = shownOf(parametersOfJsonSchema(schema, { place })) as { properties: Record<string, { description: string }> };
    assert.equal(shown.properties['n']?.description, 'Number');
    assert.match(String(checked(schema, { n: 'x' })), /^n: expected number/);
  });

  it('a schema that contains itself is checked for some levels, and lets any value pass below', () => {
    const tree = withDefs(
      { node: object({ name: { type: 'string' }, child: { $ref: '#/$defs/node' } }) },
      { root: { $ref: '#/$defs/node' } },
    );
    assert.match(String(checked(tree, { root: { child: { name: 1 } } })), /^root\.child\.name: expected string/);
    assert.deepEqual(checked(tree, { root: { child: { child: { name: 1 } } } }), { root: { child: { child: { name: 1 } } } });
  });

  const refused: readonly (readonly [string, JsonObject, RegExp])[] = [
    [
      'to itself',
      withDefs({ a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, { x: { $ref: '#/$defs/a' } }),
      /leads to itself \(#\/\$defs\/a\)$/,
    ],
    [
      'to another host',
      object({ x: { $ref: 'http://127.0.0.1:1/x.json' } }),
      /^shop\.yaml: #\/properties\/x: expected a reference within the document/,
    ],
    ['to a file', object({ x: { $ref: 'file:///etc/passwd' } }), /expected a reference within the document/],
    ['to a file beside it', object({ x: { $ref: './other.yaml#/x' } }), /expected a reference within the document/],
    ['to nothing', object({ x: { $ref: '#/$defs/none' } }), /expected a part of the document, got #\/\$defs\/none/],
    [
      'to what every object inherits',
      object({ x: { $ref: '#/__proto__' } }),
      /expected a part of the document, got #\/__proto__/,
    ],
  ];
  for (const [where, schema, told] of refused) {
    it(`one that leads ${where} is refused`, () =>
      assert.match(
        refusal(() => parametersOfJsonSchema(schema, { place })),
        told,
      ));
  }
});

describe('a hostile schema', () => {
  it('that doubles at each level is refused before it takes room or time', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [
        `d${n}`,
        n === 9
          ? { type: 'string' }
          : object({
              a: { $ref: `#/$defs/d${n + 1}` },
              b: { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
            }),
      ]),
    );
    const schema = object({ x: { $ref: '#/$defs/d0' } }, { $defs });
    const before = performance.now();
    assert.match(
      refusal(() => parametersOfJsonSchema(schema, { place })),
      /at most 60000 characters/,
    );
    assert.ok(performance.now() - before < 2_000);
  });

  it('that is nested without an end is refused', () => {
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 5_000; level += 1) deep = { type: 'array', items: deep };
    assert.match(
      refusal(() => parametersOfJsonSchema(object({ x: deep }), { place })),
      /at most 24 levels/,
    );
  });

  it('cannot name a field that changes what objects are', () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as JsonObject;
    assert.match(
      refusal(() => parametersOfJsonSchema(schema, { place })),
      /#\/properties\/__proto__/,
    );
    const value = validateArguments(parametersOfJsonSchema({ type: 'object' }, { place }), '{"__proto__":{"admin":true}}');
    assert.equal(value.ok && (value.value as { admin?: boolean }).admin, undefined);
  });

  it('whose pattern takes for ever is not run', () => {
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(.*)*x$', 'a*a*a*a*a*a*b', '^(?=(a+))\\1+$']) {
      const before = performance.now();
      assert.deepEqual(checked(object({ x: { type: 'string', pattern } }), { x: `${'a'.repeat(40)}!` }), {
        x: `${'a'.repeat(40)}!`,
      });
      assert.ok(performance.now() - before < 500, pattern);
    }
  });

  const broken: readonly (readonly [string, JsonValue, RegExp])[] = [
    ['a list', [], /expected a schema/],
    ['of a text', { type: 'string' }, /expected the schema of an object/],
    ['with an unknown type', object({ x: { type: 'text' } }), /#\/properties\/x: type: expected string, number, .*, got "text"/],
    ['with no value to choose', object({ x: { enum: [] } }), /#\/properties\/x: enum: expected values, got none/],
  ];
  for (const [what, schema, told] of broken) {
    it(`${what} is refused`, () =>
      assert.match(
        refusal(() => parametersOfJsonSchema(schema, { place })),
        told,
      ));
  }

  it('what is no schema of an object can still be the type of one value', () => {
    assert.equal(zodOfJsonSchema({ type: 'string' }, { place }).safeParse('x').success, true);
    assert.equal(zodOfJsonSchema(true, { place }).safeParse(undefined).success, false);
  });
});
